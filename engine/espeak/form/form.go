// Package form writes a text the way libespeak-ng reads it best: its engine
// form.
//
// The library spells out, drops or misreads letters that a language commonly
// uses: it reads the composed nukta letters of Bengali and not the decomposed
// ones that NFC leaves, knows Sindhi's own kaf and not the Arabic one, reads
// kana and no kanji, and has no voice at all for Ol Chiki or Meetei Mayek. Each
// rule here was found by listening to the library's own phonemes for a letter
// in a carrier word.
//
// Most rules put one code point in the place of another; where two letters
// become one, the second becomes a [Silent]. Japanese is read word by word and
// changes in length.
package form

import (
	"slices"
	"sync"
	"unicode"
	"unicode/utf8"

	"vaak/lang"
	"vaak/text"
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
	"zh":  mandarin,
}

// Of returns the engine form of a text in a language, and the map from the form
// back to the text. The map is nil when the form is the text itself, which takes
// no memory. Bytes that are not UTF-8 become U+FFFD. The text is expected in NFC.
//
// The first Japanese text of a process waits 0.6 s for a dictionary to be loaded,
// which takes 95 MB of memory for as long and keeps 36 MB; see readings.
func Of(code lang.Code, s string) (string, text.Map) {
	if isASCII(s) {
		return s, nil
	}
	if code == "ja" {
		return japanese(s)
	}
	return letters(code, s)
}

// buffers are texts that letters works on.
var buffers = sync.Pool{New: func() any { return new([]rune) }}

// maxKept is the length of the longest buffer that is kept.
const maxKept = 1 << 14

// letters applies the rules that put one code point in the place of another.
func letters(code lang.Code, s string) (string, text.Map) {
	buffer := buffers.Get().(*[]rune)
	r := (*buffer)[:0]
	for _, c := range s {
		r = append(r, c)
	}
	if code == "ml" {
		chillus(r) // it needs the joiners that common takes away
	}
	for i := range r {
		r[i] = common(r[i])
	}
	if rules := forms[code]; rules != nil {
		rules(r)
	}
	form, m := s, text.Map(nil)
	switch {
	case spells(r, s):
	case code == "zh":
		form, m = pinyinForm(s, r)
	default:
		form, m = string(r), aligned(s, r)
	}
	if cap(r) <= maxKept {
		*buffer = r
		buffers.Put(buffer)
	}
	return form, m
}

// spells says whether s is exactly the code points r.
func spells(r []rune, s string) bool {
	i := 0
	for at, c := range s {
		if c != r[i] || c == utf8.RuneError && !isReplacement(s[at:]) {
			return false
		}
		i++
	}
	return true
}

// isReplacement says whether s begins with U+FFFD, not with a byte that is not
// UTF-8.
func isReplacement(s string) bool {
	_, n := utf8.DecodeRuneInString(s)
	return n > 1
}

// aligned returns the map of a step that put a code point of r in the place of
// each of s.
func aligned(s string, r []rune) text.Map {
	var b text.Builder
	i := 0
	for at := 0; at < len(s); i++ {
		c, n := utf8.DecodeRuneInString(s[at:])
		if to := utf8.RuneLen(r[i]); c == r[i] && n == to {
			b.Keep(n)
		} else {
			b.Replace(n, to)
		}
		at += n
	}
	return slices.Clip(b.Map())
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
