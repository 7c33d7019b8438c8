package form

import "maps"

// This file has the languages in Arabic script. Keyboards mix the look-alike
// letters of Arabic, Persian, Urdu and Sindhi; each voice knows its own.

const (
	doChashmiHe = 'ھ' // U+06BE
	hehGoal     = 'ہ' // U+06C1
	tatweel     = '\u0640'
)

var toUrdu = map[rune]rune{
	'ك': 'ک', 'ي': 'ی', 'ى': 'ی', 'ه': hehGoal, 'ە': hehGoal, 'ۀ': 'ۂ', 'ة': 'ۃ',
	'إ': 'ا', 'ٱ': 'ا', 'ې': 'ی', tatweel: Silent,
	'\u064d': '\u0650', '\u0653': Silent, '\u0655': Silent, '\u0658': Silent,
}

// urdu folds Arabic and Persian letters to Urdu ones: the voice drops the
// Arabic kaf and the Arabic heh.
func urdu(text []rune) {
	replace(text, toUrdu)
	for i, r := range text {
		if r == doChashmiHe && startsWord(text, i) {
			text[i] = hehGoal // it aspirates a consonant, and here there is none
		}
	}
}

// toKashmiri are the letters and vowel marks that Kashmiri adds to Urdu, with
// the nearest vowel that the Urdu voice has.
var toKashmiri = func() map[rune]rune {
	m := maps.Clone(toUrdu)
	maps.Copy(m, map[rune]rune{
		'ٲ': 'ا', 'ٳ': 'ی', 'ٴ': Silent,
		'ۄ': 'و', 'ۆ': 'و', 'ێ': 'ی', 'ۍ': 'ی', 'ؠ': 'ی',
		'\u0655': '\u0650', '\u065f': '\u0650', '\u065a': '\u0650', '\u0656': '\u0650',
		'\u065b': '\u064f', '\u0659': Silent,
		// in Devanagari
		'\u0973': 'अ', '\u0974': 'आ', '\u0975': 'ओ', '\u0976': 'उ', '\u0977': 'ऊ',
		'\u093a': Silent, '\u093b': '\u093e', '\u094f': '\u094b', '\u0956': '\u0941', '\u0957': '\u0942',
	})
	return m
}()

func kashmiri(text []rune) {
	for i, r := range text {
		switch {
		case r == 'ٲ' && startsWord(text, i):
			text[i] = 'آ'
		case r == '\u065a' && i > 0 && text[i-1] == 'ے': // a short e on the letter e
			text[i] = Silent
		}
	}
	replace(text, toKashmiri)
	urdu(text)
}

// sindhi folds letters of its neighbours to Sindhi ones.
func sindhi(text []rune) { replace(text, toSindhi) }

var toSindhi = map[rune]rune{
	'ك': 'ڪ', 'ى': 'ي', 'ة': 'ه', 'ۃ': 'ه', 'إ': 'ا', 'ٱ': 'ا', 'ڈ': 'ڊ', 'ں': 'ن',
	tatweel: Silent, '\u0652': Silent, '\u064c': '\u064f', '\u064d': '\u0650',
	'\u0653': Silent, '\u0654': Silent, '\u0655': Silent, '\u0656': Silent, '\u0658': Silent,
}

// arabic folds Persian and Urdu letters to Arabic ones, which makes a whole
// word be spelled out otherwise.
func arabic(text []rune) { replace(text, toArabic) }

var toArabic = map[rune]rune{
	'ی': 'ي', 'ک': 'ك', doChashmiHe: 'ه', hehGoal: 'ه', 'ە': 'ه', 'چ': 'ش', 'ڤ': 'ف',
}
