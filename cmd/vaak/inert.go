package main

import (
	"bytes"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
)

// harmless reports whether a character may be written to a terminal as it is: it neither
// moves the cursor nor changes the direction of the text after it. The two joiners of
// Indian scripts are harmless, though they are not printed.
func harmless(r rune) bool {
	return unicode.IsPrint(r) || r == '\u200c' || r == '\u200d'
}

// inert returns a stranger's text so that it does nothing to a terminal. Characters that are
// not harmless, among them ends of lines and tabs, become escapes of Go, such as \x1b and
// \u202e.
func inert(text string) string {
	if strings.IndexFunc(text, func(r rune) bool { return !harmless(r) || r == unicode.ReplacementChar }) < 0 {
		return text
	}
	var b strings.Builder
	for i, r := range text {
		switch {
		// Ranging gives U+FFFD both for itself and for a byte that is no UTF-8. Only the
		// first begins with the three bytes of U+FFFD.
		case harmless(r) && !(r == unicode.ReplacementChar && !strings.HasPrefix(text[i:], "\ufffd")):
			b.WriteRune(r)
		case r == unicode.ReplacementChar: // it stands for a byte that is no UTF-8
			// The added bit keeps a leading zero: 0x10A is "10a", less its first digit
			// "0a".
			b.WriteString(`\x` + strconv.FormatUint(uint64(text[i])|0x100, 16)[1:])
		default:
			q := strconv.QuoteRuneToASCII(r)
			b.WriteString(q[1 : len(q)-1])
		}
	}
	return b.String()
}

// inertLines splits a text into its lines and makes each [inert].
func inertLines(text string) []string {
	var lines []string
	for line := range strings.Lines(text) {
		lines = append(lines, inert(strings.TrimRight(line, "\r\n")))
	}
	return lines
}

// inertJSON writes a value as [streams.json] does, with escapes of JSON for characters that
// are not harmless. Programs read the same value.
func (s streams) inertJSON(v any) error {
	var text bytes.Buffer
	if err := (streams{out: &text}).json(v); err != nil {
		return err
	}
	var b strings.Builder
	for _, r := range text.String() {
		switch {
		case harmless(r) || r == '\n':
			b.WriteRune(r)
		case r > 0xffff:
			// JSON has escapes of 16 bits alone, so a larger character is a surrogate pair
			// (RFC 8259, section 7).
			high, low := utf16.EncodeRune(r)
			b.WriteString(escaped(high) + escaped(low))
		default:
			b.WriteString(escaped(r))
		}
	}
	_, err := s.out.Write([]byte(b.String()))
	return err
}

// escaped returns a UTF-16 code unit as an escape of JSON.
func escaped(unit rune) string {
	return `\u` + strconv.FormatUint(uint64(unit)|0x10000, 16)[1:]
}
