package mp3

import (
	"bytes"
	"runtime"
	"testing"
	"time"

	"vaak/audio/decode/decodetest"
	"vaak/audio/decode/recording"
)

// TestMPG123Handles counts the handles of C, while nothing else runs.
func TestMPG123Handles(t *testing.T) {
	lib, err := loadMPG123()
	if err != nil {
		t.Fatal(err)
	}
	file := bare(t, 16000, 1)
	if n := lib.open.Load(); n != 0 {
		t.Fatalf("%d handles are open before the test", n)
	}
	if _, err := direct(bytes.NewReader(file[:1500]), recording.Limits{Frames: 10}); err != nil {
		t.Fatal(err) // and forget the stream
	}
	s, err := direct(bytes.NewReader(file), recording.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if n := lib.open.Load(); n != 2 {
		t.Errorf("%d handles for two streams", n)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if n, err := s.Read([][]float32{make([]float32, 10)}); n != 0 || err == nil {
		t.Errorf("Read after Close = %d, %v, want an error", n, err)
	}
	deadline := time.After(30 * time.Second)
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for lib.open.Load() != 0 {
		select {
		case <-tick.C:
			runtime.GC()
		case <-deadline:
			t.Fatalf("%d handles stay open when the streams are closed or forgotten", lib.open.Load())
		}
	}
	for _, bad := range [][]byte{file[:10], make([]byte, 5000)} {
		if _, err := direct(bytes.NewReader(bad), recording.Limits{}); err == nil {
			t.Error("a file without frames is opened")
		}
	}
	if n := lib.open.Load(); n != 0 {
		t.Errorf("%d handles are open after refusals", n)
	}
}

func BenchmarkMP3(b *testing.B) {
	decodetest.BenchmarkLossy(b, direct, decodetest.Encoded(b, 16000, 1, 320000, settings["constant"]...))
}

func BenchmarkMP3Stereo(b *testing.B) {
	decodetest.BenchmarkLossy(b, direct, decodetest.Encoded(b, 44100, 2, 441000, settings["variable"]...))
}

func TestMP3Allocs(t *testing.T) { // not parallel: the count is the process's
	decodetest.Allocs(t, direct, decodetest.Encoded(t, 16000, 2, 64000, settings["variable"]...))
}
