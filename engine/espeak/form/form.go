// Package form rewrites text so that libespeak-ng reads it correctly. The result is called the
// engine form of the text.
//
// The library spells out, drops or misreads letters that a language commonly uses. It reads the
// composed nukta letters of Bengali but not the decomposed ones that NFC produces. It knows
// Sindhi's own kaf but not the Arabic one. It reads kana but no kanji. It has no voice at all
// for Ol Chiki or Meetei Mayek. Each rule here was found by examining the library's own
// phonemes for a letter in a carrier word.
//
// Most rules replace one code point by another. Where two letters become one, the second becomes
// silent, so that positions stay the same. Only Japanese, which is read word by word, and Mandarin
// with pinyin change in length.
package form

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"vaak/lang"
	"vaak/text"
)

// silent is a code point that every voice of the library skips inside a word (zero width
// non-joiner). The zero width joiner would end the word, so it is replaced by this one.
const silent = '\u200c'

// forms has the rules of languages that need some. They change the text in place, after common.
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

// Of returns the engine form of a text in a language, and the map from the form back to the text.
// The map is nil if the form is the text itself; that takes no memory. Bytes that are not UTF-8
// become U+FFFD. The text should be in NFC.
//
// The first Japanese text of a process loads a dictionary, if [Warm] has not.
func Of(code lang.Code, s string) (string, text.Map) {
	if isASCII(s) && !strings.Contains(s, ". ") {
		return s, nil
	}
	if code == "ja" {
		return japanese(s)
	}
	return letters(code, s)
}

// Warm loads the dictionary for Japanese, so that no text waits for it. That takes 0.6 s of processor
// time and 95 MB of memory, of which 36 MB stay; see readings.
func Warm() { readings() }

// buffers are reused by letters.
var buffers = sync.Pool{New: func() any { return new([]rune) }}

// maxPooled is the length of the longest buffer that is reused.
const maxPooled = 1 << 14

// letters applies the rules that replace code points.
func letters(code lang.Code, s string) (string, text.Map) {
	buffer := buffers.Get().(*[]rune)
	r := (*buffer)[:0]
	for _, c := range s {
		r = append(r, c)
	}
	if code == "ml" {
		chillus(r) // before common, which removes the joiners that it needs
	}
	for i := range r {
		r[i] = common(r[i])
	}
	if rules := forms[code]; rules != nil {
		rules(r)
	}
	stops(r)
	form, m := s, text.Map(nil)
	switch {
	case equals(r, s):
	case code == "zh":
		form, m = pinyinForm(s, r)
	default:
		form, m = string(r), aligned(s, r)
	}
	// A long text must not keep its buffer for the life of the process.
	if cap(r) <= maxPooled {
		*buffer = r
		buffers.Put(buffer)
	}
	return form, m
}

// equals reports whether s consists of exactly the code points r.
func equals(r []rune, s string) bool {
	i := 0
	for at, c := range s {
		if c != r[i] || c == utf8.RuneError && !isReplacement(s[at:]) {
			return false
		}
		i++
	}
	return true
}

// isReplacement reports whether s begins with the character U+FFFD, and not with an invalid byte,
// which decodes to the same.
func isReplacement(s string) bool {
	_, n := utf8.DecodeRuneInString(s)
	return n > 1
}

// aligned returns the map from r back to s, whose code points correspond one to one.
func aligned(s string, r []rune) text.Map {
	var b text.Builder
	i := 0
	for at := 0; at < len(s); i++ {
		c, n := utf8.DecodeRuneInString(s[at:])
		// An invalid byte decodes to U+FFFD, which takes three bytes in the form.
		if to := utf8.RuneLen(r[i]); c == r[i] && n == to {
			b.Keep(n)
		} else {
			b.Replace(n, to)
		}
		at += n
	}
	return slices.Clip(b.Map())
}

// common applies the rules for all languages to one code point.
func common(r rune) rune {
	switch r {
	case '\u200d', '\u2060', '\ufeff': // the library would end the word at any of these
		return silent
	case '\u02bc': // modifier apostrophe: the library would spell out the word
		return '\u2019'
	case '\u02bb': // turned comma
		return '\u2018'
	}
	if r > unicode.MaxASCII && unicode.IsDigit(r) {
		return digit(r) // the voices of Urdu and Sindhi do not read U+06F0 to U+06F9
	}
	return r
}

// digit returns the ASCII form of a decimal digit. Unicode has decimal digits in runs of ten, from
// zero to nine.
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

// replace replaces each code point that a table has.
func replace(text []rune, table map[rune]rune) {
	for i, r := range text {
		if to, ok := table[r]; ok {
			text[i] = to
		}
	}
}

// startsWord reports whether no letter or mark stands before index i.
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
