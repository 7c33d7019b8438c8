package timbre

import (
	"math"

	"vaak/audio/acoustic"
)

// point is a timbre on the two principal components, in dB.
type point [2]float64

// principal returns the timbres of all voices on the two axes along which they
// differ most, the mean of all at 0.
//
// What a language does to every voice alike is taken out first, or the axes
// would show languages: from the timbres of a language its mean is subtracted,
// the mean of the women's and the men's, since their numbers differ.
func (s survey) principal() []point {
	rest := s.centered()
	points := make([]point, len(rest))
	for axis := range 2 {
		direction := leading(rest)
		// An axis has no sign of its own: let it rise with the voice's first
		// coefficient that matters.
		if direction[steepest(direction)] < 0 {
			for i := range direction {
				direction[i] = -direction[i]
			}
		}
		for i := range rest {
			along := dot(rest[i], direction)
			points[i][axis] = along
			for k := range direction {
				rest[i][k] -= along * direction[k]
			}
		}
	}
	return points
}

type timbre = [acoustic.Coefficients]float64

// centered returns the timbres without the mean of their language.
func (s survey) centered() []timbre {
	out := make([]timbre, len(s.voices))
	for i, v := range s.voices {
		t := s.takes[v.ID]
		for k := range out[i] {
			out[i][k] = (t.a.Timbre[k] + t.b.Timbre[k]) / 2
		}
	}
	type group struct{ native, gender string }
	sums, counts := map[group]timbre{}, map[group]float64{}
	key := func(i int, gender string) group { return group{string(s.voices[i].Native), gender} }
	for i, v := range s.voices {
		g := key(i, string(v.Gender))
		sum := sums[g]
		for k := range sum {
			sum[k] += out[i][k]
		}
		sums[g] = sum
		counts[g]++
	}
	for i := range out {
		women, men := key(i, "female"), key(i, "male")
		for k := range out[i] {
			mean, n := 0.0, 0.0
			for _, g := range []group{women, men} {
				if counts[g] > 0 {
					mean += sums[g][k] / counts[g]
					n++
				}
			}
			out[i][k] -= mean / n
		}
	}
	return out
}

// leading returns the direction of unit length along which vectors spread most,
// by power iteration from one that favours no coefficient.
func leading(x []timbre) timbre {
	var d timbre
	for k := range d {
		d[k] = 1 / math.Sqrt(float64(len(d)))
	}
	const rounds = 500
	for range rounds {
		var next timbre
		for i := range x {
			along := dot(x[i], d)
			for k := range next {
				next[k] += along * x[i][k]
			}
		}
		length := math.Sqrt(dot(next, next))
		if length == 0 {
			return d
		}
		for k := range next {
			d[k] = next[k] / length
		}
	}
	return d
}

func dot(a, b timbre) float64 {
	sum := 0.0
	for k := range a {
		sum += a[k] * b[k]
	}
	return sum
}

// steepest returns the index of the largest coefficient.
func steepest(d timbre) int {
	best := 0
	for k := range d {
		if math.Abs(d[k]) > math.Abs(d[best]) {
			best = k
		}
	}
	return best
}
