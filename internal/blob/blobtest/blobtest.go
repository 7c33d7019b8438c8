// Package blobtest says by tests what every [blob.Store] does.
package blobtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"vaak/internal/blob"
)

// Harness opens a store for the tests.
type Harness struct {
	// Open opens an empty store, with heads of so many bytes, and another one on the same blobs
	// as another process would.
	Open func(t *testing.T, head int) (s, other blob.Store)
}

// Run runs all tests.
func Run(t *testing.T, h Harness) {
	t.Parallel()
	for name, test := range map[string]func(*testing.T, Harness){
		"keep": keep, "heads": heads, "names": names, "drafts": drafts, "replace": replace, "ranges": ranges, "each": each, "cancel": cancelled,
		"at once": atOnce,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, h)
		})
	}
}

// Bytes returns bytes that tell where they are.
func Bytes(n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{byte(n)}).Read(b)
	return b
}

// Put keeps a blob, in writes of several sizes.
func Put(ctx context.Context, s blob.Store, name string, content []byte, head string) error {
	d, err := s.Create(ctx, name)
	if err != nil {
		return err
	}
	defer d.Discard()
	for size := 1; len(content) > 0; size *= 7 {
		n := min(size, len(content))
		if m, err := d.Write(content[:n]); m != n || err != nil {
			return errors.Join(fmt.Errorf("write = %d of %d", m, n), err)
		}
		content = content[n:]
	}
	return d.Commit(head)
}

// Get reads a blob.
func Get(ctx context.Context, s blob.Store, name string) ([]byte, blob.Info, error) {
	r, info, err := s.Open(ctx, name)
	if err != nil {
		return nil, info, err
	}
	b, err := io.ReadAll(r)
	return b, info, errors.Join(err, r.Close())
}

// Names lists the blobs of a store that Stat finds, in order.
func Names(t testing.TB, s blob.Store) (all []string) {
	t.Helper()
	if err := s.Each(t.Context(), func(name string) error {
		_, err := s.Stat(t.Context(), name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		all = append(all, name)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	slices.Sort(all)
	return all
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// gone checks that there is no such blob.
func gone(t *testing.T, s blob.Store, name string) {
	t.Helper()
	_, _, err := s.Open(t.Context(), name)
	_, serr := s.Stat(t.Context(), name)
	if !errors.Is(err, fs.ErrNotExist) || !errors.Is(serr, fs.ErrNotExist) {
		t.Errorf("%q: Open = %v, Stat = %v, want fs.ErrNotExist", name, err, serr)
	}
}

func keep(t *testing.T, h Harness) {
	s, other := h.Open(t, 0)
	for _, size := range []int{0, 1, 16 << 10, 100_001, 3 << 20} {
		name := fmt.Sprint("blob-", size)
		gone(t, s, name)
		must(t, Put(t.Context(), s, name, Bytes(size), ""))
		got, info, err := Get(t.Context(), other, name)
		if err != nil || !bytes.Equal(got, Bytes(size)) || info.Size != int64(size) || info.Name != name || info.Head != "" || time.Since(info.Modified).Abs() > time.Minute {
			t.Errorf("%d bytes: Open = %d bytes, %+v, %v", size, len(got), info, err)
		}
		if again, err := other.Stat(t.Context(), name); err != nil || again.Size != info.Size || !again.Modified.Equal(info.Modified) {
			t.Errorf("Stat = %+v, %v, want what Open says: %+v", again, err, info)
		}
		for range 2 {
			if err := other.Delete(t.Context(), name); err != nil {
				t.Errorf("Delete = %v", err)
			}
		}
		gone(t, s, name)
	}
}

func heads(t *testing.T, h Harness) {
	const most = 512
	s, other := h.Open(t, most)
	for i, head := range []string{"", "x", "two\nlines", strings.Repeat("é", most/2)} {
		name := fmt.Sprint("blob-", i)
		content := Bytes(i * 1000)
		must(t, Put(t.Context(), s, name, content, head))
		got, info, err := Get(t.Context(), other, name)
		if err != nil || !bytes.Equal(got, content) || info.Head != head || info.Size != int64(len(content)) {
			t.Errorf("Open = %d bytes, %+v, %v, want %d with the head %q", len(got), info, err, len(content), head)
		}
	}
	if err := Put(t.Context(), s, "too long", nil, strings.Repeat("x", most+1)); err == nil {
		t.Error("a head that is too long is kept")
	}
	gone(t, s, "too long")
	none, _ := h.Open(t, 0)
	if err := Put(t.Context(), none, "none", nil, "x"); err == nil {
		t.Error("a head is kept in a store without")
	}
}

func names(t *testing.T, h Harness) {
	s, _ := h.Open(t, 0)
	for _, name := range []string{"a", "A", "clip_2.mp3", "with space", "é", "100%", "a+b&c=d", strings.Repeat("n", 255)} {
		if err := Put(t.Context(), s, name, []byte(name), ""); err != nil {
			t.Errorf("Create(%q): %v", name, err)
		} else if got, _, err := Get(t.Context(), s, name); string(got) != name || err != nil {
			t.Errorf("Open(%q) = %q, %v", name, got, err)
		}
	}
	for _, name := range []string{"", ".", "..", ".hidden", "a/b", "../a", "/a", "a\x00", "a\n", "a\\b", "\xff", strings.Repeat("n", 256)} {
		if _, err := s.Create(t.Context(), name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Create(%q) = %v, want fs.ErrNotExist", name, err)
		}
		if err := s.Delete(t.Context(), name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Delete(%q) = %v, want fs.ErrNotExist", name, err)
		}
		gone(t, s, name)
	}
}

// drafts looks that what is not committed is nowhere, however it ends.
func drafts(t *testing.T, h Harness) {
	s, other := h.Open(t, 0)
	for _, size := range []int{0, 100, 3 << 20} {
		d, err := s.Create(t.Context(), "draft")
		must(t, err)
		_, err = d.Write(Bytes(size))
		must(t, err)
		must(t, d.Sync())
		gone(t, other, "draft")
		if all := Names(t, other); len(all) > 0 {
			t.Errorf("there are %q while it is written", all)
		}
		d.Discard()
		d.Discard()
		if _, err := d.Write([]byte("x")); err == nil {
			t.Error("Write after Discard is no error")
		}
		if err := d.Commit(""); err == nil {
			t.Error("Commit after Discard is no error")
		}
		gone(t, other, "draft")
	}
	d, err := s.Create(t.Context(), "draft")
	must(t, err)
	must(t, d.Commit(""))
	d.Discard()
	if err := d.Commit(""); err == nil {
		t.Error("the second Commit is no error")
	}
	if _, err := other.Stat(t.Context(), "draft"); err != nil {
		t.Errorf("Discard after Commit removes it: %v", err)
	}
}

func replace(t *testing.T, h Harness) {
	s, other := h.Open(t, 0)
	old, young := Bytes(300_000), Bytes(200_000)
	must(t, Put(t.Context(), s, "blob", old, ""))
	r, _, err := other.Open(t.Context(), "blob")
	must(t, err)
	defer r.Close() // read only
	must(t, Put(t.Context(), other, "blob", young, ""))
	if got, _, err := Get(t.Context(), s, "blob"); err != nil || !bytes.Equal(got, young) {
		t.Errorf("Open of the new one = %d bytes, %v", len(got), err)
	}
	// One who has opened the old one gets it, or an error, but nothing else.
	if got, err := io.ReadAll(r); err == nil && !bytes.Equal(got, old) {
		t.Errorf("the old one has %d other bytes", len(got))
	}
}

// ranges reads a blob as one who serves parts of it.
func ranges(t *testing.T, h Harness) {
	s, _ := h.Open(t, 64)
	content := Bytes(300_000)
	must(t, Put(t.Context(), s, "blob", content, "head"))
	r, _, err := s.Open(t.Context(), "blob")
	must(t, err)
	defer r.Close() // read only
	for _, part := range [][2]int{{0, 1}, {100_000, 200_000}, {299_999, 300_000}, {5, 10}, {0, 300_000}, {300_000, 300_000}} {
		if end, err := r.Seek(0, io.SeekEnd); end != int64(len(content)) || err != nil {
			t.Errorf("Seek to the end = %d, %v", end, err)
		}
		if _, err := r.Seek(int64(part[0]), io.SeekStart); err != nil {
			t.Fatal(err)
		}
		got := make([]byte, part[1]-part[0])
		if _, err := io.ReadFull(r, got); err != nil || !bytes.Equal(got, content[part[0]:part[1]]) {
			t.Errorf("bytes %v: %v, or other bytes", part, err)
		}
	}
	if n, err := r.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("Read at the end = %d, %v, want EOF", n, err)
	}
	if _, err := r.Seek(-1, io.SeekStart); err == nil {
		t.Error("Seek before the beginning works")
	}
}

func each(t *testing.T, h Harness) {
	s, other := h.Open(t, 0)
	if all := Names(t, s); len(all) > 0 {
		t.Errorf("there are %q in a new store", all)
	}
	var want []string
	for i := range 30 {
		want = append(want, fmt.Sprintf("blob-%02d", i))
		must(t, Put(t.Context(), s, want[i], nil, ""))
	}
	if got := Names(t, other); !slices.Equal(got, want) {
		t.Errorf("Each = %q, want %q", got, want)
	}
	enough := errors.New("enough")
	n := 0
	if err := s.Each(t.Context(), func(string) error { n++; return enough }); !errors.Is(err, enough) || n != 1 {
		t.Errorf("Each until an error = %v after %d", err, n)
	}
}

func cancelled(t *testing.T, h Harness) {
	s, _ := h.Open(t, 0)
	must(t, Put(t.Context(), s, "blob", []byte("a"), ""))
	ctx, cancel := context.WithCancel(t.Context())
	d, err := s.Create(ctx, "other")
	must(t, err)
	d.Discard()
	cancel()
	_, cerr := s.Create(ctx, "other")
	_, _, oerr := s.Open(ctx, "blob")
	_, serr := s.Stat(ctx, "blob")
	for what, err := range map[string]error{
		"Create": cerr, "Open": oerr, "Stat": serr, "Delete": s.Delete(ctx, "blob"), "Each": s.Each(ctx, func(string) error { return nil }),
	} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s of one who went away = %v, want Canceled", what, err)
		}
	}
	if all := Names(t, s); !slices.Equal(all, []string{"blob"}) {
		t.Errorf("there are %q, want the blob", all)
	}
}

// atOnce has several replace, read and delete one blob: a reader gets one that was written.
func atOnce(t *testing.T, h Harness) {
	s, other := h.Open(t, 0)
	a, b := Bytes(50_000), Bytes(60_000)
	var all sync.WaitGroup
	for i, s := range []blob.Store{s, other} {
		all.Go(func() {
			for range 10 {
				if err := Put(t.Context(), s, "blob", [][]byte{a, b}[i], ""); err != nil {
					t.Error(err)
				}
			}
		})
		all.Go(func() {
			for range 10 {
				got, _, err := Get(t.Context(), s, "blob")
				if err == nil && !bytes.Equal(got, a) && !bytes.Equal(got, b) {
					t.Errorf("Open = %d bytes that nobody has written", len(got))
				}
			}
		})
	}
	all.Wait()
	if got, _, err := Get(t.Context(), s, "blob"); err != nil || !bytes.Equal(got, a) && !bytes.Equal(got, b) {
		t.Errorf("in the end Open = %d bytes, %v", len(got), err)
	}
}
