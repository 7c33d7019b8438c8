package snippet

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
)

// Joiners (U+200C, U+200D) belong to the spelling of words in many scripts, so they stay as
// they are.
const (
	nonJoiner = '\u200c'
	joiner    = '\u200d'
)

// quoted writes a string between double quotes. Characters that could end it, and invisible
// ones, get a backslash. Escape writes a character that has no short form.
func quoted(s string, escape func(rune) string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == ' ' || r == joiner || r == nonJoiner || unicode.IsPrint(r):
			b.WriteRune(r)
		default:
			b.WriteString(escape(r))
		}
	}
	b.WriteByte('"')
	return b.String()
}

// inJSON writes a string of JSON, which is also a string of JavaScript.
func inJSON(s string) string {
	return quoted(s, func(r rune) string {
		if high, low := utf16.EncodeRune(r); high != unicode.ReplacementChar {
			return fmt.Sprintf(`\u%04x\u%04x`, high, low)
		}
		return fmt.Sprintf(`\u%04x`, r)
	})
}

// inPython writes a string of Python. There an escape of half a surrogate pair would be a
// character of its own, so characters beyond the first plane get one escape of eight digits.
func inPython(s string) string {
	return quoted(s, func(r rune) string {
		if r > 0xffff {
			return fmt.Sprintf(`\U%08x`, r)
		}
		return fmt.Sprintf(`\u%04x`, r)
	})
}

// inShell writes a word of the shell between single quotes, where only the quote itself has a
// meaning.
func inShell(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
