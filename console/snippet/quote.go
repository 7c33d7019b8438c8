package snippet

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
)

// Joiners are part of how words are spelt in many scripts, and stay as they are.
const (
	nonJoiner = '\u200c'
	joiner    = '\u200d'
)

// quoted writes a string between double quotes: what could end it, and what nobody
// sees, with a backslash. Escape writes a character beyond those that have a short form.
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

// inJSON writes a string of JSON, which is one of JavaScript too.
func inJSON(s string) string {
	return quoted(s, func(r rune) string {
		if high, low := utf16.EncodeRune(r); high != unicode.ReplacementChar {
			return fmt.Sprintf(`\u%04x\u%04x`, high, low)
		}
		return fmt.Sprintf(`\u%04x`, r)
	})
}

// inPython writes a string of Python, where a half of a character is one of its own.
func inPython(s string) string {
	return quoted(s, func(r rune) string {
		if r > 0xffff {
			return fmt.Sprintf(`\U%08x`, r)
		}
		return fmt.Sprintf(`\u%04x`, r)
	})
}

// inShell writes a word of the shell, in which nothing but the quote itself means
// anything.
func inShell(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
