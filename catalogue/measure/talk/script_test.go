package talk

import (
	"math"
	"math/rand/v2"
	"sync"
)

// script is a conversation whose times are known.
type script struct {
	rate  int
	plane [2][]float64  // without noise
	truth [2][]Interval // units
}

// newScript lets two speakers take turns for about seconds: offsets from -600 to
// 900 ms, pauses within turns, and backchannels within the other's turns.
func newScript(r *rand.Rand, m material, rate int, seconds float64) *script {
	s := &script{rate: rate}
	end := 0.5 + r.Float64()
	for who := 0; end < seconds; who = 1 - who {
		from := max(end+0.9-1.5*r.Float64(), 0.1)
		end = from
		for n := 1 + r.IntN(2); n > 0; n-- {
			u := m.utterance(r, who)
			begin := end
			end = s.place(who, begin, u)
			if end-begin > 2.5 && r.IntN(2) == 0 {
				s.place(1-who, begin+1+0.3*r.Float64(), m.short(r, 1-who))
			}
			if n > 1 {
				end += 0.3 + 0.5*r.Float64()
			}
		}
	}
	n := max(len(s.plane[0]), len(s.plane[1])) + rate*6/5
	for c := range s.plane {
		s.plane[c] = append(s.plane[c], make([]float64, n-len(s.plane[c]))...)
		s.truth[c] = tidy(s.truth[c])
	}
	return s
}

// place adds an utterance and returns when it ends.
func (s *script) place(who int, at float64, u []float64) float64 {
	from := int(at * float64(s.rate))
	if need := from + len(u) - len(s.plane[who]); need > 0 {
		s.plane[who] = append(s.plane[who], make([]float64, need)...)
	}
	for i, x := range u {
		s.plane[who][from+i] += x
	}
	heard := audible(u, s.rate)
	for _, i := range heard {
		at := float64(from) / float64(s.rate)
		s.truth[who] = append(s.truth[who], Interval{at + i.Start, at + i.End})
	}
	return float64(from)/float64(s.rate) + heard[len(heard)-1].End
}

// audible is when an utterance is heard: between the first and the last 5 ms with
// energy over -50 dB of its highest, without silences of 200 ms and more.
func audible(u []float64, rate int) []Interval {
	step := rate / 200
	var energy []float64
	var most float64
	for i := 0; i+step <= len(u); i += step {
		var sum float64
		for _, x := range u[i : i+step] {
			sum += x * x
		}
		energy = append(energy, sum)
		most = max(most, sum)
	}
	var out []Interval
	for i, e := range energy {
		if e < most*1e-5 {
			continue
		}
		from, to := float64(i)/200, float64(i+1)/200
		if n := len(out); n > 0 && from-out[n-1].End < joinS {
			out[n-1].End = to
			continue
		}
		out = append(out, Interval{from, to})
	}
	return out
}

// tidy sorts, joins and keeps as units are defined.
func tidy(list []Interval) []Interval {
	var out []Interval
	for _, i := range Union(list) {
		if n := len(out); n > 0 && i.Start-out[n-1].End < joinS {
			out[n-1].End = i.End
			continue
		}
		out = append(out, i)
	}
	kept := out[:0]
	for _, i := range out {
		if i.End-i.Start >= unitS {
			kept = append(kept, i)
		}
	}
	return kept
}

func (s *script) seconds() float64 { return float64(len(s.plane[0])) / float64(s.rate) }

// hiss is noise of 0 dBFS: white, and pink.
var hiss = sync.OnceValue(func() [2][]float64 {
	r := rand.New(rand.NewPCG(3, 4))
	var out [2][]float64
	var a, b, c float64
	for range 1 << 18 {
		x := r.NormFloat64()
		// Three poles fall by 3 dB an octave from 40 Hz on at 8 kHz.
		a = 0.99765*a + x*0.0990460
		b = 0.96300*b + x*0.2965164
		c = 0.57000*c + x*1.0526913
		out[0], out[1] = append(out[0], x), append(out[1], a+b+c+x*0.1848)
	}
	for _, h := range out {
		var sum float64
		for _, x := range h {
			sum += x * x
		}
		scale(h, math.Sqrt(float64(len(h))/sum))
	}
	return out
})

// scale multiplies x by a factor.
func scale(x []float64, by float64) []float64 {
	for i := range x {
		x[i] *= by
	}
	return x
}

// decibelsOf is the factor of a level in dB.
func decibelsOf(level float64) float64 { return math.Pow(10, level/20) }

// noise is n samples of white or pink noise at a level in dBFS.
func noise(r *rand.Rand, n int, level float64, pink bool) []float64 {
	from := hiss()[0]
	if pink {
		from = hiss()[1]
	}
	at := r.IntN(len(from))
	out := make([]float64, n)
	for i := range out {
		out[i] = from[(at+i)%len(from)]
	}
	return scale(out, decibelsOf(level))
}

// crosstalk adds to each channel what of the other is heard there: at a level in
// dB, delayed in ms, low-passed lightly.
func crosstalk(p [2][]float64, rate int, level, delayMs float64) [2][]float64 {
	gain := math.Pow(10, level/20)
	delay := int(delayMs * float64(rate) / 1000)
	keep := math.Exp(-2 * math.Pi * 2500 / float64(rate))
	var out [2][]float64
	for c := range out {
		out[c] = append([]float64(nil), p[c]...)
		var low float64
		for i := delay; i < len(out[c]); i++ {
			low = keep*low + (1-keep)*p[1-c][i-delay]
			out[c][i] += gain * low
		}
	}
	return out
}

// mix adds noise to channels.
func mix(r *rand.Rand, p [2][]float64, level float64, pink bool) [][]float64 {
	out := make([][]float64, 2)
	for c := range out {
		out[c] = sum(p[c], noise(r, len(p[c]), level, pink))
	}
	return out
}

// sum adds y to x, in a new slice.
func sum(x, y []float64) []float64 {
	out := append([]float64(nil), x...)
	for i := range out {
		out[i] += y[i]
	}
	return out
}

// planes are channels as a detector hears them: of 16 bits.
func planes(channels ...[]float64) [][]float32 {
	out := make([][]float32, len(channels))
	for c, x := range channels {
		out[c] = make([]float32, len(x))
		for i, v := range x {
			out[c][i] = float32(math.Round(min(max(v, -1), 1)*32767) / 32768)
		}
	}
	return out
}

// hear measures channels at once.
func hear(rate int, channels ...[]float64) Result {
	d := NewDetector(rate, len(channels))
	d.Write(planes(channels...))
	return d.Finish()
}
