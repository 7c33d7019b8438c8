// Package cache keeps answers on disk, up to a number of bytes, so that a repeated request
// need not be computed again.
//
// It knows nothing of what it keeps. A [Key] is a digest that the caller makes of everything
// that decides the bytes of an answer, and of whose answer it is. An entry is a body and a
// small head, whose content is the caller's.
//
// The files in a directory belong to one process, which holds a lock on it. Each entry is a
// file named by its key. It is written under another name, as a draft, and renamed when it
// is complete. So a process that is killed at any moment leaves complete entries, and
// drafts that the next [Open] removes. Nothing is synced to disk: an entry that a power
// failure has damaged is detected by its checksum when it is read.
//
// An answer never fails because the file system does. The cache then keeps nothing new for
// a minute and writes to the log, at most once a minute.
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

// ErrInUse means that another process, or another [Cache] of this process, has opened the
// directory.
var ErrInUse = errors.New("another server uses it; each server needs a data directory of its own")

// Config configures [Open].
type Config struct {
	Dir      string       // created with mode 0700 if it is missing; required
	MaxBytes int64        // limit of all files, drafts included, in blocks of 4,096 bytes; required
	MaxEntry int64        // limit of one entry's file, at most MaxBytes; 0 = MaxBytes/8
	Logger   *slog.Logger // nil = no log
}

// Cache is a directory of answers. When room is needed the least recently used are removed.
// It is safe for concurrent use. A nil *Cache is an empty one that keeps nothing, so callers
// need not ask whether caching is on.
type Cache struct {
	dir      string
	maxBytes int64
	maxEntry int64
	logger   *slog.Logger
	lock     *os.File
	create   func(path string) (draftFile, error) // replaced by tests of failures
	names    atomic.Uint64                        // the number in the name of the latest draft
	changes  sync.WaitGroup                       // renames and removals that are running

	mu             sync.Mutex // guards what follows; never held during a file system call
	closed         bool
	index          map[Key]*item
	order          list.List           // of *item, the most recently used first
	changing       map[string]struct{} // names of files being renamed or removed
	used           int64               // room of the items and of the drafts, in bytes
	suspendedUntil time.Time           // no draft begins before this time, after a failure
	lastLogged     time.Time           // when the log was last written to
	counts         Stats               // without Entries and Bytes
}

// Stats are figures of a [Cache]. Entries and Bytes are current values; the others count
// since Open.
type Stats struct {
	Entries   int   // answers that Get can return
	Bytes     int64 // room taken, drafts included; at most MaxBytes
	Hits      int64
	Misses    int64 // calls of Get that returned nothing
	Kept      int64 // drafts that became entries
	Dropped   int64 // drafts given up: no room, too large, kept already, or a failure
	Evictions int64 // entries removed to make room
	Damaged   int64 // entries removed because their checksum was wrong
}

// Open opens a directory. It removes drafts left behind, finds the entries without reading
// them, and removes the least recently used until the others fit into MaxBytes. Files that
// are not the cache's are left alone and not counted. The error wraps [ErrInUse] if the
// directory is in use. Close must be called.
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
		changing: map[string]struct{}{},
	}
	// Start from the clock, so that the names of an earlier run are not used again.
	k.names.Store(uint64(time.Now().UnixNano()))
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
	// flock belongs to the open file, so a second Cache of this process is refused too.
	err = syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return fmt.Errorf("%s: %w", c.dir, ErrInUse)
	}
	if err != nil {
		return fmt.Errorf("lock %s: %w", c.dir, err)
	}
	// Scan before probe: a full directory must be emptied first.
	if err := c.scan(); err != nil {
		return err
	}
	return c.probe()
}

// probe returns an error if files cannot be created and removed in the directory.
func (c *Cache) probe() error {
	path := c.path(draftName(Key{}, c.names.Add(1)))
	f, err := c.create(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(path))
}

// Close releases the directory. Open drafts give up at their next write; open entries stay
// readable.
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
	// A rename or removal that is running must end before another process may open the
	// directory.
	c.changes.Wait()
	return c.unlock()
}

// unlock releases the lock. Closing the file alone would not do: a process forked a moment
// ago, which has not started its program yet, still holds a copy of the descriptor.
func (c *Cache) unlock() error {
	if c.lock == nil {
		return nil
	}
	return errors.Join(syscall.Flock(int(c.lock.Fd()), syscall.LOCK_UN), c.lock.Close())
}

// Stats returns the current figures.
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
