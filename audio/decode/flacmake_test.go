package decode

import (
	"bytes"
	"crypto/md5"
	"encoding/binary"
	"io"
	"testing"

	mewkiz "github.com/mewkiz/flac"
	"github.com/mewkiz/flac/frame"
	"github.com/mewkiz/flac/meta"
)

// bitWriter writes numbers bit by bit, the most significant first.
type bitWriter struct {
	bytes []byte
	used  uint // bits of the last byte
}

func (w *bitWriter) put(v int64, n uint) *bitWriter {
	for ; n > 0; n-- {
		if w.used%8 == 0 {
			w.bytes, w.used = append(w.bytes, 0), 0
		}
		w.bytes[len(w.bytes)-1] |= byte(v>>(n-1)&1) << (7 - w.used)
		w.used++
	}
	return w
}

// unary writes zeros and a one.
func (w *bitWriter) unary(zeros int) *bitWriter {
	for range zeros {
		w.put(0, 1)
	}
	return w.put(1, 1)
}

// flacSpec is a FLAC file to be made, whose parts may contradict each other.
type flacSpec struct {
	block, rate, channels, bits int
	total                       int64
	md5                         [md5.Size]byte
	metadata                    string // after STREAMINFO; "" is none
	frames                      []frameSpec
	after                       string
}

// frameSpec is a frame to be made.
type frameSpec struct {
	number   int // -1 is none
	variable bool
	block    int
	rate     byte   // its code
	rest     string // what some codes need more
	layout   int
	bits     byte               // its code
	body     func(w *bitWriter) // writes the subframes
}

// bytes returns the file.
func (s flacSpec) bytes() []byte {
	var w bitWriter
	var last int64 = 0x80
	if s.metadata != "" {
		last = 0
	}
	w.put(last<<24|flacInfoSize, 32).put(16, 16).put(int64(s.block), 16).put(0, 48)
	w.put(int64(s.rate), 20).put(int64(s.channels-1), 3).put(int64(s.bits-1), 5).put(s.total, 36)
	file := append([]byte("fLaC"), w.bytes...)
	file = append(file, s.md5[:]...)
	file = append(file, s.metadata...)
	for _, f := range s.frames {
		file = append(file, f.bytes()...)
	}
	return append(file, s.after...)
}

func (f frameSpec) bytes() []byte {
	var w bitWriter
	var variable int64
	if f.variable {
		variable = 1
	}
	w.put(0xFFF8|variable, 16).put(7, 4).put(int64(f.rate), 4).put(int64(f.layout), 4).put(int64(f.bits), 3).put(0, 1)
	if f.number < 0 {
		w.put(0xFF, 8)
	} else {
		w.bytes = append(w.bytes, string(rune(f.number))...)
	}
	w.put(int64(f.block-1), 16)
	w.bytes = append(w.bytes, f.rest...)
	w.put(int64(flacCRC8(w.bytes)), 8)
	if f.body != nil {
		f.body(&w)
	}
	return binary.BigEndian.AppendUint16(w.bytes, flacCRC16(0, w.bytes))
}

// constants is a body of constant subframes of a number of bits.
func constants(bits uint, values ...int64) func(*bitWriter) {
	return func(w *bitWriter) {
		for _, v := range values {
			w.put(flacConstant, 8).put(v, bits)
		}
	}
}

// seekBuffer is a file in memory for an encoder that goes back to its head.
type seekBuffer struct {
	bytes []byte
	at    int
}

func (s *seekBuffer) Write(p []byte) (int, error) {
	s.bytes = append(s.bytes[:s.at], append(bytes.Clone(p), s.bytes[min(len(s.bytes), s.at+len(p)):]...)...)
	s.at += len(p)
	return len(p), nil
}

func (s *seekBuffer) Seek(offset int64, whence int) (int64, error) {
	if whence != io.SeekStart {
		panic("not needed")
	}
	s.at = int(offset)
	return offset, nil
}

// encodeFLAC returns a file that another encoder makes of samples of a number of
// bits, with blocks of 1000.
func encodeFLAC(t testing.TB, bits int, planes [][]int32) []byte {
	t.Helper()
	const block = 1000
	var out seekBuffer
	enc, err := mewkiz.NewEncoder(&out, &meta.StreamInfo{BlockSizeMin: block, BlockSizeMax: block,
		SampleRate: 16000, NChannels: uint8(len(planes)), BitsPerSample: uint8(bits)})
	if err != nil {
		t.Fatal(err)
	}
	for from := 0; from < len(planes[0]); from += block {
		to := min(from+block, len(planes[0]))
		f := &frame.Frame{Header: frame.Header{HasFixedBlockSize: true, BlockSize: uint16(to - from), SampleRate: 16000,
			Channels: frame.Channels(len(planes) - 1), BitsPerSample: uint8(bits)}}
		for _, p := range planes {
			f.Subframes = append(f.Subframes, &frame.Subframe{NSamples: to - from, Samples: append([]int32(nil), p[from:to]...),
				SubHeader: frame.SubHeader{Pred: frame.PredVerbatim}})
		}
		if err := enc.WriteFrame(f); err != nil {
			t.Fatal(err)
		}
	}
	if err := enc.Close(); err != nil {
		t.Fatal(err)
	}
	return out.bytes
}
