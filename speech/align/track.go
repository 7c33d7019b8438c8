package align

import (
	"math"
	"sort"
	"unicode"
	"unicode/utf8"

	"vaak/text"
	"vaak/text/segment"
)

// trailing is how many of the signs between two words have a share in the time of
// the word before them. A comma and a space are a pause as long as a letter or
// two; of markup and rows of emoji the last characters stand for all.
const trailing = 2

// track is one of the texts of a line.
type track struct {
	text  string // of the stretch
	word  word   // the last, whose end is not known
	told  int    // bytes of text that are placed
	queue []char // placed, not taken
	// done is how many of the queue are of closed stretches, the last of which
	// ends at sample ended.
	done, ended int

	known  int   // the sample before which all is placed
	bounds []int // the samples not taken at which words begin and stretches end
}

// word is what is read as one: one word, or several from one part of the text.
type word struct {
	marked bool
	span   text.Span
	start  int // the sample at which it begins
	rest   int // that at which the part of it begins that is not placed
}

// char is a character of a text.
type char struct {
	text   string
	sample int  // where it begins
	word   bool // it begins a word
	joined bool // it belongs to the character before it
}

func (t *track) open(s string, at int) {
	t.text, t.told = s, 0
	t.word = word{start: at, rest: at}
	t.bound(at)
}

// bound notes a sample before which all is placed.
func (t *track) bound(sample int) {
	t.known = sample
	if n := len(t.bounds); n == 0 || t.bounds[n-1] < sample {
		t.bounds = append(t.bounds, sample)
	}
}

// mark takes a word of a part of the text. It is one of its own if that part
// lies behind that of the word before and if it begins apart from it.
func (t *track) mark(s text.Span, sample int, apart bool) {
	s = text.Span{Start: t.edge(s.Start), End: t.edge(s.End)}
	w := &t.word
	own := !w.marked || apart && w.span.Len() > 0 && s.Start >= w.span.End
	if own {
		s.Start = t.begins(s)
		s.End = max(s.Start, s.End)
	}
	if own && (!w.marked || s.Len() > 0) {
		t.spread(w.span.End, s.Start, w.rest, sample)
		t.word = word{marked: true, span: s, start: sample, rest: sample}
		t.bound(sample)
		return
	}
	if w.span.Len() == 0 {
		w.span.Start = t.told
	}
	w.span.End = max(w.span.End, s.End)
}

// edge returns the byte at which the character begins that has byte i, within
// the text.
func (t *track) edge(i int) int {
	i = min(max(i, 0), len(t.text))
	for i > 0 && i < len(t.text) && !utf8.RuneStart(t.text[i]) {
		i--
	}
	return i
}

// begins returns where a span begins without the white space at its start and
// the characters that are joined to what is before it.
func (t *track) begins(s text.Span) int {
	for s.Start < s.End {
		r, n := utf8.DecodeRuneInString(t.text[s.Start:])
		if !unicode.IsSpace(r) && !segment.Extends(r) {
			break
		}
		s.Start += n
	}
	return s.Start
}

// spread places the text up to byte end between two samples. Of what lies behind
// byte said some is not heard and lasts no time.
func (t *track) spread(said, end, from, to int) {
	if end <= t.told {
		return
	}
	heard, shares := heard(t.text[t.told:end], said-t.told)
	begun, share := t.told, 0
	for _, h := range heard {
		t.place(from+(to-from)*share/shares, t.told == begun)
		if h {
			share++
		}
	}
}

// heard says which characters have a share in the time of a text, and how many:
// those before byte said, the letters behind it, for there are words that the
// engine reads as one with the word before, and the last few.
func heard(s string, said int) (all []bool, shares int) {
	markup := false
	for i, r := range s {
		markup = i >= said && (r == '<' || markup && r != '>')
		all = append(all, i < said || !markup && unicode.In(r, unicode.L, unicode.M, unicode.N))
	}
	for i := max(len(all)-trailing, 0); i < len(all); i++ {
		all[i] = true
	}
	for _, h := range all {
		if h {
			shares++
		}
	}
	return all, shares
}

// place puts the next character of the text at a sample.
func (t *track) place(sample int, first bool) {
	r, n := utf8.DecodeRuneInString(t.text[t.told:])
	c := char{
		text: t.text[t.told : t.told+n], sample: sample,
		word:   first && t.word.marked && t.told == t.word.span.Start,
		joined: t.told > 0 && segment.Extends(r),
	}
	t.queue = append(t.queue, c)
	t.told += n
}

func (t *track) close(end int) {
	t.spread(t.word.span.End, len(t.text), t.word.rest, end)
	t.done, t.ended = len(t.queue), end
	t.bound(end)
}

// advance lets a frame that ends before the end of its word is known have one
// character of the word, with what is joined to it.
func (t *track) advance(from, to int) {
	w := &t.word
	if !w.marked || w.start >= to {
		return
	}
	for first := true; t.told < w.span.End; first = false {
		if r, _ := utf8.DecodeRuneInString(t.text[t.told:]); !first && !segment.Extends(r) {
			break
		}
		t.place(max(w.rest, from), first)
	}
	w.rest = to
}

// take removes the characters that begin before a sample, and those of closed
// stretches that end there.
func (t *track) take(to int) []char {
	n := t.before(to)
	if t.ended <= to {
		n = max(n, t.done)
	}
	taken := t.queue[:n]
	t.queue = t.queue[n:]
	t.done = max(t.done-n, 0)
	t.bounds = t.bounds[sort.SearchInts(t.bounds, to+1):]
	return taken
}

// last returns the last of ascending samples up to a limit, or -1.
func last(samples []int, limit int) int {
	if i := sort.SearchInts(samples, limit+1); i > 0 {
		return samples[i-1]
	}
	return -1
}

// before returns how many characters of the queue begin before a sample.
func (t *track) before(sample int) int {
	return sort.Search(len(t.queue), func(i int) bool { return t.queue[i].sample >= sample })
}

// first returns where the next character begins, as far as it is known.
func (t *track) first() int {
	if len(t.queue) == 0 {
		return math.MaxInt
	}
	return t.queue[0].sample
}

// resumes returns where the next word begins if no character does between it and
// a cut, else a sample that is never reached.
func (t *track) resumes(cut int) int {
	if at := t.first(); at > cut && at < math.MaxInt && t.queue[0].word {
		return at
	}
	return math.MaxInt
}

// between returns the last sample up to limit at which a character begins that
// is joined to none before it, or -1.
func (t *track) between(limit int) int {
	for i := t.before(limit+1) - 1; i >= 0; i-- {
		if !t.queue[i].joined {
			return t.queue[i].sample
		}
	}
	return -1
}
