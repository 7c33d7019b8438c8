package decode

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

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
			for _, container := range []Container{WAV, RF64} {
				if (channels != 2 || container == RF64) && k.codec != "pcm_s24" {
					continue
				}
				t.Run(fmt.Sprintf("%s/%d/%s", k.codec, channels, container), func(t *testing.T) {
					t.Parallel()
					out := slices.Clone(k.out)
					if container == RF64 {
						out = append(out, "-rf64", "always")
					}
					file := made(t, 16000, channels, frames, out...)
					info, got, err := all(file, Limits{}, 1000)
					if err != nil {
						t.Fatal(err)
					}
					want := Info{Container: container, Codec: k.codec, SampleRate: 16000, Channels: channels, BitsPerSample: k.bits, Frames: frames}
					if info != want {
						t.Errorf("Info = %+v, want %+v", info, want)
					}
					for c, plane := range reference(t, file, channels) {
						if !slices.Equal(got[c], plane) {
							t.Errorf("channel %d differs from FFmpeg's", c)
						}
					}
				})
			}
		}
	}
}

// chunk returns a chunk of a WAV file with the byte that fills up an odd size.
func chunk(id, body string) string {
	return sized(id, uint32(len(body)), body) + strings.Repeat("\x00", len(body)%2)
}

// sized returns a chunk that claims a size.
func sized(id string, size uint32, body string) string {
	return id + string(binary.LittleEndian.AppendUint32(nil, size)) + body
}

// riff returns a WAV file of chunks.
func riff(chunks ...string) string { return chunk("RIFF", "WAVE"+strings.Join(chunks, "")) }

// rf64 returns a WAV file of chunks that has its sizes in one of them.
func rf64(data uint64, chunks ...string) string {
	ds64 := binary.LittleEndian.AppendUint64(nil, 999)
	ds64 = binary.LittleEndian.AppendUint64(ds64, data)
	return sized("RF64", math.MaxUint32, "WAVE"+chunk("ds64", string(ds64)+strings.Repeat("\x00", 12))+strings.Join(chunks, ""))
}

// pcmFormat returns a fmt chunk.
func pcmFormat(tag, channels, rate, bits int, more ...byte) string {
	align := channels * ((bits + 7) / 8)
	return chunk("fmt ", formatBody(tag, channels, rate, rate*align, align, bits)+string(more))
}

func formatBody(tag, channels, rate, byteRate, align, bits int) string {
	b := binary.LittleEndian.AppendUint16(nil, uint16(tag))
	b = binary.LittleEndian.AppendUint16(b, uint16(channels))
	b = binary.LittleEndian.AppendUint32(b, uint32(rate))
	b = binary.LittleEndian.AppendUint32(b, uint32(byteRate))
	b = binary.LittleEndian.AppendUint16(b, uint16(align))
	return string(binary.LittleEndian.AppendUint16(b, uint16(bits)))
}

// extensible returns what an extensible format of a number has more.
func extensible(valid, tag int) []byte {
	b := []byte{22, 0, byte(valid), byte(valid >> 8), 0, 0, 0, 0, byte(tag), byte(tag >> 8)}
	return append(b, wavGUID...)
}

// TestWAVAccepted reads files that are unusual and sound.
func TestWAVAccepted(t *testing.T) {
	t.Parallel()
	mono := pcmFormat(1, 1, 8000, 16)
	const two = "\x00\x40\x00\xC0" // 0.5, -0.5
	plain := Info{Container: WAV, Codec: "pcm_s16", SampleRate: 8000, Channels: 1, BitsPerSample: 16, Frames: 2}
	with := func(change func(*Info)) Info { i := plain; change(&i); return i }
	piped := with(func(i *Info) { i.Frames = -1 })
	in64 := with(func(i *Info) { i.Container = RF64 })
	for _, tt := range []struct {
		name, file string
		want       Info
		samples    []float32
	}{
		{"plain", riff(mono, chunk("data", two)), plain, []float32{.5, -.5}},
		{"unknown chunks", riff(chunk("JUNK", "abc"), chunk("bext", ""), mono, chunk("cue ", "x"), chunk("data", two), chunk("id3 ", "y")), plain, []float32{.5, -.5}},
		{"odd chunk not filled up", riff(mono, sized("LIST", 3, "abc"), chunk("data", two)), plain, []float32{.5, -.5}},
		{"the byte that fills up is counted", riff(pcmFormat(1, 1, 8000, 24), chunk("data", "\x00\x00\x40\x00")),
			with(func(i *Info) { i.Codec, i.BitsPerSample, i.Frames = "pcm_s24", 24, 1 }), []float32{.5}},
		{"lie in RIFF", sized("RIFF", 1, "WAVE"+mono+chunk("data", two)), plain, []float32{.5, -.5}},
		{"rubbish at the end", riff(mono, chunk("data", two)) + "rubbish rubbish", plain, []float32{.5, -.5}},
		{"empty", riff(mono, chunk("data", "")), with(func(i *Info) { i.Frames = 0 }), nil},
		{"empty with a chunk after", riff(mono, chunk("data", ""), chunk("LIST", "ab")), with(func(i *Info) { i.Frames = 0 }), nil},
		{"piped, all ones", sized("RIFF", math.MaxUint32, "WAVE"+mono+sized("data", math.MaxUint32, two)), piped, []float32{.5, -.5}},
		{"piped, nothing", sized("RIFF", 0, "WAVE"+mono+sized("data", 0, two)), piped, []float32{.5, -.5}},
		{"piped by sox", sized("RIFF", 0x7FFFF024, "WAVE"+mono+sized("data", 0x7FFFF000, two)), piped, []float32{.5, -.5}},
		{"RF64", rf64(4, mono, sized("data", math.MaxUint32, two)), in64, []float32{.5, -.5}},
		{"BW64", "BW64" + rf64(4, mono, sized("data", math.MaxUint32, two))[4:], in64, []float32{.5, -.5}},
		{"RF64 with a chunk after", rf64(4, mono, sized("data", math.MaxUint32, two), chunk("LIST", "ab")), in64, []float32{.5, -.5}},
		{"RF64 with small sizes", rf64(0, mono, chunk("data", two)), in64, []float32{.5, -.5}},
		{"RF64 piped", rf64(0, mono, sized("data", math.MaxUint32, two)), with(func(i *Info) { i.Container, i.Frames = RF64, -1 }), []float32{.5, -.5}},
		{"RF64 piped, all ones", rf64(math.MaxUint64, mono, sized("data", math.MaxUint32, two)), with(func(i *Info) { i.Container, i.Frames = RF64, -1 }), []float32{.5, -.5}},
		{"extensible", riff(pcmFormat(0xFFFE, 1, 8000, 16, extensible(16, 1)...), chunk("data", two)), plain, []float32{.5, -.5}},
		{"12 of 16 bits", riff(pcmFormat(0xFFFE, 1, 8000, 16, extensible(12, 1)...), chunk("data", two)),
			with(func(i *Info) { i.BitsPerSample = 12 }), []float32{.5, -.5}},
		{"24 of 32 bits", riff(pcmFormat(0xFFFE, 1, 8000, 32, extensible(24, 1)...), chunk("data", "\x00\x01\x00\x40\x00\xFF\xFF\xBF")),
			with(func(i *Info) { i.BitsPerSample, i.Codec = 24, "pcm_s32" }), []float32{.5 + 1.0/(1<<23), -.5 - 1.0/(1<<23)}},
		{"no valid bits told", riff(pcmFormat(0xFFFE, 1, 8000, 16, extensible(0, 1)...), chunk("data", two)), plain, []float32{.5, -.5}},
		{"20 bits", riff(pcmFormat(1, 1, 8000, 20), chunk("data", "\x10\x00\x40\xF0\xFF\xBF")),
			with(func(i *Info) { i.BitsPerSample, i.Codec = 20, "pcm_s24" }), []float32{.5 + 1.0/(1<<19), -.5 - 1.0/(1<<19)}},
		{"extensible μ-law", riff(pcmFormat(0xFFFE, 1, 8000, 8, extensible(8, 7)...), chunk("data", "\xFF\x00")),
			with(func(i *Info) { i.BitsPerSample, i.Codec = 0, "mulaw" }), []float32{0, -32124.0 / 32768}},
		{"float beyond full scale", riff(pcmFormat(3, 1, 8000, 32, 0, 0), chunk("data", "\x00\x00\x00\x40\x00\x00\x80\xBF")),
			with(func(i *Info) { i.BitsPerSample, i.Codec = 32, "pcm_f32" }), []float32{2, -1}},
	} {
		info, got, err := all([]byte(tt.file), Limits{}, 1)
		if err != nil || info != tt.want || !slices.Equal(got[0], tt.samples) {
			t.Errorf("%s: %+v with %v and error %v, want %+v with %v", tt.name, info, got, err, tt.want, tt.samples)
		}
	}
}

// TestWAVRefused reads files that lie, and what is read of them before they are found out.
func TestWAVRefused(t *testing.T) {
	t.Parallel()
	mono := pcmFormat(1, 1, 8000, 16)
	const two = "\x00\x40\x00\xC0"
	ext := func(valid, tag int) string { return pcmFormat(0xFFFE, 1, 8000, 16, extensible(valid, tag)...) }
	for _, tt := range []struct {
		name, file, code, says string
		samples                int // read before
	}{
		{"missing samples", riff(mono, sized("data", 10, two)), CodeBroken, "claims 10 bytes and the file ends after 4 of them: 6 bytes", 2},
		{"half a sample", riff(mono, chunk("data", two+"\x01")), CodeBroken, "1 bytes into one of 2", 2},
		{"half a sample, piped", sized("RIFF", 0, "WAVE"+mono+sized("data", math.MaxUint32, two+"\x01")), CodeBroken, "1 bytes into one of 2", 2},
		{"no fmt", riff(chunk("data", two)), CodeBroken, "before any fmt", 0},
		{"fmt after the samples", riff(chunk("data", two), mono), CodeBroken, "before any fmt", 0},
		{"no data", riff(mono), CodeBroken, "no data chunk", 0},
		{"nothing", riff(), CodeBroken, "no data chunk", 0},
		{"two fmt", riff(mono, mono, chunk("data", two)), CodeBroken, "second fmt", 0},
		{"fmt again at the end", riff(mono, chunk("data", two), mono), CodeBroken, `second chunk "fmt "`, 0},
		{"two data", riff(mono, chunk("data", two), chunk("data", two)), CodeBroken, `second chunk "data"`, 0},
		{"short fmt", riff(chunk("fmt ", formatBody(1, 1, 8000, 16000, 2, 16)[:14]), chunk("data", two)), CodeBroken, "has 14 bytes", 0},
		{"chunk too long", riff(sized("LIST", 1<<30, "ab")), CodeBroken, `chunk "LIST" at byte 12 claims 1073741824`, 0},
		{"too many chunks", riff(strings.Repeat(chunk("abcd", ""), 300), mono, chunk("data", two)), CodeBroken, "first 256 chunks", 0},
		{"no channels", riff(pcmFormat(1, 0, 8000, 16), chunk("data", two)), CodeBroken, "0 channels", 0},
		{"many channels", riff(pcmFormat(1, 9, 8000, 16), chunk("data", two)), CodeTooLarge, "this one has 9", 0},
		{"rate of zero", riff(pcmFormat(1, 1, 0, 16), chunk("data", two)), CodeTooLarge, "0 Hz", 0},
		{"slow", riff(pcmFormat(1, 1, 3999, 16), chunk("data", two)), CodeTooLarge, "3999 Hz", 0},
		{"fast", riff(pcmFormat(1, 1, 192001, 16), chunk("data", two)), CodeTooLarge, "192001 Hz", 0},
		{"absurd rate", riff(chunk("fmt ", formatBody(1, 1, math.MaxUint32, math.MaxUint32, 2, 16)), chunk("data", two)), CodeBroken, "bytes a second", 0},
		{"align", riff(chunk("fmt ", formatBody(1, 2, 8000, 32000, 2, 16)), chunk("data", two)), CodeBroken, "2 channels of 2 bytes take 4", 0},
		{"align of zero", riff(chunk("fmt ", formatBody(1, 1, 8000, 0, 0, 16)), chunk("data", two)), CodeBroken, "take 2", 0},
		{"byte rate", riff(chunk("fmt ", formatBody(1, 1, 8000, 8000, 2, 16)), chunk("data", two)), CodeBroken, "are 16000", 0},
		{"0 bits", riff(pcmFormat(1, 1, 8000, 0), chunk("data", two)), CodeUnsupported, "PCM with 0 bits", 0},
		{"40 bits", riff(pcmFormat(1, 1, 8000, 40), chunk("data", two)), CodeUnsupported, "PCM with 40 bits", 0},
		{"float of 16 bits", riff(pcmFormat(3, 1, 8000, 16), chunk("data", two)), CodeUnsupported, "float with 16 bits", 0},
		{"A-law of 16 bits", riff(pcmFormat(6, 1, 8000, 16), chunk("data", two)), CodeUnsupported, "A-law with 16 bits", 0},
		{"ADPCM", riff(pcmFormat(0x11, 1, 8000, 4), chunk("data", two)), CodeUnsupported, "IMA ADPCM", 0},
		{"unknown format", riff(pcmFormat(0x1234, 1, 8000, 16), chunk("data", two)), CodeUnsupported, "format 0x1234", 0},
		{"extensible too short", riff(pcmFormat(0xFFFE, 1, 8000, 16, extensible(16, 1)[:20]...), chunk("data", two)), CodeBroken, "it needs 40", 0},
		{"extensible of no number", riff(strings.ReplaceAll(ext(16, 1), wavGUID, "ambisonic here"), chunk("data", two)), CodeUnsupported, "is not read", 0},
		{"extensible of itself", riff(ext(16, 0xFFFE), chunk("data", two)), CodeUnsupported, "format 0xfffe", 0},
		{"17 of 16 bits", riff(ext(17, 1), chunk("data", two)), CodeBroken, "17 bits", 0},
		{"NaN", riff(pcmFormat(3, 1, 8000, 32), chunk("data", "\x00\x00\xC0\x7F")), CodeBroken, "no finite number", 0},
		{"infinite", riff(pcmFormat(3, 1, 8000, 64), chunk("data", "\x00\x00\x00\x00\x00\x00\xF0\xFF")), CodeBroken, "no finite number", 0},
		{"too much for float32", riff(pcmFormat(3, 1, 8000, 64), chunk("data", "\x00\x00\x00\x00\x00\x00\x00\x7F")), CodeBroken, "no finite number", 0},
		{"RF64 without sizes", sized("RF64", math.MaxUint32, "WAVE"+mono+sized("data", math.MaxUint32, two)), CodeBroken, "no ds64", 0},
		{"RF64 of 2^63 bytes", rf64(1<<63, mono, sized("data", math.MaxUint32, two)), CodeBroken, "9223372036854775808 bytes", 0},
		{"RF64 of 2^63-1 bytes", rf64(1<<63-1, mono, sized("data", math.MaxUint32, two)), CodeBroken, "are missing", 2},
		{"RF64 with sizes twice", rf64(4, chunk("ds64", strings.Repeat("\x00", 28)), mono, sized("data", math.MaxUint32, two)), CodeBroken, "ds64 chunk at byte 48", 0},
		{"RIFF with 64-bit sizes", riff(chunk("ds64", strings.Repeat("\x00", 28)), mono, chunk("data", two)), CodeBroken, "ds64 chunk at byte 12", 0},
	} {
		_, got, err := all([]byte(tt.file), Limits{}, 1)
		if kind(err) != tt.code || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: error %q: %v, want %q: %s", tt.name, kind(err), err, tt.code, tt.says)
		}
		if tt.samples > 0 && (len(got) == 0 || len(got[0]) != tt.samples) {
			t.Errorf("%s: read %v before, want %d samples", tt.name, got, tt.samples)
		}
	}
}

// TestWAVTruncated cuts a file at every byte.
func TestWAVTruncated(t *testing.T) {
	t.Parallel()
	file := riff(chunk("JUNK", "abc"), pcmFormat(0xFFFE, 2, 8000, 16, extensible(16, 1)...), chunk("data", strings.Repeat("abcd", 10)))
	for n := range file {
		_, got, err := all([]byte(file[:n]), Limits{}, 3)
		if code := kind(err); code != CodeBroken && code != CodeUnsupported {
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
	for _, tag := range []int{wavALaw, wavMuLaw} {
		file := []byte(riff(pcmFormat(tag, 1, 8000, 8), chunk("data", codes.String())))
		_, got, err := all(file, Limits{}, 100)
		if err != nil {
			t.Fatal(err)
		}
		if want := reference(t, file, 1); !slices.Equal(got[0], want[0]) {
			t.Errorf("format %d: %v, want %v", tag, got[0], want[0])
		}
	}
}
