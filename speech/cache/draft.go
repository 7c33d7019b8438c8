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

// Draft is an answer being written, by one goroutine at a time. Commit or Discard must be
// called. A draft that gives up, for any reason, frees its room; its methods then do
// nothing.
type Draft struct {
	cache *Cache // nil once the draft is committed, discarded or given up
	key   Key
	name  string
	file  draftFile     // nil until something is written to it
	buf   *bufio.Writer // collects small pieces; nil until the first Write
	sum   uint32        // CRC-32C of the body so far
	body  int64         // bytes of the body so far
	size  int64         // bytes written to the file
	room  int64         // bytes reserved, whole blocks
}

// draftFile is the file of a draft. Tests replace it.
type draftFile interface{ io.WriteCloser }

func createDraft(path string) (draftFile, error) {
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
}

// bufferSize is how many bytes a draft collects in memory. Larger pieces are written
// directly.
const bufferSize = 8 << 10

var writeBuffers = sync.Pool{New: func() any { return bufio.NewWriterSize(nil, bufferSize) }}

// slowWrite is how long a write may take. A slower disk would hold up the answer, so the
// cache is suspended.
const slowWrite = time.Second

var errSlow = errors.New("writing took over " + slowWrite.String())

// Begin returns a draft of the answer with a key, never nil. Several drafts of one key may
// be written at once; the first to be committed is kept and the others give up.
func (c *Cache) Begin(key Key) *Draft {
	if c == nil {
		return &Draft{}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	// An empty draft does nothing, so the caller needs no second code path.
	if c.checkWanted(key) != nil || time.Now().Before(c.suspendedUntil) {
		return &Draft{}
	}
	return &Draft{cache: c, key: key}
}

// Write adds p to the body and does not retain it. It blocks only for the write to the
// file. It always returns len(p) and nil: if the write fails the draft gives up, because the
// answer must not fail.
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
	// The checksum is of what the caller wrote, not of what reached the file.
	d.sum = crc32.Update(d.sum, castagnoli, p)
	if err := d.put(p); err != nil {
		d.giveUp(err)
	}
	return len(p), nil
}

func (d *Draft) put(p []byte) error {
	// The file is created at the first flush: short answers that are refused create none.
	if d.buf == nil {
		d.buf = writeBuffers.Get().(*bufio.Writer)
		d.buf.Reset((*spill)(d))
	}
	_, err := d.buf.Write(p)
	return err
}

// spill writes the buffer of a draft to its file.
type spill Draft

// Write reserves room and writes p to the file, which the first call creates.
func (s *spill) Write(p []byte) (int, error) {
	c := s.cache
	// Reserve before writing, so that the files never exceed MaxBytes.
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
	if err == nil && time.Since(began) > slowWrite {
		err = errSlow
	}
	return n, err
}

// Commit makes the draft an entry, with a head of at most [MaxHead] bytes. Get finds the
// answer when Commit returns, unless the draft gave up.
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
		err = c.install(d)
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

// install renames the file of a finished draft to its entry's name. The entry takes over the
// room of the draft.
func (c *Cache) install(d *Draft) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	// Another draft of the key may have been committed since Begin.
	if err := c.checkWanted(d.key); err != nil {
		return err
	}
	name := entryName(d.key)
	// An entry of that name is just being removed. Waiting for it is not worth the trouble:
	// the answer is kept the next time.
	if _, ok := c.changing[name]; ok {
		return errAlreadyKept
	}
	err := c.changeFile(name, func() error { return os.Rename(c.path(d.name), c.path(name)) })
	if err != nil {
		return err
	}
	it := &item{key: d.key, room: d.room, lastUsed: time.Now()}
	// The draft's room was counted while it was written, so used does not change.
	it.element = c.order.PushFront(it)
	c.index[d.key] = it
	c.counts.Kept++
	return nil
}

// Discard ends the draft without keeping it. It does nothing after Commit, so it can be
// deferred.
func (d *Draft) Discard() {
	if d.cache != nil {
		d.drop()
	}
}

// giveUp ends a draft that cannot be kept.
func (d *Draft) giveUp(err error) {
	c := d.cache
	c.mu.Lock()
	// giveUp counts; drop, which Discard calls too, does not.
	c.counts.Dropped++
	c.mu.Unlock()
	switch err {
	case nil, errNoRoom, errAlreadyKept, errClosed: // not failures of the file system
	default:
		c.suspend("write", err)
	}
	d.drop()
}

// drop removes the file and frees its room.
func (d *Draft) drop() {
	c := d.cache
	var err error
	if d.file != nil {
		_ = d.file.Close() // the file is removed anyway
	}
	if d.name != "" {
		err = c.unlink(d.name)
	}
	c.mu.Lock()
	if err == nil {
		c.used -= d.room
	} else {
		// The file still takes its room. Keep an item for it, the next to be evicted.
		it := &item{key: d.key, stray: d.name, room: d.room}
		it.element = c.order.PushBack(it)
	}
	c.mu.Unlock()
	if err != nil {
		c.suspend("remove", err)
	}
	d.end()
}

// end makes every later call of the draft's methods do nothing.
func (d *Draft) end() {
	if d.buf != nil {
		d.buf.Reset(nil)
		writeBuffers.Put(d.buf)
	}
	*d = Draft{}
}
