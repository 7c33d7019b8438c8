package talk

import "math"

// Pitch is found by normalized autocorrelation: the band up to pitchHighHz, at a rate of about
// pitchRate, is compared with itself one period later, over pitchWindow samples. Periods are
// those of about 70 to 400 Hz.
const (
	foldRate    = 4000 // Hz; samples are summed down to this rate before they are filtered
	pitchRate   = 2000 // Hz
	pitchHighHz = 700
	pitchWindow = 64 // samples, 32 ms
	leastPeriod = 5
	mostPeriod  = 28
	pitchRing   = pitchWindow + mostPeriod
	toneFrames  = 4 // pitch is found every 40 ms
)

// tone is the pitch of 40 ms: how alike one period of the sound is to the next, where 255 is
// the same, and how long a period is, in eighths of a sample at pitchRate. Silence is 0.
type tone struct{ alike, period uint8 }

// voicedFrom is how alike periods must be for a sound to have a pitch, of 255.
const voicedFrom = 192

func (t tone) voiced() bool { return t.alike >= voicedFrom }

// holds reports whether t and o have the same pitch to an eighth of a sample, about 1 %. No
// voice is that still.
func (t tone) holds(o tone) bool {
	return t.voiced() && o.voiced() && t.period <= o.period+1 && o.period <= t.period+1
}

// pitcher finds the pitch of one channel.
type pitcher struct {
	fold, every  int // how many samples are summed, and every which sum is used
	summed, skip int
	sum          float64
	low          [2]biquad
	ring         [pitchRing]float64
	at           int
}

func newPitcher(rate int) *pitcher {
	fold := max(rate/foldRate, 1)
	folded := float64(rate) / float64(fold)
	high := min(pitchHighHz, bandCap*folded)
	return &pitcher{
		fold: fold, every: max(int(math.Round(folded/pitchRate)), 1),
		low: [2]biquad{lowpass(high, q1, folded), lowpass(high, q2, folded)},
	}
}

// add hears filtered samples.
func (p *pitcher) add(band []float64) {
	sum, summed := p.sum, p.summed
	for _, v := range band {
		sum += v
		if summed++; summed < p.fold {
			continue
		}
		y := p.low[1].next(p.low[0].next(sum))
		sum, summed = 0, 0
		if p.skip++; p.skip < p.every {
			continue
		}
		p.skip = 0
		p.ring[p.at] = y
		if p.at++; p.at == pitchRing {
			p.at = 0
		}
	}
	p.sum, p.summed = sum, summed
}

// clearTiny does the same as that of bandpass.
func (p *pitcher) clearTiny() { clearTiny(p.low[:]) }

// tone returns the pitch of the last samples heard.
func (p *pitcher) tone() tone {
	var x [pitchRing + 1]float64 // one more than the ring, because then is updated past the end
	n := copy(x[:pitchRing], p.ring[p.at:])
	copy(x[n:pitchRing], p.ring[:p.at])
	// then is the power of the window that is one lag later. It is updated by one sample for
	// each lag instead of being summed anew.
	now, later := x[:pitchWindow], x[leastPeriod-1:][:pitchWindow]
	power, then := dot(now, now), dot(later, later)
	var r [mostPeriod + 1]float64
	best := 0
	for lag := leastPeriod - 1; lag <= mostPeriod; lag++ {
		if both := power * then; both > 1e-30 {
			r[lag] = dot(now, x[lag:][:pitchWindow]) / math.Sqrt(both)
		}
		// The lags at both ends are computed only as neighbours for the parabola below.
		if lag >= leastPeriod && lag < mostPeriod && r[lag] > r[best] {
			best = lag
		}
		then += x[lag+pitchWindow]*x[lag+pitchWindow] - x[lag]*x[lag]
	}
	if best == 0 {
		return tone{}
	}
	at := float64(best)
	if a, b, c := r[best-1], r[best], r[best+1]; a < b && c < b {
		at += 0.5 * (a - c) / (a - 2*b + c) // the top of the parabola through three points
	}
	return tone{uint8(255 * min(r[best], 1)), uint8(math.Round(8 * at))}
}
