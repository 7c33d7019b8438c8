package files

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"vaak/internal/fault"
)

// bufferBytes is how much is read at a time.
const bufferBytes = 128 << 10

// Put stores everything that r returns up to its end. It returns the key of the file, its
// size in bytes, and its SHA-256 in hexadecimal. A power cut after that does not lose the
// file. When r fails, ctx ends or the disk is full, nothing is stored. The error for a full
// disk is a *fault.Error of kind Unavailable.
func (d *Dir) Put(ctx context.Context, r io.Reader) (key string, size int64, digest string, err error) {
	part, err := os.CreateTemp(d.in(partsDir), "put-*") // with mode 0600
	if err != nil {
		return "", 0, "", failed(err, "begin a file")
	}
	placed := false
	defer func() {
		if !placed { // also when r panics
			_ = part.Close()           // it may be closed already
			_ = os.Remove(part.Name()) // if this fails, a sweep removes the part
		}
	}()
	if size, digest, err = Copy(ctx, part, r); err != nil {
		return "", 0, "", err
	}
	// Before the rename: otherwise a power cut could leave the name with content missing.
	if err := errors.Join(part.Sync(), part.Close()); err != nil {
		return "", 0, "", failed(err, "write a file")
	}
	key = scheme + "/" + digest
	path, _ := Path(key) // true: the key was made from a digest
	if err := d.place(part.Name(), d.in(filepath.FromSlash(path))); err != nil {
		return "", 0, "", failed(err, "place file "+key)
	}
	placed = true
	return key, size, digest, nil
}

// Copy copies r to a file, and returns the size and the SHA-256 in hexadecimal of what it
// copied. It ends with ctx. The error for a full disk is a *fault.Error of kind Unavailable.
func Copy(ctx context.Context, f *os.File, r io.Reader) (size int64, digest string, err error) {
	sum, buf := sha256.New(), make([]byte, bufferBytes)
	for {
		// Read may return bytes together with an error, so the bytes are written first.
		n, rerr := r.Read(buf)
		_, _ = sum.Write(buf[:n]) // never fails
		if _, err := f.Write(buf[:n]); err != nil {
			return 0, "", failed(err, "write a file")
		}
		size += int64(n)
		switch {
		case rerr == io.EOF:
			return size, hex.EncodeToString(sum.Sum(nil)), nil
		case rerr != nil:
			return 0, "", fmt.Errorf("read what is to be kept: %w", rerr)
		case ctx.Err() != nil:
			return 0, "", fmt.Errorf("read what is to be kept: %w", context.Cause(ctx))
		}
	}
}

// place renames a part to its path. An identical file may be there already, and is replaced.
// The lock keeps [Dir.Sweep] from removing the new file where it meant the old one.
func (d *Dir) place(part, path string) error {
	shard := filepath.Dir(path)
	if err := os.Mkdir(shard, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	release, err := d.lock(syscall.LOCK_SH)
	if err != nil {
		return err
	}
	if err := errors.Join(os.Rename(part, path), release()); err != nil {
		return err
	}
	// The name is in the shard, and that of a new shard is in its parent.
	return errors.Join(syncDir(shard), syncDir(filepath.Dir(shard)))
}

// syncDir syncs the entries of a directory, so that a power cut does not undo a rename.
func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// failed adds to err what was being done. For a full disk, also by quota, it returns an
// error of kind Unavailable, since a later try may succeed.
func failed(err error, what string) error {
	err = fmt.Errorf("%s: %w", what, err)
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return fault.Down(fault.CodeStoreUnavailable, time.Minute, err, "there is no room to keep the file; try again later")
	}
	return err
}
