package decode

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"vaak/audio/audiotest"
	"vaak/internal/fault"
)

// encoded returns a file of samples per channel of speech, encoded by ffmpeg with
// arguments, of which the last is the format.
func encoded(t testing.TB, rate, channels, samples int, args ...string) []byte {
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
	runFFmpeg(t, pcm, append(all, out)...)
	file, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// runFFmpeg runs the program, which must not complain, and returns what it prints.
func runFFmpeg(t testing.TB, in []byte, args ...string) []byte {
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

// judged returns what ffmpeg decodes of a file, a slice for each channel, with
// arguments for the decoder.
func judged(t testing.TB, file []byte, channels int, args ...string) [][]float32 {
	t.Helper()
	path := filepath.Join(t.TempDir(), "judged")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	out := runFFmpeg(t, nil, append(args, "-i", path, "-f", "f32le", "-c:a", "pcm_f32le", "-")...)
	planes := make([][]float32, channels)
	for i := 0; i+4 <= len(out); i += 4 {
		c := i / 4 % channels
		planes[c] = append(planes[c], math.Float32frombits(binary.LittleEndian.Uint32(out[i:])))
	}
	return planes
}

// opener is openMP3 or openOgg.
type opener func(Source, []byte, Limits) (Stream, error)

// openBytes returns the stream of a file.
func openBytes(open opener, file []byte, limits Limits) (Stream, error) {
	return open(bytes.NewReader(file), file[:min(len(file), 64)], limits)
}

// drain returns what a file decodes to, read in blocks of as many samples, and
// the error that ended it, nil at its end.
func drain(t testing.TB, open opener, file []byte, limits Limits, block int) (Info, [][]float32, error) {
	t.Helper()
	s, err := openBytes(open, file, limits)
	if err != nil {
		return Info{}, nil, err
	}
	defer func() {
		if err := errors.Join(s.Close(), s.Close()); err != nil {
			t.Errorf("Close: %v", err)
		}
	}()
	info := s.Info()
	all, planes := make([][]float32, info.Channels), make([][]float32, info.Channels)
	for c := range planes {
		planes[c] = make([]float32, block)
	}
	for {
		n, err := s.Read(planes)
		for c := range planes {
			all[c] = append(all[c], planes[c][:n]...)
		}
		if err != nil {
			if n != 0 {
				t.Errorf("Read returned %d samples and %v, want one of them", n, err)
			}
			if again, same := s.Read(planes); again != 0 || !errors.Is(same, err) {
				t.Errorf("after %v Read returned %d, %v, want the same", err, again, same)
			}
			if err == io.EOF {
				err = nil
			}
			return info, all, err
		}
		if n == 0 {
			t.Fatal("Read returned nothing and no error")
		}
	}
}

// alike fails the test unless got is as long as want and as like as least dB.
func alike(t testing.TB, got, want [][]float32, least float64) {
	t.Helper()
	for c := range want {
		if len(got[c]) != len(want[c]) {
			t.Errorf("channel %d has %d samples, want %d", c, len(got[c]), len(want[c]))
			continue
		}
		if r := planeSNR(want[c], got[c]); r < least {
			t.Errorf("channel %d: %.1f dB, want %.0f at least", c, r, least)
		}
	}
}

// planeSNR returns the ratio of want to its difference from got, in dB.
func planeSNR(want, got []float32) float64 {
	var signal, noise float64
	for i, w := range want {
		d := float64(w - got[i])
		signal += float64(w) * float64(w)
		noise += d * d
	}
	return 10 * math.Log10(signal/(noise+1e-30))
}

// wantFault fails the test unless err is a *fault.Error of a kind whose sentence
// holds words.
func wantFault(t testing.TB, what string, err error, kind fault.Kind, words string) {
	t.Helper()
	e, ok := errors.AsType[*fault.Error](err)
	if !ok || e.Kind != kind || !strings.Contains(e.Msg, words) {
		t.Errorf("%s: %v, want an error of kind %q that says %q", what, err, kind, words)
	}
}

// refusal is a file that is refused by an error of a kind whose sentence holds words.
type refusal struct {
	name   string
	file   []byte
	limits Limits
	kind   fault.Kind
	words  string
}

func wantRefusals(t *testing.T, open opener, refusals []refusal) {
	t.Helper()
	for _, r := range refusals {
		_, _, err := drain(t, open, r.file, r.limits, 1024)
		wantFault(t, r.name, err, r.kind, r.words)
	}
}
