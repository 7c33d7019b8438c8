package pcm

import (
	"encoding/binary"
	"math"
)

// Coding tells how one sample is written.
type Coding struct {
	Name  string // as in recording.Info.Codec
	Bytes int    // size of a sample
	// convert fills dst with samples of src, which begin step bytes apart. It returns false if one
	// is not a finite number; dst is then undefined.
	convert func(dst []float32, src []byte, step int) bool
}

// Signed returns the coding of two's complement integers of 1 to 4 bytes.
func Signed(bytes int, bigEndian bool) Coding {
	converters := []func([]float32, []byte, int) bool{s8, s16, s24, s32}
	if bigEndian {
		converters = []func([]float32, []byte, int) bool{s8, s16be, s24be, s32be}
	}
	names := []string{"pcm_s8", "pcm_s16", "pcm_s24", "pcm_s32"}
	return Coding{names[bytes-1], bytes, converters[bytes-1]}
}

// Unsigned returns the coding of bytes in which 128 is silence.
func Unsigned() Coding { return Coding{"pcm_u8", 1, u8} }

// Float32 returns the coding of little-endian floats of 4 bytes.
func Float32() Coding { return Coding{"pcm_f32", 4, f32} }

// Float64 returns the coding of little-endian floats of 8 bytes.
func Float64() Coding { return Coding{"pcm_f64", 8, f64} }

// ALaw returns the coding of A-law bytes.
func ALaw() Coding { return Coding{"alaw", 1, g711(aLaw)} }

// MuLaw returns the coding of μ-law bytes.
func MuLaw() Coding { return Coding{"mulaw", 1, g711(muLaw)} }

func u8(dst []float32, src []byte, step int) bool {
	for i := range dst {
		// Flipping the highest bit turns 0..255 around 128 into -128..127.
		dst[i] = float32(int8(src[i*step]^0x80)) * (1.0 / 0x80)
	}
	return true
}

func s8(dst []float32, src []byte, step int) bool {
	for i := range dst {
		dst[i] = float32(int8(src[i*step])) * (1.0 / 0x80)
	}
	return true
}

func s16(dst []float32, src []byte, step int) bool {
	for i := range dst {
		dst[i] = float32(int16(binary.LittleEndian.Uint16(src[i*step:]))) * (1.0 / 0x8000)
	}
	return true
}

func s16be(dst []float32, src []byte, step int) bool {
	for i := range dst {
		dst[i] = float32(int16(binary.BigEndian.Uint16(src[i*step:]))) * (1.0 / 0x8000)
	}
	return true
}

func s24(dst []float32, src []byte, step int) bool {
	for i := range dst {
		b := src[i*step : i*step+3]
		// The three bytes go to the top of 32 bits, so the sign is right without a test.
		dst[i] = float32(int32(b[0])<<8|int32(b[1])<<16|int32(b[2])<<24) * (1.0 / 0x80000000)
	}
	return true
}

func s24be(dst []float32, src []byte, step int) bool {
	for i := range dst {
		b := src[i*step : i*step+3]
		dst[i] = float32(int32(b[2])<<8|int32(b[1])<<16|int32(b[0])<<24) * (1.0 / 0x80000000)
	}
	return true
}

func s32(dst []float32, src []byte, step int) bool {
	for i := range dst {
		dst[i] = float32(int32(binary.LittleEndian.Uint32(src[i*step:]))) * (1.0 / 0x80000000)
	}
	return true
}

func s32be(dst []float32, src []byte, step int) bool {
	for i := range dst {
		dst[i] = float32(int32(binary.BigEndian.Uint32(src[i*step:]))) * (1.0 / 0x80000000)
	}
	return true
}

// infinite are the exponent bits, all of which are set in infinities and NaNs.
const infinite = 0x7F800000

func f32(dst []float32, src []byte, step int) bool {
	finite := true
	for i := range dst {
		v := binary.LittleEndian.Uint32(src[i*step:])
		// No branch out of the loop: whether all are finite is asked once per block.
		if v&infinite == infinite {
			finite = false
		}
		dst[i] = math.Float32frombits(v)
	}
	return finite
}

// f64 treats numbers too large for float32 as infinite.
func f64(dst []float32, src []byte, step int) bool {
	finite := true
	for i := range dst {
		v := float32(math.Float64frombits(binary.LittleEndian.Uint64(src[i*step:])))
		if math.Float32bits(v)&infinite == infinite {
			finite = false
		}
		dst[i] = v
	}
	return finite
}

// g711 returns a converter for codes of ITU-T G.711; sample decodes one to 16 bits.
func g711(sample func(code byte) int16) func([]float32, []byte, int) bool {
	var table [256]float32
	for i := range table {
		table[i] = float32(sample(byte(i))) * (1.0 / 0x8000)
	}
	return func(dst []float32, src []byte, step int) bool {
		for i := range dst {
			dst[i] = table[src[i*step]]
		}
		return true
	}
}

// muLaw decodes a μ-law code: a sign bit, three bits for the segment and four for the step in
// it, all inverted.
func muLaw(code byte) int16 {
	const bias = 33 << 2
	code = ^code
	m := (int16(code&0xF)<<3+bias)<<(code>>4&7) - bias
	if code&0x80 != 0 {
		return -m
	}
	return m
}

// aLaw decodes an A-law code: a sign bit, three bits for the segment and four for the step in
// it, with every other bit inverted. The first two segments have the same step.
func aLaw(code byte) int16 {
	code ^= 0x55
	m := int16(code&0xF)<<4 + 8
	if segment := code >> 4 & 7; segment > 0 {
		m = (m + 0x100) << (segment - 1)
	}
	if code&0x80 == 0 {
		return -m
	}
	return m
}
