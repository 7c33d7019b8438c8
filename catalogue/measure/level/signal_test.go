package level

import (
	"math"
	"testing"

	"vaak/audio/audiotest"
	"vaak/catalogue"
)

// rates are those of recordings, and the bounds of what loudness is measured at.
var rates = []int{4000, 8000, 11025, 16000, 22050, 24000, 32000, 44100, 48000, 96000, 192000}

// tone is a sine of so many seconds.
func tone(rate int, seconds, amplitude, hz, phase float64) []float32 {
	x := make([]float32, int(math.Round(seconds*float64(rate))))
	for i := range x {
		x[i] = float32(amplitude * math.Sin(2*math.Pi*hz*float64(i)/float64(rate)+phase))
	}
	return x
}

// part is some seconds of a tone at a level in dBFS.
type part struct{ seconds, level float64 }

// sequence is a tone of 1 kHz that changes its level.
func sequence(rate int, all ...part) []float32 {
	period := tone(rate, 1, 1, 1000, 0) // it has whole periods
	var x []float32
	for _, p := range all {
		amplitude := float32(amplitudeOf(p.level))
		for i := range int(math.Round(p.seconds * float64(rate))) {
			x = append(x, amplitude*period[i%rate])
		}
	}
	return x
}

func amplitudeOf(db float64) float64 { return math.Pow(10, db/20) }

// speech is so many seconds of what resembles speech.
func speech(rate int, seconds float64) []float32 {
	return floats(audiotest.Speech(rate, int(seconds*float64(rate))))
}

// floats converts 16-bit samples.
func floats(pcm []int16) []float32 {
	x := make([]float32, len(pcm))
	for i, v := range pcm {
		x[i] = float32(v) / (1 << 15)
	}
	return x
}

// int16s converts samples to 16-bit ones.
func int16s(x []float32) []int16 {
	pcm := make([]int16, len(x))
	for i, v := range x {
		pcm[i] = int16(min(max(math.Round(float64(v)*(1<<15)), math.MinInt16), math.MaxInt16))
	}
	return pcm
}

// bytesOf converts samples to 16-bit little-endian ones.
func bytesOf(x []float32) []byte {
	b := make([]byte, 0, 2*len(x))
	for _, s := range int16s(x) {
		b = append(b, byte(s), byte(s>>8))
	}
	return b
}

// measure is what a meter tells of x.
func measure(rate int, x []float32) catalogue.Channel {
	m := NewMeter(rate)
	m.Write(x)
	return m.Result().Channel
}

// near reports that a figure is not within a tolerance of what it should be.
func near(t *testing.T, what string, got *float64, want, tolerance float64) {
	t.Helper()
	if got == nil {
		t.Errorf("%s = nil, want %.2f", what, want)
	} else if !(math.Abs(*got-want) <= tolerance) {
		t.Errorf("%s = %.4f, want %.4f within %v", what, *got, want, tolerance)
	}
}
