package decodetest

import (
	"bytes"
	"testing"

	"vaak/audio/decode/recording"
)

// Allocs checks that reading a stereo file of 4 s allocates nothing in the steady state, while nothing else runs.
func Allocs(t *testing.T, open Opener, file []byte) {
	t.Helper()
	s, err := open(bytes.NewReader(file), recording.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	planes := [][]float32{make([]float32, 400), make([]float32, 400)}
	if allocs := testing.AllocsPerRun(150, func() {
		if n, err := s.Read(planes); n != 400 || err != nil {
			t.Fatalf("Read = %d, %v, want 400", n, err)
		}
	}); allocs != 0 {
		t.Errorf("a Read allocates %v times, want 0", allocs)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
