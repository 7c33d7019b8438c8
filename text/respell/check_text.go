package respell

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// wrong is what is wrong with a field of a rule.
type wrong struct {
	code       Code
	msg        string
	suggestion string
}

// checkText checks that a term or a respelling, whatever it is called, is a text of
// 1 to limit code points. Punctuation alone is one: it is read as a pause.
func checkText(what, s string, limit int) *wrong {
	if s == "" || strings.TrimSpace(s) == "" && utf8.ValidString(s) {
		return &wrong{code: CodeEmpty, msg: fmt.Sprintf("the %s is empty; send 1 to %d characters", what, limit)}
	}
	if !utf8.ValidString(s) {
		return invalid(what, s, "is not valid UTF-8")
	}
	if n := utf8.RuneCountInString(s); n > limit {
		return &wrong{code: CodeTooLong, msg: fmt.Sprintf("the %s has %d characters; at most %d are allowed: %s", what, n, limit, quoted(s))}
	}
	seen := false
	for _, r := range s {
		if why := noText(r); why != "" {
			return invalid(what, s, fmt.Sprintf("holds U+%04X, %s", r, why))
		}
		if seen || unicode.IsSpace(r) || invisible(r) {
			continue
		}
		if unicode.IsMark(r) {
			return invalid(what, s, fmt.Sprintf("begins with U+%04X, a mark that needs a letter before it", r))
		}
		seen = true
	}
	if !seen {
		return invalid(what, s, "holds nothing but invisible characters")
	}
	return nil
}

func invalid(what, s, why string) *wrong {
	return &wrong{code: CodeInvalid, msg: fmt.Sprintf("the %s %s; letters, marks, digits, signs and spaces are allowed: %s", what, why, quoted(s))}
}

// noText says why a character is in no text; "" for one that may be.
func noText(r rune) string {
	switch {
	case ' ' <= r && r < 0x7F, unicode.IsLetter(r), r == ' ':
		return ""
	case unicode.IsControl(r), r == '\u2028', r == '\u2029':
		return "a control character"
	case r&0xFFFE == 0xFFFE, 0xFDD0 <= r && r <= 0xFDEF:
		return "which is no character"
	case unicode.Is(unicode.Co, r):
		return "a character of private use"
	case !unicode.In(r, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Zs, unicode.Cf):
		return "which Unicode does not assign"
	}
	return ""
}

// invisible reports whether a character shows nothing: format characters, variation
// selectors, fillers and the blank of Braille.
func invisible(r rune) bool {
	return unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) || r == '\u2800'
}

// shownBytes bounds what a message repeats of a value.
const shownBytes = 80

// quoted returns a value as messages show it: quoted, escaped and cut.
func quoted(s string) string {
	b := []byte{'"'}
	for i, r := range s {
		_, n := utf8.DecodeRuneInString(s[i:])
		q := strconv.Quote(s[i : i+n])
		if r == '"' {
			q = `"""` // written as it is: the reader sees where it ends
		}
		if len(b)+len(q)-2 > shownBytes {
			return string(append(b, "…\""...))
		}
		b = append(b, q[1:len(q)-1]...)
	}
	return string(append(b, '"'))
}
