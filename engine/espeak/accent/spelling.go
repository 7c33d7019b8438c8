package accent

import (
	"strings"

	"vaak/lang"
)

// Tonal reports whether the library writes tones into the phonemes of a language, as digits after
// the vowel.
func Tonal(code lang.Code) bool { return code == "zh" || code == "yue" || code == "vi" }

// Toneless returns the IPA of a phoneme without its tone. In IPA the library converts the digit of
// the third tone to the vowel ɜ, as it does with any 3; no tonal language here has that vowel.
func Toneless(code lang.Code, ipa string) string {
	if !Tonal(code) {
		return ipa
	}
	return strings.TrimRight(ipa, "0123456789ɜ")
}

// Tones returns how many phonemes of a clause have a tone.
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

// respelled returns the IPA of a phoneme, for languages whose mnemonics the library does not
// convert to IPA.
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

// cantonese converts Jyutping, which distinguishes stops by aspiration, not by voicing.
// Source: Linguistic Society of Hong Kong, Jyutping.
var cantonese = strings.NewReplacer(
	"nɡ", "ŋ", "ng", "ŋ", "b", "p", "d", "t", "ɡ", "k", "g", "k", "p", "pʰ", "t", "tʰ", "k", "kʰ", "z", "ts", "c", "tsʰ",
	"aa", "aː", "a", "ɐ", "oe", "œ", "eo", "ɵ", "yu", "y",
)

// mandarin corrects r, which is nearer to the English r than to the zh that the library writes,
// and unifies the spellings of the final nasal.
var mandarin = strings.NewReplacer("nɡ", "ŋ", "ng", "ŋ", "ʐ", "ɻ")

// korean corrects the plain velar stop.
var korean = strings.NewReplacer("q", "k")

// Known reports whether the sounds of a phoneme are known; the phoneme is in IPA without stress.
func Known(code lang.Code, ipa string) bool {
	_, ok := parse(respelled(code, Toneless(code, ipa)))
	return ok
}

// palatalSign marks a palatalized consonant. The library writes it as a separate phoneme after some
// consonants.
const palatalSign = "ʲ"

// Phonemes returns the phonemes of a word in IPA, with their stress. It leaves out pauses, digits
// and names of languages, and joins the palatal sign to the phoneme before it.
func Phonemes(word string) []string {
	var all []string
	word = strings.ReplaceAll(word, "ɚ|ɹ", "ə|ɹ") // the two hold only one r
	for p := range strings.SplitSeq(word, "|") {
		switch {
		// The first test is also true of an empty phoneme, so the second may look at its first
		// byte.
		case strings.Trim(p, primary+secondary+"0123456789") == "", p[0] == '(':
		case p == palatalSign && len(all) > 0:
			all[len(all)-1] += palatalSign
		case p != palatalSign:
			all = append(all, p)
		}
	}
	return all
}

// Switches returns how often the reading of a clause changes to the voice of another language. The
// library does that to spell out a letter that the language's own voice does not know.
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

// cleanIPA returns the IPA of a phoneme without marks that only the library uses.
func cleanIPA(code lang.Code, ipa string) string {
	return marks.Replace(spellings.Replace(respelled(code, Toneless(code, ipa))))
}

var marks = strings.NewReplacer("`", "", "^", "", "-", "", "+", "", "[", "", "#", "", "\"", "", "'", "", "~", "")

// Spell returns how a word is read, in IPA without tones and without marks that only the library
// uses. The word is its phonemes with bars between them.
func Spell(code lang.Code, word string) string {
	var b strings.Builder
	for _, p := range Phonemes(word) {
		sound := strings.TrimLeft(p, primary+secondary)
		b.WriteString(p[:len(p)-len(sound)])
		b.WriteString(cleanIPA(code, sound))
	}
	return b.String()
}
