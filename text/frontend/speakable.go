package frontend

import (
	"unicode"
	"unicode/utf8"

	"vaak/text/markdown"
)

// Speakable reports whether a text, as a caller sends it, has anything that is spoken: a
// letter, a number, or a sign with a name, such as % & @ # § °, a currency or a sign of
// mathematics. Punctuation, emoji, markup and code blocks are not spoken.
func Speakable(s string) bool {
	if !markdown.Plain(s) {
		s, _, _ = markdown.Read(s, markdown.Options{})
	}
	return isSpoken(s)
}

// isSpoken is [Speakable] for a text without Markdown.
func isSpoken(s string) bool {
	// Fast path: most texts begin with an ASCII letter.
	for i := range len(s) {
		b := s[i]
		if b >= utf8.RuneSelf || b == '<' || b < ' ' {
			break
		}
		if l := b | 0x20; 'a' <= l && l <= 'z' {
			return true
		}
	}
	for s != "" {
		n := stretch(s, firstSize, "")
		if speakable(clean(s[:n], 0, nil).text) {
			return true
		}
		s = s[n:]
	}
	return false
}

// speakable is [Speakable] for a text that was cleaned.
func speakable(s string) bool {
	for _, r := range s {
		if isRead(r) {
			return true
		}
	}
	return false
}

// isRead reports whether a character has a sound or a name of its own.
func isRead(r rune) bool {
	if r < utf8.RuneSelf {
		switch {
		case 'a' <= r|0x20 && r|0x20 <= 'z', '0' <= r && r <= '9':
			return true
		}
		switch r {
		case '%', '&', '@', '#', '$', '+', '<', '=', '>', '|', '~':
			return true
		}
		return false
	}
	switch r {
	case '§', '°', '¶', '©', '®', '™', '‰', '‱', '№', '℃', '℉', '％', '＆', '＠', '＃':
		return true
	case 0x115F, 0x1160, 0x3164, 0xFFA0, utf8.RuneError: // blank letters, and none
		return false
	}
	return unicode.In(r, unicode.L, unicode.N, unicode.Sc, unicode.Sm) && !unreadable(r)
}
