package level

import "math"

// truePeak finds the highest magnitude of the signal, at samples and between them.
//
// A polyphase filter computes points between samples, as in BS.1770-4 annex 2. A parabola
// through the highest point and its neighbours finds what lies between points. Tones up to
// 0.46 of the rate are read within 0.04 dB at rates below 96 kHz, and tones up to a quarter
// of the rate within 0.08 dB at higher rates. Chunks that cannot hold a new peak are
// skipped, which changes nothing: see [overshoot].
type truePeak struct {
	points  int     // per sample, including the sample itself: 4 or 2
	highest float64 // magnitude so far

	overshoot overshoot
	// Halves of the symmetric filters, from the middle outwards: for the point half-way, and
	// the even and the odd part of the filters for the points at one and three quarters.
	half, even, odd [sideTaps]float64
}

// sideTaps is how many samples on either side of a point are used.
const sideTaps = 16

// rounding is how far bounds and points may differ by rounding errors.
const rounding = 1e-9

// parabolaReach is how much higher than three points their parabola can be, if the middle one
// is the highest. The worst case is 1, 1, -1.
const parabolaReach = 1.25

// newTruePeak returns a true peak for a rate in Hz, with four points per sample below 96 kHz
// and two from there on.
func newTruePeak(rate int) truePeak {
	t := truePeak{points: 4}
	if rate >= 96000 {
		t.points = 2
	}
	t.overshoot.points = float64(t.points)
	for _, fraction := range []float64{0.25, 0.5, 0.75} {
		t.overshoot.allow(interpolator(fraction), fraction)
	}
	t.half, _ = sides(interpolator(0.5))
	before, after := sides(interpolator(0.25))
	for i := range sideTaps {
		t.even[i] = (before[i] + after[i]) / 2
		t.odd[i] = (before[i] - after[i]) / 2
	}
	return t
}

// interpolator returns the taps that compute the point a fraction of a sample after the one
// before the middle: a sinc with a Kaiser window, normalized to gain 1 at 0 Hz.
func interpolator(fraction float64) [2 * sideTaps]float64 {
	const beta = 5
	var taps [2 * sideTaps]float64
	var sum float64
	for i := range taps {
		d := float64(i-(sideTaps-1)) - fraction
		x := d / sideTaps
		taps[i] = math.Sin(math.Pi*d) / (math.Pi * d) * bessel(beta*math.Sqrt(1-x*x))
		sum += taps[i]
	}
	for i := range taps {
		taps[i] /= sum
	}
	return taps
}

// bessel returns the modified Bessel function of the first kind of order 0, by its series.
func bessel(x float64) float64 {
	sum, term := 1.0, 1.0
	for k := 1.0; term > sum*1e-17; k++ {
		term *= x * x / (4 * k * k)
		sum += term
	}
	return sum
}

// sides returns the taps before and after the middle, from the middle outwards.
func sides(taps [2 * sideTaps]float64) (before, after [sideTaps]float64) {
	for i := range sideTaps {
		before[i], after[i] = taps[sideTaps-1-i], taps[sideTaps+i]
	}
	return before, after
}

// scan looks for a higher peak in all chunks of x except the first and the last, which the
// filters need as surroundings. magnitude is the highest sample of each chunk.
func (t *truePeak) scan(x, magnitude []float64) {
	var points [4 * (chunk + 2)]float64
	for c := 1; c < len(magnitude)-1; c++ {
		// Cheapest test first: no point can exceed the highest sample around it by more than reach.
		if max(magnitude[c-1], magnitude[c], magnitude[c+1])*t.overshoot.reach <= t.highest {
			continue
		}
		// One more sample on either side, so that every point has neighbours for its parabola.
		window := x[c*chunk-sideTaps:][:chunk+2+2*sideTaps-1]
		if t.overshoot.above(window)*(1+rounding) <= t.highest {
			continue
		}
		got := points[:t.points*(chunk+2)]
		t.interpolate(got, window)
		t.climb(got)
	}
}

// interpolate computes the points of the samples from x[sideTaps-1] on.
func (t *truePeak) interpolate(points, x []float64) {
	n := len(points) / t.points
	for i, v := range x[sideTaps-1:][:n] {
		p1, p2, p3 := t.quarters((*[2 * sideTaps]float64)(x[i:]))
		if t.points == 4 {
			p := (*[4]float64)(points[4*i:])
			p[0], p[1], p[2], p[3] = v, p1, p2, p3
		} else {
			p := (*[2]float64)(points[2*i:])
			p[0], p[1] = v, p2
		}
	}
}

// quarters returns the three points between the two samples in the middle of x. The filters
// for one and three quarters mirror each other, so they share their products.
func (t *truePeak) quarters(x *[2 * sideTaps]float64) (p1, p2, p3 float64) {
	var even, odd, half float64
	for i := range sideTaps / 2 {
		a0, b0 := x[sideTaps+2*i], x[sideTaps-1-2*i]
		a1, b1 := x[sideTaps+2*i+1], x[sideTaps-2-2*i]
		h, e, o := (*[2]float64)(t.half[2*i:]), (*[2]float64)(t.even[2*i:]), (*[2]float64)(t.odd[2*i:])
		s0, s1, d0, d1 := b0+a0, b1+a1, b0-a0, b1-a1
		half += h[0]*s0 + h[1]*s1
		even += e[0]*s0 + e[1]*s1
		odd += o[0]*d0 + o[1]*d1
	}
	return even + odd, half, even - odd
}

// climb raises the peak to the highest of the points and of the parabolas through them.
func (t *truePeak) climb(points []float64) {
	for i := 1; i < len(points)-1; i++ {
		p := math.Abs(points[i])
		// Nor can its parabola be a new peak.
		if p*parabolaReach <= t.highest {
			continue
		}
		before, after := points[i-1], points[i+1]
		if points[i] < 0 {
			before, after = -before, -after
		}
		if before <= p && after <= p && before+after < 2*p {
			slope := before - after
			// The vertex of the parabola through three equidistant points.
			p += slope * slope / (8 * (2*p - before - after))
		}
		t.highest = max(t.highest, p)
	}
}
