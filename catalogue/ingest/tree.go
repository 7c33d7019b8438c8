package ingest

import (
	"errors"
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

	"vaak/catalogue/transcript"
)

// tree is what lies in a folder: its plain files, by path. Everything is reached
// through one os.Root, and nothing is opened that was not seen as a plain file.
type tree struct {
	root   *os.Root
	limits Limits
	report *report
	files  map[string]fs.FileInfo
	unread map[string]bool // manifests that could not be read to their end
	opened map[string]bool // files that were read from
	seen   int             // entries
	spent  int64           // metadata bytes that were read
}

// errChanged says that what is opened is not what was listed.
var errChanged = errors.New("changed while it was being read")

// walk lists the folder dir, which is "." at first. It tells of every entry that
// may not be there.
func (t *tree) walk(dir string, depth int) {
	if depth > t.limits.Depth {
		t.report.add(dir, 0, "folders lie more than %d deep", t.limits.Depth)
		return
	}
	entries, err := t.list(dir)
	if err != nil {
		t.report.add(strings.TrimPrefix(dir, "."), 0, "cannot be listed: %s", reason(err))
		return
	}
	for _, e := range entries {
		if t.seen++; t.seen > t.limits.Files {
			if t.seen == t.limits.Files+1 {
				t.report.add("", 0, "the folder holds more than %d files", t.limits.Files)
			}
			return
		}
		t.entry(dir, e.Name(), depth)
	}
}

// list returns the entries of a folder by name, no more than may be there.
func (t *tree) list(dir string) ([]fs.DirEntry, error) {
	f, err := t.root.OpenFile(filepath.FromSlash(dir), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var all []fs.DirEntry
	for len(all) <= t.limits.Files {
		some, err := f.ReadDir(1024)
		all = append(all, some...)
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

// entry takes one entry of dir.
func (t *tree) entry(dir, name string, depth int) {
	if ignored(name) {
		return
	}
	at := path.Join(dir, name)
	if why := badName(name); why != "" {
		t.report.add(strings.ToValidUTF8(at, "\uFFFD"), 0, "the name %s; rename it", why)
		return
	}
	info, err := t.root.Lstat(filepath.FromSlash(at))
	if err != nil {
		t.report.add(at, 0, "cannot be read: %s", reason(err))
		return
	}
	switch mode := info.Mode(); {
	case mode.IsRegular():
		t.files[at] = info
	case mode.IsDir():
		t.walk(at, depth+1)
	default:
		t.report.add(at, 0, "is %s; only plain files and folders are taken", kindName(mode))
	}
}

// kindName names what is neither a plain file nor a folder.
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

// ignored says whether an entry is none of the folder's: hidden files and what
// desktops leave behind.
func ignored(name string) bool {
	return strings.HasPrefix(name, ".") || name == "Thumbs.db" || name == "desktop.ini" || name == "__MACOSX"
}

// badName says what is wrong with a name; "" is nothing.
func badName(name string) string {
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

// under returns the files below a folder, sorted.
func (t *tree) under(dir string) []string {
	var all []string
	for p := range t.files {
		if strings.HasPrefix(p, dir+"/") {
			all = append(all, p)
		}
	}
	slices.Sort(all)
	return all
}

// has says whether a plain file is there.
func (t *tree) has(p string) bool {
	_, ok := t.files[p]
	return ok
}

// open opens a file that was listed, which is then one that is used.
func (t *tree) open(p string) (*os.File, error) {
	t.opened[p] = true
	return openSeen(t.root, p, t.files[p])
}

// openSeen opens the file that was seen under a path, and no other: not one that
// took its place, nor the same with other bytes as far as size and time tell. It
// never waits for a pipe.
func openSeen(root *os.Root, p string, seen fs.FileInfo) (*os.File, error) {
	if seen == nil {
		return nil, fs.ErrNotExist
	}
	f, err := root.OpenFile(filepath.FromSlash(p), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !same(info, seen) {
		err = errChanged
	}
	if err != nil {
		_ = f.Close() // only read from; err says more
		return nil, err
	}
	return f, nil
}

func same(now, seen fs.FileInfo) bool {
	return now.Mode().IsRegular() && os.SameFile(now, seen) &&
		now.Size() == seen.Size() && now.ModTime().Equal(seen.ModTime())
}
