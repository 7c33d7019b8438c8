package cache

import (
	"container/list"
	"errors"
	"io/fs"
	"os"
	"time"
)

// item is a file that takes room: an entry, or a draft whose file could not be removed.
type item struct {
	key      Key
	stray    string    // name of the draft's file; "" for an entry
	room     int64     // bytes its file takes, in whole blocks
	readers  int       // open entries; the item is not evicted while there are any
	lastUsed time.Time // modification time of the file, as far as it is known
	element  *list.Element
}

func (it *item) name() string {
	if it.stray != "" {
		return it.stray
	}
	return entryName(it.key)
}

// blockSize is the unit in which file systems allocate room.
const blockSize = 4096

// blocks returns the room of a file of size bytes.
func blocks(size int64) int64 { return (size + blockSize - 1) / blockSize * blockSize }

var (
	errNoRoom      = errors.New("all room is taken by drafts and by entries being read")
	errAlreadyKept = errors.New("the answer is kept already")
	errClosed      = errors.New("the cache is closed")
)

// reserve takes room for a draft of key. It evicts the least recently used entries if
// necessary. Room counts as taken until the file is gone, so the files never take more than
// MaxBytes.
func (c *Cache) reserve(key Key, room int64) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		// evict releases the lock, so everything must be looked at again each time.
		if err := c.checkWanted(key); err != nil {
			return err
		}
		if room <= c.maxBytes-c.used {
			c.used += room
			return nil
		}
		it := c.oldest()
		if it == nil {
			return errNoRoom
		}
		if err := c.evict(it); err != nil {
			return err
		}
	}
}

// checkWanted returns why a draft of key need not go on, or nil. c.mu is held.
func (c *Cache) checkWanted(key Key) error {
	if c.closed {
		return errClosed
	}
	// The answer was kept by another draft meanwhile.
	if c.index[key] != nil {
		return errAlreadyKept
	}
	return nil
}

// oldest returns the least recently used item, or nil. It skips entries that are being
// read: their room is free only when they are closed. c.mu is held.
func (c *Cache) oldest() *item {
	for at := c.order.Back(); at != nil; at = at.Prev() {
		if it := at.Value.(*item); it.readers == 0 {
			return it
		}
	}
	return nil
}

// evict removes an item to make room. c.mu is held, but released during the removal.
func (c *Cache) evict(it *item) error {
	err := c.remove(it)
	if err == nil && it.stray == "" {
		c.counts.Evictions++
	}
	return err
}

// remove removes the file of an item and frees its room. If that fails the item stays, as
// the next to be evicted. c.mu is held, but released during the removal.
func (c *Cache) remove(it *item) error {
	// Out of the index first: while the lock is released nobody must find the entry.
	c.order.Remove(it.element)
	if it.stray == "" {
		delete(c.index, it.key)
	}
	name := it.name()
	err := c.changeFile(name, func() error { return c.unlink(name) })
	if err != nil {
		// Put it back as the oldest, so that it is tried again first.
		it.element = c.order.PushBack(it)
		if it.stray == "" {
			c.index[it.key] = it
		}
		return err
	}
	c.used -= it.room
	return nil
}

// unlink removes a file. It is no error if the file is gone already.
func (c *Cache) unlink(name string) error {
	err := os.Remove(c.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// changeFile calls do, which creates or removes the file of that name, with c.mu released.
// c.mu is held before and after. The name stands in changing meanwhile, so that a draft is
// not put in place while the old entry of the same name is removed.
func (c *Cache) changeFile(name string, do func() error) error {
	// Close waits for changes, so the lock of the directory outlives this one.
	c.changing[name] = struct{}{}
	c.changes.Add(1)
	c.mu.Unlock()
	err := do()
	c.mu.Lock()
	c.changes.Done()
	delete(c.changing, name)
	return err
}
