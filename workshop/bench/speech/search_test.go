package speech

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestSearch(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		limit := rapid.IntRange(0, 1500).Draw(rt, "limit")
		s := search{guess: rapid.IntRange(1, 1500).Draw(rt, "guess"), most: 1500, factor: 1.25, precision: 1.06, tries: 100}
		tried := map[int]bool{}
		for n, more := s.next(); more; n, more = s.next() {
			if tried[n] || n < 1 || n > s.most {
				rt.Fatalf("tries %d, after %v", n, tried)
			}
			tried[n] = true
			s.tell(n, n <= limit)
		}
		if s.good > limit || s.bad > 0 && s.bad <= limit {
			rt.Fatalf("between %d and %d, but the limit is %d", s.good, s.bad, limit)
		}
		if limit > 0 && float64(limit+1) > float64(s.good+1)*1.06+1 {
			rt.Fatalf("found %d, the limit is %d", s.good, limit)
		}
	})
	s := search{guess: 100, most: 1000, factor: 1.25, precision: 1.06, tries: 3}
	var order []int
	for n, more := s.next(); more; n, more = s.next() {
		order = append(order, n)
		s.tell(n, n < 120)
	}
	if diff := cmp.Diff([]int{100, 125, 112}, order); diff != "" || s.good != 112 {
		t.Errorf("found %d; tried (-want +got):\n%s", s.good, diff)
	}
}
