package cache

import (
	"bufio"
	"errors"
	"hash/crc32"
	"io"
	"os"
	"sync"
	"time"
)

// Draft is an answer that is being written, by one goroutine at a time. Commit or
// Discard must be called. A draft that gives up, for whatever reason, takes no
// more room, and its methods do nothing.
type Draft struct {
	cache *Cache // nil once it is over
	key   Key
	name  string
	file  draftFile     // nil until something is written
	buf   *bufio.Writer // gathers small pieces; nil until the first
	sum   uint32        // CRC-32C of the body so far
	body  int64         // bytes of the body so far
	size  int64         // bytes in the file
	room  int64         // reserved
}

// draftFile is the file of a draft.
type draftFile interface{ io.WriteCloser }

func createDraft(path string) (draftFile, error) {
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
}

// bufferSize is what a draft gathers in memory. Pieces of this size and over are
// written as they come.
const bufferSize = 8 << 10

var buffers = sync.Pool{New: func() any { return bufio.NewWriterSize(nil, bufferSize) }}

// slow is how long a write may take. A disk that takes longer holds answers up.
const slow = time.Second

var errSlow = errors.New("writing took over " + slow.String())

// Begin returns a draft of the answer of key, never nil. Several drafts of one key
// may be written at once: the first to be committed is kept, the others give up.
func (c *Cache) Begin(key Key) *Draft {
	if c == nil {
		return &Draft{}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.wanted(key) != nil || time.Now().Before(c.restUntil) {
		return &Draft{}
	}
	return &Draft{cache: c, key: key}
}

// Write adds p to the body and does not keep it. It takes as long as a write to
// the file, and always returns len(p) and nil: a draft that fails gives up.
func (d *Draft) Write(p []byte) (int, error) {
	c := d.cache
	if c == nil || len(p) == 0 {
		return len(p), nil
	}
	if int64(len(p)) > c.maxEntry-footerSize-d.body {
		d.giveUp(nil)
		return len(p), nil
	}
	d.body += int64(len(p))
	d.sum = crc32.Update(d.sum, castagnoli, p)
	if err := d.put(p); err != nil {
		d.giveUp(err)
	}
	return len(p), nil
}

func (d *Draft) put(p []byte) error {
	if d.buf == nil {
		d.buf = buffers.Get().(*bufio.Writer)
		d.buf.Reset((*spill)(d))
	}
	_, err := d.buf.Write(p)
	return err
}

// spill is a draft as its buffer writes to it.
type spill Draft

// Write reserves room and writes p to the file, which is made for the first p.
func (s *spill) Write(p []byte) (int, error) {
	c := s.cache
	if more := blocks(s.size+int64(len(p))) - s.room; more > 0 {
		if err := c.reserve(s.key, more); err != nil {
			return 0, err
		}
		s.room += more
	}
	began := time.Now()
	if s.file == nil {
		name := draftName(s.key, c.names.Add(1))
		f, err := c.create(c.path(name))
		if err != nil {
			return 0, err
		}
		s.file, s.name = f, name
	}
	n, err := s.file.Write(p)
	s.size += int64(n)
	if err == nil && time.Since(began) > slow {
		err = errSlow
	}
	return n, err
}

// Commit makes the draft an entry with a head of at most [MaxHead] bytes. When it
// returns, Get finds the answer, unless the draft gave up.
func (d *Draft) Commit(head []byte) {
	c := d.cache
	if c == nil {
		return
	}
	if len(head) > MaxHead || int64(len(head)) > c.maxEntry-footerSize-d.body {
		d.giveUp(nil)
		return
	}
	err := d.finish(head)
	if err == nil {
		err = c.keep(d)
	}
	if err != nil {
		d.giveUp(err)
		return
	}
	d.end()
}

// finish writes the head and the footer, and closes the file.
func (d *Draft) finish(head []byte) error {
	sum := crc32.Update(d.sum, castagnoli, head)
	tail := make([]byte, 0, len(head)+footerSize)
	tail = appendFooter(append(tail, head...), d.key, d.body, len(head), sum)
	if err := d.put(tail); err != nil {
		return err
	}
	if err := d.buf.Flush(); err != nil {
		return err
	}
	err := d.file.Close()
	d.file = nil
	return err
}

// keep puts the file of a finished draft in its place, and takes its room over.
func (c *Cache) keep(d *Draft) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.wanted(d.key); err != nil {
		return err
	}
	name := entryName(d.key)
	if _, ok := c.moving[name]; ok {
		return errHeld
	}
	err := c.move(name, func() error { return os.Rename(c.path(d.name), c.path(name)) })
	if err != nil {
		return err
	}
	it := &item{key: d.key, room: d.room, touched: time.Now()}
	it.place = c.order.PushFront(it)
	c.index[d.key] = it
	c.counts.Kept++
	return nil
}

// Discard ends the draft without keeping it. It does nothing after Commit, and is
// meant to be deferred.
func (d *Draft) Discard() {
	if d.cache != nil {
		d.drop()
	}
}

// giveUp ends a draft that cannot be kept.
func (d *Draft) giveUp(err error) {
	c := d.cache
	c.mu.Lock()
	c.counts.Dropped++
	c.mu.Unlock()
	switch err {
	case nil, errNoRoom, errHeld, errClosed:
	default:
		c.rest("write", err)
	}
	d.drop()
}

// drop removes the file and gives its room back.
func (d *Draft) drop() {
	c := d.cache
	var err error
	if d.file != nil {
		_ = d.file.Close() // it is removed
	}
	if d.name != "" {
		err = c.unlink(d.name)
	}
	c.mu.Lock()
	if err == nil {
		c.used -= d.room
	} else {
		it := &item{key: d.key, stray: d.name, room: d.room}
		it.place = c.order.PushBack(it)
	}
	c.mu.Unlock()
	if err != nil {
		c.rest("remove", err)
	}
	d.end()
}

// end makes the draft do nothing from now on.
func (d *Draft) end() {
	if d.buf != nil {
		d.buf.Reset(nil)
		buffers.Put(d.buf)
	}
	*d = Draft{}
}
