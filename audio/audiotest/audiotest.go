// Package audiotest checks encoded audio in tests with an independent decoder, FFmpeg. FFmpeg must
// be installed: a test that needs it fails otherwise.
package audiotest

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
)

// Stream is what ffprobe reports of the only audio stream in a file.
type Stream struct {
	Codec      string // as FFmpeg names it: "mp3", "opus", "pcm_mulaw"
	SampleRate int    // Hz
	Channels   int
}

// Probe returns what ffprobe reports of a file. input are arguments for a file without a header,
// such as "-f", "mulaw", "-ar", "8000".
func Probe(t testing.TB, file []byte, input ...string) Stream {
	t.Helper()
	args := append([]string{"-v", "error"}, input...)
	out := run(t, "ffprobe", append(args, "-show_entries", "stream=codec_name,sample_rate,channels",
		"-of", "default=noprint_wrappers=1", keep(t, file)))
	var s Stream
	for line := range strings.Lines(string(out)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		switch name {
		case "codec_name":
			s.Codec += value // two streams would show
		case "sample_rate":
			s.SampleRate, _ = strconv.Atoi(value)
		case "channels":
			s.Channels, _ = strconv.Atoi(value)
		}
	}
	return s
}

// Decode returns the samples of a file at a rate in Hz. It fails the test if ffmpeg prints any
// warning. input is as for [Probe].
func Decode(t testing.TB, file []byte, rate int, input ...string) []int16 {
	t.Helper()
	args := append([]string{"-v", "error"}, input...)
	out := run(t, "ffmpeg", append(args, "-i", keep(t, file), "-f", "s16le", "-ac", "1", "-ar", strconv.Itoa(rate), "-"))
	return Samples(out)
}

// Samples decodes little-endian samples.
func Samples(pcm []byte) []int16 {
	samples := make([]int16, len(pcm)/2)
	for i := range samples {
		samples[i] = int16(binary.LittleEndian.Uint16(pcm[2*i:]))
	}
	return samples
}

// keep writes a file to disk, so that a decoder can seek in it.
func keep(t testing.TB, file []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "audio")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// run returns the output of a program. It fails the test if the program prints any warning.
func run(t testing.TB, program string, args []string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, append([]string{"-hide_banner"}, args...)...)
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil || complaints.Len() > 0 {
		t.Fatalf("%s %s: %v: %s", program, strings.Join(args, " "), err, &complaints)
	}
	return out
}

// SNR returns the signal-to-noise ratio of got compared with want, in dB, or +Inf if they are
// equal. If one is longer, its end is compared with silence.
func SNR(want, got []int16) float64 {
	var signal, noise float64
	for i := range max(len(want), len(got)) {
		var w, g float64
		if i < len(want) {
			w = float64(want[i])
		}
		if i < len(got) {
			g = float64(got[i])
		}
		signal += w * w
		noise += (w - g) * (w - g)
	}
	if noise == 0 {
		return math.Inf(1)
	}
	return 10 * math.Log10(signal/noise)
}

// Correlate returns the normalized correlation of got with want, and by how many samples got is
// late, at most furthest in either direction. The delay is where a short piece from the middle of
// want fits best.
func Correlate(want, got []int16, furthest int) (c float64, lag int) {
	const piece = 4096
	from := max(0, len(want)/2-piece/2)
	to := min(len(want), from+piece)
	best := math.Inf(-1)
	for l := -furthest; l <= furthest; l++ {
		if c := correlation(want, got, l, from, to); c > best {
			best, lag = c, l
		}
	}
	return correlation(want, got, lag, 0, len(want)), lag
}

// correlation compares want[from:to] with got, lag samples later.
func correlation(want, got []int16, lag, from, to int) float64 {
	from, to = max(from, -lag), min(to, len(got)-lag)
	if from >= to {
		return 0
	}
	var ab, aa, bb int64
	later := got[from+lag:]
	for i, w := range want[from:to] {
		a, b := int64(w), int64(later[i])
		ab, aa, bb = ab+a*b, aa+a*a, bb+b*b
	}
	if aa == 0 || bb == 0 {
		return 0
	}
	return float64(ab) / math.Sqrt(float64(aa)*float64(bb))
}
