package accent

import (
	"strings"

	"vaak/lang"
)

// Tonal says whether the library writes tones, as figures behind the vowel, into
// the phonemes of a language.
func Tonal(code lang.Code) bool { return code == "zh" || code == "yue" || code == "vi" }

// Toneless returns the IPA of a phoneme without its tone. In IPA the library
// writes the third one as it writes any 3, as the vowel ɜ, which none of the
// tonal languages has.
func Toneless(code lang.Code, ipa string) string {
	if !Tonal(code) {
		return ipa
	}
	return strings.TrimRight(ipa, "0123456789ɜ")
}

// Tones returns how many phonemes of a clause in a language carry a tone.
func Tones(code lang.Code, c Clause) (n int) {
	for _, w := range c.Words {
		for _, p := range Phonemes(w) {
			if p != Toneless(code, p) {
				n++
			}
		}
	}
	return n
}

// respelled returns the IPA of a phoneme of a language for which the library
// writes its mnemonics in place of IPA.
func respelled(code lang.Code, ipa string) string {
	switch code {
	case "zh":
		return mandarin.Replace(ipa)
	case "yue":
		return cantonese.Replace(ipa)
	case "ko":
		return korean.Replace(ipa)
	}
	return ipa
}

// cantonese is Jyutping, which tells stops by breath and not by voice.
// Source: Linguistic Society of Hong Kong, Jyutping.
var cantonese = strings.NewReplacer(
	"nɡ", "ŋ", "ng", "ŋ", "b", "p", "d", "t", "ɡ", "k", "g", "k", "p", "pʰ", "t", "tʰ", "k", "kʰ", "z", "ts", "c", "tsʰ",
	"aa", "aː", "a", "ɐ", "oe", "œ", "eo", "ɵ", "yu", "y",
)

// mandarin has an r that is nearer to that of English than to its zh, and one
// spelling of its final nasal.
var mandarin = strings.NewReplacer("nɡ", "ŋ", "ng", "ŋ", "ʐ", "ɻ")

// korean has the plain velar stop.
var korean = strings.NewReplacer("q", "k")

// Known says whether package accent knows the sounds of a phoneme of a language,
// given in IPA without stress.
func Known(code lang.Code, ipa string) bool {
	_, ok := parse(respelled(code, Toneless(code, ipa)))
	return ok
}

// soft is the mark of a palatal consonant, which the library writes as a phoneme of
// its own after some.
const soft = "ʲ"

// Phonemes returns the phonemes of a word in IPA, with their stress: without pauses,
// figures that are no sounds, and names of languages, and with the soft sign beside
// what it belongs to.
func Phonemes(word string) []string {
	var all []string
	word = strings.ReplaceAll(word, "ɚ|ɹ", "ə|ɹ") // the r is one, whichever vowel it colours
	for p := range strings.SplitSeq(word, "|") {
		switch {
		case strings.Trim(p, primary+secondary+"0123456789") == "", p[0] == '(':
		case p == soft && len(all) > 0:
			all[len(all)-1] += soft
		case p != soft:
			all = append(all, p)
		}
	}
	return all
}

// Switches returns how many times the reading of a clause goes over to the voice of
// another language, as it does to name a letter that the language's own does not
// know.
func Switches(c Clause) (n int) {
	for _, w := range c.Words {
		for p := range strings.SplitSeq(w, "|") {
			if strings.HasPrefix(p, "(") {
				n++
			}
		}
	}
	return n
}

// plain returns the IPA of a phoneme of a language without what only the library
// writes.
func plain(code lang.Code, ipa string) string {
	return marks.Replace(spellings.Replace(respelled(code, Toneless(code, ipa))))
}

var marks = strings.NewReplacer("`", "", "^", "", "-", "", "+", "", "[", "", "#", "", "\"", "", "'", "", "~", "")

// Spell returns how a word of a language is read, in IPA, without tones and without
// what only the library writes. The word is its phonemes with bars between them.
func Spell(code lang.Code, word string) string {
	var b strings.Builder
	for _, p := range Phonemes(word) {
		sound := strings.TrimLeft(p, primary+secondary)
		b.WriteString(p[:len(p)-len(sound)])
		b.WriteString(plain(code, sound))
	}
	return b.String()
}
