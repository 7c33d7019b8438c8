package keys

import (
	"container/list"
	"context"
	"database/sql"
	"sync"
	"time"

	"vaak/account"
	"vaak/internal/fault"
	"vaak/internal/flight"
	"vaak/internal/pause"
	"vaak/store/database"
)

// Ages of what a keyring holds.
const (
	keyringFresh = 5 * time.Second  // until then the database is not asked
	keyringStale = 30 * time.Second // until then it is used while the database is away
)

const (
	// keyringSize is how many credentials are held; the least recently used one leaves.
	keyringSize = 10_000
	// keyringWait bounds a look-up, so that callers notice an outage within a second.
	keyringWait = 800 * time.Millisecond
	// keyringRetry is how long after a failed look-up an old credential is used without
	// another, so that an outage does not slow down requests. It is also the pause
	// before a watch that broke begins again.
	keyringRetry = time.Second
)

// keyring caches credentials, so that a request does not wait for the database. A change
// that any process reports evicts the credentials that it concerns at once. On SQLite,
// where all processes are on one machine, no request that begins after a change finds
// what was true before it. A change that is not reported takes effect when they are
// keyringFresh old.
//
// Hashes of no key are not cached: a new key works at once, and strangers cannot fill
// the cache. Callers who ask for the same hash at the same time share one look-up.
type keyring struct {
	db     *database.DB
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
	news     [8]byte                  // of [database.DB.News], after which all that is held was read
	uses     list.List                // the most recently used first
	// evictions counts the calls of evict. A look-up that began before one may have
	// read the old row, so its answer is not cached after it.
	evictions uint64
}

// heldKey is a cached credential. It was true at asked.
type heldKey struct {
	hash       string
	credential account.Credential
	asked      time.Time
	failed     time.Time // when the database was last found away
}

// keyLookup identifies a look-up that callers share. It holds the number of evictions,
// so that no caller joins a look-up that began before the last one.
type keyLookup struct {
	hash      string
	evictions uint64
}

// newKeyring returns an empty keyring. It starts to watch when it is first used: when
// the database was opened its tables may not have existed.
func newKeyring(db *database.DB, lookup func(context.Context, []byte) (account.Credential, error),
	watch func(context.Context, func(account.Change)) error) *keyring {
	k := &keyring{db: db, lookup: lookup, watch: watch, now: time.Now, held: map[string]*list.Element{}}
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

// start registers a goroutine that close waits for; false when k is closed already.
func (k *keyring) start() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.closed {
		k.running.Add(1)
	}
	return !k.closed
}

// credential returns the credential of a hash. It is shared and must not be changed. The
// error is that of the look-up. The end of ctx ends the wait and not the look-up, for
// which others may wait, too. News is that of the database.
func (k *keyring) credential(ctx context.Context, hash []byte, news [8]byte) (account.Credential, error) {
	c, ok, l := k.find(string(hash), news)
	if ok {
		return c, nil
	}
	shared := k.flights.Go(l, func() (account.Credential, error) { return k.ask(hash) })
	select {
	case <-shared.Done():
		return shared.Value()
	case <-ctx.Done():
		return account.Credential{}, k.db.Fail(ctx, ctx.Err(), "wait for key by hash")
	}
}

// find returns a cached credential, or else the look-up to join.
func (k *keyring) find(hash string, news [8]byte) (c account.Credential, ok bool, l keyLookup) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.watchOnce()
	if news != k.news {
		k.news = news
		k.evictions++
		k.evictOne(account.Change{})
	}
	if e := k.held[hash]; e != nil {
		h, now := e.Value.(*heldKey), k.now()
		// Fresh, or stale after a look-up that has just failed: during an outage one request a
		// second waits for the database, and the others use what is cached.
		if age := now.Sub(h.asked); age < keyringFresh || age < keyringStale && now.Sub(h.failed) < keyringRetry {
			k.uses.MoveToFront(e)
			return h.credential, true, l
		}
	}
	return c, false, keyLookup{hash, k.evictions}
}

// ask looks up a hash and caches the answer.
func (k *keyring) ask(hash []byte) (account.Credential, error) {
	if !k.start() {
		return account.Credential{}, k.db.Fail(context.Background(), sql.ErrConnDone, "select key by hash")
	}
	defer k.running.Done()
	ctx, cancel := pause.Within(k.ctx, keyringWait)
	defer cancel()
	// Both are read before the look-up. An eviction during it means that the row may have
	// been read before the change, and the age of a credential counts from the question.
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
			k.add(&heldKey{hash: string(hash), credential: c, asked: asked})
		}
	case fault.NotFound:
		k.drop(old)
	case fault.Unavailable:
		if old == nil {
			break
		}
		if h := old.Value.(*heldKey); k.now().Sub(h.asked) < keyringStale {
			h.failed = k.now() // for a second, find uses it without another look-up
			return h.credential, nil
		}
	}
	return c, err
}

// add caches a credential. The caller has locked k.
func (k *keyring) add(h *heldKey) {
	k.drop(k.held[h.hash])
	if len(k.held) >= keyringSize {
		k.drop(k.uses.Back())
	}
	k.held[h.hash] = k.uses.PushFront(h)
}

// drop removes an entry; nil does nothing. The caller has locked k.
func (k *keyring) drop(e *list.Element) {
	if e != nil {
		delete(k.held, e.Value.(*heldKey).hash)
		k.uses.Remove(e)
	}
}

// evictChanges is evict for what this process changed, see [database.DB.OnChange].
func (k *keyring) evictChanges(changes []database.Change) {
	all := make([]account.Change, len(changes))
	for i, c := range changes {
		all[i] = account.Change{Topic: account.Topic(c.Topic), ID: c.ID}
	}
	k.evict(all...)
}

// evict removes the credentials that changes concern.
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

// evictOne removes what one change concerns: everything when the change names neither a
// key nor an organisation, since any credential may depend on a plan. No credential depends
// on an advance. The caller has locked k.
func (k *keyring) evictOne(c account.Change) {
	if c.Topic == account.TopicAdvance {
		return
	}
	if c.ID == "" || c.Topic != account.TopicKey && c.Topic != account.TopicOrganisation {
		clear(k.held)
		k.uses.Init()
		return
	}
	for e := k.uses.Front(); e != nil; {
		next := e.Next() // before drop, after which e has no neighbours
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

// watchAlways watches until k is closed. While a watch was broken anything may have
// changed, so everything is evicted.
func (k *keyring) watchAlways() {
	for k.ctx.Err() == nil {
		err := k.watch(k.ctx, func(c account.Change) { k.evict(c) })
		k.evict(account.Change{})
		if pause.For(k.ctx, keyringRetry) == nil {
			k.db.Log.Warn("watch for changes of keys broke; it begins again", "error", err)
		}
	}
}
