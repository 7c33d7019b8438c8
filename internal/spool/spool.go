// Package spool holds answers that are completed before they are sent: in memory while they are
// small, then in a file. There are limits for each answer, for all answers of one owner, and
// for all together.
package spool

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"vaak/internal/fault"
)

// CodeAnswerTooLong is the code of the error for an answer that exceeds the limit of one.
const CodeAnswerTooLong = "answer_too_long"

const (
	// maxMemory is how many bytes of an answer stay in memory: 21 s of WAV at 24 kHz.
	maxMemory = 1 << 20
	// blockSize is the unit in which room is counted.
	blockSize = 64 << 10
	// ownerShare is the part of all room that one owner may use, one in so many.
	ownerShare = 2
	// answerShare is the part of the disk that one answer may use, one in so many.
	answerShare = 4
)

// Config configures a pool.
type Config struct {
	// Dir is the directory of files. They have no name, if the system supports that, so a
	// killed process leaves none; "" is the system's directory for temporary files.
	Dir string
	// Memory limits the bytes in memory; 0 is 64 MiB.
	Memory int64
	// Disk limits the bytes in files; 0 is 1 GiB.
	Disk int64
}

// Pool gives answers room in memory and on disk. It is safe for concurrent use.
type Pool struct {
	cfg Config

	mu     sync.Mutex
	all    room
	owners map[string]*owner // owners that have open buffers
}

// owner is what the buffers of one owner use.
type owner struct {
	room
	name    string
	buffers int
}

// room is an amount of memory and disk, in bytes.
type room struct{ memory, disk int64 }

// New returns an empty pool.
func New(c Config) *Pool {
	if c.Dir == "" {
		c.Dir = os.TempDir()
	}
	if c.Memory <= 0 {
		c.Memory = 64 << 20
	}
	if c.Disk <= 0 {
		c.Disk = 1 << 30
	}
	return &Pool{cfg: c, owners: map[string]*owner{}}
}

// Stats returns how many bytes are used in memory and in files.
func (p *Pool) Stats() (memory, disk int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.all.memory, p.all.disk
}

// Open returns a buffer for an answer of an owner; it must be closed. beside is how many bytes
// of memory the answer needs elsewhere. expected is about how many bytes it will have: room for
// a long answer is reserved now, so that it is not refused when half of it is made. The last
// quarter of all room is left to answers that have begun. The error is a *fault.Error of kind
// Unavailable if the pool is full, TooManyStreams if the owner's share is used up, and Invalid
// if the answer would exceed the limit of one.
func (p *Pool) Open(name string, beside, expected int64) (*Buffer, error) {
	// A short answer stays in memory, and takes no disk unless the memory is full.
	if expected <= maxMemory {
		expected = 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	own := p.owners[name]
	if own == nil {
		own = &owner{name: name}
	}
	// New answers may use three quarters, so that those that have begun can end in the last one.
	most := room{p.cfg.Memory, p.cfg.Disk}.part(3, 4)
	switch ownMost := most.part(1, ownerShare); {
	case expected > p.cfg.Disk/answerShare:
		return nil, p.tooLong()
	case beside > 0 && p.all.memory+beside > most.memory || p.all.disk+expected > most.disk:
		return nil, errFull
	case beside > 0 && own.memory+beside > ownMost.memory || own.disk+expected > ownMost.disk:
		return nil, fault.New(fault.TooManyStreams, fault.CodeTooManyStreams, "",
			"the answers that are made whole for this key take all the room that one key has; wait for one to end, or set stream to true")
	}
	// Only now: a refused answer must not leave an owner without buffers behind.
	p.owners[name] = own
	own.buffers++
	b := &Buffer{pool: p, owner: own}
	p.count(b, room{memory: beside, disk: expected})
	return b, nil
}

func (r room) part(n, of int64) room { return room{r.memory * n / of, r.disk * n / of} }

var errFull = fault.Down(fault.CodeOverloaded, time.Second, nil,
	"the answers that are made whole take all the room that there is for them; try again in a moment, or set stream to true")

// count adds to the room of a buffer; r may be negative. p.mu is held.
func (p *Pool) count(b *Buffer, r room) {
	// Always all three at once, so that their sums stay equal.
	for _, of := range []*room{&p.all, &b.owner.room, &b.taken} {
		of.memory += r.memory
		of.disk += r.disk
	}
}

// growMemory reserves n more bytes of memory for a buffer. It returns false if there are none.
func (p *Pool) growMemory(b *Buffer, n int64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	// Against the whole room, and not three quarters of it: this answer has begun.
	if p.all.memory+n > p.cfg.Memory || b.owner.memory+n > p.cfg.Memory/ownerShare {
		return false
	}
	p.count(b, room{memory: n})
	return true
}

// growDisk reserves n more bytes of disk for a buffer.
func (p *Pool) growDisk(b *Buffer, n int64) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case b.taken.disk+n > p.cfg.Disk/answerShare:
		return p.tooLong()
	case p.all.disk+n > p.cfg.Disk || b.owner.disk+n > p.cfg.Disk/ownerShare:
		return errFull
	}
	p.count(b, room{disk: n})
	return nil
}

func (p *Pool) tooLong() error {
	return fault.New(fault.Invalid, CodeAnswerTooLong, "input",
		"the audio is over %d MiB, which is the most that is answered at once; set stream to true, ask for a lossy format or a lower sample_rate, or send less text", p.cfg.Disk/answerShare>>20)
}

// release returns all room of a buffer.
func (p *Pool) release(b *Buffer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.count(b, room{-b.taken.memory, -b.taken.disk})
	if b.owner.buffers--; b.owner.buffers == 0 {
		delete(p.owners, b.owner.name)
	}
}

// Buffer is an answer being made, by one goroutine at a time.
type Buffer struct {
	pool   *Pool
	owner  *owner
	taken  room
	memory []byte
	file   *os.File // nil while all is in memory
	size   int64
	closed bool
}

var errClosed = errors.New("spool: the buffer is closed")

// blocks are the memory of closed buffers, for reuse.
var blocks = sync.Pool{New: func() any { return new([blockSize]byte) }}

// Write appends p. If there is no room the error is one of those of Open. If the file cannot be
// written it is of kind Unavailable.
func (b *Buffer) Write(p []byte) (int, error) {
	if b.closed {
		return 0, errClosed
	}
	if b.file == nil {
		// The first piece that does not fit sends the whole answer to the file. It never comes
		// back.
		if b.fitsMemory(len(p)) {
			b.memory = append(b.memory, p...)
			b.size += int64(len(p))
			return len(p), nil
		}
		if err := b.spill(); err != nil {
			return 0, err
		}
	}
	if err := b.write(p, b.size); err != nil {
		return 0, err
	}
	b.size += int64(len(p))
	return len(p), nil
}

// fitsMemory makes room for n more bytes in memory. It returns false if they must go to disk.
func (b *Buffer) fitsMemory(n int) bool {
	need := len(b.memory) + n
	if need > maxMemory {
		return false
	}
	if need <= cap(b.memory) {
		return true
	}
	// Double the memory, so that the copying stays in proportion to the length.
	to := max(blockSize, 2*cap(b.memory))
	for to < need {
		to *= 2
	}
	// Only the difference, because the old memory is freed as soon as its content is copied.
	if !b.pool.growMemory(b, int64(to-cap(b.memory))) {
		return false
	}
	if to == blockSize {
		b.memory = blocks.Get().(*[blockSize]byte)[:0]
		return true
	}
	larger := append(make([]byte, 0, to), b.memory...)
	b.recycle()
	b.memory = larger
	return true
}

// recycle keeps the memory for reuse by another buffer.
func (b *Buffer) recycle() {
	if cap(b.memory) == blockSize {
		blocks.Put((*[blockSize]byte)(b.memory[:blockSize]))
	}
	b.memory = nil
}

// spill moves the content from memory to a file.
func (b *Buffer) spill() error {
	f, err := create(b.pool.cfg.Dir)
	if err != nil {
		return errDisk(err)
	}
	b.file = f
	if err := b.write(b.memory, 0); err != nil {
		// The memory is still whole, so the next write tries again.
		b.file = nil
		return errors.Join(err, f.Close())
	}
	// The capacity was counted, not the length.
	n := int64(cap(b.memory))
	b.recycle()
	b.pool.mu.Lock()
	defer b.pool.mu.Unlock()
	b.pool.count(b, room{memory: -n})
	return nil
}

// write writes p to the file at an offset, and reserves room for it first.
func (b *Buffer) write(p []byte, at int64) error {
	// Room that was reserved in Open is used up first. Whole blocks are taken, so that not every
	// write takes the lock.
	if need := at + int64(len(p)) - b.taken.disk; need > 0 {
		if err := b.pool.growDisk(b, (need+blockSize-1)/blockSize*blockSize); err != nil {
			return err
		}
	}
	if _, err := b.file.WriteAt(p, at); err != nil {
		return errDisk(err)
	}
	return nil
}

func errDisk(err error) error {
	return fault.Down(fault.CodeStoreUnavailable, 5*time.Second, fmt.Errorf("keep an answer on disk: %w", err),
		"the server cannot keep long answers just now; try again in 5 s, or set stream to true")
}

// Rewrite replaces the first bytes.
func (b *Buffer) Rewrite(head []byte) error {
	switch {
	case b.closed:
		return errClosed
	case int64(len(head)) > b.size:
		return fmt.Errorf("spool: rewrite %d bytes of %d", len(head), b.size)
	case b.file == nil:
		copy(b.memory, head)
		return nil
	}
	if _, err := b.file.WriteAt(head, 0); err != nil {
		return errDisk(err)
	}
	return nil
}

// Len returns how many bytes were written.
func (b *Buffer) Len() int64 { return b.size }

// WriteTo writes the whole content to w, in pieces of at most 64 KiB. It may be called more
// than once.
func (b *Buffer) WriteTo(w io.Writer) (written int64, err error) {
	if b.closed {
		return 0, errClosed
	}
	if b.file == nil {
		for rest := b.memory; len(rest) > 0; {
			n, err := w.Write(rest[:min(len(rest), blockSize)])
			written += int64(n)
			if err != nil {
				return written, err
			}
			rest = rest[n:]
		}
		return written, nil
	}
	piece := blocks.Get().(*[blockSize]byte)
	defer blocks.Put(piece)
	// The wrappers hide methods with which io.CopyBuffer would bypass the buffer.
	return io.CopyBuffer(struct{ io.Writer }{w}, struct{ io.Reader }{io.NewSectionReader(b.file, 0, b.size)}, piece[:])
}

// Close returns the room of the buffer. A second call does nothing.
func (b *Buffer) Close() {
	if b == nil || b.closed {
		return
	}
	b.closed = true
	b.recycle()
	if b.file != nil {
		_ = b.file.Close() // nothing is lost: the answer was sent or given up
	}
	b.pool.release(b)
}
