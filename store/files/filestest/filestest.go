// Package filestest says by tests what every [files.Store] does.
package filestest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"vaak/store/files"
)

// Harness opens a store for the tests.
type Harness struct {
	// Open opens an empty store, and another one on the same files as another process would.
	Open func(t *testing.T) (s, other files.Store)
	// Age makes a file of the first store older.
	Age func(t *testing.T, s files.Store, key string, by time.Duration)
	// Damage changes the content of a file of the first store, and leaves its size.
	Damage func(t *testing.T, s files.Store, key string)
}

// Run runs all tests.
func Run(t *testing.T, h Harness) {
	t.Parallel()
	for name, test := range map[string]func(*testing.T, Harness){
		"put and open": putAndOpen, "no such file": noSuchFile, "ranges": ranges, "digests": digests, "each": eachFile,
		"delete": deleted, "sweep": sweep, "put against sweep": putAgainstSweep, "broken put": brokenPut, "cancel": cancelled,
		"memory": memory, "move": move,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, h)
		})
	}
}

func put(t *testing.T, s files.Store, content string) string {
	t.Helper()
	key, size, digest, err := s.Put(t.Context(), strings.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(content))
	if want := hex.EncodeToString(sum[:]); key != "sha256/"+want || digest != want || size != int64(len(content)) {
		t.Errorf("Put = %q, %d, %q, want %d bytes of %q", key, size, digest, len(content), want)
	}
	return key
}

func get(t *testing.T, s files.Store, key string) (string, error) {
	t.Helper()
	f, err := s.Open(t.Context(), key)
	if err != nil {
		return "", err
	}
	b, err := io.ReadAll(f)
	return string(b), errors.Join(err, f.Close())
}

func putAndOpen(t *testing.T, h Harness) {
	s, other := h.Open(t)
	for _, content := range []string{"", "a", "\x00", strings.Repeat("x", 128<<10), strings.Repeat("y", 1<<20+1)} {
		key := put(t, s, content)
		if again := put(t, other, content); again != key {
			t.Errorf("Put again = %q, want %q", again, key)
		}
		if got, err := get(t, other, key); got != content || err != nil {
			t.Errorf("Open(%q) = %d bytes, %v, want %d", key, len(got), err, len(content))
		}
		info, err := other.Stat(t.Context(), key)
		if age := time.Since(info.Modified); err != nil || info.Key != key || info.Size != int64(len(content)) || age.Abs() > time.Minute {
			t.Errorf("Stat(%q) = %+v, %v", key, info, err)
		}
	}
}

func noSuchFile(t *testing.T, h Harness) {
	s, _ := h.Open(t)
	digits := strings.TrimPrefix(put(t, s, "secret"), "sha256/")
	for _, key := range []string{
		"", "sha256/", digits, "/sha256/" + digits, "sha256/../" + digits, "sha256/" + strings.ToUpper(digits), "sha256/" + digits[:63],
		"sha256/" + digits + "0", "sha256/" + digits[:2] + "/" + digits, "sha256/" + strings.Repeat("0", 64),
	} {
		if _, err := s.Open(t.Context(), key); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Open(%q) = %v, want fs.ErrNotExist", key, err)
		}
		if _, err := s.Stat(t.Context(), key); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Stat(%q) = %v, want fs.ErrNotExist", key, err)
		}
	}
}

func ranges(t *testing.T, h Harness) {
	s, _ := h.Open(t)
	content := make([]byte, 300_000)
	rand.NewChaCha8([32]byte{1}).Read(content)
	key := put(t, s, string(content))
	f, err := s.Open(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() // read only
	r := rand.New(rand.NewPCG(1, 1))
	for range 20 {
		from, n := r.IntN(len(content)), r.IntN(50_000)
		got := make([]byte, min(n, len(content)-from))
		if _, err := f.Seek(int64(from), io.SeekStart); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(f, got); err != nil || !bytes.Equal(got, content[from:from+len(got)]) {
			t.Errorf("%d bytes from %d: %v, or other bytes", n, from, err)
		}
	}
	// What http.ServeContent does.
	if end, err := f.Seek(0, io.SeekEnd); end != int64(len(content)) || err != nil {
		t.Errorf("Seek to the end = %d, %v", end, err)
	}
	if n, err := f.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("Read at the end = %d, %v, want EOF", n, err)
	}
	if _, err := f.Seek(-1, io.SeekStart); err == nil {
		t.Error("Seek before the beginning works")
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(f); err != nil || !bytes.Equal(got, content) {
		t.Errorf("the whole after parts: %d bytes, %v", len(got), err)
	}
}

func digests(t *testing.T, h Harness) {
	s, _ := h.Open(t)
	key := put(t, s, strings.Repeat("good", 50_000))
	h.Damage(t, s, key)
	if got, err := get(t, s, key); !errors.Is(err, files.ErrDamaged) || len(got) >= 200_000 {
		t.Errorf("reading a damaged file = %d bytes, %v, want ErrDamaged before the end", len(got), err)
	}
	if _, err := files.Check(t.Context(), s, key); !errors.Is(err, files.ErrDamaged) {
		t.Errorf("Check = %v, want ErrDamaged", err)
	}
	f, err := s.Open(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() // read only
	// A server that knows the size never reads on to the end of the file.
	if n, err := io.CopyN(io.Discard, f, 200_000); !errors.Is(err, files.ErrDamaged) {
		t.Errorf("reading as many bytes as it has = %d, %v, want ErrDamaged", n, err)
	}
	good := put(t, s, "another")
	total, err := files.CheckAll(t.Context(), s, 0, nil)
	if err != nil || total.Files != 2 || total.DamagedFiles != 1 || len(total.Damaged) != 1 || total.Damaged[0] != key {
		t.Errorf("CheckAll = %+v, %v, want one of two damaged", total, err)
	}
	put(t, s, strings.Repeat("good", 50_000)) // mends it
	if _, err := files.Check(t.Context(), s, key); err != nil {
		t.Errorf("Check of the mended file = %v", err)
	}
	if _, err := files.Check(t.Context(), s, good); err != nil {
		t.Error(err)
	}
}

func eachFile(t *testing.T, h Harness) {
	s, _ := h.Open(t)
	want := map[string]bool{}
	for i := range 30 {
		want[put(t, s, fmt.Sprint(i))] = true
	}
	last := ""
	if err := s.Each(t.Context(), func(f files.Info) error {
		if f.Key <= last || !want[f.Key] || f.Size < 1 || f.Size > 2 || time.Since(f.Modified).Abs() > time.Minute {
			t.Errorf("after %q comes %+v", last, f)
		}
		delete(want, f.Key)
		last = f.Key
		return nil
	}); err != nil || len(want) > 0 {
		t.Errorf("Each = %v and leaves %d out", err, len(want))
	}
	enough := errors.New("enough")
	n := 0
	if err := s.Each(t.Context(), func(files.Info) error { n++; return enough }); !errors.Is(err, enough) || n != 1 {
		t.Errorf("Each until an error = %v after %d", err, n)
	}
}

func deleted(t *testing.T, h Harness) {
	s, other := h.Open(t)
	key, stays := put(t, s, "goes"), put(t, s, "stays")
	for range 2 {
		if err := other.Delete(t.Context(), key); err != nil {
			t.Errorf("Delete = %v", err)
		}
	}
	if _, err := get(t, s, key); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Open of a deleted file = %v", err)
	}
	if got, err := get(t, s, stays); got != "stays" || err != nil {
		t.Errorf("Open of the other = %q, %v", got, err)
	}
}

func sweep(t *testing.T, h Harness) {
	s, other := h.Open(t)
	young, old, needed, again := put(t, s, "young"), put(t, s, "old"), put(t, s, "needed"), put(t, s, "again")
	for _, key := range []string{old, needed, again} {
		h.Age(t, s, key, 48*time.Hour)
	}
	put(t, other, "again") // makes it young
	keep := func(key string) bool { return key == needed }
	release, err := other.Hold(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if n, err := s.Sweep(t.Context(), keep, 24*time.Hour); n != 0 || err != nil {
		t.Errorf("Sweep of what is held = %d, %v, want 0", n, err)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{1, 0} {
		if n, err := s.Sweep(t.Context(), keep, 24*time.Hour); n != want || err != nil {
			t.Errorf("Sweep = %d, %v, want %d", n, err, want)
		}
	}
	if _, err := get(t, s, old); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Open of what was swept = %v, want fs.ErrNotExist", err)
	}
	for _, key := range []string{young, needed, again} {
		if _, err := get(t, s, key); err != nil {
			t.Errorf("Open of what was not: %v", err)
		}
	}
}

// putAgainstSweep has one put the same old file again and again while two others sweep: whenever
// a put has returned, the file is there, since only this test makes it old.
func putAgainstSweep(t *testing.T, h Harness) {
	s, other := h.Open(t)
	ctx, cancel := context.WithCancel(t.Context())
	var sweepers sync.WaitGroup
	defer func() {
		cancel()
		sweepers.Wait()
	}()
	for _, s := range []files.Store{s, other} {
		sweepers.Go(func() {
			for ctx.Err() == nil {
				if _, err := s.Sweep(t.Context(), func(string) bool { return false }, time.Hour); err != nil {
					t.Errorf("Sweep: %v", err)
				}
			}
		})
	}
	for i := range 20 {
		key := put(t, s, "the same")
		if got, err := get(t, s, key); got != "the same" || err != nil {
			t.Errorf("after put %d it is not there: %v", i, err)
			break
		}
		h.Age(t, s, key, 2*time.Hour)
	}
}

func brokenPut(t *testing.T, h Harness) {
	s, _ := h.Open(t)
	broken := errors.New("broken")
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for name, tt := range map[string]struct {
		ctx  context.Context
		r    io.Reader
		want error
	}{
		"a reader that fails":        {t.Context(), io.MultiReader(bytes.NewReader(make([]byte, 400_000)), iotest.ErrReader(broken)), broken},
		"a reader that is cut short": {t.Context(), io.MultiReader(strings.NewReader("a"), iotest.ErrReader(io.ErrUnexpectedEOF)), io.ErrUnexpectedEOF},
		"one who went away":          {gone, bytes.NewReader(make([]byte, 400_000)), context.Canceled},
	} {
		if key, size, digest, err := s.Put(tt.ctx, tt.r); !errors.Is(err, tt.want) || key != "" || size != 0 || digest != "" {
			t.Errorf("%s: Put = %q, %d, %q, %v, want %v", name, key, size, digest, err, tt.want)
		}
	}
	if err := s.Each(t.Context(), func(f files.Info) error { return fmt.Errorf("%s is left", f.Key) }); err != nil {
		t.Error(err)
	}
}

func cancelled(t *testing.T, h Harness) {
	s, _ := h.Open(t)
	key := put(t, s, "a")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, open := s.Open(ctx, key)
	_, stat := s.Stat(ctx, key)
	_, swept := s.Sweep(ctx, func(string) bool { return false }, 0)
	for what, err := range map[string]error{
		"Open": open, "Stat": stat, "Sweep": swept, "Delete": s.Delete(ctx, key), "Each": s.Each(ctx, func(files.Info) error { return nil }),
	} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s of one who went away = %v, want Canceled", what, err)
		}
	}
	if _, err := get(t, s, key); err != nil {
		t.Errorf("it went: %v", err)
	}
}

// memory puts and reads 32 MB, and looks how much is allocated for it in all.
func memory(t *testing.T, h Harness) {
	s, _ := h.Open(t)
	const size = 32 << 20
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	key, _, _, err := s.Put(t.Context(), io.LimitReader(endless{}, size))
	if err != nil {
		t.Fatal(err)
	}
	if n, err := files.Check(t.Context(), s, key); n != size || err != nil {
		t.Errorf("Check = %d, %v, want %d", n, err, size)
	}
	runtime.ReadMemStats(&after)
	// Heap in use, since the other tests allocate beside this one.
	if grown := int64(after.HeapInuse) - int64(before.HeapInuse); grown > size/2 {
		t.Errorf("the heap grew by %d bytes for %d", grown, size)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// move moves files to a second store of the kind and back, with damaged ones and ones that are
// there already.
func move(t *testing.T, h Harness) {
	from, _ := h.Open(t)
	to, _ := h.Open(t)
	var keys []string
	for i := range 40 {
		keys = append(keys, put(t, from, fmt.Sprint("file ", i)))
	}
	h.Damage(t, from, keys[0])
	put(t, to, "file 1")
	put(t, to, "file 2")
	h.Damage(t, to, keys[2])
	calls := 0
	m := files.Moving{From: from, To: to, Progress: func(files.Moved) { calls++ }}
	got, err := files.Move(t.Context(), m)
	if err != nil || got.Files != 39 || got.Already != 1 || got.DamagedFiles != 1 || got.Damaged[0] != keys[0] || calls != 40 {
		t.Errorf("Move = %+v, %v after %d calls, want 39 moved, one there, one damaged", got, err, calls)
	}
	for i, key := range keys[1:] {
		if got, err := get(t, to, key); got != fmt.Sprint("file ", i+1) || err != nil {
			t.Errorf("after the move %s is %q, %v", key, got, err)
		}
		if _, err := from.Stat(t.Context(), key); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is still where it was: %v", key, err)
		}
	}
	if _, err := from.Stat(t.Context(), keys[0]); err != nil {
		t.Errorf("the damaged file went: %v", err)
	}
	copied, err := files.Move(t.Context(), files.Moving{From: to, To: from, Keep: true, AtOnce: 2})
	if err != nil || copied.Files != 39 {
		t.Errorf("copying back = %+v, %v", copied, err)
	}
	if again, err := files.Move(t.Context(), files.Moving{From: to, To: from, Keep: true}); err != nil || again.Already != 39 {
		t.Errorf("copying again = %+v, %v, want all there already", again, err)
	}
}
