// Package tree reads the files of a folder that comes from a stranger: it follows no link,
// never leaves the folder, and bounds how much is listed, read and unpacked.
package tree

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf8"

	"vaak/catalogue/ingest/report"
	"vaak/catalogue/transcript"
)

// Limits bound what a tree lists and reads.
type Limits struct {
	Files         int   // files and folders in all
	Depth         int   // folders within folders
	MetadataBytes int64 // of cards, manifests and transcripts together, uncompressed
	ManifestBytes int64 // of one manifest, uncompressed
}

// Tree is a folder: its plain files by path. All access goes through one [os.Root], so no
// path leads out of the folder, and only files that were listed as plain files are opened.
type Tree struct {
	Report *report.Report // where problems of files are added

	stop    func() error // an error once reading is to end
	root    *os.Root
	limits  Limits
	files   Entries         // as they were when the folder was listed
	partial map[string]bool // manifests that could not be read to their end
	opened  map[string]bool // files that were read from
	entries int             // listed so far
	spent   int64           // bytes of metadata read so far
}

// List lists the folder root, and the files in those of its files that are containers, as
// [Container] says; containers is called when all plain files are listed. Entries that a folder may not have are added to r as problems, and files
// beyond the limits are not listed. Once ctx is done, List and all that reads from the tree end soon,
// and what was read is not whole: the caller must look at ctx.
func List(ctx context.Context, root *os.Root, limits Limits, containers func(*Tree) []Container, r *report.Report) *Tree {
	t := &Tree{
		Report: r, stop: ctx.Err, root: root, limits: limits,
		files: Entries{}, partial: map[string]bool{}, opened: map[string]bool{},
	}
	t.walk(".", 0)
	t.unfold(containers(t))
	return t
}

// ErrChanged means that a file is not the one that was listed, or has changed since.
var ErrChanged = errors.New("changed while it was being read")

// Stopped reports whether the context of [List] is done.
func (t *Tree) Stopped() bool { return t.stop() != nil }

// walk lists the folder dir and those in it; "." is the top.
func (t *Tree) walk(dir string, depth int) {
	if depth > t.limits.Depth {
		t.Report.Add(dir, 0, "folders lie more than %d deep", t.limits.Depth)
		return
	}
	entries, err := t.list(dir)
	if err != nil {
		t.Report.Add(strings.TrimPrefix(dir, "."), 0, "cannot be listed: %s", report.Reason(err))
		return
	}
	for _, e := range entries {
		if t.stop() != nil || !t.count() {
			return
		}
		t.entry(dir, e.Name(), depth)
	}
}

// count counts one more entry. It returns false once there are too many.
func (t *Tree) count() bool {
	if t.entries++; t.entries == t.limits.Files+1 { // once
		t.Report.Add("", 0, "the folder holds more than %d files", t.limits.Files)
	}
	return t.entries <= t.limits.Files
}

// list returns the entries of one folder, sorted by name. It stops once there are more than
// the limit allows: a folder of millions of files must not fill the memory.
func (t *Tree) list(dir string) ([]fs.DirEntry, error) {
	// O_NONBLOCK keeps the call from waiting for a writer if the entry has become a pipe.
	f, err := t.root.OpenFile(filepath.FromSlash(dir), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var all []fs.DirEntry
	for len(all) <= t.limits.Files {
		batch, err := f.ReadDir(1024)
		all = append(all, batch...)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(all, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return all, nil
}

// entry adds one entry of dir, or the folder that it is.
func (t *Tree) entry(dir, name string, depth int) {
	if ignored(name) {
		return
	}
	at := path.Join(dir, name)
	if why := BadName(name); why != "" {
		t.Report.Add(strings.ToValidUTF8(at, "\uFFFD"), 0, "the name %s; rename it", why)
		return
	}
	// Lstat, so that a link is seen as a link and refused, wherever it points.
	info, err := t.root.Lstat(filepath.FromSlash(at))
	if err != nil {
		t.Report.Add(at, 0, "cannot be read: %s", report.Reason(err))
		return
	}
	switch mode := info.Mode(); {
	case mode.IsRegular():
		t.files[at] = Entry{info: info}
	case mode.IsDir():
		t.walk(at, depth+1)
	default:
		t.Report.Add(at, 0, "is %s; only plain files and folders are taken", kindName(mode))
	}
}

// kindName describes an entry that is neither a plain file nor a folder.
func kindName(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeSymlink != 0:
		return "a symbolic link"
	case mode&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	default:
		return "something else"
	}
}

// ignored reports whether an entry is not part of the dataset: a hidden file, or one that a
// desktop system creates by itself.
func ignored(name string) bool {
	return strings.HasPrefix(name, ".") || name == "Thumbs.db" || name == "desktop.ini" || name == "__MACOSX"
}

// BadName returns what is wrong with a name or path, as the end of a sentence, or "".
func BadName(name string) string {
	switch {
	case !utf8.ValidString(name):
		return "is not UTF-8"
	case strings.ContainsFunc(name, func(r rune) bool { return unicode.IsControl(r) || transcript.Overrides(r) }):
		return "has a control character"
	case strings.Contains(name, `\`):
		return "has a backslash"
	}
	return ""
}

// Under returns the files below a folder, sorted.
func (t *Tree) Under(dir string) []string {
	var all []string
	for p := range t.files {
		if strings.HasPrefix(p, dir+"/") {
			all = append(all, p)
		}
	}
	slices.Sort(all)
	return all
}

// Files returns all files with what was seen of them when the folder was listed. The map
// belongs to the tree.
func (t *Tree) Files() Entries { return t.files }

// Opened reports whether a file was read from.
func (t *Tree) Opened(p string) bool { return t.opened[p] }

// Has reports whether the folder has a plain file.
func (t *Tree) Has(p string) bool {
	_, ok := t.files[p]
	return ok
}

// Open opens a file that was listed, and marks it as used; see [Tree.Opened].
func (t *Tree) Open(p string) (File, error) {
	t.opened[p] = true
	return t.files.Open(t.root, p)
}

// Peek opens a file that was listed like [Tree.Open], and does not mark it as used.
func (t *Tree) Peek(p string) (File, error) { return t.files.Open(t.root, p) }

// Use marks a file as used; see [Tree.Opened].
func (t *Tree) Use(p string) { t.opened[p] = true }

// Spend counts bytes of metadata that were read in another way than by [Tree.OpenMetadata]. Its
// error says that there are too many, or that reading is to end.
func (t *Tree) Spend(n int64) error {
	if err := t.stop(); err != nil {
		return err
	}
	if t.spent += n; t.spent > t.limits.MetadataBytes {
		return fmt.Errorf("cards, manifests and transcripts together hold more than %d bytes", t.limits.MetadataBytes)
	}
	return nil
}

// OpenSeen opens the file that was seen at a path. It refuses a file that has replaced it,
// and the same file if its size or modification time is another. It never blocks on a
// pipe.
func OpenSeen(root *os.Root, p string, seen fs.FileInfo) (*os.File, error) {
	if seen == nil {
		return nil, fs.ErrNotExist
	}
	f, err := root.OpenFile(filepath.FromSlash(p), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	// Asked of the open file and not of the path: the entry may be exchanged between a
	// check by path and the opening.
	info, err := f.Stat()
	if err == nil && !same(info, seen) {
		err = ErrChanged
	}
	if err != nil {
		_ = f.Close() // it was only read; err matters more
		return nil, err
	}
	return f, nil
}

// same reports whether a file is the one that was seen, unchanged.
func same(now, seen fs.FileInfo) bool {
	return now.Mode().IsRegular() && os.SameFile(now, seen) &&
		now.Size() == seen.Size() && now.ModTime().Equal(seen.ModTime())
}
