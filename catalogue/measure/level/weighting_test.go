package level

import (
	"fmt"
	"math"
	"testing"
)

// The tables of BS.1770-4.
func TestWeightingIsTheStandards(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name      string
		got, want biquad
	}{
		{"shelf", shelf(standardRate), biquad{
			1.53512485958697, -2.69169618940638, 1.19839281085285, -1.69065929318241, 0.73248077421585}},
		{"high pass", highPass(standardRate), biquad{1, -2, 1, -1.99004745483398, 0.99007225036621}},
	} {
		got := [5]float64{tt.got.b0, tt.got.b1, tt.got.b2, tt.got.a1, tt.got.a2}
		want := [5]float64{tt.want.b0, tt.want.b1, tt.want.b2, tt.want.a1, tt.want.a2}
		for i := range got {
			if math.Abs(got[i]-want[i]) > 1e-13 {
				t.Errorf("%s: coefficient %d = %.14f, want %.14f", tt.name, i, got[i], want[i])
			}
		}
	}
}

// Other rates must weigh each frequency as 48 kHz does.
func TestWeightingAtEveryRate(t *testing.T) {
	t.Parallel()
	for rate := 4000; rate <= highestRate; rate += max(rate/50, 1) {
		tolerance := 0.045
		if rate < 8000 {
			tolerance = 0.31
		}
		r := float64(rate)
		s, h := shelf(r), highPass(r)
		for hz := 10.0; hz < min(r/2, 20000); hz *= 1.03 {
			got := gain(s, hz, r) + gain(h, hz, r)
			want := gain(shelf(standardRate), hz, standardRate) + gain(highPass(standardRate), hz, standardRate)
			if !(math.Abs(got-want) <= tolerance) {
				t.Fatalf("at %d Hz the weighting of %.0f Hz = %.3f dB, want %.3f", rate, hz, got, want)
			}
		}
	}
}

func gain(q biquad, hz, rate float64) float64 {
	return 10 * math.Log10(q.power(2*math.Pi*hz/rate))
}

// What the meter reads of a tone is its level and the weighting.
func TestToneLoudness(t *testing.T) {
	t.Parallel()
	for _, rate := range rates[1:8] {
		for _, hz := range []float64{25, 100, 500, 997, 1000, 2000, 3400, 7000, 10000} {
			if hz > 0.45*float64(rate) {
				continue
			}
			weighted := gain(shelf(standardRate), hz, standardRate) + gain(highPass(standardRate), hz, standardRate)
			got := measure(rate, tone(rate, 2, amplitudeOf(-20), hz, 1))
			near(t, fmt.Sprintf("loudness of %v Hz at %d Hz", hz, rate), got.LoudnessLUFS, -20-3.01-0.691+weighted, 0.06)
		}
	}
}
