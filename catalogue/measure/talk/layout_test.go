package talk

import (
	"math"
	"math/rand/v2"
	"testing"
)

// panned places both speakers between two channels, each on its side.
func panned(p [2][]float64, by float64) [2][]float64 {
	var out [2][]float64
	for c := range out {
		out[c] = sum(scaled(p[c], (1+by)/2), scaled(p[1-c], (1-by)/2))
	}
	return out
}

func scaled(x []float64, by float64) []float64 { return scale(append([]float64(nil), x...), by) }

func TestLayout(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 7))
	const rate = 8000
	s := newScript(r, bursts{rate}, rate, 20)
	p := s.plane
	one := sum(p[0], p[1])
	none := make([]float64, len(one))
	noisy := func(p [2][]float64) [][]float64 { return mix(r, p, -60, true) }
	same := noisy([2][]float64{one, none})[0]
	for _, tt := range []struct {
		name     string
		channels [][]float64
		want     string
		leaks    float64 // dB, of both; 0 is not compared
	}{
		{"two speakers", noisy(p), Dual, 0},
		{"without noise", p[:], Dual, 0},
		{"crosstalk -30", noisy(crosstalk(p, rate, -30, 3)), Dual, -30},
		{"crosstalk -20", noisy(crosstalk(p, rate, -20, 0)), Dual, -20},
		{"crosstalk -20, delayed", noisy(crosstalk(p, rate, -20, 3)), Dual, -20},
		{"crosstalk -10", noisy(crosstalk(p, rate, -10, 1)), Stereo, -10},
		{"crosstalk -12, at once", noisy(crosstalk(p, rate, -12, 0)), Stereo, -12},
		{"one recorded 12 dB lower", noisy([2][]float64{p[0], scaled(p[1], decibelsOf(-12))}), Dual, 0},
		{"panned by 30%", noisy(panned(p, 0.3)), Stereo, 0},
		{"panned by 60%", noisy(panned(p, 0.6)), Stereo, 0},
		{"the same twice", [][]float64{same, same}, Stereo, 0},
		{"the same, one lower", [][]float64{same, scaled(same, 0.25)}, Stereo, 0},
		{"the same, under other noise", noisy([2][]float64{one, one}), Stereo, 0},
		{"one is nothing", [][]float64{same, none}, Stereo, 0},
		{"one is noise", noisy([2][]float64{one, none}), Stereo, 0},
		{"one is leakage", noisy(crosstalk([2][]float64{one, none}, rate, -40, 1)), Stereo, 0},
		{"silence", [][]float64{none, none}, Stereo, 0},
		{"one channel", [][]float64{same}, Mono, 0},
		{"three channels", [][]float64{same, none, same}, Multichannel, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := hear(rate, tt.channels...)
			if got.Layout != tt.want || (got.TurnTaking != nil) != (tt.want == Dual) || (got.Pair != nil) != (len(tt.channels) == 2) {
				t.Fatalf("layout %q, turn-taking %v, pair %+v, want %q", got.Layout, got.TurnTaking != nil, got.Pair, tt.want)
			}
			for c := 0; tt.leaks != 0 && c < 2; c++ {
				if l := got.Pair.LeakageDB[c]; math.Abs(l-tt.leaks) > 1.5 {
					t.Errorf("leakage %v, want %v", got.Pair.LeakageDB, tt.leaks)
				}
			}
		})
	}
}
