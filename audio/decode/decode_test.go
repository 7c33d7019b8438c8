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
	"slices"
	"strconv"
	"testing"

	"vaak/audio/audiotest"
	"vaak/internal/fault"
)

// ffmpeg returns what FFmpeg makes of a file, written to a file so that it can
// seek in what it writes. In and out are arguments before and after the input.
func ffmpeg(t testing.TB, file []byte, in, out []string) []byte {
	t.Helper()
	dir := t.TempDir()
	from, to := filepath.Join(dir, "in"), filepath.Join(dir, "out")
	if err := os.WriteFile(from, file, 0o600); err != nil {
		t.Fatal(err)
	}
	args := append([]string{"-v", "error"}, in...)
	args = append(append(append(args, "-i", from), out...), to)
	if msg, err := exec.CommandContext(t.Context(), "ffmpeg", args...).CombinedOutput(); err != nil {
		t.Fatalf("ffmpeg %q: %v: %s", args, err, msg)
	}
	made, err := os.ReadFile(to)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// reference returns the samples that FFmpeg finds in a file, a plane for each channel.
func reference(t testing.TB, file []byte, channels int) [][]float32 {
	t.Helper()
	raw := ffmpeg(t, file, nil, []string{"-f", "f64le", "-c:a", "pcm_f64le"})
	planes := make([][]float32, channels)
	for i := range len(raw) / 8 {
		v := math.Float64frombits(binary.LittleEndian.Uint64(raw[8*i:]))
		planes[i%channels] = append(planes[i%channels], float32(v))
	}
	return planes
}

// speech returns n samples of float64 for each channel, interleaved in bytes:
// speech, later in each next channel, with sounds at full scale in between.
func speech(n, channels int) []byte {
	pcm := audiotest.Speech(8000, n)
	raw := make([]byte, 0, 8*n*channels)
	for i := range n {
		for c := range channels {
			j := (i + c*n/3) % n
			v := float64(pcm[j])/0x8000 + float64(j%251)/0x7FFFFFF
			switch j % 4000 {
			case 0:
				v = -1
			case 1:
				v = 0x7FFFFFFF / float64(0x80000000)
			}
			raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(v))
		}
	}
	return raw
}

// made returns a file of speech that FFmpeg writes.
func made(t testing.TB, rate, channels, frames int, out ...string) []byte {
	t.Helper()
	return ffmpeg(t, speech(frames, channels),
		[]string{"-f", "f64le", "-ar", strconv.Itoa(rate), "-ac", strconv.Itoa(channels)}, out)
}

// all reads a file to its end, in steps of a number of samples.
func all(file []byte, limits Limits, step int) (Info, [][]float32, error) {
	s, err := Open(bytes.NewReader(file), limits)
	if err != nil {
		return Info{}, nil, err
	}
	defer func() { _ = s.Close() }() // nothing is written
	info := s.Info()
	got, buf := make([][]float32, info.Channels), make([][]float32, info.Channels)
	for c := range buf {
		buf[c] = make([]float32, step)
	}
	for {
		n, err := s.Read(buf)
		for c := range got {
			got[c] = append(got[c], buf[c][:n]...)
		}
		if errors.Is(err, io.EOF) {
			return info, got, nil
		}
		if err != nil {
			return info, got, err
		}
		if n == 0 {
			return info, got, io.ErrNoProgress
		}
	}
}

// kind returns the code of a fault, "" of nil, and what is no fault as it reads.
func kind(err error) string {
	if err == nil {
		return ""
	}
	if e, ok := errors.AsType[*fault.Error](err); ok {
		return e.Code
	}
	return err.Error()
}

// TestPiped reads what FFmpeg writes where it cannot go back to the head.
func TestPiped(t *testing.T) {
	t.Parallel()
	const frames = 10000
	for _, format := range []string{"wav", "flac"} {
		cmd := exec.CommandContext(t.Context(), "ffmpeg", "-v", "error", "-f", "f64le", "-ar", "8000", "-ac", "2", "-i", "-", "-c:a",
			map[string]string{"wav": "pcm_s16le", "flac": "flac"}[format], "-sample_fmt", "s16", "-f", format, "-")
		cmd.Stdin = bytes.NewReader(speech(frames, 2))
		file, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		info, got, err := all(file, Limits{}, 300)
		if err != nil || info.Frames != -1 {
			t.Fatalf("%s: %+v, error %v", format, info, err)
		}
		for c, want := range reference(t, file, 2) {
			if !slices.Equal(got[c], want) {
				t.Errorf("%s: channel %d differs from FFmpeg's", format, c)
			}
		}
	}
}
