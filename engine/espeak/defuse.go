package espeak

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// defused is a text changed so that the library does not crash over it. origin[i] is the
// code point of the original from which code point i of text comes.
type defused struct {
	text   string
	origin []int
}

// maxToken is the longest word in a defused text, in characters. The longest words of the
// supported languages have about 80 letters.
const maxToken = 100

// defuse removes what is known to crash the library. It adds spaces after dots inside a
// token ("a.b.c" becomes "a. b. c"), and splits runs of more than maxToken characters
// without a space.
func defuse(s string) defused {
	var b strings.Builder
	d := defused{origin: make([]int, 0, len(s)+len(s)/4)}
	put := func(r rune, from int) {
		b.WriteRune(r)
		d.origin = append(d.origin, from)
	}
	token, from := 0, 0
	for i, r := range s {
		switch {
		case unicode.IsSpace(r):
			token = 0
		case token >= maxToken && !unicode.IsMark(r):
			put(' ', from)
			token = 1
		default:
			token++
		}
		put(r, from)
		if r == '.' {
			if next, _ := utf8.DecodeRuneInString(s[i+1:]); next != utf8.RuneError && !unicode.IsSpace(next) {
				put(' ', from)
				token = 0
			}
		}
		from++
	}
	d.text = b.String()
	return d
}

// bisect cuts a piece in two near its middle, at a space if there is one in its middle half.
// ok is false if the piece cannot be cut.
func bisect(p piece) (left, right piece, ok bool) {
	n := utf8.RuneCountInString(p.text)
	if n < 2 {
		return left, right, false
	}
	cut, at, best := 0, 0, n
	for i, r := range p.text {
		if at > 0 {
			off := max(at-n/2, n/2-at)
			if unicode.IsSpace(r) && off <= n/4 {
				off -= n // prefer a space to every other place
			}
			if !unicode.IsMark(r) && off < best {
				best, cut = off, i
			}
		}
		at++
	}
	if cut == 0 {
		return left, right, false
	}
	return p.part(0, cut, true), p.part(cut, len(p.text), p.endPause), true
}
