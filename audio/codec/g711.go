package codec

import (
	"math/bits"
	"sync"

	"vaak/audio"
)

// g711 writes a byte for each sample (ITU-T G.711).
//
// The bytes are those of the reference in ITU-T G.191, which drops the low bits
// of a sample (2 in μ-law, 4 in A-law) and codes a negative one as its
// complement. FFmpeg's encoders put a sample at the limit of two codes elsewhere:
// 964 of the 65,536 samples, by one step.
type g711 struct {
	drop  uint   // low bits that do not matter
	codes []byte // of a sample as unsigned, without them
}

var (
	ulawCodes = sync.OnceValue(func() []byte { return g711Codes(2, ulawCode) })
	alawCodes = sync.OnceValue(func() []byte { return g711Codes(4, alawCode) })
)

func ulawEncoder() (encoder, bool) {
	return encoder{codec: audio.ULaw,
		open: func(audio.Format, Mode) (coder, error) { return g711{2, ulawCodes()}, nil }}, true
}

func alawEncoder() (encoder, bool) {
	return encoder{codec: audio.ALaw,
		open: func(audio.Format, Mode) (coder, error) { return g711{4, alawCodes()}, nil }}, true
}

func (g g711) encode(dst []byte, pcm []int16) ([]byte, error) {
	n := len(dst)
	dst = grow(dst, len(pcm))
	to := dst[n:]
	for i, s := range pcm {
		to[i] = g.codes[uint16(s)>>g.drop]
	}
	return dst, nil
}

func (g711) finish(dst []byte) ([]byte, error) { return dst, nil }

func (g711) free() {}

// g711Codes tabulates code over all samples without their low drop bits.
func g711Codes(drop uint, code func(magnitude int, negative bool) byte) []byte {
	codes := make([]byte, 1<<16>>drop)
	for i := range codes {
		v := int(int16(i<<drop)) >> drop
		if v < 0 {
			codes[i] = code(^v, true)
		} else {
			codes[i] = code(v, false)
		}
	}
	return codes
}

// ulawCode returns the μ-law code of a magnitude of 13 bits: a sign, three bits
// for the segment and four for the step in it, inverted.
func ulawCode(magnitude int, negative bool) byte {
	const bias, most = 33, 1<<13 - 1
	m := min(magnitude+bias, most)
	segment := bits.Len(uint(m)) - 6
	code := byte(segment<<4 | m>>(segment+1)&0xF)
	if negative {
		code |= 0x80
	}
	return ^code
}

// alawCode returns the A-law code of a magnitude of 11 bits: a sign, three bits
// for the segment and four for the step in it, every other bit inverted.
func alawCode(magnitude int, negative bool) byte {
	code := byte(magnitude) // the first two segments are one
	if magnitude > 31 {
		segment := bits.Len(uint(magnitude)) - 4
		code = byte(segment<<4 | magnitude>>(segment-1)&0xF)
	}
	if !negative {
		code |= 0x80
	}
	return code ^ 0x55
}
