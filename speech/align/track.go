package align

import (
	"math"
	"sort"
	"unicode"
	"unicode/utf8"

	"vaak/text"
	"vaak/text/segment"
)

// trailingShares is how many of the signs between two words get a share of the time of the
// word before them. A comma and a space make a pause as long as a letter or two. Of markup
// or a row of emoji, only the last characters get time.
const trailingShares = 2

// track is one of the two texts of a line.
type track struct {
	text   string // of the current stretch
	word   word   // the last word, whose end is not known
	placed int    // bytes of text whose time is known
	queue  []char // characters with times, not yet returned
	// closedCount is how many characters of the queue belong to closed stretches, the last
	// of which ends at sample closedAt.
	closedCount, closedAt int

	known  int   // everything before this sample is placed
	bounds []int // the samples, after the last cut, at which words begin and stretches end
}

// word is a word, or several that come from one part of the text and count as one.
type word struct {
	marked   bool
	span     text.Span
	start    int // the sample at which it begins
	placedTo int // the sample up to which its characters are placed
}

// char is a character of a text.
type char struct {
	text   string
	sample int  // where it begins
	word   bool // it begins a word
	joined bool // it belongs to the character before it
}

func (t *track) open(s string, at int) {
	t.text, t.placed = s, 0
	t.word = word{start: at, placedTo: at}
	t.addBound(at)
}

// addBound records a sample before which everything is placed.
func (t *track) addBound(sample int) {
	t.known = sample
	if n := len(t.bounds); n == 0 || t.bounds[n-1] < sample {
		t.bounds = append(t.bounds, sample)
	}
}

// mark adds a word that comes from a part of the text. It is a word of its own only if that
// part lies after the part of the word before, and if apart says that its time differs.
func (t *track) mark(s text.Span, sample int, apart bool) {
	s = text.Span{Start: t.characterStart(s.Start), End: t.characterStart(s.End)}
	w := &t.word
	own := !w.marked || apart && w.span.Len() > 0 && s.Start >= w.span.End
	if own {
		s.Start = t.trimStart(s)
		s.End = max(s.Start, s.End)
	}
	if own && (!w.marked || s.Len() > 0) {
		t.spread(w.span.End, s.Start, w.placedTo, sample)
		t.word = word{marked: true, span: s, start: sample, placedTo: sample}
		t.addBound(sample)
		return
	}
	// Several spoken words come from one written part, as "twenty one" from "21".
	// A word without a span (the engine named none) begins where the text is placed to.
	if w.span.Len() == 0 {
		w.span.Start = t.placed
	}
	w.span.End = max(w.span.End, s.End)
}

// characterStart returns the start of the character that contains byte i, limited to the
// text.
func (t *track) characterStart(i int) int {
	i = min(max(i, 0), len(t.text))
	for i > 0 && i < len(t.text) && !utf8.RuneStart(t.text[i]) {
		i--
	}
	return i
}

// trimStart returns where a span begins without the white space at its start and without
// combining marks, which belong to the character before.
func (t *track) trimStart(s text.Span) int {
	for s.Start < s.End {
		r, n := utf8.DecodeRuneInString(t.text[s.Start:])
		if !unicode.IsSpace(r) && !segment.Extends(r) {
			break
		}
		s.Start += n
	}
	return s.Start
}

// spread places the text up to byte end evenly between samples from and to. wordEnd is where
// the word ends in it; of the text after that, some characters are silent and get no time.
func (t *track) spread(wordEnd, end, from, to int) {
	if end <= t.placed {
		return
	}
	heard, shares := shareTime(t.text[t.placed:end], wordEnd-t.placed)
	begun, share := t.placed, 0
	// A character without a share gets the start of the next share, hence no duration.
	for _, h := range heard {
		t.place(from+(to-from)*share/shares, t.placed == begun)
		if h {
			share++
		}
	}
}

// shareTime tells which characters of a text get a share of its time, and how many those
// are: all before byte wordEnd; letters after it, because an engine may read several words
// as one; and the last few, which stand for the pause.
func shareTime(s string, wordEnd int) (all []bool, shares int) {
	markup := false
	for i, r := range s {
		markup = i >= wordEnd && (r == '<' || markup && r != '>')
		all = append(all, i < wordEnd || !markup && unicode.In(r, unicode.L, unicode.M, unicode.N))
	}
	for i := max(len(all)-trailingShares, 0); i < len(all); i++ {
		all[i] = true
	}
	for _, h := range all {
		if h {
			shares++
		}
	}
	return all, shares
}

// place puts the next character of the text at a sample. first marks the first character
// of a word.
func (t *track) place(sample int, first bool) {
	r, n := utf8.DecodeRuneInString(t.text[t.placed:])
	c := char{
		text: t.text[t.placed : t.placed+n], sample: sample,
		word:   first && t.word.marked && t.placed == t.word.span.Start,
		joined: t.placed > 0 && segment.Extends(r),
	}
	t.queue = append(t.queue, c)
	t.placed += n
}

// close ends the stretch at a sample.
func (t *track) close(end int) {
	t.spread(t.word.span.End, len(t.text), t.word.placedTo, end)
	t.closedCount, t.closedAt = len(t.queue), end
	t.addBound(end)
}

// placeInFrame places one character of a word whose end is not known yet, with its
// combining marks, so that a frame inside a long word does not come without any.
func (t *track) placeInFrame(from, to int) {
	w := &t.word
	if !w.marked || w.start >= to {
		return
	}
	for first := true; t.placed < w.span.End; first = false {
		if r, _ := utf8.DecodeRuneInString(t.text[t.placed:]); !first && !segment.Extends(r) {
			break
		}
		t.place(max(w.placedTo, from), first)
	}
	// The next frame continues the word where this one ended.
	w.placedTo = to
}

// pop removes and returns the characters that begin before a sample, and those of closed
// stretches that end there.
func (t *track) pop(to int) []char {
	n := t.countBefore(to)
	// Characters of a closed stretch may begin at its very end; they have no duration.
	if t.closedAt <= to {
		n = max(n, t.closedCount)
	}
	taken := t.queue[:n]
	t.queue = t.queue[n:]
	t.closedCount = max(t.closedCount-n, 0)
	t.bounds = t.bounds[sort.SearchInts(t.bounds, to+1):]
	return taken
}

// lastUpTo returns the last of ascending samples up to a limit, or -1.
func lastUpTo(samples []int, limit int) int {
	if i := sort.SearchInts(samples, limit+1); i > 0 {
		return samples[i-1]
	}
	return -1
}

// countBefore returns how many characters of the queue begin before a sample.
func (t *track) countBefore(sample int) int {
	return sort.Search(len(t.queue), func(i int) bool { return t.queue[i].sample >= sample })
}

// firstSample returns where the next character begins, or MaxInt if that is not known.
func (t *track) firstSample() int {
	if len(t.queue) == 0 {
		return math.MaxInt
	}
	return t.queue[0].sample
}

// nextWord returns where the next word begins if that is after cut and no character begins
// between the two, else MaxInt.
func (t *track) nextWord(cut int) int {
	if at := t.firstSample(); at > cut && at < math.MaxInt && t.queue[0].word {
		return at
	}
	return math.MaxInt
}

// lastCharacterUpTo returns the last sample up to limit at which a character begins that is
// not a combining mark, or -1.
func (t *track) lastCharacterUpTo(limit int) int {
	for i := t.countBefore(limit+1) - 1; i >= 0; i-- {
		if !t.queue[i].joined {
			return t.queue[i].sample
		}
	}
	return -1
}
