package enquiry

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// none is no character.
const none rune = -1

// tidyLine returns a line without white space around it. The first character that has
// no place in a line is returned, too; none when there is none.
func tidyLine(s string) (line string, bad rune) {
	line = strings.TrimFunc(s, unicode.IsSpace)
	return line, firstHidden(line, false)
}

// tidyText returns a text whose lines end in \n, without white space at the ends of
// lines or around it. The first character that has no place in it is returned, too;
// none when there is none.
func tidyText(s string) (text string, bad rune) {
	s = lineEnds.Replace(s)
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRightFunc(l, unicode.IsSpace)
	}
	text = strings.Trim(strings.Join(lines, "\n"), "\n")
	return text, firstHidden(text, true)
}

// lineEnds makes one of all line ends.
var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n\n", "\v", "\n", "\f", "\n")

// firstHidden returns the first character of a text that is hidden, but for line ends
// and tabs where the text has lines. A variation selector may follow what has variants,
// and a joiner no other: more could carry a text that nobody sees.
func firstHidden(s string, lines bool) rune {
	if !utf8.ValidString(s) {
		return utf8.RuneError
	}
	var last rune
	for _, r := range s {
		if Hidden(r) && !(lines && (r == '\n' || r == '\t')) || isSelector(r) && !varies(last) || isJoiner(r) && isJoiner(last) {
			return r
		}
		last = r
	}
	return none
}

// Hidden reports whether a character could make a reader see another text than is
// there: control characters and line ends, those that turn the direction of what
// follows, and those that are not to be seen at all. Joiners are not hidden, which
// scripts of India need, nor are marks of direction and the variation selectors of
// emoji.
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

// Inert makes text fit to be read by whom it is to bind: what could turn the order
// around, hide something or end the line elsewhere than it seems is written as its
// code, such as ⟨U+202E⟩: what an enquiry may not hold. Lines still end at \n, and
// tabs stay. It is no HTML, which still has to be escaped.
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

// isSelector reports whether r is a variation selector that ordinary text has.
func isSelector(r rune) bool {
	return '\uFE00' <= r && r <= '\uFE0F' || '\u180B' <= r && r <= '\u180D' || r == '\u180F' // of Mongolian
}

// varies reports whether a character has variants: emoji and other signs, keycaps, and
// letters of Han and Mongolian.
func varies(r rune) bool {
	return unicode.In(r, unicode.S, unicode.Han, unicode.Mongolian) || strings.ContainsRune("0123456789#*\u203C\u2049\u3030", r)
}

func isJoiner(r rune) bool { return r == '\u200C' || r == '\u200D' }

// visible reports whether there is something to be seen in a text.
func visible(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsGraphic(r) && !unicode.IsSpace(r) && !isSelector(r) && r != '\u2800' && !unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
	})
}
