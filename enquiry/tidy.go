package enquiry

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// none stands for no character.
const none rune = -1

// tidyLine returns a line without white space around it, and the first character that a line
// may not have, or none.
func tidyLine(s string) (line string, bad rune) {
	line = strings.TrimFunc(s, unicode.IsSpace)
	return line, firstHidden(line, false)
}

// tidyText returns a text with lines that end in \n, without white space at the ends of lines
// and around the text, and the first character that a text may not have, or none.
func tidyText(s string) (text string, bad rune) {
	s = lineEnds.Replace(s)
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRightFunc(l, unicode.IsSpace)
	}
	text = strings.Trim(strings.Join(lines, "\n"), "\n")
	return text, firstHidden(text, true)
}

// lineEnds replaces all kinds of line ends with \n.
var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n\n", "\v", "\n", "\f", "\n")

// firstHidden returns the first hidden character of a text, or none; lines says that line ends
// and tabs are allowed. A variation selector must follow a character with variants, and two
// joiners may not follow each other: sequences of them can carry a text that nobody sees.
func firstHidden(s string, lines bool) rune {
	if !utf8.ValidString(s) {
		return utf8.RuneError
	}
	var last rune
	for _, r := range s {
		// last is the character before r, also if it is allowed.
		if Hidden(r) && !(lines && (r == '\n' || r == '\t')) || isSelector(r) && !varies(last) || isJoiner(r) && isJoiner(last) {
			return r
		}
		last = r
	}
	return none
}

// Hidden reports whether a character can make readers see another text than is there: control
// characters, line ends, characters that change the direction of the text after them, and
// invisible characters. Joiners, which Indian scripts need, marks of direction, and the
// variation selectors of emoji are not hidden.
func Hidden(r rune) bool {
	switch {
	case r < 0x80:
		return r < ' ' || r == 0x7F
	case '\u200C' <= r && r <= '\u200F', r == '\u061C', isSelector(r): // joiners, marks of direction, selectors
		return false
	case unicode.Is(unicode.Prepended_Concatenation_Mark, r): // Arabic and Kaithi number signs
		return false
	case unicode.IsControl(r), unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector):
		return true
	case '\u2065' <= r && r <= '\u206F', '\uFFF0' <= r && r <= '\uFFFC', '\U000E0000' <= r && r <= '\U000E0FFF':
		return true
	}
	return false
}

// Inert makes a text safe to read for somebody whom it shall bind, such as a licence: characters
// that could reorder or hide something are written as their code, as in ⟨U+202E⟩. Lines
// still end in \n and tabs stay. The result is not HTML; it still has to be escaped.
func Inert(s string) string {
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(s, "\uFFFD") {
		if Hidden(r) && r != '\n' && r != '\t' {
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// isSelector reports whether r is a variation selector that occurs in ordinary text.
func isSelector(r rune) bool {
	return '\uFE00' <= r && r <= '\uFE0F' || '\u180B' <= r && r <= '\u180D' || r == '\u180F' // of Mongolian
}

// varies reports whether a character has variants: emoji and other symbols, keycaps, and letters
// of Han and Mongolian.
func varies(r rune) bool {
	return unicode.In(r, unicode.S, unicode.Han, unicode.Mongolian) || strings.ContainsRune("0123456789#*\u203C\u2049\u3030", r)
}

func isJoiner(r rune) bool { return r == '\u200C' || r == '\u200D' }

// visible reports whether a text has anything to see.
func visible(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsGraphic(r) && !unicode.IsSpace(r) && !isSelector(r) && r != '\u2800' && !unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
	})
}
