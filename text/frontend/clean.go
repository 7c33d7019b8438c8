package frontend

import (
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"vaak/lang"
	"vaak/text"
	"vaak/text/emoji"
	"vaak/text/markdown"
)

// cleaned is a text without what is not spoken.
type cleaned struct {
	text   string
	back   text.Map
	tags   int // that were removed
	breaks []pauseAt
	pauses int // of breaks, those that were asked for
}

// pauseAt is a pause before a byte of the cleaned text.
type pauseAt struct {
	at        int
	pause     time.Duration // that the caller asked for
	paragraph bool          // an empty line stands there
}

// clean removes what is not spoken. White space of every kind, bytes that are not UTF-8
// and emoji become spaces, entities of HTML their character. Other control characters, direction marks, invisible
// characters and variation selectors are dropped. The joiners stay, because they shape
// letters in Indic scripts. The text begins at byte base of the caller's text, to which
// the map leads.
//
// With a naming, the emoji become their names; a nil one leaves them out.
func clean(s string, base int, names *naming) cleaned {
	c := cleaner{src: s, base: base, names: names}
	c.build.Drop(base)
	for i := 0; i < len(s); {
		b := s[i]
		if b < utf8.RuneSelf {
			switch {
			case b < ' ' || b == 0x7F:
				i = c.control(i)
			case b == '<':
				i = c.markup(i)
			case b == '&':
				i = c.entity(i)
			case i+1 < len(s) && s[i+1] >= utf8.RuneSelf && isKeycap(s[i:]):
				i = c.emoji(i, i+1+emojiTail(s[i+1:]))
			default:
				i++
			}
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		switch classify(r, n, s[i+n:]) {
		case kept:
			i += n
		case dropped:
			i = c.drop(i, i+n)
		case spaced:
			i = c.space(i, i+n)
		case picture:
			i = c.emoji(i, i+flagTail(s[i:], n))
		case foreign:
			i = c.space(i, i+unreadSpan(s[i:]))
		}
	}
	return c.finish()
}

// cleaner copies its source from the first change on; a text without changes is not
// copied.
type cleaner struct {
	src     string
	base    int // where src begins in the caller's text
	out     []byte
	build   text.Builder
	done    int // how much of src was taken
	changed bool
	result  cleaned
	names   *naming
	last    string // the emoji that was named last
	lastEnd int    // where it ended
}

// naming names emoji in a language.
type naming struct {
	code lang.Code
	room int // code points that names may still take
}

// nameRoom is how many code points the names of emoji in a text take at most.
const nameRoom = 2000

// emoji names an emoji, or leaves it out. One that stands several times in a row is named
// once.
func (c *cleaner) emoji(from, to int) int {
	if c.names == nil {
		return c.space(from, to)
	}
	is := c.src[from:to]
	again := is == c.last && strings.TrimSpace(c.src[c.lastEnd:from]) == ""
	c.last, c.lastEnd = is, to
	name := ""
	if !again {
		name = emoji.Name(c.names.code, is)
	}
	if n := utf8.RuneCountInString(name); n > c.names.room {
		name = ""
	} else {
		c.names.room -= n
	}
	if name == "" {
		return c.space(from, to)
	}
	c.take(from)
	// Commas keep the name apart from the words beside it.
	before, _ := utf8.DecodeLastRuneInString(strings.TrimRight(string(c.out), " "))
	after, _ := utf8.DecodeRuneInString(strings.TrimLeft(c.src[to:], " "))
	lead, trail := " ", " "
	if wordy(before) {
		lead = ", "
	}
	if wordy(after) {
		if trail = ", "; c.src[to] == ' ' {
			trail = ","
		}
	}
	said := lead + name + trail
	c.out = append(c.out, said...)
	c.build.Replace(to-from, len(said))
	c.done = to
	return to
}

// take copies the text that stays, up to a byte.
func (c *cleaner) take(to int) {
	if !c.changed {
		c.changed = true
		c.out = make([]byte, 0, len(c.src))
	}
	c.out = append(c.out, c.src[c.done:to]...)
	c.build.Keep(to - c.done)
	c.done = to
}

// drop leaves out bytes of the source and returns where to continue.
func (c *cleaner) drop(from, to int) int {
	c.take(from)
	c.build.Drop(to - from)
	c.done = to
	return to
}

// space writes a space for bytes of the source and returns where to continue.
func (c *cleaner) space(from, to int) int {
	c.take(from)
	c.out = append(c.out, ' ')
	c.build.Replace(to-from, 1)
	c.done = to
	return to
}

func (c *cleaner) control(i int) int {
	switch c.src[i] {
	case '\n':
		end, lines := i, 0
		for end < len(c.src) && isSpaceByte(c.src[end]) {
			if c.src[end] == '\n' {
				lines++
			}
			end++
		}
		if lines > 1 {
			c.space(i, end)
			c.result.breaks = append(c.result.breaks, pauseAt{at: len(c.out), paragraph: true})
			return end
		}
		return c.space(i, i+1)
	case '\t', '\v', '\f', '\r':
		return c.space(i, i+1)
	}
	return c.drop(i, i+1)
}

func (c *cleaner) markup(i int) int {
	t, ok := readTag(c.src[i:])
	if !ok {
		return i + 1
	}
	c.result.tags++
	to := i + t.size
	if !t.separates {
		return c.drop(i, to)
	}
	c.space(i, to)
	if t.pause > 0 {
		// After the space, so the pause stands before the next word.
		c.result.breaks = append(c.result.breaks, pauseAt{at: len(c.out), pause: t.pause})
		c.result.pauses++
	}
	return to
}

// entity replaces an HTML entity at i by its character, a no-break space by a space, and
// returns where to continue.
func (c *cleaner) entity(i int) int {
	n := strings.IndexByte(c.src[i:min(len(c.src), i+longestEntity)], ';')
	if n < 0 {
		return i + 1
	}
	to := i + n + 1
	chars, ok := markdown.Entity(c.src[i:to])
	r, size := utf8.DecodeRuneInString(chars)
	if !ok || size != len(chars) {
		return i + 1
	}
	if r <= ' ' || r == 0xA0 || r == '<' || r == '>' || r == utf8.RuneError || r >= utf8.RuneSelf && classify(r, size, "") != kept {
		return c.space(i, to)
	}
	c.take(i)
	c.out = append(c.out, chars...)
	c.build.Replace(to-i, size)
	c.done = to
	return to
}

// longestEntity bounds the search for the end of an entity, in bytes.
const longestEntity = 12

func (c *cleaner) finish() cleaned {
	if !c.changed {
		c.result.text, c.result.back = c.src, text.Taken(text.Span{Start: c.base, End: c.base + len(c.src)})
		return c.result
	}
	c.take(len(c.src))
	c.result.text, c.result.back = string(c.out), c.build.Map()
	return c.result
}

func isSpaceByte(b byte) bool { return b == ' ' || '\t' <= b && b <= '\r' }

// pieces cuts the text at its pauses and between its paragraphs.
func (c cleaned) pieces() []piece {
	if len(c.breaks) == 0 {
		return []piece{{text: c.text, back: c.back}}
	}
	all := make([]piece, 0, len(c.breaks)+1)
	at, pause := 0, time.Duration(0)
	for _, b := range append(c.breaks, pauseAt{at: len(c.text)}) {
		// An empty piece is kept for its pause: two breaks in a row add up.
		if b.at > at || pause > 0 {
			all = append(all, piece{text: c.text[at:b.at], back: c.back.Slice(text.Span{Start: at, End: b.at}), pause: pause, ends: b.paragraph})
		}
		at, pause = b.at, b.pause
	}
	return all
}

// compose converts the text of a piece to NFC.
func (p *piece) compose() {
	normal := norm.NFC.QuickSpanString(p.text)
	if rest := p.text[normal:]; rest == "" || norm.NFC.IsNormalString(rest) {
		return
	}
	out := append(make([]byte, 0, len(p.text)+16), p.text[:normal]...)
	var b text.Builder
	b.Keep(normal)
	var it norm.Iter
	it.InitString(norm.NFC, p.text[normal:])
	for from := normal; !it.Done(); from = normal + it.Pos() {
		segment := it.Next()
		out = append(out, segment...)
		// Only segments that changed are replaced. The others keep a map byte for byte.
		if was := p.text[from : normal+it.Pos()]; was == string(segment) {
			b.Keep(len(was))
		} else {
			b.Replace(len(was), len(segment))
		}
	}
	p.step(string(out), b.Map())
}
