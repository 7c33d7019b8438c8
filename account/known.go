package account

import (
	"sync"
	"time"
)

// Bounds of what may start on a known balance, before it is reserved.
const (
	// grace is how long a reservation is waited for first. A store that is not slow
	// answers within it, and nothing starts on a balance that may have changed.
	grace = 10 * time.Millisecond
	// knownShare is the part of a balance that all processes together may start without a
	// reservation: one character in knownShare.
	knownShare = 8
	// knownFor is how long a balance may be used after a posting has seen it.
	knownFor = 30 * time.Second
)

// known are the balances that the last postings of this process have seen, and how much was
// started on each.
type known struct {
	share int64 // see knownShare

	mu   sync.Mutex
	orgs map[string]*balance // by id
}

// balance is what is known of one organisation.
type balance struct {
	remaining int64 // ledger.Unlimited
	until     time.Time
	started   int64 // characters that may be spoken already and are not reserved yet
	uncapped  map[string]bool
}

// start starts n characters on the balance of an organisation. It returns false when they
// have to be reserved first: the balance is not known, the characters exceed the part of
// this process, or the key may have a cap.
func (k *known) start(orgID, keyID string, n int64, processes int, now time.Time) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	b := k.orgs[orgID]
	if b == nil || !now.Before(b.until) || !b.uncapped[keyID] {
		return false
	}
	// Processes do not know what the others have started. With an equal part for each, all
	// of them together stay within one character in share. A negative balance is Unlimited.
	if b.remaining >= 0 && b.started+n > b.remaining/(k.share*int64(processes)) {
		return false
	}
	b.started += n
	return true
}

// finish ends what start has started: it is reserved now, or refused.
func (k *known) finish(orgID string, n int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if b := k.orgs[orgID]; b != nil { // nil when 0 characters were started and it was pruned
		b.started -= n
	}
}

// observation is the balance of an organisation that a posting has seen.
type observation struct {
	remaining int64
	expires   time.Duration // when the first part of it expires, from the posting on; 0 is never
	uncapped  []string      // keys
}

// update replaces what is known with what a posting has seen.
func (k *known) update(seen map[string]observation, now time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.orgs == nil {
		k.orgs = map[string]*balance{}
	}
	for id, l := range seen {
		b := k.orgs[id]
		if b == nil {
			b = &balance{uncapped: map[string]bool{}}
			k.orgs[id] = b
		}
		// Started stays: those characters are not reserved yet, so the posting has not seen
		// them.
		b.remaining, b.until = l.remaining, now.Add(knownFor)
		if l.expires > 0 {
			b.until = now.Add(min(knownFor, l.expires))
		}
		for _, key := range l.uncapped { // for good: a key keeps the cap that it was made with
			b.uncapped[key] = true
		}
	}
}

// forget makes the balance of an organisation unknown, or of all with "".
func (k *known) forget(orgID string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for id, b := range k.orgs {
		if orgID == "" || orgID == id {
			b.until = time.Time{} // not deleted: finish still has to find what was started
		}
	}
}

// prune deletes balances that are too old to be used.
func (k *known) prune(now time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for id, b := range k.orgs {
		if b.started == 0 && !now.Before(b.until) {
			delete(k.orgs, id)
		}
	}
}
