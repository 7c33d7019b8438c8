package codec

import (
	"fmt"
	"testing"

	"vaak/audio"
	"vaak/audio/audiotest"
)

// every returns each step-th sample.
func every(step int, pcm []int16) []int16 {
	var some []int16
	for i := 0; i < len(pcm); i += step {
		some = append(some, pcm[i])
	}
	return some
}

func TestLengthyOpusDecodes(t *testing.T) {
	t.Parallel()
	type test struct {
		rate, kbps int
		mode       Mode
		least      float64 // correlation
	}
	var tests []test
	for _, rate := range audio.SampleRates {
		for _, mode := range []Mode{Stream, File} {
			tests = append(tests, test{rate, 0, mode, 0.98})
		}
	}
	tests = append(tests,
		test{8000, opusLeastKbps, Stream, 0.75}, test{24000, opusLeastKbps, File, 0.75}, test{48000, opusLeastKbps, Stream, 0.75},
		test{8000, opusMostKbps, File, 0.985}, test{24000, opusMostKbps, Stream, 0.985}, test{48000, opusMostKbps, File, 0.985},
		test{16000, 16, Stream, 0.94}, test{24000, 32, Stream, 0.95}, test{24000, 32, File, 0.95})
	if testing.Short() {
		tests = append(tests[:2], test{24000, 0, Stream, 0.98}, test{44100, 0, File, 0.98}, test{48000, opusMostKbps, File, 0.985})
	}
	for _, tt := range tests {
		t.Run(fmt.Sprintf("%d Hz, %d kbps, mode %d", tt.rate, tt.kbps, tt.mode), func(t *testing.T) {
			t.Parallel()
			f := audio.Format{Codec: audio.Opus, SampleRate: tt.rate, BitrateKbps: tt.kbps}
			step := 48000 / InputRate(f)
			pcm := audiotest.Speech(InputRate(f), 2*InputRate(f)+77)
			file := encode(t, f, tt.mode, pcm[:333], pcm[333:10000], pcm[10000:]).all()
			got := audiotest.Decode(t, file, opusRate)
			if len(got) != step*len(pcm) {
				t.Errorf("decoded to %d samples, want %d", len(got), step*len(pcm))
			}
			if c, _ := audiotest.Correlate(pcm, every(step, got), 0); c < tt.least {
				t.Errorf("correlation with the source %.4f, want %.3f at least", c, tt.least)
			}
			want := audiotest.Stream{Codec: "opus", SampleRate: opusRate, Channels: 1}
			if got := audiotest.Probe(t, file); got != want {
				t.Errorf("ffprobe sees %+v, want %+v", got, want)
			}
		})
	}
}

// TestLengthyOpusLengths decodes files about as long as a frame or two, where the
// padding takes one packet or two.
func TestLengthyOpusLengths(t *testing.T) {
	t.Parallel()
	lengths := []int{0, 1, 419, 420, 421, 480, 481, 900, 901, 5*480 - 60, 5*480 - 59}
	if testing.Short() {
		lengths = []int{0, 1, 421}
	}
	for _, n := range lengths {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			for _, mode := range []Mode{Stream, File} {
				file := encode(t, audio.Format{Codec: audio.Opus}, mode, audiotest.Speech(24000, n)).all()
				if got := len(audiotest.Decode(t, file, opusRate)); got != 2*n {
					t.Errorf("mode %d: decoded to %d samples, want %d", mode, got, 2*n)
				}
			}
		})
	}
}
