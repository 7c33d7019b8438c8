// Package preview keeps the clips that introduce voices, each in a file, in a directory that
// several servers may share, or in object storage with a copy in the directory of each server.
//
// The name of a clip depends on everything that decides how it sounds, so a clip never changes.
// It is either complete or not there. After an upgrade the clips have other names.
package preview

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"sync"
	"time"

	"vaak/internal/blob"
	"vaak/internal/pause"
)

// Clip is a clip with what HTTP caches need to know of it.
type Clip struct {
	Data     []byte
	ETag     string // strong, quoted
	Modified time.Time
}

// Shelf is where clips are kept. It is safe for concurrent use. Several shelves may use one
// directory and one shared store, also in different processes.
type Shelf struct {
	local  *blob.Dir  // nil if there is no directory
	shared blob.Store // nil if there is none

	mu    sync.Mutex
	known map[string]tagged // by name: the tags of clips that were read or written
	away  time.Time         // when the shared store last failed
}

// tagged is the entity tag of a file, with what the file was when the tag was computed.
type tagged struct {
	size     int64
	modified time.Time
	etag     string
}

// New returns the shelf in a directory. The directory is created with mode 0700 when the first
// clip is put there. If there is a shared store, the truth is there, and the directory has copies
// of what was asked for. If dir is "" and shared nil, the shelf keeps nothing.
func New(dir string, shared blob.Store) *Shelf {
	s := &Shelf{shared: shared, known: map[string]tagged{}}
	if dir != "" {
		s.local = blob.NewDir(blob.DirConfig{Path: dir})
	}
	return s
}

// Keeps reports whether the shelf keeps clips.
func (s *Shelf) Keeps() bool { return s.local != nil || s.shared != nil }

// Shares reports whether there is a shared store.
func (s *Shelf) Shares() bool { return s.shared != nil }

// Has reports whether a clip is in the directory.
func (s *Shelf) Has(ctx context.Context, name string) bool {
	if s.local == nil {
		return false
	}
	info, err := s.local.Stat(ctx, name)
	return err == nil && info.Size > 0
}

// Shared returns the names in the shared store, by one list.
func (s *Shelf) Shared(ctx context.Context) (map[string]bool, error) {
	names := map[string]bool{}
	if s.shared == nil {
		return names, nil
	}
	err := s.shared.Each(ctx, func(name string) error { names[name] = true; return nil })
	return names, err
}

const (
	// maxClip bounds what is read of a clip, in bytes: over a hundred times what it has.
	maxClip = 8 << 20
	// getWithin is how long a request waits for the shared store before it has the clip rendered,
	// and putWithin how long one is sent. A request waits for that too, so it is getWithin after
	// the store failed.
	getWithin = 2 * time.Second
	putWithin = 15 * time.Second
	// awayFor is how long the shared store is not asked after it failed, except to put.
	awayFor = 10 * time.Second
)

// Get returns a clip. The error is [fs.ErrNotExist] if it is not kept. The tag of a file is
// computed when it is first read, and again only if the file was replaced. A clip that comes from
// the shared store is copied into the directory.
func (s *Shelf) Get(ctx context.Context, name string) (Clip, error) {
	if s.local != nil {
		clip, err := s.read(ctx, s.local, name)
		if err == nil || s.shared == nil {
			return clip, err
		}
	}
	if s.shared == nil || s.suspect() {
		return Clip{}, fs.ErrNotExist
	}
	within, cancel := pause.Within(ctx, getWithin)
	defer cancel()
	clip, err := s.read(within, s.shared, name)
	if err != nil {
		if ctx.Err() == nil { // a caller who went away says nothing of the store
			s.note(err)
		}
		return Clip{}, err
	}
	return s.copy(within, name, clip), nil
}

// suspect reports whether the shared store failed a moment ago.
func (s *Shelf) suspect() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Since(s.away) < awayFor
}

// note notes whether the shared store works.
func (s *Shelf) note(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.away = (time.Time{}); err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.away = time.Now()
	}
}

// copy puts a clip into the directory. A clip that finds no room there is used as it is.
func (s *Shelf) copy(ctx context.Context, name string, c Clip) Clip {
	if s.local == nil {
		return c
	}
	if kept, err := s.write(ctx, s.local, name, c.Data); err == nil {
		return kept
	}
	return c
}

// read reads a clip of one store.
func (s *Shelf) read(ctx context.Context, from blob.Store, name string) (Clip, error) {
	r, info, err := from.Open(ctx, name)
	if err != nil {
		return Clip{}, err
	}
	defer r.Close()     // read only
	if info.Size == 0 { // a power failure can leave an empty file
		return Clip{}, fmt.Errorf("%s is empty: %w", name, fs.ErrNotExist)
	}
	if info.Size > maxClip {
		return Clip{}, fmt.Errorf("%s has %d bytes, more than the %d of a preview", name, info.Size, maxClip)
	}
	data := make([]byte, info.Size)
	if _, err := io.ReadFull(r, data); err != nil {
		return Clip{}, fmt.Errorf("read %s: %w", name, err)
	}
	return s.clip(name, data, info.Modified), nil
}

// clip returns a clip with the given content.
func (s *Shelf) clip(name string, data []byte, modified time.Time) Clip {
	s.mu.Lock()
	m, ok := s.known[name]
	s.mu.Unlock()
	if !ok || m.size != int64(len(data)) || !m.modified.Equal(modified) {
		m = tagged{int64(len(data)), modified, tag(data)}
		s.mu.Lock()
		s.known[name] = m
		s.mu.Unlock()
	}
	return Clip{Data: data, ETag: m.etag, Modified: modified}
}

// tag returns the entity tag of some content: 96 bits of its SHA-256.
func tag(data []byte) string {
	sum := sha256.Sum256(data)
	return `"` + hex.EncodeToString(sum[:12]) + `"`
}

// Put keeps a clip. [Shelf.Get] finds it complete or not at all, also after a crash or a
// power failure. Put returns a usable clip even with an error; the clip is then not kept, or not
// in the shared store, if there is one.
func (s *Shelf) Put(ctx context.Context, name string, data []byte) (Clip, error) {
	clip := Clip{Data: data, ETag: tag(data), Modified: time.Now()}
	if s.shared != nil {
		clip = s.copy(ctx, name, clip)
		return clip, s.share(ctx, name, data)
	}
	if s.local == nil {
		return clip, nil
	}
	kept, err := s.write(ctx, s.local, name, data)
	if err != nil {
		return clip, err
	}
	return kept, nil
}

// Share puts a clip of the directory into the shared store.
func (s *Shelf) Share(ctx context.Context, name string) error {
	clip, err := s.read(ctx, s.local, name)
	if err != nil {
		return err
	}
	return s.share(ctx, name, clip.Data)
}

func (s *Shelf) share(ctx context.Context, name string, data []byte) error {
	limit := putWithin
	if s.suspect() {
		limit = getWithin
	}
	within, cancel := pause.Within(ctx, limit)
	defer cancel()
	err := put(within, s.shared, name, data)
	if ctx.Err() == nil {
		s.note(err)
	}
	return err
}

// write puts a clip into one store and returns it as it is there.
func (s *Shelf) write(ctx context.Context, to blob.Store, name string, data []byte) (Clip, error) {
	if err := put(ctx, to, name, data); err != nil {
		return Clip{}, err
	}
	info, err := to.Stat(ctx, name)
	if err != nil {
		return Clip{}, err
	}
	return s.clip(name, data, info.Modified), nil
}

func put(ctx context.Context, to blob.Store, name string, data []byte) error {
	d, err := to.Create(ctx, name)
	if err != nil {
		return err
	}
	defer d.Discard()
	if _, err := d.Write(data); err != nil {
		return err
	}
	return d.Commit("")
}

// draftAge is the age from which a file being written must have lost its writer: no clip
// takes a hundredth of it.
const draftAge = time.Hour

// clipName matches the file names of clips: a voice, a digest and a format. Sweep removes
// nothing else.
var clipName = regexp.MustCompile(`^sv_[a-z2-7]{16}-[0-9a-f]{8,64}\.[a-z0-9]{1,8}$`)

// Name returns the name of a voice's clip; key holds everything that decides its sound.
func Name(voice, key, extension string) string {
	sum := sha256.Sum256([]byte(key))
	return voice + "-" + hex.EncodeToString(sum[:8]) + "." + extension
}

// sharedAge is how long a clip that is not wanted stays in the shared store after it was put:
// servers of another version, or for other processors, may want it.
const sharedAge = 30 * 24 * time.Hour

// Sweep removes clips that are not wanted, and files that killed servers left half written. From
// the shared store it removes those that are 30 days old. It leaves what has other names alone.
// It returns how many clips it removed.
func (s *Shelf) Sweep(ctx context.Context, wanted map[string]bool) (removed int, err error) {
	var errs []error
	if s.local != nil {
		errs = append(errs, s.local.Tidy(draftAge), sweep(ctx, s.local, wanted, 0, &removed))
	}
	if s.shared != nil {
		errs = append(errs, sweep(ctx, s.shared, wanted, sharedAge, &removed))
	}
	return removed, errors.Join(errs...)
}

// sweep removes the clips of one store that are not wanted and of an age.
func sweep(ctx context.Context, in blob.Store, wanted map[string]bool, age time.Duration, removed *int) error {
	var errs []error
	err := in.Each(ctx, func(name string) error {
		if !clipName.MatchString(name) || wanted[name] {
			return nil
		}
		info, err := in.Stat(ctx, name)
		if err == nil && (age == 0 || time.Since(info.Modified) > age) {
			if err = in.Delete(ctx, name); err == nil {
				*removed++
			}
		}
		if !errors.Is(err, fs.ErrNotExist) { // if it is gone, another server removed it
			errs = append(errs, err)
		}
		return nil
	})
	return errors.Join(append(errs, err)...)
}
