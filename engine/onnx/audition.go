package onnx

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"vaak/engine"
	"vaak/engine/ipa"
	"vaak/engine/onnx/collection"
	"vaak/engine/onnx/symbols"
	"vaak/engine/onnx/worker"
	"vaak/text"
	"vaak/voice"
)

const (
	// mostUnknown is the share of the symbols of a text that a voice may not know, if it is to
	// be understood.
	mostUnknown = 0.2
	// mostMeasured is how many speakers of a model are measured. The others get what those have
	// on the average: one model has 904 speakers.
	mostMeasured = 12
	// shortest and longest are how long a voice may take for the sentence of its preview, which
	// people say in three to six seconds.
	shortest = 500 * time.Millisecond
	longest  = 60 * time.Second
)

// Audition checks a model that is to be added, and measures it: it must load, know the sounds of
// its language, and speak a sentence that is neither silent nor endless. Its error says why the
// model is refused. tell is called with what is being done.
func (e *Engine) Audition(ctx context.Context, d *collection.Draft, tell func(string)) error {
	if err := e.Start(); err != nil {
		return err
	}
	tell("loading the model")
	facts, err := e.process.Load().Facts(ctx, worker.Job{Kind: d.Kind, Model: d.ModelPath(), Digest: d.Digest})
	if err != nil {
		return err
	}
	d.Facts = facts
	var busy, audio time.Duration
	var gains []float64
	var read *parts
	for i := range d.Speakers {
		s := &d.Speakers[i]
		if i >= mostMeasured {
			s.Gain = mean(gains)
			continue
		}
		tell("speaking a sentence with " + s.Name)
		v, err := e.newSpoken(&d.Model, *s, &read)
		if err != nil {
			return err
		}
		a := &attempt{e: e, v: v}
		if err := a.speak(ctx); err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
		if i == 0 && facts.Cut {
			tell("comparing chunks with the whole")
			if d.Whole, err = a.differs(ctx); err != nil {
				return err
			}
		}
		s.Gain = gainOf(a.pcm, d.Rate)
		gains = append(gains, s.Gain)
		busy, audio = busy+a.busy, audio+a.audio()
	}
	d.Load = busy.Seconds() / audio.Seconds()
	return nil
}

func mean(all []float64) float64 {
	sum := 0.0
	for _, v := range all {
		sum += v
	}
	return sum / float64(len(all))
}

// attempt is the sentence that a voice speaks on trial.
type attempt struct {
	e    *Engine
	v    *spoken
	pcm  []int16
	busy time.Duration
}

func (a *attempt) audio() time.Duration {
	return time.Duration(len(a.pcm)) * time.Second / time.Duration(a.v.traits.SampleRate)
}

// speak speaks the preview of the voice's language.
func (a *attempt) speak(ctx context.Context) error {
	language := a.v.speaker.Language
	sentence := voice.PreviewText(language)
	reading, err := a.e.reader.Transcribe(ctx, language, a.v.reader, sentence)
	if err != nil {
		return err
	}
	encoded := a.encode(reading)
	if n := encoded.Symbols(); float64(encoded.Dropped) > mostUnknown*float64(n+encoded.Dropped) {
		return fmt.Errorf("it knows no symbols for %d of the %d sounds of a sentence in its language", encoded.Dropped, n+encoded.Dropped)
	}
	sink := engine.SinkFunc(func(f engine.Frame) error {
		a.pcm = append(a.pcm, f.PCM...)
		if a.audio() > longest {
			return fmt.Errorf("it takes more than %v for a sentence of %d characters", longest, len([]rune(sentence)))
		}
		return nil
	})
	s := &synthesis{e: a.e, v: a.v, u: engine.Utterance{Text: sentence, Language: language}, sink: sink}
	if err := s.speak(ctx, encoded.Pieces); err != nil {
		if r, ok := errors.AsType[*worker.Refusal](err); ok {
			return r
		}
		return err
	}
	a.busy = s.busy
	switch {
	case a.audio() < shortest:
		return fmt.Errorf("it speaks a sentence of %d characters in %v", len([]rune(sentence)), a.audio().Round(time.Millisecond))
	case activeLevel(a.pcm, a.v.traits.SampleRate) < leastLevel:
		return errors.New("it is silent")
	}
	return nil
}

func (a *attempt) encode(r ipa.Reading) symbols.Encoding {
	return a.v.encoder.Encode(r, symbols.Options{Body: text.Span{End: len(r.Text)}})
}

// differs reports whether the sentence has other samples when the model is computed as a whole.
func (a *attempt) differs(ctx context.Context) (bool, error) {
	whole := *a.v.model
	whole.Whole = true
	v := *a.v
	v.model = &whole
	b := &attempt{e: a.e, v: &v}
	if err := b.speak(ctx); err != nil {
		return false, err
	}
	if len(a.pcm) != len(b.pcm) {
		return true, nil
	}
	for i, x := range a.pcm {
		if d := int(x) - int(b.pcm[i]); d < -1 || d > 1 {
			return true, nil
		}
	}
	return false, nil
}

const (
	// rosterLevel is how loud the voices of the roster speak, in dB below full scale, as
	// activeLevel measures it.
	rosterLevel = -21.0
	// leastLevel is below what anybody would hear.
	leastLevel = -70.0
	// mostGain is the largest factor, and one by it the smallest.
	mostGain = 8
	// peak is the largest sample, of 1, that a gain may lead to.
	peak = 0.98
)

// gainOf returns the factor that makes speech as loud as the voices of the roster, as far as its
// peaks allow.
func gainOf(pcm []int16, rate int) float64 {
	gain := math.Pow(10, (rosterLevel-activeLevel(pcm, rate))/20)
	largest := 1
	for _, v := range pcm {
		largest = max(largest, int(v), -int(v))
	}
	gain = min(gain, peak*math.MaxInt16/float64(largest))
	return min(max(gain, 1.0/mostGain), mostGain)
}

// activeLevel returns the level of speech without its pauses, in dB below full scale: the mean
// power of those pieces of 20 ms that are at most 25 dB below the loudest.
func activeLevel(pcm []int16, rate int) float64 {
	var powers []float64
	for piece := range slices.Chunk(pcm, max(1, rate/50)) {
		sum := 0.0
		for _, v := range piece {
			x := float64(v) / math.MaxInt16
			sum += x * x
		}
		powers = append(powers, sum/float64(len(piece)))
	}
	if len(powers) == 0 {
		return math.Inf(-1)
	}
	least := slices.Max(powers) / math.Pow(10, 2.5)
	sum, n := 0.0, 0
	for _, p := range powers {
		if p >= least {
			sum, n = sum+p, n+1
		}
	}
	return 10 * math.Log10(sum/float64(n))
}

// Describe returns a sentence for the operator about a model that was added.
func Describe(m *collection.Model) string {
	var names []string
	for _, s := range m.Speakers {
		names = append(names, fmt.Sprintf("%s (%s)", s.ID, s.Name))
	}
	how := "sound comes in chunks"
	if m.Whole || !m.Facts.Cut {
		how = "each sentence is computed before it begins"
	}
	return fmt.Sprintf("%s: %d Hz, %.3f s of a processor for a second of speech, %s; voices %s",
		m.Name, m.Rate, m.Load, how, strings.Join(names[:min(len(names), 8)], ", "))
}
