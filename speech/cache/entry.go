package cache

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"syscall"
	"time"
)

// Entry is an answer being read, by one goroutine at a time. Close must be called; until
// then the entry is not evicted.
type Entry struct {
	cache *Cache
	item  *item
	file  *os.File
	head  []byte
	size  int64
	body  io.LimitedReader // what has not been read of the body
}

// readBuffers are the buffers through which files are read.
var readBuffers = sync.Pool{New: func() any { return new([64 << 10]byte) }}

// Get returns the answer with a key. It checks the whole file first, so what is read from
// the entry is what was written. It removes a damaged entry and reports that there is none.
func (c *Cache) Get(key Key) (*Entry, bool) {
	if c == nil {
		return nil, false
	}
	it := c.pin(key)
	if it == nil {
		return nil, false
	}
	e, err := c.read(it)
	if err != nil {
		c.readFailed(it, err)
		return nil, false
	}
	now := time.Now()
	c.mu.Lock()
	c.counts.Hits++
	age := now.Sub(it.lastUsed)
	// A negative age means that the clock went back.
	stale := age < 0 || age >= touchEvery
	if stale {
		it.lastUsed = now
	}
	c.mu.Unlock()
	// The file's time tells a later Open what was used last. Write it outside the lock.
	if stale {
		c.touch(key, now)
	}
	return e, true
}

// pin finds an entry and protects it from eviction until its readers are done.
func (c *Cache) pin(key Key) *item {
	c.mu.Lock()
	defer c.mu.Unlock()
	it := c.index[key]
	if it == nil || c.closed {
		c.counts.Misses++
		return nil
	}
	it.readers++
	c.order.MoveToFront(it.element)
	return it
}

func (c *Cache) read(it *item) (*Entry, error) {
	// Not through a symbolic link: somebody else may have put it there.
	f, err := os.OpenFile(c.path(it.name()), os.O_RDONLY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	e := &Entry{cache: c, item: it, file: f}
	if err := e.verify(); err != nil {
		_ = f.Close() // it was only read
		return nil, err
	}
	return e, nil
}

func (e *Entry) verify() error {
	info, err := e.file.Stat()
	if err != nil {
		return err
	}
	// The room was measured when the cache was opened or the entry written. If it differs,
	// the sum of all rooms would be wrong too.
	if blocks(info.Size()) != e.item.room {
		return damaged("it has %d bytes, which is not its room of %d", info.Size(), e.item.room)
	}
	buf := readBuffers.Get().(*[64 << 10]byte)
	defer readBuffers.Put(buf)
	e.size, e.head, err = verify(e.file, info.Size(), e.item.key, buf[:])
	e.body = io.LimitedReader{R: e.file, N: e.size}
	return err
}

// readFailed unpins an entry that could not be read, and removes it if it is damaged or its
// file is gone.
func (c *Cache) readFailed(it *item, err error) {
	bad, gone := errors.Is(err, errDamaged), errors.Is(err, fs.ErrNotExist)
	c.mu.Lock()
	it.readers--
	c.counts.Misses++
	// Another reader may have removed it already, and a new entry may be in its place.
	if (bad || gone) && !c.closed && c.index[it.key] == it {
		if bad {
			c.counts.Damaged++
		}
		if rerr := c.remove(it); rerr != nil {
			err = rerr
		}
	}
	c.mu.Unlock()
	c.logFailure("read", err)
}

// Head returns the head that was committed. The caller must not change it.
func (e *Entry) Head() []byte { return e.head }

// Size returns the length of the body in bytes.
func (e *Entry) Size() int64 { return e.size }

// Read reads from the body.
func (e *Entry) Read(p []byte) (int, error) {
	n, err := e.body.Read(p)
	if errors.Is(err, io.EOF) && e.body.N > 0 {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// WriteTo writes the unread part of the body to w. A TCP connection can then copy from the
// file in the kernel (sendfile).
func (e *Entry) WriteTo(w io.Writer) (int64, error) {
	buf := readBuffers.Get().(*[64 << 10]byte)
	defer readBuffers.Put(buf)
	n, err := io.CopyBuffer(w, &e.body, buf[:])
	if err == nil && e.body.N > 0 {
		err = fmt.Errorf("read a kept answer: %w", io.ErrUnexpectedEOF)
	}
	return n, err
}

// Close releases the entry. Further calls do nothing.
func (e *Entry) Close() error {
	if e.file == nil {
		return nil
	}
	err := e.file.Close()
	e.file = nil
	e.cache.mu.Lock()
	e.item.readers--
	e.cache.mu.Unlock()
	return err
}
