package espeak

import (
	"context"
	"strings"
	"unicode/utf8"

	"vaak/engine"
	"vaak/engine/espeak/accent"
	"vaak/engine/espeak/form"
	"vaak/internal/fault"
	"vaak/lang"
)

// accents say how voices of a native language speak another.
type accents struct {
	// mapped says whether they do so with the sounds of their own.
	mapped func(native, spoken lang.Code) bool
	// level is how much louder than in their own language they are then, in dB.
	level func(native, spoken lang.Code) float64
}

// measuredAccents are those of the tables.
var measuredAccents = accents{accent.IsMapped, accent.Level}

// as returns the accents that a caller chose, nothing of which was measured.
func as(mapped func(native, spoken lang.Code) bool) accents {
	if mapped == nil {
		return measuredAccents
	}
	return accents{mapped, func(lang.Code, lang.Code) float64 { return 0 }}
}

// nativeOf returns the library's voice of the native language of an utterance's
// speaker, if the utterance is spoken with the sounds of that.
func (has accents) nativeOf(u engine.Utterance) (string, bool) {
	if u.Voice.Native == "" || u.Voice.Native == u.Language || !has.mapped(u.Voice.Native, u.Language) ||
		accent.Of(u.Voice.Native, u.Language) == nil {
		return "", false
	}
	return voiceName(u.Voice.Native)
}

// of returns the voice that reads an utterance, and the accent with which
// its speaker says what was read; nil where one and the same voice does both.
func (has accents) of(u engine.Utterance) (reader string, a *accent.Accent) {
	if _, ok := has.nativeOf(u); !ok {
		return "", nil
	}
	reader, ok := voiceFor(u.Language, u.Region, u.Text)
	if !ok {
		return "", nil
	}
	return reader, accent.Of(u.Voice.Native, u.Language)
}

// say returns a piece in the phonemes of the voice's native language.
func (s *synthesis) say(ctx context.Context, p piece) (accent.Said, error) {
	clauses, err := s.transcribe(ctx, p.text, 0)
	if err != nil {
		return accent.Said{}, err
	}
	return s.accent.Say(p.text, clauses), nil
}

// transcribe has a child tell how the reader reads a text: in IPA, with the flag
// flagPhonemes in the library's mnemonics.
func (s *synthesis) transcribe(ctx context.Context, text string, flags uint32) ([]accent.Clause, error) {
	var clauses []accent.Clause
	r := request{flags: flags | flagTranscribe, set: s.set, text: text}
	r.set.Voice = s.reader
	err := s.ask(ctx, r, allRoom, func(f frame) error {
		if f.kind == frameClause {
			clauses = append(clauses, accent.Clause{End: clauseEnd(text, int(f.value)), Words: strings.Fields(f.text)})
		}
		return nil
	})
	return clauses, err
}

// allRoom is the room of a transcription, which makes no audio.
func allRoom(context.Context) (int, bool, error) { return 0, true, nil }

// clauseEnd returns the end of a clause of which the library tells the byte behind
// the first character of the next one.
func clauseEnd(text string, at int) int {
	if at >= len(text) {
		return len(text)
	}
	_, n := utf8.DecodeLastRuneInString(text[:at])
	return at - n
}

// Reader returns the library's name of the voice that reads a text in a language, of
// "" its usual one,
// and false if that is one that the engine does not speak.
func Reader(code lang.Code, text string) (name string, ok bool) { return voiceFor(code, "", text) }

// Reading is how the library reads a text.
type Reading struct {
	Form    string          // the text as the library gets it
	Clauses []accent.Clause // of the form
}

// Read returns how a text is read in its language, in IPA or in the library's own
// mnemonics. It is for measurements.
func (e *Engine) Read(ctx context.Context, code lang.Code, text string, mnemonics bool) (r Reading, err error) {
	name, ok := voiceFor(code, "", text)
	if !ok {
		return r, fault.BadParameter("lang", "language %q is not spoken by engine espeak", code)
	}
	flags := uint32(0)
	if mnemonics {
		flags = flagPhonemes
	}
	r.Form, _ = form.Of(code, text)
	s := &synthesis{e: e, set: Parameters{Rate: plainTimbre.Rate}, reader: name}
	r.Clauses, err = s.transcribe(ctx, r.Form, flags)
	return r, err
}
