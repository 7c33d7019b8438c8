package store

import (
	"container/list"
	"context"
	"database/sql"
	"sync"
	"time"

	"vaak/account"
	"vaak/internal/fault"
	"vaak/internal/flight"
)

// Ages of what a keyring holds.
const (
	keyringFresh = 5 * time.Second  // until then nobody is asked
	keyringStale = 30 * time.Second // until then it is used while the database is away
)

const (
	// keyringSize is how many credentials are held, the least recently used go.
	keyringSize = 10_000
	// keyringWait bounds a look-up, so that an outage shows within a second.
	keyringWait = 800 * time.Millisecond
	// keyringRetry is how long after a look-up that failed an old credential is
	// used without trying again, so that an outage does not slow requests down;
	// it is also how long a watch that ended is let be.
	keyringRetry = time.Second
)

// keyring keeps credentials in memory, so that a request does not wait for
// PostgreSQL. A change that any process tells of takes those that it concerns
// out at once; what it was not told of is seen when they are keyringFresh old.
//
// Hashes that nobody has are not kept: a new key works at once, and strangers
// cannot fill the keyring. Those who look for the same hash at the same time
// share one look-up.
type keyring struct {
	store  *Store
	lookup func(ctx context.Context, hash []byte) (account.Credential, error)
	watch  func(ctx context.Context, seen func(account.Change)) error
	now    func() time.Time

	ctx     context.Context // ends when the keyring is closed
	end     context.CancelFunc
	running sync.WaitGroup // the watch and the look-ups
	flights flight.Group[keyLookup, account.Credential]

	mu       sync.Mutex
	closed   bool
	watching bool
	held     map[string]*list.Element // of *heldKey, by hash
	uses     list.List                // the latest first
	// evictions counts what took something out, or could have: what was read
	// before one is not kept after it.
	evictions uint64
}

// heldKey is a credential that was true when it was asked for.
type heldKey struct {
	hash       string
	credential account.Credential
	asked      time.Time
	failed     time.Time // when the database was last found away
}

// keyLookup names a look-up. It has the number of evictions in it, so that nobody joins
// one that began before the last.
type keyLookup struct {
	hash      string
	evictions uint64
}

// newKeyring returns an empty keyring. It starts to watch when it is first
// used, since then there are tables to watch.
func newKeyring(s *Store) *keyring {
	k := &keyring{store: s, lookup: s.lookupCredential, watch: s.Watch, now: time.Now, held: map[string]*list.Element{}}
	k.uses.Init()
	k.ctx, k.end = context.WithCancel(context.Background())
	return k
}

// close ends the watch and the look-ups, and waits for them.
func (k *keyring) close() {
	k.mu.Lock()
	k.closed = true
	k.mu.Unlock()
	k.end()
	k.running.Wait()
}

// start counts a goroutine that close waits for; false when it came too late.
func (k *keyring) start() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.closed {
		k.running.Add(1)
	}
	return !k.closed
}

// credential returns the credential of a hash. It is shared and must not be
// changed. The error is that of the look-up; ctx bounds the waiting, not the
// look-up, which others may wait for, too.
func (k *keyring) credential(ctx context.Context, hash []byte) (account.Credential, error) {
	c, ok, l := k.find(string(hash))
	if ok {
		return c, nil
	}
	shared := k.flights.Go(l, func() (account.Credential, error) { return k.ask(hash) })
	select {
	case <-shared.Done():
		return shared.Value()
	case <-ctx.Done():
		return account.Credential{}, k.store.fail(ctx, ctx.Err(), "wait for key by hash")
	}
}

// find returns a credential that needs no look-up, or else the name of the look-up.
func (k *keyring) find(hash string) (c account.Credential, ok bool, l keyLookup) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.watchOnce()
	if e := k.held[hash]; e != nil {
		h, now := e.Value.(*heldKey), k.now()
		if age := now.Sub(h.asked); age < keyringFresh || age < keyringStale && now.Sub(h.failed) < keyringRetry {
			k.uses.MoveToFront(e)
			return h.credential, true, l
		}
	}
	return c, false, keyLookup{hash, k.evictions}
}

// ask looks a hash up and keeps the answer.
func (k *keyring) ask(hash []byte) (account.Credential, error) {
	if !k.start() {
		return account.Credential{}, k.store.fail(context.Background(), sql.ErrConnDone, "select key by hash")
	}
	defer k.running.Done()
	ctx, cancel := context.WithTimeout(k.ctx, keyringWait)
	defer cancel()
	k.mu.Lock()
	before := k.evictions
	k.mu.Unlock()
	asked := k.now()
	c, err := k.lookup(ctx, hash)

	k.mu.Lock()
	defer k.mu.Unlock()
	old := k.held[string(hash)]
	switch fault.KindOf(err) {
	case "":
		if k.evictions == before {
			k.keep(&heldKey{hash: string(hash), credential: c, asked: asked})
		}
	case fault.NotFound:
		k.drop(old)
	case fault.Unavailable:
		if old == nil {
			break
		}
		if h := old.Value.(*heldKey); k.now().Sub(h.asked) < keyringStale {
			h.failed = k.now()
			return h.credential, nil
		}
	}
	return c, err
}

// keep holds a credential. The caller has locked k.
func (k *keyring) keep(h *heldKey) {
	k.drop(k.held[h.hash])
	if len(k.held) >= keyringSize {
		k.drop(k.uses.Back())
	}
	k.held[h.hash] = k.uses.PushFront(h)
}

// drop takes an entry out; nil does nothing. The caller has locked k.
func (k *keyring) drop(e *list.Element) {
	if e != nil {
		delete(k.held, e.Value.(*heldKey).hash)
		k.uses.Remove(e)
	}
}

// evict takes out what changes concern.
func (k *keyring) evict(changes ...account.Change) {
	if len(changes) == 0 {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.evictions++
	for _, c := range changes {
		k.evictOne(c)
	}
}

// evictOne takes out what one change concerns. The caller has locked k.
func (k *keyring) evictOne(c account.Change) {
	if c.ID == "" || c.Topic != account.TopicKey && c.Topic != account.TopicOrganisation {
		clear(k.held)
		k.uses.Init()
		return
	}
	for e := k.uses.Front(); e != nil; {
		next := e.Next()
		if held := e.Value.(*heldKey).credential; held.KeyID == c.ID || held.OrgID == c.ID {
			k.drop(e)
		}
		e = next
	}
}

// watchOnce starts to watch for changes at the first call. The caller has
// locked k.
func (k *keyring) watchOnce() {
	if k.watching || k.closed {
		return
	}
	k.watching = true
	k.running.Go(k.watchAlways)
}

// watchAlways watches until k is closed. After a watch that broke anything may
// have changed.
func (k *keyring) watchAlways() {
	for k.ctx.Err() == nil {
		err := k.watch(k.ctx, func(c account.Change) { k.evict(c) })
		k.evict(account.Change{})
		timer := time.NewTimer(keyringRetry)
		select {
		case <-timer.C:
			k.store.log.Warn("watch for changes of keys broke; it begins again", "error", err)
		case <-k.ctx.Done():
			timer.Stop()
		}
	}
}
