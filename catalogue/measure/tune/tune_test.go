package tune

import (
	"math"
	"testing"

	"vaak/audio/audiotest"
	"vaak/catalogue/measure/sonogram"
)

const rate = 8000

// found are the stretches of a sound at 8 kHz.
func found(x []float32) []Stretch {
	var f Finder
	m := sonogram.New(rate, f.Add)
	m.Write(x)
	m.Finish()
	return f.Stretches()
}

// tone adds tones from one time to another.
func tone(x []float32, from, to float64, hz ...float64) {
	for i := int(from * rate); i < min(int(to*rate), len(x)); i++ {
		for _, f := range hz {
			x[i] += float32(0.1 * math.Sin(2*math.Pi*f*float64(i)/rate))
		}
	}
}

// TestTones finds tones at their times, among speech.
func TestTones(t *testing.T) {
	t.Parallel()
	x := make([]float32, 20*rate)
	for i, v := range audiotest.Speech(rate, 8*rate) {
		x[8*rate+i] = float32(v) / 32768
	}
	tone(x, 1, 3, 440, 480)
	tone(x, 5, 6, 1000)
	tone(x, 17, 19, 425)
	want := []Stretch{{Tone, 1, 3}, {Tone, 5, 6}, {Tone, 17, 19}}
	got := found(x)
	if len(got) != len(want) {
		t.Fatalf("found %v, want %v", got, want)
	}
	for i, w := range want {
		if g := got[i]; g.Kind != w.Kind || math.Abs(g.Start-w.Start) > 0.15 || math.Abs(g.End-w.End) > 0.15 {
			t.Errorf("found %v, want %v", g, w)
		}
	}
}

// TestTuneIsMusic plays single notes that follow each other, and chords: they are music, however
// few harmonics they have.
func TestTuneIsMusic(t *testing.T) {
	t.Parallel()
	x := make([]float32, 16*rate)
	for i, hz := range []float64{262, 330, 392, 523, 494, 392, 349, 294, 262, 440, 392, 330, 294, 349, 330, 262} {
		tone(x, 0.5*float64(i), 0.5*float64(i)+0.48, hz)
		tone(x, 8+0.5*float64(i), 8.48+0.5*float64(i), hz, hz*1.25, hz*1.5, hz*2, hz*2.5)
	}
	got := found(x)
	seconds := 0.0
	for _, s := range got {
		if s.Kind == Music {
			seconds += s.End - s.Start
		}
	}
	if seconds < 15 {
		t.Errorf("16 s of music: found %v", got)
	}
}

// TestNothing hears what is neither.
func TestNothing(t *testing.T) {
	t.Parallel()
	speech := make([]float32, 20*rate)
	for i, v := range audiotest.Speech(rate, len(speech)) {
		speech[i] = float32(v) / 32768
	}
	for name, x := range map[string][]float32{"nothing": nil, "silence": make([]float32, 5*rate), "speech": speech, "a moment": speech[:100]} {
		if got := found(x); len(got) > 0 {
			t.Errorf("%s: found %v", name, got)
		}
	}
}

// TestStandingLinesAreNoise hears hum and whine, in the pauses of speech and where nobody speaks, and
// a beep over a hum, which is a tone.
func TestStandingLinesAreNoise(t *testing.T) {
	t.Parallel()
	for name, hz := range map[string][]float64{"hum": {180}, "harmonics of 50 Hz": {150, 250, 350}, "GSM": {217, 433, 650, 867}, "whine": {1000}} {
		for _, spoken := range []bool{false, true} {
			x := make([]float32, 60*rate)
			if spoken {
				for from := 0; from < len(x); from += 6 * rate {
					for i, v := range audiotest.Speech(rate, 4*rate) {
						x[from+i] = float32(v) / 32768
					}
				}
			}
			for i := range x {
				for k, f := range hz {
					x[i] += float32(0.0025 / float64(k+1) * math.Sin(2*math.Pi*f*float64(i)/rate))
				}
			}
			if got := found(x); len(got) > 0 {
				t.Errorf("%s, with speech %v: found %v", name, spoken, got)
			}
			tone(x, 31, 33, 700)
			if got := found(x); !spoken && (len(got) != 1 || got[0].Kind != Tone || math.Abs(got[0].Start-31) > 0.2 || math.Abs(got[0].End-33) > 0.2) {
				t.Errorf("%s and a beep: found %v", name, got)
			}
		}
	}
}

// TestOffsetAndRumble hears a tone in spite of what is below speech.
func TestOffsetAndRumble(t *testing.T) {
	t.Parallel()
	x := make([]float32, 10*rate)
	for i := range x {
		x[i] = float32(0.2 + 0.05*math.Sin(2*math.Pi*15*float64(i)/rate) + 0.05*math.Sin(2*math.Pi*50*float64(i)/rate))
	}
	for i := 3 * rate; i < 6*rate; i++ {
		x[i] += float32(0.03 * math.Sin(2*math.Pi*440*float64(i)/rate))
	}
	if got := found(x); len(got) != 1 || got[0].Kind != Tone || math.Abs(got[0].Start-3) > 0.2 || math.Abs(got[0].End-6) > 0.2 {
		t.Errorf("found %v, want a tone from 3 to 6 s", got)
	}
}
