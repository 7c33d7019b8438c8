// Package engine defines what a synthesis engine must do, and finds the engine of a voice.
//
// An engine is a driver: package speech decides what to say, and an engine says it. The
// default is engine/espeak. Package enginetest has a tone generator for tests, and the suite
// that every engine must pass.
package engine

import (
	"cmp"
	"context"
	"math"
	"slices"

	"vaak/internal/fault"
	"vaak/lang"
	"vaak/text"
	"vaak/voice"
)

// Utterance is one piece of speech: normalized text in one language, spoken by one voice.
type Utterance struct {
	// Text is what is heard. It is in NFC and has no control characters.
	Text string
	// Language is the language in which Text is read.
	Language lang.Code
	// Region is the regional variety of the language that is asked for, as in [lang.Tag]:
	// "MX" or "419" (Latin America) with Spanish. "" means the voice's own variety in its
	// native language, and the engine's choice in others. An engine that does not know
	// the region ignores it.
	Region string
	// Voice is who speaks.
	Voice voice.Voice
	// Before and After are the words spoken just before Text and those known to follow. They
	// shape the prosody of Text and are not heard.
	Before, After string
	// Continues means that more speech of the same text follows, so this utterance includes
	// the pause after its sentence. Otherwise it ends with its last sound.
	Continues bool
	// Edge is how many samples of Before and After the engine should return, at most, on
	// either side of Text. Joining the pieces of one sentence needs them. 0 asks for none.
	Edge int
	// Sampling are the parameters of the request. An engine uses those that its [Traits] name.
	Sampling Sampling
	// Timed means that the caller is told when each word begins. An engine whose word times
	// cost something may otherwise estimate them roughly.
	Timed bool
}

// Sampling holds the parameters of engines that sample; a nil field uses the engine's default.
type Sampling struct {
	Temperature       *float64 // 0 to 2
	TopP              *float64 // 0 to 1
	TopK              *float64 // 0 to 1000
	MinP              *float64 // 0 to 1
	RepetitionPenalty *float64 // 0.5 to 2
	PresencePenalty   *float64 // -2 to 2
	Seed              *int64   // 0 to 2^32-1
}

// Word says that a word of the utterance begins at a sample.
type Word struct {
	// Start and End are byte offsets into Utterance.Text. Several words may have the same
	// range, as when a number is read as three words.
	Start, End int
	// Sample is where the word begins, counted at the voice's rate from the first sample of
	// the Body.
	Sample int
}

// Part tells what the PCM of a frame belongs to.
type Part uint8

// The parts. The frames of Lead come first, then those of Body, then those of Trail.
const (
	Body  Part = iota // Utterance.Text
	Lead              // the end of Utterance.Before, up to the text
	Trail             // the beginning of Utterance.After, from the end of the text
)

// Frame is a piece of the result. The words of a frame begin in its PCM or in that of a later
// frame; over the whole utterance they ascend in Start and in Sample. Only frames of Body
// have Words and LeftOut.
type Frame struct {
	Part  Part
	PCM   []int16 // mono, at the voice's rate; valid only during the call
	Words []Word  // valid only during the call
	// LeftOut are the bytes of Utterance.Text that the engine cannot speak. They lie between
	// what was spoken before this frame and what is spoken after it. They ascend, and none is
	// reported twice.
	LeftOut []text.Span
	// Estimated says that the times of Words are estimated from the text and the sound, not
	// known from making it.
	Estimated bool
	// By tells who made the frame where that is not simply the voice on this engine; the
	// zero value says that it is.
	By Origin
}

// Origin is who makes a sound for an engine that hands work on.
type Origin struct {
	// Place is where it is made, in a few letters of ASCII, such as the name of a pool of
	// servers. "" is the engine itself.
	Place string
	// Engine is the engine that speaks instead, and Voice the voice that does; "" where none does.
	Engine string
	Voice  voice.ID
}

// Sink receives frames, and says when it has room for more.
type Sink interface {
	// Room waits until more audio is wanted and returns how many samples. If ahead is true,
	// the engine may make as many samples again while it delivers these. An engine that is
	// faster than playback must call Room before it makes more. Audio made without asking is
	// accepted too, but may block in Frame. The error is the cause of ctx when that ends.
	Room(ctx context.Context) (samples int, ahead bool, err error)
	// Frame receives a frame. Its error stops the engine, and Synthesize returns it.
	Frame(Frame) error
}

// SinkFunc is a Sink that always has room.
type SinkFunc func(Frame) error

// Room returns at once.
func (f SinkFunc) Room(context.Context) (int, bool, error) { return math.MaxInt, true, nil }

// Frame calls f.
func (f SinkFunc) Frame(frame Frame) error { return f(frame) }

// Traits tell what an engine makes of a voice.
type Traits struct {
	// SampleRate is the rate of all frames, in Hz.
	SampleRate int
	// Languages are those that the voice speaks on this engine.
	Languages []lang.Code
	// Deterministic says that the same utterance always gives the same samples and words,
	// whatever was spoken before it or at the same time. Only then may results be cached.
	Deterministic bool
	// Revision names what decides the samples beside the program: versions of libraries, the
	// content of a model.
	Revision string
	// Parameters are those of [Sampling] that have an effect.
	Parameters []Parameter
	// Remote says that another machine makes the sound: waiting for it takes no processor of
	// this one.
	Remote bool
	// Clauses says that the voice speaks whole clauses: pieces of one cannot be joined.
	Clauses bool
	// Load is how many seconds of one processor a second of audio takes. 0 means so few that
	// the scheduler measures them for all streams together.
	Load float64
}

// Parameter is a parameter of [Sampling] that an engine uses, and the range it takes.
type Parameter struct {
	Name     string // in requests, such as "temperature"
	Min, Max float64
}

// Usual are the parameters of [Sampling] with the ranges that requests have.
var Usual = []Parameter{
	{"temperature", 0, 2},
	{"top_p", 0, 1},
	{"top_k", 0, 1000},
	{"min_p", 0, 1},
	{"repetition_penalty", 0.5, 2},
	{"presence_penalty", -2, 2},
	{"seed", 0, MaxSeed},
}

// MaxSeed is the largest seed; the smallest is 0.
const MaxSeed = 1<<32 - 1

// UsualRanges returns some parameters with the ranges that requests have.
func UsualRanges(names ...string) []Parameter {
	var all []Parameter
	for _, p := range Usual {
		if slices.Contains(names, p.Name) {
			all = append(all, p)
		}
	}
	return all
}

// Speaks reports whether the voice speaks a language on the engine.
func (t Traits) Speaks(code lang.Code) bool { return slices.Contains(t.Languages, code) }

// Engine turns utterances into PCM. Its methods must be safe for concurrent use.
type Engine interface {
	// Name is a short stable word, such as "espeak".
	Name() string
	// Languages returns the languages that the engine speaks, with one voice or another.
	Languages() []lang.Code
	// Voice tells what the engine makes of a voice. The error is of kind NotFound if it has
	// no such voice, and of kind Unavailable if the voice cannot be used for now.
	Voice(v voice.Voice) (Traits, error)
	// Synthesize speaks u into sink. When ctx ends it stops within 20 ms and returns the
	// cause. The error is of kind Invalid for a language that the voice does not speak, and
	// of kind Unavailable if the engine is down. Text that a working engine cannot speak is
	// no error; it is reported in Frame.LeftOut.
	Synthesize(ctx context.Context, u Utterance, sink Sink) error
}

// Set is a list of engines in order of preference.
type Set []Engine

// For returns the engine that speaks a language with a voice, and what it makes of the voice. It
// is the first that speaks the language, of all engines for a voice of the roster and of the
// voice's own for others. The error is of kind Invalid if the voice does not speak the language,
// and of kind Unavailable if its engine cannot be used.
func (s Set) For(v voice.Voice, code lang.Code) (Engine, Traits, error) {
	var failed error
	for _, e := range s {
		if v.Engine != "" && v.Engine != e.Name() {
			continue
		}
		t, err := e.Voice(v)
		if err == nil && t.Speaks(code) {
			return e, t, nil
		}
		if v.Engine != "" { // that another engine has no voice of the roster is no failure
			failed = cmp.Or(failed, err)
		}
	}
	switch {
	case failed != nil:
		return nil, Traits{}, failed
	case v.Engine != "" && !slices.ContainsFunc(s, func(e Engine) bool { return e.Name() == v.Engine }):
		return nil, Traits{}, fault.New(fault.Unavailable, fault.CodeEngineUnavailable, "voice",
			"voice %s needs engine %s, which this deployment does not run", v.ID, v.Engine)
	}
	return nil, Traits{}, fault.BadParameter("lang", "language %q is not spoken by this deployment", code)
}

// Speaks reports whether any engine speaks a language.
func (s Set) Speaks(code lang.Code) bool {
	return slices.ContainsFunc(s, func(e Engine) bool { return slices.Contains(e.Languages(), code) })
}

// Languages returns the languages that any engine of the set speaks, each once.
func (s Set) Languages() []lang.Code {
	var all []lang.Code
	for _, e := range s {
		for _, c := range e.Languages() {
			if !slices.Contains(all, c) {
				all = append(all, c)
			}
		}
	}
	return all
}
