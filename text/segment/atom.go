package segment

import (
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"

	"vaak/lang"
	"vaak/text"
)

// atom is a piece of text that is never cut between languages: a word, a number with its
// currency or unit, or a link.
type atom struct {
	text.Span
	kind      kind
	lettered  bool   // a number with a currency or unit in Latin letters
	romanised bool   // an Indian word in Latin letters
	numbered  bool   // a Latin word with digits
	script    string // of its letters; for a number, the script of the word that it is part of
	letters   int32  // code points of letters
	depth     int32  // brackets open after it
	code      lang.Code
	around    lang.Code // of the signs in a link, where it is another one
}

type kind uint8

const (
	word kind = iota
	number
	link
)

// scanner cuts text into atoms, cluster by cluster.
type scanner struct {
	at       int   // how much of the text was read
	depth    int32 // brackets open here
	atoms    []atom
	clusters *graphemes.Iterator[string]
	plain    int // no link begins before here
	work     int // bytes looked at; a test proves that the work is linear
}

// cluster returns the length of the grapheme cluster at i and its script, "" for
// a neutral one.
func (c *cutter) cluster(i int) (n int, script string) {
	b := c.text[i]
	// Fast path: an ASCII character that nothing joins is a cluster of its own. CR is left
	// to the iterator, as CR LF is one cluster (UAX #29, rule GB3).
	if b < utf8.RuneSelf && b != '\r' && (i+1 == len(c.text) || beginsCluster(c.text[i+1:])) {
		if isLatin(b) {
			return 1, "Latn"
		}
		return 1, ""
	}
	if r, size := utf8.DecodeRuneInString(c.text[i:]); isPlain(r) && (i+size == len(c.text) || beginsCluster(c.text[i+size:])) {
		return size, scriptOf(c.text[i : i+size])
	}
	// The iterator starts anew at each call. It is used for clusters that the fast paths
	// leave, and reads one of them.
	c.clusters.SetText(c.text[i:])
	c.clusters.Next()
	n = c.clusters.End()
	c.work += n
	return n, scriptOf(c.text[i : i+n])
}

// beginsCluster reports whether a grapheme cluster surely begins at the start of a text
// that follows a letter or other character that joins nothing.
func beginsCluster(s string) bool {
	if s[0] < utf8.RuneSelf {
		return true
	}
	r, _ := utf8.DecodeRuneInString(s)
	return isPlain(r)
}

// isPlain says of the most usual letters beyond ASCII that they join neither the
// character before nor, by themselves, the one after.
func isPlain(r rune) bool {
	switch {
	case 0x900 <= r && r < 0xD80: // the blocks of India are alike
		// In each block of 128 code points the letters are at the same places (ISCII
		// order): 05 to 39. Signs come before and after them, and those join.
		return 5 <= r&0x7F && r&0x7F < 0x3A
	case r < 0x482:
		return 0xC0 <= r && r < 0x250 || 0x388 <= r
	case r < 0x6D4:
		return 0x620 <= r && r < 0x64B || 0x671 <= r || 0x5D0 <= r && r < 0x5EB
	}
	return 0x3400 <= r && r < 0xA000 || 0xAC00 <= r && r < 0xD7A4 || 0x3041 <= r && r < 0x3097 || 0x30A1 <= r && r < 0x30FB
}

// read cuts the text up to end into atoms.
func (c *cutter) read(end int) {
	for c.at < end {
		c.work++
		// Most letters beyond ASCII begin a word at once. ASCII letters do not: a link or a
		// currency may begin with one.
		if script := plainScript(c.text[c.at:]); script != "" {
			c.word(c.at, c.at, script, end)
			continue
		}
		if c.link(c.at, end) || c.eraDate(c.at, end) || c.zone(c.at, end) || c.before(c.at, end) || c.number(c.at, end) {
			continue
		}
		n, script := c.cluster(c.at)
		if script != "" {
			c.word(c.at, c.at+n, script, end)
			continue
		}
		// A closing bracket without an opening one must not make the depth negative: it
		// would cancel the next bracket that opens.
		c.depth = max(0, c.depth+int32(bracket(c.text[c.at:])))
		c.at += n
	}
}

// plainScript returns the script of the plain letter that a text begins with, ""
// for anything else.
func plainScript(s string) string {
	if s[0] < utf8.RuneSelf {
		return ""
	}
	r, n := utf8.DecodeRuneInString(s)
	if !isPlain(r) {
		return ""
	}
	return scriptOf(s[:n])
}

// add ends an atom that reaches to end.
func (c *cutter) add(a atom, end int) {
	a.End, a.depth = end, c.depth
	c.work += end - c.at
	c.atoms = append(c.atoms, a)
	c.at = end
}

// word reads the letters of one script from the atom's start on, of which those
// before at are known. A Latin word goes on with digits and apostrophes.
func (c *cutter) word(start, at int, script string, end int) {
	a := atom{Span: text.Span{Start: start}, script: script}
	for at < end {
		if m := c.skip(at, end, script); m > 0 {
			at += m
			continue
		}
		n, s := c.cluster(at)
		if s != script && (script != "Latn" || !continuesLatin(c.text[at-1:], n)) || s != "Latn" && s != "" && isNumeric(c.text[at:]) {
			break
		}
		at += n
	}
	a.letters = int32(utf8.RuneCountInString(c.text[start:at]))
	if script == "Latn" {
		for i := start; i < at && !a.numbered; i++ {
			a.numbered = isDigit(c.text[i])
		}
		if a.numbered && isCode(c.text[start:at]) {
			a.kind = link
		}
		if s := c.named(start, at); s != "" {
			a.script = s
		}
	}
	c.add(a, at)
}

// skip returns how many bytes from at on are surely whole clusters of a word: of
// ASCII letters, or characters of one block of India and not digits.
func (c *cutter) skip(at, end int, script string) int {
	i := at
	if script == "Latn" {
		// The byte after must be ASCII too: a combining accent would make one cluster with
		// the letter.
		for i+1 < end && isLatin(c.text[i]) && c.text[i+1] < utf8.RuneSelf {
			i++
		}
		return i - at
	}
	last, block := at, rune(0) // the last letter, which may begin a cluster
	for i < end {
		r, n := utf8.DecodeRuneInString(c.text[i:])
		// The two dandas end sentences, and 66 to 6F are the digits of each block.
		if r < 0x900 || r >= 0xD80 || block != 0 && block != r&^0x7F || r == '।' || r == '॥' || 0x66 <= r&0x7F && r&0x7F < 0x70 {
			break
		}
		if block == 0 && lang.ScriptOf(r) != script {
			return 0
		}
		if isPlain(r) {
			last = i
		}
		block = r &^ 0x7F
		i += n
	}
	// What follows joins nothing, so the last cluster is whole. Otherwise it may go on, and
	// is left to the caller.
	if i == len(c.text) || c.text[i] < utf8.RuneSelf {
		return i - at
	}
	return last - at
}

// continuesLatin reports whether a cluster of n bytes, the second character of a text,
// goes on a Latin word though it is no letter: a digit, a full stop between two, an
// apostrophe before a letter, a hyphen before a digit.
func continuesLatin(s string, n int) bool {
	before := s[0]
	s = s[1:]
	switch {
	case n == 1 && isDigit(s[0]):
		return true
	case n == len(s):
		return false
	// As in "COVID-19", and in "v1.2": a full stop after a letter ends the word.
	case n == 1 && s[0] == '-', n == 1 && s[0] == '.' && isDigit(before):
		return isDigit(s[n])
	case n == 1 && s[0] == '\'' || s[:n] == "’":
		return isLatin(s[n])
	}
	return false
}

func isLatin(b byte) bool { return 'a' <= b|0x20 && b|0x20 <= 'z' }

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

// isNumeric reports whether a text begins with a digit or fraction.
func isNumeric(s string) bool {
	if s[0] < utf8.RuneSelf {
		return isDigit(s[0])
	}
	r, _ := utf8.DecodeRuneInString(s)
	return isNumericRune(r)
}

func isNumericRune(r rune) bool {
	return unicode.Is(unicode.Nd, r) || 'Ⅰ' <= r && r <= 'ⅿ' || '\u00BC' <= r && r <= '\u00BE' || '\u2150' <= r && r <= '\u215E'
}

// scriptOf returns the script of a grapheme cluster, "" for a neutral one.
func scriptOf(cluster string) string {
	for _, r := range cluster {
		if r >= 'Ⅰ' && r <= 'ⅿ' {
			continue // a numeral, not a word: 第Ⅱ部
		}
		switch s := lang.ScriptOf(r); s {
		case "Zyyy", "Zinh", "Zzzz":
		default:
			return s
		}
	}
	return ""
}

// joins reports whether a gap between two runs is no pause: nothing, or what holds the
// parts of a word together.
func joins(gap string) bool {
	for _, r := range gap {
		switch r {
		case '-', '\'', '’', '_', '/', '&', '+', '\u2010', '\u2011', '\u05BE', '\u200C', '\u200D', '.':
		default:
			return false
		}
	}
	return true
}
