package codec

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"testing"

	"vaak/audio"
	"vaak/audio/audiotest"
)

// g711Law describes a law as the tables of G.711 do.
type g711Law struct {
	codec  audio.Codec
	ffmpeg string
	drop   uint     // low bits of a 16-bit sample below the scale of from
	from   [128]int // decision value at which each code of a positive sample begins
	level  [128]int // what it decodes to, at 16 bits
	invert byte     // bits of a code that are sent inverted
}

func g711Laws() []g711Law {
	u := g711Law{codec: audio.ULaw, ffmpeg: "mulaw", drop: 2, invert: 0x7F}
	a := g711Law{codec: audio.ALaw, ffmpeg: "alaw", drop: 4, invert: 0x55}
	// Half of the first step of μ-law is on the other side of zero; its steps are
	// 16 of 2, 16 of 4, 16 of 8 and so on, those of A-law 32 of 1, 16 of 2 and so on.
	ufrom, afrom := -1, 0
	for code := range 128 {
		ustep, astep := 2<<(code/16), 1<<max(code/16-1, 0)
		u.from[code], u.level[code] = ufrom, 4*(ufrom+ustep/2)
		a.from[code], a.level[code] = afrom, 16*afrom+8*astep
		ufrom += ustep
		afrom += astep
	}
	return []g711Law{u, a}
}

// code returns the byte of a sample.
func (l *g711Law) code(s int) byte {
	magnitude, sign := s, byte(0x80)
	if s < 0 {
		magnitude, sign = -1-s, 0
	}
	next := sort.SearchInts(l.from[:], magnitude>>l.drop+1)
	return byte(next-1) ^ l.invert | sign
}

// g711All returns every sample in ascending order.
func g711All() []int16 {
	pcm := make([]int16, 0, 1<<16)
	for s := math.MinInt16; s <= math.MaxInt16; s++ {
		pcm = append(pcm, int16(s))
	}
	return pcm
}

// TestG711 checks every sample against the tables of the recommendation, and what
// FFmpeg decodes.
func TestG711(t *testing.T) {
	t.Parallel()
	pcm := g711All()
	for _, law := range g711Laws() {
		t.Run(string(law.codec), func(t *testing.T) {
			t.Parallel()
			file := encode(t, audio.Format{Codec: law.codec}, Stream, pcm).all()
			if len(file) != len(pcm) {
				t.Fatalf("%d bytes of %d samples", len(file), len(pcm))
			}
			decoded := audiotest.Decode(t, file, 8000, "-f", law.ffmpeg, "-ar", "8000")
			if !slices.IsSorted(decoded) {
				t.Error("the decoded samples do not ascend")
			}
			for i, s := range pcm {
				want := law.code(int(s))
				if file[i] != want {
					t.Fatalf("sample %d: code %#x, want %#x", s, file[i], want)
				}
				level := law.level[want&0x7F^law.invert]
				if s < 0 {
					level = -level
				}
				if int(decoded[i]) != level {
					t.Fatalf("sample %d: decoded as %d, want %d", s, decoded[i], level)
				}
			}
		})
	}
}

// TestLengthyG711Quality compares speech with what FFmpeg decodes, at every rate.
func TestLengthyG711Quality(t *testing.T) {
	t.Parallel()
	for _, law := range g711Laws() {
		for _, rate := range audio.SampleRates {
			if testing.Short() && rate != 8000 {
				continue
			}
			t.Run(fmt.Sprint(law.codec, rate), func(t *testing.T) {
				t.Parallel()
				pcm := audiotest.Speech(rate, rate)
				f := audio.Format{Codec: law.codec, SampleRate: rate}
				file := encode(t, f, File, pcm[:100], pcm[100:]).all()
				decoded := audiotest.Decode(t, file, rate, "-f", law.ffmpeg, "-ar", fmt.Sprint(rate))
				if len(decoded) != len(pcm) {
					t.Fatalf("%d samples, want %d", len(decoded), len(pcm))
				}
				if snr := audiotest.SNR(pcm, decoded); snr < 30 {
					t.Errorf("SNR %.1f dB, want 30", snr)
				}
			})
		}
	}
}
