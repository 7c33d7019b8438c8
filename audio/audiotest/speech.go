package audiotest

import (
	"math"
	"math/rand/v2"
)

// Speech returns n samples at a rate in Hz that are as hard for an encoder as speech: syllables of
// gliding harmonics under moving formants, bursts of noise, and pauses. They are the same each
// time.
func Speech(rate, n int) []int16 {
	random := rand.New(rand.NewPCG(1, 2))
	pcm := make([]int16, n)
	var phase float64
	for i := range pcm {
		t := float64(i) / float64(rate)
		pitch := 140 + 30*math.Sin(2*math.Pi*0.7*t) + 10*math.Sin(2*math.Pi*3.1*t)
		phase += pitch / float64(rate)
		syllable := math.Mod(t, 0.25) / 0.25
		var sample float64
		switch {
		case math.Mod(t, 2) > 1.8: // a pause
		case syllable > 0.8: // a fricative
			sample = 900 * random.NormFloat64()
		default:
			sample = 6000 * math.Sin(math.Pi*syllable/0.8) * voiced(t, phase, pitch, float64(rate))
		}
		pcm[i] = int16(min(max(sample, math.MinInt16), math.MaxInt16))
	}
	return pcm
}

// voiced sums the harmonics of a pitch in Hz, up to 5,000 Hz and 0.45 of the rate.
func voiced(t, phase, pitch, rate float64) float64 {
	first := 550 + 200*math.Sin(2*math.Pi*1.3*t)
	second := 1600 + 500*math.Sin(2*math.Pi*0.9*t)
	var sum float64
	for h := 1.0; h*pitch < min(0.45*rate, 5000); h++ {
		f := h * pitch
		sum += math.Sin(2*math.Pi*h*phase) * (resonance(f, first, 90) + 0.5*resonance(f, second, 130) +
			0.2*resonance(f, 2700, 200) + 0.1*resonance(f, 3600, 250))
	}
	return sum
}

// resonance returns the gain of a formant at frequency f.
func resonance(f, centre, width float64) float64 {
	d := (f - centre) / width
	return 1 / (1 + d*d)
}
