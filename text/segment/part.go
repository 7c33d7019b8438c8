package segment

import (
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
)

// Parts cuts a text that arrives in pieces into parts of at most so many code points.
// Together the parts are the text, byte for byte.
//
// A part ends after a paragraph (an empty line behind it) in its second half, else
// after the last sentence that fits, else after a clause, else after a space, else
// between two grapheme clusters; only a cluster that is longer than a part is cut.
// So no sentence is cut that fits into a part. Spaces belong to what is before them.
//
// It holds only the text that was added and not yet taken, and works in linear time when
// at most a few parts are waiting. It is not safe for concurrent use.
type Parts struct {
	finder Finder
	most   int

	text   []byte // added and not yet taken
	count  int    // code points of it
	spaced bool   // the last is a space
	lined  bool   // a line end is among the spaces at the end
	stops  []stopAt
}

// stopAt is a place where a part may end.
type stopAt struct {
	at, count int // bytes and code points of the text up to there
	weight    weight
}

// weight is how good the end of a part is at a place; a greater one is better.
type weight uint8

const (
	afterSpace weight = iota
	afterClause
	afterSentence
	afterParagraph
)

// NewParts returns an empty Parts whose parts have at most so many code points, which is
// 1 or more.
func NewParts(most int) *Parts { return &Parts{most: most} }

// Abbreviations sets the function that decides from here on whether a word with its full
// stops is an abbreviation; see [Sentences].
func (p *Parts) Abbreviations(known func(word string) bool) { p.finder.Abbreviation = known }

// Add adds text, which must be valid UTF-8.
func (p *Parts) Add(s string) {
	for i, r := range s {
		// Both are asked before the finder takes r: they are about what stands before it.
		blank, joined := p.finder.lines >= 2, p.finder.joins(r)
		end := p.finder.Before(r)
		space := unicode.IsSpace(r)
		if !space && !joined {
			p.stop(end, blank)
		}
		n := utf8.RuneLen(r)
		p.text = append(p.text, s[i:i+n]...)
		p.count++
		p.lined = space && (p.lined || r == '\n' || r == '\r' || r == '\u2028' || r == '\u2029' || r == '\u0085')
		p.spaced = space
	}
}

// Extends reports whether a code point belongs to the character before it: combining
// marks, the joiners and the skin tones of emoji.
func Extends(r rune) bool {
	return r >= 0x300 && (unicode.Is(unicode.M, r) || r == 0x200C || r == 0x200D || 0x1F3FB <= r && r <= 0x1F3FF)
}

// stop notes what ends before the character that is to be added.
func (p *Parts) stop(end End, blank bool) {
	w := afterSpace
	switch {
	case end == SentenceEnd && blank:
		w = afterParagraph
	case end == SentenceEnd:
		w = afterSentence
	case end == ClauseEnd:
		w = afterClause
	case !p.spaced:
		return
	}
	// A part is never empty, so a loop that takes parts ends.
	if len(p.text) > 0 {
		p.stops = append(p.stops, stopAt{len(p.text), p.count, w})
	}
}

// Waiting returns how many code points were added and not yet taken.
func (p *Parts) Waiting() int { return p.count }

// Blank reports whether there is nothing but spaces among them.
func (p *Parts) Blank() bool {
	for i := 0; i < len(p.text); {
		r, n := utf8.DecodeRune(p.text[i:])
		if !unicode.IsSpace(r) {
			return false
		}
		i += n
	}
	return true
}

// EndsLine reports whether the text ends with a line end, perhaps with spaces after it.
func (p *Parts) EndsLine() bool { return p.lined }

// Ahead returns the beginning of the text not yet taken, at most so many code points.
func (p *Parts) Ahead(most int) string {
	n := 0
	for ; most > 0 && n < len(p.text); most-- {
		_, size := utf8.DecodeRune(p.text[n:])
		n += size
	}
	return string(p.text[:n])
}

// Full takes a part if more text is waiting than a part may have. Such a part does not
// depend on text that is still to come. ends reports that the part ends with a sentence.
func (p *Parts) Full() (part string, ends, ok bool) {
	if p.count <= p.most {
		return "", false, false
	}
	return p.cut()
}

// Sentences takes the sentences whose end is certain, at most a part.
func (p *Parts) Sentences() (part string, ok bool) {
	if s, ok := p.best(afterSentence, 0); ok {
		return p.take(s), true
	}
	return "", false
}

// All takes what is waiting, at most one part, as if no text followed. ends reports that
// the part ends with a sentence or with the text.
func (p *Parts) All() (part string, ends, ok bool) {
	if p.count > p.most {
		return p.cut()
	}
	if len(p.text) == 0 {
		return "", false, false
	}
	return p.take(stopAt{at: len(p.text), count: p.count}), true, true
}

// cut takes a part of a longer text.
func (p *Parts) cut() (part string, ends, ok bool) {
	// A paragraph is preferred in the second half only. In the first one it would make
	// parts much smaller than they may be.
	if s, ok := p.best(afterParagraph, p.most/2); ok {
		return p.take(s), true, true
	}
	for _, w := range []weight{afterSentence, afterClause, afterSpace} {
		if s, ok := p.best(w, 0); ok {
			return p.take(s), s.weight >= afterSentence, true
		}
	}
	return p.take(p.clusters()), false, true
}

// best returns the last stop of a weight or a greater one, behind more than least
// code points.
func (p *Parts) best(w weight, least int) (stopAt, bool) {
	for _, s := range slices.Backward(p.stops) {
		// Stops are in order of place, so the first that fits from the back is the last in
		// the text.
		if s.count > p.most || s.weight < w {
			continue
		}
		return s, s.count > least
	}
	return stopAt{}, false
}

// clusters returns the last place between two grapheme clusters, or of one that is
// too long the last in it.
func (p *Parts) clusters() stopAt {
	var s stopAt
	for g := graphemes.FromBytes(p.text); g.Next(); {
		n := utf8.RuneCount(g.Value())
		if s.count+n > p.most {
			break
		}
		s.at, s.count = s.at+len(g.Value()), s.count+n
	}
	if s.count > 0 {
		return s
	}
	// One cluster is longer than a part: a letter with very many marks. It is cut between
	// code points, since a part has a bound.
	for range p.most {
		_, n := utf8.DecodeRune(p.text[s.at:])
		s.at += n
	}
	s.count = p.most
	return s
}

// take takes the text up to a stop.
func (p *Parts) take(to stopAt) string {
	part := string(p.text[:to.at])
	// The remainder moves to the front, so the buffer is used again and grows only with
	// what waits.
	p.text = append(p.text[:0], p.text[to.at:]...)
	p.count -= to.count
	n := 0
	for _, s := range p.stops {
		if s.at > to.at {
			p.stops[n] = stopAt{s.at - to.at, s.count - to.count, s.weight}
			n++
		}
	}
	p.stops = p.stops[:n]
	return part
}
