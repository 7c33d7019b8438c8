package smtp

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"time"

	"vaak/enquiry"
)

// Folder writes mails as files into a directory. It replaces a mail server where there is none.
// Safe for concurrent use, also by several processes.
type Folder struct{ dir string }

const (
	mailExt      = ".eml"
	unfinished   = ".unfinished"
	unfinishedIn = time.Hour // an older unfinished file belongs to a process that has died
)

var mailName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$`)

// NewFolder returns a folder. It creates the directory, accessible to its owner only, if there
// is none.
func NewFolder(dir string) (*Folder, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the directory of mails: %w", err)
	}
	f := &Folder{dir: dir}
	if err := f.tidy(); err != nil {
		return nil, fmt.Errorf("read the directory of mails: %w", err)
	}
	return f, nil
}

// Dir returns the directory.
func (f *Folder) Dir() string { return f.dir }

// tidy removes files that a killed process left unfinished.
func (f *Folder) tidy() error {
	entries, err := os.ReadDir(f.dir)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(f.dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !strings.HasSuffix(e.Name(), unfinished) || time.Since(info.ModTime()) < unfinishedIn {
			continue
		}
		if err := root.Remove(e.Name()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Send implements [enquiry.Sender]. When it returns nil, the mail is complete in the file named
// after its ID, and on the disk. The same mail again replaces the same file.
func (f *Folder) Send(ctx context.Context, m enquiry.Mail) error {
	if !mailName.MatchString(m.ID) {
		return &enquiry.Refusal{Stage: "ID"}
	}
	msg, err := compose(m)
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	var b bytes.Buffer
	if _, err := msg.WriteTo(&b); err != nil {
		return errors.New("compose the mail") // the cause may quote the mail, so it is dropped
	}
	if err := f.put(m.ID+mailExt, b.Bytes()); err != nil {
		return fmt.Errorf("write the mail: %w", err)
	}
	return nil
}

// put creates a file with all of its content, or not at all.
func (f *Folder) put(name string, content []byte) error {
	root, err := os.OpenRoot(f.dir)
	if err != nil {
		return err
	}
	defer root.Close()
	// Written under another name first: a reader of the directory never sees half a mail.
	part := name + "." + rand.Text() + unfinished
	if err := write(root, part, content); err != nil {
		_ = root.Remove(part) // err matters more
		return err
	}
	if err := root.Rename(part, name); err != nil {
		_ = root.Remove(part)
		return err
	}
	return syncDir(root)
}

// write creates a file and flushes it to the disk.
func write(root *os.Root, name string, content []byte) error {
	w, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = w.Write(content)
	if err == nil {
		err = w.Sync()
	}
	return errors.Join(err, w.Close())
}

// syncDir flushes the entries of a directory to the disk; a rename is not durable without it.
func syncDir(root *os.Root) error {
	d, err := root.Open(".")
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
