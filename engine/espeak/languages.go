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

// regional are the voices of a language's regional varieties, with the regions
// that speak so. Regions that are not here have the voice of borrowed, or the
// language's own.
var regional = map[lang.Code]map[string]string{
	"en": voices(
		"en", "GB IE AU NZ ZA", // of Britain; the others do not sound their r either
		"en-029", "029 AG BB BS DM GD GY JM KN LC TT VC"),
	"es": voices("es-419", "419 013 005 AR BO CL CO CR CU DO EC GT HN MX NI PA PE PR PY SV US UY VE"),
	"fr": voices("fr-be", "BE", "fr-ch", "CH"),
	"hy": voices("hyw", "LB SY TR"), // Western Armenian
	"pt": voices("pt", "PT AO CV GW MO MZ ST TL"),
}

// voices reads pairs of a voice and its regions.
func voices(pairs ...string) map[string]string {
	m := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		for region := range strings.FieldsSeq(pairs[i+1]) {
			m[region] = pairs[i]
		}
	}
	return m
}

// voiceFor is voiceName for a region, and for a text that may be in the second
// script of its language. The first letter decides that.
func voiceFor(code lang.Code, region, text string) (string, bool) {
	if second, ok := secondScripts[code]; ok {
		if i := strings.IndexFunc(text, unicode.IsLetter); i >= 0 {
			if r, _ := utf8.DecodeRuneInString(text[i:]); unicode.Is(second.script, r) {
				return second.voice, true
			}
		}
	}
	if v, ok := regional[code][region]; ok {
		return v, true
	}
	return voiceName(code)
}
