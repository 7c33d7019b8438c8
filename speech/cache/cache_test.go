package cache

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

func TestKeepAndGet(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name        string
		size, piece int
	}{
		{"nothing", 0, 1},
		{"one byte", 1, 1},
		{"one buffer", bufferSize, bufferSize},
		{"bytes one by one over the buffer", bufferSize + 3, 1},
		{"small pieces", 100_000, 417},
		{"large pieces", 1_000_000, 35_000},
		{"at once", 1 << 20, 1 << 20},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "a", "b")
			c := open(t, Config{Dir: dir, MaxBytes: 64 << 20})
			k, b := key(1), body(key(1), tt.size)
			if _, ok := c.Get(k); ok {
				t.Error("Get of an empty cache found something")
			}
			if err := put(c, k, b, tt.piece); err != nil {
				t.Fatal(err)
			}
			for range 2 { // a second reading is like the first
				if ok, err := check(c, k, b); !ok || err != nil {
					t.Fatalf("Get = %v, %v", ok, err)
				}
			}
			if _, ok := c.Get(key(2)); ok {
				t.Error("Get of another key found something")
			}
			want := Stats{Entries: 1, Bytes: blocks(int64(tt.size + len(head(k)) + footerSize)), Hits: 2, Misses: 2, Kept: 1}
			if got := c.Stats(); got != want {
				t.Errorf("Stats = %+v, want %+v", got, want)
			}
			if err := tidy(c); err != nil {
				t.Error(err)
			}
			modes(t, dir)
		})
	}
}

func modes(t *testing.T, dir string) {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 2 {
		t.Fatalf("files = %v, %v; want an entry and the lock", files, err)
	}
	for path, want := range map[string]os.FileMode{
		dir:                                     0o700,
		filepath.Join(dir, files[0].Name()):     0o600,
		filepath.Join(dir, files[1].Name()):     0o600,
		filepath.Join(dir, entryName(key(1))):   0o600,
		filepath.Join(filepath.Dir(dir), "b/."): 0o700,
	} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("mode of %s = %v, %v; want %v", path, info.Mode(), err, want)
		}
	}
}

func TestOnlyOneOpens(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := open(t, Config{Dir: dir, MaxBytes: 1 << 20})
	if _, err := Open(Config{Dir: dir, MaxBytes: 1 << 20}); !errors.Is(err, ErrInUse) {
		t.Errorf("second Open = %v, want ErrInUse", err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	open(t, Config{Dir: dir, MaxBytes: 1 << 20})
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name   string
		config Config
		want   error // nil = any
	}{
		{"no directory", Config{MaxBytes: 1}, nil},
		{"no room", Config{Dir: t.TempDir()}, nil},
		{"negative entry", Config{Dir: t.TempDir(), MaxBytes: 1, MaxEntry: -1}, nil},
		{"entry over all", Config{Dir: t.TempDir(), MaxBytes: 1, MaxEntry: 2}, nil},
		{"a file", Config{Dir: file, MaxBytes: 1}, syscall.ENOTDIR},
		{"below a file", Config{Dir: filepath.Join(file, "x"), MaxBytes: 1}, syscall.ENOTDIR},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, err := Open(tt.config)
			if err == nil {
				t.Fatal(errors.Join(errors.New("Open accepted it"), c.Close()))
			}
			if tt.want != nil && !errors.Is(err, tt.want) {
				t.Errorf("Open = %v, want %v", err, tt.want)
			}
		})
	}
}

func TestNilCache(t *testing.T) {
	t.Parallel()
	var c *Cache
	if err := put(c, key(1), []byte("x"), 1); err != nil {
		t.Error(err)
	}
	if _, ok := c.Get(key(1)); ok || c.Stats() != (Stats{}) || c.Close() != nil {
		t.Error("a nil cache is not empty")
	}
}

func TestDiscard(t *testing.T) {
	t.Parallel()
	c := open(t, Config{Dir: t.TempDir(), MaxBytes: 1 << 20})
	d := c.Begin(key(1))
	_, _ = d.Write(make([]byte, 100_000)) // never fails
	d.Discard()
	d.Discard()
	d.Commit(nil)
	_, _ = d.Write(make([]byte, 100_000))
	if err := tidy(c); err != nil || c.Stats() != (Stats{}) {
		t.Errorf("after Discard: %v, Stats %+v", err, c.Stats())
	}
}

func TestTooLarge(t *testing.T) {
	t.Parallel()
	const largest = 50_000
	for _, tt := range []struct {
		name       string
		body, head int
		kept       bool
	}{
		{"just fits", largest - footerSize - 10, 10, true},
		{"body one over", largest - footerSize + 1, 0, false},
		{"head one over", largest - footerSize - 10, 11, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := open(t, Config{Dir: t.TempDir(), MaxBytes: 1 << 20, MaxEntry: largest})
			d := c.Begin(key(1))
			for range tt.body {
				_, _ = d.Write([]byte{1}) // never fails
			}
			d.Commit(make([]byte, tt.head))
			if got := c.Stats().Kept == 1; got != tt.kept {
				t.Errorf("kept = %v, want %v", got, tt.kept)
			}
			if err := tidy(c); err != nil {
				t.Error(err)
			}
		})
	}
	c := open(t, Config{Dir: t.TempDir(), MaxBytes: 1 << 20})
	c.Begin(key(1)).Commit(make([]byte, MaxHead+1))
	c.Begin(key(2)).Commit(make([]byte, MaxHead))
	if s := c.Stats(); s.Kept != 1 || s.Dropped != 1 {
		t.Errorf("Stats = %+v, want the head of MaxHead kept and the larger dropped", s)
	}
}

// TestAllRoomTaken fills the cache with drafts and with entries being read.
func TestAllRoomTaken(t *testing.T) {
	t.Parallel()
	const piece = 16 << 10
	c := open(t, Config{Dir: t.TempDir(), MaxBytes: 4 * piece, MaxEntry: 4 * piece})
	k := key(1)
	want := body(k, piece-1000)
	if err := put(c, k, want, piece); err != nil {
		t.Fatal(err)
	}
	e, ok := c.Get(k)
	if !ok {
		t.Fatal("no entry")
	}
	first, second := c.Begin(key(2)), c.Begin(key(3))
	_, _ = first.Write(make([]byte, 3*piece)) // never fails
	_, _ = second.Write(make([]byte, piece))
	if s := c.Stats(); s.Dropped != 1 || s.Evictions != 0 || s.Bytes != 4*piece {
		t.Errorf("Stats = %+v, want the second draft dropped and nothing evicted", s)
	}
	if err := errors.Join(same(e, k, want), e.Close(), e.Close()); err != nil {
		t.Error(err)
	}
	third := c.Begin(key(4))
	_, _ = third.Write(make([]byte, piece))
	if s := c.Stats(); s.Dropped != 1 || s.Evictions != 1 {
		t.Errorf("Stats = %+v, want the entry evicted after it was read", s)
	}
	first.Discard()
	third.Commit(nil)
	if s := c.Stats(); s.Entries != 1 || s.Dropped != 1 || s.Bytes != blocks(piece+footerSize) {
		t.Errorf("Stats = %+v, want the third draft kept", s)
	}
	if err := tidy(c); err != nil {
		t.Error(err)
	}
}

// TestReadWhileRemoved has an entry read on after its file is gone and another of
// the same key is there.
func TestReadWhileRemoved(t *testing.T) {
	t.Parallel()
	c := open(t, Config{Dir: t.TempDir(), MaxBytes: 8 << 20})
	k := key(1)
	want := body(k, 300_000)
	if err := put(c, k, want, 10_000); err != nil {
		t.Fatal(err)
	}
	e, ok := c.Get(k)
	if !ok {
		t.Fatal("no entry")
	}
	if _, err := io.ReadFull(e, make([]byte, 1000)); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(c.path(entryName(k))); err != nil {
		t.Fatal(err)
	}
	if _, ok := c.Get(k); ok {
		t.Error("Get found an entry whose file was removed")
	}
	if err := put(c, k, want, 10_000); err != nil {
		t.Fatal(err)
	}
	if ok, err := check(c, k, want); !ok || err != nil {
		t.Errorf("Get after it was kept again = %v, %v", ok, err)
	}
	got, err := io.ReadAll(e)
	if err != nil || string(got) != string(want[1000:]) {
		t.Errorf("the removed entry read %d bytes, %v; want %d", len(got), err, len(want)-1000)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	if err := tidy(c); err != nil {
		t.Error(err)
	}
}

// TestCutWhileRead cuts a file after its entry was checked: a reader is told.
func TestCutWhileRead(t *testing.T) {
	t.Parallel()
	for name, read := range map[string]func(*Entry) (int64, error){
		"Read":    func(e *Entry) (int64, error) { b, err := io.ReadAll(e); return int64(len(b)), err },
		"WriteTo": func(e *Entry) (int64, error) { return e.WriteTo(io.Discard) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := open(t, Config{Dir: t.TempDir(), MaxBytes: 1 << 20})
			if err := put(c, key(1), body(key(1), 50_000), 10_000); err != nil {
				t.Fatal(err)
			}
			e, ok := c.Get(key(1))
			if !ok {
				t.Fatal("no entry")
			}
			if err := os.Truncate(c.path(entryName(key(1))), 20_000); err != nil {
				t.Fatal(err)
			}
			if n, err := read(e); n != 20_000 || !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("read %d bytes, %v; want 20000 and ErrUnexpectedEOF", n, err)
			}
			if err := e.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestUseIsNoted checks that a use is written to the file, once a minute.
func TestUseIsNoted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := open(t, Config{Dir: t.TempDir(), MaxBytes: 1 << 20})
		k := key(1)
		want := body(k, 10)
		if err := put(c, k, want, 10); err != nil {
			t.Fatal(err)
		}
		use := func() time.Time {
			t.Helper()
			if ok, err := check(c, k, want); !ok || err != nil {
				t.Fatalf("Get = %v, %v", ok, err)
			}
			info, err := os.Stat(c.path(entryName(k)))
			if err != nil {
				t.Fatal(err)
			}
			return info.ModTime()
		}
		if got := use(); got.Equal(time.Now()) {
			t.Error("a use in the first minute was noted")
		}
		time.Sleep(touchEvery)
		noted := time.Now()
		if got := use(); !got.Equal(noted) {
			t.Errorf("modification time after a minute = %v, want %v", got, noted)
		}
		time.Sleep(touchEvery - 1)
		if got := use(); !got.Equal(noted) {
			t.Errorf("modification time = %v, want %v still", got, noted)
		}
		time.Sleep(time.Nanosecond)
		if got := use(); !got.Equal(time.Now()) {
			t.Errorf("modification time = %v, want %v", got, time.Now())
		}
	})
}
