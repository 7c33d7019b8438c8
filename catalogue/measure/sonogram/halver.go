package sonogram

import "math"

// Rates below highRate are kept; the others are brought to usualRate or up to twice as much by
// sums of samples, and then halved.
const (
	highRate  = 6000
	usualRate = 8000
)

// loudest bounds magnitudes: only a broken or hostile file in floating point has more.
const loudest = 256

// reach is how far the half-band filter looks to either side, in samples.
const reach = 7

// halver reduces the sample rate of a channel.
type halver struct {
	fold   int // samples that are summed to one
	halves bool
	scale  float64
	sum    float64
	summed int
	taps   [(reach + 1) / 2]float64 // of the odd distances; those of the even ones are 0
	recent []float64                // folded samples that the filter still needs
	odd    bool                     // the next sample has no result
}

// newHalver returns a halver for a sample rate in Hz, and the rate of its results.
func newHalver(rate int) (halver, float64) {
	h := halver{fold: max(rate/usualRate, 1)}
	h.scale = 1 / float64(h.fold)
	out := float64(rate) / float64(h.fold)
	if out < highRate {
		return h, out
	}
	h.halves = true
	h.recent = make([]float64, 2*reach, 2*reach+4096)
	// A sinc of half the band under a Hamming window.
	sum := 0.0
	for k := range h.taps {
		d := float64(2*k + 1)
		h.taps[k] = math.Sin(math.Pi*d/2) / (math.Pi * d) * (0.54 + 0.46*math.Cos(math.Pi*d/(reach+1)))
		sum += 2 * h.taps[k]
	}
	for k := range h.taps {
		h.taps[k] *= 0.5 / sum // 1 at 0 Hz, with the tap of 0.5 in the middle
	}
	return h, out / 2
}

// run appends the reduced samples to dst.
func (h *halver) run(dst []float64, x []float32) []float64 {
	to := dst
	if h.halves {
		to = h.recent
	}
	sum, summed := h.sum, h.summed
	for _, v := range x {
		// NaN fails both comparisons.
		if v > -loudest && v < loudest {
			sum += float64(v)
		}
		if summed++; summed == h.fold {
			to = append(to, sum*h.scale)
			sum, summed = 0, 0
		}
	}
	h.sum, h.summed = sum, summed
	if !h.halves {
		return to
	}
	return h.halve(dst, to)
}

// halve appends every second sample of the filtered x to dst, and keeps the end of x.
func (h *halver) halve(dst, x []float64) []float64 {
	i := reach
	if h.odd {
		i++
	}
	for ; i+reach < len(x); i += 2 {
		w := x[i-reach : i+reach+1]
		dst = append(dst, 0.5*w[7]+h.taps[0]*(w[6]+w[8])+h.taps[1]*(w[4]+w[10])+h.taps[2]*(w[2]+w[12])+h.taps[3]*(w[0]+w[14]))
	}
	// The next result is that of sample i, which needs the reach samples before it.
	h.odd = false
	keep := i - reach
	if keep > len(x) {
		h.odd, keep = true, len(x)
	}
	h.recent = append(h.recent[:0], x[keep:]...)
	return dst
}
