package wav

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"vaak/audio/decode/decodetest"
	"vaak/audio/decode/recording"
)

// only opens this format and no other.
var only = decodetest.Only(Format())

// wavKinds are what FFmpeg writes of WAV.
var wavKinds = []struct {
	codec string
	bits  int
	out   []string
}{
	{"pcm_u8", 8, []string{"-f", "wav", "-c:a", "pcm_u8"}},
	{"pcm_s16", 16, []string{"-f", "wav", "-c:a", "pcm_s16le"}},
	{"pcm_s24", 24, []string{"-f", "wav", "-c:a", "pcm_s24le"}},
	{"pcm_s32", 32, []string{"-f", "wav", "-c:a", "pcm_s32le"}},
	{"pcm_f32", 32, []string{"-f", "wav", "-c:a", "pcm_f32le"}},
	{"pcm_f64", 64, []string{"-f", "wav", "-c:a", "pcm_f64le"}},
	{"alaw", 0, []string{"-f", "wav", "-c:a", "pcm_alaw"}},
	{"mulaw", 0, []string{"-f", "wav", "-c:a", "pcm_mulaw"}},
}

// TestWAV compares what is read of files that FFmpeg writes with what it reads of them.
func TestWAV(t *testing.T) {
	t.Parallel()
	const frames = 9001
	for _, k := range wavKinds {
		for _, channels := range []int{1, 2, 6} {
			for _, container := range []recording.Container{recording.WAV, recording.RF64} {
				if (channels != 2 || container == recording.RF64) && k.codec != "pcm_s24" {
					continue
				}
				t.Run(fmt.Sprintf("%s/%d/%s", k.codec, channels, container), func(t *testing.T) {
					t.Parallel()
					out := slices.Clone(k.out)
					if container == recording.RF64 {
						out = append(out, "-rf64", "always")
					}
					file := decodetest.Made(t, 16000, channels, frames, out...)
					info, got, err := decodetest.All(only, file, recording.Limits{}, 1000)
					if err != nil {
						t.Fatal(err)
					}
					want := recording.Info{Container: container, Codec: k.codec, SampleRate: 16000, Channels: channels, BitsPerSample: k.bits, Frames: frames}
					if info != want {
						t.Errorf("Info = %+v, want %+v", info, want)
					}
					for c, plane := range decodetest.Reference(t, file, channels) {
						if !slices.Equal(got[c], plane) {
							t.Errorf("channel %d differs from FFmpeg's", c)
						}
					}
				})
			}
		}
	}
}

// TestWAVAccepted reads files that are unusual and sound.
func TestWAVAccepted(t *testing.T) {
	t.Parallel()
	mono := decodetest.PCMFormat(1, 1, 8000, 16)
	const two = "\x00\x40\x00\xC0" // 0.5, -0.5
	plain := recording.Info{Container: recording.WAV, Codec: "pcm_s16", SampleRate: 8000, Channels: 1, BitsPerSample: 16, Frames: 2}
	with := func(change func(*recording.Info)) recording.Info { i := plain; change(&i); return i }
	piped := with(func(i *recording.Info) { i.Frames = -1 })
	in64 := with(func(i *recording.Info) { i.Container = recording.RF64 })
	for _, tt := range []struct {
		name, file string
		want       recording.Info
		samples    []float32
	}{
		{"plain", decodetest.RIFF(mono, decodetest.Chunk("data", two)), plain, []float32{.5, -.5}},
		{"unknown chunks", decodetest.RIFF(decodetest.Chunk("JUNK", "abc"), decodetest.Chunk("bext", ""), mono, decodetest.Chunk("cue ", "x"), decodetest.Chunk("data", two), decodetest.Chunk("id3 ", "y")), plain, []float32{.5, -.5}},
		{"odd chunk not filled up", decodetest.RIFF(mono, decodetest.Sized("LIST", 3, "abc"), decodetest.Chunk("data", two)), plain, []float32{.5, -.5}},
		{"the byte that fills up is counted", decodetest.RIFF(decodetest.PCMFormat(1, 1, 8000, 24), decodetest.Chunk("data", "\x00\x00\x40\x00")),
			with(func(i *recording.Info) { i.Codec, i.BitsPerSample, i.Frames = "pcm_s24", 24, 1 }), []float32{.5}},
		{"lie in RIFF", decodetest.Sized("RIFF", 1, "WAVE"+mono+decodetest.Chunk("data", two)), plain, []float32{.5, -.5}},
		{"rubbish at the end", decodetest.RIFF(mono, decodetest.Chunk("data", two)) + "rubbish rubbish", plain, []float32{.5, -.5}},
		{"empty", decodetest.RIFF(mono, decodetest.Chunk("data", "")), with(func(i *recording.Info) { i.Frames = 0 }), nil},
		{"empty with a chunk after", decodetest.RIFF(mono, decodetest.Chunk("data", ""), decodetest.Chunk("LIST", "ab")), with(func(i *recording.Info) { i.Frames = 0 }), nil},
		{"piped, all ones", decodetest.Sized("RIFF", math.MaxUint32, "WAVE"+mono+decodetest.Sized("data", math.MaxUint32, two)), piped, []float32{.5, -.5}},
		{"piped, nothing", decodetest.Sized("RIFF", 0, "WAVE"+mono+decodetest.Sized("data", 0, two)), piped, []float32{.5, -.5}},
		{"piped by sox", decodetest.Sized("RIFF", 0x7FFFF024, "WAVE"+mono+decodetest.Sized("data", 0x7FFFF000, two)), piped, []float32{.5, -.5}},
		{"RF64", decodetest.RF64(4, mono, decodetest.Sized("data", math.MaxUint32, two)), in64, []float32{.5, -.5}},
		{"BW64", "BW64" + decodetest.RF64(4, mono, decodetest.Sized("data", math.MaxUint32, two))[4:], in64, []float32{.5, -.5}},
		{"RF64 with a chunk after", decodetest.RF64(4, mono, decodetest.Sized("data", math.MaxUint32, two), decodetest.Chunk("LIST", "ab")), in64, []float32{.5, -.5}},
		{"RF64 with small sizes", decodetest.RF64(0, mono, decodetest.Chunk("data", two)), in64, []float32{.5, -.5}},
		{"RF64 piped", decodetest.RF64(0, mono, decodetest.Sized("data", math.MaxUint32, two)), with(func(i *recording.Info) { i.Container, i.Frames = recording.RF64, -1 }), []float32{.5, -.5}},
		{"RF64 piped, all ones", decodetest.RF64(math.MaxUint64, mono, decodetest.Sized("data", math.MaxUint32, two)), with(func(i *recording.Info) { i.Container, i.Frames = recording.RF64, -1 }), []float32{.5, -.5}},
		{"extensible", decodetest.RIFF(decodetest.PCMFormat(0xFFFE, 1, 8000, 16, decodetest.Extensible(16, 1)...), decodetest.Chunk("data", two)), plain, []float32{.5, -.5}},
		{"12 of 16 bits", decodetest.RIFF(decodetest.PCMFormat(0xFFFE, 1, 8000, 16, decodetest.Extensible(12, 1)...), decodetest.Chunk("data", two)),
			with(func(i *recording.Info) { i.BitsPerSample = 12 }), []float32{.5, -.5}},
		{"24 of 32 bits", decodetest.RIFF(decodetest.PCMFormat(0xFFFE, 1, 8000, 32, decodetest.Extensible(24, 1)...), decodetest.Chunk("data", "\x00\x01\x00\x40\x00\xFF\xFF\xBF")),
			with(func(i *recording.Info) { i.BitsPerSample, i.Codec = 24, "pcm_s32" }), []float32{.5 + 1.0/(1<<23), -.5 - 1.0/(1<<23)}},
		{"no valid bits told", decodetest.RIFF(decodetest.PCMFormat(0xFFFE, 1, 8000, 16, decodetest.Extensible(0, 1)...), decodetest.Chunk("data", two)), plain, []float32{.5, -.5}},
		{"20 bits", decodetest.RIFF(decodetest.PCMFormat(1, 1, 8000, 20), decodetest.Chunk("data", "\x10\x00\x40\xF0\xFF\xBF")),
			with(func(i *recording.Info) { i.BitsPerSample, i.Codec = 20, "pcm_s24" }), []float32{.5 + 1.0/(1<<19), -.5 - 1.0/(1<<19)}},
		{"extensible μ-law", decodetest.RIFF(decodetest.PCMFormat(0xFFFE, 1, 8000, 8, decodetest.Extensible(8, 7)...), decodetest.Chunk("data", "\xFF\x00")),
			with(func(i *recording.Info) { i.BitsPerSample, i.Codec = 0, "mulaw" }), []float32{0, -32124.0 / 32768}},
		{"float beyond full scale", decodetest.RIFF(decodetest.PCMFormat(3, 1, 8000, 32, 0, 0), decodetest.Chunk("data", "\x00\x00\x00\x40\x00\x00\x80\xBF")),
			with(func(i *recording.Info) { i.BitsPerSample, i.Codec = 32, "pcm_f32" }), []float32{2, -1}},
	} {
		info, got, err := decodetest.All(only, []byte(tt.file), recording.Limits{}, 1)
		if err != nil || info != tt.want || !slices.Equal(got[0], tt.samples) {
			t.Errorf("%s: %+v with %v and error %v, want %+v with %v", tt.name, info, got, err, tt.want, tt.samples)
		}
	}
}

// TestWAVRefused reads files that lie, and what is read of them before they are found out.
func TestWAVRefused(t *testing.T) {
	t.Parallel()
	mono := decodetest.PCMFormat(1, 1, 8000, 16)
	const two = "\x00\x40\x00\xC0"
	ext := func(valid, tag int) string {
		return decodetest.PCMFormat(0xFFFE, 1, 8000, 16, decodetest.Extensible(valid, tag)...)
	}
	for _, tt := range []struct {
		name, file, code, says string
		samples                int // read before
	}{
		{"missing samples", decodetest.RIFF(mono, decodetest.Sized("data", 10, two)), recording.CodeBroken, "claims 10 bytes and the file ends after 4 of them: 6 bytes", 2},
		{"half a sample", decodetest.RIFF(mono, decodetest.Chunk("data", two+"\x01")), recording.CodeBroken, "1 bytes into one of 2", 2},
		{"half a sample, piped", decodetest.Sized("RIFF", 0, "WAVE"+mono+decodetest.Sized("data", math.MaxUint32, two+"\x01")), recording.CodeBroken, "1 bytes into one of 2", 2},
		{"no fmt", decodetest.RIFF(decodetest.Chunk("data", two)), recording.CodeBroken, "before any fmt", 0},
		{"fmt after the samples", decodetest.RIFF(decodetest.Chunk("data", two), mono), recording.CodeBroken, "before any fmt", 0},
		{"no data", decodetest.RIFF(mono), recording.CodeBroken, "no data chunk", 0},
		{"nothing", decodetest.RIFF(), recording.CodeBroken, "no data chunk", 0},
		{"two fmt", decodetest.RIFF(mono, mono, decodetest.Chunk("data", two)), recording.CodeBroken, "second fmt", 0},
		{"fmt again at the end", decodetest.RIFF(mono, decodetest.Chunk("data", two), mono), recording.CodeBroken, `second chunk "fmt "`, 0},
		{"two data", decodetest.RIFF(mono, decodetest.Chunk("data", two), decodetest.Chunk("data", two)), recording.CodeBroken, `second chunk "data"`, 0},
		{"short fmt", decodetest.RIFF(decodetest.Chunk("fmt ", decodetest.FormatBody(1, 1, 8000, 16000, 2, 16)[:14]), decodetest.Chunk("data", two)), recording.CodeBroken, "has 14 bytes", 0},
		{"chunk too long", decodetest.RIFF(decodetest.Sized("LIST", 1<<30, "ab")), recording.CodeBroken, `chunk "LIST" at byte 12 claims 1073741824`, 0},
		{"too many chunks", decodetest.RIFF(strings.Repeat(decodetest.Chunk("abcd", ""), 300), mono, decodetest.Chunk("data", two)), recording.CodeBroken, "first 256 chunks", 0},
		{"no channels", decodetest.RIFF(decodetest.PCMFormat(1, 0, 8000, 16), decodetest.Chunk("data", two)), recording.CodeBroken, "0 channels", 0},
		{"many channels", decodetest.RIFF(decodetest.PCMFormat(1, 9, 8000, 16), decodetest.Chunk("data", two)), recording.CodeTooLarge, "this one has 9", 0},
		{"rate of zero", decodetest.RIFF(decodetest.PCMFormat(1, 1, 0, 16), decodetest.Chunk("data", two)), recording.CodeTooLarge, "0 Hz", 0},
		{"slow", decodetest.RIFF(decodetest.PCMFormat(1, 1, 3999, 16), decodetest.Chunk("data", two)), recording.CodeTooLarge, "3999 Hz", 0},
		{"fast", decodetest.RIFF(decodetest.PCMFormat(1, 1, 192001, 16), decodetest.Chunk("data", two)), recording.CodeTooLarge, "192001 Hz", 0},
		{"absurd rate", decodetest.RIFF(decodetest.Chunk("fmt ", decodetest.FormatBody(1, 1, math.MaxUint32, math.MaxUint32, 2, 16)), decodetest.Chunk("data", two)), recording.CodeBroken, "bytes a second", 0},
		{"align", decodetest.RIFF(decodetest.Chunk("fmt ", decodetest.FormatBody(1, 2, 8000, 32000, 2, 16)), decodetest.Chunk("data", two)), recording.CodeBroken, "2 channels of 2 bytes take 4", 0},
		{"align of zero", decodetest.RIFF(decodetest.Chunk("fmt ", decodetest.FormatBody(1, 1, 8000, 0, 0, 16)), decodetest.Chunk("data", two)), recording.CodeBroken, "take 2", 0},
		{"byte rate", decodetest.RIFF(decodetest.Chunk("fmt ", decodetest.FormatBody(1, 1, 8000, 8000, 2, 16)), decodetest.Chunk("data", two)), recording.CodeBroken, "are 16000", 0},
		{"0 bits", decodetest.RIFF(decodetest.PCMFormat(1, 1, 8000, 0), decodetest.Chunk("data", two)), recording.CodeUnsupported, "PCM with 0 bits", 0},
		{"40 bits", decodetest.RIFF(decodetest.PCMFormat(1, 1, 8000, 40), decodetest.Chunk("data", two)), recording.CodeUnsupported, "PCM with 40 bits", 0},
		{"float of 16 bits", decodetest.RIFF(decodetest.PCMFormat(3, 1, 8000, 16), decodetest.Chunk("data", two)), recording.CodeUnsupported, "float with 16 bits", 0},
		{"A-law of 16 bits", decodetest.RIFF(decodetest.PCMFormat(6, 1, 8000, 16), decodetest.Chunk("data", two)), recording.CodeUnsupported, "A-law with 16 bits", 0},
		{"ADPCM", decodetest.RIFF(decodetest.PCMFormat(0x11, 1, 8000, 4), decodetest.Chunk("data", two)), recording.CodeUnsupported, "IMA ADPCM", 0},
		{"unknown format", decodetest.RIFF(decodetest.PCMFormat(0x1234, 1, 8000, 16), decodetest.Chunk("data", two)), recording.CodeUnsupported, "format 0x1234", 0},
		{"extensible too short", decodetest.RIFF(decodetest.PCMFormat(0xFFFE, 1, 8000, 16, decodetest.Extensible(16, 1)[:20]...), decodetest.Chunk("data", two)), recording.CodeBroken, "it needs 40", 0},
		{"extensible of no number", decodetest.RIFF(strings.ReplaceAll(ext(16, 1), decodetest.GUIDTail, "ambisonic here"), decodetest.Chunk("data", two)), recording.CodeUnsupported, "is not read", 0},
		{"extensible of itself", decodetest.RIFF(ext(16, 0xFFFE), decodetest.Chunk("data", two)), recording.CodeUnsupported, "format 0xfffe", 0},
		{"17 of 16 bits", decodetest.RIFF(ext(17, 1), decodetest.Chunk("data", two)), recording.CodeBroken, "17 bits", 0},
		{"NaN", decodetest.RIFF(decodetest.PCMFormat(3, 1, 8000, 32), decodetest.Chunk("data", "\x00\x00\xC0\x7F")), recording.CodeBroken, "no finite number", 0},
		{"infinite", decodetest.RIFF(decodetest.PCMFormat(3, 1, 8000, 64), decodetest.Chunk("data", "\x00\x00\x00\x00\x00\x00\xF0\xFF")), recording.CodeBroken, "no finite number", 0},
		{"too much for float32", decodetest.RIFF(decodetest.PCMFormat(3, 1, 8000, 64), decodetest.Chunk("data", "\x00\x00\x00\x00\x00\x00\x00\x7F")), recording.CodeBroken, "no finite number", 0},
		{"RF64 without sizes", decodetest.Sized("RF64", math.MaxUint32, "WAVE"+mono+decodetest.Sized("data", math.MaxUint32, two)), recording.CodeBroken, "no ds64", 0},
		{"RF64 of 2^63 bytes", decodetest.RF64(1<<63, mono, decodetest.Sized("data", math.MaxUint32, two)), recording.CodeBroken, "9223372036854775808 bytes", 0},
		{"RF64 of 2^63-1 bytes", decodetest.RF64(1<<63-1, mono, decodetest.Sized("data", math.MaxUint32, two)), recording.CodeBroken, "are missing", 2},
		{"RF64 with sizes twice", decodetest.RF64(4, decodetest.Chunk("ds64", strings.Repeat("\x00", 28)), mono, decodetest.Sized("data", math.MaxUint32, two)), recording.CodeBroken, "ds64 chunk at byte 48", 0},
		{"RIFF with 64-bit sizes", decodetest.RIFF(decodetest.Chunk("ds64", strings.Repeat("\x00", 28)), mono, decodetest.Chunk("data", two)), recording.CodeBroken, "ds64 chunk at byte 12", 0},
	} {
		_, got, err := decodetest.All(only, []byte(tt.file), recording.Limits{}, 1)
		if decodetest.Code(err) != tt.code || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: error %q: %v, want %q: %s", tt.name, decodetest.Code(err), err, tt.code, tt.says)
		}
		if tt.samples > 0 && (len(got) == 0 || len(got[0]) != tt.samples) {
			t.Errorf("%s: read %v before, want %d samples", tt.name, got, tt.samples)
		}
	}
}

// TestWAVTruncated cuts a file at every byte.
func TestWAVTruncated(t *testing.T) {
	t.Parallel()
	file := decodetest.RIFF(decodetest.Chunk("JUNK", "abc"), decodetest.PCMFormat(0xFFFE, 2, 8000, 16, decodetest.Extensible(16, 1)...), decodetest.Chunk("data", strings.Repeat("abcd", 10)))
	for n := range file {
		_, got, err := decodetest.All(only, []byte(file[:n]), recording.Limits{}, 3)
		if code := decodetest.Code(err); code != recording.CodeBroken && code != recording.CodeUnsupported {
			t.Errorf("the first %d bytes: error %v, want a fault", n, err)
		}
		if held := max(n-(len(file)-40), 0) / 4; held > 0 && len(got[0]) != held {
			t.Errorf("the first %d bytes: %d samples, want %d", n, len(got[0]), held)
		}
	}
}

// TestG711 compares the codes with what FFmpeg reads of them.
func TestG711(t *testing.T) {
	t.Parallel()
	var codes strings.Builder
	for i := range 256 {
		codes.WriteByte(byte(i))
	}
	for _, tag := range []int{tagALaw, tagMuLaw} {
		file := []byte(decodetest.RIFF(decodetest.PCMFormat(tag, 1, 8000, 8), decodetest.Chunk("data", codes.String())))
		_, got, err := decodetest.All(only, file, recording.Limits{}, 100)
		if err != nil {
			t.Fatal(err)
		}
		if want := decodetest.Reference(t, file, 1); !slices.Equal(got[0], want[0]) {
			t.Errorf("format %d: %v, want %v", tag, got[0], want[0])
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	for _, k := range wavKinds {
		b.Run(k.codec, func(b *testing.B) { decodetest.Benchmark(b, only, decodetest.Made(b, 8000, 2, 8000*60, k.out...)) })
	}
}
