// Package cache keeps answers on disk, bounded by bytes, so that a request that
// was answered before need not be worked out again.
//
// It knows nothing of what it keeps. A [Key] is a digest that its caller makes of
// everything that decides the bytes of an answer and of whose answer it is; an
// entry is a body and a small head, both opaque.
//
// The files of one directory belong to one process, which a lock sees to. Each
// entry is a file named by its key, written under another name and put in place by
// a rename, so that a process killed at any moment leaves whole entries and drafts
// that the next [Open] removes. Nothing is synced: what a power failure leaves of
// an entry is found out by its checksum when it is next asked for.
//
// Failures of the file system never reach an answer. The cache then keeps nothing
// for a minute and says so in the log, at most once a minute.
package cache

import (
	"cmp"
	"container/list"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// ErrInUse says that another process, or another [Cache] of this one, has the
// directory open.
var ErrInUse = errors.New("another server uses it; each server needs a data directory of its own")

// Config is what [Open] needs.
type Config struct {
	Dir      string       // made with mode 0700 when it is missing; required
	MaxBytes int64        // room of all files, drafts included, in blocks of 4,096 bytes; required
	MaxEntry int64        // size of the largest file of one answer, at most MaxBytes; 0 = MaxBytes/8
	Logger   *slog.Logger // nil = no log
}

// Cache is a directory of answers. The least recently used leave when room is
// needed. It is safe for concurrent use. A nil *Cache keeps nothing and has
// nothing, so that a caller need not ask whether caching is on.
type Cache struct {
	dir      string
	maxBytes int64
	maxEntry int64
	logger   *slog.Logger
	lock     *os.File
	create   func(path string) (draftFile, error) // tests put other files here
	names    atomic.Uint64                        // the name of the latest draft
	moves    sync.WaitGroup                       // renames and removals under way

	mu        sync.Mutex // guards what follows; never held during a call of the file system
	closed    bool
	index     map[Key]*item
	order     list.List           // of *item; the front was used last
	moving    map[string]struct{} // names of files that are being put in place or removed
	used      int64               // room of the items and of the drafts
	restUntil time.Time           // no draft begins before
	told      time.Time           // when the log was last written to
	counts    Stats               // the counters only
}

// Stats are figures of a [Cache]. Entries and Bytes are of now, the others count
// since Open.
type Stats struct {
	Entries   int   // answers that can be had
	Bytes     int64 // room taken, drafts included; at most MaxBytes
	Hits      int64
	Misses    int64 // calls of Get that gave nothing
	Kept      int64 // drafts that became entries
	Dropped   int64 // drafts that gave up: no room, too large, no longer needed, or a failure
	Evictions int64 // entries removed to make room
	Damaged   int64 // entries removed because they were not what was written
}

// Open takes hold of a directory: it removes drafts that were left behind, finds
// the entries without reading them, and removes the least recently used until
// they fit into MaxBytes. Files that it did not make stay as they are and do not
// count. The error wraps [ErrInUse] when the directory is taken. Close must be
// called.
func Open(c Config) (*Cache, error) {
	switch {
	case c.Dir == "":
		return nil, errors.New("open answer cache: no directory is given")
	case c.MaxBytes <= 0:
		return nil, fmt.Errorf("open answer cache: MaxBytes %d is not over 0", c.MaxBytes)
	case c.MaxEntry < 0 || c.MaxEntry > c.MaxBytes:
		return nil, fmt.Errorf("open answer cache: MaxEntry %d is outside 0 to MaxBytes %d", c.MaxEntry, c.MaxBytes)
	}
	k := &Cache{
		dir:      c.Dir,
		maxBytes: c.MaxBytes,
		maxEntry: cmp.Or(c.MaxEntry, c.MaxBytes/8),
		logger:   cmp.Or(c.Logger, slog.New(slog.DiscardHandler)),
		create:   createDraft,
		index:    map[Key]*item{},
		moving:   map[string]struct{}{},
	}
	k.names.Store(uint64(time.Now().UnixNano())) // no name of a cache that was closed comes again
	if err := k.open(); err != nil {
		return nil, fmt.Errorf("open answer cache: %w", errors.Join(err, k.unlock()))
	}
	return k, nil
}

func (c *Cache) open() error {
	if err := os.MkdirAll(c.dir, 0o700); err != nil {
		return err
	}
	lock, err := os.OpenFile(c.path(lockName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	c.lock = lock
	err = syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return fmt.Errorf("%s: %w", c.dir, ErrInUse)
	}
	if err != nil {
		return fmt.Errorf("lock %s: %w", c.dir, err)
	}
	if err := c.scan(); err != nil {
		return err
	}
	return c.probe()
}

// probe finds out whether files can be made and removed.
func (c *Cache) probe() error {
	path := c.path(draftName(Key{}, c.names.Add(1)))
	f, err := c.create(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(path))
}

// Close lets the directory go. Drafts that are still open give up at their next
// write; entries that are still open stay readable.
func (c *Cache) Close() error {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	closed := c.closed
	c.closed = true
	c.mu.Unlock()
	if closed {
		return nil
	}
	c.moves.Wait()
	return c.unlock()
}

// unlock lets the lock go. Closing the file would not do while a process that was
// forked a moment ago, and has not begun its program, holds a copy.
func (c *Cache) unlock() error {
	if c.lock == nil {
		return nil
	}
	return errors.Join(syscall.Flock(int(c.lock.Fd()), syscall.LOCK_UN), c.lock.Close())
}

// Stats returns the figures of now.
func (c *Cache) Stats() Stats {
	if c == nil {
		return Stats{}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.counts
	s.Entries, s.Bytes = len(c.index), c.used
	return s
}

func (c *Cache) path(name string) string { return filepath.Join(c.dir, name) }
