package espeak

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"vaak/engine"
	"vaak/engine/espeak/form"
	"vaak/text"
)

// output selects what is heard from what children speak, and hands each sample and word to
// the sink exactly once, however often a piece was spoken.
//
// Samples are counted over everything that is spoken: context, text and lookahead. Children
// speak the engine form of these three (see package form) and report code points of it,
// which back maps to bytes of the three. After the lookahead a child may speak a [sequel],
// of which nothing is heard.
type output struct {
	sink engine.Sink
	form cursor   // over the engine form of context, text and lookahead
	back text.Map // from the form to the three; nil if the form is identical to them

	begin, end   int  // the byte range of the text within the three
	hasLookahead bool // the lookahead is not empty

	pos        int // samples made so far, by attempts that count
	sent       int // samples handed over or skipped, over all attempts
	textStart  int // the sample at which the text begins; -1 while not known
	textEnd    int // the sample at which it ends; -1 while not known
	lastNamed  int // the code point of the form at which the last reported word begins
	lastSample int // the sample of the last word handed over
	lastStart  int // the byte of the text at which that word begins
	words      []engine.Word
	edge       int        // samples wanted on either side of the text
	lead       leadBuffer // the last samples before the text
	begun      bool       // some of the text was handed over
	asked      bool       // the sink was asked for room
}

func newOutput(u engine.Utterance, sink engine.Sink) *output {
	before, after := u.Before, u.After
	// A space keeps the last word of the context apart from the text.
	if before != "" && !endsInSpace(before) {
		before += " "
	}
	if after != "" && !endsInSpace(u.Text) && !startsWithSpace(after) {
		after = " " + after
	}
	o := &output{sink: sink, textEnd: -1, lastSample: -1, begin: len(before), hasLookahead: after != "", edge: max(u.Edge, 0)}
	o.end = o.begin + len(u.Text)
	if before != "" {
		o.textStart = -1
	}
	whole := u.Text
	if before != "" || after != "" {
		whole = before + u.Text + after
	}
	o.form.text, o.back = form.Of(u.Language, whole)
	o.form.text += sequel(after)
	return o
}

func endsInSpace(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	return unicode.IsSpace(r)
}

func startsWithSpace(s string) bool {
	return strings.IndexFunc(s, unicode.IsSpace) == 0
}

// frame handles a frame of a piece that began at sample start.
func (o *output) frame(f frame, p piece, start int) error {
	if f.kind == frameWords {
		for _, w := range f.words {
			from, to := p.span(w)
			o.word(from, to, start+w.sample)
		}
		return nil
	}
	from := o.pos
	o.pos += len(f.pcm)
	return o.audio(f.pcm, from)
}

func (o *output) frames(frames []frame, p piece, start int) error {
	for _, f := range frames {
		if err := o.frame(f, p, start); err != nil {
			return err
		}
	}
	return nil
}

// word records that code points from to to of the form begin at a sample.
func (o *output) word(from, to, sample int) {
	if from == to && from < o.lastNamed {
		return // the end of a clause, which can be reported at the sample of the next word
	}
	o.lastNamed = from
	said := o.origin(from, to)
	// The first word that belongs to the text shows where the text begins, and the first
	// word of the lookahead where it ends.
	if o.textStart < 0 && said.Start >= o.begin {
		o.textStart = sample
	}
	if o.hasLookahead && o.textEnd < 0 && said.Start >= o.end {
		o.textEnd = sample
	}
	// An earlier attempt may have reported this word, and the library sometimes reports a
	// word twice or out of order.
	if o.textStart < 0 || o.textEnd >= 0 || sample <= o.lastSample {
		return
	}
	o.lastSample = sample
	w := engine.Word{Sample: sample - o.textStart}
	w.Start = max(min(said.Start, o.end)-o.begin, o.lastStart)
	w.End = max(min(said.End, o.end)-o.begin, w.Start)
	o.lastStart = w.Start
	o.words = append(o.words, w)
}

// omit reports the part of the text in a piece that cannot be spoken.
func (o *output) omit(p piece) error {
	said := o.origin(p.at(0), p.at(utf8.RuneCountInString(p.text)))
	said.Start, said.End = max(said.Start, o.begin)-o.begin, min(said.End, o.end)-o.begin
	if said.Start >= said.End {
		return nil // the piece is context, or nothing of the text
	}
	return o.sink.Frame(engine.Frame{LeftOut: []text.Span{said}})
}

// origin returns the bytes of context, text and lookahead from which code points from to to
// of the form were made. For a sequel it returns a place at or behind the end.
func (o *output) origin(from, to int) text.Span {
	var s text.Span
	s.Start, s.End = o.form.span(from, to)
	s = wordSpan(o.form.text, s)
	if o.back == nil {
		return s
	}
	return o.back.Back(s)
}

// wordSpan corrects the place of a word in the form. After a full stop before a small letter
// the library does not see the end of a sentence and then counts one character too few: it
// reports the space and all but the last letter of the word, or only one letter.
func wordSpan(form string, s text.Span) text.Span {
	if s.Start == 0 || s.Start >= len(form) || form[s.Start-1] != '.' || form[s.Start] != ' ' {
		return s
	}
	word := form[s.Start+1:]
	if i := strings.IndexFunc(word, unicode.IsSpace); i >= 0 {
		word = word[:i]
	}
	word = strings.TrimRightFunc(word, unicode.IsPunct)
	if word == "" {
		return s
	}
	return text.Span{Start: s.Start + 1, End: s.Start + 1 + len(word)}
}

// finish hands over words after which no audio came.
func (o *output) finish() error {
	if len(o.words) == 0 {
		return nil
	}
	return o.body(nil)
}

// cursor converts code points of a text to bytes. Queries ascend, so it walks the text once.
// A query that goes back gets the current position.
type cursor struct {
	text      string
	cp, bytes int
}

// span returns the byte range of code points from to to.
func (c *cursor) span(from, to int) (start, end int) {
	c.walk(from)
	ahead := *c
	ahead.walk(to)
	return c.bytes, ahead.bytes
}

func (c *cursor) walk(to int) {
	for c.cp < to && c.bytes < len(c.text) {
		_, n := utf8.DecodeRuneInString(c.text[c.bytes:])
		c.bytes += n
		c.cp++
	}
}
