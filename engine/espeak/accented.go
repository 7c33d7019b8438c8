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

// accents decide how voices of one native language speak another language.
type accents struct {
	// mapped reports whether they use the sounds of their native language.
	mapped func(native, spoken lang.Code) bool
	// level returns how much louder the result is than their native language, in dB.
	level func(native, spoken lang.Code) float64
}

// measuredAccents are the accents measured for the product; see package accent.
var measuredAccents = accents{accent.IsMapped, accent.Level}

// newAccents returns accents with the given choice of pairs, at the level of the native
// language, or the measured ones if mapped is nil.
func newAccents(mapped func(native, spoken lang.Code) bool) accents {
	if mapped == nil {
		return measuredAccents
	}
	return accents{mapped, func(lang.Code, lang.Code) float64 { return 0 }}
}

// nativeOf returns the library's voice for the speaker's native language. ok is false if
// the utterance is not spoken with the sounds of that language.
func (t accents) nativeOf(u engine.Utterance) (string, bool) {
	if u.Voice.Native == "" || u.Voice.Native == u.Language || !t.mapped(u.Voice.Native, u.Language) ||
		accent.Of(u.Voice.Native, u.Language) == nil {
		return "", false
	}
	return voiceName(u.Voice.Native)
}

// of returns the voice that reads an utterance, and the accent in which it is then spoken.
// a is nil if one voice reads and speaks.
func (t accents) of(u engine.Utterance) (reader string, a *accent.Accent) {
	if _, ok := t.nativeOf(u); !ok {
		return "", nil
	}
	reader, ok := voiceFor(u.Language, u.Region, u.Text)
	if !ok {
		return "", nil
	}
	return reader, accent.Of(u.Voice.Native, u.Language)
}

// phonemes returns what a piece sounds like, in the phonemes of the voice's native language.
func (s *synthesis) phonemes(ctx context.Context, p piece) (accent.Said, error) {
	clauses, err := s.transcribe(ctx, p.text, 0)
	if err != nil {
		return accent.Said{}, err
	}
	return s.accent.Say(p.text, clauses), nil
}

// transcribe returns how the reader reads a text: in IPA, or in the library's own phoneme
// mnemonics if flags has flagPhonemes.
func (s *synthesis) transcribe(ctx context.Context, text string, flags uint32) ([]accent.Clause, error) {
	var clauses []accent.Clause
	r := request{flags: flags | flagTranscribe, set: s.set, text: text}
	r.set.Voice = s.reader
	err := s.ask(ctx, r, unlimitedRoom, func(f frame) error {
		if f.kind == frameClause {
			// Only the last clause ends with the text. One before it whose end is reported there
			// ends before the last character.
			if n := len(clauses); n > 0 && clauses[n-1].End == len(text) && f.text != "" {
				_, size := utf8.DecodeLastRuneInString(text)
				clauses[n-1].End -= size
			}
			clauses = append(clauses, accent.Clause{End: clauseEnd(text, int(f.value)), Words: strings.Fields(f.text)})
		}
		return nil
	})
	return clauses, err
}

// unlimitedRoom is the room of a transcription, which makes no audio.
func unlimitedRoom(context.Context) (int, bool, error) { return 0, true, nil }

// clauseEnd returns the end of a clause. The library reports a position one character too
// far: after the first character of the next clause.
func clauseEnd(text string, at int) int {
	if at >= len(text) {
		return len(text)
	}
	_, n := utf8.DecodeLastRuneInString(text[:at])
	return at - n
}

// Reader returns the library's name of the voice that reads a text in a language, whose
// usual voice is returned for "". ok is false if the engine does not speak the language.
func Reader(code lang.Code, text string) (name string, ok bool) { return voiceFor(code, "", text) }

// Reading tells how the library reads a text.
type Reading struct {
	Form    string          // the text as the library receives it
	Clauses []accent.Clause // of Form
}

// Read returns how a text is read in its language, in IPA or in the library's own phoneme
// mnemonics. Measurements use it.
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
