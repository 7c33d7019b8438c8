package backup

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"vaak/app/deployment"
)

// Bounds of an archive that is read.
const (
	maxManifest = 256 << 20
	maxMembers  = 1 << 20
	maxPath     = 1024
	maxDepth    = 32      // directories of a path
	maxPadding  = 1 << 20 // zeroes behind the last member; tar writes 10 KiB at most
	// maxRatio is how many bytes may be unpacked for each byte that is read, after the
	// first freeBytes. Deflate packs zeroes 1,032 to one, which is how a small file could
	// fill a disk. A copy of a database has no empty pages: that of a test shrinks to a
	// tenth.
	maxRatio  = 250
	freeBytes = 64 << 20
)

// errForeign returns the error of a file that no backup has written.
func errForeign(format string, args ...any) error {
	return fmt.Errorf("it is not an archive that vaak backup wrote: "+format, args...)
}

// unarchiver reads an archive into two directories. Nothing that it has written may be
// used before read has returned without an error.
type unarchiver struct {
	database, files *os.Root
	reserved        []string // paths that no member may have
	secrets         []string // paths of the secret, which no member may have either
	remaining       int64    // bytes that may still be written

	found    []Member
	manifest []byte
}

// read reads a whole archive and checks it against its manifest.
func (u *unarchiver) read(ctx context.Context, r io.Reader) (m Manifest, err error) {
	file := &fileRead{r: r}
	unzipped, err := gzip.NewReader(file)
	if errors.Is(err, gzip.ErrHeader) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return m, errForeign("it does not begin as a gzip file does")
	}
	if err != nil {
		return m, err
	}
	defer func() {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			err = errors.New("it is cut short, so that its end is missing")
		}
	}()
	zip := &inflated{r: unzipped, from: file}
	archive := tar.NewReader(zip)
	for {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if errors.Is(err, tar.ErrHeader) {
			return m, errForeign("there is no tar file in it")
		}
		if err == nil {
			err = u.readMember(ctx, h, archive)
		}
		if err != nil {
			return m, err
		}
	}
	// Only zeroes may follow the last member. Reading to the end also makes gzip check the
	// sum of all bytes.
	if err := onlyZeroes(zip); err != nil {
		return m, err
	}
	if u.manifest == nil {
		return m, errors.New("it has no manifest, as one that was cut short has not")
	}
	if err := json.Unmarshal(u.manifest, &m); err != nil {
		return m, fmt.Errorf("read its manifest: %w", err)
	}
	return m, m.check(u.found)
}

// onlyZeroes reads to the end and refuses anything but a few zeroes.
func onlyZeroes(r io.Reader) error {
	buf := make([]byte, 1<<15)
	for remaining := maxPadding; ; {
		n, err := r.Read(buf)
		if remaining -= n; remaining < 0 {
			return fmt.Errorf("more than %d bytes of zeroes follow its end", maxPadding)
		}
		if len(bytes.Trim(buf[:n], "\x00")) > 0 {
			return errors.New("something follows its end")
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// readMember reads one member into its place.
func (u *unarchiver) readMember(ctx context.Context, h *tar.Header, r io.Reader) error {
	switch {
	case h.Typeflag != tar.TypeReg:
		return errForeign("%.100q is no plain file", h.Name)
	case u.manifest != nil:
		return fmt.Errorf("%q follows the manifest, which is the last", h.Name)
	// The header's size is an upper bound of what tar.Reader gives, so the bound holds
	// before a byte is written.
	case h.Size > u.remaining:
		return fmt.Errorf("it holds more than --max-bytes allows, at %q", h.Name)
	case len(u.found) == maxMembers:
		return fmt.Errorf("it holds more than %d files", maxMembers)
	}
	u.remaining -= h.Size
	root, name := u.database, databaseMember
	switch {
	case h.Name == manifestMember && h.Size > maxManifest:
		return fmt.Errorf("its manifest has %d bytes; at most %d are read", h.Size, maxManifest)
	case h.Name == manifestMember:
		// Read into memory, since it is checked before anything is used; maxManifest bounds
		// it.
		text, err := io.ReadAll(r)
		u.manifest = append([]byte{}, text...)
		return err
	case h.Name != databaseMember:
		var err error
		if name, err = u.plain(h.Name); err != nil {
			return err
		}
		root = u.files
	}
	return u.write(ctx, root, name, h, r)
}

// plain returns the path below the data directory that a member names. It refuses a path
// that leaves the directory or is not written in its shortest form, and one that a backup
// never holds.
func (u *unarchiver) plain(member string) (string, error) {
	name, ok := strings.CutPrefix(member, filesPrefix)
	// IsLocal refuses "..", absolute paths and what leaves the directory. Two spellings of
	// one path would pass the check of double names, so only the shortest form is taken.
	// Backslashes separate directories on other systems.
	if !ok || !filepath.IsLocal(name) || path.Clean(name) != name || name == "." || len(name) > maxPath ||
		strings.ContainsAny(name, "\\\x00") || !utf8.ValidString(name) {
		return "", errForeign("%.100q is no path that a backup has", member)
	}
	if n := strings.Count(name, "/"); n > maxDepth {
		return "", errForeign("a path in it has %d directories, and %d are the most", n, maxDepth)
	}
	// Names are compared without case: on some file systems VAAK.DB is the database.
	for _, other := range u.reserved {
		if strings.EqualFold(name, other) {
			return "", errForeign("%.100q has the name of the database, or of what is beside it", member)
		}
	}
	for _, other := range u.secrets {
		if strings.EqualFold(name, other) {
			return "", errForeign("it holds the secret, as %.100q, and a backup never does: whoever wrote it would know what links are signed with", member)
		}
	}
	if leavesOut(name) {
		return "", errForeign("%.100q is what a backup leaves out", member)
	}
	if _, kept := keptDigest(member); !kept && topOf(name) == deployment.Files {
		return "", errForeign("%.100q is no file of a dataset, whose name is its SHA-256", member)
	}
	if _, ok := modelFolder(member); !ok && topOf(name) == deployment.Voices {
		return "", errForeign("%.100q is no file of an added voice, which is in a folder that has the SHA-256 of its model as its name", member)
	}
	return name, nil
}

func (u *unarchiver) write(ctx context.Context, root *os.Root, name string, h *tar.Header, r io.Reader) error {
	if err := root.MkdirAll(path.Dir(name), 0o700); err != nil {
		return err
	}
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) // fails when two members have one name
	if err != nil {
		return err
	}
	sum := sha256.New()
	// The digest is that of what was written, and check compares it with the manifest.
	n, err := io.Copy(io.MultiWriter(f, sum), untilDone{ctx, r})
	if err == nil {
		err = f.Sync()
	}
	u.found = append(u.found, Member{h.Name, n, hex.EncodeToString(sum.Sum(nil))})
	return errors.Join(err, f.Close())
}

// untilDone reads until its context ends.
type untilDone struct {
	ctx context.Context
	r   io.Reader
}

// Read reads from r.
func (u untilDone) Read(p []byte) (int, error) {
	if u.ctx.Err() != nil {
		return 0, context.Cause(u.ctx)
	}
	return u.r.Read(p)
}

// fileRead counts what is read of a file.
type fileRead struct {
	r io.Reader
	n int64
}

// Read reads from r.
func (c *fileRead) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// inflated reads what is compressed in a file. It fails when that is far more than what was
// read of the file (maxRatio).
type inflated struct {
	r    io.Reader
	n    int64
	from *fileRead
}

// Read reads from r.
func (i *inflated) Read(p []byte) (int, error) {
	n, err := i.r.Read(p)
	// The comparison multiplies instead of dividing, so that nothing is rounded; 250 times
	// the size of a file fits into 63 bits up to 36 PB.
	if i.n += int64(n); i.n > freeBytes && i.n-freeBytes > maxRatio*i.from.n {
		return 0, errForeign("%d bytes of it unpack to over %d, which is more than %d to one", i.from.n, i.n, maxRatio)
	}
	return n, err
}
