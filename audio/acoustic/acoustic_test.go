package acoustic

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// speaker is a synthetic one: harmonics under a spectrum of three formants.
type speaker struct {
	f0       float64    // Hz, the middle
	swing    float64    // semitones up and down from it, in a sine of 2 s
	formants [3]float64 // Hz
	drop     int        // this many of the lowest harmonics are missing
	gain     float64    // of full scale; 0 is 0.3
}

// open and closed are vowels.
var open, closed = [3]float64{700, 1200, 2600}, [3]float64{300, 2200, 3000}

// speak returns seconds of the speaker at a rate, over a trace of noise.
func (s speaker) speak(rate int, seconds float64) []int16 {
	noise := rand.New(rand.NewPCG(1, 2))
	x := make([]float64, int(seconds*float64(rate)))
	phase, highest := 0.0, 0.0
	for i := range x {
		f0 := s.at(float64(i) / float64(rate))
		phase += 2 * math.Pi * f0 / float64(rate)
		for h := 1 + s.drop; f0*float64(h) < 7900; h++ {
			x[i] += s.envelope(f0*float64(h)) * math.Sin(phase*float64(h))
		}
		highest = max(highest, math.Abs(x[i]))
	}
	gain := s.gain
	if gain == 0 {
		gain = 0.3
	}
	pcm := make([]int16, len(x))
	for i, v := range x {
		pcm[i] = int16(math.Round(32767 * gain * (v/highest + 1e-4*noise.NormFloat64())))
	}
	return pcm
}

// at returns the fundamental frequency at a time in seconds.
func (s speaker) at(seconds float64) float64 {
	return s.f0 * math.Exp2(s.swing/12*math.Sin(math.Pi*seconds))
}

// envelope is the amplitude of a harmonic: 12 dB down an octave, with a
// resonance of 100 Hz at each formant.
func (s speaker) envelope(hz float64) float64 {
	sum := 0.02
	for _, f := range s.formants {
		sum += 1 / (1 + square((hz-f)/50))
	}
	return sum / (1 + square(hz/500))
}

func measure(t *testing.T, pcm []int16, rate int) Print {
	t.Helper()
	p, err := printOf(pcm, rate)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestFundamentalFrequency(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		speaker
	}{
		{"lowest", speaker{f0: 66, formants: open}},
		{"low", speaker{f0: 85, formants: closed}},
		{"man", speaker{f0: 118, formants: open}},
		{"woman", speaker{f0: 209, formants: closed}},
		{"high", speaker{f0: 290, formants: open}},
		{"highest", speaker{f0: 390, formants: closed}},
		{"a formant on the second harmonic", speaker{f0: 150, formants: [3]float64{300, 1200, 2600}}},
		{"a formant on the third harmonic", speaker{f0: 100, formants: [3]float64{300, 900, 2600}}},
		{"no fundamental", speaker{f0: 110, formants: open, drop: 1}},
		{"telephone", speaker{f0: 95, formants: open, drop: 3}},
		{"faint", speaker{f0: 130, formants: open, gain: 0.003}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, rate := range []int{16000, 22050, 48000} {
				p := measure(t, tt.speak(rate, 1), rate)
				if off := math.Abs(Semitones(tt.f0, p.F0)); off > 0.1 {
					t.Errorf("at %d Hz: F0 = %.2f Hz, want %.2f", rate, p.F0, tt.f0)
				}
				if p.Range > 0.2 {
					t.Errorf("at %d Hz: range of one tone = %.2f semitones, want 0", rate, p.Range)
				}
				if p.Voiced < 0.95 {
					t.Errorf("at %d Hz: voiced = %.2f, want all", rate, p.Voiced)
				}
			}
		})
	}
}

func TestRange(t *testing.T) {
	t.Parallel()
	for _, swing := range []float64{1, 3, 6} {
		for _, f0 := range []float64{100, 200} {
			p := measure(t, speaker{f0: f0, swing: swing, formants: open}.speak(22050, 4), 22050)
			// A sine is below sin(0.4π) of its height for 90 % of the time.
			want := 2 * swing * math.Sin(0.4*math.Pi)
			if math.Abs(p.Range-want) > 0.05*want+0.1 {
				t.Errorf("range of ±%.0f semitones around %.0f Hz = %.2f, want %.2f", swing, f0, p.Range, want)
			}
			if math.Abs(Semitones(f0, p.F0)) > max(0.3, 0.1*swing) {
				t.Errorf("median of ±%.0f semitones around %.0f Hz = %.1f Hz", swing, f0, p.F0)
			}
		}
	}
}

// The distance is about timbre first: other formants at one pitch are further
// apart than the same formants at a pitch of some semitones more.
func TestTimbreBeforePitch(t *testing.T) {
	t.Parallel()
	a := measure(t, speaker{f0: 110, swing: 2, formants: open}.speak(22050, 2), 22050)
	raised := measure(t, speaker{f0: 138, swing: 2, formants: open}.speak(22050, 2), 22050)
	other := measure(t, speaker{f0: 110, swing: 2, formants: closed}.speak(22050, 2), 22050)
	if near, far := a.Distance(raised), a.Distance(other); far < 2*near {
		t.Errorf("other formants are %.2f dB away, a pitch 4 semitones up %.2f; want the first twice as far", far, near)
	}
	if d := a.TimbreDistance(raised); d > 3 {
		t.Errorf("timbre at another pitch = %.2f dB, want under 3", d)
	}
	shorter := measure(t, speaker{f0: 110, swing: 2, formants: [3]float64{800, 1370, 2970}}.speak(22050, 2), 22050)
	if d := a.TimbreDistance(shorter); d < 2 {
		t.Errorf("timbre of formants 14 %% up = %.2f dB, want over 2", d)
	}
}

func TestDistanceCountsPitchAndRange(t *testing.T) {
	t.Parallel()
	a := Print{F0: 100, Range: 4}
	for _, tt := range []struct {
		name string
		b    Print
		want float64
	}{
		{"itself", a, 0},
		{"an octave", Print{F0: 200, Range: 4}, 12 * pitchWeight},
		{"a wider range", Print{F0: 100, Range: 8}, 4 * rangeWeight},
		{"timbre", Print{F0: 100, Range: 4, Timbre: [Coefficients]float64{3, 0, 4}}, 5},
		{"timbre and pitch", Print{F0: 200, Range: 4, Timbre: [Coefficients]float64{8}}, 10},
		{"voicing", Print{F0: 100, Range: 4, Voiced: 1}, 0},
	} {
		if got := a.Distance(tt.b); math.Abs(got-tt.want) > 1e-9 {
			t.Errorf("%s: Distance = %.6f, want %.6f", tt.name, got, tt.want)
		}
	}
}

// A difference of one coefficient is one of the spectrum: a slope of the bands
// comes back as its root mean square.
func TestTimbreIsInDecibels(t *testing.T) {
	t.Parallel()
	var flat, slope [bands]float64
	sum := 0.0
	for b := range slope {
		slope[b] = 6 * math.Cos(math.Pi*(float64(b)+0.5)/bands)
		sum += square(slope[b])
	}
	p, q := Print{F0: 100, Timbre: cepstrum(flat)}, Print{F0: 100, Timbre: cepstrum(slope)}
	if got, want := p.TimbreDistance(q), math.Sqrt(sum/bands); math.Abs(got-want) > 1e-9 {
		t.Errorf("TimbreDistance = %.6f, want %.6f", got, want)
	}
	for b := range flat {
		flat[b] = -20
	}
	if d := (Print{Timbre: cepstrum(flat), F0: 1}).TimbreDistance(Print{F0: 1}); d > 1e-9 {
		t.Errorf("a level of -20 dB counts %.6f dB, want 0", d)
	}
}

func TestDistanceIsAMetric(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	some := func() (p Print) {
		for i := range p.Timbre {
			p.Timbre[i] = 5 * random.NormFloat64()
		}
		p.F0, p.Range = 60+340*random.Float64(), 12*random.Float64()
		return p
	}
	for range 500 {
		a, b, c := some(), some(), some()
		if d := a.Distance(a); d != 0 {
			t.Fatalf("Distance to itself = %g", d)
		}
		if d, e := a.Distance(b), b.Distance(a); math.Abs(d-e) > 1e-9 || d <= 0 {
			t.Fatalf("Distance = %g one way, %g the other", d, e)
		}
		if a.Distance(c) > a.Distance(b)+b.Distance(c)+1e-9 {
			t.Fatalf("the way over a third print is shorter: %+v %+v %+v", a, b, c)
		}
		if a.TimbreDistance(b) > a.Distance(b) {
			t.Fatal("timbre alone is further than all together")
		}
	}
}

func TestLevelDoesNotCount(t *testing.T) {
	t.Parallel()
	loud := measure(t, speaker{f0: 120, swing: 2, formants: open, gain: 0.9}.speak(22050, 2), 22050)
	for _, gain := range []float64{0.3, 0.05} {
		soft := measure(t, speaker{f0: 120, swing: 2, formants: open, gain: gain}.speak(22050, 2), 22050)
		if d := loud.Distance(soft); d > 0.1 {
			t.Errorf("%.0f dB softer is %.3f dB away, want the same", -20*math.Log10(gain/0.9), d)
		}
	}
}

func TestRateDoesNotCount(t *testing.T) {
	t.Parallel()
	s := speaker{f0: 120, swing: 2, formants: open}
	a := measure(t, s.speak(22050, 2), 22050)
	for _, rate := range []int{16000, 44100, 48000} {
		if d := a.Distance(measure(t, s.speak(rate, 2), rate)); d > 0.3 {
			t.Errorf("at %d Hz the speaker is %.2f dB away, want under 0.3", rate, d)
		}
	}
}

func TestVoicedShare(t *testing.T) {
	t.Parallel()
	const rate = 22050
	noise := rand.New(rand.NewPCG(5, 6))
	pcm := speaker{f0: 120, formants: open}.speak(rate, 2)
	for i := range pcm[:rate] {
		pcm[i] = int16(2000 * noise.NormFloat64())
	}
	tone := measure(t, pcm[rate:], rate)
	mixed := measure(t, append(pcm, make([]int16, 2*rate)...), rate) // silence is no sound
	if math.Abs(mixed.Voiced-0.5) > 0.05 {
		t.Errorf("voiced = %.2f of a second of noise, one of tone and two of silence; want 0.5", mixed.Voiced)
	}
	if d := tone.Distance(mixed); d > 0.5 {
		t.Errorf("noise beside it moves the speaker by %.2f dB, want under 0.5", d)
	}
}

func TestJoin(t *testing.T) {
	t.Parallel()
	a, b := speaker{f0: 120, swing: 1, formants: open}.speak(22050, 1), speaker{f0: 140, formants: closed}.speak(22050, 1)
	one, two, both := newMeter(t), newMeter(t), newMeter(t)
	one.Write(a)
	two.Write(b)
	both.Write(a)
	both.Write(b)
	one.Join(two)
	p, ok := one.Print()
	q, okBoth := both.Print()
	if !ok || !okBoth || p != q {
		t.Errorf("joined = %+v, %v; written one after the other = %+v, %v", p, ok, q, okBoth)
	}
}

func newMeter(t *testing.T) *Meter {
	t.Helper()
	m, err := NewMeter(22050)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestNothingVoiced(t *testing.T) {
	t.Parallel()
	noise := rand.New(rand.NewPCG(7, 8))
	hiss := make([]int16, 22050)
	for i := range hiss {
		hiss[i] = int16(3000 * noise.NormFloat64())
	}
	for name, pcm := range map[string][]int16{
		"nothing": nil, "one sample": {5}, "silence": make([]int16, 22050), "hiss": hiss,
		"too short": speaker{f0: 120, formants: open}.speak(22050, 0.15),
	} {
		if p, err := printOf(pcm, 22050); err == nil {
			t.Errorf("%s has the print %+v", name, p)
		}
	}
}

func TestRates(t *testing.T) {
	t.Parallel()
	for rate, ok := range map[int]bool{0: false, -1: false, 15999: false, 16000: true, 192000: true, 192001: false} {
		if _, err := NewMeter(rate); (err == nil) != ok {
			t.Errorf("NewMeter(%d): %v, want ok %v", rate, err, ok)
		}
	}
}

// printOf returns the print of one utterance; see [Meter]. The error says that
// the rate is out of range, or that too little of it is voiced.
func printOf(pcm []int16, rate int) (Print, error) {
	m, err := NewMeter(rate)
	if err != nil {
		return Print{}, err
	}
	m.Write(pcm)
	p, ok := m.Print()
	if !ok {
		return Print{}, fmt.Errorf("%d frames of %d are voiced, want %d", len(m.frames), m.sounding, minVoicedFrames)
	}
	return p, nil
}
