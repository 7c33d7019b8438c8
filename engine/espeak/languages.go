package espeak

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"vaak/lang"
)

// standIns are the library's voices for languages whose code does not name a voice that
// reads them well. Either a variety has to be chosen; or the library's own voice file is
// broken (kok reads vowel signs by name, cmn reads pinyin as English); or there is none, and
// the voice of a related language is used. Package form then changes the text into one that
// this voice can read.
//
// A name is that of a voice file in lower case. The library's API does not find voices by
// their language tag, so the French of France is "fr", not "fr-fr".
var standIns = map[lang.Code]string{
	"en":  "en-us",
	"pt":  "pt-br",
	"zh":  "cmn-latn-pinyin",
	"kok": "mr",
	"sa":  "kn", // hi would drop the short a
	"mai": "hi",
	"doi": "hi",
	"brx": "hi",
	"sat": "hi", // form writes Ol Chiki in Devanagari
	"bho": "hi",
	"ks":  "ur",
	"mni": "bn", // form writes Meetei Mayek in Bengali
}

// voiceName returns the library's name of the voice that reads a language. ok is false if
// the language is not supported.
func voiceName(code lang.Code) (string, bool) {
	if v, ok := standIns[code]; ok {
		return v, true
	}
	if _, ok := lang.Lookup(code); !ok {
		return "", false
	}
	return string(code), true
}

// secondScripts are the languages that are also written in a script that their own voice
// cannot read, with the voice that can.
var secondScripts = map[lang.Code]struct {
	script *unicode.RangeTable
	voice  string
}{
	"pa":  {unicode.Arabic, "ur"},
	"doi": {unicode.Arabic, "ur"},
	"sd":  {unicode.Devanagari, "hi"},
	"ks":  {unicode.Devanagari, "hi"},
}

// regional are the voices of regional varieties, with the regions that speak them. Other
// regions get the voice of the language.
var regional = map[lang.Code]map[string]string{
	"en": voicesByRegion(
		"en", "GB IE AU NZ ZA", // British; the others do not pronounce r before consonants either
		"en-029", "029 AG BB BS DM GD GY JM KN LC TT VC"),
	"es": voicesByRegion("es-419", "419 013 005 AR BO CL CO CR CU DO EC GT HN MX NI PA PE PR PY SV US UY VE"),
	"fr": voicesByRegion("fr-be", "BE", "fr-ch", "CH"),
	"hy": voicesByRegion("hyw", "LB SY TR"), // Western Armenian
	"pt": voicesByRegion("pt", "PT AO CV GW MO MZ ST TL"),
}

// voicesByRegion turns pairs of a voice and its regions into a map.
func voicesByRegion(pairs ...string) map[string]string {
	m := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		for region := range strings.FieldsSeq(pairs[i+1]) {
			m[region] = pairs[i]
		}
	}
	return m
}

// voiceFor returns the voice for a language, a region and a text. The first letter of the
// text decides whether it is in the second script of its language.
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
