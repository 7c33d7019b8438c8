package decode

import (
	"bytes"
	"errors"
	"runtime"
	"testing"
	"time"

	"vaak/internal/fault"
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
	if _, err := openMP3(bytes.NewReader(file[:1500]), nil, Limits{Frames: 10}); err != nil {
		t.Fatal(err) // and forget the stream
	}
	s, err := openMP3(bytes.NewReader(file), nil, Limits{})
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
		if _, err := openMP3(bytes.NewReader(bad), nil, Limits{}); err == nil {
			t.Error("a file without frames is opened")
		}
	}
	if n := lib.open.Load(); n != 0 {
		t.Errorf("%d handles are open after refusals", n)
	}
}

// TestMP3Allocs reads both kinds in the steady state, while nothing else runs.
func TestMP3Allocs(t *testing.T) {
	for name, test := range map[string]struct {
		open opener
		file []byte
	}{
		"mp3":  {openMP3, encoded(t, 16000, 2, 64000, mp3Ways["variable"]...)},
		"opus": {openOgg, encoded(t, 16000, 2, 64000, opusWays["voice"]...)},
	} {
		s, err := openBytes(test.open, test.file, Limits{})
		if err != nil {
			t.Fatal(err)
		}
		planes := [][]float32{make([]float32, 400), make([]float32, 400)}
		if allocs := testing.AllocsPerRun(150, func() {
			if n, err := s.Read(planes); n != 400 || err != nil {
				t.Fatalf("%s: Read = %d, %v, want 400", name, n, err)
			}
		}); allocs != 0 {
			t.Errorf("%s: a Read allocates %v times, want 0", name, allocs)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestMissingLibrary(t *testing.T) {
	t.Parallel()
	wantFault(t, "missing", missingLibrary(errors.New("cannot open"), "MP3", "libmpg123-0"), fault.Unavailable,
		"MP3 cannot be read on this machine: install the package libmpg123-0")
}

func BenchmarkMP3(b *testing.B) {
	benchLossy(b, openMP3, encoded(b, 16000, 1, 320000, mp3Ways["constant"]...))
}

func BenchmarkMP3Stereo(b *testing.B) {
	benchLossy(b, openMP3, encoded(b, 44100, 2, 441000, mp3Ways["variable"]...))
}

func BenchmarkOgg(b *testing.B) {
	benchLossy(b, openOgg, encoded(b, 16000, 1, 320000, opusWays["voice"]...))
}

func BenchmarkOggStereo(b *testing.B) {
	benchLossy(b, openOgg, encoded(b, 48000, 2, 480000, opusWays["music"]...))
}

// benchLossy decodes a file over and over and reports samples of all channels.
func benchLossy(b *testing.B, open opener, file []byte) {
	samples := 0
	planes := make([][]float32, 2)
	for c := range planes {
		planes[c] = make([]float32, 4096)
	}
	b.ReportAllocs()
	for b.Loop() {
		s, err := openBytes(open, file, Limits{})
		if err != nil {
			b.Fatal(err)
		}
		use := planes[:s.Info().Channels]
		for {
			n, err := s.Read(use)
			if err != nil {
				break
			}
			samples += n * len(use)
		}
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(samples)/b.Elapsed().Seconds(), "samples/s")
}
