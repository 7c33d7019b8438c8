package frontend

import (
	"unicode"
	"unicode/utf8"
)

// class is what becomes of a character.
type class uint8

const (
	kept class = iota
	dropped
	spaced
	picture
	foreign // in a script that is not read
)

// classify returns what becomes of a character beyond ASCII, which takes n bytes and has
// after behind it.
func classify(r rune, n int, after string) class {
	k := classifyKnown(r, n, after)
	if k == kept && unreadable(r) {
		return foreign
	}
	return k
}

// classifyKnown is classify for scripts that are read.
func classifyKnown(r rune, n int, after string) class {
	switch {
	case r < 0x2000:
		return classifyLow(r, after)
	case r <= 0x206F:
		return classifyGeneral(r)
	case r == utf8.RuneError && n == 1: // not UTF-8
		return spaced
	case r < 0xE000 || 0xF900 <= r && r < 0xFE00: // most letters outside Europe and South Asia
		if 0x20E3 <= r && r < 0x32A0 && isEmoji(r) {
			if textByDefault(r) && !startsWithEmojiSelector(after) {
				return kept
			}
			return picture
		}
		return kept
	case 0xFE00 <= r && r <= 0xFE0F, r == 0xFEFF, 0xFFF9 <= r && r <= 0xFFFB, 0xE0000 <= r && r <= 0xE0FFF:
		return dropped
	case r == 0xFFFC:
		return spaced
	case r > 0xFFFF && isEmoji(r):
		return picture
	}
	return kept
}

// classifyLow is classify for the letters of Europe, the Near East and South Asia.
func classifyLow(r rune, after string) class {
	switch {
	case r == 0x85:
		return spaced
	case r < 0xA0, r == 0xAD, r == 0x61C, 0x180B <= r && r <= 0x180F:
		return dropped
	case (r == '©' || r == '®') && startsWithEmojiSelector(after):
		return picture
	}
	return kept
}

// classifyGeneral is classify for the block of general punctuation.
func classifyGeneral(r rune) class {
	switch {
	case r == 0x2028, r == 0x2029: // separators of lines and paragraphs
		return spaced
	case r == 0x200B, r == 0x200E, r == 0x200F, 0x202A <= r && r <= 0x202E, 0x2060 <= r: // invisible and direction marks
		return dropped
	}
	return kept
}

// textByDefault reports whether a character among the emoji is an ordinary sign unless
// a selector follows.
func textByDefault(r rune) bool { return r == '™' }

func startsWithEmojiSelector(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return r == 0xFE0F
}

// isKeycap reports whether a text begins with a digit, # or * on a key.
func isKeycap(s string) bool {
	if b := s[0]; (b < '0' || b > '9') && b != '#' && b != '*' {
		return false
	}
	r, n := utf8.DecodeRuneInString(s[1:])
	// A key is a digit, the selector of emoji (which may be missing) and U+20E3.
	if r == 0xFE0F {
		r, _ = utf8.DecodeRuneInString(s[1+n:])
	}
	return r == 0x20E3
}

// emojiTail returns how many bytes at the start of a text belong to the emoji
// before it: selectors, skin tones, tags, the key, and joined emoji.
func emojiTail(s string) int {
	at, joined := 0, false
	for at < len(s) {
		r, n := utf8.DecodeRuneInString(s[at:])
		switch {
		// The joiner belongs to the emoji even when no other follows it.
		case r == 0x200D:
			joined = true
		case r == 0xFE0E, r == 0xFE0F, r == 0x20E3, 0x1F3FB <= r && r <= 0x1F3FF, 0xE0020 <= r && r <= 0xE007F:
		case joined && isEmoji(r):
			joined = false
		default:
			return at
		}
		at += n
	}
	return at
}

// flagTail returns how many bytes an emoji takes that begins a text with a character of n
// bytes. Two letters of flags are one flag.
func flagTail(s string, n int) int {
	if r, _ := utf8.DecodeRuneInString(s); isFlagLetter(r) {
		if r, m := utf8.DecodeRuneInString(s[n:]); isFlagLetter(r) {
			n += m
		}
	}
	return n + emojiTail(s[n:])
}

func isFlagLetter(r rune) bool { return 0x1F1E6 <= r && r <= 0x1F1FF }

// isEmoji reports whether a character is a picture that speech has no word for here:
// Extended_Pictographic, a flag letter, a skin tone or a key.
func isEmoji(r rune) bool { return unicode.Is(pictographs, r) }

// pictographs are the characters beyond U+00FF with the Unicode property
// Extended_Pictographic (emoji-data.txt, Unicode 15.1) except the punctuation
// marks U+203C and U+2049, with the flag letters U+1F1E6..1F1FF, the skin tones
// U+1F3FB..1F3FF and the key U+20E3.
var pictographs = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x20E3, Hi: 0x20E3, Stride: 1}, {Lo: 0x2122, Hi: 0x2122, Stride: 1}, {Lo: 0x2139, Hi: 0x2139, Stride: 1},
		{Lo: 0x2194, Hi: 0x2199, Stride: 1}, {Lo: 0x21A9, Hi: 0x21AA, Stride: 1}, {Lo: 0x231A, Hi: 0x231B, Stride: 1},
		{Lo: 0x2328, Hi: 0x2328, Stride: 1}, {Lo: 0x2388, Hi: 0x2388, Stride: 1}, {Lo: 0x23CF, Hi: 0x23CF, Stride: 1},
		{Lo: 0x23E9, Hi: 0x23F3, Stride: 1}, {Lo: 0x23F8, Hi: 0x23FA, Stride: 1}, {Lo: 0x24C2, Hi: 0x24C2, Stride: 1},
		{Lo: 0x25AA, Hi: 0x25AB, Stride: 1}, {Lo: 0x25B6, Hi: 0x25B6, Stride: 1}, {Lo: 0x25C0, Hi: 0x25C0, Stride: 1},
		{Lo: 0x25FB, Hi: 0x25FE, Stride: 1}, {Lo: 0x2600, Hi: 0x2605, Stride: 1}, {Lo: 0x2607, Hi: 0x2612, Stride: 1},
		{Lo: 0x2614, Hi: 0x2685, Stride: 1}, {Lo: 0x2690, Hi: 0x2705, Stride: 1}, {Lo: 0x2708, Hi: 0x2712, Stride: 1},
		{Lo: 0x2714, Hi: 0x2714, Stride: 1}, {Lo: 0x2716, Hi: 0x2716, Stride: 1}, {Lo: 0x271D, Hi: 0x271D, Stride: 1},
		{Lo: 0x2721, Hi: 0x2721, Stride: 1}, {Lo: 0x2728, Hi: 0x2728, Stride: 1}, {Lo: 0x2733, Hi: 0x2734, Stride: 1},
		{Lo: 0x2744, Hi: 0x2744, Stride: 1}, {Lo: 0x2747, Hi: 0x2747, Stride: 1}, {Lo: 0x274C, Hi: 0x274C, Stride: 1},
		{Lo: 0x274E, Hi: 0x274E, Stride: 1}, {Lo: 0x2753, Hi: 0x2755, Stride: 1}, {Lo: 0x2757, Hi: 0x2757, Stride: 1},
		{Lo: 0x2763, Hi: 0x2767, Stride: 1}, {Lo: 0x2795, Hi: 0x2797, Stride: 1}, {Lo: 0x27A1, Hi: 0x27A1, Stride: 1},
		{Lo: 0x27B0, Hi: 0x27B0, Stride: 1}, {Lo: 0x27BF, Hi: 0x27BF, Stride: 1}, {Lo: 0x2934, Hi: 0x2935, Stride: 1},
		{Lo: 0x2B05, Hi: 0x2B07, Stride: 1}, {Lo: 0x2B1B, Hi: 0x2B1C, Stride: 1}, {Lo: 0x2B50, Hi: 0x2B50, Stride: 1},
		{Lo: 0x2B55, Hi: 0x2B55, Stride: 1}, {Lo: 0x3030, Hi: 0x3030, Stride: 1}, {Lo: 0x303D, Hi: 0x303D, Stride: 1},
		{Lo: 0x3297, Hi: 0x3297, Stride: 1}, {Lo: 0x3299, Hi: 0x3299, Stride: 1},
	},
	R32: []unicode.Range32{
		{Lo: 0x1F000, Hi: 0x1F0FF, Stride: 1}, {Lo: 0x1F10D, Hi: 0x1F10F, Stride: 1}, {Lo: 0x1F12F, Hi: 0x1F12F, Stride: 1},
		{Lo: 0x1F16C, Hi: 0x1F171, Stride: 1}, {Lo: 0x1F17E, Hi: 0x1F17F, Stride: 1}, {Lo: 0x1F18E, Hi: 0x1F18E, Stride: 1},
		{Lo: 0x1F191, Hi: 0x1F19A, Stride: 1}, {Lo: 0x1F1AD, Hi: 0x1F1FF, Stride: 1}, {Lo: 0x1F201, Hi: 0x1F20F, Stride: 1},
		{Lo: 0x1F21A, Hi: 0x1F21A, Stride: 1}, {Lo: 0x1F22F, Hi: 0x1F22F, Stride: 1}, {Lo: 0x1F232, Hi: 0x1F23A, Stride: 1},
		{Lo: 0x1F23C, Hi: 0x1F23F, Stride: 1}, {Lo: 0x1F249, Hi: 0x1F53D, Stride: 1}, {Lo: 0x1F546, Hi: 0x1F64F, Stride: 1},
		{Lo: 0x1F680, Hi: 0x1F6FF, Stride: 1}, {Lo: 0x1F774, Hi: 0x1F77F, Stride: 1}, {Lo: 0x1F7D5, Hi: 0x1F7FF, Stride: 1},
		{Lo: 0x1F80C, Hi: 0x1F80F, Stride: 1}, {Lo: 0x1F848, Hi: 0x1F84F, Stride: 1}, {Lo: 0x1F85A, Hi: 0x1F85F, Stride: 1},
		{Lo: 0x1F888, Hi: 0x1F88F, Stride: 1}, {Lo: 0x1F8AE, Hi: 0x1F8FF, Stride: 1}, {Lo: 0x1F90C, Hi: 0x1F93A, Stride: 1},
		{Lo: 0x1F93C, Hi: 0x1F945, Stride: 1}, {Lo: 0x1F947, Hi: 0x1FAFF, Stride: 1}, {Lo: 0x1FC00, Hi: 0x1FFFD, Stride: 1},
	},
}
