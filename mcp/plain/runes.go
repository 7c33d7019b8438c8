package plain

import (
	"unicode"
	"unicode/utf8"
)

// The joiners.
const (
	zwnj = '\u200c'
	zwj  = '\u200d'
)

func isJoiner(r rune) bool { return r == zwj || r == zwnj }

// signs holds the format characters that are visible: signs of Arabic, Syriac and Kaithi over
// or under numbers, and the characters that arrange hieroglyphs.
var signs = &unicode.RangeTable{
	R16: []unicode.Range16{{0x600, 0x605, 1}, {0x6dd, 0x6dd, 1}, {0x70f, 0x70f, 1}, {0x890, 0x891, 1}, {0x8e2, 0x8e2, 1}},
	R32: []unicode.Range32{{0x110bd, 0x110bd, 1}, {0x110cd, 0x110cd, 1}, {0x13430, 0x1345f, 1}},
}

// blanks holds letters and marks that are invisible: fillers of Hangul, implied vowels of
// Khmer, the joiner of graphemes.
var blanks = &unicode.RangeTable{
	R16: []unicode.Range16{{0x34f, 0x34f, 1}, {0x115f, 0x1160, 1}, {0x17b4, 0x17b5, 1}, {0x3164, 0x3164, 1}, {0xffa0, 0xffa0, 1}},
}

// visible reports whether r, which is not conditional, may stay.
func visible(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return true
	case r == utf8.RuneError, unicode.Is(unicode.Noncharacter_Code_Point, r):
		return false
	case unicode.Is(unicode.Cf, r):
		return unicode.Is(signs, r)
	}
	return !unicode.In(r, unicode.Cc, unicode.Co, unicode.Cs, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point, blanks)
}

// conditional reports whether r may stay only beside certain characters.
func conditional(r rune) bool {
	return isJoiner(r) || r >= 0x180b && r <= 0x180f || r >= 0xfe00 && r <= 0xfe0f || r >= 0xe0100 && r <= 0xe01ef
}

// follows reports whether a conditional r may follow the character before.
func follows(before, r rune) bool {
	switch {
	case isJoiner(r):
		return joinable(before) || pictured(before)
	case r >= 0x180b && r <= 0x180f:
		return unicode.Is(unicode.Mongolian, before) && unicode.IsLetter(before)
	case r >= 0xe0100:
		return unicode.Is(unicode.Han, before)
	case r >= 0xfe0e: // selects how the character before is shown: as text, or as an emoji
		return unicode.In(before, unicode.So, unicode.Sm, unicode.Po, unicode.Pd, unicode.Sk) || before >= '0' && before <= '9'
	}
	return unicode.In(before, unicode.Han, unicode.Sm, unicode.Myanmar, unicode.Phags_Pa)
}

// joins reports whether a joiner between two characters has an effect. After a virama and after an
// Arabic letter it has one at the end of a word too.
func joins(before, r, after rune) bool {
	if pictured(before) {
		return r == zwj && pictured(after)
	}
	return joinable(before) && (joinable(after) || unicode.In(before, viramas, unicode.Arabic, unicode.Syriac))
}

// pictured reports whether r is, or ends, a part of an emoji.
func pictured(r rune) bool {
	return unicode.Is(unicode.So, r) || r >= 0x1f3fb && r <= 0x1f3ff || r == 0xfe0f || r == 0x2194 || r == 0x2195
}

// joinable reports whether r is a letter or mark of a script that needs joiners.
func joinable(r rune) bool {
	return r >= 0x600 && (unicode.IsLetter(r) || unicode.IsMark(r)) && unicode.In(r, joining...)
}

// joining holds the scripts in which joiners change how letters look.
var joining = []*unicode.RangeTable{
	unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil,
	unicode.Telugu, unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Arabic, unicode.Syriac,
	unicode.Khmer, unicode.Myanmar, unicode.Tibetan, unicode.Mongolian, unicode.Nko, unicode.Mandaic,
	unicode.Balinese, unicode.Javanese, unicode.Sundanese, unicode.Meetei_Mayek, unicode.Ol_Chiki, unicode.Limbu,
	unicode.Lepcha, unicode.Newa, unicode.Tirhuta, unicode.Kaithi, unicode.Sharada, unicode.Grantha,
	unicode.Modi, unicode.Chakma, unicode.Brahmi, unicode.Takri, unicode.Khojki, unicode.Khudawadi,
	unicode.Syloti_Nagri, unicode.Saurashtra, unicode.Adlam, unicode.Hanifi_Rohingya, unicode.Manichaean,
	arabicMarks,
}

// arabicMarks holds the marks over Arabic letters that Unicode assigns to several scripts.
var arabicMarks = &unicode.RangeTable{R16: []unicode.Range16{{0x640, 0x640, 1}, {0x64b, 0x655, 1}, {0x670, 0x670, 1}, {0x951, 0x952, 1}}}

// viramas holds the marks that remove the vowel of the letter before them.
var viramas = &unicode.RangeTable{R16: []unicode.Range16{
	{0x94d, 0x94d, 1}, {0x9cd, 0x9cd, 1}, {0xa4d, 0xa4d, 1}, {0xacd, 0xacd, 1}, {0xb4d, 0xb4d, 1}, {0xbcd, 0xbcd, 1},
	{0xc4d, 0xc4d, 1}, {0xccd, 0xccd, 1}, {0xd4d, 0xd4d, 1}, {0xdca, 0xdca, 1}, {0x1039, 0x103a, 1},
}}
