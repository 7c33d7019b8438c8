// Package scan cuts a text into tokens and shows them to recognizers of written forms.
//
// A recognizer gets a [View], which it only reads, and returns an [Outcome]: the words,
// how many tokens they stand for, and perhaps a [Note] for later tokens. The reader of
// the text makes the next [Context] from the note, so nothing is remembered that is
// not in that value.
package scan

import (
	"sync/atomic"
	"unicode"
	"unicode/utf8"
)

// Kind says what a token is.
type Kind uint8

const (
	Word   Kind = iota + 1 // letters with their marks; a dense letter is a word by itself
	Digits                 // decimal digits of one script
	Space                  // white space
	Sign                   // anything else, one rune
)

// Token is a piece of the text. The tokens of a text follow each other without gaps.
type Token struct {
	Kind       Kind
	Upper      bool // all letters are capitals
	Dense      bool // a single letter of Hangul or of a script without spaces
	R          rune // the first rune; a sign of full width is given as its ASCII form
	Start, End int  // in bytes
}

func (t Token) In(s string) string { return s[t.Start:t.End] }

// ascii holds the kinds of ASCII characters.
var ascii = func() (k [utf8.RuneSelf]Kind) {
	for c := range k {
		switch {
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			k[c] = Word
		case c >= '0' && c <= '9':
			k[c] = Digits
		case c == ' ' || c >= '\t' && c <= '\r':
			k[c] = Space
		default:
			k[c] = Sign
		}
	}
	return k
}()

// Classify returns the kind of token that a rune begins, and whether the rune is dense:
// a word by itself. It is safe for concurrent use.
func Classify(r rune) (k Kind, dense bool) {
	if r < utf8.RuneSelf {
		return ascii[r], false
	}
	// The cache holds the Basic Multilingual Plane, which is 256 pages. Text beyond it is
	// rare.
	if r > 0xFFFF {
		return lookup(r)
	}
	page := pages[r>>8].Load()
	if page == nil {
		page = new([256]class)
		for i := range page {
			k, dense := lookup(r&^0xFF | rune(i))
			page[i] = class{k, dense}
		}
		pages[r>>8].Store(page)
	}
	at := page[r&0xFF]
	return at.Kind, at.dense
}

// class is a result of [Classify].
type class struct {
	Kind  Kind
	dense bool
}

// pages caches the classes of 256 runes each. A page is filled when one of its runes is
// first seen; two goroutines may fill the same page with equal values.
var pages [256]atomic.Pointer[[256]class]

// lookup is [Classify] for a rune beyond ASCII, from the tables of Unicode. It is slow:
// [pages] caches it.
func lookup(r rune) (k Kind, dense bool) {
	switch {
	// From 20000 on, planes 2 and 3 hold only Han characters.
	case r >= 0x3040 && r <= 0x30FF, r >= 0x3400 && r <= 0x9FFF, r >= 0xAC00 && r <= 0xD7A3, r == '〇', r == '々',
		r >= 0x20000 && r <= 0x3FFFF: // kana, Han and Hangul
		return Word, true
	case unicode.IsLetter(r), unicode.IsMark(r), r == 0x200C, r == 0x200D: // the joiners stand within words
		return Word, false
	case unicode.Is(unicode.Nd, r):
		return Digits, false
	case unicode.IsSpace(r):
		return Space, false
	}
	return Sign, false
}

// Scan cuts a text into tokens and appends them to a slice. Together the tokens are the
// whole text, including bytes that are not UTF-8.
func Scan(s string, to []Token) []Token {
	for i := 0; i < len(s); {
		r, n := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(s[i:])
		}
		k, dense := Classify(r)
		// U+FF01 to U+FF5E repeat ASCII in its order at full width. Only signs are mapped:
		// letters and digits of full width are known to be such from the tables of Unicode.
		// Start and End still refer to the text as it is written.
		if k == Sign && r >= '！' && r <= '～' {
			r -= '！' - '!' // full width
		}
		t := Token{Kind: k, R: r, Start: i, Dense: dense}
		i += n
		if k != Sign && !dense {
			i = extend(s, i, &t)
		}
		t.End = i
		to = append(to, t)
	}
	return to
}

// extend returns the byte where a token ends whose next byte is i. Digits of two scripts
// are two tokens.
func extend(s string, i int, t *Token) int {
	t.Upper = t.Kind == Word && capital(t.R)
	for i < len(s) {
		r, n := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(s[i:])
		}
		k, dense := Classify(r)
		if k != t.Kind || dense || k == Digits && Zero(r) != Zero(t.R) {
			break
		}
		t.Upper = t.Upper && capital(r)
		i += n
	}
	return i
}

// capital reports whether a letter is a capital. Marks count as capitals, so that they
// do not end a word in capitals.
func capital(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= 'A' && r <= 'Z'
	}
	return unicode.IsUpper(r) || unicode.Is(unicode.Mn, r)
}

// Zero returns the digit zero of the script of a digit.
func Zero(r rune) rune {
	if r < utf8.RuneSelf {
		return '0'
	}
	// Each script has its ten digits in a row, and a range of the table holds whole rows.
	for _, b := range unicode.Nd.R16 {
		if rune(b.Lo) <= r && r <= rune(b.Hi) {
			return r - (r-rune(b.Lo))%10
		}
	}
	for _, b := range unicode.Nd.R32 {
		if rune(b.Lo) <= r && r <= rune(b.Hi) {
			return r - (r-rune(b.Lo))%10
		}
	}
	return r
}

// Arabic returns decimal digits of any script as ASCII digits.
func Arabic(s string) string {
	// Most digits are ASCII, which then needs no copy.
	plain := true
	for i := range len(s) {
		plain = plain && s[i] < utf8.RuneSelf
	}
	if plain {
		return s
	}
	b := make([]byte, 0, len(s))
	for _, r := range s {
		b = append(b, '0'+byte(r-Zero(r)))
	}
	return string(b)
}
