package flac

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"vaak/audio/decode/decodetest"
	"vaak/audio/decode/recording"
	"vaak/internal/fault"
)

// only opens this format and no other.
var only = decodetest.Only(Format())

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
				file := decodetest.Made(t, 8000, channels, frames, k.out...)
				info, got, err := decodetest.All(only, file, recording.Limits{}, 1000)
				if err != nil {
					t.Fatal(err)
				}
				want := recording.Info{Container: recording.FLAC, Codec: "flac", SampleRate: 8000, Channels: channels, BitsPerSample: k.bits, Frames: frames}
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
			info, got, err := decodetest.All(only, encodeFLAC(t, bits, planes), recording.Limits{}, 700)
			if err != nil || info.BitsPerSample != bits || info.Frames != 2345 {
				t.Errorf("%d bits, %d Channels: %+v, error %v", bits, channels, info, err)
			}
			for c := range got {
				if !slices.Equal(got[c], want[c]) {
					t.Errorf("%d bits, %d Channels: channel %d differs", bits, channels, c)
				}
			}
		}
	}
}

// flacMono is a file of one block of 16 samples in one channel.
func flacMono(body func(*decodetest.BitWriter)) decodetest.FLAC {
	return decodetest.FLAC{Block: 16, Rate: 8000, Channels: 1, Bits: 16, Frames: []decodetest.FLACFrame{{Block: 16, Bits: 4, Body: body}}}
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
	body func(w *decodetest.BitWriter)
	want []int64
}{
	{"constant", decodetest.Constants(16, -5), steps(16, -5, 0)},
	{"unused bits", func(w *decodetest.BitWriter) { w.Put(1, 8).Unary(2).Put(-7, 13) }, steps(16, -56, 0)},
	{"verbatim", func(w *decodetest.BitWriter) {
		w.Put(1<<1, 8)
		for _, v := range steps(16, -8, 1) {
			w.Put(v, 16)
		}
	}, steps(16, -8, 1)},
	{"fixed of order 0 as it is", func(w *decodetest.BitWriter) {
		w.Put(8<<1, 8).Put(0, 2).Put(0, 4).Put(15, 4).Put(5, 5)
		for _, v := range steps(16, -16, 2) {
			w.Put(v, 5)
		}
	}, steps(16, -16, 2)},
	{"fixed of order 1 and nothing left", func(w *decodetest.BitWriter) {
		w.Put(9<<1, 8).Put(9, 16).Put(0, 2).Put(0, 4).Put(15, 4).Put(0, 5)
	}, steps(16, 9, 0)},
	{"fixed of order 2 in parts", func(w *decodetest.BitWriter) {
		w.Put(10<<1, 8).Put(10, 16).Put(13, 16).Put(0, 2).Put(2, 4) // parts of 2, 4, 4 and 4
		for i, n := range []int{2, 4, 4, 4} {
			w.Put(int64(i), 4)
			for range n {
				w.Unary(0).Put(0, uint(i))
			}
		}
	}, steps(16, 10, 3)},
	{"five bits of a parameter", func(w *decodetest.BitWriter) {
		w.Put(9<<1, 8).Put(0, 16).Put(1, 2).Put(0, 4).Put(20, 5)
		for range 15 {
			w.Unary(0).Put(2, 20)
		}
	}, steps(16, 0, 1)},
	{"many zeros", func(w *decodetest.BitWriter) {
		w.Put(9<<1, 8).Put(0, 16).Put(0, 2).Put(0, 4).Put(0, 4)
		for i := range 15 {
			w.Unary([]int{1999, 2000}[i%2])
		}
	}, []int64{0, -1000, 0, -1000, 0, -1000, 0, -1000, 0, -1000, 0, -1000, 0, -1000, 0, -1000}},
	{"linear", func(w *decodetest.BitWriter) { // 3/2 of the last, less 1/2 of the one before
		w.Put((32+1)<<1, 8).Put(100, 16).Put(200, 16).Put(3, 4).Put(1, 5).Put(3, 4).Put(-1, 4).Put(0, 2).Put(0, 4).Put(15, 4).Put(0, 5)
	}, []int64{100, 200, 250, 275, 287, 293, 296, 297, 297, 297, 297, 297, 297, 297, 297, 297}},
}

func TestFLACSubframes(t *testing.T) {
	t.Parallel()
	for _, tt := range flacSubframes {
		_, got, err := decodetest.All(only, flacMono(tt.body).Bytes(), recording.Limits{}, 5)
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
		1:         {left, right},
		leftSide:  {left, left - right},
		sideRight: {left - right, right},
		midSide:   {(left + right) >> 1, left - right},
	} {
		body := func(w *decodetest.BitWriter) {
			for c, v := range values {
				bits := uint(32)
				if c == 1 && (layout == leftSide || layout == midSide) || c == 0 && layout == sideRight {
					bits++
				}
				w.Put(1<<1, 8)
				for range 16 {
					w.Put(v, bits)
				}
			}
		}
		s := decodetest.FLAC{Block: 16, Rate: 48000, Channels: 2, Bits: 32, Total: 16, Frames: []decodetest.FLACFrame{{Block: 16, Layout: layout, Bits: 7, Body: body}}}
		_, got, err := decodetest.All(only, s.Bytes(), recording.Limits{}, 16)
		if err != nil || got[0][3] != 1 || got[1][3] != -1 {
			t.Errorf("layout %d: %v, error %v, want 1 and -1", layout, got, err)
		}
	}
}

// TestFLACAccepted reads files with more or less around their frames.
func TestFLACAccepted(t *testing.T) {
	t.Parallel()
	one := flacMono(decodetest.Constants(16, 3))
	with := func(change func(*decodetest.FLAC)) []byte { s := one; change(&s); return s.Bytes() }
	for name, file := range map[string][]byte{
		"metadata": with(func(s *decodetest.FLAC) {
			s.Metadata = "\x04\x00\x00\x02ab\x7E\x00\x00\x00\x81\x00\x00\x03\x00\x00\x00"
		}),
		"ID3 before":              append([]byte("ID3\x04\x00\x00\x00\x00\x04\x00"+strings.Repeat("x", 512)), one.Bytes()...),
		"ID3v1 after, no total":   with(func(s *decodetest.FLAC) { s.After = "TAG" + strings.Repeat("x", 125) }),
		"rubbish after the total": with(func(s *decodetest.FLAC) { s.Total, s.After = 16, "rubbish" }),
		"begins with another number": with(func(s *decodetest.FLAC) {
			s.Frames = []decodetest.FLACFrame{{Number: 7, Block: 16, Body: decodetest.Constants(16, 3)}}
		}),
		"a rate of its own, in kHz": with(func(s *decodetest.FLAC) {
			s.Frames = []decodetest.FLACFrame{{Block: 16, Rate: 4, Body: decodetest.Constants(16, 3)}}
		}),
		"two of different sizes": with(func(s *decodetest.FLAC) {
			s.Total, s.Frames = 16, []decodetest.FLACFrame{{Variable: true, Block: 6, Body: decodetest.Constants(16, 3)}, {Variable: true, Number: 6, Block: 10, Body: decodetest.Constants(16, 3)}}
		}),
	} {
		_, got, err := decodetest.All(only, file, recording.Limits{}, 100)
		if err != nil || len(got[0]) != 16 || got[0][15] != 3.0/0x8000 {
			t.Errorf("%s: %v, error %v, want 16 times 3", name, got, err)
		}
	}
}

// TestFLACRefused reads files that lie, and what is read of them before they are found out.
func TestFLACRefused(t *testing.T) {
	t.Parallel()
	one := decodetest.FLACFrame{Block: 16, Body: decodetest.Constants(16, 3)}
	file := func(change func(*decodetest.FLAC)) []byte {
		s := flacMono(decodetest.Constants(16, 3))
		change(&s)
		return s.Bytes()
	}
	second := func(change func(*decodetest.FLACFrame)) []byte {
		return file(func(s *decodetest.FLAC) {
			f := one
			f.Number = 1
			change(&f)
			s.Frames = append(s.Frames, f)
		})
	}
	for _, tt := range []struct {
		name, code, says string
		file             []byte
		samples          int // read before
	}{
		{"total too high", recording.CodeBroken, "8016 samples in a channel and the file ends after 16 of them: 1.000 s", file(func(s *decodetest.FLAC) { s.Total = 8016 }), 16},
		{"total too low", recording.CodeBroken, "15 samples in a channel, and the file holds more", file(func(s *decodetest.FLAC) { s.Total = 15 }), 0},
		{"another frame after the total", recording.CodeBroken, "number 0; 1 should", file(func(s *decodetest.FLAC) { s.Total, s.Frames = 16, append(s.Frames, one) }), 16},
		{"total beyond the limits", recording.CodeTooLarge, "86400.0 s", file(func(s *decodetest.FLAC) { s.Total = 1 << 35 }), 0},
		{"MD5", recording.CodeBroken, "MD5", file(func(s *decodetest.FLAC) { s.MD5[3] = 1 }), 16},
		{"rubbish after", recording.CodeBroken, "frame 2, at 0.002 s and byte 55: no frame begins here", file(func(s *decodetest.FLAC) { s.After = "rubbish" }), 16},
		{"rate changes", recording.CodeBroken, "from 8000 to 16000", second(func(f *decodetest.FLACFrame) { f.Rate = 5 }), 16},
		{"channels change", recording.CodeBroken, "from 1 to 2", second(func(f *decodetest.FLACFrame) { f.Layout, f.Body = 1, decodetest.Constants(16, 1, 2) }), 16},
		{"bits change", recording.CodeBroken, "from 16 to 24", second(func(f *decodetest.FLACFrame) { f.Bits = 6 }), 16},
		{"number skipped", recording.CodeBroken, "number 2; 1 should", second(func(f *decodetest.FLACFrame) { f.Number = 2 }), 16},
		{"sample skipped", recording.CodeBroken, "number 17; 16 should", second(func(f *decodetest.FLACFrame) { f.Number, f.Variable = 17, true }), 16},
		{"larger block", recording.CodeBroken, "17 samples; the head says 16", second(func(f *decodetest.FLACFrame) { f.Block = 17 }), 16},
		{"block of 65536", recording.CodeBroken, "65536 samples; the head says 16", second(func(f *decodetest.FLACFrame) { f.Block = 65536 }), 16},
		{"no subframes", recording.CodeBroken, "frame 2, at 0.002 s", second(func(f *decodetest.FLACFrame) { f.Body = nil }), 16},
		{"reserved rate", recording.CodeBroken, "reserved values", second(func(f *decodetest.FLACFrame) { f.Rate = 15 }), 16},
		{"reserved bits", recording.CodeBroken, "reserved values", second(func(f *decodetest.FLACFrame) { f.Bits = 3 }), 16},
		{"reserved layout", recording.CodeBroken, "reserved values", second(func(f *decodetest.FLACFrame) { f.Layout = 11 }), 16},
		{"no number", recording.CodeBroken, "has no number", second(func(f *decodetest.FLACFrame) { f.Number = -1 }), 16},
		{"no STREAMINFO", recording.CodeBroken, "begins with STREAMINFO", []byte("fLaC\x84\x00\x00\x22" + strings.Repeat("x", 34)), 0},
		{"second STREAMINFO", recording.CodeBroken, "type 0", file(func(s *decodetest.FLAC) { s.Metadata = "\x80\x00\x00\x02ab" }), 0},
		{"metadata without end", recording.CodeBroken, "the metadata claims to end", file(func(s *decodetest.FLAC) { s.Metadata = "\x04\xFF\xFF\xFFab" }), 0},
		{"metadata of many blocks", recording.CodeBroken, "more than 512 blocks", file(func(s *decodetest.FLAC) { s.Metadata = strings.Repeat("\x01\x00\x00\x00", 600) }), 0},
		{"small blocks", recording.CodeBroken, "16 to 15 samples", file(func(s *decodetest.FLAC) { s.Block = 15 }), 0},
		{"few bits", recording.CodeBroken, "3 bits", file(func(s *decodetest.FLAC) { s.Bits = 3 }), 0},
		{"slow", recording.CodeTooLarge, "3999 Hz", file(func(s *decodetest.FLAC) { s.Rate = 3999 }), 0},
		{"rate of zero", recording.CodeTooLarge, "0 Hz", file(func(s *decodetest.FLAC) { s.Rate = 0 }), 0},
	} {
		_, got, err := decodetest.All(only, tt.file, recording.Limits{}, 7)
		if decodetest.Code(err) != tt.code || tt.code != "" && !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: error %q: %v, want %q: %s", tt.name, decodetest.Code(err), err, tt.code, tt.says)
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
		body       func(w *decodetest.BitWriter)
	}{
		{"reserved subframe", "reserved type 2", func(w *decodetest.BitWriter) { w.Put(2<<1, 8) }},
		{"subframe begins with one", "begin with a zero", func(w *decodetest.BitWriter) { w.Put(0x80, 8) }},
		{"all bits unused", "16 of 16 bits", func(w *decodetest.BitWriter) { w.Put(1, 8).Unary(15) }},
		{"zeros without end", "more than 32 bits of zero", func(w *decodetest.BitWriter) { w.Put(1, 8).Put(0, 60).Put(0, 60) }},
		{"reserved residual", "reserved way 2", func(w *decodetest.BitWriter) { w.Put(8<<1, 8).Put(2, 2) }},
		{"parts do not fit", "into 32 parts", func(w *decodetest.BitWriter) { w.Put(8<<1, 8).Put(0, 2).Put(5, 4) }},
		{"order beyond a part", "into 8 parts", func(w *decodetest.BitWriter) { w.Put(12<<1, 8).Put(0, 64).Put(0, 2).Put(3, 4) }},
		{"order beyond the block", "predictor of 32 samples is used for 16", func(w *decodetest.BitWriter) { w.Put(63<<1, 8) }},
		{"shift below zero", "shift -1", func(w *decodetest.BitWriter) { w.Put(32<<1, 8).Put(0, 16).Put(3, 4).Put(-1, 5).Put(0, 64) }},
		{"reserved precision", "precision 16", func(w *decodetest.BitWriter) { w.Put(32<<1, 8).Put(0, 16).Put(15, 4).Put(0, 5).Put(0, 64) }},
		{"predicted out of range", "more than 16 bits", func(w *decodetest.BitWriter) {
			w.Put(10<<1, 8).Put(0, 16).Put(30000, 16).Put(0, 2).Put(0, 4).Put(15, 4).Put(0, 5)
		}},
	} {
		_, _, err := decodetest.All(only, flacMono(tt.body).Bytes(), recording.Limits{}, 7)
		if decodetest.Code(err) != recording.CodeBroken || !strings.Contains(err.Error(), "frame 1, at 0.000 s") || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: error %v, want one of frame 1 that says %q", tt.name, err, tt.says)
		}
	}
}

// TestFLACFrameHeads reads frames of all ways to write their number, size and rate.
func TestFLACFrameHeads(t *testing.T) {
	t.Parallel()
	for _, number := range []int{0, 1, 126, 127, 2046, 2047, 65534, 65535, 1<<20 - 1} {
		s := flacMono(nil)
		s.Frames = []decodetest.FLACFrame{{Number: number, Block: 16, Body: decodetest.Constants(16, 3)}, {Number: number + 1, Block: 16, Body: decodetest.Constants(16, 3)}}
		if _, got, err := decodetest.All(only, s.Bytes(), recording.Limits{}, 100); err != nil || len(got[0]) != 32 {
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
		s.Rate, s.Frames = tt.rate, []decodetest.FLACFrame{{Block: 16, Rate: tt.code, Extra: tt.rest, Body: decodetest.Constants(16, 3)}}
		if info, got, err := decodetest.All(only, s.Bytes(), recording.Limits{}, 100); err != nil || len(got[0]) != 16 || info.SampleRate != tt.rate {
			t.Errorf("code %d: %+v, %v, error %v, want %d Hz", tt.code, info, got, err, tt.rate)
		}
	}
	for code, want := range map[byte]int{1: 192, 2: 576, 3: 1152, 4: 2304, 5: 4608, 6: 8, 7: 0x70C, 8: 256, 15: 32768} {
		if n, _ := codedBlockSize(code, []byte{7, 11}); n != want {
			t.Errorf("flacBlockSize(%d) = %d, want %d", code, n, want)
		}
	}
	for _, b := range []string{"\x80\x80", "\xC2", "\xC2\x41", "\xFF\x80\x80\x80\x80\x80\x80\x80"} {
		if n, used := codedNumber([]byte(b)); used != 0 {
			t.Errorf("flacNumber(%q) = %d of %d bytes, want none", b, n, used)
		}
	}
	if n, used := codedNumber([]byte("\xFE\xBF\xBF\xBF\xBF\xBF\xBF")); n != 1<<36-1 || used != 7 {
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
	head, err := readHeader(bytes.NewReader(file), 0, int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	for n := range file {
		if _, _, err := decodetest.All(only, file[:n], recording.Limits{}, 512); fault.KindOf(err) != fault.Unprocessable && fault.KindOf(err) != fault.Unsupported {
			t.Errorf("the first %d bytes: error %v, want a fault", n, err)
		}
		if int64(n) < head.frames {
			continue
		}
		damaged := bytes.Clone(file)
		damaged[n] ^= 1 << (n % 8)
		if _, _, err := decodetest.All(only, damaged, recording.Limits{}, 512); decodetest.Code(err) != recording.CodeBroken {
			t.Errorf("byte %d changed: error %v, want a fault", n, err)
		}
	}
}

// TestMemoryOfBombs decodes frames that are small and claim to be large.
func TestMemoryOfBombs(t *testing.T) {
	s := decodetest.FLAC{Block: maxBlock, Rate: 8000, Channels: 8, Bits: 16}
	for i := range 100 {
		s.Frames = append(s.Frames, decodetest.FLACFrame{Number: i, Block: maxBlock, Layout: 7, Body: decodetest.Constants(16, 1, 2, 3, 4, 5, 6, 7, 8)})
	}
	file := s.Bytes()
	if n := decodetest.Allocated(t, only, file); n > 5<<20 {
		t.Errorf("%d bytes take %d bytes of memory", len(file), n)
	}
	head := decodetest.FLAC{Block: maxBlock, Rate: 8000, Channels: 8, Bits: 32, Frames: []decodetest.FLACFrame{{Block: 1, Layout: 7, Body: decodetest.Constants(32, 1, 2, 3, 4, 5, 6, 7, 8)}}}
	if n := decodetest.Allocated(t, only, head.Bytes()); n > 1<<18 {
		t.Errorf("a head that claims large blocks takes %d bytes of memory", n)
	}
}
