package account

import (
	"sync"
	"time"
)

// What may be started on a balance that is known and not asked for.
const (
	// grace is how long a reservation is waited for before that: a store that is not
	// slow answers meanwhile, and nothing is started on what may have changed.
	grace = 10 * time.Millisecond
	// knownShare is the part of a balance that all processes together may have started
	// without having it reserved: one in so many characters.
	knownShare = 8
	// knownFor is how long a balance is believed.
	knownFor = 30 * time.Second
)

// known are the balances that the last postings of this process have seen, and what was
// started on them.
type known struct {
	share int64 // see knownShare

	mu   sync.Mutex
	orgs map[string]*balance // by id
}

// balance is what is known of one organisation.
type balance struct {
	remaining int64 // ledger.Unlimited
	until     time.Time
	started   int64 // characters that are spoken and not reserved yet
	uncapped  map[string]bool
}

// take starts n characters on the balance of an organisation; false when they have to
// be reserved first: the balance is not known, or they would be over this process's
// part of it, of as many as share it, or the key may have a cap.
func (k *known) take(orgID, keyID string, n int64, processes int, now time.Time) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	b := k.orgs[orgID]
	if b == nil || !now.Before(b.until) || !b.uncapped[keyID] {
		return false
	}
	if b.remaining >= 0 && b.started+n > b.remaining/(k.share*int64(processes)) {
		return false
	}
	b.started += n
	return true
}

// give says that what take has started is reserved, or refused.
func (k *known) give(orgID string, n int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if b := k.orgs[orgID]; b != nil { // one on which 0 characters were started may be pruned
		b.started -= n
	}
}

// lesson is what a posting has seen of an organisation.
type lesson struct {
	remaining int64
	expires   time.Duration // of the first of it, from the posting on; 0 is never
	uncapped  []string      // keys
}

// learn believes lessons.
func (k *known) learn(lessons map[string]lesson, now time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.orgs == nil {
		k.orgs = map[string]*balance{}
	}
	for id, l := range lessons {
		b := k.orgs[id]
		if b == nil {
			b = &balance{uncapped: map[string]bool{}}
			k.orgs[id] = b
		}
		b.remaining, b.until = l.remaining, now.Add(knownFor)
		if l.expires > 0 {
			b.until = now.Add(min(knownFor, l.expires))
		}
		for _, key := range l.uncapped {
			b.uncapped[key] = true
		}
	}
}

// forget believes nothing any more of an organisation, or of any.
func (k *known) forget(orgID string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for id, b := range k.orgs {
		if orgID == "" || orgID == id {
			b.until = time.Time{}
		}
	}
}

// prune drops what is too old to be believed.
func (k *known) prune(now time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for id, b := range k.orgs {
		if b.started == 0 && !now.Before(b.until) {
			delete(k.orgs, id)
		}
	}
}
