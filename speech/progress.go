package speech

import (
	"unicode/utf8"

	"vaak/engine"
	"vaak/text"
)

// progress tracks how far into the caller's text the audio has come.
//
// A session's text comes in pieces. Marks and byte offsets are those of the current piece,
// counts of characters and samples those of the whole session.
type progress struct {
	text              string // the piece of text that is being said
	marks             []mark // of words in it, ascending by sample
	countedMarks      int    // how many of marks characters has counted
	samples           int    // that were sent
	countedBytes      int    // bytes of text that characters has counted
	countedCharacters int    // code points of them, and of all pieces before

	omissions  omissions
	omittedEnd int // bytes of text up to which omissions are complete

	recordHistory bool        // a session needs to know what was heard when
	history       []heardMark // ascending
}

// mark says that from a sample on, the text before byte end is being spoken.
type mark struct{ sample, end int }

// heardMark says that so many code points have been heard, or are being heard, from a
// sample on.
type heardMark struct{ sample, characters int }

// words records where words begin, in an utterance that began at sample start.
func (p *progress) words(back text.Map, words []engine.Word, start int) {
	for _, w := range words {
		from := back.Back(text.Span{Start: w.Start, End: w.End})
		p.mark(start+w.Sample, from.End)
	}
}

func (p *progress) mark(sample, end int) {
	p.marks = append(p.marks, mark{max(0, sample), min(end, len(p.text))})
}

// characters returns how many code points have had their audio sent. A word counts as
// soon as its first sample is sent.
func (p *progress) characters() int {
	for p.countedMarks < len(p.marks) && p.marks[p.countedMarks].sample < p.samples {
		m := p.marks[p.countedMarks]
		if m.end > p.countedBytes {
			p.countedCharacters += utf8.RuneCountInString(p.text[p.countedBytes:m.end])
			p.countedBytes = m.end
			if p.recordHistory {
				p.history = append(p.history, heardMark{m.sample, p.countedCharacters})
			}
		}
		p.countedMarks++
	}
	return p.countedCharacters
}

// charged returns how many of the code points sent are charged: all but the omitted.
func (p *progress) charged() int {
	n := p.characters()
	return n - p.omissions.before(n)
}

// omit records that bytes of the text are left out, and returns those that were not
// recorded before. An engine may report a piece twice, when it speaks a text again after
// its process was lost.
func (p *progress) omit(s text.Span) string {
	// What was omitted or heard before is not omitted again.
	s.Start, s.End = max(s.Start, p.omittedEnd, p.countedBytes), min(s.End, len(p.text))
	if s.Start >= s.End {
		return ""
	}
	p.omittedEnd = s.End
	piece := s.In(p.text)
	p.omissions.add(piece, p.countedCharacters+utf8.RuneCountInString(p.text[p.countedBytes:s.Start]))
	return piece
}

// leaveOut records that bytes of the text, of which nothing was said yet, are left out because
// of their script, and returns them.
func (p *progress) leaveOut(s text.Span) string {
	s.Start, s.End = max(s.Start, p.countedBytes), min(s.End, len(p.text))
	if s.Start >= s.End {
		return ""
	}
	piece := s.In(p.text)
	n := utf8.RuneCountInString(piece)
	p.omissions.unread = append(p.omissions.unread, omission{p.countedCharacters + utf8.RuneCountInString(p.text[p.countedBytes:s.Start]), n})
	p.omissions.silent += n
	return piece
}

// nextText goes on to the next piece of text; all of the current piece counts as heard.
func (p *progress) nextText(s string) {
	p.characters()
	p.countedCharacters += utf8.RuneCountInString(p.text[p.countedBytes:])
	// The array of marks is reused. history is not: a session reads it at its end.
	p.text, p.marks, p.countedMarks, p.countedBytes, p.omittedEnd = s, p.marks[:0], 0, 0, 0
}

// charactersAt returns how many code points had been heard, or were being heard, before a
// sample.
func charactersAt(when []heardMark, sample int) int {
	n := 0
	for _, h := range when {
		if h.sample >= sample {
			break
		}
		n = h.characters
	}
	return n
}
