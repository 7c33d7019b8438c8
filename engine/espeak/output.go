package espeak

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"vaak/engine"
	"vaak/engine/espeak/form"
	"vaak/text"
)

// output cuts what is to be heard out of what children speak, and hands each
// sample and word to the sink once, however often a piece was spoken.
//
// Samples are counted over the whole text with its context; heard is the count
// at which Utterance.Text begins. Children speak the engine form of the whole
// text and report code points of it, which lead back to bytes of the text. What
// a child speaks after the lookahead is a [sequel], of which nothing is heard.
type output struct {
	sink engine.Sink
	form cursor   // over the engine form of context, text and lookahead
	back text.Map // from the form to these three; nil when it is the same

	begin, end int  // bytes of the three that are the text
	followed   bool // by lookahead

	pos    int // samples made so far by the pieces that count
	sent   int // samples handed over or skipped, of all attempts
	heard  int // the sample at which the text begins; -1 while not known
	until  int // the sample at which it ends; -1 while not known
	named  int // the code point of the form that the last word began with
	marked int // the sample of the last word handed over
	start  int // the byte of the text that this word began with
	words  []engine.Word
	edge   int  // samples wanted on either side of the text
	lead   tail // those before it
	begun  bool // whether some of the text was handed over
	asked  bool // whether the sink has room was asked
}

func newOutput(u engine.Utterance, sink engine.Sink) *output {
	before, after := u.Before, u.After
	if before != "" && !endsInSpace(before) {
		before += " "
	}
	if after != "" && !endsInSpace(u.Text) && !startsWithSpace(after) {
		after = " " + after
	}
	o := &output{sink: sink, until: -1, marked: -1, begin: len(before), followed: after != "", edge: max(u.Edge, 0)}
	o.end = o.begin + len(u.Text)
	if before != "" {
		o.heard = -1
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

// take takes a frame of a piece whose first sample is number start.
func (o *output) take(f frame, p piece, start int) error {
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

func (o *output) takeAll(frames []frame, p piece, start int) error {
	for _, f := range frames {
		if err := o.take(f, p, start); err != nil {
			return err
		}
	}
	return nil
}

// word notes that the code points from..to of the form begin at sample.
func (o *output) word(from, to, sample int) {
	if from == to && from < o.named {
		return // the end of a clause, sometimes at the sample of the next word
	}
	o.named = from
	said := o.origin(from, to)
	if o.heard < 0 && said.Start >= o.begin {
		o.heard = sample
	}
	if o.followed && o.until < 0 && said.Start >= o.end {
		o.until = sample
	}
	// What an earlier attempt reported is known already, and the library now
	// and then reports a word twice or out of order.
	if o.heard < 0 || o.until >= 0 || sample <= o.marked {
		return
	}
	o.marked = sample
	w := engine.Word{Sample: sample - o.heard}
	w.Start = max(min(said.Start, o.end)-o.begin, o.start)
	w.End = max(min(said.End, o.end)-o.begin, w.Start)
	o.start = w.Start
	o.words = append(o.words, w)
}

// leaveOut tells which of the text a piece is that nothing could speak.
func (o *output) leaveOut(p piece) error {
	said := o.origin(p.at(0), p.at(utf8.RuneCountInString(p.text)))
	said.Start, said.End = max(said.Start, o.begin)-o.begin, min(said.End, o.end)-o.begin
	if said.Start >= said.End {
		return nil // it is context, or nothing of the text
	}
	return o.sink.Frame(engine.Frame{LeftOut: []text.Span{said}})
}

// origin returns the bytes of context, text and lookahead that the code points
// from..to of the form were made from; for a sequel, the end of the lookahead or
// what is behind it.
func (o *output) origin(from, to int) text.Span {
	var s text.Span
	s.Start, s.End = o.form.span(from, to)
	s = placed(o.form.text, s)
	if o.back == nil {
		return s
	}
	return o.back.Back(s)
}

// placed returns the place of a word in a form. The library sees no end of a
// sentence in a full stop before a small letter, and then counts one too few: it
// names the space and as much of the word as it has letters, or one of them.
func placed(form string, s text.Span) text.Span {
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

// finish hands over words that no audio followed.
func (o *output) finish() error {
	if len(o.words) == 0 {
		return nil
	}
	return o.body(nil)
}

// cursor turns code points of a text into bytes. Questions come in ascending
// order, so it walks the text once; one that goes back is answered with where
// it stands.
type cursor struct {
	text      string
	cp, bytes int
}

// span returns the byte range of the code points from..to.
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
