package codec

import (
	"bytes"
	"crypto/md5"
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"github.com/mewkiz/flac/meta"
	"pgregory.net/rapid"

	"vaak/audio"
	"vaak/audio/audiotest"
)

// flacHeadSize is the size of the signature and the one metadata block, in bytes.
const flacHeadSize = 8 + 34

// flacBytes returns the little-endian bytes of pcm.
func flacBytes(t testing.TB, pcm []int16) []byte {
	t.Helper()
	b, err := binary.Append(nil, binary.LittleEndian, pcm)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestLengthyFLACFileHead checks what the head of a file declares in the end.
func TestLengthyFLACFileHead(t *testing.T) {
	if testing.Short() {
		t.Skip("minutes of sound")
	}
	t.Parallel()
	for _, rate := range audio.SampleRates {
		block := flacBlock(rate)
		if ms := 1000 * block / rate; ms > 50 || block > flacMaxBlock {
			t.Fatalf("%d Hz: a block of %d samples, %d ms", rate, block, ms)
		}
		for _, n := range []int{0, 1, block - 1, block, rate + 1} {
			pcm := audiotest.Speech(rate, n)
			info, got, sizes := flacDecode(t, encode(t, audio.Format{Codec: audio.FLAC, SampleRate: rate}, File, pcm).all())
			want := meta.StreamInfo{BlockSizeMin: uint16(block), BlockSizeMax: uint16(block),
				SampleRate: uint32(rate), NChannels: 1, BitsPerSample: 16,
				NSamples: uint64(n), MD5sum: md5.Sum(flacBytes(t, pcm))}
			if n > 0 {
				want.FrameSizeMin, want.FrameSizeMax = uint32(slices.Min(sizes)), uint32(slices.Max(sizes))
			}
			if *info != want {
				t.Errorf("%d Hz, %d samples: head %+v, want %+v", rate, n, *info, want)
			}
			if !slices.Equal(got, pcm) {
				t.Errorf("%d Hz, %d samples: decoded samples differ", rate, n)
			}
		}
	}
}

// TestLengthyFLACModesDifferInTheHeadOnly compares a stream with the whole file.
func TestLengthyFLACModesDifferInTheHeadOnly(t *testing.T) {
	if testing.Short() {
		t.Skip("minutes of sound")
	}
	t.Parallel()
	for _, rate := range audio.SampleRates {
		f := audio.Format{Codec: audio.FLAC, SampleRate: rate}
		pcm := audiotest.Speech(rate, rate)
		stream, whole := encode(t, f, Stream, pcm).all(), encode(t, f, File, pcm).all()
		if bytes.Equal(stream, whole) || !bytes.Equal(stream[flacHeadSize:], whole[flacHeadSize:]) {
			t.Errorf("%d Hz: the modes do not differ in the head alone", rate)
		}
	}
}

// TestFLACStreams checks when bytes leave: with each full block, the head with
// the first.
func TestFLACStreams(t *testing.T) {
	t.Parallel()
	for _, rate := range audio.SampleRates {
		var r record
		w, err := NewEncoder(&r, audio.Format{Codec: audio.FLAC, SampleRate: rate}, Stream)
		if err != nil {
			t.Fatal(err)
		}
		block := flacBlock(rate)
		pcm := audiotest.Speech(rate, 3*block+block/2)
		for i := range pcm {
			if err := w.WritePCM(pcm[i : i+1]); err != nil {
				t.Fatal(err)
			}
			if want := (i + 1) / block; len(r.writes) != want {
				t.Fatalf("%d Hz: %d writes after %d samples, want %d", rate, len(r.writes), i+1, want)
			}
		}
		if _, got, _ := flacDecode(t, r.all()); !slices.Equal(got, pcm[:3*block]) {
			t.Errorf("%d Hz: what has left does not decode to three blocks", rate)
		}
		if err := errors.Join(w.Close(), w.Close()); err != nil || len(r.writes) != 4 {
			t.Errorf("%d Hz: Close: %v and %d writes, want 4", rate, err, len(r.writes))
		}
		if _, got, _ := flacDecode(t, r.all()); !slices.Equal(got, pcm) {
			t.Errorf("%d Hz: decoded samples differ", rate)
		}
	}
}

// TestFLACAnyCut checks that the bytes depend on the samples only.
func TestFLACAnyCut(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		f := audio.Format{Codec: audio.FLAC, SampleRate: rapid.SampledFrom(audio.SampleRates).Draw(rt, "rate")}
		pcm := audiotest.Speech(f.SampleRate, rapid.IntRange(0, 8000).Draw(rt, "samples"))
		cuts := rapid.SliceOf(rapid.IntRange(0, len(pcm))).Draw(rt, "cuts")
		slices.Sort(cuts)
		var blocks [][]int16
		from := 0
		for _, to := range append(cuts, len(pcm)) {
			blocks = append(blocks, slices.Clone(pcm[from:to]))
			from = to
		}
		for _, mode := range []Mode{Stream, File} {
			if !bytes.Equal(encode(t, f, mode, pcm).all(), encode(t, f, mode, blocks...).all()) {
				rt.Fatalf("mode %d: cut at %v, the bytes differ", mode, cuts)
			}
		}
	})
}

// TestFLACDropsAStreamThatFails checks that nothing follows a failed write.
func TestFLACDropsAStreamThatFails(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	r := &record{err: broken}
	w, err := NewEncoder(r, audio.Format{Codec: audio.FLAC}, Stream)
	if err != nil {
		t.Fatal(err)
	}
	block := make([]int16, flacBlock(audio.DefaultSampleRate))
	if err := w.WritePCM(block[1:]); err != nil {
		t.Errorf("WritePCM of less than a block: %v", err)
	}
	for range 2 {
		if err := w.WritePCM(block[:1]); !errors.Is(err, broken) {
			t.Errorf("WritePCM: %v, want %v", err, broken)
		}
	}
	r.err = nil
	for range 2 {
		if err := w.Close(); !errors.Is(err, broken) || len(r.writes) > 0 {
			t.Errorf("Close: %v and %d writes, want %v and none", err, len(r.writes), broken)
		}
	}
}

// TestLengthyFLACManyFrames decodes a file with frame numbers of one to three bytes.
func TestLengthyFLACManyFrames(t *testing.T) {
	if testing.Short() {
		t.Skip("minutes of sound")
	}
	t.Parallel()
	const rate, frames = 8000, 2100
	pcm := make([]int16, frames*flacBlock(rate))
	for i := range pcm {
		pcm[i] = int16(i / 3)
	}
	file := encode(t, audio.Format{Codec: audio.FLAC, SampleRate: rate}, Stream, pcm).all()
	if _, got, sizes := flacDecode(t, file); !slices.Equal(got, pcm) || len(sizes) != frames {
		t.Errorf("%d samples in %d frames, want %d in %d", len(got), len(sizes), len(pcm), frames)
	}
	if got := audiotest.Decode(t, file, rate); !slices.Equal(got, pcm) {
		t.Errorf("ffmpeg finds other samples (%d, want %d)", len(got), len(pcm))
	}
}

// TestFLACAllocations checks that deciding on frames allocates nothing.
func TestFLACAllocations(t *testing.T) {
	s := flacScratches.New().(*flacScratch)
	pcm := audiotest.Speech(24000, flacBlock(24000))
	if got := testing.AllocsPerRun(10, func() { s.analyse(24000, pcm) }); got > 0 {
		t.Errorf("%v allocations a frame", got)
	}
}

func FuzzFLAC(f *testing.F) {
	f.Add([]byte{}, uint8(0))
	f.Add([]byte{1}, uint8(3))
	for _, pcm := range flacSignals(900, 16000) {
		f.Add(flacBytes(f, pcm), uint8(len(pcm)))
	}
	f.Fuzz(func(t *testing.T, raw []byte, rate uint8) {
		pcm := make([]int16, len(raw)/2)
		if _, err := binary.Decode(raw, binary.LittleEndian, pcm); err != nil {
			t.Fatal(err)
		}
		format := audio.Format{Codec: audio.FLAC, SampleRate: audio.SampleRates[int(rate)%len(audio.SampleRates)]}
		info, got, _ := flacDecode(t, encode(t, format, File, pcm).all())
		if !slices.Equal(got, pcm) {
			t.Errorf("%d samples in, others out (%d)", len(pcm), len(got))
		}
		if info.MD5sum != md5.Sum(raw[:2*len(pcm)]) || info.NSamples != uint64(len(pcm)) {
			t.Errorf("head %+v of %d samples", info, len(pcm))
		}
	})
}
