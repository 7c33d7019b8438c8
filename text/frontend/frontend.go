// Package frontend is the text chain: it takes a text as a caller sent it and
// hands back what an engine shall read, run by run, each with the way back to
// the caller's own characters.
package frontend

import (
	"fmt"
	"iter"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"vaak/internal/fault"
	"vaak/lang"
	"vaak/text"
	"vaak/text/segment"
	"vaak/text/translit"
)

// MaxPause bounds the pause before a run.
const MaxPause = 3 * time.Second

// Run is a stretch of text that an engine reads in one language.
type Run struct {
	// Text is valid UTF-8 in NFC, without control characters, markup and emoji.
	Text     string
	Language lang.Code
	// Map leads from the bytes of Text back to those of the caller's text.
	Map text.Map
	// Pause is the silence that the caller asked for before the run, at most
	// MaxPause.
	Pause time.Duration
	// Last says that no run follows.
	Last bool
}

// Prepared is a text that is ready to be spoken. Only its opening was made
// ready by [Frontend.Prepare]; the rest is by the iteration of Runs, so that
// speech begins as soon for a long text as for a short one. It is safe for
// concurrent use.
type Prepared struct {
	// Language is the one that was asked for, or the one detected.
	Language lang.Tag
	// Opening are the first of the runs: those of the text's first stretch that
	// has any. It is empty when nothing of the text is spoken, which without a
	// dictionary [Speakable] tells beforehand.
	Opening []Run
	// Notices tell the caller, in sentences, what was not done as it was asked.
	Notices []string

	rest walker // stands after the opening
}

// Runs returns what is spoken, in order, the opening first. Long texts of one
// language are a few runs, which grow.
func (p Prepared) Runs() iter.Seq[Run] {
	return func(yield func(Run) bool) {
		rest := p.rest
		for runs := p.Opening; len(runs) > 0; runs = rest.next() {
			for _, r := range runs {
				if !yield(r) {
					return
				}
			}
		}
	}
}

// Frontend prepares texts. It is safe for concurrent use.
type Frontend struct{ respelling Respelling }

// New returns a Frontend.
func New() *Frontend { return &Frontend{} }

// Prepare takes the opening of a text through the chain and makes the rest
// ready to follow. The zero hint detects the language from the text; a hint of
// a language that is not supported is a *fault.Error of kind Invalid. Bytes
// that are not UTF-8 are read as spaces. A text that dictionaries make longer
// than [MaxGrowth] allows is one of kind Invalid too.
//
// The language and the notices are told from the whole text as it was sent, and
// all of it is respelled, so that no term is cut. The rest goes stretch by
// stretch, which end with a sentence. The steps, each with its map back to the
// one before:
//
//  1. respell: terms of the dictionaries are written as they are to be read.
//  2. clean: control, bidirectional and invisible characters, known markup and
//     emoji go; a timed break ends a piece of text.
//  3. NFC, piece by piece.
//  4. segment: runs of one language; digits are in that of the request.
//  5. translit: runs of Indian words in Latin letters get their own script.
//  6. normalize: numbers, dates, money, signs and the like become words, run by
//     run, as the region of the request has them.
func (f *Frontend) Prepare(s string, hint lang.Tag) (Prepared, error) {
	if hint.Code != "" {
		if _, ok := lang.Lookup(hint.Code); !ok {
			return Prepared{}, fault.BadParameter("lang", "language %q is not one of the supported ones", hint.Code)
		}
	}
	whole, found := letters(s)
	segmenter := segment.New(whole, hint)
	language := segmenter.Request()
	if hint.Code == "" {
		language = inLatin(language, whole)
	}
	return f.begin(s, language, segmenter, found)
}

// begin makes the opening of a text ready. The segmenter is that of the text as it
// was sent.
func (f *Frontend) begin(s string, language lang.Tag, segmenter segment.Segmenter, found markup) (Prepared, error) {
	from, err := f.respell(s, language)
	if err != nil {
		return Prepared{}, err
	}
	if len(from.grown) > 0 {
		whole, _ := letters(from.text)
		segmenter = segmenter.Of(whole)
	}
	p := Prepared{Language: language, Notices: found.notices()}
	p.rest = walker{source: from, request: language, segmenter: segmenter}
	p.Opening = p.rest.next()
	return p, nil
}

// inLatin returns the language that was told of a text, or the Indian one that it
// is in when that is written in Latin letters.
func inLatin(told lang.Tag, whole string) lang.Tag {
	if told.Writes("Latn") {
		if code, share := translit.Detect(whole); share > romanised {
			return lang.Tag{Code: code, Script: "Latn"}
		}
	}
	return told
}

// romanised is the share of Indian words from which on a text in Latin letters,
// sent without a hint, is of their language.
const romanised = 0.5

// letters returns a text as languages are told from it, and what markup it
// has: without the markup, and in NFC where letters of Europe were written in
// parts.
func letters(s string) (whole string, found markup) {
	if strings.IndexByte(s, '<') >= 0 {
		c := clean(s, 0)
		s, found = c.text, markup{tags: c.tags - len(c.breaks), pauses: len(c.breaks)}
	}
	// The combining diacritical marks, U+0300 to 036F, begin with these bytes
	// and little else does.
	if strings.IndexByte(s, 0xCC) >= 0 || strings.IndexByte(s, 0xCD) >= 0 {
		s = norm.NFC.String(s)
	}
	return s, found
}

// piece is text between two pauses on its way through the chain.
type piece struct {
	text  string
	back  text.Map // to the caller's text
	pause time.Duration
}

// step replaces the text by the output of a step with its map.
func (p *piece) step(out string, m text.Map) {
	p.text, p.back = out, text.Compose(p.back, m)
}

// markup counts the tags of SSML in a text: those that are removed, and those that are
// made pauses.
type markup struct{ tags, pauses int }

// notices says what became of them.
func (m markup) notices() []string {
	removed := "1 tag was removed and its text is spoken"
	if m.tags > 1 {
		removed = fmt.Sprintf("%d tags were removed and their text is spoken", m.tags)
	}
	paused := "1 pause is made"
	if m.pauses > 1 {
		paused = fmt.Sprintf("%d pauses are made", m.pauses)
	}
	switch {
	case m.pauses > 0 && m.tags > 0:
		return []string{fmt.Sprintf("of SSML only <break time> is obeyed, up to %g s: %s; %s", MaxPause.Seconds(), paused, removed)}
	case m.pauses > 0:
		return []string{fmt.Sprintf("of SSML only <break time> is obeyed, up to %g s: %s", MaxPause.Seconds(), paused)}
	case m.tags > 0:
		return []string{"SSML is not obeyed; " + removed}
	}
	return nil
}
