// Package frontend is the text chain: it takes a text as a caller sent it and
// hands back what an engine shall read, run by run, each with the way back to
// the caller's own characters.
package frontend

import (
	"fmt"
	"strings"
	"time"

	"vaak/internal/fault"
	"vaak/lang"
	"vaak/text"
	"vaak/text/segment"
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
}

// Prepared is a text that is ready to be spoken.
type Prepared struct {
	// Language is the one that was asked for, or the one detected.
	Language lang.Tag
	// Runs are what is spoken, in order; empty when the text has nothing that
	// is, which [Speakable] tells beforehand.
	Runs []Run
	// Notices tell the caller, in sentences, what was not done as it was asked.
	Notices []string
}

// Frontend prepares texts. It is safe for concurrent use.
type Frontend struct{}

// New returns a Frontend.
func New() *Frontend { return &Frontend{} }

// Prepare takes a text through the chain. The zero hint detects the language
// from the text; a hint of a language that is not supported is a *fault.Error
// of kind Invalid. Bytes that are not UTF-8 are read as spaces. The output is at
// most three times as long as the text, in bytes, plus the grapheme joiners
// that NFC puts between more than 30 marks on one letter.
//
// The steps, each with its map back to the one before:
//
//  1. clean: control, bidirectional and invisible characters, known markup and
//     emoji go; a timed break ends a piece of text.
//  2. NFC, piece by piece.
//  3. The language of the whole, where none was given.
//  4. Here respelling joins, over a whole piece and in the request's language.
//  5. segment: runs of one language.
//  6. Here normalization joins, run by run, with the language of the request at
//     hand for the digits.
func (f *Frontend) Prepare(s string, hint lang.Tag) (Prepared, error) {
	p := Prepared{Language: hint}
	if hint.Code != "" {
		if _, ok := lang.Lookup(hint.Code); !ok {
			return Prepared{}, fault.BadParameter("lang", "language %q is not one of the supported ones", hint.Code)
		}
	}
	cleaned := clean(s)
	p.Notices = notices(cleaned.tags)
	pieces := cleaned.pieces()
	for i := range pieces {
		pieces[i].compose()
	}
	if hint.Code == "" {
		p.Language = lang.Tag{Code: detect(pieces)}
	}
	var pause time.Duration
	for _, piece := range pieces {
		pause = min(pause+piece.pause, MaxPause)
		if !speakable(piece.text) {
			continue
		}
		runs := segment.Runs(piece.text, p.Language)
		if p.Runs == nil {
			p.Runs = make([]Run, 0, len(runs))
		}
		for _, r := range runs {
			p.Runs = append(p.Runs, Run{Text: r.In(piece.text), Language: r.Code, Map: piece.back.Slice(r.Span), Pause: pause})
			pause = 0
		}
	}
	return p, nil
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

// detect tells the language of all pieces together.
func detect(pieces []piece) lang.Code {
	if len(pieces) == 1 {
		return lang.Detect(pieces[0].text)
	}
	var b strings.Builder
	for _, p := range pieces {
		b.WriteString(p.text)
	}
	return lang.Detect(b.String())
}

func notices(tags int) []string {
	switch tags {
	case 0:
		return nil
	case 1:
		return []string{"SSML is not obeyed; 1 tag was removed and its text is spoken"}
	}
	return []string{fmt.Sprintf("SSML is not obeyed; %d tags were removed and their text is spoken", tags)}
}
