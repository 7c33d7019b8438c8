package clip

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"
)

// lookEvery is how old what a service knows of its directory may be before it looks
// again to make room by it. Other processes write there too, so in that time, and
// while it looks, clips may take more than the room, by what those write.
const lookEvery = time.Second

// unfinishedAge is how old a file that is no whole clip is when it goes. A draft
// that is being written is young: each write makes it so.
const unfinishedAge = time.Hour

// reserve counts a draft for a size, and makes room for it. It takes room in steps,
// so that not every write asks for some.
func (d *Draft) reserve(size int64) error {
	if size <= d.room {
		return nil
	}
	s := d.service
	share := s.room.share()
	if blocks(size) > share {
		return errTooLarge(share - headBytes)
	}
	if err := s.refresh(); err != nil {
		return failed(err, "make room for a clip")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.room.files[d.id]
	if f == nil {
		f = &file{name: d.id, org: d.org, state: drafted}
		s.room.add(f)
	}
	want := min(share, blocks(size+min(step, s.room.max/64)-1))
	err := s.makeRoom(d.org, want-d.room)
	if err != nil {
		want = blocks(size)
		err = s.makeRoom(d.org, want-d.room)
	}
	if err != nil {
		if d.room == 0 {
			s.room.drop(f)
		}
		return err
	}
	s.room.grow(f, want-d.room)
	d.room = want
	return nil
}

// makeRoom removes clips until so many bytes more of an organisation fit, and none
// where they cannot.
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
			return failed(err, "make room for a clip")
		}
	}
	return nil
}

// remove removes a file, which another process may have done.
func (s *Service) remove(f *file) error {
	if err := s.root.Remove(f.name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	s.room.drop(f)
	return nil
}

// kept counts a draft as the clip that it has become.
func (s *Service) kept(c Clip) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f := s.room.files[c.ID]; f != nil {
		s.room.drop(f)
	}
	s.room.add(fileOf(c))
}

func fileOf(c Clip) *file {
	return &file{name: c.ID, org: c.Org, state: kept, room: blocks(headBytes + c.Size), expires: c.Expires}
}

// forget counts a draft no more.
func (s *Service) forget(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f := s.room.files[id]; f != nil {
		s.room.drop(f)
	}
}

// refresh looks at the directory if what is known of it is too old to make room by.
func (s *Service) refresh() error {
	s.mu.Lock()
	age := s.now().Sub(s.room.looked)
	s.mu.Unlock()
	if age >= 0 && age < lookEvery {
		return nil
	}
	return s.look()
}

// atOnce is how many files are looked at or removed before others get at the clips
// again.
const atOnce = 64

// look brings what is known of the directory up to date. A clip never changes, so
// its head is read once. Files whose names are not ours do not count. The lock is
// not held while the directory is listed, and not for long at a time: what comes
// meanwhile is as if it had been seen, and what goes is found gone.
func (s *Service) look() error {
	look := s.beginLook()
	names, err := s.names()
	if err != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.room.looked = time.Time{} // the next to make room looks, too
		return fmt.Errorf("list clips: %w", err)
	}
	for some := range slices.Chunk(names, atOnce) {
		s.see(some, look)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.room.files {
		if f.seen < look && f.state != drafted {
			s.room.drop(f)
		}
	}
	return nil
}

// beginLook returns the number of a new look.
func (s *Service) beginLook() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.room.looked = s.now()
	s.room.looks++
	return s.room.looks
}

// see notes that files were there in a look.
func (s *Service) see(names []string, look int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, name := range names {
		f := s.room.files[name]
		if f == nil || f.state == unknown {
			f = s.examine(name, f)
		}
		if f != nil {
			f.seen = max(f.seen, look)
		}
	}
}

// names lists what has the name of a file of ours.
func (s *Service) names() ([]string, error) {
	dir, err := s.root.Open(".")
	if err != nil {
		return nil, err
	}
	names, err := dir.Readdirnames(-1)
	names = slices.DeleteFunc(names, func(name string) bool { return !isID(name) })
	return names, errors.Join(err, dir.Close())
}

// examine counts what a file is, which was unknown or not there when it was last
// looked at. It returns nil where there is none.
func (s *Service) examine(name string, before *file) *file {
	info, err := s.root.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	if before != nil && before.written.Equal(info.ModTime()) && before.size == info.Size() {
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

// Sweep removes clips that have expired and what is left of drafts whose process
// died, then the clips that must go for the others to fit the room. It returns how
// many files it removed.
func (s *Service) Sweep(ctx context.Context) (removed int, err error) {
	if ctx.Err() != nil {
		return 0, context.Cause(ctx)
	}
	if err := s.look(); err != nil {
		return 0, err
	}
	now := s.now()
	for some := range slices.Chunk(s.due(now), atOnce) {
		n, err := s.removeDue(some, now)
		if removed += n; err != nil {
			return removed, fmt.Errorf("sweep clips: %w", err)
		}
		if ctx.Err() != nil {
			return removed, context.Cause(ctx)
		}
	}
	for n := atOnce; n == atOnce && ctx.Err() == nil; {
		n, err = s.shrink(atOnce)
		if removed += n; err != nil {
			return removed, fmt.Errorf("sweep clips: %w", err)
		}
	}
	return removed, context.Cause(ctx)
}

// due returns the clips that have expired, and the files that were old when they
// were looked at and are no clips.
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

// removeDue removes those that are there still.
func (s *Service) removeDue(due []*file, now time.Time) (removed int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range due {
		if f.state == kept || f.state == unknown && s.left(f, now) {
			if err := s.remove(f); err != nil {
				return removed, err
			}
			removed++
		}
	}
	return removed, nil
}

// shrink removes clips, so many at most, until the others fit the room.
func (s *Service) shrink(most int) (removed int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for removed < most && s.room.used > s.room.max {
		f := s.room.victim("", 0)
		if f == nil {
			break // drafts take it
		}
		if err := s.remove(f); err != nil {
			return removed, err
		}
		removed++
	}
	return removed, nil
}

// left reports whether a file that was old when it was looked at still is.
func (s *Service) left(f *file, now time.Time) bool {
	info, err := s.root.Lstat(f.name)
	return err == nil && now.Sub(info.ModTime()) >= unfinishedAge
}
