package normalize

import (
	"strings"
	"unicode/utf8"
)

// serial reads a code digit by digit and letter by letter: groups of letters
// and digits, and hyphens or spaces between digits.
func (c *cursor) serial(i int) (string, int) {
	var parts []string
	j, last := i, i
	seen := false
	for j-i < lookahead {
		c.steps++
		switch k := c.kind(j); {
		case k == digits && c.toks[j].end-c.toks[j].start <= 64:
			w, ok := c.spell(arabic(c.text(j)))
			if !ok {
				return "", 0
			}
			parts, seen = append(parts, w), true
		case k == word && c.toks[j].upper && runeLen(c.text(j)) <= 5:
			parts = append(parts, c.letters(c.text(j)))
		default:
			return c.serialEnd(parts, i, last, seen)
		}
		j++
		last = j
		if (c.is(j, '-') || c.kind(j) == space && c.skip(j) > j) && c.kind(j+1) == digits || c.pointed(j) {
			j++
		}
	}
	return c.serialEnd(parts, i, last, seen)
}

// pointed says that a mark at j parts the digits of a tax number, as in pt
// 123.456.789-09 and 12.345.678/0001-95.
func (c *cursor) pointed(j int) bool {
	if c.kind(j-1) != digits || c.kind(j+1) != digits {
		return false
	}
	n := runeLen(c.text(j + 1))
	return c.is(j, '.') && n == 3 || c.is(j, '/') && n == 4 && c.is(j-2, '.')
}

func (c *cursor) serialEnd(parts []string, i, end int, seen bool) (string, int) {
	if !seen || !c.closes(end) {
		return "", 0
	}
	return c.join(parts...), end - i
}

// letters returns the letters of a word parted by spaces, or their names.
func (n *Normalizer) letters(w string) string {
	var b strings.Builder
	for i, r := range w {
		c := w[i : i+utf8.RuneLen(r)]
		if i > 0 && !marks(r) {
			b.WriteByte(' ')
		}
		if name := n.tables.letters[c]; name != "" {
			c = name
		}
		b.WriteString(c)
	}
	return b.String()
}

// readHyphened reads three or more groups of digits with hyphens between them,
// which are no date and no telephone number, digit by digit.
func readHyphened(c *cursor, i int) outcome {
	if !c.opens(i) || !c.is(i+1, '-') || c.kind(i+2) != digits || !c.is(i+3, '-') || c.kind(i+4) != digits || c.is(i-1, '-') {
		return outcome{}
	}
	if c.patterns.hyphened != "" {
		if w, n := c.blocks(i); n > 0 {
			return said(w, n)
		}
	}
	return said(c.serial(i))
}

// blocks reads small numbers with hyphens between them as those of an address:
// 1-9-1, where the language has a word for the hyphen.
func (c *cursor) blocks(i int) (string, int) {
	var parts []string
	j := i
	for len(parts) < 6 {
		d := arabic(c.text(j))
		if c.kind(j) != digits || len(d) > 3 || d[0] == '0' {
			return "", 0
		}
		w, ok := c.sayInt(atoi(d), "")
		if !ok {
			return "", 0
		}
		parts = append(parts, w)
		if j++; !c.is(j, '-') {
			break
		}
		j++
	}
	if !c.closes(j) || c.is(j, '-') {
		return "", 0
	}
	return strings.Join(parts, c.patterns.hyphened), j - i
}

// readCode reads letters and digits in one: A1B2, MP3, 5G, B2B. It takes small
// numbers as numbers and long ones digit by digit.
func readCode(c *cursor, i int) outcome {
	if !c.opens(i) || c.kind(i) == digits && c.kind(i+1) != word || c.kind(i) == word && c.kind(i+1) != digits {
		return outcome{}
	}
	if c.kind(i) == digits && c.counted(i+1) {
		return outcome{}
	}
	j, letters, figures := i, 0, 0
	for j-i < lookahead && (c.kind(j) == digits || c.kind(j) == word && !c.toks[j].dense) {
		c.steps++
		t := c.toks[j]
		if t.kind == word && (!t.upper || t.r >= 0x530 || t.end-t.start > 10) {
			return outcome{}
		}
		if t.kind == word {
			letters++
		} else {
			figures++
		}
		j++
	}
	if letters == 0 || figures == 0 || j-i == lookahead {
		return outcome{}
	}
	return said(c.code(i, j, j-i > 3))
}

// code reads the tokens of a code from i to j, digit by digit if it is long.
func (c *cursor) code(i, j int, long bool) (string, int) {
	var room [lookahead]string
	parts := room[:0]
	for k := i; k < j; k++ {
		t := c.text(k)
		if c.kind(k) == word {
			if v, ok := c.tables.acronym[t]; ok && v == "" {
				parts = append(parts, t)
			} else {
				parts = append(parts, c.letters(t))
			}
			continue
		}
		d := arabic(t)
		w, ok := "", false
		if len(d) > 2 || d[0] == '0' || long && len(d) > 1 {
			w, ok = c.spell(d)
		} else {
			w, ok = c.sayInt(atoi(d), "")
		}
		if !ok {
			return "", 0
		}
		parts = append(parts, w)
	}
	return c.join(parts...), j - i
}

// counted says that a unit, a currency or a scale stands at j.
func (c *cursor) counted(j int) bool {
	if _, n := c.tables.unit.match(c, j); n > 0 && c.closes(j+n) {
		return true
	}
	if _, n := c.tables.currency.match(c, j); n > 0 && c.closes(j+n) {
		return true
	}
	_, n := c.scaleAt(j, false)
	return n > 0
}
