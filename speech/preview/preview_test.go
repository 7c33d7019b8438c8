package preview

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"vaak/internal/blob"
)

const voiceID = "sv_aaaaaaaaaaaaaaaa"

func names(t *testing.T, dir string) []string {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, f := range files {
		all = append(all, f.Name())
	}
	return all
}

func TestPutAndGet(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "made", "when needed")
	s := New(dir, nil)
	name := Name(voiceID, "key", "mp3")
	if _, err := s.Get(t.Context(), name); !errors.Is(err, fs.ErrNotExist) || s.Has(t.Context(), name) {
		t.Errorf("Get of nothing = %v, Has = %v", err, s.Has(t.Context(), name))
	}
	put, err := s.Put(t.Context(), name, []byte("clip"))
	if err != nil || !s.Has(t.Context(), name) {
		t.Fatalf("Put = %v, Has = %v", err, s.Has(t.Context(), name))
	}
	for what, shelf := range map[string]*Shelf{"it": s, "another": New(dir, nil)} {
		got, err := shelf.Get(t.Context(), name)
		if err != nil || string(got.Data) != "clip" || got.ETag != put.ETag || !got.Modified.Equal(put.Modified) {
			t.Errorf("%s gets %q %s of %v, %v; want what was put: %s of %v", what, got.Data, got.ETag, got.Modified, err, put.ETag, put.Modified)
		}
	}
	if got := names(t, dir); !slices.Equal(got, []string{name}) {
		t.Errorf("files %q, want the clip alone", got)
	}
}

// Another server may have put other bytes there, if its engine makes other ones
// each time.
func TestGetOfAReplacedFile(t *testing.T) {
	t.Parallel()
	dir, name := t.TempDir(), Name(voiceID, "key", "mp3")
	s := New(dir, nil)
	old, err := s.Put(t.Context(), name, []byte("old clip"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := New(dir, nil).Put(t.Context(), name, []byte("new clip")); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(filepath.Join(dir, name), time.Time{}, old.Modified.Add(time.Second)); err != nil {
		t.Fatal(err)
	}
	got, err := s.Get(t.Context(), name)
	if err != nil || string(got.Data) != "new clip" || got.ETag == old.ETag || got.ETag != tag([]byte("new clip")) {
		t.Errorf("Get = %q %s, %v, want the new bytes and their tag", got.Data, got.ETag, err)
	}
}

func TestNothingIsKept(t *testing.T) {
	t.Parallel()
	name := Name(voiceID, "key", "mp3")
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		dir   string
		fails bool
	}{{"", false}, {filepath.Join(file, "previews"), true}} {
		s := New(tt.dir, nil)
		c, err := s.Put(t.Context(), name, []byte("clip"))
		if (err != nil) != tt.fails || string(c.Data) != "clip" || c.ETag != tag([]byte("clip")) || c.Modified.IsZero() {
			t.Errorf("%q: Put = %+v, %v, want the clip", tt.dir, c, err)
		}
		if _, err := s.Get(t.Context(), name); err == nil || s.Has(t.Context(), name) {
			t.Errorf("%q: what was not kept is there", tt.dir)
		}
	}
}

// A power failure may leave a name without content on some file systems.
func TestEmptyFileIsNoClip(t *testing.T) {
	t.Parallel()
	dir, name := t.TempDir(), Name(voiceID, "key", "mp3")
	if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := New(dir, nil)
	if _, err := s.Get(t.Context(), name); !errors.Is(err, fs.ErrNotExist) || s.Has(t.Context(), name) {
		t.Errorf("Get of an empty file = %v, Has = %v", err, s.Has(t.Context(), name))
	}
	if _, err := s.Put(t.Context(), name, []byte("clip")); err != nil || !s.Has(t.Context(), name) {
		t.Errorf("Put over it = %v, Has = %v", err, s.Has(t.Context(), name))
	}
}

func TestSweep(t *testing.T) {
	t.Parallel()
	if n, err := New(filepath.Join(t.TempDir(), "none"), nil).Sweep(t.Context(), nil); n != 0 || err != nil {
		t.Errorf("Sweep of no directory = %d, %v", n, err)
	}
	dir := t.TempDir()
	s := New(dir, nil)
	wanted, other, format := Name(voiceID, "key", "mp3"), Name(voiceID, "another key", "mp3"), Name(voiceID, "key", "wav")
	for _, name := range []string{
		wanted, other, format,
		"sv_aaaaaaaaaaaaaaaa-01234567.mp3", // as they were named once
		".new-fresh", ".new-old", "notes.txt", "sv_aaaaaaaaaaaaaaaa.mp3",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "sv_bbbbbbbbbbbbbbbb-0123456789abcdef.mp3"), 0o700); err != nil {
		t.Fatal(err)
	}
	long := time.Now().Add(-2 * draftAge)
	if err := os.Chtimes(filepath.Join(dir, ".new-old"), long, long); err != nil {
		t.Fatal(err)
	}
	if n, err := s.Sweep(t.Context(), map[string]bool{wanted: true}); n != 3 || err != nil {
		t.Errorf("Sweep = %d, %v, want 3 clips", n, err)
	}
	want := []string{".new-fresh", "notes.txt", "sv_aaaaaaaaaaaaaaaa.mp3", wanted, "sv_bbbbbbbbbbbbbbbb-0123456789abcdef.mp3"}
	slices.Sort(want)
	if got := names(t, dir); !slices.Equal(got, want) {
		t.Errorf("left are %q, want %q", got, want)
	}
}

// Readers and writers of one clip, on two shelves of one directory, see the whole of
// it or nothing.
func TestTogether(t *testing.T) {
	t.Parallel()
	dir, name, data := t.TempDir(), Name(voiceID, "key", "mp3"), bytes.Repeat([]byte("clip"), 10_000)
	var wg sync.WaitGroup
	for range 2 {
		s := New(dir, nil)
		wg.Go(func() {
			for range 50 {
				if _, err := s.Put(t.Context(), name, data); err != nil {
					t.Error(err)
				}
				if _, err := s.Sweep(t.Context(), map[string]bool{name: true}); err != nil {
					t.Error(err)
				}
			}
		})
		wg.Go(func() {
			for range 200 {
				c, err := s.Get(t.Context(), name)
				if err == nil && (!bytes.Equal(c.Data, data) || c.ETag != tag(data)) {
					t.Errorf("Get = %d bytes, %s", len(c.Data), c.ETag)
				}
				if err != nil && !errors.Is(err, fs.ErrNotExist) {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if got := names(t, dir); len(got) != 1 {
		t.Errorf("files %q, want the clip alone", got)
	}
}

// TestSweepOfShared: what is not wanted goes from the directory at once, and from the shared store
// after a month, since servers of another version may want it.
func TestSweepOfShared(t *testing.T) {
	t.Parallel()
	dir, store := t.TempDir(), filepath.Join(t.TempDir(), "shared")
	s := New(dir, blob.NewDir(blob.DirConfig{Path: store}))
	wanted, young, old := Name(voiceID, "key", "mp3"), Name(voiceID, "young", "mp3"), Name(voiceID, "old", "mp3")
	for _, name := range []string{wanted, young, old} {
		if _, err := s.Put(t.Context(), name, []byte("clip")); err != nil {
			t.Fatal(err)
		}
	}
	long := time.Now().Add(-31 * 24 * time.Hour)
	for _, name := range []string{wanted, old} {
		if err := os.Chtimes(filepath.Join(store, name), long, long); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := s.Sweep(t.Context(), map[string]bool{wanted: true}); n != 3 || err != nil {
		t.Errorf("Sweep = %d, %v, want two of the directory and one of the store", n, err)
	}
	both := []string{wanted, young}
	slices.Sort(both)
	if here, there := names(t, dir), names(t, store); !slices.Equal(here, []string{wanted}) || !slices.Equal(there, both) {
		t.Errorf("left are %q and %q", here, there)
	}
	// A clip of another server is copied when it is asked for.
	got, err := s.Get(t.Context(), young)
	if err != nil || string(got.Data) != "clip" || !s.Has(t.Context(), young) {
		t.Errorf("Get = %q, %v", got.Data, err)
	}
	if err := os.WriteFile(filepath.Join(store, old), make([]byte, maxClip+1), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Get(t.Context(), old); err == nil {
		t.Error("Get of a huge file works")
	}
}

// hanging is a shared store that answers nobody.
type hanging struct{ blob.Store }

func (hanging) Open(ctx context.Context, _ string) (io.ReadSeekCloser, blob.Info, error) {
	<-ctx.Done()
	return nil, blob.Info{}, context.Cause(ctx)
}

func (hanging) Create(ctx context.Context, _ string) (blob.Draft, error) {
	<-ctx.Done()
	return nil, context.Cause(ctx)
}

// TestSharedHangs: a caller who goes away does not make the store suspect. One that hangs is waited
// for briefly, also when a clip is put.
func TestSharedHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, name := New(t.TempDir(), hanging{}), Name(voiceID, "key", "mp3")
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if _, err := s.Get(ctx, name); !errors.Is(err, context.DeadlineExceeded) || s.suspect() {
			t.Errorf("Get of one who goes away = %v, and the store is suspect: %v", err, s.suspect())
		}
		began := time.Now()
		if _, err := s.Get(t.Context(), name); err == nil || !s.suspect() {
			t.Errorf("Get of a store that hangs = %v, and it is suspect: %v", err, s.suspect())
		}
		if clip, err := s.Put(t.Context(), name, []byte("clip")); err == nil || string(clip.Data) != "clip" {
			t.Errorf("Put = %q, %v, want the clip and an error", clip.Data, err)
		}
		if took := time.Since(began); took > 2*getWithin {
			t.Errorf("both take %s, want %s", took, 2*getWithin)
		}
	})
}
