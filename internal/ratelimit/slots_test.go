package ratelimit

import (
	"sync"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"
)

func TestSlots(t *testing.T) {
	t.Parallel()
	s := NewSlots()
	for i, tt := range []struct {
		do    string
		scope string
		limit int
		taken int
		ok    bool
	}{
		{"acquire", "a", 2, 1, true},
		{"acquire", "a", 2, 2, true},
		{"acquire", "a", 2, 2, false},
		{"acquire", "b", 2, 1, true},
		{"acquire", "b", 0, 1, false},
		{"acquire", "c", 0, 0, false},
		{"acquire", "a", -1, 3, true},
		{"release", "a", 0, 2, false},
		{"acquire", "a", 2, 2, false}, // the unlimited one was counted
		{"acquire", "a", 1, 2, false}, // the limit shrank
		{"release", "a", 0, 1, false},
		{"acquire", "a", 2, 2, true},
		{"release", "c", 0, 0, false}, // never taken
		{"acquire", "c", 1, 1, true},
		{"acquire", "c", 1, 1, false},
	} {
		if tt.do == "release" {
			s.Release(tt.scope)
		} else if taken, ok := s.Acquire(tt.scope, tt.limit); taken != tt.taken || ok != tt.ok {
			t.Errorf("step %d: Acquire(%q, %d) = %d, %v, want %d, %v", i, tt.scope, tt.limit, taken, ok, tt.taken, tt.ok)
		}
		if got := s.Running(tt.scope); got != tt.taken {
			t.Errorf("step %d: Running(%q) = %d, want %d", i, tt.scope, got, tt.taken)
		}
	}
}

// TestSlotsModel holds slots against plain numbers, and checks that nothing is
// kept of a scope of which nothing runs.
func TestSlotsModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s, model := NewSlots(), map[string]int{}
		for range rapid.IntRange(1, 100).Draw(t, "steps") {
			scope := rapid.SampledFrom([]string{"a", "b", ""}).Draw(t, "scope")
			if rapid.Bool().Draw(t, "release") {
				s.Release(scope)
				model[scope] = max(0, model[scope]-1)
			} else {
				limit := rapid.IntRange(-1, 4).Draw(t, "limit")
				want := limit < 0 || model[scope] < limit
				if want {
					model[scope]++
				}
				if taken, ok := s.Acquire(scope, limit); ok != want || taken != model[scope] {
					t.Fatalf("Acquire(%q, %d) = %d, %v, want %d, %v", scope, limit, taken, ok, model[scope], want)
				}
			}
			if got := s.Running(scope); got != model[scope] {
				t.Fatalf("Running(%q) = %d, want %d", scope, got, model[scope])
			}
			if _, kept := s.running[scope]; kept != (model[scope] > 0) {
				t.Fatalf("scope %q is kept = %v with %d running", scope, kept, model[scope])
			}
		}
	})
}

// TestSlotsConcurrently: never more than the limit hold a slot.
func TestSlotsConcurrently(t *testing.T) {
	t.Parallel()
	const limit = 5
	s := NewSlots()
	var holding, most, passed atomic.Int64
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for range 500 {
				if _, ok := s.Acquire("key", limit); !ok {
					continue
				}
				passed.Add(1)
				n := holding.Add(1)
				for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
				}
				holding.Add(-1)
				s.Release("key")
			}
		})
	}
	wg.Wait()
	if most.Load() > limit {
		t.Errorf("%d held a slot at once, want at most %d", most.Load(), limit)
	}
	if passed.Load() == 0 {
		t.Error("none got a slot")
	}
	if n := s.Running("key"); n != 0 {
		t.Errorf("%d slots are taken in the end, want 0", n)
	}
}

func BenchmarkSlots(b *testing.B) {
	b.ReportAllocs()
	s := NewSlots()
	for b.Loop() {
		s.Acquire("key", 5)
		s.Release("key")
	}
}
