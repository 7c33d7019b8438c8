package ratelimit

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"pgregory.net/rapid"
)

func TestLimiterScopes(t *testing.T) {
	t.Parallel()
	l := NewLimiter(10)
	for range 2 {
		l.Take("a", start, 2)
	}
	if l.Take("a", start, 2).Allowed {
		t.Error("scope a passes a third time, budget 2")
	}
	if d := l.Take("b", start, 2); d.Remaining != 1 {
		t.Errorf("scope b begins with %+v, want 1 remaining", d)
	}
	if d := l.Look("", start, 2); d.Remaining != 2 {
		t.Errorf("the empty scope begins with %+v, want 2 remaining", d)
	}
}

func TestLimiterRemembersOnlyWhatCounts(t *testing.T) {
	t.Parallel()
	l := NewLimiter(0)
	l.Look("look", start, 5)
	l.Take("unlimited", start, -1)
	l.Take("nothing", start, 0)
	if n := l.Scopes(); n != 0 {
		t.Errorf("%d scopes are remembered, want 0", n)
	}
	l.Take("counted", start, 5)
	if d := l.Take("counted", start, 0); d.Allowed || d.Reset != seconds(60) {
		t.Errorf("Take with budget 0 after a counted one = %+v, want a refusal and Reset 60 s", d)
	}
	if n := l.Scopes(); n != 1 {
		t.Errorf("%d scopes are remembered, want 1", n)
	}
}

func TestLimiterIdleScopesGo(t *testing.T) {
	t.Parallel()
	l := NewLimiter(1000)
	for i := range 500 {
		l.Take(fmt.Sprint("burst ", i), start, 1)
	}
	now := start.Add(seconds(60)) // the burst still counts
	l.Take("then", now, 1)
	if n := l.Scopes(); n != 501 {
		t.Errorf("%d scopes while all count, want 501", n)
	}
	now = start.Add(seconds(61))
	for i := range 500 {
		l.Take(fmt.Sprint("after ", i), now, 1)
	}
	if n := l.Scopes(); n != 501 {
		t.Errorf("%d scopes after the burst, want 501", n)
	}
}

// TestLimiterModel holds a limiter against a map of windows and a list of uses.
func TestLimiterModel(t *testing.T) {
	t.Parallel()
	names := []string{"a", "b", "c", "d", "e", "f"}
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.IntRange(1, 7).Draw(t, "scopes")
		l := NewLimiter(most)
		windows := map[string]*Window{}
		var used []string // the latest last
		now := start
		for range rapid.IntRange(1, 100).Draw(t, "requests") {
			now = now.Add(steps(-3*time.Second).Draw(t, "step"))
			scope, budget := rapid.SampledFrom(names).Draw(t, "scope"), rapid.IntRange(-1, 4).Draw(t, "budget")
			w := windows[scope]
			if w == nil {
				w = new(Window)
			}
			if rapid.Bool().Draw(t, "look") {
				if got, want := l.Look(scope, now, budget), w.Look(now, budget); got != want {
					t.Fatalf("Look(%q) = %+v, want %+v", scope, got, want)
				}
				continue
			}
			if windows[scope] != nil || budget > 0 {
				for range 2 {
					if windows[scope] == nil && len(used) > 0 && windows[used[0]].idle(now) {
						delete(windows, used[0])
						used = used[1:]
					}
				}
				if windows[scope] == nil && len(windows) == most {
					delete(windows, used[0])
					used = used[1:]
				}
				windows[scope] = w
				used = append(slices.DeleteFunc(used, func(s string) bool { return s == scope }), scope)
			}
			if got, want := l.Take(scope, now, budget), w.Take(now, budget); got != want {
				t.Fatalf("Take(%q) = %+v, want %+v", scope, got, want)
			}
			if got := l.Scopes(); got != len(windows) || got > most {
				t.Fatalf("%d scopes, want %d, at most %d", got, len(windows), most)
			}
		}
	})
}

func TestLimiterForgetsTheLeastRecentlyUsed(t *testing.T) {
	t.Parallel()
	l := NewLimiter(3)
	take := func(scope string) bool { return l.Take(scope, start, 1).Allowed }
	for _, s := range []string{"a", "b", "c"} {
		take(s)
	}
	take("a")             // refused, and used all the same
	l.Look("b", start, 1) // not a use
	take("d")             // b goes
	if take("a") || take("c") || take("d") {
		t.Error("a scope in use was forgotten")
	}
	if !take("b") {
		t.Error("the least recently used scope was kept")
	}
	if n := l.Scopes(); n != 3 {
		t.Errorf("%d scopes, want 3", n)
	}
}

// TestLimiterConcurrently: however many take at once, each scope passes its
// budget and no more.
func TestLimiterConcurrently(t *testing.T) {
	t.Parallel()
	const workers, scopes, budget = 16, 5, 100
	l := NewLimiter(scopes)
	var passed [scopes]atomic.Int64
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := range scopes * budget {
				n := (i + w) % scopes
				now := start.Add(time.Duration((i*31+w*17)%60_000) * time.Millisecond)
				if l.Take(fmt.Sprint(n), now, budget).Allowed {
					passed[n].Add(1)
				}
				l.Look(fmt.Sprint(n), now, budget)
			}
		})
	}
	wg.Wait()
	for n := range passed {
		if got := passed[n].Load(); got != budget {
			t.Errorf("scope %d passed %d times within a minute, want %d", n, got, budget)
		}
	}
}

// TestLimiterEvictsConcurrently: many more scopes than room, from all sides.
func TestLimiterEvictsConcurrently(t *testing.T) {
	t.Parallel()
	const most = 8
	l := NewLimiter(most)
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for i := range 500 {
				l.Take(fmt.Sprint((i*7+w)%40), start.Add(time.Duration(i)*time.Second), 3)
				if n := l.Scopes(); n > most {
					t.Errorf("%d scopes, want at most %d", n, most)
					return
				}
			}
		})
	}
	wg.Wait()
	n := 0
	for e := l.ring.next; e != &l.ring; e = e.next {
		if l.scopes[e.scope] != e || e.next.prev != e {
			t.Fatalf("scope %q is not linked as it is kept", e.scope)
		}
		n++
	}
	if n != len(l.scopes) {
		t.Errorf("%d scopes are linked, %d kept", n, len(l.scopes))
	}
}

// TestLimiterIgnoresClockSteps: with a monotonic reading the wall clock may jump.
func TestLimiterIgnoresClockSteps(t *testing.T) {
	t.Parallel()
	l := NewLimiter(1)
	now := time.Now()
	l.Take("a", now, 1)
	for _, jump := range []time.Duration{-24 * time.Hour, -time.Second, time.Second, 24 * time.Hour} {
		for _, tt := range []struct {
			later time.Duration
			want  bool
		}{{0, false}, {60*time.Second - 1, false}, {60 * time.Second, true}} {
			if got := l.Look("a", stepped(t, now.Add(tt.later), jump), 1).Allowed; got != tt.want {
				t.Errorf("clock set by %v, %v later: allowed = %v, want %v", jump, tt.later, got, tt.want)
			}
		}
	}
	plain := now.Round(0) // has no monotonic reading
	if got := l.monotonic(plain.Add(time.Hour)); !got.Equal(plain.Add(time.Hour)) {
		t.Errorf("steady(%v) = %v without a monotonic reading", plain.Add(time.Hour), got)
	}
}

// stepped returns now as it would read had the wall clock been set by jump,
// which is in whole seconds, just before. Package time has no means of making
// such a time, so it is written into the seconds of its first word, above 30
// bits of nanoseconds.
func stepped(t *testing.T, now time.Time, jump time.Duration) time.Time {
	t.Helper()
	after := now
	*(*uint64)(unsafe.Pointer(&after)) += uint64(jump/time.Second) << 30
	if after.Sub(now) != 0 || after.Unix() != now.Unix()+int64(jump/time.Second) {
		t.Skip("package time keeps its times in another way")
	}
	return after
}

func BenchmarkLimiter(b *testing.B) {
	for _, scopes := range []int{1, 1000, 50_000} {
		names := make([]string, scopes)
		for i := range names {
			names[i] = fmt.Sprintf("key_%016d", i)
		}
		b.Run(fmt.Sprintf("scopes=%d", scopes), func(b *testing.B) {
			b.ReportAllocs()
			l := NewLimiter(scopes)
			for _, s := range names {
				l.Take(s, start, 60)
			}
			i := 0
			for b.Loop() {
				l.Take(names[i], start, 60)
				if i++; i == scopes {
					i = 0
				}
			}
		})
	}
	b.Run("new_scope_each_time", func(b *testing.B) {
		b.ReportAllocs()
		l := NewLimiter(1000)
		names := make([]string, 5000)
		for i := range names {
			names[i] = fmt.Sprintf("key_%016d", i)
		}
		i := 0
		for b.Loop() {
			l.Take(names[i%len(names)], start, 60)
			i++
		}
	})
	b.Run("parallel", func(b *testing.B) {
		l := NewLimiter(1000)
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				l.Take("scope", start, 60)
			}
		})
	})
}
