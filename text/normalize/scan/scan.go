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
	Word   Kind = iota + 1 // letters of one sort with their marks
	Digits                 // decimal digits of one script
	Space                  // white space
	Sign                   // anything else, one rune
)

// Token is a piece of the text.
type Token struct {
	Kind       Kind
	Upper      bool // all letters are capitals
	Dense      bool // a single letter of a script without spaces, or of Hangul
	R          rune // the first rune; signs of full width are given as those of ASCII
	Start, End int  // in bytes
}

func (t Token) In(s string) string { return s[t.Start:t.End] }

// classes of ASCII.
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

// Classify says what a rune begins, and whether it stands alone as a letter.
func Classify(r rune) (k Kind, dense bool) {
	if r < utf8.RuneSelf {
		return ascii[r], false
	}
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

// class is what classify returns.
type class struct {
	Kind  Kind
	dense bool
}

// pages keep the classes of 256 runes each, made when one of them is first met.
var pages [256]atomic.Pointer[[256]class]

// lookup is classify for a rune beyond ASCII, from the tables of Unicode.
func lookup(r rune) (k Kind, dense bool) {
	switch {
	case r >= 0x3040 && r <= 0x30FF, r >= 0x3400 && r <= 0x9FFF, r >= 0xAC00 && r <= 0xD7A3, r == '〇', r == '々',
		r >= 0x20000 && r <= 0x3FFFF:
		return Word, true
	case unicode.IsLetter(r), unicode.IsMark(r), r == 0x200C, r == 0x200D:
		return Word, false
	case unicode.Is(unicode.Nd, r):
		return Digits, false
	case unicode.IsSpace(r):
		return Space, false
	}
	return Sign, false
}

// Scan cuts a text into tokens, which together are the whole text.
func Scan(s string, to []Token) []Token {
	for i := 0; i < len(s); {
		r, n := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(s[i:])
		}
		k, dense := Classify(r)
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

// extend returns where a token ends that goes on at i.
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

// capital says whether a letter is a capital one.
func capital(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= 'A' && r <= 'Z'
	}
	return unicode.IsUpper(r) || unicode.Is(unicode.Mn, r)
}

// Zero returns the digit nought of a digit's script.
func Zero(r rune) rune {
	if r < utf8.RuneSelf {
		return '0'
	}
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

// Arabic returns decimal digits of any script in ASCII.
func Arabic(s string) string {
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
