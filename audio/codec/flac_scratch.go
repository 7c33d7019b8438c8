package codec

import (
	"sync"

	"github.com/mewkiz/flac/frame"
)

// flacScratch is the working memory for one frame, and the resulting frame. It is used within
// one call only.
type flacScratch struct {
	samples  [flacTaps + flacMaxBlock]int32   // preceded by flacTaps zeros, as history
	windowed [flacTaps + flacMaxBlock]float64 // likewise
	residual [flacMaxBlock]uint32             // folded to unsigned
	coeffs   [flacTaps]int32
	rice     frame.RiceSubframe
	frame    frame.Frame
}

var flacScratches = sync.Pool{New: func() any {
	return &flacScratch{frame: frame.Frame{
		Header: frame.Header{
			HasFixedBlockSize: true,
			Channels:          frame.ChannelsMono,
			BitsPerSample:     16,
		},
		Subframes: []*frame.Subframe{{}},
	}}
}}

// analyse makes frame the frame of 1 to flacMaxBlock samples at rate Hz. The library numbers
// it later.
func (s *flacScratch) analyse(rate uint32, pcm []int16) {
	n := len(pcm)
	samples := s.samples[flacTaps:][:n]
	for i, v := range pcm {
		samples[i] = int32(v)
	}
	s.frame.SampleRate, s.frame.BlockSize = rate, uint16(n)
	sub := s.frame.Subframes[0]
	*sub = frame.Subframe{Samples: samples, NSamples: n}
	if constant(pcm) {
		sub.Pred = frame.PredConstant
	} else if h, ok := s.linear(n); ok {
		sub.SubHeader = h
	} else {
		sub.Pred = frame.PredVerbatim
	}
}

func constant(pcm []int16) bool {
	for _, v := range pcm {
		if v != pcm[0] {
			return false
		}
	}
	return true
}
