package accounttest

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"vaak/account"
	"vaak/account/ledger"
	"vaak/internal/fault"
)

// database is what the parts of a [Store] share. The rows have one lock, because a part
// reads rows of other parts and a posting changes rows of several. Faults and changes have
// their own locks, which are never held together with it.
type database struct {
	faults  faults
	changes changes
	now     func() time.Time

	mu       sync.Mutex
	plans    map[string]ledger.Plan
	orgs     map[string]*organisation
	names    map[string]bool // of organisations
	order    []string        // ids of organisations, oldest first
	keys     map[string]*account.Key
	keyOrder []string // ids of keys, oldest first
	uses     map[use]sum
	jobs     []account.Job
	requests []account.RequestRecord
	recorded int64 // request records that were ever added; the Seq of the latest
}

// organisation is an organisation with its book.
type organisation struct {
	account.Organisation
	month   ledger.Month
	lots    map[string]ledger.Lot
	holds   map[string]ledger.Hold
	entries []ledger.Entry
}

// use is the key of a sum.
type use struct{ key, day, voice, language string }

// sum is what a key has used on a day with a voice in a language.
type sum struct {
	requests, characters int64
	audio                time.Duration
}

// instant is the present, in the resolution that stores keep.
func (db *database) instant() time.Time { return db.now().UTC().Truncate(time.Microsecond) }

// plansOf returns the plans that terms may come to. The caller holds the lock.
func (db *database) plansOf(t ledger.Terms) map[string]ledger.Plan {
	plans := map[string]ledger.Plan{}
	for _, id := range t.PlanIDs() {
		if p, ok := db.plans[id]; ok {
			plans[id] = p
		}
	}
	return plans
}

// addUses adds all uses or, on an error, none. The caller holds the lock.
func (db *database) addUses(uses []account.Use) error {
	for _, u := range uses {
		k := db.keys[u.KeyID]
		if k == nil {
			return errUnknownKey
		}
		if k.OrgID != u.OrgID {
			return fmt.Errorf("use of key %s, which is not of %s", u.KeyID, u.OrgID)
		}
	}
	for _, u := range uses {
		k := use{u.KeyID, u.Day, u.Voice, u.Language}
		t := db.uses[k]
		db.uses[k] = sum{t.requests + u.Requests, t.characters + u.Characters, t.audio + u.Audio}
	}
	return nil
}

func notFound() error {
	return fault.New(fault.NotFound, fault.CodeNotFound, "", "there is no such thing")
}

func conflict() error { return fault.New(fault.Conflict, "conflict", "", "it exists already") }

// errUnknownKey stands for the error of a database when a foreign key is violated.
var errUnknownKey = errors.New("use of a key that is not there")
