package cache

import (
	"container/list"
	"errors"
	"io/fs"
	"os"
	"time"
)

// item is a file that takes room: an entry, or a draft that could not be removed.
type item struct {
	key     Key
	stray   string    // name of the draft's file; "" for an entry
	room    int64     // what its file takes
	readers int       // open entries of it
	touched time.Time // modification time of the file, as far as known
	place   *list.Element
}

func (it *item) name() string {
	if it.stray != "" {
		return it.stray
	}
	return entryName(it.key)
}

// blockSize is what file systems give room in.
const blockSize = 4096

// blocks returns the room that a file of size bytes takes.
func blocks(size int64) int64 { return (size + blockSize - 1) / blockSize * blockSize }

var (
	errNoRoom = errors.New("all room is taken by drafts and by entries being read")
	errHeld   = errors.New("the answer is kept already")
	errClosed = errors.New("the cache is closed")
)

// reserve takes room for a draft of key, removing the least recently used entries
// until there is some. Room counts as taken until the file is gone, so at no
// moment do the files take more than MaxBytes.
func (c *Cache) reserve(key Key, room int64) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		if err := c.wanted(key); err != nil {
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

// wanted returns why a draft of key need not go on. c.mu is held.
func (c *Cache) wanted(key Key) error {
	if c.closed {
		return errClosed
	}
	if c.index[key] != nil {
		return errHeld
	}
	return nil
}

// oldest returns what was used the longest ago, or nil. It passes over entries
// that are being read: removing them gives no room back before they are closed.
// c.mu is held.
func (c *Cache) oldest() *item {
	for at := c.order.Back(); at != nil; at = at.Prev() {
		if it := at.Value.(*item); it.readers == 0 {
			return it
		}
	}
	return nil
}

// evict removes an item to make room. c.mu is held, and let go meanwhile.
func (c *Cache) evict(it *item) error {
	err := c.remove(it)
	if err == nil && it.stray == "" {
		c.counts.Evictions++
	}
	return err
}

// remove removes the file of an item and gives its room back. When that fails the
// item stays, as the next to be evicted. c.mu is held, and let go meanwhile.
func (c *Cache) remove(it *item) error {
	c.order.Remove(it.place)
	if it.stray == "" {
		delete(c.index, it.key)
	}
	name := it.name()
	err := c.move(name, func() error { return c.unlink(name) })
	if err != nil {
		it.place = c.order.PushBack(it)
		if it.stray == "" {
			c.index[it.key] = it
		}
		return err
	}
	c.used -= it.room
	return nil
}

// unlink removes a file, which may be gone already.
func (c *Cache) unlink(name string) error {
	err := os.Remove(c.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// move calls do, which puts a file of that name in place or removes it, without
// c.mu, which is held before and after. Meanwhile no other may do the same.
func (c *Cache) move(name string, do func() error) error {
	c.moving[name] = struct{}{}
	c.moves.Add(1)
	c.mu.Unlock()
	err := do()
	c.mu.Lock()
	c.moves.Done()
	delete(c.moving, name)
	return err
}
