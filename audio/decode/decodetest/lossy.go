package decodetest

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"vaak/audio/audiotest"
)

// Encoded returns a file of samples per channel of speech, encoded by FFmpeg with
// arguments, of which the last is the format.
func Encoded(t testing.TB, rate, channels, samples int, args ...string) []byte {
	t.Helper()
	one, two := audiotest.Speech(rate, samples), audiotest.Speech(rate, samples+rate/3)[rate/3:]
	pcm := make([]byte, 0, 2*channels*samples)
	for i := range samples {
		for c := range channels {
			v := one[i]
			if c%2 == 1 {
				v = two[i] / int16(c+1)
			}
			pcm = binary.LittleEndian.AppendUint16(pcm, uint16(v))
		}
	}
	out := filepath.Join(t.TempDir(), "made")
	all := append([]string{"-f", "s16le", "-ar", strconv.Itoa(rate), "-ac", strconv.Itoa(channels), "-i", "-"}, args...)
	run(t, pcm, append(all, out)...)
	file, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// run runs the program, which must not complain, and returns what it prints.
func run(t testing.TB, in []byte, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "ffmpeg", append([]string{"-hide_banner", "-v", "error"}, args...)...)
	var complaints bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(in), &complaints
	out, err := cmd.Output()
	if err != nil || complaints.Len() > 0 {
		t.Fatalf("ffmpeg %s: %v: %s", strings.Join(args, " "), err, &complaints)
	}
	return out
}

// Judged returns what FFmpeg decodes of a file, a slice for each channel, with
// arguments for the decoder.
func Judged(t testing.TB, file []byte, channels int, args ...string) [][]float32 {
	t.Helper()
	path := filepath.Join(t.TempDir(), "judged")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	out := run(t, nil, append(args, "-i", path, "-f", "f32le", "-c:a", "pcm_f32le", "-")...)
	planes := make([][]float32, channels)
	for i := 0; i+4 <= len(out); i += 4 {
		c := i / 4 % channels
		planes[c] = append(planes[c], math.Float32frombits(binary.LittleEndian.Uint32(out[i:])))
	}
	return planes
}

// Alike fails the test unless got is as long as want and as like as least dB.
func Alike(t testing.TB, got, want [][]float32, least float64) {
	t.Helper()
	for c := range want {
		if len(got[c]) != len(want[c]) {
			t.Errorf("channel %d has %d samples, want %d", c, len(got[c]), len(want[c]))
			continue
		}
		if r := SNR(want[c], got[c]); r < least {
			t.Errorf("channel %d: %.1f dB, want %.0f at least", c, r, least)
		}
	}
}

// SNR returns the ratio of want to its difference from got, in dB.
func SNR(want, got []float32) float64 {
	var signal, noise float64
	for i, w := range want {
		d := float64(w - got[i])
		signal += float64(w) * float64(w)
		noise += d * d
	}
	return 10 * math.Log10(signal/(noise+1e-30))
}
