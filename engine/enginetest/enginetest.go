// Package enginetest helps to test engines and their users. [Tone] is a small engine that
// needs nothing installed. [Run] is the suite that every engine must pass.
package enginetest

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"vaak/engine"
	"vaak/internal/fault"
	"vaak/lang"
	"vaak/text"
	"vaak/voice"
)

// Tone is an engine that hums: each word is a tone of 80 ms per letter, at a pitch that
// depends on the voice, and each space is 40 ms of silence. The zero Tone is ready to use.
type Tone struct {
	// Speaks are the languages it speaks; nil is all.
	Speaks []lang.Code
	// Cannot are letters that it cannot speak: a word with one of them is left out.
	Cannot string
	// Alias is its name; "" is "tone".
	Alias string
	// Rate is its sample rate; 0 is 22,050 Hz.
	Rate int
	// Samples are the parameters of requests that it says have an effect.
	Samples []string
	// Voiced, if not nil, is called with each voice that is asked for. Its error says why
	// the tone does not have the voice.
	Voiced func(voice.Voice) error
	// Before, if not nil, is called before each frame. It may block or fail.
	Before func(ctx context.Context, u engine.Utterance) error
	// Traits, if not nil, changes what Voice returns.
	Traits func(*engine.Traits)
	// Frame, if not nil, changes each frame before it is delivered.
	Frame func(u engine.Utterance, f *engine.Frame)
}

var _ engine.Engine = Tone{}

const (
	perLetter  = 80 * time.Millisecond
	perSpace   = 40 * time.Millisecond
	finalPause = 300 * time.Millisecond
)

// Name returns "tone", or Alias.
func (e Tone) Name() string { return cmp.Or(e.Alias, "tone") }

// SampleRate returns the rate of all voices.
func (e Tone) SampleRate() int { return cmp.Or(e.Rate, 22050) }

// Languages returns Speaks, or all supported languages if that is nil.
func (e Tone) Languages() []lang.Code {
	if e.Speaks != nil {
		return e.Speaks
	}
	var all []lang.Code
	for _, l := range lang.All() {
		all = append(all, l.Code)
	}
	return all
}

// Voice returns the same for every voice that Voiced lets pass.
func (e Tone) Voice(v voice.Voice) (engine.Traits, error) {
	if e.Voiced != nil {
		if err := e.Voiced(v); err != nil {
			return engine.Traits{}, err
		}
	}
	t := engine.Traits{SampleRate: e.SampleRate(), Languages: e.Languages(), Deterministic: true, Parameters: engine.UsualRanges(e.Samples...)}
	if e.Traits != nil {
		e.Traits(&t)
	}
	return t, nil
}

// Synthesize hums u, one frame per word, with as much of the words around it as Edge wants.
func (e Tone) Synthesize(ctx context.Context, u engine.Utterance, sink engine.Sink) error {
	if !slices.Contains(e.Languages(), u.Language) {
		return fault.BadParameter("lang", "language %q is not hummed", u.Language)
	}
	frame := func(f engine.Frame) error {
		if e.Before != nil {
			if err := e.Before(ctx, u); err != nil {
				return err
			}
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if _, _, err := sink.Room(ctx); err != nil {
			return err
		}
		if e.Frame != nil {
			e.Frame(u, &f)
		}
		return sink.Frame(f)
	}
	if pcm := e.hum(u.Before, pitch(u)); u.Edge > 0 && len(pcm) > 0 {
		if err := frame(engine.Frame{Part: engine.Lead, PCM: pcm[max(0, len(pcm)-u.Edge):]}); err != nil {
			return err
		}
	}
	if err := e.body(u, frame); err != nil {
		return err
	}
	if pcm := e.hum(u.After, pitch(u)); u.Edge > 0 && len(pcm) > 0 {
		return frame(engine.Frame{Part: engine.Trail, PCM: pcm[:min(len(pcm), u.Edge)]})
	}
	return nil
}

// body hums the text of u.
func (e Tone) body(u engine.Utterance, frame func(engine.Frame) error) error {
	sample, hz := 0, pitch(u)
	for start := 0; start < len(u.Text); {
		end := start + wordLength(u.Text[start:])
		switch {
		case end > start && strings.ContainsAny(u.Text[start:end], e.Cannot):
			if err := frame(engine.Frame{LeftOut: []text.Span{{Start: start, End: end}}}); err != nil {
				return err
			}
		case end > start:
			w := engine.Word{Start: start, End: end, Sample: sample}
			pcm := e.tone(time.Duration(utf8.RuneCountInString(u.Text[start:end]))*perLetter, hz)
			sample += len(pcm)
			if err := frame(engine.Frame{PCM: pcm, Words: []engine.Word{w}}); err != nil {
				return err
			}
		}
		if end < len(u.Text) {
			_, n := utf8.DecodeRuneInString(u.Text[end:])
			end += n
			pause := e.tone(perSpace, 0)
			sample += len(pause)
			if err := frame(engine.Frame{PCM: pause}); err != nil {
				return err
			}
		}
		start = end
	}
	if u.Continues {
		return frame(engine.Frame{PCM: e.tone(finalPause, 0)})
	}
	return nil
}

// hum returns the samples of a text outside an utterance, its Before or After.
func (e Tone) hum(s string, hz float64) []int16 {
	var pcm []int16
	_ = Tone{Rate: e.Rate}.body(engine.Utterance{Text: s}, func(f engine.Frame) error { // fails only if the function does
		if len(f.Words) > 0 {
			f.PCM = e.wave(len(f.PCM), hz)
		}
		pcm = append(pcm, f.PCM...)
		return nil
	})
	return pcm
}

// wordLength returns how many bytes of s come before the first space.
func wordLength(s string) int {
	for i, r := range s {
		if unicode.IsSpace(r) {
			return i
		}
	}
	return len(s)
}

// pitch returns the frequency of a voice's tone, 100 to 299 Hz.
func pitch(u engine.Utterance) float64 {
	sum := 0
	for _, b := range []byte(u.Voice.ID) {
		sum += int(b)
	}
	return 100 + float64(sum%200)
}

// tone returns a tone, or silence for 0 Hz.
func (e Tone) tone(d time.Duration, hz float64) []int16 {
	return e.wave(int(d*time.Duration(e.SampleRate())/time.Second), hz)
}

// wave returns n samples of a tone.
func (e Tone) wave(n int, hz float64) []int16 {
	pcm := make([]int16, n)
	for i := range pcm {
		pcm[i] = int16(8000 * math.Sin(2*math.Pi*hz*float64(i)/float64(e.SampleRate())))
	}
	return pcm
}

// errSink is the error with which the suite's sinks fail.
var errSink = errors.New("sink is full")
