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

// Entry is a kept answer that is being read, by one goroutine at a time. Close
// must be called: until then its room cannot be used for another.
type Entry struct {
	cache *Cache
	item  *item
	file  *os.File
	head  []byte
	size  int64
	rest  io.LimitedReader // what of the body is still to be read
}

// pieces are the buffers through which files are read.
var pieces = sync.Pool{New: func() any { return new([64 << 10]byte) }}

// Get returns the answer of key. All of it has been checked when Get returns, so
// what is read from it is what was written. A damaged answer is removed and not
// returned.
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
		c.missed(it, err)
		return nil, false
	}
	now := time.Now()
	c.mu.Lock()
	c.counts.Hits++
	age := now.Sub(it.touched)
	stale := age < 0 || age >= touchEvery
	if stale {
		it.touched = now
	}
	c.mu.Unlock()
	if stale {
		c.touch(key, now)
	}
	return e, true
}

// pin finds an entry and keeps it from being evicted.
func (c *Cache) pin(key Key) *item {
	c.mu.Lock()
	defer c.mu.Unlock()
	it := c.index[key]
	if it == nil || c.closed {
		c.counts.Misses++
		return nil
	}
	it.readers++
	c.order.MoveToFront(it.place)
	return it
}

func (c *Cache) read(it *item) (*Entry, error) {
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
	if blocks(info.Size()) != e.item.room {
		return damaged("it has %d bytes, which is not its room of %d", info.Size(), e.item.room)
	}
	buf := pieces.Get().(*[64 << 10]byte)
	defer pieces.Put(buf)
	e.size, e.head, err = verify(e.file, info.Size(), e.item.key, buf[:])
	e.rest = io.LimitedReader{R: e.file, N: e.size}
	return err
}

// missed unpins an entry that could not be had, and removes it when it is damaged
// or gone.
func (c *Cache) missed(it *item, err error) {
	bad, gone := errors.Is(err, errDamaged), errors.Is(err, fs.ErrNotExist)
	c.mu.Lock()
	it.readers--
	c.counts.Misses++
	if (bad || gone) && !c.closed && c.index[it.key] == it {
		if bad {
			c.counts.Damaged++
		}
		if rerr := c.remove(it); rerr != nil {
			err = rerr
		}
	}
	c.mu.Unlock()
	c.tell("read", err)
}

// Head returns the head that was committed. The caller may keep it and must not
// change it.
func (e *Entry) Head() []byte { return e.head }

// Size returns the length of the body in bytes.
func (e *Entry) Size() int64 { return e.size }

// Read reads from the body.
func (e *Entry) Read(p []byte) (int, error) {
	n, err := e.rest.Read(p)
	if errors.Is(err, io.EOF) && e.rest.N > 0 {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// WriteTo writes what has not been read of the body to w. A w that can read from
// a file by itself, as a TCP connection can, is let do so.
func (e *Entry) WriteTo(w io.Writer) (int64, error) {
	buf := pieces.Get().(*[64 << 10]byte)
	defer pieces.Put(buf)
	n, err := io.CopyBuffer(w, &e.rest, buf[:])
	if err == nil && e.rest.N > 0 {
		err = fmt.Errorf("read a kept answer: %w", io.ErrUnexpectedEOF)
	}
	return n, err
}

// Close lets the entry go. Further calls do nothing.
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
