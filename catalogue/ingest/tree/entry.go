package tree

import (
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"vaak/catalogue/ingest/report"
)

// File is an open file of a folder.
type File interface {
	Reader
	io.Closer
	Stat() (fs.FileInfo, error)
}

// Entry is a file of a folder as it was when the folder was listed: a plain file, or a member of
// a container.
type Entry struct {
	info   fs.FileInfo // of the plain file, or of the container
	in     string      // path of the container; "" is a plain file
	member Member
}

// Size returns the size of the file in bytes.
func (e Entry) Size() int64 {
	if e.member != nil {
		return e.member.Size()
	}
	return e.info.Size()
}

// Member returns what the file is in its container, or nil if it is a plain file.
func (e Entry) Member() Member { return e.member }

// In returns the path of the container that the file is in, or "".
func (e Entry) In() string { return e.in }

// Member is a file in a container.
type Member interface {
	Size() int64 // in bytes
	// Open returns the bytes of the member of an open container, of size bytes. If the reader is
	// an [io.Closer], it is closed with the file.
	Open(container io.ReaderAt, size int64) (Reader, error)
}

// Reader reads an open file.
type Reader interface {
	io.Reader
	io.ReaderAt
	io.Seeker
}

// Container is a kind of file that holds other files: an archive, or a table with audio in it.
// Its files are listed as if they were unpacked where the container lies, and the container is
// then no file of the folder any more.
type Container struct {
	Extension string // in lower case, with the dot
	// Within says that the files lie in a folder of the container's name, without extension.
	Within bool
	// List calls each for every file of a container of size bytes, with its name relative to
	// where the container lies, and stops with the error that each returns. If it calls each
	// for none and returns nil, the container stays a file of the folder. Its error is the end
	// of a sentence about the container.
	List func(f File, size int64, each func(name string, m Member) error) error
	// Skip reports whether the container of a path is not unfolded, and stays a file.
	Skip func(p string) bool
	// Keep says that the container stays a file of the folder beside its members.
	Keep bool
}

// Entries are the files of a folder by path.
type Entries map[string]Entry

// Open opens a file that was listed. root must be the folder. The error is [ErrChanged] if the
// file, or the container that it is in, is not the same any more.
func (e Entries) Open(root *os.Root, p string) (File, error) {
	one, ok := e[p]
	if !ok {
		return nil, fs.ErrNotExist
	}
	at := p
	if one.member != nil {
		at = one.in
	}
	f, err := OpenSeen(root, at, one.info)
	if err != nil {
		return nil, err // not f: a nil *os.File in the interface would not be nil
	}
	if one.member == nil {
		return f, nil
	}
	inside, err := one.member.Open(f, one.info.Size())
	if err != nil {
		_ = f.Close() // it was only read
		return nil, err
	}
	return &memberFile{inside, f, memberInfo{path.Base(p), one.member.Size(), one.info}}, nil
}

// memberFile is an open member.
type memberFile struct {
	Reader
	container *os.File
	info      memberInfo
}

// Close closes the member and its container.
func (m *memberFile) Close() error {
	var err error
	if c, ok := m.Reader.(io.Closer); ok {
		err = c.Close()
	}
	return errors.Join(err, m.container.Close())
}

// Stat returns the size of the member and the time of its container, as that is now.
func (m *memberFile) Stat() (fs.FileInfo, error) {
	now, err := m.container.Stat()
	if err != nil {
		return nil, err
	}
	return memberInfo{m.info.name, m.info.size, now}, nil
}

// memberInfo describes a member: what it does not have of its own is that of its container.
type memberInfo struct {
	name string
	size int64
	of   fs.FileInfo
}

func (i memberInfo) Name() string       { return i.name }
func (i memberInfo) Size() int64        { return i.size }
func (i memberInfo) Mode() fs.FileMode  { return i.of.Mode() }
func (i memberInfo) ModTime() time.Time { return i.of.ModTime() }
func (i memberInfo) IsDir() bool        { return false }
func (i memberInfo) Sys() any           { return nil }

// unfolding is a container whose files are being listed.
type unfolding struct {
	Container
	path    string
	info    fs.FileInfo
	members map[string]Member // by clean path in the container
	within  bool              // the files go into a folder of the container's name
}

// dir returns the folder that the files go into.
func (u *unfolding) dir() string {
	if u.within {
		return strings.TrimSuffix(u.path, path.Ext(u.path))
	}
	return path.Dir(u.path)
}

// unfold lists the files in the containers of the folder. Containers inside containers are not
// unfolded. Where two archives beside each other have a file of the same name, such as train.zip
// and test.zip with a metadata.csv each, each goes into a folder of its own name.
func (t *Tree) unfold(containers []Container) {
	var all []*unfolding
	owners := map[string]*unfolding{} // by path
	for _, p := range t.Sorted() {
		for _, c := range containers {
			if strings.ToLower(path.Ext(p)) != c.Extension || c.Skip(p) {
				continue
			}
			if t.stop() != nil {
				return
			}
			u := &unfolding{Container: c, path: p, info: t.files[p].info, members: map[string]Member{}, within: c.Within}
			t.members(u)
			all = append(all, u)
			for name := range u.members {
				at := path.Join(u.dir(), name)
				if owner := owners[at]; owner != nil {
					owner.within, u.within = true, true
				} else {
					owners[at] = u
				}
			}
		}
	}
	for _, u := range all {
		t.mount(u)
	}
}

// errFull ends the listing of a container because the folder has too many files.
var errFull = errors.New("too many files")

// members lists the files of a container, and takes the container off the files of the folder.
func (t *Tree) members(u *unfolding) {
	f, err := OpenSeen(t.root, u.path, u.info)
	if err != nil {
		t.Report.Add(u.path, 0, "cannot be read: %s", report.Reason(err))
		return
	}
	defer f.Close()
	found := false
	err = u.List(f, u.info.Size(), func(name string, m Member) error {
		found = true
		if err := t.stop(); err != nil {
			return err
		}
		if why := BadMember(name); why != "" {
			t.Report.Add(u.path, 0, "holds %s, whose name %s; only names inside the archive are taken", report.Quote(name), why)
			return nil
		}
		clean := path.Clean(name)
		if slices.ContainsFunc(strings.Split(clean, "/"), ignored) {
			return nil
		}
		if _, twice := u.members[clean]; twice {
			t.Report.Add(u.path, 0, "holds %s twice", report.Quote(name))
			return nil
		}
		if !t.count() {
			return errFull
		}
		u.members[clean] = m
		return nil
	})
	bad := err != nil && !errors.Is(err, errFull)
	if bad {
		t.Report.Add(u.path, 0, "%s", report.Reason(err))
	}
	if (found || bad) && !u.Keep {
		delete(t.files, u.path)
	}
}

// mount adds the files of a container to those of the folder. A file that is there unpacked too,
// with the same size, is taken from there, so that people may keep both.
func (t *Tree) mount(u *unfolding) {
	for _, name := range slices.Sorted(maps.Keys(u.members)) {
		m, at := u.members[name], path.Join(u.dir(), name)
		if strings.Count(at, "/") > t.limits.Depth {
			t.Report.Add(u.path, 0, "holds %s: folders lie more than %d deep", report.Quote(name), t.limits.Depth)
			continue
		}
		switch there, twice := t.files[at]; {
		case twice && there.in == "" && there.Size() == m.Size():
		case twice && there.in != "":
			t.Report.Add(u.path, 0, "holds %s, which %s holds too", report.Quote(name), there.in)
		case twice:
			t.Report.Add(u.path, 0, "holds %s, which is beside it too, with another size; remove one of them", report.Quote(name))
		default:
			t.files[at] = Entry{info: u.info, in: u.path, member: m}
		}
	}
}

// BadMember returns what is wrong with the name of a file in an archive, as the end of a
// sentence, or "".
func BadMember(name string) string {
	switch {
	case len(name) > 1024: // bytes
		return "is too long"
	case BadName(name) != "":
		return BadName(name)
	case strings.HasPrefix(name, "/") || len(name) > 1 && name[1] == ':':
		return "is absolute"
	case path.Clean("/"+name) == "/":
		return "is empty"
	case slices.Contains(strings.Split(name, "/"), ".."):
		return "leaves the folder"
	}
	return ""
}

// Sorted returns the paths of all files, sorted.
func (t *Tree) Sorted() []string {
	all := make([]string, 0, len(t.files))
	for p := range t.files {
		all = append(all, p)
	}
	slices.Sort(all)
	return all
}
