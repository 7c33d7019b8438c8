package pool_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"vaak/engine/remote/pool"
	"vaak/engine/remote/wire"
)

// start is when tests begin.
var start = time.Unix(1_800_000_000, 0)

// clock is a pool, and the time that passes for it.
type clock struct {
	*testing.T
	*pool.Pool
	now time.Time
}

func newClock(t *testing.T, s pool.Settings, members ...pool.Member) *clock {
	c := &clock{t, pool.New(s, rand.New(rand.NewPCG(1, 2))), start}
	c.Set(c.now, members)
	return c
}

// members returns n members called "0", "1" and so on.
func members(n int, m pool.Member) []pool.Member {
	list := make([]pool.Member, n)
	for i := range list {
		m.ID = fmt.Sprint(i)
		list[i] = m
	}
	return list
}

func (c *clock) after(d time.Duration) { c.now = c.now.Add(d) }

func (c *clock) take(audio time.Duration, avoid ...string) *pool.Lease {
	c.Helper()
	l, err := c.Take(c.now, audio, avoid...)
	if err != nil {
		c.Fatalf("Take: %v", err)
	}
	return l
}

// fail has requests to a member fail, n of them in a row.
func (c *clock) fail(id string, n int, r wire.Reason) {
	c.Helper()
	for range n {
		var others []string
		for _, s := range c.Pool.Members(c.now) {
			if s.ID != id {
				others = append(others, s.ID)
			}
		}
		c.take(time.Second, others...).Done(c.now, pool.Outcome{Reason: r})
	}
}

func (c *clock) status(id string) pool.Status {
	c.Helper()
	for _, s := range c.Pool.Members(c.now) {
		if s.ID == id {
			return s
		}
	}
	c.Fatalf("no member %s", id)
	return pool.Status{}
}

func (c *clock) want(id string, s pool.State) {
	c.Helper()
	if got := c.status(id); got.State != s {
		c.Fatalf("member %s is %v, want %v", id, got.State, s)
	}
}

// check answers the checks that are due, for each member by its reason, and returns how many
// there were with a text.
func (c *clock) check(down map[string]wire.Reason) (texts int) {
	for _, d := range c.Due(c.now) {
		if d.Speak {
			texts++
		}
		c.Probed(c.now, d, pool.Outcome{Reason: down[d.Member]})
	}
	return texts
}

func TestEjectedByFailuresInARow(t *testing.T) {
	t.Parallel()
	c := newClock(t, pool.Settings{}, members(3, pool.Member{})...)
	c.fail("1", 2, wire.Broken)
	c.want("1", pool.Up)
	c.fail("1", 1, "")
	c.fail("1", 2, wire.Broken)
	c.want("1", pool.Up)
	c.fail("1", 1, wire.Broken)
	c.want("1", pool.Ejected)
	for range 100 {
		if l := c.take(time.Second); l.Member() == "1" {
			t.Fatal("an ejected member got a request")
		}
	}
	c.after(time.Second)
	c.want("1", pool.Trial)
	if n := c.check(nil); n != 1 {
		t.Fatalf("%d texts to speak are due, want 1", n)
	}
	c.want("1", pool.Returning)
	c.after(2 * time.Second)
	c.want("1", pool.Up)
	s := c.status("1")
	if s.Requests != 6 || s.Well != 1 || s.Failures[wire.Broken] != 5 || s.Ejections != 1 || s.LastFailure != wire.Broken {
		t.Errorf("%+v", s)
	}
}

func TestEjectedByShare(t *testing.T) {
	t.Parallel()
	c := newClock(t, pool.Settings{}, members(3, pool.Member{})...)
	for range 20 {
		c.fail("0", 2, "")
		c.fail("2", 2, "")
	}
	for range 4 {
		c.fail("1", 1, "")
		c.fail("1", 1, wire.Failed)
	}
	c.want("1", pool.Up)
	c.fail("1", 1, "")
	c.fail("1", 1, wire.Failed)
	c.want("1", pool.Ejected)
}

// TestTextThatNoneCanSpeak: failures that all members meet alike eject none of them, but
// failures that are certainly theirs do.
func TestTextThatNoneCanSpeak(t *testing.T) {
	t.Parallel()
	c := newClock(t, pool.Settings{}, members(4, pool.Member{})...)
	for range 10 {
		for i := range 4 {
			c.fail(fmt.Sprint(i), 1, "")
		}
	}
	for range 6 { // interleaved, so that each member has many in a row
		for i := range 4 {
			c.fail(fmt.Sprint(i), 1, wire.Failed)
		}
	}
	for i := range 4 {
		c.want(fmt.Sprint(i), pool.Up)
	}
	c.fail("3", 2, wire.Unreachable)
	c.want("3", pool.Ejected)
}

func TestPausesGrow(t *testing.T) {
	t.Parallel()
	c := newClock(t, pool.Settings{}, members(2, pool.Member{})...)
	c.fail("1", 3, wire.Late)
	want := time.Second
	for range 10 {
		s := c.status("1")
		if pause := s.Until.Sub(s.Since); pause > want || pause < want*3/4 {
			t.Errorf("pause of %v, want %v or up to a quarter less", pause, want)
		}
		c.now = s.Until
		// Its health endpoint is content all the time, so it does not end pauses.
		for _, d := range c.Due(c.now) {
			if o := (pool.Outcome{}); d.Speak {
				o.Reason = wire.Late
				c.Probed(c.now, d, o)
			} else {
				c.Probed(c.now, d, o)
			}
		}
		c.want("1", pool.Ejected)
		want = min(2*want, time.Minute)
	}
	c.now = c.status("1").Until
	c.check(nil)
	c.after(time.Minute)
	c.fail("1", 3, wire.Late)
	if s := c.status("1"); s.Until.Sub(s.Since) > time.Second {
		t.Errorf("after a calm minute the pause is %v, want a second", s.Until.Sub(s.Since))
	}
}

// TestBackBeforeThePauseEnds: a member that was away for its health check too is tried as
// soon as that is content.
func TestBackBeforeThePauseEnds(t *testing.T) {
	t.Parallel()
	c := newClock(t, pool.Settings{Pause: time.Minute}, members(2, pool.Member{})...)
	c.fail("1", 3, wire.Late)
	for range 3 {
		c.after(time.Second)
		c.check(map[string]wire.Reason{"1": wire.Unreachable})
		c.want("1", pool.Ejected)
	}
	c.after(time.Second)
	c.check(nil)
	c.want("1", pool.Trial)
	c.check(nil)
	c.want("1", pool.Returning)
}

// TestUnreachable: a member that could not be reached is tried as soon as it can be.
func TestUnreachable(t *testing.T) {
	t.Parallel()
	c := newClock(t, pool.Settings{Pause: time.Minute}, members(2, pool.Member{})...)
	c.fail("1", 1, wire.Unreachable)
	c.want("1", pool.Up)
	c.fail("1", 1, wire.Unreachable)
	c.want("1", pool.Ejected)
	c.after(time.Second)
	c.check(nil)
	c.want("1", pool.Trial)
}

func TestEjectedByHealth(t *testing.T) {
	t.Parallel()
	c := newClock(t, pool.Settings{}, members(2, pool.Member{})...)
	for range 8 {
		c.after(time.Second)
		c.check(map[string]wire.Reason{"1": wire.Unreachable})
	}
	c.want("0", pool.Up)
	c.want("1", pool.Ejected)
}

// TestBusy: busy members get less or nothing for a time, and are not down.
func TestBusy(t *testing.T) {
	t.Parallel()
	c := newClock(t, pool.Settings{}, members(2, pool.Member{})...)
	first := c.take(time.Second, "0")
	c.take(time.Second, "0").Done(c.now, pool.Outcome{Reason: wire.Busy, RetryAfter: 4 * time.Second})
	first.Done(c.now, pool.Outcome{})
	for range 50 {
		if l := c.take(time.Second); l.Member() != "0" {
			t.Fatal("a request for the member that is closed")
		}
	}
	// The last that is open is not closed, but gets no more than it has.
	c.take(time.Second, "1").Done(c.now, pool.Outcome{Reason: wire.Busy, RetryAfter: time.Hour})
	l := c.take(time.Second)
	if l.Member() != "1" {
		t.Fatal("a request for a member that has its most")
	}
	_, err := c.Take(c.now, time.Second)
	var full *pool.FullError
	if !errors.As(err, &full) || !errors.Is(err, pool.ErrFull) || full.Streams != 51 || full.Members != 2 || !full.Until.Equal(c.now.Add(4*time.Second)) {
		t.Fatalf("Take: %v, %+v", err, full)
	}
	if err := c.Usable(c.now); err != nil {
		t.Errorf("Usable: %v", err)
	}
	changed := c.Changed()
	c.after(4 * time.Second)
	c.check(nil)
	select {
	case <-changed:
	default:
		t.Error("Due did not tell that the member is open again")
	}
	if l := c.take(time.Second); l.Member() != "1" {
		t.Error("a request for the other member")
	}
	for i := range 2 {
		if s := c.status(fmt.Sprint(i)); s.State != pool.Up || s.Ejections != 0 || s.Failures[wire.Busy] != 1 {
			t.Errorf("%+v", s)
		}
	}
}

func TestRefusedDoesNotCount(t *testing.T) {
	t.Parallel()
	c := newClock(t, pool.Settings{}, members(2, pool.Member{})...)
	c.fail("1", 50, wire.Refused)
	c.want("1", pool.Up)
	if s := c.status("1"); s.Share != 1 {
		t.Errorf("share %v, want 1", s.Share)
	}
}

// TestLateAfterReturn: requests from before an ejection do not eject again.
func TestLateAfterReturn(t *testing.T) {
	t.Parallel()
	c := newClock(t, pool.Settings{}, members(2, pool.Member{})...)
	var old []*pool.Lease
	for range 9 {
		old = append(old, c.take(time.Second, "0"))
	}
	for _, l := range old[:3] {
		l.Done(c.now, pool.Outcome{Reason: wire.Late})
	}
	c.after(time.Second)
	c.check(nil)
	c.want("1", pool.Returning)
	for _, l := range old[3:] {
		l.Done(c.now, pool.Outcome{Reason: wire.Late})
	}
	c.want("1", pool.Returning)
	if s := c.status("1"); s.Streams != 0 || s.Outstanding != 0 || s.Failures[wire.Late] != 9 {
		t.Errorf("%+v", s)
	}
}

// TestListenersThatGiveUp: requests that were cancelled before a sound came count as late
// when that took long.
func TestListenersThatGiveUp(t *testing.T) {
	t.Parallel()
	c := newClock(t, pool.Settings{}, members(2, pool.Member{})...)
	for _, tt := range []struct {
		wait time.Duration
		o    pool.Outcome
		want pool.State
	}{
		{time.Second, pool.Outcome{Cancelled: true}, pool.Up},
		{6 * time.Second, pool.Outcome{Cancelled: true, FirstAudio: time.Second, Audio: time.Second}, pool.Up},
		{6 * time.Second, pool.Outcome{Cancelled: true}, pool.Ejected},
	} {
		var ls []*pool.Lease
		for range 3 {
			ls = append(ls, c.take(time.Second, "0"))
		}
		c.after(tt.wait)
		for _, l := range ls {
			l.Done(c.now, tt.o)
		}
		c.want("1", tt.want)
	}
}

// TestAllDown: pauses are short while no member is up, and a request may be the trial.
func TestAllDown(t *testing.T) {
	t.Parallel()
	c := newClock(t, pool.Settings{Pause: time.Minute}, members(2, pool.Member{})...)
	c.fail("0", 2, wire.Unreachable)
	c.after(time.Second)
	c.fail("1", 2, wire.Unreachable)
	_, err := c.Take(c.now, time.Second)
	var down *pool.DownError
	if !errors.As(err, &down) || !errors.Is(err, pool.ErrDown) || !down.Until.Equal(start.Add(5*time.Second)) || down.Members != 2 {
		t.Fatalf("Take: %v, %+v", err, down)
	}
	if err := c.Usable(c.now); !errors.Is(err, pool.ErrDown) {
		t.Errorf("Usable: %v", err)
	}
	c.after(4 * time.Second)
	if err := c.Usable(c.now); err != nil {
		t.Errorf("Usable while a member may be tried: %v", err)
	}
	l := c.take(time.Second)
	if l.Member() != "0" {
		t.Fatalf("member %s is tried, want 0", l.Member())
	}
	if _, err := c.Take(c.now, time.Second); !errors.Is(err, pool.ErrDown) {
		t.Errorf("a second request beside the trial: %v", err)
	}
	l.Done(c.now, pool.Outcome{})
	c.want("0", pool.Returning)
	c.take(time.Second)
}

func TestAvoid(t *testing.T) {
	t.Parallel()
	c := newClock(t, pool.Settings{}, members(2, pool.Member{})...)
	_, err := c.Take(c.now, time.Second, "0", "1")
	var down *pool.DownError
	if !errors.As(err, &down) || !down.Avoided {
		t.Errorf("Take: %v", err)
	}
}

// TestSet: members that stay keep what is known; leases of others end without harm; members
// that come back are known; new ones are tried first.
func TestSet(t *testing.T) {
	t.Parallel()
	c := newClock(t, pool.Settings{Pause: time.Minute}, members(3, pool.Member{})...)
	l := c.take(time.Second, "1", "2")
	c.fail("1", 2, wire.Unreachable)
	c.Set(c.now, []pool.Member{{ID: "1"}, {ID: "2", Weight: 3}, {ID: "9"}, {ID: "2"}})
	c.want("1", pool.Ejected)
	c.want("2", pool.Up)
	c.want("9", pool.Trial)
	if s := c.status("2"); s.Weight != 3 {
		t.Errorf("weight %v, want 3", s.Weight)
	}
	l.Made(c.now, time.Second/2)
	c.Set(c.now, members(3, pool.Member{}))
	c.want("0", pool.Trial)
	if s := c.status("0"); s.Streams != 1 || s.Outstanding != time.Second/2 {
		t.Errorf("a member that came back has %d streams and %v outstanding", s.Streams, s.Outstanding)
	}
	l.Done(c.now, pool.Outcome{})
	l.Done(c.now, pool.Outcome{Reason: wire.Broken})
	if s := c.status("0"); s.Streams != 0 || s.Outstanding != 0 || s.Well != 1 || s.Failures != nil {
		t.Errorf("%+v", s)
	}
	c.Set(c.now, nil)
	if _, err := c.Take(c.now, time.Second); !errors.Is(err, pool.ErrDown) {
		t.Errorf("Take from an empty pool: %v", err)
	}
	c.Set(c.now, []pool.Member{{ID: "new"}})
	c.want("new", pool.Up)
}

// TestWeights: what is outstanding follows the weights.
func TestWeights(t *testing.T) {
	t.Parallel()
	c := newClock(t, pool.Settings{}, pool.Member{ID: "a", Weight: 1}, pool.Member{ID: "b", Weight: 10}, pool.Member{ID: "c", Weight: 1})
	for range 1200 {
		c.take(time.Second)
	}
	for id, want := range map[string]int{"a": 100, "b": 1000, "c": 100} {
		if s := c.status(id); s.Streams < want*9/10 || s.Streams > want*11/10 {
			t.Errorf("member %s has %d streams, want about %d", id, s.Streams, want)
		}
	}
}

// TestMostStreams: members fill to their most, and a place that becomes free is told.
func TestMostStreams(t *testing.T) {
	t.Parallel()
	c := newClock(t, pool.Settings{}, members(5, pool.Member{Streams: 7})...)
	var ls []*pool.Lease
	for range 35 {
		ls = append(ls, c.take(time.Second))
	}
	changed := c.Changed()
	if _, err := c.Take(c.now, time.Second); !errors.Is(err, pool.ErrFull) {
		t.Fatalf("Take: %v", err)
	}
	ls[3].Done(c.now, pool.Outcome{})
	select {
	case <-changed:
	default:
		t.Error("the free place was not told")
	}
	if l := c.take(time.Second); l.Member() != ls[3].Member() {
		t.Errorf("a place on %s, want %s", l.Member(), ls[3].Member())
	}
}

func TestLatency(t *testing.T) {
	t.Parallel()
	c := newClock(t, pool.Settings{}, members(1, pool.Member{})...)
	for i := range 300 {
		c.take(time.Second).Done(c.now, pool.Outcome{FirstAudio: time.Duration(i+1) * time.Millisecond, Audio: time.Second})
	}
	// Of the last 128: 173 to 300 ms.
	if s := c.status("0"); s.P50 != 237*time.Millisecond || s.P99 != 299*time.Millisecond || s.Audio != 300*time.Second {
		t.Errorf("p50 %v, p99 %v, audio %v", s.P50, s.P99, s.Audio)
	}
	c.after(2 * time.Minute)
	if s := c.status("0"); s.P50 != 0 || s.P99 != 0 {
		t.Errorf("after two minutes: p50 %v, p99 %v", s.P50, s.P99)
	}
}

// TestSlow: a member whose first audio is much later than that of the others gets less.
func TestSlow(t *testing.T) {
	t.Parallel()
	c := newClock(t, pool.Settings{}, members(4, pool.Member{})...)
	got := map[string]int{}
	late := map[*pool.Lease]time.Time{}
	least := 1.0
	for range 400 {
		c.after(10 * time.Millisecond)
		l := c.take(time.Second)
		got[l.Member()]++
		if l.Member() == "1" {
			late[l] = c.now.Add(time.Second)
		} else {
			l.Made(c.now.Add(50*time.Millisecond), time.Second)
			l.Done(c.now, pool.Outcome{Audio: time.Second})
		}
		for l, at := range late {
			if c.now.After(at) {
				l.Made(c.now, time.Second)
				l.Done(c.now, pool.Outcome{Audio: time.Second})
				delete(late, l)
			}
		}
		least = min(least, c.status("1").Share)
	}
	c.want("1", pool.Up)
	if least > 0.5 {
		t.Errorf("the share of the slow member fell to %.2f", least)
	}
	if got["1"] > 50 || got["1"] == 0 {
		t.Errorf("the slow member got %d of 400 requests", got["1"])
	}
	c.after(3 * time.Second)
	if s := c.status("1"); s.Share != 1 {
		t.Errorf("share %v some seconds later, want 1", s.Share)
	}
}

// TestNotices: each change is told once.
func TestNotices(t *testing.T) {
	t.Parallel()
	var got []pool.State
	c := newClock(t, pool.Settings{Notice: func(n pool.Notice) { got = append(got, n.State) }}, members(2, pool.Member{})...)
	c.fail("1", 3, wire.Late)
	c.after(time.Second)
	c.check(nil)
	c.after(3 * time.Second)
	c.check(nil)
	if want := []pool.State{pool.Ejected, pool.Trial, pool.Returning, pool.Up}; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("told %v, want %v", got, want)
	}
}

func BenchmarkTakeDone(b *testing.B) {
	for _, n := range []int{3, 200} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			p := pool.New(pool.Settings{}, rand.New(rand.NewPCG(1, 2)))
			p.Set(start, members(n, pool.Member{Streams: 64}))
			// As many requests run as in a pool at work.
			running := make([]*pool.Lease, 20*n)
			for i := range running {
				running[i], _ = p.Take(start, 5*time.Second)
			}
			now, i := start, 0
			b.ReportAllocs()
			for b.Loop() {
				now = now.Add(time.Millisecond)
				running[i].Done(now, pool.Outcome{FirstAudio: time.Second, Audio: 5 * time.Second})
				running[i], _ = p.Take(now, 5*time.Second)
				if i++; i == len(running) {
					i = 0
				}
			}
		})
	}
}

// BenchmarkFull takes from a pool that has no room.
func BenchmarkFull(b *testing.B) {
	p := pool.New(pool.Settings{}, rand.New(rand.NewPCG(1, 2)))
	p.Set(start, members(200, pool.Member{Streams: 1}))
	for range 200 {
		p.Take(start, time.Second)
	}
	for b.Loop() {
		p.Take(start, time.Second)
	}
}

// TestConcurrent is for the race detector.
func TestConcurrent(t *testing.T) {
	t.Parallel()
	c := newClock(t, pool.Settings{}, members(4, pool.Member{Streams: 3})...)
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			for n := range 200 {
				now := start.Add(time.Duration(n) * 10 * time.Millisecond)
				changed := c.Changed()
				l, err := c.Take(now, time.Second)
				if errors.Is(err, pool.ErrFull) {
					<-changed
					continue
				}
				if err != nil {
					t.Errorf("Take: %v", err)
					return
				}
				l.Made(now, time.Second/2)
				l.Done(now, pool.Outcome{FirstAudio: time.Millisecond, Audio: time.Second})
				if i == 0 {
					c.Set(now, members(4+n%2, pool.Member{Streams: 3}))
					for _, d := range c.Due(now) {
						c.Probed(now, d, pool.Outcome{})
					}
					c.Pool.Members(now)
				}
			}
		})
	}
	group.Wait()
	for _, s := range c.Pool.Members(start.Add(3 * time.Second)) {
		if s.Streams != 0 || s.Outstanding != 0 || s.Requests != s.Well {
			t.Errorf("%+v", s)
		}
	}
}
