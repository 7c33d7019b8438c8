// Package backlog keeps charges on disk that the store could not take yet, so that
// none is lost when the process ends before the store is back.
//
// A [Backlog] is a directory of segments. A segment is a file to which charges are only
// added, each with its length and a checksum, and synced before [Backlog.Append] returns.
// Its space is written beforehand, so that a disk that fills up later can still take what
// was promised. A segment belongs to the process that holds its lock, and several
// processes may share the directory. The lock of a process that died is free, and another
// process claims its segments. A posted charge is marked, but a crash can lose the mark.
// So a charge may be posted twice, and the store has to recognise the second one.
//
// A charge holds ids and counts, never a text, a secret or an address.
package backlog

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Charge is what is to be charged.
type Charge struct {
	ID         string    `json:"id"` // under which it is charged once
	Org        string    `json:"org"`
	Key        string    `json:"key"`               // id
	Counted    bool      `json:"counted,omitempty"` // on a plan without a bound: nothing was kept aside
	Advance    string    `json:"advance,omitempty"` // id of the hold that kept the characters aside
	Characters int64     `json:"characters"`
	AudioMs    int64     `json:"audio_ms"`
	Voice      string    `json:"voice"`
	Language   string    `json:"language"`
	At         time.Time `json:"at"` // when it was handed over
}

// Sizes.
const (
	maxMark        = 64        // of the mark that one is posted
	maxRecord      = 512       // bytes of a record with its head
	segmentBytes   = 256 << 10 // of a segment: some 1,000 records
	defaultBytes   = 64 << 20
	troubleLasts   = time.Second // after which a disk that failed is tried again
	segmentPattern = "charges-*.log"
	lockTries      = 100 // of a new segment, which another process may have claimed first
)

// ErrFull is the cause of an error for want of room below [Config.MaxBytes].
var ErrFull = errors.New("the backlog of charges is full")

// Config says where a backlog is.
type Config struct {
	Dir      string       // made when it is not there; required
	MaxBytes int64        // of the segments of this process; 0 is 64 MiB, some 250,000 charges
	Logger   *slog.Logger // nil logs nothing
	Reached  func(Step)   // is told of each step; a process may be ended there. Nil tells nobody
}

// Step is a moment at which a crash leaves a charge partly written. Tests crash at each.
type Step string

// Steps.
const (
	Writing Step = "writing" // a record is about to be written
	Syncing Step = "syncing" // it is written, and may not be on the disk
	Synced  Step = "synced"  // it is on the disk, and nobody knows yet
	Claimed Step = "claimed" // one of a process that has died was read
)

// Backlog is one process's part of a directory. Its methods may be called from many
// goroutines at once.
type Backlog struct {
	dir      string
	maxBytes int64
	log      *slog.Logger
	reached  func(Step)

	mu       sync.Mutex
	synced   sync.Cond // a sync has ended
	syncing  bool
	written  int64      // records, ever
	safe     int64      // of them
	segments []*segment // with the lock of this process
	active   *segment   // the one of them that is written to; nil while there is none
	waiting  map[string]waiting
	trouble  error // why there was no room
	troubled time.Time
	closed   bool
}

// waiting is a charge that is not posted, and where it is.
type waiting struct {
	charge  Charge
	segment *segment
}

// Open opens a backlog. It fails when the directory cannot be created. [Backlog.Ready]
// reports a disk without room.
func Open(cfg Config) (*Backlog, error) {
	if err := os.MkdirAll(cfg.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the directory of charges: %w", err)
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Reached == nil {
		cfg.Reached = func(Step) {}
	}
	b := &Backlog{
		dir: filepath.Clean(cfg.Dir), maxBytes: cmp.Or(cfg.MaxBytes, defaultBytes),
		log: cfg.Logger, reached: cfg.Reached, waiting: map[string]waiting{},
	}
	b.synced.L = &b.mu
	return b, nil
}

// Ready makes room for a number of further charges. The error says why there is none.
func (b *Backlog) Ready(charges int) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.trouble != nil && time.Since(b.troubled) < troubleLasts {
		return b.trouble
	}
	// Each charge is counted with its mark, so that Done finds room as well.
	b.trouble = b.makeRoom(int64(charges) * (maxRecord + maxMark))
	b.troubled = time.Now()
	return b.trouble
}

// makeRoom makes the room. The caller holds the lock.
func (b *Backlog) makeRoom(bytes int64) error {
	if b.closed {
		return os.ErrClosed
	}
	free, taken := int64(0), int64(0)
	for _, s := range b.segments {
		if !s.claimed {
			// In whole records: a record is never split between two segments.
			free += s.free() / (maxRecord + maxMark) * (maxRecord + maxMark)
			taken += segmentBytes
		}
	}
	for free < bytes {
		if taken += segmentBytes; taken > b.maxBytes {
			return ErrFull
		}
		s, err := newSegment(b.dir)
		if err != nil {
			return fmt.Errorf("make room for charges: %w", err)
		}
		b.segments = append(b.segments, s)
		free += s.free()
	}
	return nil
}

// Append writes a charge, and returns when it is safe from a crash. After an error the charge
// may be on disk or not.
func (b *Backlog) Append(c Charge) error {
	c.At = c.At.UTC()
	frame, err := frameOf(c, maxRecord)
	if err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.reached(Writing)
	s, err := b.write(frame)
	if err != nil {
		return err
	}
	// Before the sync, during which the lock is released: Tidy must not remove the segment.
	s.waits++
	b.waiting[c.ID] = waiting{c, s}
	b.reached(Syncing)
	if err := b.sync(s); err != nil {
		return fmt.Errorf("sync a charge: %w", err)
	}
	b.reached(Synced)
	return nil
}

// write adds a record to the active segment, or the next that has room. It needs the
// lock.
func (b *Backlog) write(frame []byte) (*segment, error) {
	if b.closed {
		return nil, os.ErrClosed
	}
	if b.active == nil || b.active.free() < int64(len(frame)+maxMark) {
		if err := b.makeRoom(maxRecord + maxMark); err != nil {
			return nil, err
		}
		if b.active != nil && b.active.failed == nil {
			b.active.failed = b.active.file.Sync() // nothing of it may depend on a later sync
		}
		for _, s := range b.segments {
			if s.free() >= int64(len(frame)+maxMark) {
				b.active = s
				break
			}
		}
	}
	s := b.active
	if s.failed = s.add(frame); s.failed != nil {
		return nil, fmt.Errorf("write a charge: %w", s.failed)
	}
	b.written++
	return s, nil
}

// sync returns when the record that was written last, to s, is safe. Calls at the same time
// share one sync of the file. The caller holds the lock, which is released meanwhile.
func (b *Backlog) sync(s *segment) error {
	for mine := b.written; b.safe < mine; {
		if s.failed != nil {
			return s.failed
		}
		if b.syncing {
			b.synced.Wait()
			continue
		}
		// Both before the lock is released: a record that is written during the sync may not
		// be covered by it.
		b.syncing = true
		upTo, active := b.written, b.active
		b.mu.Unlock()
		err := active.file.Sync()
		b.mu.Lock()
		b.syncing = false
		if err == nil {
			b.safe = max(b.safe, upTo)
		} else {
			active.failed = err // the kernel may have dropped what it could not write
		}
		b.synced.Broadcast()
	}
	return s.failed // of a later record, perhaps: better told once too often
}

// Done marks a charge as posted.
func (b *Backlog) Done(id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	w, ok := b.waiting[id]
	if !ok {
		return
	}
	delete(b.waiting, id)
	w.segment.waits--
	// The mark is not synced. A crash that loses it costs one posting that changes nothing.
	if frame, err := frameOf(mark{id}, maxMark); err == nil && !b.closed && w.segment.failed == nil && w.segment.lost == 0 {
		_ = w.segment.add(frame) // else it is posted again, which the store tells
	}
}

// Claim takes over the segments of processes that have died, and returns the charges
// that wait in them.
func (b *Backlog) Claim() (all []Charge, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return nil, os.ErrClosed
	}
	paths, err := segmentPaths(b.dir)
	if err != nil {
		return nil, err
	}
	var errs []error
	for _, path := range paths {
		if b.has(path) {
			continue
		}
		s, charges, err := claim(path)
		if err != nil {
			errs = append(errs, fmt.Errorf("claim %s: %w", path, err))
		}
		if s == nil {
			continue // it belongs to somebody
		}
		if s.lost > 0 {
			b.log.Error("charges on disk cannot be read", "file", path, "bytes", s.lost)
		}
		b.segments = append(b.segments, s)
		for _, c := range charges {
			if _, twice := b.waiting[c.ID]; twice {
				continue // it waits in a segment of this process, which posts it
			}
			s.waits++
			b.waiting[c.ID] = waiting{c, s}
			all = append(all, c)
			b.reached(Claimed)
		}
	}
	return all, errors.Join(errs...)
}

func (b *Backlog) has(path string) bool {
	for _, s := range b.segments {
		if s.path == path {
			return true
		}
	}
	return false
}

// Tidy removes segments whose charges are all posted, and truncates the active one.
func (b *Backlog) Tidy() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return nil
	}
	return b.tidy()
}

func (b *Backlog) tidy() error {
	var errs []error
	kept := b.segments[:0]
	for _, s := range b.segments {
		switch {
		case s.waits > 0 || s.used == 0 && s.failed == nil || s == b.active && b.syncing:
			kept = append(kept, s) // in use, or empty room that was promised
		case s == b.active && s.failed == nil:
			// Emptied and not removed, so that a disk that fills up leaves this room.
			s.failed = s.empty()
			errs = append(errs, s.failed)
			kept = append(kept, s)
		default:
			if s == b.active {
				b.active = nil
			}
			errs = append(errs, s.remove())
		}
	}
	clear(b.segments[len(kept):])
	b.segments = kept
	return errors.Join(errs...)
}

// Stats count the charges that wait in the segments of a process.
type Stats struct {
	Charges    int
	Characters int64
	Oldest     time.Time // when the first of them was handed over; zero when there is none
}

func (s *Stats) add(c Charge) {
	s.Charges++
	s.Characters += c.Characters
	if s.Oldest.IsZero() || c.At.Before(s.Oldest) {
		s.Oldest = c.At
	}
}

// Stats returns them.
func (b *Backlog) Stats() (s Stats) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, w := range b.waiting {
		s.add(w.charge)
	}
	return s
}

// Close releases the segments. Those in which charges wait stay on disk, for another process
// to claim.
func (b *Backlog) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return nil
	}
	for b.syncing { // a sync has the file open without the lock
		b.synced.Wait()
	}
	b.closed = true
	var errs []error
	for _, s := range b.segments {
		if s.waits > 0 {
			errs = append(errs, s.file.Sync(), s.file.Close())
		} else {
			errs = append(errs, s.remove())
		}
	}
	b.segments, b.active = nil, nil
	return errors.Join(errs...)
}
