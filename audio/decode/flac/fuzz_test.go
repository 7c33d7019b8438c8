package flac

import (
	"bytes"
	"testing"

	"vaak/audio/decode/decodetest"
)

func FuzzFLAC(f *testing.F) {
	f.Add(flacMono(decodetest.Constants(16, 3)).Bytes())
	f.Add(decodetest.FLAC{Block: 50, Rate: 8000, Channels: 2, Bits: 16, Total: 100, Frames: []decodetest.FLACFrame{
		{Block: 50, Layout: midSide, Body: func(w *decodetest.BitWriter) { decodetest.Constants(16, 1)(w); decodetest.Constants(17, 2)(w) }},
		{Number: 1, Block: 50, Layout: 1, Body: decodetest.Constants(16, 1, 2)}}}.Bytes())
	f.Add(encodeFLAC(f, 16, [][]int32{{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}}))
	f.Fuzz(func(t *testing.T, file []byte) { decodetest.Fuzzed(t, only, file) })
}

// FuzzFLACFrame decodes subframes behind a header that is right and before a
// checksum that is not looked at, which a fuzzer would not find.
func FuzzFLACFrame(f *testing.F) {
	for _, body := range []func(*decodetest.BitWriter){
		decodetest.Constants(16, 3),
		func(w *decodetest.BitWriter) {
			w.Put(10<<1, 8).Put(10, 16).Put(13, 16).Put(0, 6).Put(3, 4).Put(-1, 64).Put(-1, 64)
		},
		func(w *decodetest.BitWriter) {
			w.Put((32+9)<<1|1, 8).Unary(1).Put(-1, 64).Put(-1, 64).Put(-1, 64).Put(1, 64).Put(-1, 64)
		},
		func(w *decodetest.BitWriter) { w.Put(8<<1, 8).Put(1, 2).Put(2, 4).Put(31, 5).Put(7, 5).Put(-3, 64) },
	} {
		var w decodetest.BitWriter
		body(&w)
		f.Add(uint16(16), byte(16), w.Data)
	}
	f.Fuzz(func(t *testing.T, n uint16, bits byte, body []byte) {
		block := max(int(n)%(1<<12), 1)
		plane := make([]int64, history+block)
		r := newBitReader(bytes.NewReader(body), 0, int64(len(body)))
		var frames frameDecoder
		frames.subframe(&r, plane, 4+uint(bits)%30)
		if r.err != nil {
			decodetest.WantRefused(t, r.err)
		}
		for i, v := range plane[:history] {
			if v != 0 {
				t.Fatalf("plane[%d] = %d, before the samples", i, v)
			}
		}
		if r.offset() > int64(len(body)) {
			t.Fatalf("read %d of %d bytes", r.offset(), len(body))
		}
	})
}
