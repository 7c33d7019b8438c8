package decode

import (
	"bytes"
	"errors"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"vaak/internal/fault"
)

// TestOpenUnknown opens what is no recording.
func TestOpenUnknown(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, file, code string }{
		{"nothing", "", CodeBroken},
		{"one byte", "R", CodeUnsupported},
		{"text", "hello, I am no recording", CodeUnsupported},
		{"RIFF of another kind", "RIFF\x00\x00\x00\x00AVI LIST", CodeUnsupported},
		{"half of a WAV head", "RIFF\x00\x00\x00\x00WAV", CodeUnsupported},
		{"AAC in ADTS", "\xFF\xF1\x50\x80\x00\x1F\xFC", CodeUnsupported},
		{"MPEG of a reserved rate", "\xFF\xFB\x9C\x00", CodeUnsupported},
		{"MPEG of a reserved bit rate", "\xFF\xFB\xF0\x00", CodeUnsupported},
		{"MPEG of a reserved version", "\xFF\xEB\x90\x00", CodeUnsupported},
		{"gzip", "\x1F\x8B\x08\x00\x00\x00\x00\x00", CodeUnsupported},
	} {
		_, err := Open(strings.NewReader(tt.file), Limits{})
		if kind(err) != tt.code {
			t.Errorf("%s: error %v, want %q", tt.name, err, tt.code)
		}
		if tt.code == CodeUnsupported && !strings.Contains(err.Error(), "WAV (RIFF, RF64, BW64), FLAC, Ogg Opus, SPHERE (NIST_1A) and MP3") {
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
		i := slices.IndexFunc(formats(), func(f format) bool { return f.magic([]byte(head)) })
		if i < 0 || formats()[i].name != want {
			t.Errorf("%q is format %d, want %q", head, i, want)
		}
	}
}

// wavOf returns a WAV file of 16 bits at 8000 Hz.
func wavOf(channels, frames int) []byte {
	return []byte(riff(pcmFormat(1, channels, 8000, 16), chunk("data", strings.Repeat("\x00\x40", channels*frames))))
}

// TestLimits reads recordings at and beyond each limit.
func TestLimits(t *testing.T) {
	t.Parallel()
	piped := []byte(sized("RIFF", 0, "WAVE"+pcmFormat(1, 1, 8000, 16)+sized("data", math.MaxUint32, strings.Repeat("ab", 100))))
	untold := flacSpec{block: 50, rate: 8000, channels: 1, bits: 16, frames: []frameSpec{
		{block: 50, body: constants(16, 1)}, {number: 1, block: 50, body: constants(16, 1)}}}.bytes()
	fields := "sample_rate -i 8000\nsample_n_bytes -i 2\nsample_byte_format -s2 01\n"
	for _, tt := range []struct {
		name   string
		file   []byte
		limits Limits
		code   string
	}{
		{"channels", wavOf(8, 3), Limits{}, ""},
		{"more channels", wavOf(9, 3), Limits{}, CodeTooLarge},
		{"channels of the caller", wavOf(2, 3), Limits{Channels: 2}, ""},
		{"more channels than the caller's", wavOf(3, 3), Limits{Channels: 2}, CodeTooLarge},
		{"rate of the caller", wavOf(1, 3), Limits{SampleRate: 8000}, ""},
		{"a higher rate", wavOf(1, 3), Limits{SampleRate: 7999}, CodeTooLarge},
		{"frames", wavOf(2, 100), Limits{Frames: 100}, ""},
		{"more frames", wavOf(2, 101), Limits{Frames: 100}, CodeTooLarge},
		{"frames of a pipe", piped, Limits{Frames: 100}, ""},
		{"more frames of a pipe", piped, Limits{Frames: 99}, CodeTooLarge},
		{"frames of SPHERE", sphere(fields, make([]byte, 200)), Limits{Frames: 100}, ""},
		{"more frames of SPHERE", sphere(fields, make([]byte, 202)), Limits{Frames: 100}, CodeTooLarge},
		{"frames of FLAC", untold, Limits{Frames: 100}, ""},
		{"more frames of FLAC", untold, Limits{Frames: 99}, CodeTooLarge},
	} {
		_, got, err := all(tt.file, tt.limits, 64)
		if kind(err) != tt.code {
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
	flac := flacSpec{block: 50, rate: 8000, channels: 2, bits: 16, total: 50, frames: []frameSpec{{block: 50, layout: 1, body: constants(16, 1, 2)}}}
	for name, file := range map[string][]byte{
		"wav": wavOf(2, 50), "flac": flac.bytes(),
		"sphere": sphere("sample_rate -i 8000\nchannel_count -i 2\nsample_n_bytes -i 1\nsample_coding -s4 ulaw\n", make([]byte, 100)),
	} {
		s, err := Open(bytes.NewReader(file), Limits{})
		if err != nil {
			t.Fatal(err)
		}
		plane := make([]float32, 30)
		for _, planes := range [][][]float32{nil, {plane}, {plane, plane[:29]}, {plane, plane, plane}} {
			if n, err := s.Read(planes); n != 0 || !errors.Is(err, errPlanes) {
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
	flac := flacSpec{block: 50, rate: 8000, channels: 1, bits: 16, frames: []frameSpec{{block: 50, body: constants(16, 1)}}}
	for _, file := range [][]byte{wavOf(1, 50), flac.bytes()} {
		s, err := Open(bytes.NewReader(file), Limits{})
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
	untold := flacSpec{block: 50, rate: 8000, channels: 1, bits: 16, frames: []frameSpec{{block: 50, body: constants(16, 1)}}, after: strings.Repeat("x", 1000)}
	for name, file := range map[string][]byte{"wav": wavOf(2, 1<<16), "flac": untold.bytes()} {
		for _, from := range []int64{0, 44, 600} {
			s, err := Open(failing{bytes.NewReader(file), from}, Limits{})
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
		short, long := made(t, 8000, 2, frames, out...), made(t, 8000, 2, 10*frames, out...)
		once := allocated(t, short)
		if ten := allocated(t, long); ten > once*3/2+1<<14 {
			t.Errorf("%s: %d samples take %d bytes, ten times as many %d", name, frames, once, ten)
		}
	}
}

// TestMemoryOfBombs decodes frames that are small and claim to be large.
func TestMemoryOfBombs(t *testing.T) {
	s := flacSpec{block: flacMaxBlock, rate: 8000, channels: 8, bits: 16}
	for i := range 100 {
		s.frames = append(s.frames, frameSpec{number: i, block: flacMaxBlock, layout: 7, body: constants(16, 1, 2, 3, 4, 5, 6, 7, 8)})
	}
	file := s.bytes()
	if n := allocated(t, file); n > 5<<20 {
		t.Errorf("%d bytes take %d bytes of memory", len(file), n)
	}
	head := flacSpec{block: flacMaxBlock, rate: 8000, channels: 8, bits: 32, frames: []frameSpec{{block: 1, layout: 7, body: constants(32, 1, 2, 3, 4, 5, 6, 7, 8)}}}
	if n := allocated(t, head.bytes()); n > 1<<18 {
		t.Errorf("a head that claims large blocks takes %d bytes of memory", n)
	}
}

// allocated returns how many bytes are allocated while a file is decoded.
func allocated(t testing.TB, file []byte) uint64 {
	t.Helper()
	var before, after runtime.MemStats
	planes := make([][]float32, 8)
	for c := range planes {
		planes[c] = make([]float32, 512)
	}
	runtime.ReadMemStats(&before)
	s, err := Open(bytes.NewReader(file), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = s.Read(planes[:s.Info().Channels])
	}
	runtime.ReadMemStats(&after)
	if !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	return after.TotalAlloc - before.TotalAlloc
}
