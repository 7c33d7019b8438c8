package codec

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"log"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	mewkiz "github.com/mewkiz/flac"
	"github.com/mewkiz/flac/meta"

	"vaak/audio"
	"vaak/audio/audiotest"
)

// flacSignals are the kinds of blocks there are, by name.
func flacSignals(n, rate int) map[string][]int16 {
	signals := map[string][]int16{"speech": audiotest.Speech(rate, n)}
	var rnd *rand.Rand // of each signal, which are made in any order
	for name, at := range map[string]func(i int) int{
		"silence":     func(int) int { return 0 },
		"most":        func(int) int { return math.MaxInt16 },
		"least":       func(int) int { return math.MinInt16 },
		"noise":       func(int) int { return int(int16(rnd.Uint32())) },
		"faint noise": func(int) int { return rnd.IntN(3) - 1 },
		"square":      func(i int) int { return math.MinInt16 + i/50%2*math.MaxUint16 },
		"alternating": func(i int) int { return math.MinInt16 + i%2*math.MaxUint16 },
		"impulses":    func(i int) int { return i % 997 / 996 * math.MaxInt16 },
		"ramp":        func(i int) int { return int(int16(i * 7)) },
		"sine":        func(i int) int { return int(32767 * math.Sin(float64(i)/9)) },
		"late burst":  func(i int) int { return i * 5 / 4 / n * int(int16(rnd.Uint32())) },
	} {
		rnd = rand.New(rand.NewPCG(3, 4))
		pcm := make([]int16, n)
		for i := range pcm {
			pcm[i] = int16(at(i))
		}
		signals[name] = pcm
	}
	return signals
}

// quiet drops what the decoder logs about sample rates that it was not tested with.
var quiet = sync.OnceFunc(func() { log.SetOutput(io.Discard) })

// flacDecode returns what the library finds in a file: what its head declares, its
// samples, and the sizes of its frames, whose checks it verifies. The library also
// writes them; a decoder of another make is that of flacFFmpeg.
func flacDecode(t testing.TB, file []byte) (*meta.StreamInfo, []int16, []int) {
	t.Helper()
	quiet()
	in := bytes.NewReader(file)
	r := bufio.NewReader(in) // the decoder takes it as it is
	left := func() int { return in.Len() + r.Buffered() }
	s, err := mewkiz.New(r)
	if err != nil {
		t.Fatal(err)
	}
	var pcm []int16
	var sizes []int
	for at := left(); ; at = left() {
		f, err := s.ParseNext()
		if errors.Is(err, io.EOF) {
			return s.Info, pcm, sizes
		}
		if err != nil {
			t.Fatalf("frame %d: %v", len(sizes), err)
		}
		if !f.HasFixedBlockSize || f.Num != uint64(len(sizes)) || f.SampleRate != s.Info.SampleRate {
			t.Fatalf("frame %d: header %+v", len(sizes), f.Header)
		}
		for _, v := range f.Subframes[0].Samples {
			pcm = append(pcm, int16(v))
		}
		sizes = append(sizes, at-left())
	}
}

// TestFLACSignals encodes blocks of every kind and takes them apart.
func TestFLACSignals(t *testing.T) {
	t.Parallel()
	const rate = 24000
	block := flacBlock(rate)
	for _, n := range []int{1, 2, flacTaps, flacMinSamples - 1, flacMinSamples, flacMinSamples + 1, 200,
		block - 1, block, block + 1, 3*block - 8} {
		for name, pcm := range flacSignals(n, rate) {
			file := encode(t, audio.Format{Codec: audio.FLAC, SampleRate: rate}, Stream, pcm).all()
			info, got, sizes := flacDecode(t, file)
			want := meta.StreamInfo{BlockSizeMin: uint16(block), BlockSizeMax: uint16(block),
				SampleRate: rate, NChannels: 1, BitsPerSample: 16}
			if *info != want {
				t.Errorf("%s, %d samples: head %+v, want %+v", name, n, *info, want)
			}
			if !slices.Equal(got, pcm) {
				t.Errorf("%s, %d samples: decoded samples differ", name, n)
			}
			for i, size := range sizes {
				if most := 2*min(block, n-i*block) + 12; size > most {
					t.Errorf("%s, %d samples: frame %d takes %d bytes, more than verbatim", name, n, i, size)
				}
			}
		}
	}
}

// TestFLACSize holds the files to a size, by the kind of signal.
func TestFLACSize(t *testing.T) {
	t.Parallel()
	const rate = 24000
	signals := flacSignals(rate, rate)
	for name, most := range map[string]float64{ // share of PCM
		"speech": 0.56, "silence": 0.01, "most": 0.01, "least": 0.01, "noise": 1.01, "faint noise": 0.16,
		"square": 0.88, "alternating": 0.15, "impulses": 0.1, "ramp": 0.24, "sine": 0.42, "late burst": 0.22,
	} {
		file := encode(t, audio.Format{Codec: audio.FLAC, SampleRate: rate}, Stream, signals[name]).all()
		got := float64(len(file)) / (2 * rate)
		t.Logf("%-12s %.3f", name, got)
		if got > most {
			t.Errorf("%s takes %.3f of PCM, want %.3f at most", name, got, most)
		}
	}
}

// TestFLACWithFFmpeg decodes files of every rate by FFmpeg.
func TestFLACWithFFmpeg(t *testing.T) {
	t.Parallel()
	for _, rate := range audio.SampleRates {
		t.Run(fmt.Sprint(rate), func(t *testing.T) {
			t.Parallel()
			var pcm []int16
			signals := flacSignals(rate/5+rate%7, rate)
			for _, name := range slices.Sorted(maps.Keys(signals)) {
				pcm = append(pcm, signals[name]...)
			}
			for _, mode := range []Mode{Stream, File} {
				file := encode(t, audio.Format{Codec: audio.FLAC, SampleRate: rate}, mode, pcm).all()
				if got, want := audiotest.Probe(t, file), (audiotest.Stream{Codec: "flac", SampleRate: rate, Channels: 1}); got != want {
					t.Errorf("mode %d: ffprobe finds %+v, want %+v", mode, got, want)
				}
				if got := audiotest.Decode(t, file, rate); !slices.Equal(got, pcm) {
					t.Errorf("mode %d: ffmpeg finds other samples (%d, want %d)", mode, len(got), len(pcm))
				}
			}
		})
	}
}

// TestLengthyFLACShortWithFFmpeg decodes files about the size of a block by FFmpeg.
func TestLengthyFLACShortWithFFmpeg(t *testing.T) {
	t.Parallel()
	const rate = 8000
	block := flacBlock(rate)
	for _, n := range []int{0, 1, 15, block - 1, block, block + 1} {
		if testing.Short() && n != 1 {
			continue
		}
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			pcm := audiotest.Speech(rate, n)
			for _, mode := range []Mode{Stream, File} {
				file := encode(t, audio.Format{Codec: audio.FLAC, SampleRate: rate}, mode, pcm).all()
				if got, want := audiotest.Probe(t, file), (audiotest.Stream{Codec: "flac", SampleRate: rate, Channels: 1}); got != want {
					t.Errorf("mode %d: ffprobe finds %+v, want %+v", mode, got, want)
				}
				if got := audiotest.Decode(t, file, rate); !slices.Equal(got, pcm) {
					t.Errorf("mode %d: ffmpeg finds %d other samples", mode, len(got))
				}
			}
		})
	}
}
