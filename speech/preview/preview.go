// Package preview keeps the clips that voices are introduced by, each in a file
// of its own, in a directory that several servers may share.
//
// A clip's name says all that decides how it sounds, so a file never changes: it
// is there whole or not at all, and one of another name takes its place after an
// upgrade.
package preview

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"
)

// Clip is a clip with what caches want to know of it.
type Clip struct {
	Data     []byte
	ETag     string // strong, quoted
	Modified time.Time
}

// Shelf is a directory of clips. It is safe for concurrent use, and so are
// several of them on one directory, in any number of processes.
type Shelf struct {
	dir string

	mu    sync.Mutex
	known map[string]mark // by name: clips that were read or put there
}

// mark is the tag of a file as it was when it was digested.
type mark struct {
	size     int64
	modified time.Time
	etag     string
}

// New returns the shelf of a directory, which is made with mode 0700 when the
// first clip is put there. The shelf of "" keeps nothing.
func New(dir string) *Shelf { return &Shelf{dir: dir, known: map[string]mark{}} }

// Keeps reports whether clips that are put there stay.
func (s *Shelf) Keeps() bool { return s.dir != "" }

// Has reports whether a clip is there.
func (s *Shelf) Has(name string) bool {
	if !s.Keeps() {
		return false
	}
	info, err := os.Stat(s.path(name))
	return err == nil && info.Mode().IsRegular() && info.Size() > 0
}

// Get returns a clip; the error is [fs.ErrNotExist] when it is not there. A file
// is digested when it is first read, and again only when it was replaced.
func (s *Shelf) Get(name string) (Clip, error) {
	if !s.Keeps() {
		return Clip{}, fs.ErrNotExist
	}
	f, err := os.Open(s.path(name))
	if err != nil {
		return Clip{}, err
	}
	defer f.Close() // read only
	info, err := f.Stat()
	if err != nil {
		return Clip{}, err
	}
	if info.Size() == 0 { // what a power failure leaves of a file
		return Clip{}, fmt.Errorf("%s is empty: %w", name, fs.ErrNotExist)
	}
	data := make([]byte, info.Size())
	if _, err := io.ReadFull(f, data); err != nil {
		return Clip{}, fmt.Errorf("read %s: %w", name, err)
	}
	return s.clip(name, data, info.ModTime()), nil
}

// clip describes the content of a file.
func (s *Shelf) clip(name string, data []byte, modified time.Time) Clip {
	s.mu.Lock()
	m, ok := s.known[name]
	s.mu.Unlock()
	if !ok || m.size != int64(len(data)) || !m.modified.Equal(modified) {
		m = mark{int64(len(data)), modified, tag(data)}
		s.mu.Lock()
		s.known[name] = m
		s.mu.Unlock()
	}
	return Clip{Data: data, ETag: m.etag, Modified: modified}
}

// tag returns the entity tag of some bytes.
func tag(data []byte) string {
	sum := sha256.Sum256(data)
	return `"` + hex.EncodeToString(sum[:12]) + `"`
}

// draftPrefix begins the names of files that are being written.
const draftPrefix = ".new-"

// Put keeps a clip, for [Shelf.Get] to find whole or not at all, also after a
// crash or a power failure. The clip that it returns is good beside an error,
// too; it was not kept then.
func (s *Shelf) Put(name string, data []byte) (Clip, error) {
	if !s.Keeps() {
		return Clip{Data: data, ETag: tag(data), Modified: time.Now()}, nil
	}
	info, err := s.write(name, data)
	if err != nil {
		return Clip{Data: data, ETag: tag(data), Modified: time.Now()}, err
	}
	return s.clip(name, data, info.ModTime()), nil
}

func (s *Shelf) write(name string, data []byte) (fs.FileInfo, error) {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(s.dir, draftPrefix+"*")
	if err != nil {
		return nil, err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync() // else a power failure may leave the name without the content
	}
	info, serr := f.Stat() // the times stay when it is renamed
	if err = errors.Join(err, serr, f.Close()); err == nil {
		err = os.Rename(f.Name(), s.path(name))
	}
	if err != nil {
		_ = os.Remove(f.Name()) // the first error is the one to tell
		return nil, err
	}
	return info, nil
}

// draftAge is how old a file that is being written has to be for its writer to be
// gone: no clip takes a hundredth of it.
const draftAge = time.Hour

// clipName is how the files of clips are named: a voice, what tells its clips
// apart, and a format.
var clipName = regexp.MustCompile(`^sv_[a-z2-7]{16}-[0-9a-f]{8,64}\.[a-z0-9]{1,8}$`)

// Name returns the name of a voice's clip whose sound the key decides.
func Name(voice, key, extension string) string {
	sum := sha256.Sum256([]byte(key))
	return voice + "-" + hex.EncodeToString(sum[:8]) + "." + extension
}

// Sweep removes the clips that are not wanted any more, and what killed servers
// left half written. Files of other names are left alone. It returns how many
// clips went.
func (s *Shelf) Sweep(wanted map[string]bool) (removed int, err error) {
	if !s.Keeps() {
		return 0, nil
	}
	files, err := os.ReadDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	var errs []error
	for _, f := range files {
		old := clipName.MatchString(f.Name()) && !wanted[f.Name()]
		if !f.Type().IsRegular() || !old && !forsaken(f) {
			continue
		}
		switch rerr := os.Remove(s.path(f.Name())); {
		case rerr == nil && old:
			removed++
		case rerr != nil && !errors.Is(rerr, fs.ErrNotExist): // another server was faster
			errs = append(errs, rerr)
		}
	}
	return removed, errors.Join(append(errs, err)...)
}

// forsaken reports whether a file was being written by somebody who is gone.
func forsaken(f fs.DirEntry) bool {
	if !strings.HasPrefix(f.Name(), draftPrefix) {
		return false
	}
	info, err := f.Info()
	return err == nil && time.Since(info.ModTime()) > draftAge
}

func (s *Shelf) path(name string) string { return filepath.Join(s.dir, name) }
