// Package decodetest makes recordings for tests of the decoders, and checks what they decode.
package decodetest

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
	"testing"

	"vaak/audio/audiotest"
	"vaak/audio/decode/recording"
	"vaak/internal/fault"
)

// Opener opens a recording.
type Opener func(src recording.Source, limits recording.Limits) (recording.Stream, error)

// Only returns an opener that knows one format and recognizes it by the first bytes.
func Only(f recording.Format) Opener {
	return func(src recording.Source, limits recording.Limits) (recording.Stream, error) {
		return recording.Open(src, limits, []recording.Format{f})
	}
}

// Direct returns an opener that opens every file as one of a format, whose Open ignores the head.
func Direct(f recording.Format) Opener {
	return func(src recording.Source, limits recording.Limits) (recording.Stream, error) {
		return f.Open(src, nil, limits)
	}
}

// FFmpeg returns what FFmpeg makes of a file, written to a file so that it can
// seek in what it writes. In and out are arguments before and after the input.
func FFmpeg(t testing.TB, file []byte, in, out []string) []byte {
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
	Made, err := os.ReadFile(to)
	if err != nil {
		t.Fatal(err)
	}
	return Made
}

// Reference returns the samples that FFmpeg finds in a file, a plane for each channel.
func Reference(t testing.TB, file []byte, channels int) [][]float32 {
	t.Helper()
	raw := FFmpeg(t, file, nil, []string{"-f", "f64le", "-c:a", "pcm_f64le"})
	planes := make([][]float32, channels)
	for i := range len(raw) / 8 {
		v := math.Float64frombits(binary.LittleEndian.Uint64(raw[8*i:]))
		planes[i%channels] = append(planes[i%channels], float32(v))
	}
	return planes
}

// Speech returns n samples of float64 for each channel, interleaved in bytes:
// speech, later in each next channel, with sounds at full scale in between.
func Speech(n, channels int) []byte {
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

// Made returns a file of speech that FFmpeg writes.
func Made(t testing.TB, rate, channels, frames int, out ...string) []byte {
	t.Helper()
	return FFmpeg(t, Speech(frames, channels),
		[]string{"-f", "f64le", "-ar", strconv.Itoa(rate), "-ac", strconv.Itoa(channels)}, out)
}

// All reads a file to its end, in steps of a number of samples.
func All(open Opener, file []byte, limits recording.Limits, step int) (recording.Info, [][]float32, error) {
	s, err := open(bytes.NewReader(file), limits)
	if err != nil {
		return recording.Info{}, nil, err
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

// Code returns the code of a fault, "" of nil, and what is no fault as it reads.
func Code(err error) string {
	if err == nil {
		return ""
	}
	if e, ok := errors.AsType[*fault.Error](err); ok {
		return e.Code
	}
	return err.Error()
}
