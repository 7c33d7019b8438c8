package level

import "math"

// overshoot bounds how high the points of an interpolation can be, so that interpolation can
// be skipped where it cannot find a new peak. The bounds follow from the filters alone and
// hold for every signal, so skipping changes no figure.
type overshoot struct {
	points float64
	// reach is the ratio of the highest possible point to the highest sample around it.
	reach float64
	// bend and slope bound how far a point can be from the straight line between its two
	// samples, per unit of the second differences (bend) and the first differences (slope)
	// of the samples around it. Voices bend little, so this bound is the closer one.
	bend, slope float64
}

// allow widens the bounds to hold for the filter of a fraction of a sample as well.
func (o *overshoot) allow(taps [2 * sideTaps]float64, fraction float64) {
	var sum float64
	for _, c := range taps {
		sum += math.Abs(c)
	}
	o.reach = max(o.reach, sum*parabolaReach)

	// The difference between the filter and the straight line is summed by parts twice.
	// The first sum ends at 0, because all gains are 1 at 0 Hz; the second leaves a small
	// remainder, which bounds the slope.
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

// above bounds the magnitude of the points between the samples in the middle of x, and of
// parabolas through these points. A parabola exceeds its middle point by at most an eighth
// of the distance from that point to its lower neighbour.
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
	// Twice off: the middle point may be that much too high and its neighbour too low.
	off := o.bend*bend + o.slope*rise
	return highest + off + (rise/o.points+2*off)/8
}
