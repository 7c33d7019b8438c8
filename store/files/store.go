package files

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"time"
)

// Store keeps files, each under the SHA-256 of its content. [Dir] is one, and the package
// bucket has one for object storage. The suite of the package filestest says what all of them
// do. A Store may be used by many goroutines, processes and machines at once.
//
// Errors wrap [io/fs.ErrNotExist] for a key without a file, and are a *fault.Error of kind
// Unavailable when a later try may succeed.
type Store interface {
	// Put stores everything that r returns up to its end, and returns the key of the file, its
	// size in bytes and its SHA-256 in hexadecimal. The file appears whole or not at all. It
	// is durable when Put returns. Putting the same content again renews its time.
	Put(ctx context.Context, r io.Reader) (key string, size int64, digest string, err error)
	// Open opens a file, which the caller closes. Reading fails with [ErrDamaged] before the
	// last bytes of a content that is not that of the key, if it is read from the beginning;
	// see [Checked].
	Open(ctx context.Context, key string) (io.ReadSeekCloser, error)
	// Stat describes a file without reading it.
	Stat(ctx context.Context, key string) (Info, error)
	// Delete removes a file. It is no error if there is none.
	Delete(ctx context.Context, key string) error
	// Each calls do for each file, by key, until do returns an error, which Each returns. It
	// keeps few of them in memory. Files that come or go meanwhile may be left out.
	Each(ctx context.Context, do func(Info) error) error
	// Sweep removes old files that nobody needs; see [Dir.Sweep].
	Sweep(ctx context.Context, keep func(key string) bool, olderThan time.Duration) (removed int, err error)
	// Hold keeps every process from sweeping files until release is called.
	Hold(ctx context.Context) (release func() error, err error)
}

// Info describes a file.
type Info struct {
	Key      string
	Size     int64     // bytes
	Modified time.Time // when it was put last, by the clock of the store
}

// ErrDamaged is the cause of the error of a read that has found out that a file does not have
// the content that its key names.
var ErrDamaged = errors.New("the file is damaged: its content does not have the digest that its key names")

// Checked returns a reader of a file with a key, of size bytes, that checks the digest. The
// check is made when the content is read in one go from the beginning to the end: the read of
// the last bytes fails with [ErrDamaged] and returns none of them. A reader that seeks
// elsewhere gets what is there unchecked, since a digest of the whole says nothing of a part.
func Checked(r io.ReadSeekCloser, key string, size int64) io.ReadSeekCloser {
	return &checked{ReadSeekCloser: r, key: key, size: size, sum: sha256.New()}
}

type checked struct {
	io.ReadSeekCloser
	key    string
	size   int64
	sum    hash.Hash
	at     int64 // where the next read begins
	hashed int64 // how many bytes from the beginning are in sum
}

func (c *checked) Read(p []byte) (int, error) {
	n, err := c.ReadSeekCloser.Read(p)
	follows := c.hashed == c.at
	c.at += int64(n)
	if !follows {
		return n, err
	}
	_, _ = c.sum.Write(p[:n]) // never fails
	c.hashed = c.at
	// http.ServeContent never reads to the end of the file, only to its last byte.
	if c.at >= c.size && (n > 0 || err == io.EOF) && !bytes.Equal([]byte(scheme+"/"+hex.EncodeToString(c.sum.Sum(nil))), []byte(c.key)) {
		return 0, fmt.Errorf("read file %s: %w", c.key, ErrDamaged)
	}
	return n, err
}

func (c *checked) Seek(offset int64, whence int) (int64, error) {
	at, err := c.ReadSeekCloser.Seek(offset, whence)
	if err != nil {
		return at, err
	}
	if c.at = at; at == 0 {
		c.sum.Reset()
		c.hashed = 0
	}
	return at, nil
}

// Check reads the file with a key to its end. The error wraps [ErrDamaged] if the content is
// not that of the key.
func Check(ctx context.Context, s Store, key string) (size int64, err error) {
	f, err := s.Open(ctx, key)
	if err != nil {
		return 0, err
	}
	size, err = io.Copy(io.Discard, reader{ctx, f})
	return size, errors.Join(err, f.Close())
}

// reader is a reader that ends with its context.
type reader struct {
	ctx context.Context
	r   io.Reader
}

func (r reader) Read(p []byte) (int, error) {
	if r.ctx.Err() != nil {
		return 0, context.Cause(r.ctx)
	}
	return r.r.Read(p)
}
