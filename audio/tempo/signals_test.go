package tempo

import (
	"math"
	"math/rand/v2"
)

// voice imitates a vowel: pulses at pitch Hz with a vibrato of the given depth,
// through three resonators.
func voice(rate int, seconds, pitch, vibrato float64) []int16 {
	x := make([]float64, int(seconds*float64(rate)))
	phase := 0.0
	for i := range x {
		t := float64(i) / float64(rate)
		phase += pitch * (1 + vibrato*math.Sin(2*math.Pi*5*t)) / float64(rate)
		if phase >= 1 {
			phase--
			// Shared by two samples, so that the pulse keeps its exact time.
			x[i] += 1 - phase*float64(rate)/pitch
			if i > 0 {
				x[i-1] += phase * float64(rate) / pitch
			}
		}
	}
	for _, formant := range [][2]float64{{700, 80}, {1220, 90}, {2600, 120}} {
		resonate(x, rate, formant[0], formant[1])
	}
	return scale(x, 20000)
}

// resonate filters x with one pole pair at hz of a width in Hz.
func resonate(x []float64, rate int, hz, width float64) {
	r := math.Exp(-math.Pi * width / float64(rate))
	a, b := 2*r*math.Cos(2*math.Pi*hz/float64(rate)), -r*r
	y1, y2 := 0.0, 0.0
	for i, v := range x {
		y := v + a*y1 + b*y2
		x[i], y1, y2 = y, y, y1
	}
}

// scale makes the largest sample peak.
func scale(x []float64, peak float64) []int16 {
	top := 1e-9
	for _, v := range x {
		top = max(top, math.Abs(v))
	}
	pcm := make([]int16, len(x))
	for i, v := range x {
		pcm[i] = int16(v / top * peak)
	}
	return pcm
}

// hiss is white noise.
func hiss(rate int, seconds, peak float64) []int16 {
	r := rand.New(rand.NewPCG(3, 4))
	x := make([]float64, int(seconds*float64(rate)))
	for i := range x {
		x[i] = r.Float64()*2 - 1
	}
	return scale(x, peak)
}

func silence(rate int, seconds float64) []int16 {
	return make([]int16, int(seconds*float64(rate)))
}

// speech is words of vowels at gliding pitches, hisses of a given peak, and
// pauses.
func speech(rate int, hissing float64) []int16 {
	var pcm []int16
	for _, pitch := range []float64{118, 97, 131, 88, 210, 182} {
		pcm = append(pcm, hiss(rate, 0.07, hissing)...)
		word := voice(rate, 0.21, pitch, 0.04)
		for i := range word { // rises and falls
			word[i] = int16(float64(word[i]) * math.Sin(math.Pi*float64(i)/float64(len(word))))
		}
		pcm = append(pcm, word...)
		pcm = append(pcm, silence(rate, 0.05)...)
	}
	return pcm
}

// power returns the mean square of pcm.
func power(pcm []int16) float64 {
	sum := 0.0
	for _, s := range pcm {
		sum += float64(s) * float64(s)
	}
	return sum / float64(len(pcm))
}

// roughness returns the largest second difference: a click stands out in it.
func roughness(pcm []int16) float64 {
	top := 0.0
	for i := 2; i < len(pcm); i++ {
		top = max(top, math.Abs(float64(pcm[i])-2*float64(pcm[i-1])+float64(pcm[i-2])))
	}
	return top
}

// pitches returns the pitch of each frame of 20 ms that has one within a sixth
// of about: the peak of its autocorrelation at two periods.
func pitches(pcm []int16, rate int, about float64) []float64 {
	var all []float64
	lag := 2 * float64(rate) / about
	shortest, longest := int(lag*5/6), int(lag*7/6)+1
	r := make([]float64, longest+1)
	for start := 0; start+rate/50+longest < len(pcm); start += rate / 50 {
		best := shortest
		for lag := shortest; lag <= longest; lag++ {
			r[lag] = correlation(pcm[start:], rate/50, lag)
			if r[lag] > r[best] {
				best = lag
			}
		}
		if best == shortest || best == longest || r[best] < 0.5 {
			continue
		}
		a, b, c := r[best-1], r[best], r[best+1]
		all = append(all, 2*float64(rate)/(float64(best)+(a-c)/(2*(a-2*b+c))))
	}
	return all
}

// correlation returns how alike the n samples at 0 and at lag are, 1 at most.
func correlation(pcm []int16, n, lag int) float64 {
	var xy, xx, yy float64
	for i := range n {
		x, y := float64(pcm[i]), float64(pcm[i+lag])
		xy, xx, yy = xy+x*y, xx+x*x, yy+y*y
	}
	return xy / math.Sqrt(xx*yy+1)
}
