package talk

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// monologue is speech that pauses for 0.25 s after each of n utterances, and when
// it is heard.
func monologue(r *rand.Rand, rate, n int, pause float64) ([]float64, []Interval) {
	s := &script{rate: rate}
	end := pause
	for range n {
		end = s.place(0, end, bursts{rate}.utterance(r, 0)) + pause
	}
	tail := make([]float64, int((end+0.3)*float64(rate))-len(s.plane[0]))
	return append(s.plane[0], tail...), tidy(s.truth[0])
}

// TestFloor measures recordings on which percentiles of the levels mislead.
func TestFloor(t *testing.T) {
	t.Parallel()
	const rate = 8000
	r := rand.New(rand.NewPCG(9, 9))
	dense, denseTruth := monologue(r, rate, 16, 0.25)
	rare, rareTruth := monologue(r, rate, 2, 0.5)
	rare = append(rare, make([]float64, 150*rate)...)
	hum, drift := make([]float64, len(dense)), noise(r, len(dense), -60, true)
	for i := range hum {
		hum[i] = 0.1 + 0.03*math.Sin(2*math.Pi*50*float64(i)/rate) + 0.01*math.Sin(2*math.Pi*100*float64(i)/rate)
		drift[i] *= decibelsOf(15 * float64(i) / float64(len(drift)))
	}
	for _, tt := range []struct {
		name  string
		plane []float64
		truth []Interval
	}{
		{"digital silence", dense, denseTruth},
		{"little but speech", sum(dense, noise(r, len(dense), -55, true)), denseTruth},
		{"rare speech", sum(rare, noise(r, len(rare), -55, false)), rareTruth},
		{"rare speech in digital silence", rare, rareTruth},
		{"drift", sum(dense, drift), denseTruth},
		{"hum and offset", sum(sum(dense, hum), noise(r, len(dense), -60, true)), denseTruth},
		{"noise alone", noise(r, 20*rate, -40, true), nil},
		{"noise after digital silence", append(make([]float64, 3*rate), noise(r, 20*rate, -40, true)...), nil},
		{"a constant", hum[:1], nil},
		{"nothing", nil, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := hear(rate, tt.plane)
			if d := furthest(tt.truth, got.IPUs[0]); d > 0.03 {
				t.Errorf("units %v, want %v within 0.03 s", got.IPUs[0], tt.truth)
			}
			if got.Channels[0].HasSpeech != (len(tt.truth) > 0) {
				t.Errorf("HasSpeech = %v", got.Channels[0].HasSpeech)
			}
		})
	}
}

// furthest is the largest distance between the edges of units; infinite when they
// are not as many.
func furthest(x, y []Interval) float64 {
	if len(x) != len(y) {
		return math.Inf(1)
	}
	var most float64
	for i := range x {
		most = max(most, math.Abs(x[i].Start-y[i].Start), math.Abs(x[i].End-y[i].End))
	}
	return most
}

func TestFigures(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(2, 9))
	x, _ := monologue(r, 8000, 8, 0.6)
	got := hear(8000, sum(x, noise(r, len(x), -55, false))).Channels[0]
	// White noise up to 4,000 Hz loses a fifth, 1 dB, outside of the band.
	if got.NoiseFloorDBFS == nil || math.Abs(*got.NoiseFloorDBFS+56) > 1 {
		t.Errorf("noise floor %v, want -56", got.NoiseFloorDBFS)
	}
	if got.SNRDB == nil || *got.SNRDB < 20 || got.LowConfidence || *got.VADSpanDB < 30 {
		t.Errorf("figures of clear speech: %+v", got)
	}
	got = hear(8000, sum(scaled(x, decibelsOf(-25)), noise(r, len(x), -55, false))).Channels[0]
	if !got.LowConfidence || !got.HasSpeech {
		t.Errorf("figures of weak speech: %+v", got)
	}
}

// TestHostile hears what no recording holds.
func TestHostile(t *testing.T) {
	t.Parallel()
	odd := []float32{float32(math.NaN()), float32(math.Inf(1)), -3e38, 1, -1, 1e-40, 0}
	for _, rate := range []int{1, 100, 199, 6000, 11025, 44100, 192000} {
		d := NewDetector(rate, 2)
		p := [][]float32{nil, nil}
		for i := range rate/2 + 5000 {
			p[0], p[1] = append(p[0], odd[i%len(odd)]), append(p[1], odd[(i/3)%len(odd)])
		}
		d.Write(p)
		d.Write(nil)
		got := d.Finish()
		if c := got.Pair.Correlation; math.IsNaN(c) || math.Abs(c) > 1 {
			t.Errorf("rate %d: correlation %v", rate, c)
		}
	}
}

// TestCuts holds that a recording measures the same however it is written.
func TestCuts(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(4, 4))
	s := newScript(r, bursts{11025}, 11025, 2)
	p := planes(mix(r, crosstalk(s.plane, 11025, -20, 1), -55, true)...)
	whole := NewDetector(11025, 2)
	whole.Write(p)
	want := whole.Finish()
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.SampledFrom([]int{70, 700, 7000, 70000}).Draw(t, "most")
		sizes := rapid.SliceOfN(rapid.IntRange(0, most), 1, 8).Draw(t, "sizes")
		sizes[0]++
		d := NewDetector(11025, 2)
		for i, from := 0, 0; from < len(p[0]); i++ {
			to := min(from+sizes[i%len(sizes)], len(p[0]))
			d.Write([][]float32{p[0][from:to], p[1][from:to]})
			from = to
		}
		if diff := cmp.Diff(want, d.Finish()); diff != "" {
			t.Errorf("cut by %v (-want +got):\n%s", sizes, diff)
		}
	})
}
