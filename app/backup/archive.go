package backup

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"time"
)

// An archive is a tar file in gzip: the database, the files of the data
// directory, and last a manifest, so that an archive that is cut short has none.
const (
	databaseMember = "vaak.db"
	manifestMember = "manifest.json"
	filesPrefix    = "files/"
	archiveFormat  = "vaak-backup"
	archiveVersion = 1
)

// Manifest says what an archive holds.
type Manifest struct {
	Format  string    `json:"format"`
	Version int       `json:"version"` // of the format
	Program string    `json:"program"` // version of the program that wrote it
	Schema  int       `json:"schema"`  // version of the database's tables
	Created time.Time `json:"created"`
	Members []Member  `json:"members"` // all but the manifest itself
}

// Member is a file in an archive.
type Member struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"` // hexadecimal
}

// archiver writes an archive.
type archiver struct {
	zip      *gzip.Writer
	tar      *tar.Writer
	manifest Manifest
}

func newArchiver(w io.Writer, program string, schema int, now time.Time) *archiver {
	zip := gzip.NewWriter(w)
	return &archiver{zip, tar.NewWriter(zip), Manifest{
		Format: archiveFormat, Version: archiveVersion, Program: program, Schema: schema, Created: now.UTC(),
	}}
}

// add adds a file with the size that it has now. What is appended while it is read is
// left out.
func (a *archiver) add(name string, f fs.File) error {
	if len(a.manifest.Members) == maxMembers {
		return fmt.Errorf("there are more than %d files to back up", maxMembers)
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	sum := sha256.New()
	// A tar header holds the size before the content, so the size is fixed now. A server
	// that runs may append to the file meanwhile.
	if err := a.write(name, info.Size(), io.TeeReader(io.LimitReader(f, info.Size()), sum)); err != nil {
		return fmt.Errorf("add %s: %w", name, err)
	}
	a.manifest.Members = append(a.manifest.Members, Member{name, info.Size(), hex.EncodeToString(sum.Sum(nil))})
	return nil
}

func (a *archiver) write(name string, size int64, r io.Reader) error {
	err := a.tar.WriteHeader(&tar.Header{
		Typeflag: tar.TypeReg, Name: name, Size: size, Mode: 0o600, ModTime: a.manifest.Created, Format: tar.FormatPAX,
	})
	if err != nil {
		return err
	}
	n, err := io.Copy(a.tar, r)
	if err == nil && n < size {
		err = io.ErrUnexpectedEOF // the file became shorter while it was read
	}
	return err
}

// addTree adds the regular files below a directory for which skip is false. A directory
// for which skip is true is left out with all that is in it.
func (a *archiver) addTree(ctx context.Context, root *os.Root, skip func(name string) bool) error {
	files := root.FS()
	return fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil // it was removed since its directory was read
		case err != nil:
			return err
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case skip(name) && d.IsDir():
			return fs.SkipDir
		case skip(name) || !d.Type().IsRegular():
			return nil
		}
		// The bounds are those of a restore. A backup that cannot be restored must fail
		// today, not on the day that it is needed.
		if len(name) > maxPath || strings.Count(name, "/") > maxDepth {
			return fmt.Errorf("%.100s... lies too deep: a restore takes paths of at most %d directories and %d bytes; move it out of the data directory", name, maxDepth, maxPath)
		}
		f, err := files.Open(name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		return errors.Join(a.add(path.Join(filesPrefix, name), f), f.Close())
	})
}

// close adds the manifest and ends the archive.
func (a *archiver) close() error {
	text, err := json.MarshalIndent(a.manifest, "", "  ")
	if err != nil {
		return err
	}
	if err := a.write(manifestMember, int64(len(text)), strings.NewReader(string(text))); err != nil {
		return err
	}
	return errors.Join(a.tar.Close(), a.zip.Close())
}

// check compares the manifest with what was found in the archive.
func (m Manifest) check(found []Member) error {
	switch {
	case m.Format != archiveFormat:
		return fmt.Errorf("its manifest says %q, not %s", m.Format, archiveFormat)
	case m.Version != archiveVersion:
		return fmt.Errorf("it is of version %d; this program reads version %d", m.Version, archiveVersion)
	case len(found) != len(m.Members):
		return fmt.Errorf("it holds %d files, and its manifest lists %d", len(found), len(m.Members))
	}
	// The counts are equal, and the unarchiver lets no name appear twice. So if every
	// member that was found is listed as it is, nothing that is listed is missing.
	listed := make(map[string]Member, len(m.Members))
	for _, f := range m.Members {
		listed[f.Name] = f
	}
	database := false
	for _, f := range found {
		if listed[f.Name] != f {
			return fmt.Errorf("%s is not what its manifest says", f.Name)
		}
		if digits, ok := keptDigest(f.Name); ok && digits != f.SHA256 {
			return fmt.Errorf("%s does not hold what its name says", f.Name)
		}
		if digest, ok := modelDigest(f.Name); ok && digest != f.SHA256 {
			return fmt.Errorf("%s does not hold the model that its name says", f.Name)
		}
		database = database || f.Name == databaseMember
	}
	if !database {
		return errors.New("it holds no database")
	}
	return nil
}
