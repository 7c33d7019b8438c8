package talk

// The bins of a histogram are a tenth of a decibel wide.
const (
	binWidth = db / 10
	binFrom  = lowest
	bins     = (210*db)/binWidth + 1 // to +60 dBFS
)

// histogram counts levels. It has a fixed size, so a long recording needs no sorting.
type histogram struct {
	n     int
	count [bins]int32
}

// bin returns the bin of a level.
func bin(level int) int { return min(max((level-binFrom+binWidth/2)/binWidth, 0), bins-1) }

// middle returns the level in the middle of a bin.
func middle(bin int) int { return binFrom + bin*binWidth }

// add counts one level.
func (h *histogram) add(level int) {
	h.count[bin(level)]++
	h.n++
}

// quantile returns the level that a share q of all levels is below; lowest if it is empty.
func (h *histogram) quantile(q float64) int {
	if h.n == 0 {
		return lowest
	}
	// Walk up the bins until the rank is used up.
	rank := int(q * float64(h.n-1))
	for b, c := range h.count {
		if rank -= int(c); rank < 0 {
			return middle(b)
		}
	}
	return middle(bins - 1)
}

// within returns how many levels are in the bins of from to those of to, both included.
func (h *histogram) within(from, to int) int {
	n := 0
	for _, c := range h.count[bin(from) : bin(to)+1] {
		n += int(c)
	}
	return n
}

// lowestPeak returns the lowest level with at least least levels within 1 dB around it, which
// is at least sharp times as frequent as the levels 5 dB above and below it. It returns
// false if there is none.
func (h *histogram) lowestPeak(least, sharp int) (int, bool) {
	const near, wide, off = 1 * db, 2 * db, 5 * db
	// mass is the number of levels within near of bin b, updated as b moves up.
	mass := h.within(binFrom, binFrom+2*near)
	best, top := 0, -1 // mass and bin of the highest point of the current hill
	for b := bin(near + binFrom); b+bin(binFrom+near)+1 < bins; b++ {
		switch {
		case mass >= least && mass > best:
			best, top = mass, b
		// The hill is over once b is wide above its top. A floor is narrow: a broad hill is speech.
		case top >= 0 && (b-top)*binWidth > wide:
			l := middle(top)
			beside := max(h.within(l-off-wide, l-off+wide), h.within(l+off-wide, l+off+wide))
			if h.within(l-wide, l+wide) >= sharp*beside {
				return l, true
			}
			best, top = 0, -1
		}
		mass += int(h.count[b+bin(binFrom+near)+1]) - int(h.count[b-bin(binFrom+near)])
	}
	return 0, false
}
