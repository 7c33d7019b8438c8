// Package engine says what a synthesis engine must do, and picks one for an
// utterance.
//
// An engine is a driver: package speech decides what to say, an engine says
// it. engine/espeak is the embedded default; enginetest holds a tone generator
// for tests and the suite that every engine must pass.
package engine

import (
	"context"
	"math"

	"vaak/internal/fault"
	"vaak/lang"
	"vaak/text"
	"vaak/voice"
)

// Utterance is one piece of speech: normalized text in one language, spoken by
// one voice.
type Utterance struct {
	// Text is what is heard, in NFC and without control characters.
	Text string
	// Language says how the letters of Text are read.
	Language lang.Code
	// Region is whose way of speaking the language is asked for, as in
	// [lang.Tag]: "MX" or "419" with Spanish. "" is the Voice's own in its native
	// language and is left to the engine in others, and one that does not know the
	// region's ways speaks as it does without.
	Region string
	// Voice says who speaks.
	Voice voice.Voice
	// Before and After shape the prosody of Text and are not heard: the words
	// that were spoken just before, and those known to follow.
	Before, After string
	// Continues says that more speech follows in the same breath of text, so
	// the pause that ends a sentence belongs to this utterance. Without it the
	// utterance ends with its last sound.
	Continues bool
	// Edge is how many samples are wanted, at most, of what lies just before
	// Text and just after it, where there are Before and After: who joins pieces
	// of one sentence needs them. 0 is none.
	Edge int
}

// Word says that a word of the utterance begins at a sample.
type Word struct {
	// Start and End are byte offsets into Utterance.Text. Several words may
	// cover one range (a number that is read as three words).
	Start, End int
	// Sample is where the word begins, counted from the first sample of the Body
	// at the engine's rate.
	Sample int
}

// Part says where the PCM of a frame lies.
type Part uint8

// The parts, in the order in which their frames come but for Body, which is
// between the two others.
const (
	Body  Part = iota // in Utterance.Text
	Lead              // in Utterance.Before, right up to the text
	Trail             // in Utterance.After, from the end of the text on
)

// Frame is a piece of the result. Frames come in order; the words of a frame
// begin in its PCM or in that of a later frame, and ascend over the utterance
// in Start and in Sample. Only frames of the Body have words
// and name what is left out.
type Frame struct {
	Part  Part
	PCM   []int16 // mono, at the engine's rate; valid only during the call
	Words []Word  // valid only during the call
	// LeftOut are the bytes of Utterance.Text that nothing can speak, between what was
	// said before and what comes: ascending, and each once.
	LeftOut []text.Span
}

// Sink takes frames, when it has room for them.
type Sink interface {
	// Room waits until more audio is wanted, and says how many samples of it. If
	// ahead, the engine may go on and make as many again while it hands those
	// over. An engine that makes audio faster than it is heard asks before it
	// makes more; what it makes without asking is taken too, only not so soon.
	// The error is the cause of the context's end.
	Room(ctx context.Context) (samples int, ahead bool, err error)
	// Frame takes a frame. Its error stops the engine and is returned by
	// Synthesize.
	Frame(Frame) error
}

// SinkFunc is a Sink that has room for everything.
type SinkFunc func(Frame) error

// Room returns at once.
func (f SinkFunc) Room(context.Context) (int, bool, error) { return math.MaxInt, true, nil }

// Frame calls f.
func (f SinkFunc) Frame(frame Frame) error { return f(frame) }

// Engine turns utterances into PCM. Its methods may be called concurrently.
//
// The same utterance gives the same samples and words every time if
// Deterministic says so, whatever was spoken before or at the same time.
type Engine interface {
	// Name is a short stable word, such as "espeak".
	Name() string
	// SampleRate is the rate of all frames, in Hz.
	SampleRate() int
	// Languages lists the supported languages that the engine speaks.
	Languages() []lang.Code
	// Deterministic says whether results may be cached and compared.
	Deterministic() bool
	// Synthesize speaks u into sink. A cancelled context stops it within 20 ms
	// and is returned as its cause; a language that the engine does not speak
	// is an error of kind Invalid, an engine that is down of kind Unavailable. Text
	// that a working engine cannot speak is no error: it is named in a frame.
	Synthesize(ctx context.Context, u Utterance, sink Sink) error
}

// Set is an ordered choice of engines; the first that speaks a language is
// used for it.
type Set []Engine

// For returns the engine that speaks a language.
func (s Set) For(code lang.Code) (Engine, error) {
	for _, e := range s {
		for _, c := range e.Languages() {
			if c == code {
				return e, nil
			}
		}
	}
	return nil, fault.BadParameter("lang", "language %q is not spoken by this deployment", code)
}

// Languages lists the languages that any engine of the set speaks, each once.
func (s Set) Languages() []lang.Code {
	var all []lang.Code
	seen := map[lang.Code]bool{}
	for _, e := range s {
		for _, c := range e.Languages() {
			if !seen[c] {
				seen[c] = true
				all = append(all, c)
			}
		}
	}
	return all
}
