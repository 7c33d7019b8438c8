// Package preview keeps the clips that introduce voices, each in a file, in a directory that
// several servers may share.
//
// The name of a clip depends on everything that decides how it sounds, so a file never
// changes. It is either complete or not there. After an upgrade the clips have other names.
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

// Clip is a clip with what HTTP caches need to know of it.
type Clip struct {
	Data     []byte
	ETag     string // strong, quoted
	Modified time.Time
}

// Shelf is a directory of clips. It is safe for concurrent use. Several shelves may use one
// directory, also in different processes.
type Shelf struct {
	dir string

	mu    sync.Mutex
	known map[string]tagged // by name: the tags of clips that were read or written
}

// tagged is the entity tag of a file, with what the file was when the tag was computed.
type tagged struct {
	size     int64
	modified time.Time
	etag     string
}

// New returns the shelf in a directory. The directory is created with mode 0700 when the
// first clip is put there. If dir is "", the shelf keeps nothing.
func New(dir string) *Shelf { return &Shelf{dir: dir, known: map[string]tagged{}} }

// Keeps reports whether the shelf keeps clips.
func (s *Shelf) Keeps() bool { return s.dir != "" }

// Has reports whether a clip is kept.
func (s *Shelf) Has(name string) bool {
	if !s.Keeps() {
		return false
	}
	info, err := os.Stat(s.path(name))
	return err == nil && info.Mode().IsRegular() && info.Size() > 0
}

// Get returns a clip. The error is [fs.ErrNotExist] if it is not kept. The tag of a file is
// computed when it is first read, and again only if the file was replaced.
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
	if info.Size() == 0 { // a power failure can leave an empty file
		return Clip{}, fmt.Errorf("%s is empty: %w", name, fs.ErrNotExist)
	}
	data := make([]byte, info.Size())
	if _, err := io.ReadFull(f, data); err != nil {
		return Clip{}, fmt.Errorf("read %s: %w", name, err)
	}
	return s.clip(name, data, info.ModTime()), nil
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

// draftPrefix begins the names of files that are being written. [Shelf.Sweep] knows them
// by it.
const draftPrefix = ".new-"

// Put keeps a clip. [Shelf.Get] finds it complete or not at all, also after a crash or a
// power failure. Put returns a usable clip even with an error; the clip is then not kept.
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
		err = f.Sync() // before the rename: else a power failure may leave the name without the content
	}
	info, serr := f.Stat() // renaming does not change the modification time
	if err = errors.Join(err, serr, f.Close()); err == nil {
		err = os.Rename(f.Name(), s.path(name))
	}
	if err != nil {
		_ = os.Remove(f.Name()) // report the first error, not that of the clean-up
		return nil, err
	}
	return info, nil
}

// draftAge is the age from which a file being written must have lost its writer: no clip
// takes a hundredth of it.
const draftAge = time.Hour

// clipName is how the files of clips are named: a voice, what tells its clips
// clipName matches the file names of clips: a voice, a digest and a format. Sweep removes
// nothing else.
var clipName = regexp.MustCompile(`^sv_[a-z2-7]{16}-[0-9a-f]{8,64}\.[a-z0-9]{1,8}$`)

// Name returns the name of a voice's clip; key holds everything that decides its sound.
func Name(voice, key, extension string) string {
	sum := sha256.Sum256([]byte(key))
	return voice + "-" + hex.EncodeToString(sum[:8]) + "." + extension
}

// Sweep removes clips that are not wanted, and files that killed servers left half written.
// It leaves files with other names alone. It returns how many clips it removed.
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
		if !f.Type().IsRegular() || !old && !abandoned(f) {
			continue
		}
		switch rerr := os.Remove(s.path(f.Name())); {
		case rerr == nil && old:
			removed++
		case rerr != nil && !errors.Is(rerr, fs.ErrNotExist): // if it is gone, another server removed it
			errs = append(errs, rerr)
		}
	}
	return removed, errors.Join(append(errs, err)...)
}

// abandoned reports whether a file is a draft whose writer is gone.
func abandoned(f fs.DirEntry) bool {
	if !strings.HasPrefix(f.Name(), draftPrefix) {
		return false
	}
	info, err := f.Info()
	return err == nil && time.Since(info.ModTime()) > draftAge
}

func (s *Shelf) path(name string) string { return filepath.Join(s.dir, name) }
