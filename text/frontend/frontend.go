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
	"slices"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"vaak/internal/fault"
	"vaak/lang"
	"vaak/text"
	"vaak/text/markdown"
	"vaak/text/segment"
	"vaak/text/translit"
)

// MaxPause is the longest pause before a run.
const MaxPause = 3 * time.Second

// Run is a stretch of text that an engine reads in one language.
type Run struct {
	// Text is valid UTF-8 in NFC, without markup, emoji and control characters, but for a line
	// end between two paragraphs.
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
	// Unread is what is left out because of its script.
	Unread Unread
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
type Frontend struct {
	respelling Respelling
	prior      lang.Prior
	style      Style
	parts      *Parts // nil if each text is whole
}

// Style says how a text is read. The zero Style is the default.
type Style struct {
	// PlainText says that the text has no Markdown, or that it was read before: all of its
	// signs are text.
	PlainText bool
	// FullAddresses reads web addresses whole, not up to the end of their host. It has no
	// effect with PlainText, which reads them whole.
	FullAddresses bool
	// NameEmoji reads emoji by their names in the language of the text, as far as it has
	// them. Otherwise they are silent.
	NameEmoji bool
}

// Styled returns a Frontend that reads in a style.
func (f *Frontend) Styled(s Style) *Frontend {
	styled := *f
	styled.style = s
	return &styled
}

// New returns a Frontend.
func New() *Frontend { return &Frontend{} }

// Expecting returns a Frontend that detects languages with what is known besides the text.
func (f *Frontend) Expecting(prior lang.Prior) *Frontend {
	with := *f
	with.prior = prior
	return &with
}

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
//  1. markdown: the signs of Markdown, code blocks and the addresses of links are left
//     out, and an empty line stands where a listener needs a pause.
//  2. respell: terms of the dictionaries are replaced by their respelling.
//  3. clean: control, bidirectional and invisible characters, known markup and
//     emoji are removed; a timed break and a paragraph end a piece of text.
//  4. NFC, piece by piece.
//  5. segment: runs of one language; digits are in that of the request.
//  6. translit: runs of Indian words in Latin letters get their own script.
//  7. normalize: numbers, dates, money, signs and the like become words, run by
//     run, as the region of the request has them.
func (f *Frontend) Prepare(s string, hint lang.Tag) (Prepared, error) {
	if hint.Code != "" {
		if _, ok := lang.Lookup(hint.Code); !ok {
			return Prepared{}, fault.BadParameter("lang", "language %q is not one of the supported ones", hint.Code)
		}
	}
	marked := f.unmark(s)
	whole, found := letters(marked.text)
	segmenter := segment.Expecting(whole, hint, f.prior)
	language := segmenter.Request()
	if hint.Code == "" {
		if language = inLatin(language, whole, f.prior); language.Script != "" {
			segmenter = segment.Told(whole, language, f.prior)
		}
	}
	return f.begin(marked, language, segmenter, found)
}

// Parts carries the Markdown of a text that is prepared in parts, one after another, over the
// ends of the parts: a code block or a list may go on in the next. The zero Parts is ready. It is
// not safe for concurrent use.
type Parts struct {
	reader      *markdown.Reader
	read, added int // bytes of all parts, as they are read and as they came
	found       markdown.Found
}

// Continuing returns a Frontend for the parts of one text. Each part is prepared once, in order.
func (f *Frontend) Continuing(p *Parts) *Frontend {
	with := *f
	with.parts = p
	return &with
}

// next reads the Markdown of the next part.
func (p *Parts) next(s string, style Style) unmarked {
	if p.reader == nil {
		p.reader = markdown.New(markdown.Options{FullAddresses: style.FullAddresses})
	}
	p.reader.Add(s)
	p.reader.Flush()
	out := p.reader.Take()
	back := p.reader.Map().Slice(text.Span{Start: p.read, End: p.read + len(out)})
	for i := range back {
		back[i].In = back[i].In.Shift(-p.added)
	}
	before := p.found
	p.read, p.added, p.found = p.read+len(out), p.added+len(s), p.reader.Found()
	return unmarked{out, back, p.found.Since(before)}
}

// unmarked is a text without Markdown.
type unmarked struct {
	text  string
	back  text.Map // to the caller's text; nil where that is the text
	found markdown.Found
}

func (f *Frontend) unmark(s string) unmarked {
	switch {
	case f.style.PlainText:
		return unmarked{text: s}
	case f.parts != nil:
		return f.parts.next(s, f.style)
	}
	out, back, found := markdown.Read(s, markdown.Options{FullAddresses: f.style.FullAddresses})
	return unmarked{out, back, found}
}

// begin prepares the opening of a text. The segmenter is made from the text before it is
// respelled.
func (f *Frontend) begin(marked unmarked, language lang.Tag, segmenter segment.Segmenter, found markup) (Prepared, error) {
	from, err := f.respell(marked.text, language)
	if err != nil {
		return Prepared{}, err
	}
	if marked.back != nil {
		from.lead(marked.back)
	}
	// Respelled words have other letters. The language stays that of the text as it was
	// sent, and the scripts are told from the text that is read.
	if len(from.grown) > 0 {
		whole, _ := letters(from.text)
		segmenter = segmenter.Of(whole)
	}
	p := Prepared{Language: language, Unread: FindUnread(from.text)}
	p.Notices = slices.Concat(leftOut(marked.found), p.Unread.notice(from.text), found.notices())
	if from.back != nil {
		for i, span := range p.Unread.Spans {
			p.Unread.Spans[i] = from.back.Back(span)
		}
	}
	p.remainder = walker{source: from, request: language, segmenter: segmenter}
	if f.style.NameEmoji {
		p.remainder.names = naming{language.Code, nameRoom}
	}
	p.Opening = p.remainder.next()
	return p, nil
}

// inLatin returns the detected language of a text, or the Indian language whose words
// the text has in Latin letters.
func inLatin(told lang.Tag, whole string, prior lang.Prior) lang.Tag {
	if told.Writes("Latn") {
		if code, _ := translit.Detect(whole); code != "" && prior.Offers(code) {
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
		c := clean(s, 0, nil)
		s, found = c.text, markup{tags: c.tags - c.pauses, pauses: c.pauses}
	}
	// The combining diacritical marks, U+0300 to U+036F, begin with these bytes and
	// little else does: looking for them is cheaper than checking for NFC.
	if strings.IndexByte(s, 0xCC) >= 0 || strings.IndexByte(s, 0xCD) >= 0 {
		s = norm.NFC.String(s)
	}
	return s, found
}

// piece is the text between two pauses, or of a paragraph, on its way through the chain.
type piece struct {
	text  string
	back  text.Map // to the caller's text
	pause time.Duration
	ends  bool   // a paragraph ends with it
	ahead string // the beginning of the text after it, where no pause parts them
}

// step replaces the text by the output of a step, and adds the map of the step to the
// way back.
func (p *piece) step(out string, m text.Map) {
	p.text, p.back = out, text.Compose(p.back, m)
}

// leftOut returns the sentence about what Markdown is not read.
func leftOut(found markdown.Found) []string {
	var parts []string
	for _, p := range []struct {
		n         int
		one, more string
	}{
		{found.CodeBlocks, "1 code block", "%d code blocks"},
		{found.Links, "the address of 1 link", "the addresses of %d links"},
		{found.Addresses, "what follows the host in 1 web address", "what follows the host in %d web addresses"},
	} {
		switch {
		case p.n == 1:
			parts = append(parts, p.one)
		case p.n > 1:
			parts = append(parts, fmt.Sprintf(p.more, p.n))
		}
	}
	if len(parts) == 0 {
		return nil
	}
	return []string{"not read: " + strings.Join(parts, ", ")}
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
