package backlog

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var noon = time.Date(2026, 2, 28, 12, 0, 0, 0, time.UTC)

func charge(n int) Charge {
	return Charge{
		ID: fmt.Sprintf("hold_%016d", n), Org: "org_aaaaaaaaaaaaaaaa", Key: "key_aaaaaaaaaaaaaaaa",
		Characters: int64(n), AudioMs: 5, Voice: "sv_test", Language: "en", At: noon.Add(time.Duration(n) * time.Second),
	}
}

func open(t *testing.T, dir string, maxBytes int64) *Backlog {
	t.Helper()
	b, err := Open(Config{Dir: dir, MaxBytes: maxBytes})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { check(t, "Close", b.Close()) })
	return b
}

// die releases the locks of a backlog, as the end of its process does.
func die(t *testing.T, b *Backlog) {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	for _, s := range b.segments {
		check(t, "close", s.file.Close())
	}
	b.segments = nil
}

func check(t *testing.T, what string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

func claimed(t *testing.T, b *Backlog) []Charge {
	t.Helper()
	got, err := b.Claim()
	check(t, "Claim", err)
	slices.SortFunc(got, func(a, b Charge) int { return a.At.Compare(b.At) })
	return got
}

func files(t *testing.T, dir string) int {
	t.Helper()
	paths, err := segmentPaths(dir)
	check(t, "list", err)
	return len(paths)
}

// TestClaim has a process die. Another process that shares the directory takes over the charges that
// were not posted, once. Charges of a process that lives stay with it.
func TestClaim(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "charges")
	dead, alive, heir := open(t, dir, 0), open(t, dir, 0), open(t, dir, 0)
	for n := range 4 {
		check(t, "Append", dead.Append(charge(n)))
	}
	check(t, "Append", alive.Append(charge(9)))
	dead.Done(charge(1).ID)
	dead.Done("unknown")
	if got := claimed(t, heir); len(got) != 0 {
		t.Errorf("Claim of what is alive = %v, want nothing", got)
	}
	die(t, dead)
	want := []Charge{charge(0), charge(2), charge(3)}
	if d := cmp.Diff(want, claimed(t, heir)); d != "" {
		t.Errorf("Claim: -want +got\n%s", d)
	}
	if got := claimed(t, heir); len(got) != 0 {
		t.Errorf("second Claim = %v, want nothing", got)
	}
	if got := claimed(t, alive); len(got) != 0 {
		t.Errorf("Claim by another = %v, want nothing", got)
	}
	if got := (Stats{3, 5, noon}); heir.Stats() != got {
		t.Errorf("Stats = %+v, want %+v", heir.Stats(), got)
	}
	found, err := Inspect(dir)
	if want := (Found{Stats: Stats{4, 14, noon}, Files: 2}); err != nil || found != want {
		t.Errorf("Inspect = %+v, %v, want %+v", found, err, want)
	}
	for _, c := range want {
		heir.Done(c.ID)
	}
	check(t, "Tidy", heir.Tidy())
	if got := files(t, dir); got != 1 {
		t.Errorf("%d files are left, want the one of who is alive", got)
	}
}

// TestClaimBeforeLock makes segments while another process claims and removes what it
// finds: a file that it took before its maker had the lock is no segment of the maker.
func TestClaimBeforeLock(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	heir := open(t, dir, 0)
	stop := make(chan struct{})
	var claims sync.WaitGroup
	defer claims.Wait()
	defer close(stop)
	for range 4 {
		claims.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if _, err := heir.Claim(); err != nil {
					t.Error(err)
					return
				}
				if err := heir.Tidy(); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for range 2000 {
		f, err := newFile(dir)
		check(t, "newFile", err)
		if err := isAt(f, f.Name()); err != nil {
			t.Errorf("newFile: %v", err)
		}
		if err := errors.Join(os.Remove(f.Name()), f.Close()); err != nil {
			t.Errorf("remove: %v", err)
		}
	}
}

// TestTidy empties a segment of which all is posted: what was in it is not found when
// the process dies.
func TestTidy(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := open(t, dir, 0)
	for n := range 10 {
		check(t, "Append", b.Append(charge(n)))
		b.Done(charge(n).ID)
	}
	check(t, "Tidy", b.Tidy())
	check(t, "Append", b.Append(charge(10)))
	die(t, b)
	if d := cmp.Diff([]Charge{charge(10)}, claimed(t, open(t, dir, 0))); d != "" {
		t.Errorf("Claim: -want +got\n%s", d)
	}
}

// TestBound fills a backlog of two segments: it refuses before it has no room for what
// it promised, and has room again when something is posted.
func TestBound(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir(), 2*segmentBytes)
	const promised = 100
	n := 0
	for ; b.Ready(promised) == nil; n++ {
		check(t, "Append", b.Append(charge(n)))
	}
	if err := b.Ready(promised); !errors.Is(err, ErrFull) {
		t.Errorf("Ready = %v, want ErrFull", err)
	}
	for i := range promised {
		if err := b.Append(charge(n + i)); err != nil {
			t.Fatalf("Append of one that was promised: %v", err)
		}
	}
	if b.Stats().Charges != n+promised {
		t.Errorf("%d charges wait, want %d", b.Stats().Charges, n+promised)
	}
	for i := range n + promised {
		b.Done(charge(i).ID)
	}
	check(t, "Tidy", b.Tidy())
	b.troubled = time.Time{} // as if the trouble had been a while ago
	check(t, "Ready when all is posted", b.Ready(promised))
	t.Logf("%d charges in %d bytes", n+promised, 2*segmentBytes)
}

// TestParallel appends from many goroutines over many segments, posts half, and loses
// nothing of the other half.
func TestParallel(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := open(t, dir, 0)
	var wg sync.WaitGroup
	const workers, each = 16, 200
	for w := range workers {
		wg.Go(func() {
			for i := range each {
				c := charge(w*each + i)
				if err := b.Append(c); err != nil {
					t.Errorf("Append: %v", err)
				}
				if i%2 == 0 {
					b.Done(c.ID)
				}
				if i%20 == 0 {
					if err := b.Tidy(); err != nil {
						t.Errorf("Tidy: %v", err)
					}
				}
			}
		})
	}
	wg.Wait()
	die(t, b)
	got := claimed(t, open(t, dir, 0))
	if len(got) != workers*each/2 {
		t.Fatalf("%d charges wait, want %d", len(got), workers*each/2)
	}
	for i, c := range got {
		if d := cmp.Diff(charge(2*i+1), c); d != "" {
			t.Fatalf("charge %d: -want +got\n%s", i, d)
		}
	}
}

// TestTorn cuts a segment off, and spoils it, at every byte of its last record: those
// before it are there.
func TestTorn(t *testing.T) {
	t.Parallel()
	var text []byte
	var whole int
	for n := range 3 {
		whole = len(text)
		frame, err := frameOf(charge(n), maxRecord)
		check(t, "frame", err)
		text = append(text, frame...)
	}
	want := []Charge{charge(0), charge(1)}
	for at := whole; at < len(text); at++ {
		room := make([]byte, len(text)+1000) // as a segment has
		copy(room, text[:at])
		cut, _, _ := read(text[:at])
		zeros, _, _ := read(room)
		copy(room, text)
		room[at] ^= 0x55
		spoilt, end, lost := read(room)
		for name, got := range map[string][]Charge{"cut": cut, "zeros": zeros, "spoilt": spoilt} {
			if d := cmp.Diff(want, got); d != "" {
				t.Fatalf("%s at %d: -want +got\n%s", name, at, d)
			}
		}
		if end != int64(whole) || lost == 0 && at >= whole+4 {
			t.Errorf("spoilt at %d: read up to %d of %d, %d bytes lost", at, end, whole, lost)
		}
	}
}

// TestDamaged keeps a file that cannot be read to its end, when the rest is posted.
func TestDamaged(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := open(t, dir, 0)
	for n := range 3 {
		check(t, "Append", b.Append(charge(n)))
	}
	path := b.active.path
	die(t, b)
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	check(t, "open", err)
	frame, err := frameOf(charge(0), maxRecord)
	check(t, "frame", err)
	_, err = f.WriteAt([]byte("spoilt"), int64(len(frame)+headBytes+3))
	check(t, "spoil", errors.Join(err, f.Close()))
	heir := open(t, dir, 0)
	if d := cmp.Diff([]Charge{charge(0)}, claimed(t, heir)); d != "" {
		t.Errorf("Claim: -want +got\n%s", d)
	}
	heir.Done(charge(0).ID)
	check(t, "Tidy", heir.Tidy())
	found, err := Inspect(dir)
	if want := (Found{Damaged: 1}); err != nil || found != want {
		t.Errorf("Inspect = %+v, %v, want %+v", found, err, want)
	}
}

// TestClose leaves what waits and removes the rest.
func TestClose(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	idle, busy := open(t, dir, 0), open(t, dir, 0)
	check(t, "Ready", idle.Ready(1))
	check(t, "Append", busy.Append(charge(1)))
	check(t, "Close", idle.Close())
	check(t, "Close", busy.Close())
	if err := busy.Append(charge(2)); !errors.Is(err, os.ErrClosed) {
		t.Errorf("Append after Close = %v, want ErrClosed", err)
	}
	if got := files(t, dir); got != 1 {
		t.Errorf("%d files are left, want 1", got)
	}
	if found, err := Inspect(filepath.Join(dir, "nowhere")); found != (Found{}) || err != nil {
		t.Errorf("Inspect of nothing = %+v, %v", found, err)
	}
}

func TestTooLong(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir(), 0)
	c := charge(1)
	c.Voice = string(make([]byte, maxRecord))
	if err := b.Append(c); err == nil {
		t.Error("Append of a record over its bound: no error")
	}
}

// FuzzRead reads arbitrary bytes. Every charge that read returns was written completely.
func FuzzRead(f *testing.F) {
	frame, _ := frameOf(charge(1), maxRecord)
	f.Add(frame)
	f.Add(append(frame, frame[:20]...))
	f.Fuzz(func(t *testing.T, text []byte) {
		charges, end, lost := read(text)
		if end < 0 || end+lost > int64(len(text)) || int64(len(charges))*headBytes > end {
			t.Errorf("read %d charges up to %d, %d lost, of %d bytes", len(charges), end, lost, len(text))
		}
	})
}
