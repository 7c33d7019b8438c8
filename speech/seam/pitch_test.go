package seam_test

import "math"

// voiced is a signal whose pitch can be asked for, at a quarter of its rate.
type voiced struct {
	pcm  []float64
	rate float64
}

const thinner = 4

func newVoiced(pcm []int16, rate int) voiced {
	v := voiced{pcm: make([]float64, len(pcm)/thinner), rate: float64(rate) / thinner}
	for i := range v.pcm {
		for _, s := range pcm[i*thinner : (i+1)*thinner] {
			v.pcm[i] += float64(s) / thinner
		}
	}
	return v
}

// at returns the fundamental frequency around a sample of the signal in Hz, 0
// where there is none. It is the first good minimum of the mean-normalized
// difference function of YIN (de Cheveigné and Kawahara, 2002), between 65 and
// 420 Hz over 25 ms.
func (v voiced) at(sample float64) float64 {
	const threshold = 0.15
	window, shortest, longest := int(0.025*v.rate), int(v.rate/420), int(v.rate/65)
	from := int(sample)/thinner - (window+longest)/2
	if from < 0 || from+window+longest+1 >= len(v.pcm) {
		return 0
	}
	power := 0.0
	for _, s := range v.pcm[from : from+window] {
		power += s * s
	}
	if power < float64(window)*200*200 {
		return 0
	}
	d := make([]float64, 1, longest+2)
	sum := 0.0
	for lag := 1; lag < cap(d); lag++ {
		diff := difference(v.pcm[from:from+window], v.pcm[from+lag:])
		sum += diff
		d = append(d, diff*float64(lag)/max(sum, 1))
		if before := lag - 1; before >= shortest && d[before] < threshold && d[before] <= d[lag] {
			return v.rate / bottom(before, d[before-1:])
		}
	}
	return 0
}

func difference(a, b []float64) (sum float64) {
	b = b[:len(a)]
	for i, s := range a {
		d := s - b[i]
		sum += d * d
	}
	return sum
}

// bottom returns where a parabola through three points has its lowest, when the
// middle one is at a lag.
func bottom(lag int, d []float64) float64 {
	if bend := d[0] - 2*d[1] + d[2]; bend > 0 {
		return float64(lag) + 0.5*(d[0]-d[2])/bend
	}
	return float64(lag)
}

func semitones(a, b float64) float64 { return math.Abs(12 * math.Log2(a/b)) }
