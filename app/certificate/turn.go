package certificate

import (
	"context"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/crypto/acme/autocert"
	"golang.org/x/sys/unix"
)

const (
	turnEvery = 50 * time.Millisecond // between two tries to lock the file
	turnLimit = time.Minute           // after which an order is made without a turn
)

// turns let one of the servers that share a cache order a certificate of a name at a time.
type turns struct {
	path string // what the paths of the locks begin with

	mu    sync.Mutex
	taken map[string]int // by name, the turns of this process
}

// take waits until no other server that shares the cache orders a certificate of a name, and keeps the
// others waiting until release is called. Other names do not wait: an order of one that fails
// takes minutes, and they may have their certificates. Two orders of one name at once overwrite each other's
// answers in the cache, and the one that fails leaves its server without a certificate for
// a minute. The lock ends with the process. Where there are no locks, nobody waits.
func (t *turns) take(ctx context.Context, name string) (release func()) {
	f, err := os.OpenFile(t.path+name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return func() {} // the cache cannot be written either, which the order tells
	}
	release = sync.OnceFunc(func() {
		t.count(name, -1)
		_ = f.Close() // it has no content
	})
	ctx, cancel := context.WithTimeout(ctx, turnLimit)
	defer cancel()
	tick := time.NewTicker(turnEvery)
	defer tick.Stop()
	for unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) == unix.EWOULDBLOCK && ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
	t.count(name, 1)
	return release
}

func (t *turns) count(name string, change int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.taken == nil {
		t.taken = map[string]int{}
	}
	t.taken[name] += change
}

// here reports whether this process has the turn of a name.
func (t *turns) here(name string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.taken[name] > 0
}

// cache is the directory of certificates. autocert renews a certificate in every server at about
// the same time, for which it looks at the cached one first. The cache shows one that is due only
// to the server that has the turn of its name, and so to the others what that one has put there.
type cache struct {
	autocert.DirCache
	turns *turns

	mu       sync.Mutex
	renewals map[string]func() // by name, what ends the turn
}

// Get returns what is under a key, which is a name for its certificate.
func (c *cache) Get(ctx context.Context, key string) ([]byte, error) {
	text, err := c.DirCache.Get(ctx, key)
	if err != nil || !due(key, text) || c.turns.here(key) {
		return text, err
	}
	release := c.turns.take(ctx, key)
	if err = ctx.Err(); err == nil {
		text, err = c.DirCache.Get(ctx, key)
	}
	if err != nil || !due(key, text) {
		release()
		return text, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.renewals == nil {
		c.renewals = map[string]func(){}
	}
	c.renewals[key] = release
	time.AfterFunc(turnLimit, release) // of a renewal that fails nothing is put
	return text, nil
}

// Put writes what is under a key. A certificate that is renewed ends the turn.
func (c *cache) Put(ctx context.Context, key string, data []byte) error {
	err := c.DirCache.Put(ctx, key, data)
	c.mu.Lock()
	defer c.mu.Unlock()
	if release := c.renewals[key]; release != nil {
		delete(c.renewals, key)
		release()
	}
	return err
}

// due reports whether a key is that of a certificate which is in the last third of its time, when
// autocert renews it.
func due(key string, text []byte) bool {
	// Answers to challenges, keys of accounts, and certificates for clients that take only RSA
	// have a plus sign.
	if strings.Contains(key, "+") {
		return false
	}
	c, err := leaf(text)
	return err == nil && time.Until(c.NotAfter) < c.NotAfter.Sub(c.NotBefore)/3
}
