package clip

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// scanEvery is how old the knowledge of a directory may be when room is made, and lookEvery that
// of a store that takes long. Other processes write there too. Between scans, and during one, the
// clips may exceed the room by what those write.
const (
	scanEvery = time.Second
	lookEvery = 10 * time.Second
)

// unfinishedAge is the age at which a file that is not a complete clip is removed. The age
// counts from the last write, so a draft in progress is never that old.
const unfinishedAge = time.Hour

// reserve reserves room for a draft of a size. It reserves in steps, so that few writes need
// to make room.
func (d *Draft) reserve(size int64) error {
	if size <= d.room {
		return nil
	}
	s := d.service
	share := s.room.maxClip()
	if blocks(size) > share {
		return errTooLarge(share - HeadBytes)
	}
	if err := s.refresh(); err != nil {
		return failure(err, "make room for a clip")
	}
	before := d.room
	gone, err := s.reserve(d, size, share)
	if err != nil {
		return err
	}
	if _, err := s.remove(gone); err != nil {
		s.giveBack(d, before)
		return failure(err, "make room for a clip")
	}
	return nil
}

// reserve counts room for a draft of a size, and returns the clips that must go for it. They are
// not counted any more.
func (s *Service) reserve(d *Draft, size, share int64) (gone []*file, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.room.files[d.id]
	if f == nil {
		f = &file{name: d.id, org: d.org, state: drafted}
		s.room.add(f)
	}
	// Try to reserve a step ahead. If there is no room for that, reserve what is needed.
	want := min(share, blocks(size+min(draftStep, s.room.max/64)-1))
	gone, err = s.room.free(d.org, want-d.room)
	if err != nil {
		want = blocks(size)
		gone, err = s.room.free(d.org, want-d.room)
	}
	if err != nil {
		// The file was counted for this call only and does not exist.
		if d.room == 0 {
			s.room.drop(f)
		}
		return nil, err
	}
	s.room.grow(f, want-d.room)
	d.room = want
	return gone, nil
}

// giveBack takes a draft back to the room that it had.
func (s *Service) giveBack(d *Draft, before int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f := s.room.files[d.id]; f != nil {
		s.room.grow(f, before-d.room)
		if before == 0 {
			s.room.drop(f)
		}
	}
	d.room = before
}

// remove removes clips that are not counted any more. They may be gone already, through another
// process. Those that cannot be removed are counted again.
func (s *Service) remove(files []*file) (removed int, err error) {
	errs := make([]error, len(files))
	s.atOnce(len(files), func(i int) { errs[i] = s.store.Delete(s.life, files[i].name) })
	var stay []*file
	for i, err := range errs {
		if err != nil {
			stay = append(stay, files[i])
		}
	}
	if len(stay) > 0 {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.room.back(stay)
	}
	return len(files) - len(stay), errors.Join(errs...)
}

// callsAtOnce is how many calls of a store that takes long are made at a time.
const callsAtOnce = 8

// atOnce calls do for each number below n, some of them at a time where the store takes long.
func (s *Service) atOnce(n int, do func(i int)) {
	if !s.aside {
		for i := range n {
			do(i)
		}
		return
	}
	var workers sync.WaitGroup
	var next atomic.Int64
	for range min(n, callsAtOnce) {
		workers.Go(func() {
			for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
				do(int(i))
			}
		})
	}
	workers.Wait()
}

// countKept counts a draft as the clip that it has become.
func (s *Service) countKept(c Clip) {
	s.mu.Lock()
	defer s.mu.Unlock()
	// A draft reserves ahead; the clip takes only what it needs.
	if f := s.room.files[c.ID]; f != nil {
		s.room.drop(f)
	}
	s.room.add(fileOf(c))
}

func fileOf(c Clip) *file {
	return &file{name: c.ID, org: c.Org, state: kept, room: blocks(HeadBytes + c.Size), expires: c.Expires}
}

// dropDraft stops counting a draft.
func (s *Service) dropDraft(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f := s.room.files[id]; f != nil {
		s.room.drop(f)
	}
}

// refresh scans the store if the last scan is too old for making room. Where that takes long, the
// scan is made beside the request, which goes on with what is known.
func (s *Service) refresh() error {
	if s.aside {
		s.look()
		return nil
	}
	s.mu.Lock()
	fresh := s.fresh(scanEvery)
	s.mu.Unlock()
	if fresh {
		return nil
	}
	return s.rescan(s.life)
}

// fresh reports whether the last scan is younger than a duration. s.mu is held.
func (s *Service) fresh(than time.Duration) bool {
	// A negative age means that the clock was set back; then the last scan tells nothing.
	age := s.now().Sub(s.room.scanned)
	return age >= 0 && age < than
}

// look begins a scan beside requests, if the last is too old and none goes on.
func (s *Service) look() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.looking || s.closed || s.fresh(lookEvery) {
		return
	}
	s.looking = true
	s.sweeps.Go(func() {
		err := s.rescan(s.life)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.looking = false
		if err != nil && s.life.Err() == nil {
			s.log.Warn("clips of other servers cannot be looked for", "error", err)
		}
	})
}

// batchSize is how many files are examined or removed before the lock is released for
// others.
const batchSize = 64

// rescan updates what is known of the store. A clip never changes, so its header is read only
// once. Blobs with foreign names do not count. The lock is not held while the store works. A blob
// that appears meanwhile counts as seen by this scan; one that disappears is noticed by the next.
func (s *Service) rescan(ctx context.Context) error {
	look := s.beginScan()
	var names []string
	err := s.store.Each(ctx, func(name string) error {
		if isID(name) {
			names = append(names, name)
		}
		return nil
	})
	if err != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		if !s.aside {
			s.room.scanned = time.Time{} // so that the next caller of refresh scans again
		}
		return fmt.Errorf("list clips: %w", err)
	}
	for some := range slices.Chunk(names, batchSize) {
		s.markSeen(ctx, some, look)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	// What this scan has not seen is gone. This process knows better about its own drafts.
	for _, f := range s.room.files {
		if f.lastScan < look && f.state != drafted {
			s.room.drop(f)
		}
	}
	return nil
}

// beginScan returns the number of a new scan.
func (s *Service) beginScan() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.room.scanned = s.now()
	s.room.scans++
	return s.room.scans
}

// markSeen records that a scan has seen blobs. It examines those that are not known for clips.
func (s *Service) markSeen(ctx context.Context, names []string, look int) {
	var strange []string
	s.mu.Lock()
	for _, name := range names {
		if f := s.room.files[name]; f == nil || f.state == unknown {
			strange = append(strange, name)
		} else {
			f.lastScan = max(f.lastScan, look)
		}
	}
	s.mu.Unlock()
	found := make([]*file, len(strange))
	s.atOnce(len(strange), func(i int) { found[i] = s.examine(ctx, strange[i]) })
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, now := range found {
		f := s.room.files[strange[i]]
		switch {
		case now == nil && (f == nil || f.state == unknown):
			continue // it is gone
		case f != nil && f.state != unknown, f != nil && now.state == unknown && f.same(now):
			// It became known meanwhile, or it is as it was.
		default:
			if f != nil {
				s.room.drop(f)
			}
			s.room.add(now)
			f = now
		}
		f.lastScan = max(f.lastScan, look)
	}
}

// same reports whether two unknown files are one that has not changed.
func (f *file) same(g *file) bool { return f.written.Equal(g.written) && f.size == g.size }

// examine finds out what a blob is. It returns nil if there is none, or none that can be read now.
func (s *Service) examine(ctx context.Context, name string) *file {
	info, err := s.store.Stat(ctx, name)
	if err != nil {
		return nil
	}
	if c, ok := s.read(info); ok {
		return fileOf(c)
	}
	return &file{name: name, room: blocks(HeadBytes + info.Size), written: info.Modified, size: info.Size}
}

// Sweep removes expired clips and the drafts of processes that died. If the clips then
// still exceed the room, it removes more. It returns how many files it removed.
func (s *Service) Sweep(ctx context.Context) (removed int, err error) {
	if ctx.Err() != nil {
		return 0, context.Cause(ctx)
	}
	if err := s.rescan(ctx); err != nil {
		return 0, err
	}
	now := s.now()
	for some := range slices.Chunk(s.due(now), batchSize) {
		n, err := s.removeDue(some, now)
		if removed += n; err != nil {
			return removed, fmt.Errorf("sweep clips: %w", err)
		}
		if ctx.Err() != nil {
			return removed, context.Cause(ctx)
		}
	}
	// A full batch means that more may be due. Between batches the lock is free for writers.
	for n := batchSize; n == batchSize && ctx.Err() == nil; {
		n, err = s.shrink(batchSize)
		if removed += n; err != nil {
			return removed, fmt.Errorf("sweep clips: %w", err)
		}
	}
	return removed, context.Cause(ctx)
}

// due returns the expired clips, and the files that were no clips and old when they were
// last examined.
func (s *Service) due(now time.Time) (due []*file) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.room.files {
		if f.state == kept && !f.expires.After(now) || f.state == unknown && now.Sub(f.written) >= unfinishedAge {
			due = append(due, f)
		}
	}
	return due
}

// removeDue removes those of due that are still there.
func (s *Service) removeDue(due []*file, now time.Time) (removed int, err error) {
	due = slices.DeleteFunc(slices.Clone(due), func(f *file) bool { return f.state == unknown && !s.stillUnfinished(f, now) })
	s.mu.Lock()
	// The lock was released since: another sweep may have been here, or a scan.
	due = slices.DeleteFunc(due, func(f *file) bool { return s.room.files[f.name] != f })
	for _, f := range due {
		s.room.drop(f)
	}
	s.mu.Unlock()
	return s.remove(due)
}

// shrink removes at most most clips, until the others fit into the room.
func (s *Service) shrink(most int) (removed int, err error) {
	var gone []*file
	s.mu.Lock()
	for len(gone) < most && s.room.used > s.room.max {
		f := s.room.victim("", 0)
		if f == nil {
			break // only drafts are left
		}
		s.room.drop(f)
		gone = append(gone, f)
	}
	s.mu.Unlock()
	return s.remove(gone)
}

// stillUnfinished reports whether a file that was old when it was examined still is.
func (s *Service) stillUnfinished(f *file, now time.Time) bool {
	info, err := s.store.Stat(s.life, f.name)
	return err == nil && now.Sub(info.Modified) >= unfinishedAge
}
