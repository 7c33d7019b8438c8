package accents

import (
	"context"
	"fmt"
	"math"
	"slices"

	"vaak/engine"
	"vaak/engine/espeak"
	"vaak/engine/espeak/accent"
	"vaak/lang"
	"vaak/voice"
)

// heard is what was measured of an utterance.
type heard struct {
	seconds float64
	words   []int // the level of each against that of the whole, in dB
}

// silent returns how many words have no sound.
func (h heard) silent() (n int) {
	for _, level := range h.words {
		if level <= accent.Faint {
			n++
		}
	}
	return n
}

// faintest returns the level of the faintest word, in dB.
func (h heard) faintest() int {
	if len(h.words) == 0 {
		return silence
	}
	return slices.Min(h.words)
}

// silence is the level of nothing, in dB.
const silence = -99

// render has a voice speak a text.
func render(ctx context.Context, e *espeak.Engine, v voice.Voice, code lang.Code, text string) (heard, error) {
	var pcm []int16
	var starts []int
	err := e.Synthesize(ctx, engine.Utterance{Text: text, Language: code, Voice: v}, engine.SinkFunc(func(f engine.Frame) error {
		pcm = append(pcm, f.PCM...)
		for _, w := range f.Words {
			starts = append(starts, w.Sample)
		}
		return nil
	}))
	if err != nil {
		return heard{}, fmt.Errorf("%s spoken by %s (%s): %w", code, v.Name, v.Native, err)
	}
	rate := e.SampleRate()
	return heard{seconds: float64(len(pcm)) / float64(rate), words: wordLevels(pcm, starts, rate/50)}, nil
}

// wordLevels returns the level of each word: that of its loudest frame of so many samples
// against the level of the whole, in dB, at the least [silence]. Words that begin
// within a frame are joined ones, as "να ακούω", and are heard together.
func wordLevels(pcm []int16, starts []int, frame int) []int {
	all := make([]int, len(starts))
	whole := rms(pcm)
	for i, from := range starts {
		to := len(pcm)
		for _, next := range starts[i+1:] {
			if next >= from+frame {
				to = min(next, to)
				break
			}
		}
		loudest := 0.0
		for part := range slices.Chunk(pcm[min(from, to):to], frame) {
			loudest = max(loudest, rms(part))
		}
		all[i] = silence
		if loudest > 0 {
			all[i] = max(silence, int(math.Round(20*math.Log10(loudest/whole))))
		}
	}
	return all
}

func rms(pcm []int16) float64 {
	sum := 0.0
	for _, x := range pcm {
		sum += float64(x) * float64(x)
	}
	return math.Sqrt(sum / float64(max(1, len(pcm))))
}

func hundredths(x float64) float64 { return math.Round(100*x) / 100 }
