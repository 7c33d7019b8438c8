package flac

import (
	"bytes"
	"io"
	"testing"

	mewkiz "github.com/mewkiz/flac"
	"github.com/mewkiz/flac/frame"
	"github.com/mewkiz/flac/meta"
)

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
