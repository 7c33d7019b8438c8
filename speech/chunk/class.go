package chunk

import "unicode"

// class tells what a character means for the ends of words. The order matters: dense and
// spoken compare.
type class uint8

const (
	mark   class = iota // punctuation, control characters
	space               // ends a word
	glue                // a space that may hold a number or a mark to its word
	extend              // belongs to the character before it
	open                // an opening bracket or quotation mark
	symbol
	digit
	letter // of a script that writes spaces between words
	han
	hiragana
	katakana
	southeast // Thai, Lao, Khmer and Burmese
)

// dense reports whether letters of the class are written without spaces between words.
func (k class) dense() bool { return k >= han }

// spoken reports whether characters of the class are read aloud. Every word has at least
// one of these.
func (k class) spoken() bool { return k >= symbol }

// classOf returns the class of a character.
func classOf(r rune) class {
	switch {
	case r < 0x80:
		return classOfASCII(r)
	case r >= 0xC0 && r < 0x2B0 && r != '×' && r != '÷':
		return letter
	case isGlue(r):
		return glue
	case unicode.IsSpace(r):
		return space
	case isExtend(r):
		return extend
	}
	if k := classOfDense(r); k.dense() {
		return k
	}
	switch {
	case unicode.IsLetter(r):
		return letter
	case unicode.IsNumber(r):
		return digit
	case unicode.IsSymbol(r):
		return symbol
	case unicode.In(r, unicode.Ps, unicode.Pi):
		return open
	}
	return mark
}

func classOfASCII(r rune) class {
	switch {
	case 'a' <= r|0x20 && r|0x20 <= 'z':
		return letter
	case '0' <= r && r <= '9':
		return digit
	case r == ' ', '\t' <= r && r <= '\r':
		return space
	}
	switch r {
	case '(', '[', '{':
		return open
	case '$', '+', '<', '=', '>', '^', '`', '|', '~':
		return symbol
	}
	return mark
}

// classOfDense returns the class of a letter of a script without spaces between words, or
// mark for any other character. classOf has already sorted out the marks of Japanese and
// Thai, whose class is extend.
func classOfDense(r rune) class {
	switch {
	case r < 0xE00:
		return mark
	case r <= 0xEFF, 0x1000 <= r && r <= 0x109F, 0x1780 <= r && r <= 0x17FF, 0xA9E0 <= r && r <= 0xA9FF, 0xAA60 <= r && r <= 0xAA7F:
		if unicode.IsLetter(r) {
			return southeast
		}
	case 0x3041 <= r && r <= 0x309F:
		return hiragana
	case 0x30A1 <= r && r <= 0x30FA, 0x31F0 <= r && r <= 0x31FF, 0xFF66 <= r && r <= 0xFF9D:
		return katakana
	case unicode.Is(unicode.Han, r) && unicode.IsLetter(r), r == '〇':
		return han
	}
	return mark
}

// isGlue reports whether a space may hold together what stands beside it: the groups of a
// number, a number and its unit, a mark and its word. These are the no-break and the thin
// spaces.
func isGlue(r rune) bool {
	return r == '\u00A0' || r == '\u2007' || r == '\u2009' || r == '\u202F'
}

// isExtend reports whether neither a word nor a grapheme cluster may end before a
// character: combining marks, joiners, and letters that only follow others.
func isExtend(r rune) bool {
	switch r {
	case '\u200C', '\u200D', 'ะ', 'า', 'ำ', 'ๅ', 'ະ', 'າ', 'ຳ', 'ຽ', 'ๆ', 'ฯ', 'ໆ', 'ៗ', '々', '〻', 'ー', 'ゝ', 'ゞ', 'ヽ', 'ヾ', 'ｰ', 'ﾞ', 'ﾟ',
		'ぁ', 'ぃ', 'ぅ', 'ぇ', 'ぉ', 'っ', 'ゃ', 'ゅ', 'ょ', 'ゎ', 'ァ', 'ィ', 'ゥ', 'ェ', 'ォ', 'ッ', 'ャ', 'ュ', 'ョ', 'ヮ':
		return true
	}
	// Skin tones and tag characters of emoji, and combining marks. The ranges of Han and
	// Hangul have no marks; to leave them out first saves most look-ups in those scripts.
	return 0x1F3FB <= r && r <= 0x1F3FF || 0xE0020 <= r && r <= 0xE007F ||
		!(0x3400 <= r && r < 0xA000 || 0xAC00 <= r && r < 0xD7A4) && unicode.Is(unicode.M, r)
}

// binds reports whether nothing may be cut after a character and the marks on it: joiners,
// signs that stack the next letter, vowels written before their consonant, and characters
// that form one grapheme cluster with the next (UAX #29, property Prepend).
func binds(r rune) bool {
	if r < 0x600 {
		return false
	}
	switch r {
	case '\u200D', '\u094D', '\u09CD', '\u0ACD', '\u0B4D', '\u0C4D', '\u0D4D', '\u0D4E', '\u1039', '\u17D2':
		return true
	}
	if r < 0x900 || r >= 0x11000 && r < 0x12000 {
		return unicode.Is(unicode.Prepended_Concatenation_Mark, r) || 0x111C2 <= r && r <= 0x111C3 ||
			r == 0x1193F || r == 0x11941 || r == 0x113D1 || r == 0x11A3A || 0x11A84 <= r && r <= 0x11A89 || r == 0x11D46 || r == 0x11F02
	}
	return opensSyllable(r)
}

// endsWord reports whether a word ends after a mark even if no space follows: marks of
// scripts that write no spaces, dashes and ellipses.
func endsWord(r rune) bool {
	switch r {
	case '、', '，', '；', '：', '､', '﹐', '﹑', '。', '！', '？', '．', '」', '』', '）', '】', '》', '〉', '〕', '・',
		'…', '—', '―', '⸺', '،', '؛', '؟', '।', '॥', '။', '၊', '។', '៕', '\u200B':
		return true
	}
	return false
}

// opensSyllable reports whether a letter always begins a syllable: the Thai and Lao vowels
// that are written before their consonant.
func opensSyllable(r rune) bool { return 'เ' <= r && r <= 'ไ' || 'ເ' <= r && r <= 'ໄ' }

// closesSyllable reports whether a character always ends a syllable.
func closesSyllable(r rune) bool {
	switch r {
	case 'ะ', 'ำ', 'ๆ', 'ฯ', 'ະ', 'ຳ', 'ໆ', '\u103A', '\u1037', '\u1038', 'ៈ', 'ះ', 'ៗ', '\u17CB':
		return true
	}
	return false
}
