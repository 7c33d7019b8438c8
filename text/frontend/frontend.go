// Package frontend is the whole text chain: from a text as a caller sends it to runs
// that an engine reads, each in one language and with a map back to the characters of
// the caller.
//
// A Frontend respells, cleans, segments, transliterates and normalizes.
// [Frontend.Prepare] does so for the opening of a text, and the iteration of
// [Prepared.Runs] for what follows, so that speech of a long text begins as soon as that
// of a short one.
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

// MaxPause is the longest pause before a run.
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

// Prepared is a text that is ready to be spoken. [Frontend.Prepare] has prepared only
// its opening; the iteration of Runs prepares the remainder. It is safe for concurrent
// use.
type Prepared struct {
	// Language is the one that was asked for, or the one detected.
	Language lang.Tag
	// Opening holds the first runs, those of the first stretch of text that has any.
	// It is empty when nothing of the text is spoken. Without a dictionary,
	// [Speakable] reports that beforehand.
	Opening []Run
	// Notices are sentences for the caller about what was not done as requested.
	Notices []string

	remainder walker // stands after the opening
}

// Runs returns the runs in order, the opening first. A long text of one language has a
// few runs, and later ones are longer.
func (p Prepared) Runs() iter.Seq[Run] {
	return func(yield func(Run) bool) {
		remainder := p.remainder // a copy, so that each iteration begins anew
		for runs := p.Opening; len(runs) > 0; runs = remainder.next() {
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

// Prepare takes the opening of a text through the chain; the iteration of Runs
// does the same for what follows. With the zero hint, the language is detected from
// the text. The error is a *fault.Error of kind Invalid when the language of the hint
// is not supported, and when dictionaries make the text longer than [MaxGrowth]
// allows. Bytes that are not UTF-8 are read as spaces.
//
// The language and the notices come from the whole text as it was sent. The whole
// text is respelled at once, so that no term is cut. The other steps go stretch by
// stretch, and a stretch ends with a sentence. Each step has a map back to the one
// before:
//
//  1. respell: terms of the dictionaries are replaced by their respelling.
//  2. clean: control, bidirectional and invisible characters, known markup and
//     emoji are removed; a timed break ends a piece of text.
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
		if language = inLatin(language, whole); language.Script != "" {
			segmenter = segment.Told(whole, language)
		}
	}
	return f.begin(s, language, segmenter, found)
}

// begin prepares the opening of a text. The segmenter is made from the text as it was
// sent.
func (f *Frontend) begin(s string, language lang.Tag, segmenter segment.Segmenter, found markup) (Prepared, error) {
	from, err := f.respell(s, language)
	if err != nil {
		return Prepared{}, err
	}
	// Respelled words have other letters. The language stays that of the text as it was
	// sent, and the scripts are told from the text that is read.
	if len(from.grown) > 0 {
		whole, _ := letters(from.text)
		segmenter = segmenter.Of(whole)
	}
	p := Prepared{Language: language, Notices: found.notices()}
	p.remainder = walker{source: from, request: language, segmenter: segmenter}
	p.Opening = p.remainder.next()
	return p, nil
}

// inLatin returns the detected language of a text, or the Indian language whose words
// the text has in Latin letters.
func inLatin(told lang.Tag, whole string) lang.Tag {
	if told.Writes("Latn") {
		if code, _ := translit.Detect(whole); code != "" {
			return lang.Tag{Code: code, Script: "Latn"}
		}
	}
	return told
}

// letters returns a text in the form from which languages are detected, and the markup
// found in it. The form has no markup, and is in NFC where letters of Europe were
// written in parts.
func letters(s string) (whole string, found markup) {
	if strings.IndexByte(s, '<') >= 0 {
		c := clean(s, 0)
		s, found = c.text, markup{tags: c.tags - len(c.breaks), pauses: len(c.breaks)}
	}
	// The combining diacritical marks, U+0300 to U+036F, begin with these bytes and
	// little else does: looking for them is cheaper than checking for NFC.
	if strings.IndexByte(s, 0xCC) >= 0 || strings.IndexByte(s, 0xCD) >= 0 {
		s = norm.NFC.String(s)
	}
	return s, found
}

// piece is the text between two pauses on its way through the chain.
type piece struct {
	text  string
	back  text.Map // to the caller's text
	pause time.Duration
	ahead string // the beginning of the text after it, where no pause parts them
}

// step replaces the text by the output of a step, and adds the map of the step to the
// way back.
func (p *piece) step(out string, m text.Map) {
	p.text, p.back = out, text.Compose(p.back, m)
}

// markup counts the SSML tags of a text: those that are removed, and those that become
// pauses.
type markup struct{ tags, pauses int }

// notices returns the sentences about what became of the tags.
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
