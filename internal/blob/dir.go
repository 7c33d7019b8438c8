package blob

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Dir keeps each blob in a file of its name in one directory, which others may use too: it takes
// nothing but regular files for blobs, and follows no links.
//
// With heads, a file begins with the head, filled up with zeros. Such a blob is written in its
// place with zeros for its head, so other processes can count the drafts. Without, it is written
// under another name, which begins with a dot, and then renamed.
type Dir struct {
	path   string
	head   int
	prefix string
}

var _ Store = (*Dir)(nil)

// DirConfig configures [NewDir].
type DirConfig struct {
	Path string // of the directory; it is made, with mode 0700, with the first blob. Required
	Head int    // the bytes for heads; 0 has none
	// Drafts begins the names of files that are being written, with a dot; "" is ".new-".
	Drafts string
}

// NewDir returns the store of a directory. It touches no file.
func NewDir(cfg DirConfig) *Dir { return &Dir{cfg.Path, cfg.Head, cmp.Or(cfg.Drafts, ".new-")} }

func (d *Dir) at(name string) string { return filepath.Join(d.path, name) }

// Create begins a blob; see [Store].
func (d *Dir) Create(ctx context.Context, name string) (Draft, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if !Valid(name) {
		return nil, NotValid(name)
	}
	create := func() (*os.File, error) {
		if d.head > 0 {
			return os.OpenFile(d.at(name), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		}
		return os.CreateTemp(d.path, d.prefix+"*") // with mode 0600
	}
	f, err := create()
	if errors.Is(err, fs.ErrNotExist) {
		if err = os.MkdirAll(d.path, 0o700); err == nil {
			f, err = create()
		}
	}
	if err != nil {
		return nil, fmt.Errorf("begin %s: %w", name, err)
	}
	w := &fileDraft{dir: d, name: name, file: f, out: bufio.NewWriterSize(f, draftBuffer)}
	_, _ = w.out.Write(make([]byte, d.head)) // cannot fail: it fits into the buffer
	return w, nil
}

// draftBuffer collects the small writes of encoders.
const draftBuffer = 16 << 10

// fileDraft is a draft in a directory.
type fileDraft struct {
	dir  *Dir
	name string
	file *os.File // nil once it has ended
	out  *bufio.Writer
}

var errEnded = errors.New("the draft has ended")

// Write adds content.
func (w *fileDraft) Write(p []byte) (int, error) {
	if w.file == nil {
		return 0, errEnded
	}
	return w.out.Write(p)
}

// Sync writes everything to disk: some file systems allocate room only here.
func (w *fileDraft) Sync() error {
	if w.file == nil {
		return errEnded
	}
	return errors.Join(w.out.Flush(), w.file.Sync())
}

// Commit ends the draft; see [Draft].
func (w *fileDraft) Commit(head string) error {
	err := w.commit(head)
	if err != nil {
		w.Discard()
		return fmt.Errorf("keep %s: %w", w.name, err)
	}
	w.file = nil
	return nil
}

func (w *fileDraft) commit(head string) error {
	if err := w.Sync(); err != nil {
		return err
	}
	if len(head) > w.dir.head {
		return fmt.Errorf("its head has %d bytes, more than %d", len(head), w.dir.head)
	}
	if w.dir.head == 0 {
		// Synced before the rename: otherwise a power cut could leave the name without the content.
		if err := w.file.Close(); err != nil {
			return err
		}
		if err := os.Rename(w.file.Name(), w.dir.at(w.name)); err != nil {
			return err
		}
		return syncDir(w.dir.path)
	}
	// The head is written last: until then no reader takes the file for a blob.
	if _, err := w.file.WriteAt([]byte(head), 0); err != nil {
		return err
	}
	if err := w.file.Close(); err != nil {
		return err
	}
	// The file can be gone if another process took the draft for an abandoned one.
	_, err := os.Lstat(w.dir.at(w.name))
	return err
}

// Discard removes the file.
func (w *fileDraft) Discard() {
	if w.file == nil {
		return
	}
	_ = w.file.Close()           // the file is removed anyway, and may be closed already
	_ = os.Remove(w.file.Name()) // what stays is swept later
	w.file, w.out = nil, nil
}

// syncDir writes the names in a directory to disk, so that a rename survives a power cut.
func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// Open opens a blob; see [Store]. A reader that has it open can read it to its end though it is
// deleted.
func (d *Dir) Open(ctx context.Context, name string) (io.ReadSeekCloser, Info, error) {
	if ctx.Err() != nil {
		return nil, Info{}, context.Cause(ctx)
	}
	if !Valid(name) {
		return nil, Info{}, NotValid(name)
	}
	f, info, err := d.open(name)
	if err != nil {
		return nil, Info{}, fmt.Errorf("open %s: %w", name, err)
	}
	return content{io.NewSectionReader(f, int64(d.head), info.Size), f}, info, nil
}

// content reads a file behind its head.
type content struct {
	*io.SectionReader
	io.Closer
}

// open opens a regular file. It does not follow links and does not block on pipes: anything may
// lie in the directory.
func (d *Dir) open(name string) (*os.File, Info, error) {
	f, err := os.OpenFile(d.at(name), os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	// A link is refused with ELOOP, a socket with ENXIO; ESTALE is a file that is gone on NFS.
	for _, none := range []error{syscall.ELOOP, syscall.ENXIO, syscall.ESTALE} {
		if errors.Is(err, none) {
			err = fs.ErrNotExist
		}
	}
	if err != nil {
		return nil, Info{}, err
	}
	info, err := d.read(f, name)
	if err != nil {
		return nil, Info{}, errors.Join(err, f.Close())
	}
	return f, info, nil
}

// read describes an open file.
func (d *Dir) read(f *os.File, name string) (Info, error) {
	stat, err := f.Stat()
	if err != nil {
		return Info{}, err
	}
	if !stat.Mode().IsRegular() {
		return Info{}, fs.ErrNotExist
	}
	info := Info{Name: name, Size: max(0, stat.Size()-int64(d.head)), Modified: stat.ModTime()}
	if d.head > 0 {
		head := make([]byte, d.head)
		switch _, err := f.ReadAt(head, 0); {
		case err == nil || err == io.EOF && stat.Size() == int64(d.head):
			info.Head = string(bytes.TrimRight(head, "\x00"))
		case err != io.EOF: // a file that is shorter than a head has none
			return Info{}, err
		}
	}
	return info, nil
}

// Stat describes a blob; see [Store]. A draft with a head that is not written yet has none.
func (d *Dir) Stat(ctx context.Context, name string) (Info, error) {
	f, info, err := d.Open(ctx, name)
	if err != nil {
		return Info{}, err
	}
	_ = f.Close() // read only
	return info, nil
}

// Delete removes a blob; see [Store].
func (d *Dir) Delete(ctx context.Context, name string) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if !Valid(name) {
		return NotValid(name)
	}
	if err := os.Remove(d.at(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("delete %s: %w", name, err)
	}
	return nil
}

// Each calls do for each name in the directory that can be that of a blob, also of what is no
// regular file; see [Store]. A directory that is not there is empty.
func (d *Dir) Each(ctx context.Context, do func(name string) error) error {
	names, err := d.names()
	if err != nil {
		return fmt.Errorf("list %s: %w", d.path, err)
	}
	for _, name := range names {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if Valid(name) {
			if err := do(name); err != nil {
				return err
			}
		}
	}
	return nil
}

func (d *Dir) names() ([]string, error) {
	f, err := os.Open(d.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	names, err := f.Readdirnames(-1)
	return names, errors.Join(err, f.Close())
}

// Tidy removes what killed processes left half written, if nobody has written to it for a time.
// With heads it does nothing: there the caller knows by the heads what is not whole.
func (d *Dir) Tidy(olderThan time.Duration) error {
	names, err := d.names()
	for _, name := range names {
		if d.head > 0 || !strings.HasPrefix(name, d.prefix) {
			continue
		}
		info, serr := os.Lstat(d.at(name))
		if serr == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > olderThan {
			serr = os.Remove(d.at(name))
		}
		if !errors.Is(serr, fs.ErrNotExist) { // another process removed it
			err = errors.Join(err, serr)
		}
	}
	return err
}
