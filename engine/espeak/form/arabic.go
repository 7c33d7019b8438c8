package form

import "maps"

// This file has the languages in Arabic script. Keyboards mix up the similar letters of Arabic,
// Persian, Urdu and Sindhi, and each of the library's voices knows only its own.

const (
	doChashmiHe = 'ھ' // U+06BE
	hehGoal     = 'ہ' // U+06C1
	tatweel     = '\u0640'
)

var toUrdu = map[rune]rune{
	'ك': 'ک', 'ي': 'ی', 'ى': 'ی', 'ه': hehGoal, 'ە': hehGoal, 'ۀ': 'ۂ', 'ة': 'ۃ',
	'إ': 'ا', 'ٱ': 'ا', 'ې': 'ی', tatweel: silent,
	'\u064d': '\u0650', '\u0653': silent, '\u0655': silent, '\u0658': silent,
}

// urdu replaces Arabic and Persian letters by Urdu ones. The voice would drop the Arabic kaf and
// the Arabic heh.
func urdu(text []rune) {
	replace(text, toUrdu)
	for i, r := range text {
		if r == doChashmiHe && startsWord(text, i) {
			text[i] = hehGoal // doChashmiHe aspirates a consonant before it, and there is none
		}
	}
}

// toKashmiri maps the letters and vowel marks that Kashmiri adds to Urdu to the nearest vowel of
// the Urdu voice.
var toKashmiri = func() map[rune]rune {
	m := maps.Clone(toUrdu)
	maps.Copy(m, map[rune]rune{
		'ٲ': 'ا', 'ٳ': 'ی', 'ٴ': silent,
		'ۄ': 'و', 'ۆ': 'و', 'ێ': 'ی', 'ۍ': 'ی', 'ؠ': 'ی',
		'\u0655': '\u0650', '\u065f': '\u0650', '\u065a': '\u0650', '\u0656': '\u0650',
		'\u065b': '\u064f', '\u0659': silent,
		// in Devanagari
		'\u0973': 'अ', '\u0974': 'आ', '\u0975': 'ओ', '\u0976': 'उ', '\u0977': 'ऊ',
		'\u093a': silent, '\u093b': '\u093e', '\u094f': '\u094b', '\u0956': '\u0941', '\u0957': '\u0942',
	})
	return m
}()

func kashmiri(text []rune) {
	// Two rules depend on the neighbours, so they come before the table, which replaces both
	// signs.
	for i, r := range text {
		switch {
		case r == 'ٲ' && startsWord(text, i):
			text[i] = 'آ'
		case r == '\u065a' && i > 0 && text[i-1] == 'ے': // the mark for a short e, on a letter that is e already
			text[i] = silent
		}
	}
	replace(text, toKashmiri)
	urdu(text)
}

// sindhi replaces letters of related languages by Sindhi ones.
func sindhi(text []rune) { replace(text, toSindhi) }

var toSindhi = map[rune]rune{
	'ك': 'ڪ', 'ى': 'ي', 'ة': 'ه', 'ۃ': 'ه', 'إ': 'ا', 'ٱ': 'ا', 'ڈ': 'ڊ', 'ں': 'ن',
	tatweel: silent, '\u0652': silent, '\u064c': '\u064f', '\u064d': '\u0650',
	'\u0653': silent, '\u0654': silent, '\u0655': silent, '\u0656': silent, '\u0658': silent,
}

// arabic replaces Persian and Urdu letters by Arabic ones. With such a letter the voice would spell
// out the whole word.
func arabic(text []rune) { replace(text, toArabic) }

var toArabic = map[rune]rune{
	'ی': 'ي', 'ک': 'ك', doChashmiHe: 'ه', hehGoal: 'ه', 'ە': 'ه', 'چ': 'ش', 'ڤ': 'ف',
}
