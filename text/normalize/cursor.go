package normalize

import (
	"strings"
	"unicode/utf8"

	"vaak/text"
)

// lookahead bounds how many tokens a recognizer looks at, so that the work is
// linear in the text.
const lookahead = 24

// Bounds of the output, in code points: expansion for each one of the input,
// and slack for short texts.
const (
	expansion = 20
	slack     = 500
)

// cursor walks over the tokens of one text.
type cursor struct {
	*Normalizer
	s     string
	toks  []token
	steps int // looks at a phrase or a token, for the proof that work is linear
	context
	last number // the one that was read last
}

// reader reads a text form by form and writes the words.
type reader struct {
	cursor
	out  []byte
	back text.Builder
	done int // bytes of s that were written
	left int // code points that the output may still have beyond the rest of s
}

// walk reads the whole text.
func (c *reader) walk() {
	for i := 0; i < len(c.toks); {
		c.steps++
		o := c.read(i)
		if o.tokens == 0 {
			c.advance(i, i+1)
			i++
			continue
		}
		spoken, n := o.words, o.tokens
		spoken, n = c.withEnding(i, spoken, n)
		if c.is(i+n-1, '.') && !strings.HasSuffix(spoken, ".") && c.ends(i+n) {
			spoken += "." // it ended the sentence, too
		}
		spoken, joined := c.unmark(i+n, spoken)
		if joined {
			n++ // the mark is not spoken
		}
		joined = joined || c.ending(i+n) || c.afterPrefix == i+n
		c.replace(i, n, spoken, joined)
		if o.note.kind == noteInches {
			c.advance(o.note.at, i+n)
		} else {
			c.advance(i, i+n)
		}
		i += n
	}
	if c.done > 0 {
		c.keep(len(c.s))
	}
}

// read tries the recognizers of a token's kind in their order.
func (c *reader) read(i int) outcome {
	var list []recognizer
	switch t := &c.toks[i]; t.kind {
	case digits:
		if list = atDigits; c.kind(i+1) == space || i+1 == len(c.toks) {
			list = atDigitsApart
		}
	case sign:
		if quiet(t.r) && !(t.r == '.' && c.leadingPoint(i)) {
			return outcome{}
		}
		list = atSign
	case word:
		if !c.speaks(i) {
			return outcome{}
		}
		list = atWord
	}
	for _, r := range list {
		c.steps++
		o := r(&c.cursor, i)
		if o.note.kind != 0 {
			c.context = c.context.with(o.note)
		}
		if o.tokens > 0 {
			return o
		}
	}
	return outcome{}
}

// advance passes the tokens from i to end, which may hold quotation marks.
func (c *reader) advance(i, end int) {
	for ; i < end; i++ {
		if c.is(i, '"') {
			c.quoted = !c.quoted
		}
	}
}

// quiet says that a sign begins no form.
func quiet(r rune) bool {
	switch r {
	case ',', '.', ';', ':', '!', '?', '"', '[', ']', '{', '}', ')', '।', '॥', '“', '”', '‘', '…', '—', '،', '؟', '。', '、', '，':
		return true
	}
	return false
}

// keep copies the text up to a byte.
func (c *reader) keep(to int) {
	if to > c.done {
		c.out = append(c.out, c.s[c.done:to]...)
		c.back.Keep(to - c.done)
		c.done = to
	}
}

// replace writes spoken text for n tokens at i. When the output would
// pass its bound, the part is copied instead. Joined says that an ending follows,
// which is written on to the words.
func (c *reader) replace(i, n int, spoken string, joined bool) {
	from, to := c.toks[i].start, c.toks[i+n-1].end
	written := c.s[from:to]
	if spoken == written {
		return
	}
	more := utf8.RuneCountInString(spoken) + 2 - utf8.RuneCountInString(written)
	if more > c.left {
		return
	}
	c.left -= max(more, 0)
	kept := from > c.done
	c.keep(from)
	if spoken == "" && !(c.spaced && c.touches() && to < len(c.s) && letter(firstRune(c.s[to:]))) {
		c.drop(from, to)
		return
	}
	if spoken == "" {
		spoken = " "
	}
	if spoken[0] == ' ' && len(c.out) > 0 && c.out[len(c.out)-1] == ' ' {
		spoken = spoken[1:]
	}
	if c.spaced && c.touches() && letter(firstRune(spoken)) && c.afterPrefix != i && !(kept && c.joins(spoken)) {
		spoken = " " + spoken
	}
	if next := firstRune(c.s[to:]); c.spaced && !joined && to < len(c.s) && parted(next) && !(c.clings && indic(next)) && letter(lastRune(spoken)) {
		spoken += " "
	}
	c.out = append(c.out, spoken...)
	c.back.Replace(to-from, len(spoken))
	c.done = to
}

// drop leaves out a part of the input that is silent, and a space after it when
// there is one before it, too.
func (c *reader) drop(from, to int) {
	if to < len(c.s) && c.s[to] == ' ' && (len(c.out) == 0 || c.out[len(c.out)-1] == ' ') {
		to++
	}
	c.back.Drop(to - from)
	c.done = to
}

// touches says that the output ends in a letter, so that a word put there would
// run into it.
func (c *reader) touches() bool {
	return len(c.out) > 0 && letter(lastRune(string(c.out[max(0, len(c.out)-utf8.UTFMax):])))
}

// joins says that a word put there is of one word with the output's last letter:
// both are of a script whose letters are syllables or words, as in 제3장.
func (c *reader) joins(spoken string) bool {
	return !parted(lastRune(string(c.out[max(0, len(c.out)-utf8.UTFMax):]))) && !parted(firstRune(spoken))
}

// scores says that a word for the result of a match stands not far before i.
func (c *cursor) scores(i int) bool { return c.scored > 0 && i-c.scored < lookahead/2 }

// kind returns what the token at i is, 0 beyond the ends.
func (c *cursor) kind(i int) kind {
	if i < 0 || i >= len(c.toks) {
		return 0
	}
	return c.toks[i].kind
}

// rune returns the first rune of the token at i, 0 beyond the ends.
func (c *cursor) rune(i int) rune {
	if i < 0 || i >= len(c.toks) {
		return 0
	}
	return c.toks[i].r
}

// is says that the token at i is the sign given.
func (c *cursor) is(i int, r rune) bool { return c.kind(i) == sign && c.toks[i].r == r }

// text returns the token at i, "" beyond the ends.
func (c *cursor) text(i int) string {
	if i < 0 || i >= len(c.toks) {
		return ""
	}
	return c.toks[i].in(c.s)
}

// skip returns the index after a single space token, if there is one at i.
func (c *cursor) skip(i int) int {
	if c.kind(i) == space && c.toks[i].end-c.toks[i].start <= len("\u202f") && !strings.Contains(c.text(i), "\n") {
		return i + 1
	}
	return i
}

// opens says that nothing which would be part of the same form touches the
// token at i from the left.
func (c *cursor) opens(i int) bool {
	k := c.kind(i - 1)
	return k != word && k != digits || c.afterPrefix > 0 && c.afterPrefix == i || k == word && c.toks[i-1].dense
}

// closes says that no letter or digit stands at i, or an ending does.
func (c *cursor) closes(i int) bool {
	k := c.kind(i)
	if k == word && c.kind(i-1) == digits {
		if _, n := c.endingAt(i); n > 0 {
			return true
		}
	}
	return k != word && k != digits || k == word && (c.toks[i].dense || c.ending(i))
}

// ending says that a case ending or the like stands at i, which the language
// writes on to digits and signs as it does to words.
func (c *cursor) ending(i int) bool {
	if len(c.tables.ending) == 0 || c.kind(i) != word || c.kind(i+1) == digits {
		return false
	}
	k := c.kind(i - 1)
	return (k == digits || k == sign) && c.tables.ending[c.text(i)]
}

// ends says that only space and closing marks follow from i on, a few at most:
// the text or the line is over.
func (c *cursor) ends(i int) bool {
	for n := 0; n < 4 && i < len(c.toks); n++ {
		c.steps++
		switch t := c.toks[i]; {
		case t.kind == space && strings.Contains(c.text(i), "\n"):
			return true
		case t.kind == word, t.kind == digits:
			return false
		}
		i++
	}
	return i >= len(c.toks)
}

// back1 returns the index before a space at j.
func (c *cursor) back1(j int) int {
	if c.kind(j) == space {
		return j - 1
	}
	return j
}
