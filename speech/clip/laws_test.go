package clip

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"vaak/internal/fault"
)

// taken is what the files of a directory take.
func taken(t testing.TB, s *Service) (n int64) {
	for _, size := range files(t, s) {
		n += blocks(size)
	}
	return n
}

// world is clips in a directory and what should be true of them.
type world struct {
	t        *testing.T
	now      *clock
	services []*Service
	kept     []Clip
	drafts   []*Draft
}

func newWorld(t *testing.T, services int) *world {
	dir, err := os.MkdirTemp(t.TempDir(), "clips-*")
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, now: newClock()}
	for range services {
		s := open(t, Config{Dir: dir, Now: w.now.Now})
		s.room.max = lawRoom
		w.services = append(w.services, s)
	}
	return w
}

func (w *world) service(rt *rapid.T) *Service {
	return w.services[rapid.IntRange(0, len(w.services)-1).Draw(rt, "service")]
}

// lawRoom is the room of a world: 32 blocks, which take little time to fill.
const lawRoom = 32 * blockBytes

// sizes are of clips.
var sizes = rapid.SampledFrom([]int{0, 1, 5_000, 10_000, 20_000, 40_000, 90_000, lawRoom})

var orgs = rapid.SampledFrom([]string{"org_a", "org_b", "org_c", "org_d", "org_e"})

// put keeps a clip, or finds that there is no room: while drafts take it, or for a
// clip that takes more than a quarter alone.
func (w *world) put(rt *rapid.T) {
	org, size := orgs.Draw(rt, "org"), sizes.Draw(rt, "size")
	c, err := put(w.service(rt), org, sound(size))
	if err == nil {
		w.kept = append(w.kept, c)
	} else if fault.KindOf(err) != fault.Unavailable || len(w.drafts) == 0 && size < lawRoom/4-2*blockBytes {
		rt.Errorf("a clip of %d bytes: %v", size, err)
	}
}

func (w *world) begin(rt *rapid.T) {
	d, err := w.service(rt).Begin(orgs.Draw(rt, "org"))
	if err != nil {
		if fault.KindOf(err) != fault.Unavailable {
			rt.Error(err)
		}
		return
	}
	if _, err := d.Write(sound(sizes.Draw(rt, "size"))); err != nil {
		d.Discard()
		return
	}
	w.drafts = append(w.drafts, d)
}

func (w *world) end(rt *rapid.T) {
	if len(w.drafts) == 0 {
		return
	}
	d := w.drafts[0]
	w.drafts = w.drafts[1:]
	if rapid.Bool().Draw(rt, "keep") {
		c, err := d.Keep(mp3)
		if err != nil {
			rt.Errorf("Keep: %v", err)
			return
		}
		w.kept = append(w.kept, c)
	}
	d.Discard()
}

// check looks for every clip that was kept: for each organisation it is whole or not
// there, and only its owner's.
func (w *world) check(rt *rapid.T) {
	for _, c := range w.kept {
		s := w.service(rt)
		_, expires, signature := follow(w.t, s.Link("", c))
		for _, open := range []func() (Content, error){
			func() (Content, error) { return s.Linked(w.t.Context(), c.ID, expires, signature) },
			func() (Content, error) { return s.Owned(w.t.Context(), c.Org, c.ID) },
		} {
			b, err := listen(open())
			if err != nil && fault.KindOf(err) != fault.NotFound || err == nil && !bytes.Equal(b, sound(int(c.Size))) {
				rt.Errorf("%+v = %d bytes, %v", c, len(b), err)
			}
			if err == nil && !c.Expires.After(w.now.Now()) {
				rt.Errorf("%+v can be had though it has expired", c)
			}
		}
		if other, err := listen(s.Owned(w.t.Context(), c.Org+"x", c.ID)); fault.KindOf(err) != fault.NotFound {
			rt.Errorf("another than %s has %d bytes of its clip (%v)", c.Org, len(other), err)
		}
	}
}

func (w *world) discard() {
	for _, d := range w.drafts {
		d.Discard()
	}
	w.drafts = nil
}

// TestBound: the files never take more than the room, whatever is done.
func TestBound(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		w := newWorld(t, 1)
		s := w.services[0]
		defer func() { _ = s.Close() }()
		defer w.discard()
		rt.Repeat(map[string]func(*rapid.T){
			"put":   w.put,
			"begin": w.begin,
			"end":   w.end,
			"check": w.check,
			"pass":  func(*rapid.T) { w.now.pass(5 * time.Minute) },
			"sweep": func(rt *rapid.T) {
				if _, err := s.Sweep(t.Context()); err != nil {
					rt.Error(err)
				}
			},
			"": func(rt *rapid.T) {
				if n := taken(t, s); n > s.room.used || s.room.used > s.room.max {
					rt.Errorf("files take %d bytes, %d are counted, %d are there", n, s.room.used, s.room.max)
				}
			},
		})
		w.discard()
		err := s.rescan(context.Background())
		if n := taken(t, s); n != s.room.used || err != nil {
			rt.Errorf("files take %d bytes, %d are counted (%v)", n, s.room.used, err)
		}
	})
}

// TestShared: several services of one directory see each other's clips, never
// remove each other's drafts, and keep the bound once they have looked.
func TestShared(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		w := newWorld(t, 2)
		defer func() {
			w.discard()
			for _, s := range w.services {
				_ = s.Close()
			}
		}()
		rt.Repeat(map[string]func(*rapid.T){
			"put":   w.put,
			"begin": w.begin,
			"end":   w.end,
			"check": w.check,
			"sweep": func(rt *rapid.T) {
				if _, err := w.service(rt).Sweep(t.Context()); err != nil {
					rt.Error(err)
				}
			},
			"": func(rt *rapid.T) {
				w.now.pass(scanEvery) // so that each looks
				for _, d := range w.drafts {
					if _, err := os.Lstat(filepath.Join(dirOf(d.service), d.id)); err != nil {
						rt.Errorf("a draft is gone: %v", err)
					}
				}
			},
		})
		w.discard()
		for _, s := range w.services {
			if _, err := s.Sweep(t.Context()); err != nil {
				rt.Error(err)
			}
			if n := taken(t, s); n > s.room.max {
				rt.Errorf("files take %d bytes after a sweep, more than %d", n, s.room.max)
			}
		}
	})
}

// TestFairness: who stays within a quarter of the room loses nothing to two that
// take what they can get.
func TestFairness(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		w := newWorld(t, 1)
		s := w.services[0]
		defer func() { _ = s.Close() }()
		var small []Clip
		used := int64(0)
		for range rapid.IntRange(1, 40).Draw(rt, "clips") {
			org := rapid.SampledFrom([]string{"small", "large", "larger"}).Draw(rt, "org")
			size := rapid.SampledFrom([]int{1, 5_000, 12_000, 30_000}).Draw(rt, "size")
			room := blocks(int64(size)+HeadBytes) + blocks(s.room.max/64)
			if org == "small" && used+room > s.room.max/4 {
				continue
			}
			c, err := put(s, org, sound(size))
			if err != nil {
				rt.Fatalf("a clip of %d bytes of %s: %v", size, org, err)
			}
			if org == "small" {
				small, used = append(small, c), used+room
			}
			w.now.pass(time.Second)
			for _, c := range small {
				if _, err := listen(s.Owned(t.Context(), "small", c.ID)); err != nil {
					rt.Fatalf("one who uses %d of %d bytes has lost a clip: %v", used, s.room.max, err)
				}
			}
		}
	})
}

// TestAtOnce has many keep, read and sweep in two services of one directory: what was
// kept a moment ago is whole, and each service counts what is there in the end.
func TestAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	// All of them fit, also those that were removed and that the other service counts
	// until it looks again.
	const most = 64 * MinRoom
	services := []*Service{open(t, Config{Dir: dir, MaxBytes: most}), open(t, Config{Dir: dir, MaxBytes: most})}
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			s, other := services[i%2], services[(i+1)%2]
			for n := range 20 {
				size := 1000 * (i + n)
				c, err := put(s, fmt.Sprint("org_", i), sound(size))
				if err != nil {
					t.Error(err)
					return
				}
				if b, err := listen(other.Owned(t.Context(), c.Org, c.ID)); err != nil || !bytes.Equal(b, sound(size)) {
					t.Errorf("another service reads %d bytes, %v; want %d", len(b), err, size)
				}
				if _, err := other.Sweep(t.Context()); err != nil {
					t.Error(err)
				}
				if n%3 > 0 {
					if err := os.Remove(filepath.Join(dir, c.ID)); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	all.Wait()
	for _, s := range services {
		if _, err := s.Sweep(t.Context()); err != nil {
			t.Error(err)
		}
		if n := taken(t, s); n != s.room.used || len(s.room.files) != 8*7 {
			t.Errorf("%d files take %d bytes, %d are counted; want 56 files", len(s.room.files), n, s.room.used)
		}
	}
}

// TestOldestFirst: who fills the room alone loses what is oldest.
func TestOldestFirst(t *testing.T) {
	t.Parallel()
	places(t, oldestFirst)
}

func oldestFirst(t *testing.T, place func() Config) {
	now := newClock()
	cfg := place()
	cfg.Now = now.Now
	s := open(t, cfg)
	var all []Clip
	for range 30 {
		all = append(all, mustPut(t, s, "org_a", sound(100_000)))
		now.pass(time.Second)
	}
	there := ""
	for _, c := range all {
		if _, err := listen(s.Owned(t.Context(), "org_a", c.ID)); err == nil {
			there += "x"
		} else {
			there += "-"
		}
	}
	// A clip of 100,000 bytes takes 25 blocks of the 256.
	if want := fmt.Sprintf("%s%s", "--------------------", "xxxxxxxxxx"); there != want {
		t.Errorf("there are %s, want %s", there, want)
	}
}
