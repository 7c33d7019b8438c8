package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// isBullet reports whether a character begins items of lists and has no other use there.
func isBullet(c rune) bool {
	switch c {
	case '•', '◦', '‣', '●', '○', '▪', '■', '∙', '⁃':
		return true
	}
	return false
}

// isOpening reports whether a character may stand before a word that begins there.
func isOpening(c rune) bool {
	return strings.ContainsRune(`([{"'“‘«„¿¡—–-/>「『（《【*_~`, c)
}

// isWord reports whether a character is a letter, a mark or a number of any script.
func isWord(c rune) bool {
	return isASCIIWord(c) || c >= utf8.RuneSelf && (unicode.IsLetter(c) || unicode.IsNumber(c) || unicode.IsMark(c))
}

// isDigit reports whether a character is a digit of any script.
func isDigit(c rune) bool {
	return isASCIIDigit(c) || c >= utf8.RuneSelf && c < 0x2000 && unicode.Is(unicode.Nd, c)
}

// digitValue returns the value of a digit of any script. The ten digits of a script follow one
// another in Unicode, so those before it are counted.
func digitValue(c rune) int {
	zero := c
	for n := 0; n < 9 && isDigit(zero-1); n++ {
		zero--
	}
	return int(c - zero)
}

func isNumber(s string) bool {
	return s != "" && strings.IndexFunc(s, func(c rune) bool { return !isDigit(c) }) < 0
}

func isASCIIWord(c rune) bool { return isASCIILetter(c) || isASCIIDigit(c) }

func isASCIILetter(c rune) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isASCIIDigit(c rune) bool { return '0' <= c && c <= '9' }

// countSpaces returns the number of spaces and tabs at the start of a text.
func countSpaces(s string) int { return len(s) - len(strings.TrimLeft(s, " \t")) }

// countByte returns how many bytes at the start of a text are b.
func countByte(s string, b byte) int {
	n := 0
	for n < len(s) && s[n] == b {
		n++
	}
	return n
}
