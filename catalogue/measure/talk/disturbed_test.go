package talk

import (
	"math"
	"math/rand/v2"
)

// sounds makes what is heard beside speech: n samples at a rate, full scale as it
// comes.
type sounds struct {
	r       *rand.Rand
	n, rate int
}

func (s sounds) each(f func(at float64) float64) []float64 {
	x := make([]float64, s.n)
	for i := range x {
		x[i] = f(float64(i) / float64(s.rate))
	}
	return x
}

// tone is on for some seconds and off for others.
func (s sounds) tone(hz, on, off float64) []float64 {
	return s.each(func(at float64) float64 {
		if math.Mod(at, on+off) >= on {
			return 0
		}
		return math.Sin(2 * math.Pi * hz * at)
	})
}

// roots are those of chords that follow each other, in Hz.
var roots = []float64{220, 174.6, 196, 261.6, 146.8}

// chords are held for two seconds each, with a tremolo.
func (s sounds) chords() []float64 {
	return s.each(func(at float64) (x float64) {
		for _, k := range []float64{1, 1.26, 1.498, 2} {
			for h := 1.0; h < 5; h++ {
				x += math.Sin(2*math.Pi*roots[int(at/2)%len(roots)]*k*h*at+k) / h / h
			}
		}
		return x * (1 + 0.2*math.Sin(2*math.Pi*5*at))
	})
}

// plucked are strings, so many notes a second.
func (s sounds) plucked(perS float64) []float64 {
	x, scale := make([]float64, s.n), []float64{1, 1.125, 1.25, 1.5, 1.667, 2}
	for note := 0; int(float64(note)/perS*float64(s.rate)) < s.n; note++ {
		from, hz := int(float64(note)/perS*float64(s.rate)), roots[note/16%len(roots)]*scale[s.r.IntN(6)]
		for i := from; i < min(s.n, from+s.rate); i++ {
			at := float64(i-from) / float64(s.rate)
			for h := 1.0; h < 8; h++ {
				x[i] += math.Exp(-at*(3+h)) * math.Sin(2*math.Pi*hz*h*at) / h * min(1, at*200)
			}
		}
	}
	return x
}

// drums are four beats a second: low ones, snares and cymbals.
func (s sounds) drums() []float64 {
	return s.each(func(t float64) float64 {
		beat, at := int(4*t), math.Mod(t, 0.25)
		x := 0.1 * math.Exp(-at*60) * s.r.NormFloat64()
		if beat%2 == 0 {
			x += 0.8 * math.Exp(-at*20) * math.Sin(2*math.Pi*(80*at+20*(1-math.Exp(-at*40))))
		} else if beat%4 == 1 {
			x += 0.25 * math.Exp(-at*25) * s.r.NormFloat64()
		}
		return x
	})
}

func (s sounds) band() []float64 {
	return sum(sum(scaled(s.chords(), 0.1), scaled(s.plucked(4), 0.25)), s.drums())
}

// gusts are noise that wanders from a level in dBFS up by 25 dB, as wind and traffic do.
func (s sounds) gusts(level float64) []float64 {
	x := noise(s.r, s.n, level, true)
	now, to := 0.0, 0.0
	for i := range x {
		if i%(s.rate/2) == 0 {
			to = 25 * s.r.Float64()
		}
		now += (to - now) * 6 / float64(s.rate)
		x[i] *= decibelsOf(now)
	}
	return x
}

// rustle is noise of 50 to 550 ms, three times in two seconds, up to a level.
func (s sounds) rustle(level float64) []float64 {
	x := make([]float64, s.n)
	for at := 0.0; at < float64(s.n)/float64(s.rate); at += s.r.ExpFloat64() / 1.5 {
		from, long := int(at*float64(s.rate)), int((0.05+0.5*s.r.Float64())*float64(s.rate))
		for i, v := range noise(s.r, long, level-12*s.r.Float64(), s.r.IntN(2) == 0) {
			if w := math.Sin(math.Pi * float64(i) / float64(long)); from+i < s.n {
				x[from+i] += v * w * w
			}
		}
	}
	return x
}

// brought brings what is not silent of x to a level in dBFS.
func brought(x []float64, level float64) []float64 {
	var power float64
	n := 0
	for _, v := range x {
		if v != 0 {
			power += v * v
			n++
		}
	}
	return scaled(x, decibelsOf(level)*math.Sqrt(float64(max(n, 1))/max(power, 1e-30)))
}

// until is x without what is after some seconds, and after what is before.
func until(x []float64, rate int, seconds float64) []float64 {
	out := append([]float64(nil), x...)
	clear(out[int(seconds*float64(rate)):])
	return out
}

func after(x []float64, rate int, seconds float64) []float64 {
	out := append([]float64(nil), x...)
	clear(out[:int(seconds*float64(rate))])
	return out
}
