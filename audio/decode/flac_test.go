package decode

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"vaak/internal/fault"
)

// flacKinds are what FFmpeg writes of FLAC.
var flacKinds = []struct {
	name string
	bits int
	out  []string
}{
	{"16", 16, []string{"-f", "flac", "-sample_fmt", "s16"}},
	{"16 fast", 16, []string{"-f", "flac", "-sample_fmt", "s16", "-compression_level", "0"}},
	{"16 best", 16, []string{"-f", "flac", "-sample_fmt", "s16", "-compression_level", "12", "-lpc_passes", "4"}},
	{"16 of long predictors", 16, []string{"-f", "flac", "-sample_fmt", "s16", "-min_prediction_order", "20", "-max_prediction_order", "32"}},
	{"24", 24, []string{"-f", "flac", "-sample_fmt", "s32", "-strict", "experimental"}},
}

// TestFLAC compares what is read of files that FFmpeg writes with what it reads of them.
func TestFLAC(t *testing.T) {
	t.Parallel()
	const frames = 20001
	for _, k := range flacKinds {
		for _, channels := range []int{1, 2, 8} {
			if channels != 2 && k.name != "24" {
				continue
			}
			t.Run(fmt.Sprint(k.name, "/", channels), func(t *testing.T) {
				t.Parallel()
				file := made(t, 8000, channels, frames, k.out...)
				info, got, err := all(file, Limits{}, 1000)
				if err != nil {
					t.Fatal(err)
				}
				want := Info{Container: FLAC, Codec: "flac", SampleRate: 8000, Channels: channels, BitsPerSample: k.bits, Frames: frames}
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

// TestFLACBits reads files of every number of bits of another encoder, which
// writes an MD5 too.
func TestFLACBits(t *testing.T) {
	t.Parallel()
	for _, bits := range []int{8, 12, 16, 20, 24} {
		for channels := 1; channels <= 8; channels++ {
			random := rand.New(rand.NewPCG(uint64(bits), uint64(channels)))
			planes, want := make([][]int32, channels), make([][]float32, channels)
			for c := range planes {
				for range 2345 {
					v := int32(random.Uint32()) >> (32 - bits)
					planes[c] = append(planes[c], v)
					want[c] = append(want[c], float32(v)/float32(int(1)<<(bits-1)))
				}
			}
			info, got, err := all(encodeFLAC(t, bits, planes), Limits{}, 700)
			if err != nil || info.BitsPerSample != bits || info.Frames != 2345 {
				t.Errorf("%d bits, %d channels: %+v, error %v", bits, channels, info, err)
			}
			for c := range got {
				if !slices.Equal(got[c], want[c]) {
					t.Errorf("%d bits, %d channels: channel %d differs", bits, channels, c)
				}
			}
		}
	}
}

// flacMono is a file of one block of 16 samples in one channel.
func flacMono(body func(*bitWriter)) flacSpec {
	return flacSpec{block: 16, rate: 8000, channels: 1, bits: 16, frames: []frameSpec{{block: 16, bits: 4, body: body}}}
}

// steps returns n numbers, each the one before and a step.
func steps(n, from, step int) []int64 {
	var s []int64
	for i := range n {
		s = append(s, int64(from+i*step))
	}
	return s
}

// flacSubframes are what encoders write seldom.
var flacSubframes = []struct {
	name string
	body func(w *bitWriter)
	want []int64
}{
	{"constant", constants(16, -5), steps(16, -5, 0)},
	{"unused bits", func(w *bitWriter) { w.put(1, 8).unary(2).put(-7, 13) }, steps(16, -56, 0)},
	{"verbatim", func(w *bitWriter) {
		w.put(1<<1, 8)
		for _, v := range steps(16, -8, 1) {
			w.put(v, 16)
		}
	}, steps(16, -8, 1)},
	{"fixed of order 0 as it is", func(w *bitWriter) {
		w.put(8<<1, 8).put(0, 2).put(0, 4).put(15, 4).put(5, 5)
		for _, v := range steps(16, -16, 2) {
			w.put(v, 5)
		}
	}, steps(16, -16, 2)},
	{"fixed of order 1 and nothing left", func(w *bitWriter) {
		w.put(9<<1, 8).put(9, 16).put(0, 2).put(0, 4).put(15, 4).put(0, 5)
	}, steps(16, 9, 0)},
	{"fixed of order 2 in parts", func(w *bitWriter) {
		w.put(10<<1, 8).put(10, 16).put(13, 16).put(0, 2).put(2, 4) // parts of 2, 4, 4 and 4
		for i, n := range []int{2, 4, 4, 4} {
			w.put(int64(i), 4)
			for range n {
				w.unary(0).put(0, uint(i))
			}
		}
	}, steps(16, 10, 3)},
	{"five bits of a parameter", func(w *bitWriter) {
		w.put(9<<1, 8).put(0, 16).put(1, 2).put(0, 4).put(20, 5)
		for range 15 {
			w.unary(0).put(2, 20)
		}
	}, steps(16, 0, 1)},
	{"many zeros", func(w *bitWriter) {
		w.put(9<<1, 8).put(0, 16).put(0, 2).put(0, 4).put(0, 4)
		for i := range 15 {
			w.unary([]int{1999, 2000}[i%2])
		}
	}, []int64{0, -1000, 0, -1000, 0, -1000, 0, -1000, 0, -1000, 0, -1000, 0, -1000, 0, -1000}},
	{"linear", func(w *bitWriter) { // 3/2 of the last, less 1/2 of the one before
		w.put((32+1)<<1, 8).put(100, 16).put(200, 16).put(3, 4).put(1, 5).put(3, 4).put(-1, 4).put(0, 2).put(0, 4).put(15, 4).put(0, 5)
	}, []int64{100, 200, 250, 275, 287, 293, 296, 297, 297, 297, 297, 297, 297, 297, 297, 297}},
}

func TestFLACSubframes(t *testing.T) {
	t.Parallel()
	for _, tt := range flacSubframes {
		_, got, err := all(flacMono(tt.body).bytes(), Limits{}, 5)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		for i, v := range tt.want {
			if i >= len(got[0]) || got[0][i] != float32(v)/0x8000 {
				t.Errorf("%s: %v, want %v / 32768", tt.name, got[0], tt.want)
				break
			}
		}
	}
}

// TestFLACTwoChannels reads two channels in all the ways that they are written, of
// 32 bits, so that a difference has 33.
func TestFLACTwoChannels(t *testing.T) {
	t.Parallel()
	const left, right = 1<<31 - 1, -1 << 31
	for layout, values := range map[int][2]int64{
		1:             {left, right},
		flacLeftSide:  {left, left - right},
		flacSideRight: {left - right, right},
		flacMidSide:   {(left + right) >> 1, left - right},
	} {
		body := func(w *bitWriter) {
			for c, v := range values {
				bits := uint(32)
				if c == 1 && (layout == flacLeftSide || layout == flacMidSide) || c == 0 && layout == flacSideRight {
					bits++
				}
				w.put(1<<1, 8)
				for range 16 {
					w.put(v, bits)
				}
			}
		}
		s := flacSpec{block: 16, rate: 48000, channels: 2, bits: 32, total: 16, frames: []frameSpec{{block: 16, layout: layout, bits: 7, body: body}}}
		_, got, err := all(s.bytes(), Limits{}, 16)
		if err != nil || got[0][3] != 1 || got[1][3] != -1 {
			t.Errorf("layout %d: %v, error %v, want 1 and -1", layout, got, err)
		}
	}
}

// TestFLACAccepted reads files with more or less around their frames.
func TestFLACAccepted(t *testing.T) {
	t.Parallel()
	one := flacMono(constants(16, 3))
	with := func(change func(*flacSpec)) []byte { s := one; change(&s); return s.bytes() }
	for name, file := range map[string][]byte{
		"metadata":                   with(func(s *flacSpec) { s.metadata = "\x04\x00\x00\x02ab\x7E\x00\x00\x00\x81\x00\x00\x03\x00\x00\x00" }),
		"ID3 before":                 append([]byte("ID3\x04\x00\x00\x00\x00\x04\x00"+strings.Repeat("x", 512)), one.bytes()...),
		"ID3v1 after, no total":      with(func(s *flacSpec) { s.after = "TAG" + strings.Repeat("x", 125) }),
		"rubbish after the total":    with(func(s *flacSpec) { s.total, s.after = 16, "rubbish" }),
		"begins with another number": with(func(s *flacSpec) { s.frames = []frameSpec{{number: 7, block: 16, body: constants(16, 3)}} }),
		"a rate of its own, in kHz":  with(func(s *flacSpec) { s.frames = []frameSpec{{block: 16, rate: 4, body: constants(16, 3)}} }),
		"two of different sizes": with(func(s *flacSpec) {
			s.total, s.frames = 16, []frameSpec{{variable: true, block: 6, body: constants(16, 3)}, {variable: true, number: 6, block: 10, body: constants(16, 3)}}
		}),
	} {
		_, got, err := all(file, Limits{}, 100)
		if err != nil || len(got[0]) != 16 || got[0][15] != 3.0/0x8000 {
			t.Errorf("%s: %v, error %v, want 16 times 3", name, got, err)
		}
	}
}

// TestFLACRefused reads files that lie, and what is read of them before they are found out.
func TestFLACRefused(t *testing.T) {
	t.Parallel()
	one := frameSpec{block: 16, body: constants(16, 3)}
	file := func(change func(*flacSpec)) []byte {
		s := flacMono(constants(16, 3))
		change(&s)
		return s.bytes()
	}
	second := func(change func(*frameSpec)) []byte {
		return file(func(s *flacSpec) {
			f := one
			f.number = 1
			change(&f)
			s.frames = append(s.frames, f)
		})
	}
	for _, tt := range []struct {
		name, code, says string
		file             []byte
		samples          int // read before
	}{
		{"total too high", CodeBroken, "8016 samples in a channel and the file ends after 16 of them: 1.000 s", file(func(s *flacSpec) { s.total = 8016 }), 16},
		{"total too low", CodeBroken, "15 samples in a channel, and the file holds more", file(func(s *flacSpec) { s.total = 15 }), 0},
		{"another frame after the total", CodeBroken, "number 0; 1 should", file(func(s *flacSpec) { s.total, s.frames = 16, append(s.frames, one) }), 16},
		{"total beyond the limits", CodeTooLarge, "86400.0 s", file(func(s *flacSpec) { s.total = 1 << 35 }), 0},
		{"MD5", CodeBroken, "MD5", file(func(s *flacSpec) { s.md5[3] = 1 }), 16},
		{"rubbish after", CodeBroken, "frame 2, at 0.002 s and byte 55: no frame begins here", file(func(s *flacSpec) { s.after = "rubbish" }), 16},
		{"rate changes", CodeBroken, "from 8000 to 16000", second(func(f *frameSpec) { f.rate = 5 }), 16},
		{"channels change", CodeBroken, "from 1 to 2", second(func(f *frameSpec) { f.layout, f.body = 1, constants(16, 1, 2) }), 16},
		{"bits change", CodeBroken, "from 16 to 24", second(func(f *frameSpec) { f.bits = 6 }), 16},
		{"number skipped", CodeBroken, "number 2; 1 should", second(func(f *frameSpec) { f.number = 2 }), 16},
		{"sample skipped", CodeBroken, "number 17; 16 should", second(func(f *frameSpec) { f.number, f.variable = 17, true }), 16},
		{"larger block", CodeBroken, "17 samples; the head says 16", second(func(f *frameSpec) { f.block = 17 }), 16},
		{"block of 65536", CodeBroken, "65536 samples; the head says 16", second(func(f *frameSpec) { f.block = 65536 }), 16},
		{"no subframes", CodeBroken, "frame 2, at 0.002 s", second(func(f *frameSpec) { f.body = nil }), 16},
		{"reserved rate", CodeBroken, "reserved values", second(func(f *frameSpec) { f.rate = 15 }), 16},
		{"reserved bits", CodeBroken, "reserved values", second(func(f *frameSpec) { f.bits = 3 }), 16},
		{"reserved layout", CodeBroken, "reserved values", second(func(f *frameSpec) { f.layout = 11 }), 16},
		{"no number", CodeBroken, "has no number", second(func(f *frameSpec) { f.number = -1 }), 16},
		{"no STREAMINFO", CodeBroken, "begins with STREAMINFO", []byte("fLaC\x84\x00\x00\x22" + strings.Repeat("x", 34)), 0},
		{"second STREAMINFO", CodeBroken, "type 0", file(func(s *flacSpec) { s.metadata = "\x80\x00\x00\x02ab" }), 0},
		{"metadata without end", CodeBroken, "the metadata claims to end", file(func(s *flacSpec) { s.metadata = "\x04\xFF\xFF\xFFab" }), 0},
		{"metadata of many blocks", CodeBroken, "more than 512 blocks", file(func(s *flacSpec) { s.metadata = strings.Repeat("\x01\x00\x00\x00", 600) }), 0},
		{"small blocks", CodeBroken, "16 to 15 samples", file(func(s *flacSpec) { s.block = 15 }), 0},
		{"few bits", CodeBroken, "3 bits", file(func(s *flacSpec) { s.bits = 3 }), 0},
		{"slow", CodeTooLarge, "3999 Hz", file(func(s *flacSpec) { s.rate = 3999 }), 0},
		{"rate of zero", CodeTooLarge, "0 Hz", file(func(s *flacSpec) { s.rate = 0 }), 0},
	} {
		_, got, err := all(tt.file, Limits{}, 7)
		if kind(err) != tt.code || tt.code != "" && !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: error %q: %v, want %q: %s", tt.name, kind(err), err, tt.code, tt.says)
		}
		if tt.samples > 0 && (len(got) == 0 || len(got[0]) != tt.samples) {
			t.Errorf("%s: read %v before, want %d samples", tt.name, got, tt.samples)
		}
	}
}

// TestFLACBadSubframes reads subframes that cannot be.
func TestFLACBadSubframes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, says string
		body       func(w *bitWriter)
	}{
		{"reserved subframe", "reserved type 2", func(w *bitWriter) { w.put(2<<1, 8) }},
		{"subframe begins with one", "begin with a zero", func(w *bitWriter) { w.put(0x80, 8) }},
		{"all bits unused", "16 of 16 bits", func(w *bitWriter) { w.put(1, 8).unary(15) }},
		{"zeros without end", "more than 32 bits of zero", func(w *bitWriter) { w.put(1, 8).put(0, 60).put(0, 60) }},
		{"reserved residual", "reserved way 2", func(w *bitWriter) { w.put(8<<1, 8).put(2, 2) }},
		{"parts do not fit", "into 32 parts", func(w *bitWriter) { w.put(8<<1, 8).put(0, 2).put(5, 4) }},
		{"order beyond a part", "into 8 parts", func(w *bitWriter) { w.put(12<<1, 8).put(0, 64).put(0, 2).put(3, 4) }},
		{"order beyond the block", "predictor of 32 samples is used for 16", func(w *bitWriter) { w.put(63<<1, 8) }},
		{"shift below zero", "shift -1", func(w *bitWriter) { w.put(32<<1, 8).put(0, 16).put(3, 4).put(-1, 5).put(0, 64) }},
		{"reserved precision", "precision 16", func(w *bitWriter) { w.put(32<<1, 8).put(0, 16).put(15, 4).put(0, 5).put(0, 64) }},
		{"predicted out of range", "more than 16 bits", func(w *bitWriter) {
			w.put(10<<1, 8).put(0, 16).put(30000, 16).put(0, 2).put(0, 4).put(15, 4).put(0, 5)
		}},
	} {
		_, _, err := all(flacMono(tt.body).bytes(), Limits{}, 7)
		if kind(err) != CodeBroken || !strings.Contains(err.Error(), "frame 1, at 0.000 s") || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: error %v, want one of frame 1 that says %q", tt.name, err, tt.says)
		}
	}
}

// TestFLACFrameHeads reads frames of all ways to write their number, size and rate.
func TestFLACFrameHeads(t *testing.T) {
	t.Parallel()
	for _, number := range []int{0, 1, 126, 127, 2046, 2047, 65534, 65535, 1<<20 - 1} {
		s := flacMono(nil)
		s.frames = []frameSpec{{number: number, block: 16, body: constants(16, 3)}, {number: number + 1, block: 16, body: constants(16, 3)}}
		if _, got, err := all(s.bytes(), Limits{}, 100); err != nil || len(got[0]) != 32 {
			t.Errorf("frames %d and %d: %d samples, error %v", number, number+1, len(got[0]), err)
		}
	}
	for _, tt := range []struct {
		code byte
		rest string
		rate int
	}{
		{0, "", 12345}, {1, "", 88200}, {2, "", 176400}, {3, "", 192000}, {4, "", 8000}, {5, "", 16000}, {6, "", 22050},
		{7, "", 24000}, {8, "", 32000}, {9, "", 44100}, {10, "", 48000}, {11, "", 96000}, {12, "\x0C", 12000},
		{13, "\x27\x0F", 9999}, {14, "\x11\x3A", 44100},
	} {
		s := flacMono(nil)
		s.rate, s.frames = tt.rate, []frameSpec{{block: 16, rate: tt.code, rest: tt.rest, body: constants(16, 3)}}
		if info, got, err := all(s.bytes(), Limits{}, 100); err != nil || len(got[0]) != 16 || info.SampleRate != tt.rate {
			t.Errorf("code %d: %+v, %v, error %v, want %d Hz", tt.code, info, got, err, tt.rate)
		}
	}
	for code, want := range map[byte]int{1: 192, 2: 576, 3: 1152, 4: 2304, 5: 4608, 6: 8, 7: 0x70C, 8: 256, 15: 32768} {
		if n, _ := flacBlockSize(code, []byte{7, 11}); n != want {
			t.Errorf("flacBlockSize(%d) = %d, want %d", code, n, want)
		}
	}
	for _, b := range []string{"\x80\x80", "\xC2", "\xC2\x41", "\xFF\x80\x80\x80\x80\x80\x80\x80"} {
		if n, used := flacNumber([]byte(b)); used != 0 {
			t.Errorf("flacNumber(%q) = %d of %d bytes, want none", b, n, used)
		}
	}
	if n, used := flacNumber([]byte("\xFE\xBF\xBF\xBF\xBF\xBF\xBF")); n != 1<<36-1 || used != 7 {
		t.Errorf("the highest number is %d of %d bytes", n, used)
	}
}

// TestFLACDamage cuts a file at every byte, and changes every byte of its frames:
// each must be found out.
func TestFLACDamage(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 6))
	plane := make([]int32, 2500)
	for i := range plane {
		plane[i] = int32(random.IntN(200) - 100 + i)
	}
	file := encodeFLAC(t, 16, [][]int32{plane[:1200]})
	head, err := readFLACHead(bytes.NewReader(file), 0, int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	for n := range file {
		if _, _, err := all(file[:n], Limits{}, 512); fault.KindOf(err) != fault.Unprocessable && fault.KindOf(err) != fault.Unsupported {
			t.Errorf("the first %d bytes: error %v, want a fault", n, err)
		}
		if int64(n) < head.frames {
			continue
		}
		damaged := bytes.Clone(file)
		damaged[n] ^= 1 << (n % 8)
		if _, _, err := all(damaged, Limits{}, 512); kind(err) != CodeBroken {
			t.Errorf("byte %d changed: error %v, want a fault", n, err)
		}
	}
}
