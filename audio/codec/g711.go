package codec

import (
	"math/bits"
	"sync"

	"vaak/audio"
)

// g711 writes one byte per sample (ITU-T G.711).
//
// The bytes are those of the reference code in ITU-T G.191. It drops the low bits of a sample
// (2 in μ-law, 4 in A-law) and codes a negative sample by its complement. FFmpeg's encoders
// differ by one step in 964 of the 65,536 samples, those at the limit of two codes.
type g711 struct {
	drop  uint   // low bits that are dropped
	codes []byte // indexed by the remaining bits, as an unsigned number
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

// g711Codes tabulates code for all samples without their low drop bits.
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

// ulawCode returns the μ-law code of a 13-bit magnitude: a sign bit, three bits for the
// segment and four for the step in it, all inverted.
func ulawCode(magnitude int, negative bool) byte {
	const bias, most = 33, 1<<13 - 1
	// The bias of 33 makes the segments powers of two.
	m := min(magnitude+bias, most)
	segment := bits.Len(uint(m)) - 6
	code := byte(segment<<4 | m>>(segment+1)&0xF)
	if negative {
		code |= 0x80
	}
	return ^code
}

// alawCode returns the A-law code of an 11-bit magnitude: a sign bit, three bits for the
// segment and four for the step in it, with every other bit inverted.
func alawCode(magnitude int, negative bool) byte {
	code := byte(magnitude) // the first two segments have the same step
	if magnitude > 31 {
		segment := bits.Len(uint(magnitude)) - 4
		code = byte(segment<<4 | magnitude>>(segment-1)&0xF)
	}
	if !negative {
		code |= 0x80
	}
	return code ^ 0x55
}
