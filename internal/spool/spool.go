// Package spool holds answers that must be whole before they are sent: in memory while
// they are small, then in a file. All together, those of one owner and each of them have
// a bound.
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

// CodeAnswerTooLong is the code of the error for an answer that is over the bound of one.
const CodeAnswerTooLong = "answer_too_long"

const (
	// inMemory is how many bytes of an answer are held in memory: 21 s of WAV at 24 kHz.
	inMemory = 1 << 20
	// granule is what room is counted in.
	granule = 64 << 10
	// ownShare is the part of all room that one owner may have, one in so many.
	ownShare = 2
	// oneShare is the part of the disk that one answer may have, one in so many.
	oneShare = 4
)

// Config says how much room a pool has.
type Config struct {
	// Dir is where files are made, without a name where the system can do that, so
	// that none is left of a process that is killed; "" is the system's directory for
	// temporary files.
	Dir string
	// Memory bounds the bytes in memory; 0 is 64 MiB.
	Memory int64
	// Disk bounds the bytes in files; 0 is 1 GiB.
	Disk int64
}

// Pool gives room to answers. It is safe for concurrent use.
type Pool struct {
	cfg Config

	mu     sync.Mutex
	all    room
	owners map[string]*owner // that have buffers
}

// owner is what the buffers of one owner have taken.
type owner struct {
	room
	name    string
	buffers int
}

// room is what is taken of a pool, in bytes.
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

// Stats returns how many bytes are held in memory and in files.
func (p *Pool) Stats() (memory, disk int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.all.memory, p.all.disk
}

// Open returns a buffer for an answer of an owner, which must be closed. Beside is how
// many bytes of memory the answer takes elsewhere, expected about how many it will have:
// room for a long one is taken now, so that it is not refused when half of it is made. A
// new answer leaves the last quarter of the room to those that have begun. It is refused
// with a *fault.Error of kind Unavailable when the pool is full, TooManyStreams when the
// owner's share is, Invalid when it is longer than any may be.
func (p *Pool) Open(name string, beside, expected int64) (*Buffer, error) {
	if expected <= inMemory {
		expected = 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	own := p.owners[name]
	if own == nil {
		own = &owner{name: name}
	}
	most := room{p.cfg.Memory, p.cfg.Disk}.part(3, 4)
	switch ownMost := most.part(1, ownShare); {
	case expected > p.cfg.Disk/oneShare:
		return nil, p.tooLong()
	case beside > 0 && p.all.memory+beside > most.memory || p.all.disk+expected > most.disk:
		return nil, errFull
	case beside > 0 && own.memory+beside > ownMost.memory || own.disk+expected > ownMost.disk:
		return nil, fault.New(fault.TooManyStreams, fault.CodeTooManyStreams, "",
			"the answers that are made whole for this key take all the room that one key has; wait for one to end, or set stream to true")
	}
	p.owners[name] = own
	own.buffers++
	b := &Buffer{pool: p, owner: own}
	p.take(b, room{memory: beside, disk: expected})
	return b, nil
}

func (r room) part(n, of int64) room { return room{r.memory * n / of, r.disk * n / of} }

var errFull = fault.Down(fault.CodeOverloaded, time.Second, nil,
	"the answers that are made whole take all the room that there is for them; try again in a moment, or set stream to true")

// take counts room for a buffer. The caller holds the lock.
func (p *Pool) take(b *Buffer, r room) {
	for _, of := range []*room{&p.all, &b.owner.room, &b.taken} {
		of.memory += r.memory
		of.disk += r.disk
	}
}

// grow takes so much more memory for a buffer, if there is any.
func (p *Pool) grow(b *Buffer, n int64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.all.memory+n > p.cfg.Memory || b.owner.memory+n > p.cfg.Memory/ownShare {
		return false
	}
	p.take(b, room{memory: n})
	return true
}

// extend takes so much more of the disk for a buffer.
func (p *Pool) extend(b *Buffer, n int64) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case b.taken.disk+n > p.cfg.Disk/oneShare:
		return p.tooLong()
	case p.all.disk+n > p.cfg.Disk || b.owner.disk+n > p.cfg.Disk/ownShare:
		return errFull
	}
	p.take(b, room{disk: n})
	return nil
}

func (p *Pool) tooLong() error {
	return fault.New(fault.Invalid, CodeAnswerTooLong, "input",
		"the audio is over %d MiB, which is the most that is answered at once; set stream to true, ask for a lossy format or a lower sample_rate, or send less text", p.cfg.Disk/oneShare>>20)
}

// release gives back what a buffer has.
func (p *Pool) release(b *Buffer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.take(b, room{-b.taken.memory, -b.taken.disk})
	if b.owner.buffers--; b.owner.buffers == 0 {
		delete(p.owners, b.owner.name)
	}
}

// Buffer is an answer that is being made. It is used by one goroutine.
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

// pieces are the memory of answers that have ended.
var pieces = sync.Pool{New: func() any { return new([granule]byte) }}

// Write appends p. What does not fit is an error as Open and the bounds say; a file that
// cannot be written is one of kind Unavailable.
func (b *Buffer) Write(p []byte) (int, error) {
	if b.closed {
		return 0, errClosed
	}
	if b.file == nil {
		if b.fits(len(p)) {
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

// fits makes room for n more bytes in memory, if there may be as many.
func (b *Buffer) fits(n int) bool {
	need := len(b.memory) + n
	if need > inMemory {
		return false
	}
	if need <= cap(b.memory) {
		return true
	}
	to := max(granule, 2*cap(b.memory))
	for to < need {
		to *= 2
	}
	if !b.pool.grow(b, int64(to-cap(b.memory))) {
		return false
	}
	if to == granule {
		b.memory = pieces.Get().(*[granule]byte)[:0]
		return true
	}
	larger := append(make([]byte, 0, to), b.memory...)
	b.recycle()
	b.memory = larger
	return true
}

// recycle keeps the memory for another answer.
func (b *Buffer) recycle() {
	if cap(b.memory) == granule {
		pieces.Put((*[granule]byte)(b.memory[:granule]))
	}
	b.memory = nil
}

// spill moves what is in memory into a file.
func (b *Buffer) spill() error {
	f, err := create(b.pool.cfg.Dir)
	if err != nil {
		return errDisk(err)
	}
	b.file = f
	if err := b.write(b.memory, 0); err != nil {
		b.file = nil
		return errors.Join(err, f.Close())
	}
	n := int64(cap(b.memory))
	b.recycle()
	b.pool.mu.Lock()
	defer b.pool.mu.Unlock()
	b.pool.take(b, room{memory: -n})
	return nil
}

// write writes p to the file, for which it makes room.
func (b *Buffer) write(p []byte, at int64) error {
	if need := at + int64(len(p)) - b.taken.disk; need > 0 {
		if err := b.pool.extend(b, (need+granule-1)/granule*granule); err != nil {
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

// Rewrite writes the first bytes again.
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

// WriteTo writes all of it to w, in pieces of at most 64 KiB. It may be called again.
func (b *Buffer) WriteTo(w io.Writer) (written int64, err error) {
	if b.closed {
		return 0, errClosed
	}
	if b.file == nil {
		for rest := b.memory; len(rest) > 0; {
			n, err := w.Write(rest[:min(len(rest), granule)])
			written += int64(n)
			if err != nil {
				return written, err
			}
			rest = rest[n:]
		}
		return written, nil
	}
	piece := pieces.Get().(*[granule]byte)
	defer pieces.Put(piece)
	// Without the wrappers io.CopyBuffer would not use the buffer.
	return io.CopyBuffer(struct{ io.Writer }{w}, struct{ io.Reader }{io.NewSectionReader(b.file, 0, b.size)}, piece[:])
}

// Close gives the room back. A second call does nothing.
func (b *Buffer) Close() {
	if b == nil || b.closed {
		return
	}
	b.closed = true
	b.recycle()
	if b.file != nil {
		_ = b.file.Close() // nobody reads it any more
	}
	b.pool.release(b)
}
