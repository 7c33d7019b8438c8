package espeak

import (
	"context"
	"errors"
	"slices"

	"vaak/engine"
	"vaak/engine/espeak/accent"
	"vaak/engine/espeak/form"
	"vaak/engine/ipa"
	"vaak/internal/fault"
	"vaak/lang"
	"vaak/text"
	"vaak/voice"
)

// Transcribe returns how a text is read in a language, as spoken in a region: "" is the usual
// region. Places are bytes of the given text, not of its engine form. A text over which the
// library crashes is read in smaller pieces, and what still cannot be read is reported in
// LeftOut. The error is of kind Invalid for a language that the engine does not speak, and of
// kind Unavailable if the engine is down.
func (e *Engine) Transcribe(ctx context.Context, code lang.Code, region, whole string) (ipa.Reading, error) {
	reader, ok := voiceFor(code, region, whole)
	if !ok {
		return ipa.Reading{}, fault.BadParameter("lang", "language %q is not spoken by engine espeak", code)
	}
	if whole == "" {
		return ipa.Reading{}, nil
	}
	formed, back := form.Of(code, whole)
	if formed == "" {
		return ipa.Reading{Text: whole, LeftOut: []text.Span{{End: len(whole)}}}, nil
	}
	if len(formed) > maxText {
		return ipa.Reading{}, fault.New(fault.Invalid, fault.CodeTextTooLong, "input",
			"an utterance of %d bytes is over %d", len(formed), maxText)
	}
	// Native, because the reader itself speaks the control sentence.
	u := engine.Utterance{Language: code, Region: region, Voice: voice.Voice{Native: code}}
	s := &synthesis{e: e, u: u, set: Parameters{Voice: reader, Rate: plainTimbre.Rate}, reader: reader, out: &output{}}
	if err := e.failures.recent(s.voices()); err != nil {
		return ipa.Reading{}, err
	}
	t := transcription{s: s, form: formed, back: back, at: ipa.Offsets(formed), reading: ipa.Reading{Text: whole}}
	if err := t.read(ctx, piece{text: formed}); err != nil {
		e.failures.note(s.voices(), err)
		return ipa.Reading{}, err
	}
	e.failures.forget(s.voices())
	return t.reading, nil
}

// transcription is the work on one reading, by as many children as it takes.
type transcription struct {
	s       *synthesis
	form    string
	back    text.Map // from the form to the text; nil if they are identical
	at      []int    // the byte of the form at which each code point begins, and its length
	reading ipa.Reading
}

// read adds the reading of a piece of the form, in whatever way works.
func (t *transcription) read(ctx context.Context, p piece) error {
	clauses, err := t.attempt(ctx, p)
	for lost := 1; errors.Is(err, errLost) && lost < maxLost; lost++ {
		t.s.countFailure(p, err)
		if lost == lostBeforeControl {
			if err := t.s.control(ctx); err != nil {
				return err
			}
		}
		clauses, err = t.attempt(ctx, p)
	}
	switch {
	case err == nil:
		tones, err := t.tones(ctx, p, clauses)
		if err == nil {
			t.add(p, clauses, tones)
		}
		return err
	case errors.Is(err, errSilent):
		return t.omit(ctx, p)
	case errors.Is(err, errRefused):
		if down := t.s.control(ctx); down != nil {
			return down
		}
		return err
	case !errors.Is(err, errLost) && !errors.Is(err, errCrashed):
		return err
	}
	t.s.countFailure(p, err)
	if q, ok := p.defused(); ok {
		return t.read(ctx, q)
	}
	// Defused text crashed too: find the part that causes it.
	left, right, ok := bisect(p)
	if !ok || t.s.tries > maxTries {
		return t.omit(ctx, p)
	}
	if err := t.read(ctx, left); err != nil {
		return err
	}
	return t.read(ctx, right)
}

// attempt has a child read a piece, and another one if the first reads nothing. The error
// wraps errSilent if both do: a library that has lost its dictionary reports no error.
func (t *transcription) attempt(ctx context.Context, p piece) (clauses []accent.Clause, err error) {
	for range 2 {
		t.s.tries++
		clauses, err = t.s.transcribe(ctx, p.text, 0)
		heard := slices.ContainsFunc(clauses, func(c accent.Clause) bool { return len(c.Words) > 0 })
		if err != nil || heard || !t.s.mustSound(p) {
			return clauses, err
		}
	}
	return nil, errSilent
}

// tones returns the clauses of a piece of Mandarin in mnemonics, which tell the tones, and nil
// for other languages. The clauses in IPA have the same words.
func (t *transcription) tones(ctx context.Context, p piece, clauses []accent.Clause) ([]accent.Clause, error) {
	if t.s.u.Language != "zh" {
		return nil, nil
	}
	tones, err := t.s.transcribe(ctx, p.text, flagPhonemes)
	if errors.Is(err, errLost) || errors.Is(err, errCrashed) {
		return nil, nil // the words are known, and are spoken without their tones
	}
	same := func(a, b accent.Clause) bool { return len(a.Words) == len(b.Words) }
	if err != nil || !slices.EqualFunc(clauses, tones, same) {
		return nil, err
	}
	return tones, nil
}

// omit reports a piece that cannot be read, if a control sentence can be spoken.
func (t *transcription) omit(ctx context.Context, p piece) error {
	if err := t.s.control(ctx); err != nil {
		return err
	}
	t.s.e.leftOut.Add(1)
	t.s.e.log.Error("text that espeak cannot read was left out", "bytes", len(p.text), "voice", t.s.reader)
	if span := t.origin(p, text.Span{End: len(p.text)}, ipa.Offsets(p.text)); span.Len() > 0 {
		t.reading.LeftOut = append(t.reading.LeftOut, span)
	}
	return nil
}

// add adds the clauses of a piece, with the places that they have in the text. tones are the
// same clauses in mnemonics, or nil.
func (t *transcription) add(p piece, clauses, tones []accent.Clause) {
	at := ipa.Offsets(p.text)
	clause, word := t.end(), text.Span{}
	for n, c := range accent.Read(p.text, clauses).Clauses {
		span := t.origin(p, text.Span{Start: c.Start, End: c.End}, at)
		c.Start, c.End = clause, max(clause, span.End)
		clause = c.End
		for i := range c.Words {
			w := &c.Words[i]
			span := t.origin(p, text.Span{Start: w.Start, End: w.End}, at)
			// The form can be in another order than the text.
			word = text.Span{Start: max(word.Start, span.Start), End: max(word.End, span.End)}
			w.Start, w.End = word.Start, word.End
			// Words without phonemes are not in the reading; then the two do not correspond.
			if tones != nil && len(tones[n].Words) == len(c.Words) {
				w.Tone = accent.Tone(tones[n].Words[i])
			}
		}
		// The form can have other marks than the text, so the text counts.
		c.Set(t.reading.Text)
		t.reading.Clauses = append(t.reading.Clauses, c)
	}
}

// end returns the byte of the text at which the next clause begins.
func (t *transcription) end() int {
	if n := len(t.reading.Clauses); n > 0 {
		return t.reading.Clauses[n-1].End
	}
	return 0
}

// origin returns the bytes of the text from which some bytes of a piece were made. at has the
// bytes at which the code points of the piece begin.
func (t *transcription) origin(p piece, span text.Span, at []int) text.Span {
	from, _ := slices.BinarySearch(at, span.Start)
	to, _ := slices.BinarySearch(at, span.End)
	last := len(t.at) - 1
	span = text.Span{Start: t.at[min(p.at(from), last)], End: t.at[min(p.at(to), last)]}
	if t.back == nil {
		return span
	}
	return t.back.Back(span)
}
