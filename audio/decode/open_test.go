package decode

import (
	"bytes"
	"errors"
	"io"
	"math"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"vaak/audio/decode/decodetest"
	"vaak/audio/decode/recording"
	"vaak/internal/fault"
)

// TestOpenUnknown opens what is no recording.
func TestOpenUnknown(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, file, code string }{
		{"nothing", "", recording.CodeBroken},
		{"one byte", "R", recording.CodeUnsupported},
		{"text", "hello, I am no recording", recording.CodeUnsupported},
		{"RIFF of another kind", "RIFF\x00\x00\x00\x00AVI LIST", recording.CodeUnsupported},
		{"half of a WAV head", "RIFF\x00\x00\x00\x00WAV", recording.CodeUnsupported},
		{"AAC in ADTS", "\xFF\xF1\x50\x80\x00\x1F\xFC", recording.CodeUnsupported},
		{"MPEG of a reserved rate", "\xFF\xFB\x9C\x00", recording.CodeUnsupported},
		{"MPEG of a reserved bit rate", "\xFF\xFB\xF0\x00", recording.CodeUnsupported},
		{"MPEG of a reserved version", "\xFF\xEB\x90\x00", recording.CodeUnsupported},
		{"gzip", "\x1F\x8B\x08\x00\x00\x00\x00\x00", recording.CodeUnsupported},
	} {
		_, err := Open(strings.NewReader(tt.file), recording.Limits{})
		if decodetest.Code(err) != tt.code {
			t.Errorf("%s: error %v, want %q", tt.name, err, tt.code)
		}
		if tt.code == recording.CodeUnsupported && !strings.Contains(err.Error(), "WAV (RIFF, RF64, BW64), FLAC, Ogg Opus, SPHERE (NIST_1A) and MP3") {
			t.Errorf("%s: error %v, want it to list the formats", tt.name, err)
		}
	}
}

// TestMagic tells formats by their first bytes.
func TestMagic(t *testing.T) {
	t.Parallel()
	for head, want := range map[string]string{
		"RIFF\x00\x00\x00\x00WAVE": "WAV (RIFF, RF64, BW64)",
		"RF64\xFF\xFF\xFF\xFFWAVE": "WAV (RIFF, RF64, BW64)",
		"BW64\xFF\xFF\xFF\xFFWAVE": "WAV (RIFF, RF64, BW64)",
		"fLaC":                     "FLAC",
		"OggS":                     "Ogg Opus",
		"NIST_1A\n   1024\n":       "SPHERE (NIST_1A)",
		"ID3\x04\x00":              "MP3",
		"\xFF\xFB\x90\x00":         "MP3",
		"\xFF\xF3\x44\xC4":         "MP3", // MPEG 2
		"\xFF\xE3\x44\xC4":         "MP3", // MPEG 2.5
	} {
		i := slices.IndexFunc(formats(), func(f recording.Format) bool {
			match, err := f.Match(strings.NewReader(head), []byte(head))
			if err != nil {
				t.Error(err)
			}
			return match
		})
		if i < 0 || formats()[i].Name != want {
			t.Errorf("%q is format %d, want %q", head, i, want)
		}
	}
}

// wavOf returns a WAV file of 16 bits at 8000 Hz.
func wavOf(channels, frames int) []byte {
	return []byte(decodetest.RIFF(decodetest.PCMFormat(1, channels, 8000, 16), decodetest.Chunk("data", strings.Repeat("\x00\x40", channels*frames))))
}

// TestLimits reads recordings at and beyond each limit.
func TestLimits(t *testing.T) {
	t.Parallel()
	piped := []byte(decodetest.Sized("RIFF", 0, "WAVE"+decodetest.PCMFormat(1, 1, 8000, 16)+decodetest.Sized("data", math.MaxUint32, strings.Repeat("ab", 100))))
	untold := decodetest.FLAC{Block: 50, Rate: 8000, Channels: 1, Bits: 16, Frames: []decodetest.FLACFrame{
		{Block: 50, Body: decodetest.Constants(16, 1)}, {Number: 1, Block: 50, Body: decodetest.Constants(16, 1)}}}.Bytes()
	fields := "sample_rate -i 8000\nsample_n_bytes -i 2\nsample_byte_format -s2 01\n"
	for _, tt := range []struct {
		name   string
		file   []byte
		limits recording.Limits
		code   string
	}{
		{"channels", wavOf(8, 3), recording.Limits{}, ""},
		{"more channels", wavOf(9, 3), recording.Limits{}, recording.CodeTooLarge},
		{"channels of the caller", wavOf(2, 3), recording.Limits{Channels: 2}, ""},
		{"more channels than the caller's", wavOf(3, 3), recording.Limits{Channels: 2}, recording.CodeTooLarge},
		{"rate of the caller", wavOf(1, 3), recording.Limits{SampleRate: 8000}, ""},
		{"a higher rate", wavOf(1, 3), recording.Limits{SampleRate: 7999}, recording.CodeTooLarge},
		{"frames", wavOf(2, 100), recording.Limits{Frames: 100}, ""},
		{"more frames", wavOf(2, 101), recording.Limits{Frames: 100}, recording.CodeTooLarge},
		{"frames of a pipe", piped, recording.Limits{Frames: 100}, ""},
		{"more frames of a pipe", piped, recording.Limits{Frames: 99}, recording.CodeTooLarge},
		{"frames of SPHERE", decodetest.SPHERE(fields, make([]byte, 200)), recording.Limits{Frames: 100}, ""},
		{"more frames of SPHERE", decodetest.SPHERE(fields, make([]byte, 202)), recording.Limits{Frames: 100}, recording.CodeTooLarge},
		{"frames of FLAC", untold, recording.Limits{Frames: 100}, ""},
		{"more frames of FLAC", untold, recording.Limits{Frames: 99}, recording.CodeTooLarge},
	} {
		_, got, err := decodetest.All(Open, tt.file, tt.limits, 64)
		if decodetest.Code(err) != tt.code {
			t.Errorf("%s: error %v, want %q", tt.name, err, tt.code)
		}
		if len(got) > 0 && tt.limits.Frames > 0 && int64(len(got[0])) > tt.limits.Frames {
			t.Errorf("%s: read %d samples", tt.name, len(got[0]))
		}
	}
}

// TestRead checks what every stream promises.
func TestRead(t *testing.T) {
	t.Parallel()
	flac := decodetest.FLAC{Block: 50, Rate: 8000, Channels: 2, Bits: 16, Total: 50, Frames: []decodetest.FLACFrame{{Block: 50, Layout: 1, Body: decodetest.Constants(16, 1, 2)}}}
	for name, file := range map[string][]byte{
		"wav": wavOf(2, 50), "flac": flac.Bytes(),
		"sphere": decodetest.SPHERE("sample_rate -i 8000\nchannel_count -i 2\nsample_n_bytes -i 1\nsample_coding -s4 ulaw\n", make([]byte, 100)),
	} {
		s, err := Open(bytes.NewReader(file), recording.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		plane := make([]float32, 30)
		for _, planes := range [][][]float32{nil, {plane}, {plane, plane[:29]}, {plane, plane, plane}} {
			if n, err := s.Read(planes); n != 0 || !errors.Is(err, recording.ErrPlanes) {
				t.Errorf("%s: Read of %d planes = %d, %v, want an error", name, len(planes), n, err)
			}
		}
		planes := [][]float32{make([]float32, 30), make([]float32, 30)}
		for i, want := range []int{30, 0, 20, 0, 0} {
			to := planes
			if i == 1 {
				to = [][]float32{{}, {}} // nothing is asked for
			}
			n, err := s.Read(to)
			if n != want || errors.Is(err, io.EOF) != (i > 2) || i <= 2 && err != nil {
				t.Errorf("%s: Read %d = %d, %v, want %d", name, i, n, err, want)
			}
		}
		if err := s.Close(); err != nil {
			t.Errorf("%s: Close = %v", name, err)
		}
	}
}

// TestClosed reads closed streams, of which something was left.
func TestClosed(t *testing.T) {
	t.Parallel()
	flac := decodetest.FLAC{Block: 50, Rate: 8000, Channels: 1, Bits: 16, Frames: []decodetest.FLACFrame{{Block: 50, Body: decodetest.Constants(16, 1)}}}
	for _, file := range [][]byte{wavOf(1, 50), flac.Bytes()} {
		s, err := Open(bytes.NewReader(file), recording.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		planes := [][]float32{make([]float32, 30)}
		for i, want := range []int{30, 0, 0} {
			if n, err := s.Read(planes); n != want || (n == 0) != errors.Is(err, io.EOF) {
				t.Errorf("Read %d = %d, %v, want %d", i, n, err, want)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// failing is a file that cannot be read beyond a byte.
type failing struct {
	*bytes.Reader
	from int64
}

var errDisk = errors.New("the disk is gone")

func (f failing) ReadAt(p []byte, off int64) (int, error) {
	if off+int64(len(p)) > f.from {
		n, _ := f.Reader.ReadAt(p[:max(f.from-off, 0)], off)
		return n, errDisk
	}
	return f.Reader.ReadAt(p, off)
}

// TestDiskErrors reads files that fail: that is nobody's fault but the disk's.
func TestDiskErrors(t *testing.T) {
	t.Parallel()
	untold := decodetest.FLAC{Block: 50, Rate: 8000, Channels: 1, Bits: 16, Frames: []decodetest.FLACFrame{{Block: 50, Body: decodetest.Constants(16, 1)}}, After: strings.Repeat("x", 1000)}
	for name, file := range map[string][]byte{"wav": wavOf(2, 1<<16), "flac": untold.Bytes()} {
		for _, from := range []int64{0, 44, 600} {
			s, err := Open(failing{bytes.NewReader(file), from}, recording.Limits{})
			if err == nil {
				planes := slices.Repeat([][]float32{make([]float32, 100)}, s.Info().Channels)
				for err == nil {
					_, err = s.Read(planes)
				}
			}
			if !errors.Is(err, errDisk) || fault.KindOf(err) != fault.Internal {
				t.Errorf("%s fails at byte %d: %v, want %v", name, from, err, errDisk)
			}
		}
	}
}

// TestMemory decodes ten times as much audio, which must not take more memory:
// counted is all that is allocated, so the memory held at once is no more than that.
func TestMemory(t *testing.T) { // not parallel: the count is the process's
	const frames = 20000
	for name, out := range map[string][]string{
		"wav": {"-f", "wav", "-c:a", "pcm_s24le"}, "flac": {"-f", "flac"}, "mulaw": {"-f", "wav", "-c:a", "pcm_mulaw"},
	} {
		short, long := decodetest.Made(t, 8000, 2, frames, out...), decodetest.Made(t, 8000, 2, 10*frames, out...)
		once := decodetest.Allocated(t, Open, short)
		if ten := decodetest.Allocated(t, Open, long); ten > once*3/2+1<<14 {
			t.Errorf("%s: %d samples take %d bytes, ten times as many %d", name, frames, once, ten)
		}
	}
}

// TestPiped reads what FFmpeg writes where it cannot go back to the head.
func TestPiped(t *testing.T) {
	t.Parallel()
	const frames = 10000
	for _, format := range []string{"wav", "flac"} {
		cmd := exec.CommandContext(t.Context(), "ffmpeg", "-v", "error", "-f", "f64le", "-ar", "8000", "-ac", "2", "-i", "-", "-c:a",
			map[string]string{"wav": "pcm_s16le", "flac": "flac"}[format], "-sample_fmt", "s16", "-f", format, "-")
		cmd.Stdin = bytes.NewReader(decodetest.Speech(frames, 2))
		file, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		info, got, err := decodetest.All(Open, file, recording.Limits{}, 300)
		if err != nil || info.Frames != -1 {
			t.Fatalf("%s: %+v, error %v", format, info, err)
		}
		for c, want := range decodetest.Reference(t, file, 2) {
			if !slices.Equal(got[c], want) {
				t.Errorf("%s: channel %d differs from FFmpeg's", format, c)
			}
		}
	}
}
