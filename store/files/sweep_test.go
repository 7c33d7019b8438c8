package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// age makes a file of a directory older.
func age(t *testing.T, d *Dir, name string, by time.Duration) {
	t.Helper()
	at := time.Now().Add(-by)
	if err := os.Chtimes(d.in(filepath.FromSlash(name)), at, at); err != nil {
		t.Fatal(err)
	}
}

func pathOf(t *testing.T, key string) string {
	t.Helper()
	path, ok := Path(key)
	if !ok {
		t.Fatalf("Path(%q) is none", key)
	}
	return path
}

func TestSweep(t *testing.T) {
	t.Parallel()
	d := newDir(t)
	young, old, needed, again := put(t, d, "young"), put(t, d, "old"), put(t, d, "needed"), put(t, d, "again")
	strange := filepath.Join(filepath.Dir(pathOf(t, old)), "strange")
	for _, name := range []string{strange, "parts/old", "parts/young"} {
		if err := os.WriteFile(d.in(name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{pathOf(t, old), pathOf(t, needed), pathOf(t, again), strange, "parts/old"} {
		age(t, d, name, 48*time.Hour)
	}
	put(t, d, "again") // makes it young
	asked := map[string]int{}
	keep := func(key string) bool {
		asked[key]++
		return key == needed
	}
	release, err := d.Hold(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if n, err := d.Sweep(t.Context(), keep, 24*time.Hour); n != 0 || err != nil {
		t.Errorf("Sweep of what is held = %d, %v, want 0", n, err)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{2, 0} {
		if n, err := d.Sweep(t.Context(), keep, 24*time.Hour); n != want || err != nil {
			t.Errorf("Sweep = %d, %v, want %d", n, err, want)
		}
	}
	if _, err := get(t, d, old); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Open of what was swept = %v, want fs.ErrNotExist", err)
	}
	for _, key := range []string{young, needed, again} {
		if _, err := get(t, d, key); err != nil {
			t.Errorf("Open of what was not: %v", err)
		}
	}
	if asked[young] > 0 || asked[again] > 0 || asked[needed] != 3 {
		t.Errorf("asked %v, want those that are old", asked)
	}
	if names := left(t, d); len(names) != 5 {
		t.Errorf("left are %q, want three files, a young part and what is not ours", names)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := d.Sweep(gone, keep, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("Sweep for one who went away = %v, want Canceled", err)
	}
}

// TestPutAgainstSweep has several put the same few files, which age at once,
// while two others sweep all that is old: what was put is there.
func TestPutAgainstSweep(t *testing.T) {
	t.Parallel()
	d := newDir(t)
	other, err := New(Config{Dir: d.path})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var sweepers, writers sync.WaitGroup
	swept := make([]int, 2)
	for i, d := range []*Dir{d, other} {
		sweepers.Go(func() {
			for ctx.Err() == nil {
				n, err := d.Sweep(context.Background(), func(string) bool { return false }, time.Hour)
				if err != nil {
					t.Errorf("Sweep: %v", err)
				}
				swept[i] += n
			}
		})
	}
	for w := range 4 {
		writers.Go(func() { putAndAge(t, d, rand.New(rand.NewPCG(uint64(w), 1)), 20) })
	}
	writers.Wait()
	cancel()
	sweepers.Wait()
	t.Logf("%v were swept", swept)
}

// putAndAge puts files, of which it finds each, and makes it old so that it may go.
func putAndAge(t *testing.T, d *Dir, r *rand.Rand, times int) {
	for range times {
		content := fmt.Appendf(nil, "file %d", r.IntN(3))
		key, _, _, err := d.Put(t.Context(), bytes.NewReader(content))
		if err != nil {
			t.Errorf("Put: %v", err)
			return
		}
		f, err := d.Open(t.Context(), key)
		if err != nil {
			// Another writer may have made it old since; then it is put again.
			if !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("Open: %v", err)
			}
			continue
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		path, _ := Path(key) // a key of Put
		at := time.Now().Add(-2 * time.Hour)
		if err := os.Chtimes(d.in(path), at, at); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Error(err)
		}
	}
}

// TestPutIsThere has one put files that are there already and old, while another
// sweeps: each is there afterwards, since only this one makes them old.
func TestPutIsThere(t *testing.T) {
	t.Parallel()
	d := newDir(t)
	ctx, cancel := context.WithCancel(t.Context())
	var sweeper sync.WaitGroup
	sweeper.Go(func() {
		for ctx.Err() == nil {
			if _, err := d.Sweep(context.Background(), func(string) bool { return false }, time.Hour); err != nil {
				t.Errorf("Sweep: %v", err)
			}
		}
	})
	for range 50 {
		key := put(t, d, "the same")
		if _, err := get(t, d, key); err != nil {
			t.Errorf("Open of what was just put: %v", err)
		}
		at := time.Now().Add(-2 * time.Hour)
		if err := os.Chtimes(d.in(pathOf(t, key)), at, at); err != nil {
			t.Errorf("it went while it was young: %v", err)
		}
	}
	cancel()
	sweeper.Wait()
}
