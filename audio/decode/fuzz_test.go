package decode

import (
	"bytes"
	"errors"
	"io"
	"math"
	"runtime"
	"strings"
	"testing"

	"vaak/internal/fault"
)

// lowLimits are low, so that files reach them.
var lowLimits = Limits{Channels: 4, SampleRate: 48000, Frames: 1 << 14}

// fuzzed decodes a file and fails when a promise is broken.
func fuzzed(t *testing.T, file []byte) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	s, err := Open(bytes.NewReader(file), lowLimits)
	if err != nil {
		refused(t, err)
		return
	}
	info := s.Info()
	if info.Channels < 1 || info.Channels > lowLimits.Channels || info.SampleRate < minSampleRate || info.SampleRate > lowLimits.SampleRate {
		t.Fatalf("Info = %+v, beyond %+v", info, lowLimits)
	}
	planes := make([][]float32, info.Channels)
	for c := range planes {
		planes[c] = make([]float32, 777)
	}
	most := math.Inf(1) // of whole numbers: full scale
	if !strings.HasPrefix(info.Codec, "pcm_f") {
		most = 1
	}
	var total int64
	for {
		n, err := s.Read(planes)
		total += int64(n)
		if total > lowLimits.Frames {
			t.Fatalf("%d samples, beyond %d", total, lowLimits.Frames)
		}
		for _, p := range planes {
			for i, v := range p[:n] {
				if v != v || math.Abs(float64(v)) > most || math.IsInf(float64(v), 0) {
					t.Fatalf("sample %d is %v", total-int64(n)+int64(i), v)
				}
			}
		}
		if err != nil {
			ended(t, info, total, err)
			break
		}
		if n == 0 {
			t.Fatal("Read = 0 without an error")
		}
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 4<<20+uint64(len(file)) {
		t.Fatalf("%d bytes take %d bytes of memory", len(file), n)
	}
}

// ended checks how a stream ended.
func ended(t *testing.T, info Info, total int64, err error) {
	t.Helper()
	if !errors.Is(err, io.EOF) {
		refused(t, err)
	} else if info.Frames >= 0 && total != info.Frames {
		t.Fatalf("%d samples, and the header told of %d", total, info.Frames)
	}
}

// refused checks that an error is one of ours.
func refused(t *testing.T, err error) {
	t.Helper()
	if e, ok := errors.AsType[*fault.Error](err); !ok || !strings.HasPrefix(e.Code, "recording_") || e.Msg == "" {
		t.Fatalf("error %v is no fault", err)
	}
}

func FuzzWAV(f *testing.F) {
	mono := pcmFormat(1, 1, 8000, 16)
	f.Add([]byte(riff(chunk("JUNK", "abc"), mono, chunk("data", "abcd"), chunk("LIST", "x"))))
	f.Add([]byte(riff(pcmFormat(0xFFFE, 2, 8000, 32, extensible(24, 1)...), chunk("data", "abcdefgh"))))
	f.Add([]byte(riff(pcmFormat(3, 1, 8000, 64), chunk("data", "abcdefgh"))))
	f.Add([]byte(riff(pcmFormat(6, 1, 8000, 8), sized("data", math.MaxUint32, "abcde"))))
	f.Add([]byte(rf64(4, mono, sized("data", math.MaxUint32, "abcd"))))
	f.Fuzz(fuzzed)
}

func FuzzSPHERE(f *testing.F) {
	f.Add([]byte("NIST_1A\n    128\nsample_rate -i 8000\nsample_n_bytes -i 2\nsample_byte_format -s2 10\nchannel_count -i 2\nend_head\n            \n\n\n\n\n12345678"))
	f.Add([]byte("NIST_1A\n     90\nsample_rate -i 8000\nsample_n_bytes -i 1\nsample_coding -s4 ulaw\nend_head\n  1234567812345678"))
	f.Add(sphere("sample_rate -i 8000\nsample_n_bytes -i 2\nsample_byte_format -s2 01\nsample_count -i 2\n", []byte("abcd")))
	f.Fuzz(fuzzed)
}

func FuzzFLAC(f *testing.F) {
	f.Add(flacMono(constants(16, 3)).bytes())
	f.Add(flacSpec{block: 50, rate: 8000, channels: 2, bits: 16, total: 100, frames: []frameSpec{
		{block: 50, layout: flacMidSide, body: func(w *bitWriter) { constants(16, 1)(w); constants(17, 2)(w) }},
		{number: 1, block: 50, layout: 1, body: constants(16, 1, 2)}}}.bytes())
	f.Add(encodeFLAC(f, 16, [][]int32{{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}}))
	f.Fuzz(fuzzed)
}

// FuzzFLACFrame decodes subframes behind a header that is right and before a
// checksum that is not looked at, which a fuzzer would not find.
func FuzzFLACFrame(f *testing.F) {
	for _, body := range []func(*bitWriter){
		constants(16, 3),
		func(w *bitWriter) {
			w.put(10<<1, 8).put(10, 16).put(13, 16).put(0, 6).put(3, 4).put(-1, 64).put(-1, 64)
		},
		func(w *bitWriter) {
			w.put((32+9)<<1|1, 8).unary(1).put(-1, 64).put(-1, 64).put(-1, 64).put(1, 64).put(-1, 64)
		},
		func(w *bitWriter) { w.put(8<<1, 8).put(1, 2).put(2, 4).put(31, 5).put(7, 5).put(-3, 64) },
	} {
		var w bitWriter
		body(&w)
		f.Add(uint16(16), byte(16), w.bytes)
	}
	f.Fuzz(func(t *testing.T, n uint16, bits byte, body []byte) {
		block := max(int(n)%(1<<12), 1)
		plane := make([]int64, flacHistory+block)
		r := newFLACBits(bytes.NewReader(body), 0, int64(len(body)))
		var frames flacFrames
		frames.subframe(&r, plane, 4+uint(bits)%30)
		if r.err != nil {
			refused(t, r.err)
		}
		for i, v := range plane[:flacHistory] {
			if v != 0 {
				t.Fatalf("plane[%d] = %d, before the samples", i, v)
			}
		}
		if r.offset() > int64(len(body)) {
			t.Fatalf("read %d of %d bytes", r.offset(), len(body))
		}
	})
}
