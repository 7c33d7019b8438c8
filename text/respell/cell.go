package respell

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
)

// zwsp is the zero width space. It is ignored inside a term, but separates words.
const zwsp = '\u200B'

// keycap is the combining mark that makes a digit look like a key.
const keycap = '\u20E3'

// cell is a grapheme cluster of a text with those joined to it, or a run of white space.
// A match begins and ends at the edges of cells.
type cell struct {
	start int32    // byte in the text
	unit  [2]int32 // its first code point in each form of the text
	base  rune     // the code point that decides its class; 0 when all of it is ignored
}

// forms of a text, by which [cell.unit] counts.
const (
	asCased = iota
	asFolded
)

// cells is a text cut into cells, in the forms in which it is compared with rules.
type cells struct {
	text    string
	list    []cell // with one more cell at the end of the text
	units   [2][]rune
	wanted  [2]bool
	how     folding // of the second form
	sound   int     // UTF-8 up to here
	folder  folder
	cluster *graphemes.Iterator[string]
}

// cut cuts a text into cells, in the wanted forms.
func cut(s string, how folding, wanted [2]bool) *cells {
	c := &cells{text: s, how: how, wanted: wanted, cluster: graphemes.FromString("")}
	n := utf8.RuneCountInString(s)
	c.list = make([]cell, 0, n+1)
	for form, want := range wanted {
		if want {
			c.units[form] = make([]rune, 0, n)
		}
	}
	for i := 0; i < len(s); {
		i += c.next(i)
	}
	c.list = append(c.list, c.at(len(s), 0))
	return c
}

// len returns the number of cells.
func (c *cells) len() int { return len(c.list) - 1 }

// of returns the code points of a cell in one form.
func (c *cells) of(i, form int) []rune {
	return c.units[form][c.list[i].unit[form]:c.list[i+1].unit[form]]
}

// at returns a cell that begins at a byte, with nothing in it yet.
func (c *cells) at(i int, base rune) cell {
	return cell{int32(i), [2]int32{int32(len(c.units[asCased])), int32(len(c.units[asFolded]))}, base}
}

// next adds the cluster at a byte and returns its length.
func (c *cells) next(i int) int {
	r, n := utf8.DecodeRuneInString(c.text[i:])
	if plain(r) {
		after, _ := utf8.DecodeRuneInString(c.text[i+n:])
		if i+n == len(c.text) || plain(after) || after == '\r' {
			c.single(i, r)
			return n
		}
	}
	if i >= c.sound {
		c.sound = i + sound(c.text[i:])
	}
	if i == c.sound { // a byte that is not UTF-8 is a cluster by itself
		c.several(i, "\uFFFD")
		return 1
	}
	c.cluster.SetText(c.text[i:c.sound])
	for c.cluster.Next() {
		n = c.cluster.End()
		if !joins(c.cluster.Value(), c.text[i+n:c.sound]) {
			break
		}
	}
	c.several(i, c.text[i:i+n])
	return n
}

// sound returns how many bytes from the start are UTF-8.
func sound(s string) int {
	for i, r := range s {
		if r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD") {
			return i
		}
	}
	return len(s)
}

// plain reports whether a code point makes a cluster alone next to others such, is in
// normal form and not ignored.
func plain(r rune) bool {
	switch {
	case r < utf8.RuneSelf:
		return r != '\r'
	case 0x4E00 <= r && r <= 0x9FFF: // Han
		return true
	case r < 0x530: // Latin, Greek, Cyrillic
		return 0xA1 <= r && r < 0x2B0 && r != 0xAD && !ligature(r) || 0x388 <= r && r < 0x482 || 0x48A <= r
	}
	return 0x3041 <= r && r <= 0x3096 || 0x30A1 <= r && r <= 0x30FC // kana
}

// single adds a cluster of one plain code point.
func (c *cells) single(i int, r rune) {
	if r < utf8.RuneSelf && unicode.IsSpace(r) {
		c.space(i)
		return
	}
	c.list = append(c.list, c.at(i, r))
	if c.wanted[asCased] {
		c.units[asCased] = append(c.units[asCased], r)
	}
	if !c.wanted[asFolded] {
		return
	}
	n := len(c.units[asFolded])
	c.units[asFolded] = appendFold(c.units[asFolded], r, c.how)
	if one := c.units[asFolded][n:]; len(one) > 1 { // such as ΐ
		c.units[asFolded] = append(c.units[asFolded][:n], c.folder.compose(one)...)
	}
}

// several adds a cluster of any kind.
func (c *cells) several(i int, cluster string) {
	units := c.folder.cased(cluster)
	if len(units) == 0 {
		base := rune(0)
		if r, _ := utf8.DecodeRuneInString(cluster); r == zwsp {
			base = zwsp
		}
		c.list = append(c.list, c.at(i, base))
		return
	}
	if blank(units) {
		c.space(i)
		return
	}
	c.list = append(c.list, c.at(i, baseOf(units)))
	if c.wanted[asCased] {
		c.units[asCased] = append(c.units[asCased], units...)
	}
	if c.wanted[asFolded] {
		c.units[asFolded] = append(c.units[asFolded], c.folder.folded(units, c.how)...)
	}
}

// space adds white space: to the run before, if there is one.
func (c *cells) space(i int) {
	for n := len(c.list); n > 0; n-- {
		if last := c.list[n-1].base; last == ' ' && c.isSpace(n-1) {
			c.list = c.list[:n] // and what was ignored in between
			return
		} else if last != 0 && last != zwsp {
			break
		}
	}
	c.list = append(c.list, c.at(i, ' '))
	for form, want := range c.wanted {
		if want {
			c.units[form] = append(c.units[form], ' ')
		}
	}
}

// isSpace reports whether a cell so far at the end is white space only: a space with a
// mark on it is not.
func (c *cells) isSpace(i int) bool {
	for form, want := range c.wanted {
		if want {
			return len(c.units[form])-int(c.list[i].unit[form]) == 1
		}
	}
	return true
}

func blank(units []rune) bool {
	for _, r := range units {
		if r != ' ' {
			return false
		}
	}
	return true
}

// baseOf returns the code point that the class of a cluster goes by: its first. A key
// cap is a sign whatever is on it.
func baseOf(units []rune) rune {
	switch r := units[0]; {
	case len(units) == 1:
		return r
	case '0' <= r && r <= '9' && slices.Contains(units, keycap):
		return keycap
	default:
		return r
	}
}
