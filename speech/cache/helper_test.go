package cache

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// key returns key n of a test.
func key(n int) (k Key) {
	binary.BigEndian.PutUint64(k[:], uint64(n))
	k[31] = 1
	return k
}

// body returns the bytes that every draft of key writes.
func body(k Key, size int) []byte {
	b := make([]byte, size)
	r := rand.NewChaCha8(k)
	_, _ = r.Read(b) // never fails
	return b
}

func head(k Key) []byte { return []byte(fmt.Sprintf("head of %x", k[:8])) }

func open(t testing.TB, c Config) *Cache {
	t.Helper()
	k, err := Open(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := k.Close(); err != nil {
			t.Error(err)
		}
	})
	return k
}

// put drafts and commits a body in pieces.
func put(c *Cache, k Key, b []byte, piece int) error {
	d := c.Begin(k)
	defer d.Discard()
	for p := b; len(p) > 0; {
		n, err := d.Write(p[:min(piece, len(p))])
		if err != nil || n != min(piece, len(p)) {
			return fmt.Errorf("Write of %d bytes = %d, %w", min(piece, len(p)), n, err)
		}
		p = p[n:]
	}
	d.Commit(head(k))
	return nil
}

// check gets an answer and compares all of it. It returns whether there was one.
func check(c *Cache, k Key, want []byte) (bool, error) {
	e, ok := c.Get(k)
	if !ok {
		return false, nil
	}
	return true, errors.Join(same(e, k, want), e.Close())
}

func same(e *Entry, k Key, want []byte) error {
	var got bytes.Buffer
	n, err := e.WriteTo(&got)
	switch {
	case err != nil:
		return err
	case n != int64(len(want)) || e.Size() != n || !bytes.Equal(got.Bytes(), want):
		return fmt.Errorf("body of %x has %d bytes, Size %d; want the %d that were written", k[:8], n, e.Size(), len(want))
	case !bytes.Equal(e.Head(), head(k)):
		return fmt.Errorf("head of %x = %q, want %q", k[:8], e.Head(), head(k))
	}
	return nil
}

// disk returns the room of all files in a directory but the lock, and how many are
// entries and drafts.
func disk(dir string) (room int64, entries, drafts int, err error) {
	files, err := os.ReadDir(dir)
	for _, f := range files {
		info, ierr := f.Info()
		if errors.Is(ierr, fs.ErrNotExist) {
			continue
		}
		err = errors.Join(err, ierr)
		switch {
		case f.Name() == lockName:
			continue
		case strings.HasSuffix(f.Name(), draftSuffix):
			drafts++
		default:
			entries++
		}
		room += blocks(info.Size())
	}
	return room, entries, drafts, err
}

// tidy fails unless the directory holds the cache's entries, no drafts, and takes
// the room that the cache says.
func tidy(c *Cache) error {
	room, entries, drafts, err := disk(c.dir)
	if s := c.Stats(); err != nil || drafts != 0 || entries != s.Entries || room != s.Bytes || room > c.maxBytes {
		return fmt.Errorf("on disk %d bytes in %d entries and %d drafts (%v), Stats %+v, MaxBytes %d",
			room, entries, drafts, err, s, c.maxBytes)
	}
	return nil
}

var _ interface {
	io.ReadCloser
	io.WriterTo
} = (*Entry)(nil)
