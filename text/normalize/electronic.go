package normalize

import (
	"strings"
)

// schemes are what addresses may begin with, before ://.
var schemes = map[string]bool{"http": true, "https": true, "ftp": true, "HTTP": true, "HTTPS": true}

// domains are the endings by which an address without a scheme is told.
var domains = func() map[string]bool {
	m := map[string]bool{}
	for d := range strings.FieldsSeq("com org net in co uk us io ai gov edu mil int info biz dev app me tv de fr es it pt nl ru " +
		"jp cn kr tw hk vn sg br mx au ca ch at be se no dk fi pl cz gr tr ir sa ae pk bd lk np eu asia online site xyz tech za ee is ua by bg mk rs hr si sk " +
		"hu ro id my ph kz az ge lt lv рф укр бел срб бг мкд") {
		m[d] = true
	}
	return m
}()

// longest bounds an address, in tokens.
const longest = 120

// readElectronic reads an address of the web or an e-mail address.
func readElectronic(c *cursor, i int) outcome {
	if i < c.addressless || !c.opens(i) || c.toks[i].dense {
		return outcome{}
	}
	end := c.chunkEnd(i)
	if c.kind(i+1) == sign || c.text(i) == "www" {
		if w, n := c.electronic(i, end); n > 0 {
			return said(w, n)
		}
	}
	return outcome{note: note{kind: noteAddressless, at: end}}
}

// chunkEnd returns the token after the ones at i that an address may hold.
func (c *cursor) chunkEnd(i int) int {
	j := i
	for ; j < len(c.toks) && j-i < longest; j++ {
		c.steps++
		t := c.toks[j]
		if t.kind == space || t.dense || t.kind == sign && (t.end-t.start > 1 || !strings.ContainsRune("-._~:/?#@!&'*+,;=%", t.r)) {
			break
		}
	}
	for j > i+1 && c.kind(j-1) == sign && !c.is(j-1, '/') {
		j--
	}
	return j
}

// electronic reads the address that the tokens from i to end are, or begin.
func (c *cursor) electronic(i, end int) (string, int) {
	start := i
	if schemes[c.text(i)] && c.is(i+1, ':') && c.is(i+2, '/') && c.is(i+3, '/') {
		start = i + 4
		if start >= end {
			return "", 0
		}
	} else if !c.hosted(i, end) {
		return "", 0
	}
	if end-start > 2 && c.is(end-1, '/') {
		end--
		if w, ok := c.sayAddress(start, end); ok {
			return w, end + 1 - i
		}
		return "", 0
	}
	w, ok := c.sayAddress(start, end)
	if !ok {
		return "", 0
	}
	return w, end - i
}

// hosted says that the tokens hold a name of a host as addresses do: after an
// @, or with a known ending before the first slash.
func (c *cursor) hosted(i, end int) bool {
	at, dot := false, -1
	for j := i; j < end; j++ {
		c.steps++
		if c.kind(j) != sign {
			continue
		}
		switch c.toks[j].r {
		case '@':
			if at || j == i {
				return false
			}
			at = true
			dot = -1
		case '.':
			dot = j
		case '/', '?', '#':
			return c.domain(dot, j) && (j > dot+1)
		case '-', '_', '+':
		default:
			return false
		}
	}
	return c.domain(dot, end) || at && dot > 0 && dot+2 == end && c.kind(dot+1) == word
}

// domain says that a known ending stands between a dot and the token at end.
func (c *cursor) domain(dot, end int) bool {
	return dot > 0 && dot+2 == end && c.kind(dot-1) != sign && c.kind(dot+1) == word && (domains[strings.ToLower(c.text(dot+1))] || files[c.text(dot+1)])
}

// sayAddress reads the tokens of an address.
func (c *cursor) sayAddress(i, end int) (string, bool) {
	parts := make([]string, 0, end-i)
	for j := i; j < end; j++ {
		c.steps++
		t := c.text(j)
		switch c.kind(j) {
		case word:
			if t == "www" || t == "WWW" {
				t = c.letters(t)
			}
			if j == end-1 && c.is(j-1, '.') && files[t] && !strings.ContainsAny(t, "aeiou") {
				t = c.letters(t)
			}
			parts = append(parts, t)
		case digits:
			d := arabic(t)
			w, ok := "", false
			if len(d) > 2 || d[0] == '0' {
				w, ok = c.spell(d)
			} else {
				w, ok = c.sayInt(atoi(d), "")
			}
			if !ok {
				return "", false
			}
			parts = append(parts, w)
		case sign:
			name := c.signName(c.toks[j].r)
			if name == "" {
				return "", false
			}
			parts = append(parts, name)
		}
	}
	return c.join(parts...), true
}

// readTag reads @name and #tag.
func readTag(c *cursor, i int) outcome {
	if !c.opens(i) || c.is(i-1, c.rune(i)) {
		return outcome{}
	}
	switch {
	case c.is(i, '#') && c.kind(i+1) == digits && c.names.number != "":
		return said(c.names.number+" ", 1)
	case c.is(i, '№'):
		if c.names.number == "" || c.kind(c.skip(i+1)) != digits {
			return outcome{}
		}
		return said(c.names.number+" ", c.skip(i+1)-i)
	case c.kind(i+1) != word:
		return outcome{}
	case c.is(i, '#') && c.names.hash != "":
		return said(c.names.hash+" ", 1)
	case c.is(i, '@') && c.names.at != "":
		return said(c.names.at+" ", 1)
	}
	return outcome{}
}
