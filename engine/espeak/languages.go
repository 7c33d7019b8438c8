package espeak

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"vaak/lang"
)

// borrowed are the voices of languages whose code is not the library's name of
// a voice that reads them well: a variety has to be chosen, the library's own
// voice file is broken (kok reads vowel signs by name, cmn reads pinyin as
// English), or there is none and a neighbour's stands in. Package form then
// makes the text one that the neighbour's voice can read.
//
// A name is that of a voice file, in lower case: the library's API does not
// know voices by their language tag, so France's French is "fr", not "fr-fr".
var borrowed = map[lang.Code]string{
	"en":  "en-us",
	"pt":  "pt-br",
	"zh":  "cmn-latn-pinyin",
	"kok": "mr",
	"sa":  "kn", // hi drops the short a
	"mai": "hi",
	"doi": "hi",
	"brx": "hi",
	"sat": "hi", // Ol Chiki is written in Devanagari first
	"bho": "hi",
	"ks":  "ur",
	"mni": "bn", // Meetei Mayek is written in Bengali first
}

// voiceName returns the library's name of the voice that reads a language, and
// false when code is not a supported language.
func voiceName(code lang.Code) (string, bool) {
	if v, ok := borrowed[code]; ok {
		return v, true
	}
	if _, ok := lang.Lookup(code); !ok {
		return "", false
	}
	return string(code), true
}

// secondScripts are the languages that are also written in a script that their
// own voice does not read, and the voice that does.
var secondScripts = map[lang.Code]struct {
	script *unicode.RangeTable
	voice  string
}{
	"pa":  {unicode.Arabic, "ur"},
	"doi": {unicode.Arabic, "ur"},
	"sd":  {unicode.Devanagari, "hi"},
	"ks":  {unicode.Devanagari, "hi"},
}

// voiceFor is voiceName for a text that may be in the second script of its
// language. The first letter decides.
func voiceFor(code lang.Code, text string) (string, bool) {
	if second, ok := secondScripts[code]; ok {
		if i := strings.IndexFunc(text, unicode.IsLetter); i >= 0 {
			if r, _ := utf8.DecodeRuneInString(text[i:]); unicode.Is(second.script, r) {
				return second.voice, true
			}
		}
	}
	return voiceName(code)
}
