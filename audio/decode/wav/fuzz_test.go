package wav

import (
	"math"
	"testing"

	"vaak/audio/decode/decodetest"
)

func FuzzWAV(f *testing.F) {
	mono := decodetest.PCMFormat(1, 1, 8000, 16)
	f.Add([]byte(decodetest.RIFF(decodetest.Chunk("JUNK", "abc"), mono, decodetest.Chunk("data", "abcd"), decodetest.Chunk("LIST", "x"))))
	f.Add([]byte(decodetest.RIFF(decodetest.PCMFormat(0xFFFE, 2, 8000, 32, decodetest.Extensible(24, 1)...), decodetest.Chunk("data", "abcdefgh"))))
	f.Add([]byte(decodetest.RIFF(decodetest.PCMFormat(3, 1, 8000, 64), decodetest.Chunk("data", "abcdefgh"))))
	f.Add([]byte(decodetest.RIFF(decodetest.PCMFormat(6, 1, 8000, 8), decodetest.Sized("data", math.MaxUint32, "abcde"))))
	f.Add([]byte(decodetest.RF64(4, mono, decodetest.Sized("data", math.MaxUint32, "abcd"))))
	f.Fuzz(func(t *testing.T, file []byte) { decodetest.Fuzzed(t, only, file) })
}
