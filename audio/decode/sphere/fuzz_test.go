package sphere

import (
	"testing"

	"vaak/audio/decode/decodetest"
)

func FuzzSPHERE(f *testing.F) {
	f.Add([]byte("NIST_1A\n    128\nsample_rate -i 8000\nsample_n_bytes -i 2\nsample_byte_format -s2 10\nchannel_count -i 2\nend_head\n            \n\n\n\n\n12345678"))
	f.Add([]byte("NIST_1A\n     90\nsample_rate -i 8000\nsample_n_bytes -i 1\nsample_coding -s4 ulaw\nend_head\n  1234567812345678"))
	f.Add(decodetest.SPHERE("sample_rate -i 8000\nsample_n_bytes -i 2\nsample_byte_format -s2 01\nsample_count -i 2\n", []byte("abcd")))
	f.Fuzz(func(t *testing.T, file []byte) { decodetest.Fuzzed(t, only, file) })
}
