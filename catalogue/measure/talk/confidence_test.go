package talk

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// spokenFor is speech of espeak-ng in some seconds, with pauses of about a length, and
// the share of the time in which it is heard until each time.
func spokenFor(t *testing.T, r *rand.Rand, rate int, seconds, pause float64) ([]float64, func(until float64) float64) {
	m, s, end := speakers(t, rate), &script{rate: rate}, 0.5
	for end < seconds-5 {
		end = s.place(0, end, m.utterance(r, r.IntN(2))) + pause*(0.5+r.Float64())
	}
	x := append(s.plane[0], make([]float64, max(0, int(seconds*float64(rate))-len(s.plane[0])))...)
	truth := tidy(s.truth[0])
	return x[:int(seconds*float64(rate))], func(until float64) float64 {
		return Length(intersection(truth, []Interval{{0, until}})) / seconds
	}
}

// intersection is the time that both hold.
func intersection(a, b []Interval) (out []Interval) {
	for _, x := range a {
		for _, y := range b {
			if v := (Interval{max(x.Start, y.Start), min(x.End, y.End)}); v.End > v.Start {
				out = append(out, v)
			}
		}
	}
	return out
}

// What a recording deserves.
const (
	sure     = "sure"     // clean speech at usual levels
	doubtful = "doubtful" // whatever comes out
	either   = "either"   // only where what comes out is wrong
)

// TestConfidence measures recordings whose speech is known: clean, very quiet, in
// noise, with tones and music in its place or under it. What measures within 0.05 of
// the truth on clean speech is never doubted, and what is off by more than 0.1 always
// is; the quiet, the loud noise, and sounds in place of speech are doubted in any case.
func TestConfidence(t *testing.T) {
	t.Parallel()
	const seconds = 40.0
	for _, rate := range []int{8000, 16000} {
		r := rand.New(rand.NewPCG(23, uint64(rate)))
		speech, told := spokenFor(t, r, rate, seconds, 0.6)
		few, toldFew := spokenFor(t, r, rate, 8, 0.6)
		rare := append(few, make([]float64, len(speech)-len(few))...)
		s := sounds{r, len(speech), rate}
		hiss := func(level float64) []float64 { return noise(r, s.n, level, true) }
		all, some := told(seconds), toldFew(8)*8/seconds
		check := func(name string, x []float64, truth float64, want string) {
			t.Helper()
			got := hear(rate, x)
			heard := Length(got.IPUs[0]) / seconds
			c, off := got.Channels[0], math.Abs(heard-truth)
			switch {
			case want == sure && (c.LowConfidence || off > 0.05),
				want == doubtful && !c.LowConfidence,
				off > 0.1 && !c.LowConfidence:
				t.Errorf("%d Hz, %s: heard %.2f of the time, spoken %.2f, low confidence %v, want it %s: %s", rate, name, heard, truth, c.LowConfidence, want, figuresOf(got))
			}
		}
		for _, level := range []float64{-15, -20, -26, -32, -38} {
			check(fmt.Sprintf("clean at %g dBFS", level), sum(brought(speech, level), hiss(level-40)), all, sure)
			check(fmt.Sprintf("clean at %g dBFS in digital silence", level), brought(speech, level), all, sure)
		}
		check("little, and clean", sum(brought(rare, -26), hiss(-66)), some, sure)
		check("over a telephone line of -50 dBFS", sum(brought(speech, -20), hiss(-50)), all, sure)
		for _, level := range []float64{-51, -48} {
			check(fmt.Sprintf("quiet at %g dBFS", level), sum(brought(speech, level), hiss(-78)), all, doubtful)
			check(fmt.Sprintf("quiet at %g dBFS, little speech, gusts", level), sum(brought(rare, level), s.gusts(-80)), some, doubtful)
			check(fmt.Sprintf("quiet at %g dBFS, little speech, rustle", level), sum(sum(brought(rare, level), s.rustle(level)), hiss(-78)), some, doubtful)
		}
		for _, ratio := range []float64{5, 0, -10} {
			check(fmt.Sprintf("in noise %g dB under it", ratio), sum(brought(speech, -26), hiss(-26-ratio)), all, doubtful)
		}
		check("little, in gusts as loud", sum(brought(rare, -26), s.gusts(-51)), some, doubtful)
		check("little, in rustle as loud", sum(sum(brought(rare, -26), s.rustle(-26)), hiss(-66)), some, doubtful)
		for name, sound := range map[string][]float64{
			"a hold tone": s.tone(425, 1, 0), "ringing": s.tone(425, 1, 4), "an engaged tone": s.tone(480, 0.5, 0.5),
			"chords": s.chords(), "slow strings": s.plucked(2), "strings": s.plucked(4), "drums": s.drums(), "a band": s.band(),
		} {
			check(name+" in place of speech", sum(brought(sound, -26), hiss(-66)), 0, doubtful)
			check(name+" after speech", sum(sum(until(brought(speech, -26), rate, seconds/2), after(brought(sound, -26), rate, seconds/2)), hiss(-66)), told(seconds/2), doubtful)
			check(name+" under speech, 10 dB", sum(sum(brought(speech, -26), brought(sound, -36)), hiss(-66)), all, either)
			check(name+" under speech, 30 dB", sum(sum(brought(speech, -26), brought(sound, -56)), hiss(-66)), all, either)
		}
	}
}

// figuresOf are those behind the confidence of the first channel.
func figuresOf(got Result) string {
	c, out := got.Channels[0], ""
	for name, v := range map[string]*float64{"span": c.VADSpanDB, "level": c.SpeechLevelDBFS, "unlike": c.UnlikeSpeechRatio, "floor": c.NoiseFloorDBFS} {
		if v != nil {
			out += fmt.Sprintf("%s %.3f ", name, *v)
		}
	}
	return out
}

// TestConfidenceOfConversations checks that two people who talk without much noise are
// believed, on channels of their own and on one, at every rate.
func TestConfidenceOfConversations(t *testing.T) {
	t.Parallel()
	for i, rate := range []int{8000, 11025, 16000, 44100} {
		r := rand.New(rand.NewPCG(5, uint64(rate)))
		s := newScript(r, speakers(t, rate), rate, 40)
		p := mix(r, s.plane, -60, i%2 == 0)
		for name, got := range map[string]Result{"two channels": hear(rate, p...), "one": hear(rate, sum(p[0], p[1]))} {
			for _, c := range got.Channels {
				if c.LowConfidence || !c.HasSpeech {
					t.Errorf("%d Hz, %s: low confidence %v, speech %v: %s", rate, name, c.LowConfidence, c.HasSpeech, figuresOf(got))
				}
			}
		}
	}
}

// TestConfidenceOfNothing checks that silence is believed to be silence.
func TestConfidenceOfNothing(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 1))
	for name, x := range map[string][]float64{"no samples": nil, "digital silence": make([]float64, 80000), "a quiet line": noise(r, 80000, -60, true)} {
		if c := hear(8000, x).Channels[0]; c.LowConfidence || c.HasSpeech || c.SpeechLevelDBFS != nil || c.UnlikeSpeechRatio != nil {
			t.Errorf("%s: %+v", name, c)
		}
	}
}

// TestPitch tells the pitch of tones, and none of noise.
func TestPitch(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 3))
	for _, rate := range []int{8000, 11025, 16000, 44100, 48000} {
		for _, hz := range []float64{110, 150, 200, 300} {
			// A pulse of harmonics, as a voice has.
			m := newMeter(rate)
			var x []float32
			for i := range rate / 2 {
				v := 0.0
				for h := 1.0; h*hz < 0.4*float64(min(rate, 8000)); h++ {
					v += 0.05 * math.Sin(2*math.Pi*h*hz*float64(i)/float64(rate))
				}
				x = append(x, float32(v))
			}
			m.hears(x, rate)
			folded := float64(rate) / float64(m.pitch.fold*m.pitch.every)
			for _, got := range m.tones[2:] {
				is := 8 * folded / float64(got.period)
				if times := math.Round(hz / is); !got.voiced() || times < 1 || math.Abs(is*times-hz) > 0.03*hz {
					t.Fatalf("%g Hz at %d: heard %.1f Hz, alike %d", hz, rate, is, got.alike)
				}
			}
		}
		m, voiced := newMeter(rate), 0
		var x []float32
		for range rate * 10 {
			x = append(x, float32(0.1*r.NormFloat64()))
		}
		m.hears(x, rate)
		for _, got := range m.tones {
			if got.voiced() {
				voiced++
			}
		}
		if share := float64(voiced) / float64(len(m.tones)); share > 0.05 {
			t.Errorf("at %d Hz %.2f of noise has a pitch", rate, share)
		}
	}
}

// hears feeds samples to a meter as a detector does.
func (m *meter) hears(x []float32, rate int) {
	step := 0
	for from := 0; from < len(x); step++ {
		to := min((step+1)*rate/stepsPerS, len(x))
		m.add(x[from:to])
		m.step()
		from = to
	}
}
