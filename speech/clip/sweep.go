package clip

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"
)

// scanEvery is how old the knowledge of the directory may be when room is made. Other
// processes write there too. Between scans, and during one, the clips may exceed the room
// by what those write.
const scanEvery = time.Second

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
		return errTooLarge(share - headBytes)
	}
	// Outside the lock, because a scan may take long.
	if err := s.refresh(); err != nil {
		return failure(err, "make room for a clip")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.room.files[d.id]
	if f == nil {
		f = &file{name: d.id, org: d.org, state: drafted}
		s.room.add(f)
	}
	// Try to reserve a step ahead. If there is no room for that, reserve what is needed.
	want := min(share, blocks(size+min(draftStep, s.room.max/64)-1))
	err := s.makeRoom(d.org, want-d.room)
	if err != nil {
		want = blocks(size)
		err = s.makeRoom(d.org, want-d.room)
	}
	if err != nil {
		// The file was counted for this call only and does not exist.
		if d.room == 0 {
			s.room.drop(f)
		}
		return err
	}
	s.room.grow(f, want-d.room)
	d.room = want
	return nil
}

// makeRoom removes clips until need more bytes of an organisation fit. It removes none if
// they cannot fit. s.mu is held.
func (s *Service) makeRoom(org string, need int64) error {
	if !s.room.fits(org, need) {
		return errNoRoom(nil)
	}
	for s.room.used+need > s.room.max {
		f := s.room.victim(org, need)
		if f == nil {
			return errNoRoom(nil)
		}
		if err := s.remove(f); err != nil {
			return failure(err, "make room for a clip")
		}
	}
	return nil
}

// remove removes a file; it may be gone already, through another process. s.mu is held.
func (s *Service) remove(f *file) error {
	if err := s.root.Remove(f.name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	s.room.drop(f)
	return nil
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
	return &file{name: c.ID, org: c.Org, state: kept, room: blocks(headBytes + c.Size), expires: c.Expires}
}

// dropDraft stops counting a draft.
func (s *Service) dropDraft(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f := s.room.files[id]; f != nil {
		s.room.drop(f)
	}
}

// refresh scans the directory if the last scan is too old for making room.
func (s *Service) refresh() error {
	s.mu.Lock()
	age := s.now().Sub(s.room.scanned)
	s.mu.Unlock()
	// A negative age means that the clock was set back; then the last scan tells nothing.
	if age >= 0 && age < scanEvery {
		return nil
	}
	return s.rescan()
}

// batchSize is how many files are examined or removed before the lock is released for
// others.
const batchSize = 64

// rescan updates what is known of the directory. A clip never changes, so its header is
// read only once. Files with foreign names do not count. The lock is not held while the
// directory is listed, and otherwise only for a batch of files. A file that appears
// meanwhile counts as seen by this scan; one that disappears is noticed when it is used.
func (s *Service) rescan() error {
	look := s.beginScan()
	names, err := s.names()
	if err != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.room.scanned = time.Time{} // so that the next caller of refresh scans again
		return fmt.Errorf("list clips: %w", err)
	}
	for some := range slices.Chunk(names, batchSize) {
		s.markSeen(some, look)
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

// markSeen records that a scan has seen files.
func (s *Service) markSeen(names []string, look int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, name := range names {
		f := s.room.files[name]
		if f == nil || f.state == unknown {
			f = s.examine(name, f)
		}
		if f != nil {
			f.lastScan = max(f.lastScan, look)
		}
	}
}

// names lists the files whose names are ids.
func (s *Service) names() ([]string, error) {
	dir, err := s.root.Open(".")
	if err != nil {
		return nil, err
	}
	names, err := dir.Readdirnames(-1)
	names = slices.DeleteFunc(names, func(name string) bool { return !isID(name) })
	return names, errors.Join(err, dir.Close())
}

// examine counts a file that was unknown, or not there, at the last scan. It returns nil if
// there is no such regular file.
func (s *Service) examine(name string, before *file) *file {
	info, err := s.root.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	if before != nil && before.written.Equal(info.ModTime()) && before.size == info.Size() { // unchanged, hence still no clip
		return before
	}
	now := &file{name: name, room: blocks(max(info.Size(), 1)), written: info.ModTime(), size: info.Size()}
	if f, err := s.file(name); err == nil {
		if c, err := s.read(f, name); err == nil {
			now = fileOf(c)
		}
		_ = f.Close() // read only
	}
	if before != nil {
		s.room.drop(before)
	}
	s.room.add(now)
	return now
}

// Sweep removes expired clips and the drafts of processes that died. If the clips then
// still exceed the room, it removes more. It returns how many files it removed.
func (s *Service) Sweep(ctx context.Context) (removed int, err error) {
	if ctx.Err() != nil {
		return 0, context.Cause(ctx)
	}
	if err := s.rescan(); err != nil {
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
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range due {
		// The lock was released since: a draft may have been written to, or kept.
		if f.state == kept || f.state == unknown && s.stillUnfinished(f, now) {
			if err := s.remove(f); err != nil {
				return removed, err
			}
			removed++
		}
	}
	return removed, nil
}

// shrink removes at most most clips, until the others fit into the room.
func (s *Service) shrink(most int) (removed int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for removed < most && s.room.used > s.room.max {
		f := s.room.victim("", 0)
		if f == nil {
			break // only drafts are left
		}
		if err := s.remove(f); err != nil {
			return removed, err
		}
		removed++
	}
	return removed, nil
}

// stillUnfinished reports whether a file that was old when it was examined still is.
func (s *Service) stillUnfinished(f *file, now time.Time) bool {
	info, err := s.root.Lstat(f.name)
	return err == nil && now.Sub(info.ModTime()) >= unfinishedAge
}
