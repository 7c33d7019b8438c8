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

// pieceBytes is how much is read at a time.
const pieceBytes = 128 << 10

// Put keeps what r holds to its end and returns its key, its size in bytes and
// its SHA-256 in hex. It has returned when a power cut would not undo it. When r
// fails, ctx ends or there is no room, nothing is left; want of room is a
// *fault.Error of kind Unavailable.
func (d *Dir) Put(ctx context.Context, r io.Reader) (key string, size int64, digest string, err error) {
	part, err := os.CreateTemp(d.in(partsDir), "put-*") // with mode 0600
	if err != nil {
		return "", 0, "", failed(err, "begin a file")
	}
	placed := false
	defer func() {
		if !placed { // also when r panics
			_ = part.Close() // it may be closed
			_ = os.Remove(part.Name())
		}
	}()
	if size, digest, err = fill(ctx, part, r); err != nil {
		return "", 0, "", err
	}
	if err := errors.Join(part.Sync(), part.Close()); err != nil {
		return "", 0, "", failed(err, "write a file")
	}
	key = scheme + "/" + digest
	path, _ := Path(key) // a key of ours
	if err := d.place(part.Name(), d.in(filepath.FromSlash(path))); err != nil {
		return "", 0, "", failed(err, "place file "+key)
	}
	placed = true
	return key, size, digest, nil
}

// fill copies r to a file.
func fill(ctx context.Context, f *os.File, r io.Reader) (size int64, digest string, err error) {
	sum, piece := sha256.New(), make([]byte, pieceBytes)
	for {
		n, rerr := r.Read(piece)
		_, _ = sum.Write(piece[:n]) // never fails
		if _, err := f.Write(piece[:n]); err != nil {
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

// place gives a file its name, which may have a like one by now. The lock keeps
// [Dir.Sweep] from taking the old one for it.
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
	return errors.Join(syncDir(shard), syncDir(filepath.Dir(shard)))
}

// syncDir makes what was renamed in a directory safe from a power cut.
func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// failed says what was being done, and of a full disk that trying again may help.
func failed(err error, what string) error {
	err = fmt.Errorf("%s: %w", what, err)
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return fault.Down(fault.CodeStoreUnavailable, time.Minute, err, "there is no room to keep the file; try again later")
	}
	return err
}
