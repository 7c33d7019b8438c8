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
		s := search{guess: rapid.IntRange(1, 1500).Draw(rt, "guess"), least: 1, most: 1500, factor: 1.25, precision: 1.06, tries: 100}
		admitted := rapid.Float64Range(0, 1).Draw(rt, "admitted")
		tried := map[int]bool{}
		for n, more := s.next(); more; n, more = s.next() {
			if tried[n] || n < 1 || n > s.most {
				rt.Fatalf("tries %d, after %v", n, tried)
			}
			tried[n] = true
			s.tell(n, n <= limit, int(admitted*float64(n)))
		}
		if s.good > limit || s.bad > 0 && s.bad <= limit {
			rt.Fatalf("between %d and %d, but the limit is %d", s.good, s.bad, limit)
		}
		if limit > 0 && float64(limit+1) > float64(s.good+1)*1.06+1 {
			rt.Fatalf("found %d, the limit is %d", s.good, limit)
		}
	})
	for _, tt := range []struct {
		search
		limit, admitted int
		want            []int
		found           int
	}{
		{search{guess: 100, least: 10, most: 1000, tries: 3}, 119, 110, []int{100, 125, 112}, 112},
		// Near what was admitted.
		{search{guess: 1845, least: 400, most: 2300, tries: 2}, 1100, 1000, []int{1845, 1180, 1042}, 1042},
		// A missed block tells nothing, so it goes down by the factor; though all tries are used.
		{search{guess: 200, least: 10, most: 1000, tries: 1}, 99, 1000, []int{200, 160, 128, 102, 81}, 81},
		// Not far below.
		{search{guess: 1000, least: 10, most: 1000, tries: 2}, 700, 100, []int{1000, 640}, 640},
		// Never below the least.
		{search{guess: 100, least: 70, most: 1000, tries: 9}, 50, 1, []int{100, 70}, 0},
	} {
		s, order := tt.search, []int(nil)
		s.factor, s.precision = 1.25, 1.06
		for n, more := s.next(); more; n, more = s.next() {
			order = append(order, n)
			s.tell(n, n <= tt.limit, min(n, tt.admitted))
		}
		if diff := cmp.Diff(tt.want, order); diff != "" || s.good != tt.found {
			t.Errorf("found %d, want %d; tried (-want +got):\n%s", s.good, tt.found, diff)
		}
	}
}
