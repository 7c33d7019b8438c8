package ratelimit

import (
	"testing"
	"time"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// start is an instant that no bucket boundary favours.
var start = time.Unix(1_700_000_000, 250_000_000)

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

func TestWindow(t *testing.T) {
	t.Parallel()
	type step struct {
		at     float64 // seconds after a full second
		budget int
		look   bool
		want   Decision
	}
	pass := func(limit, remaining int, reset float64) Decision {
		return Decision{Allowed: true, Limit: limit, Remaining: remaining, Reset: seconds(reset)}
	}
	refuse := func(limit int, reset, retry float64) Decision {
		return Decision{Limit: limit, Reset: seconds(reset), RetryAfter: seconds(retry)}
	}
	for _, tt := range []struct {
		name  string
		steps []step
	}{
		{"a whole budget at once", []step{
			{0, 3, true, pass(3, 3, 0)},
			{0, 3, false, pass(3, 2, 60)},
			{0, 3, false, pass(3, 1, 60)},
			{0, 3, false, pass(3, 0, 60)},
			{0, 3, false, refuse(3, 60, 60)},
			{0, 3, true, refuse(3, 60, 60)},
			{59, 3, false, refuse(3, 1, 1)},
			{59.75, 3, false, refuse(3, 0.25, 0.25)},
			{60, 3, true, pass(3, 3, 0)},
			{60, 3, false, pass(3, 2, 60)},
			{60, 3, false, pass(3, 1, 60)},
			{60, 3, false, pass(3, 0, 60)},
			{60, 3, false, refuse(3, 60, 60)},
		}},
		{"within a second", []step{
			{0.75, 1, false, pass(1, 0, 60)},
			{60.5, 1, false, refuse(1, 0.25, 0.25)},
			{60.75, 1, false, pass(1, 0, 60)},
		}},
		{"the last of a second keeps the others of it", []step{
			{0.25, 2, false, pass(2, 1, 60)},
			{0.75, 2, false, pass(2, 0, 60)},
			{0.75, 2, false, refuse(2, 60, 60)},
			{60.5, 2, false, refuse(2, 0.25, 0.25)},
			{60.75, 2, true, pass(2, 2, 0)},
		}},
		{"places come back one by one, up to a second late", []step{
			{0.5, 2, false, pass(2, 1, 60)},
			{30.5, 2, false, pass(2, 0, 60)},
			{31, 2, false, refuse(2, 59.5, 30)},
			{60.75, 2, false, refuse(2, 29.75, 0.25)},
			{61.5, 2, true, pass(2, 1, 29)},
			{61.5, 2, false, pass(2, 0, 60)},
			{61.5, 2, false, refuse(2, 60, 29.5)},
		}},
		{"unlimited counts nothing", []step{
			{0, -1, false, pass(-1, -1, 0)},
			{0, -7, false, pass(-1, -1, 0)},
			{0, -1, true, pass(-1, -1, 0)},
			{0, 1, false, pass(1, 0, 60)},
		}},
		{"nothing is allowed", []step{
			{0, 0, true, refuse(0, 0, 60)},
			{0, 0, false, refuse(0, 0, 60)},
			{500, 0, false, refuse(0, 0, 60)},
			{500, 1, false, pass(1, 0, 60)},
			{510, 0, false, refuse(0, 50, 60)},
		}},
		{"the budget shrinks", []step{
			{0, 4, false, pass(4, 3, 60)},
			{10, 4, false, pass(4, 2, 60)},
			{20, 4, false, pass(4, 1, 60)},
			{30, 4, false, pass(4, 0, 60)},
			{30, 2, false, refuse(2, 60, 51)}, // until the third of four is gone
			{30, 1, false, refuse(1, 60, 60)},
			{81, 2, true, pass(2, 1, 9)},
		}},
		{"the budget grows", []step{
			{0, 1, false, pass(1, 0, 60)},
			{1, 1, false, refuse(1, 59, 59)},
			{1, 3, false, pass(3, 1, 60)},
		}},
		{"the clock goes back", []step{
			{100.5, 2, false, pass(2, 1, 60)},
			{100.25, 2, true, pass(2, 1, 60)},
			{10, 2, true, pass(2, 1, 60)},
			{10, 2, false, pass(2, 0, 60)},
			{10, 2, false, refuse(2, 60, 60)},
			{-1e6, 2, false, refuse(2, 60, 60)},
			{-1e6, -1, false, pass(-1, -1, 0)},
			{160, 2, false, refuse(2, 0.5, 0.5)},
			{160.5, 2, false, pass(2, 1, 60)},
		}},
		{"a refusal does not move the clock", []step{
			{0, 1, false, pass(1, 0, 60)},
			{59, 1, false, refuse(1, 1, 1)},
			{1, 1, false, refuse(1, 59, 59)},
		}},
		{"long idle", []step{
			{0, 2, false, pass(2, 1, 60)},
			{1e9, 2, true, pass(2, 2, 0)},
			{1e9, 2, false, pass(2, 1, 60)},
		}},
		{"exactly one turn of the ring", []step{
			{0, 2, false, pass(2, 1, 60)},
			{61, 2, false, pass(2, 1, 60)},
			{122, 2, false, pass(2, 1, 60)},
			{181, 2, false, pass(2, 0, 60)},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var w Window
			base := time.Unix(1_700_000_000, 0)
			for i, s := range tt.steps {
				do, before := w.Take, w
				if s.look {
					do = w.Look
				}
				got := do(base.Add(seconds(s.at)), s.budget)
				if diff := cmp.Diff(s.want, got); diff != "" {
					t.Errorf("step %d: at %v s with budget %d (-want +got):\n%s", i, s.at, s.budget, diff)
				}
				if counts := !s.look && s.budget > 0 && got.Allowed; (w != before) != counts {
					t.Errorf("step %d: the window changed = %v, want %v", i, w != before, counts)
				}
			}
		})
	}
}

func TestWindowIsSmall(t *testing.T) {
	t.Parallel()
	if got := unsafe.Sizeof(Window{}); got > 256 {
		t.Errorf("a window takes %d bytes, want at most 256", got)
	}
}

func TestWindowOddTimes(t *testing.T) {
	t.Parallel()
	for _, at := range []time.Time{
		{}, time.Unix(0, 0), time.Unix(-1, 999_999_999), time.Unix(59, 0), time.Unix(1<<40, 0), time.Unix(1<<55, 1),
	} {
		var w Window
		for i := range 3 {
			if got, want := w.Take(at, 2).Allowed, i < 2; got != want {
				t.Errorf("Take %d at %v = %v, want %v", i, at, got, want)
			}
		}
		if d := w.Look(at, 2); d.RetryAfter <= 0 || d.RetryAfter > MaxWait || d.Reset <= 0 || d.Reset > MaxWait {
			t.Errorf("Look at %v = %+v, want waits within 60 s", at, d)
		}
	}
}

func TestTakeDoesNotAllocate(t *testing.T) {
	var w Window
	l := NewLimiter(4)
	l.Take("scope", start, 10)
	if n := testing.AllocsPerRun(100, func() { w.Take(start, 10); l.Take("scope", start, 10) }); n != 0 {
		t.Errorf("Take allocates %v times, want 0", n)
	}
}

// budgets are small ones, so that they are often spent, and a few others.
var budgets = rapid.OneOf(rapid.IntRange(1, 6), rapid.IntRange(0, 100))

// steps are the times between requests that the buckets may trip over.
func steps(earliest time.Duration) *rapid.Generator[time.Duration] {
	const s = time.Second
	return rapid.OneOf(
		rapid.SampledFrom([]time.Duration{0, 0, 0, 1, s - 1, s, s + 1, 30 * s, 59 * s, 60*s - 1, 60 * s, 60*s + 1, 61*s - 1, 61 * s, 62 * s, 1000 * s}),
		rapid.Map(rapid.Int64Range(int64(earliest), int64(3*s)), func(n int64) time.Duration { return time.Duration(n) }),
		rapid.Map(rapid.Int64Range(int64(earliest), int64(70*s)), func(n int64) time.Duration { return time.Duration(n) }),
	)
}

// history is the plain statement of the law: every instant that passed, as the
// window took it.
type history []time.Time

// seen is an instant as the window takes it: never before the latest that passed.
func (h history) seen(now time.Time) time.Time {
	if n := len(h); n > 0 && now.Before(h[n-1]) {
		return h[n-1]
	}
	return now
}

// within counts the instants of less than d before now.
func (h history) within(now time.Time, d time.Duration) (n int) {
	for _, t := range h {
		if now.Sub(t) < d {
			n++
		}
	}
	return n
}

// decide is what the window must say, from the definition: all instants of the second
// of the latest one count until 60 s after that, others until 61 s after their second
// began.
func (h history) decide(now time.Time, budget int) Decision {
	now = h.seen(now)
	for i := len(h) - 1; i > 0; i-- {
		if h[i].Sub(h[i-1]) >= time.Minute {
			h = h[i:] // nothing counted any more
			break
		}
	}
	end := func(t time.Time) time.Duration {
		if latest := h[len(h)-1]; t.Unix() == latest.Unix() {
			return latest.Add(time.Minute).Sub(now)
		}
		return time.Unix(t.Unix(), 0).Add(61 * time.Second).Sub(now)
	}
	var ends []time.Duration // ascending
	for _, t := range h {
		if e := end(t); e > 0 {
			ends = append(ends, e)
		}
	}
	d := Decision{Allowed: len(ends) < budget, Limit: budget, Remaining: max(0, budget-len(ends))}
	if len(ends) > 0 {
		d.Reset = ends[len(ends)-1]
	}
	if !d.Allowed && budget > 0 {
		d.RetryAfter = ends[len(ends)-budget]
	} else if budget == 0 {
		d.RetryAfter = time.Minute
	}
	return d
}

// TestWindowLaws drives a window with one budget and holds it against the
// plain history.
func TestWindowLaws(t *testing.T) {
	t.Parallel()
	for name, earliest := range map[string]time.Duration{"clock goes on": 0, "clock goes back": -20 * time.Second} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				var w Window
				var log history
				budget, now := budgets.Draw(t, "budget"), start
				for range rapid.IntRange(1, 200).Draw(t, "requests") {
					now = now.Add(steps(earliest).Draw(t, "step"))
					log = takeAndCheck(t, &w, log, now, budget)
				}
				for i := budget; budget > 0 && i < len(log); i++ {
					if d := log[i].Sub(log[i-budget]); d < time.Minute {
						t.Fatalf("%d requests passed within %v, budget %d", budget+1, d, budget)
					}
				}
			})
		})
	}
}

// takeAndCheck takes one request and checks all that holds of a single one.
func takeAndCheck(t *rapid.T, w *Window, log history, now time.Time, budget int) history {
	before := *w
	want, seen := log.decide(now, budget), log.seen(now)
	if got := w.Look(now, budget); got != want {
		t.Fatalf("Look at %v = %+v, want %+v", now, got, want)
	}
	if *w != before {
		t.Fatalf("Look at %v changed the window", now)
	}
	got := w.Take(now, budget)
	if got.Allowed != want.Allowed {
		t.Fatalf("Take at %v = %+v, Look said %+v", now, got, want)
	}
	if !got.Allowed {
		if *w != before || got != want {
			t.Fatalf("refusal at %v = %+v, want %+v and an unchanged window", now, got, want)
		}
		if n := log.within(seen, 61*time.Second); n < budget {
			t.Fatalf("refused at %v, though 61 s saw only %d of %d", now, n, budget)
		}
		checkRetry(t, *w, seen, budget, got.RetryAfter)
		return log
	}
	if n := log.within(seen, time.Minute); n >= budget {
		t.Fatalf("passed at %v, though 60 s saw %d of %d", now, n, budget)
	}
	log = append(log, seen)
	want = log.decide(now, budget)
	want.Allowed, want.RetryAfter = true, 0
	if got != want {
		t.Fatalf("Take at %v = %+v, want %+v", now, got, want)
	}
	return log
}

// checkRetry checks that a request can pass after the wait and not before.
func checkRetry(t *rapid.T, w Window, now time.Time, budget int, wait time.Duration) {
	if wait <= 0 || wait > time.Minute {
		t.Fatalf("RetryAfter = %v, want more than 0 to 60 s", wait)
	}
	if budget == 0 {
		return
	}
	if w.Look(now.Add(wait-1), budget).Allowed {
		t.Fatalf("a request passes 1 ns before RetryAfter %v", wait)
	}
	if !w.Look(now.Add(wait), budget).Allowed {
		t.Fatalf("no request passes after RetryAfter %v", wait)
	}
}

// TestWindowMonotone: from any state, a greater budget never gives less, time
// never takes away, and counting never adds.
func TestWindowMonotone(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var w Window
		now := start
		for range rapid.IntRange(0, 60).Draw(t, "requests") {
			now = now.Add(steps(-5*time.Second).Draw(t, "step"))
			w.Take(now, budgets.Draw(t, "budget of the past"))
		}
		budget, more := rapid.IntRange(0, 40).Draw(t, "budget"), rapid.IntRange(1, 10).Draw(t, "more")
		d, greater := w.Look(now, budget), w.Look(now, budget+more)
		if d.Allowed && !greater.Allowed || d.Remaining > greater.Remaining || d.RetryAfter < greater.RetryAfter || d.Reset != greater.Reset {
			t.Fatalf("budget %d gives %+v, %d gives %+v", budget, d, budget+more, greater)
		}
		pause := steps(0).Draw(t, "pause")
		later := w.Look(now.Add(pause), budget)
		if d.Allowed && !later.Allowed || later.Remaining < d.Remaining || later.Reset > d.Reset {
			t.Fatalf("now %+v, after %v %+v", d, pause, later)
		}
		if budget > 0 {
			w.Take(now, budget)
			if after := w.Look(now, budget); after.Remaining > d.Remaining || after.Reset < d.Reset {
				t.Fatalf("before Take %+v, after %+v", d, after)
			}
		}
	})
}

func TestWholeBudgetAtOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var w Window
		budget := rapid.IntRange(1, 2000).Draw(t, "budget")
		now := start.Add(time.Duration(rapid.Int64Range(0, int64(time.Second)).Draw(t, "into the second")))
		for minute := range 3 {
			for i := range budget {
				if d := w.Take(now, budget); !d.Allowed || d.Remaining != budget-1-i {
					t.Fatalf("minute %d, request %d of %d: %+v", minute, i, budget, d)
				}
			}
			d := w.Take(now, budget)
			if d.Allowed || d.RetryAfter != d.Reset {
				t.Fatalf("minute %d: request over the budget %d: %+v", minute, budget, d)
			}
			now = now.Add(d.RetryAfter)
		}
	})
}

// TestSteadyPasses: requests that are at least 61 s / budget apart always pass.
func TestSteadyPasses(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var w Window
		budget := rapid.IntRange(1, 200).Draw(t, "budget")
		apart := (61*time.Second + time.Duration(budget) - 1) / time.Duration(budget)
		now := start.Add(time.Duration(rapid.Int64Range(0, int64(time.Second)).Draw(t, "into the second")))
		for i := range 4 * budget {
			if d := w.Take(now, budget); !d.Allowed {
				t.Fatalf("request %d, %v apart, budget %d: %+v", i, apart, budget, d)
			}
			now = now.Add(apart)
		}
	})
}

func BenchmarkWindow(b *testing.B) {
	for _, bm := range []struct {
		name   string
		budget int
		step   time.Duration
	}{
		{"pass", 1 << 30, 0},
		{"pass/next_second", 1 << 30, time.Second},
		{"pass/idle", 1 << 30, 2 * time.Minute},
		{"refuse", 60, 0},
		{"refuse/late", 60, 7 * time.Millisecond},
		{"unlimited", -1, 0},
	} {
		b.Run(bm.name, func(b *testing.B) {
			b.ReportAllocs()
			var w Window
			now := start
			for b.Loop() {
				w.Take(now, bm.budget)
				now = now.Add(bm.step)
			}
		})
	}
}
