package speech

import (
	"unicode/utf8"

	"vaak/engine"
	"vaak/text"
)

// progress knows how far into the caller's text the audio has come.
type progress struct {
	text    string // the stretch of it that is being said
	marks   []mark // of words in it
	counted int    // of marks
	samples int    // handed over
	end     int    // bytes of text that are counted
	count   int    // code points of them, and of the stretches before

	left    omissions
	leftEnd int // bytes of text up to which that is known

	keep bool    // what was heard when
	when []heard // ascending
}

// mark says that the bytes of a text before end are being spoken from sample on.
type mark struct{ sample, end int }

// heard says that so many code points were heard, or are being, from a sample on.
type heard struct{ sample, characters int }

// words notes where the words of an utterance begin that began at sample start.
func (p *progress) words(back text.Map, words []engine.Word, start int) {
	for _, w := range words {
		from := back.Back(text.Span{Start: w.Start, End: w.End})
		p.mark(start+w.Sample, from.End)
	}
}

func (p *progress) mark(sample, end int) {
	p.marks = append(p.marks, mark{max(0, sample), min(end, len(p.text))})
}

// characters returns the code points whose audio was handed over.
func (p *progress) characters() int {
	for p.counted < len(p.marks) && p.marks[p.counted].sample < p.samples {
		m := p.marks[p.counted]
		if m.end > p.end {
			p.count += utf8.RuneCountInString(p.text[p.end:m.end])
			p.end = m.end
			if p.keep {
				p.when = append(p.when, heard{m.sample, p.count})
			}
		}
		p.counted++
	}
	return p.count
}

// charged returns those of them that are charged.
func (p *progress) charged() int {
	n := p.characters()
	return n - p.left.before(n)
}

// omit notes that bytes of the text are left out, and returns those that were not
// known to be.
func (p *progress) omit(s text.Span) string {
	s.Start, s.End = max(s.Start, p.leftEnd, p.end), min(s.End, len(p.text))
	if s.Start >= s.End {
		return ""
	}
	p.leftEnd = s.End
	piece := s.In(p.text)
	p.left.add(piece, p.count+utf8.RuneCountInString(p.text[p.end:s.Start]))
	return piece
}

// begin goes on with another stretch of text, after all of the one before.
func (p *progress) begin(s string) {
	p.characters()
	p.count += utf8.RuneCountInString(p.text[p.end:])
	p.text, p.marks, p.counted, p.end, p.leftEnd = s, p.marks[:0], 0, 0, 0
}

// charactersAt returns the code points that were heard, or are being, before a
// sample.
func charactersAt(when []heard, sample int) int {
	n := 0
	for _, h := range when {
		if h.sample >= sample {
			break
		}
		n = h.characters
	}
	return n
}
