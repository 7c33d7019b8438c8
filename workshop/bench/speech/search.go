package speech

import "math"

// search finds the greatest number that is good, when all below a number that
// is good are good too. It goes up or down from a guess by a constant factor
// until that number lies between two, then halves the distance.
type search struct {
	guess     int
	most      int     // numbers above are not tried
	factor    float64 // of a step up or down, over 1
	precision float64 // ends it: the lowest bad number ÷ the highest good one
	tries     int     // ends it, too

	good, bad int // the highest and the lowest; 0 is none
}

// next returns the number to try, and false when the search has ended.
func (s *search) next() (int, bool) {
	if s.tries <= 0 || s.good >= s.most || s.good > 0 && s.bad > 0 &&
		(float64(s.bad) <= float64(s.good)*s.precision || s.bad-s.good <= 1) || s.bad == 1 {
		return 0, false
	}
	s.tries--
	n := s.guess
	switch {
	case s.good > 0 && s.bad > 0:
		n = int(math.Round(math.Sqrt(float64(s.good) * float64(s.bad))))
		n = min(max(n, s.good+1), s.bad-1)
	case s.good > 0:
		n = max(int(float64(s.good)*s.factor), s.good+1)
	case s.bad > 0:
		n = min(int(float64(s.bad)/s.factor), s.bad-1)
	}
	return min(max(n, 1), s.most), true
}

// tell says whether n was good.
func (s *search) tell(n int, good bool) {
	if good {
		s.good = max(s.good, n)
	} else if s.bad == 0 || n < s.bad {
		s.bad = n
	}
}
