package talk

// Bins of a histogram of levels, each a tenth of a decibel wide.
const (
	binWidth = db / 10
	binFrom  = lowest
	bins     = (210*db)/binWidth + 1 // to +60 dBFS
)

// histogram counts levels.
type histogram struct {
	n     int
	count [bins]int32
}

// bin is the bin of a level.
func bin(level int) int { return min(max((level-binFrom+binWidth/2)/binWidth, 0), bins-1) }

// middle is the level in the middle of a bin.
func middle(bin int) int { return binFrom + bin*binWidth }

// add counts a level.
func (h *histogram) add(level int) {
	h.count[bin(level)]++
	h.n++
}

// quantile is the level with a share of all under it; lowest when it is empty.
func (h *histogram) quantile(q float64) int {
	if h.n == 0 {
		return lowest
	}
	rank := int(q * float64(h.n-1))
	for b, c := range h.count {
		if rank -= int(c); rank < 0 {
			return middle(b)
		}
	}
	return middle(bins - 1)
}

// within counts the levels from one to another, both included.
func (h *histogram) within(from, to int) int {
	n := 0
	for _, c := range h.count[bin(from) : bin(to)+1] {
		n += int(c)
	}
	return n
}

// lowestPeak returns the lowest level around which at least least levels lie
// within 1 dB, and which is denser than what lies 5 dB above and below it by the
// factor sharp; false when there is none.
func (h *histogram) lowestPeak(least, sharp int) (int, bool) {
	const near, wide, off = 1 * db, 2 * db, 5 * db
	mass := h.within(binFrom, binFrom+2*near)
	best, top := 0, -1 // of the hill that is being climbed
	for b := bin(near + binFrom); b+bin(binFrom+near)+1 < bins; b++ {
		switch {
		case mass >= least && mass > best:
			best, top = mass, b
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
