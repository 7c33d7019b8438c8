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
// text and report code points of it, which lead back to bytes of the text.
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
	marked int // the sample of the last word handed over
	start  int // the byte of the text that this word began with
	words  []engine.Word
}

func newOutput(u engine.Utterance, sink engine.Sink) *output {
	before, after := u.Before, u.After
	if before != "" && !endsInSpace(before) {
		before += " "
	}
	if after != "" && !endsInSpace(u.Text) && !startsWithSpace(after) {
		after = " " + after
	}
	o := &output{sink: sink, until: -1, marked: -1, begin: len(before), followed: after != ""}
	o.end = o.begin + len(u.Text)
	if before != "" {
		o.heard = -1
	}
	whole := u.Text
	if before != "" || after != "" {
		whole = before + u.Text + after
	}
	o.form.text, o.back = form.Of(u.Language, whole)
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
			o.word(p.at(w.position), p.at(w.position+w.length), start+w.sample)
		}
		return nil
	}
	from := o.pos
	o.pos += len(f.pcm)
	return o.audio(f.pcm, from)
}

// word notes that the code points from..to of the form begin at sample.
func (o *output) word(from, to, sample int) {
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

// origin returns the bytes of context, text and lookahead that the code points
// from..to of the form were made from.
func (o *output) origin(from, to int) text.Span {
	var s text.Span
	s.Start, s.End = o.form.span(from, to)
	if o.back == nil {
		return s
	}
	return o.back.Back(s)
}

// audio hands over the part of pcm, whose first sample is number from, that is
// heard and was not handed over before.
func (o *output) audio(pcm []int16, from int) error {
	to := from + len(pcm)
	if o.heard < 0 { // all context so far
		return nil
	}
	first, last := max(from, o.sent, o.heard), to
	if o.until >= 0 {
		last = min(last, o.until)
	}
	if first < last {
		o.sent = last
		if err := o.send(pcm[first-from : last-from]); err != nil {
			return err
		}
	}
	if o.until >= 0 && to >= o.until {
		return errHeard
	}
	return nil
}

func (o *output) send(pcm []int16) error {
	err := o.sink.Frame(engine.Frame{PCM: pcm, Words: o.words})
	o.words = o.words[:0]
	return err
}

// finish hands over words that no audio followed.
func (o *output) finish() error {
	if len(o.words) == 0 {
		return nil
	}
	return o.send(nil)
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
