package normalize

import (
	"sync/atomic"
	"unicode"
	"unicode/utf8"
)

// kind says what a token is.
type kind uint8

const (
	word   kind = iota + 1 // letters of one sort with their marks
	digits                 // decimal digits of one script
	space                  // white space
	sign                   // anything else, one rune
)

// token is a piece of the text.
type token struct {
	kind       kind
	upper      bool // all letters are capitals
	dense      bool // a single letter of a script without spaces, or of Hangul
	r          rune // the first rune; signs of full width are given as those of ASCII
	start, end int  // in bytes
}

func (t token) in(s string) string { return s[t.start:t.end] }

// classes of ASCII.
var ascii = func() (k [utf8.RuneSelf]kind) {
	for c := range k {
		switch {
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			k[c] = word
		case c >= '0' && c <= '9':
			k[c] = digits
		case c == ' ' || c >= '\t' && c <= '\r':
			k[c] = space
		default:
			k[c] = sign
		}
	}
	return k
}()

// classify says what a rune begins, and whether it stands alone as a letter.
func classify(r rune) (k kind, dense bool) {
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
	return at.kind, at.dense
}

// class is what classify returns.
type class struct {
	kind  kind
	dense bool
}

// pages keep the classes of 256 runes each, made when one of them is first met.
var pages [256]atomic.Pointer[[256]class]

// lookup is classify for a rune beyond ASCII, from the tables of Unicode.
func lookup(r rune) (k kind, dense bool) {
	switch {
	case r >= 0x3040 && r <= 0x30FF, r >= 0x3400 && r <= 0x9FFF, r >= 0xAC00 && r <= 0xD7A3, r == '〇', r == '々',
		r >= 0x20000 && r <= 0x3FFFF:
		return word, true
	case unicode.IsLetter(r), unicode.IsMark(r), r == 0x200C, r == 0x200D:
		return word, false
	case unicode.Is(unicode.Nd, r):
		return digits, false
	case unicode.IsSpace(r):
		return space, false
	}
	return sign, false
}

// scan cuts a text into tokens, which together are the whole text.
func scan(s string, to []token) []token {
	for i := 0; i < len(s); {
		r, n := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(s[i:])
		}
		k, dense := classify(r)
		if k == sign && r >= '！' && r <= '～' {
			r -= '！' - '!' // full width
		}
		t := token{kind: k, r: r, start: i, dense: dense}
		i += n
		if k != sign && !dense {
			i = extend(s, i, &t)
		}
		t.end = i
		to = append(to, t)
	}
	return to
}

// extend returns where a token ends that goes on at i.
func extend(s string, i int, t *token) int {
	t.upper = t.kind == word && capital(t.r)
	for i < len(s) {
		r, n := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(s[i:])
		}
		k, dense := classify(r)
		if k != t.kind || dense || k == digits && zero(r) != zero(t.r) {
			break
		}
		t.upper = t.upper && capital(r)
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

// zero returns the digit nought of a digit's script.
func zero(r rune) rune {
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

// arabic returns decimal digits of any script in ASCII.
func arabic(s string) string {
	plain := true
	for i := range len(s) {
		plain = plain && s[i] < utf8.RuneSelf
	}
	if plain {
		return s
	}
	b := make([]byte, 0, len(s))
	for _, r := range s {
		b = append(b, '0'+byte(r-zero(r)))
	}
	return string(b)
}
