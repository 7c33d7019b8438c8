package speech

import "math"

// search finds the greatest number that is good, when all below a number that is good are good too.
// It goes up from a guess by a constant factor, and down by what a bad number has told, until that
// number lies between two, then halves the distance. It goes down until a number is good.
type search struct {
	guess       int
	least, most int     // numbers below and above are not tried
	factor      float64 // of a step up, over 1
	precision   float64 // ends it: the lowest bad number ÷ the highest good one
	tries       int     // ends it, too, once a number was good

	good, bad int // the highest and the lowest; 0 is none
	below     int // where to go on after the lowest bad one
}

// next returns the number to try, and false when the search has ended.
func (s *search) next() (int, bool) {
	switch {
	case s.good >= s.most, s.bad > 0 && s.bad <= s.least, s.good > 0 && s.tries <= 0:
		return 0, false
	case s.good > 0 && s.bad > 0 && (float64(s.bad) <= float64(s.good)*s.precision || s.bad-s.good <= 1):
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
		n = min(s.below, int(float64(s.bad)/s.precision), s.bad-1)
	}
	return min(max(n, s.least), s.most), true
}

// tell says whether n was good, and how many of a bad number were admitted before the first refusal.
// Those who come over a longer time find more room, so that the number is a little above these: a
// quarter of the way, as ratios go. One that comes in a hurry may be refused far below the number, so
// it goes down by two steps of the factor at most. All are admitted when one has missed a block.
func (s *search) tell(n int, good bool, admitted int) {
	switch {
	case good:
		s.good = max(s.good, n)
	case s.bad == 0 || n < s.bad:
		s.bad, s.below = n, int(float64(n)/s.factor)
		if admitted < n {
			near := math.Pow(float64(n), 0.25) * math.Pow(float64(admitted), 0.75)
			s.below = int(max(near, float64(n)/(s.factor*s.factor)))
		}
	}
}
