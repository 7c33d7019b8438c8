// Package form writes a text the way libespeak-ng reads it best: its engine
// form.
//
// The library spells out, drops or misreads letters that a language commonly
// uses: it reads the composed nukta letters of Bengali and not the decomposed
// ones that NFC leaves, knows Sindhi's own kaf and not the Arabic one, and has
// no voice at all for Ol Chiki or Meetei Mayek. Each rule here was found by
// listening to the library's own phonemes for a letter in a carrier word.
//
// A form has exactly as many code points as its text, so that the code point
// positions that the library reports for words are positions in the text. Where
// two letters become one, the second becomes a [Silent].
package form

import (
	"unicode"

	"vaak/lang"
)

// Silent is a code point that the library passes over inside a word, in every
// voice (zero width non-joiner). The zero width joiner ends a word instead, so
// it is replaced by this.
const Silent = '\u200c'

// forms has the rules of the languages that need any, each applied in place
// after common.
var forms = map[lang.Code]func([]rune){
	"ar":  arabic,
	"as":  assamese,
	"bn":  bengali,
	"doi": urdu, // in Arabic script; nothing in it touches Devanagari
	"he":  hebrew,
	"ks":  kashmiri,
	"mni": manipuri,
	"or":  odia,
	"pa":  urdu, // in Arabic script
	"sa":  sanskrit,
	"sat": santali,
	"sd":  sindhi,
	"ur":  urdu,
}

// Of returns the engine form of a text in a language. It has as many code
// points as text, each standing for the one at its place; bytes that are not
// UTF-8 become U+FFFD. The text is expected in NFC.
func Of(code lang.Code, text string) string {
	if isASCII(text) {
		return text
	}
	r := []rune(text)
	if code == "ml" {
		chillus(r) // it needs the joiners that common takes away
	}
	for i := range r {
		r[i] = common(r[i])
	}
	if rules := forms[code]; rules != nil {
		rules(r)
	}
	return string(r)
}

// common is what holds in every language.
func common(r rune) rune {
	switch r {
	case '\u200d', '\u2060', '\ufeff': // each ends a word
		return Silent
	case '\u02bc': // modifier apostrophe: the word is spelled out
		return '\u2019'
	case '\u02bb': // turned comma
		return '\u2018'
	}
	if r > unicode.MaxASCII && unicode.IsDigit(r) {
		return digit(r) // U+06F0 to U+06F9 are not heard in Urdu and Sindhi
	}
	return r
}

// digit returns the ASCII form of a decimal digit. Unicode has them in runs of
// ten from zero to nine.
func digit(r rune) rune {
	for _, t := range unicode.Nd.R16 {
		if rune(t.Lo) <= r && r <= rune(t.Hi) {
			return '0' + (r-rune(t.Lo))%10
		}
	}
	for _, t := range unicode.Nd.R32 {
		if rune(t.Lo) <= r && r <= rune(t.Hi) {
			return '0' + (r-rune(t.Lo))%10
		}
	}
	return r
}

// replace puts each rune's entry of a table in its place.
func replace(text []rune, table map[rune]rune) {
	for i, r := range text {
		if to, ok := table[r]; ok {
			text[i] = to
		}
	}
}

// startsWord says whether no letter or mark stands before place i.
func startsWord(text []rune, i int) bool {
	return i == 0 || !unicode.In(text[i-1], unicode.L, unicode.M)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] > unicode.MaxASCII {
			return false
		}
	}
	return true
}
