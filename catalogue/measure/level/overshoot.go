package level

import "math"

// overshoot bounds what interpolation can find, so that it need not be done where
// it would find nothing new. All bounds are of the filters, not of signals one
// expects, so passing over changes no figure.
type overshoot struct {
	points float64
	// reach is how many times the highest sample around it a peak can be.
	reach float64
	// bend and slope are how far a point can be from the straight line between its
	// samples, for each unit that samples bend (second differences) and rise (first
	// differences) around it. Voices bend little, so this is the closer bound.
	bend, slope float64
}

// allow widens the bounds by those of a filter for a fraction of a sample.
func (o *overshoot) allow(taps [2 * sideTaps]float64, fraction float64) {
	var sum float64
	for _, c := range taps {
		sum += math.Abs(c)
	}
	o.reach = max(o.reach, sum*parabolaReach)

	// What the filter adds to the line is summed by parts twice: the first sum ends
	// at 0, for all gains are 1 at 0 Hz, the second with a small rest.
	taps[sideTaps-1] -= 1 - fraction
	taps[sideTaps] -= fraction
	var once, twice, bend float64
	for _, c := range taps[:len(taps)-1] {
		once += c
		twice += once
		bend += math.Abs(twice)
	}
	o.bend = max(o.bend, bend)
	o.slope = max(o.slope, math.Abs(twice))
}

// above bounds the magnitude of points between the samples in the middle of x, and
// of parabolas through them. A parabola rises over its middle point by an eighth
// at most of how far that is above its lower neighbour.
func (o *overshoot) above(x []float64) float64 {
	var highest, rise, bend float64
	for _, v := range x[sideTaps-1 : len(x)-sideTaps+1] {
		highest = max(highest, math.Abs(v))
	}
	last, step := x[1], x[1]-x[0]
	rise = math.Abs(step)
	for _, v := range x[2:] {
		next := v - last
		rise, bend = max(rise, math.Abs(next)), max(bend, math.Abs(next-step))
		last, step = v, next
	}
	off := o.bend*bend + o.slope*rise
	return highest + off + (rise/o.points+2*off)/8
}
