package talk

import "math"

// What pitch is told from: the band up to pitchHighHz at about pitchRate, where
// pitchWindow samples are compared with those of a period later, by their normalized
// correlation. Periods are those of some 70 to 400 Hz.
const (
	foldRate    = 4000 // Hz, to which samples are summed up before they are filtered
	pitchRate   = 2000 // Hz
	pitchHighHz = 700
	pitchWindow = 64 // 32 ms
	leastPeriod = 5
	mostPeriod  = 28
	pitchRing   = pitchWindow + mostPeriod
	toneFrames  = 4 // pitch is told every 40 ms
)

// tone is what is told of 40 ms: how alike one period of the sound is to the next (255
// is the same), and how long the period is, in eighths of a sample. Silence is 0.
type tone struct{ alike, period uint8 }

// voicedFrom is the likeness of periods from which a sound has a pitch, of 255.
const voicedFrom = 192

func (t tone) voiced() bool { return t.alike >= voicedFrom }

// holds reports whether t has the pitch of o, to an eighth of a sample: about 1 %,
// which is stiller than voices are.
func (t tone) holds(o tone) bool {
	return t.voiced() && o.voiced() && t.period <= o.period+1 && o.period <= t.period+1
}

// pitcher tells the pitch of one channel from its band.
type pitcher struct {
	fold, every  int // samples that are summed up, and sums of which one is kept
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

// add hears samples of the band.
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

// rest drops what is too small to matter, as that of bandpass does.
func (p *pitcher) rest() { rest(p.low[:]) }

// tone tells the pitch of what was heard last.
func (p *pitcher) tone() tone {
	var x [pitchRing + 1]float64 // one more, so that the window can leave it
	n := copy(x[:pitchRing], p.ring[p.at:])
	copy(x[n:pitchRing], p.ring[:p.at])
	now, later := x[:pitchWindow], x[leastPeriod-1:][:pitchWindow]
	power, then := dot(now, now), dot(later, later)
	var r [mostPeriod + 1]float64
	best := 0
	for lag := leastPeriod - 1; lag <= mostPeriod; lag++ {
		if both := power * then; both > 1e-30 {
			r[lag] = dot(now, x[lag:][:pitchWindow]) / math.Sqrt(both)
		}
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
		at += 0.5 * (a - c) / (a - 2*b + c) // the top of the parabola through three
	}
	return tone{uint8(255 * min(r[best], 1)), uint8(math.Round(8 * at))}
}
