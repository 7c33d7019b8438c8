package clip

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"testing"
	"time"

	"pgregory.net/rapid"

	"vaak/internal/fault"
)

// TestInVain: where room cannot be made nothing is removed, and it is refused only
// where removing all that may go would not make it.
func TestInVain(t *testing.T) {
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
			"need": func(rt *rapid.T) {
				org, need := orgs.Draw(rt, "org"), blockBytes*int64(rapid.IntRange(1, 32).Draw(rt, "blocks"))
				can, before := possible(&s.room, org, need), files(t, s)
				gone, err := s.room.free(org, need)
				if _, err := s.remove(gone); err != nil {
					rt.Error(err)
				}
				if (err == nil) != can {
					rt.Errorf("room for %d bytes of %s: %v; want it: %v", need, org, err, can)
				}
				if err != nil && !maps.Equal(before, files(t, s)) {
					rt.Errorf("no room for %d bytes of %s, and of the files %v are left %v", need, org, before, files(t, s))
				}
			},
			"": func(*rapid.T) { w.now.pass(time.Second) },
		})
	})
}

// possible tries on a copy of a room whether it can be made.
func possible(r *room, org string, need int64) bool {
	tried := newRoom(r.max)
	for _, f := range r.files {
		f := *f
		tried.add(&f)
	}
	for tried.used+need > tried.max {
		f := tried.victim(org, need)
		if f == nil {
			return false
		}
		tried.drop(f)
	}
	return true
}

// TestTooLarge: a clip over its share of the room is refused in words of its own,
// with no time to try again, and takes no other's place.
func TestTooLarge(t *testing.T) {
	t.Parallel()
	places(t, tooLarge)
}

func tooLarge(t *testing.T, place func() Config) {
	now := newClock()
	cfg := place()
	cfg.Now = now.Now
	s := open(t, cfg)
	for range 20 {
		mustPut(t, s, "org_a", sound(50_000))
		now.pass(time.Second)
	}
	before := files(t, s)
	most := int(s.room.maxClip() - HeadBytes)
	d, err := s.Begin("org_a")
	if err != nil {
		t.Fatal(err)
	}
	_, err = d.Write(sound(most + 1))
	d.Discard()
	f, ok := errors.AsType[*fault.Error](err)
	if !ok || !errors.Is(err, ErrTooLarge) || f.Kind != fault.Unavailable || f.RetryAfter != 0 {
		t.Errorf("Write of %d bytes = %v, want ErrTooLarge, unavailable for good", most+1, err)
	}
	if left := files(t, s); !maps.Equal(before, left) || len(left) < 15 {
		t.Errorf("of %d clips %d are left", len(before), len(left))
	}
	if _, err := put(s, "org_a", sound(most)); err != nil {
		t.Errorf("a clip of %d bytes: %v", most, err)
	}
}

// glance is a context that tells, whenever it is asked whether it has ended, whether
// others could get at the clips then.
type glance struct {
	context.Context
	s    *Service
	free int
}

func (g *glance) Err() error {
	if g.s.mu.TryLock() {
		g.free++
		g.s.mu.Unlock()
	}
	return g.Context.Err()
}

// TestSweepLetsOthersIn: a long sweep lets others at the clips every now and then.
func TestSweepLetsOthersIn(t *testing.T) {
	t.Parallel()
	now := newClock()
	s := open(t, Config{Now: now.Now, MaxBytes: 64 * MinRoom})
	for i := range 10 * batchSize {
		mustPut(t, s, fmt.Sprint("org_", i%3), nil)
	}
	now.pass(time.Hour)
	ctx := &glance{Context: t.Context(), s: s}
	if n, err := s.Sweep(ctx); n != 10*batchSize || err != nil {
		t.Fatalf("Sweep = %d, %v; want %d", n, err, 10*batchSize)
	}
	if ctx.free < 10 {
		t.Errorf("others could get at the clips %d times while %d went, want 10", ctx.free, 10*batchSize)
	}
}

// TestBack: a clip that a scan finds while it is removed in vain is counted once.
func TestBack(t *testing.T) {
	t.Parallel()
	r := newRoom(MinRoom)
	f := &file{name: "clip", org: "org", state: kept, room: blockBytes}
	r.add(f)
	r.drop(f)
	found := *f
	found.state = kept
	r.add(&found)
	r.back([]*file{f})
	if r.used != blockBytes || r.keptBytes != blockBytes || r.orgs["org"].files != 1 {
		t.Errorf("used are %d bytes by %d files, want %d by one", r.used, r.orgs["org"].files, blockBytes)
	}
}
