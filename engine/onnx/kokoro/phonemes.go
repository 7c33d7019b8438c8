package kokoro

import (
	"regexp"
	"strings"

	"vaak/engine/ipa"
)

// The tables follow misaki 0.9.4 (espeak.py, cutlet.py and transcription.py), whose output the
// voices have learned. It marks the sounds of one phoneme by a tie; here a phoneme is a string
// of its own, so that "aɪ" is replaced in "b|aɪ" and not in "a|ɪ".

// general replaces phonemes of languages other than English.
var general = strings.NewReplacer(
	"aɪ", "I", "aʊ", "W", "dz", "ʣ", "dʒ", "ʤ", "eɪ", "A", "oʊ", "O", "əʊ", "Q", "ss", "S", "ts", "ʦ", "tʃ", "ʧ", "ɔɪ", "Y",
	"-", "", "\u0361", "",
)

// English is replaced in three steps: the diphthongs and affricates of each phoneme, the symbols
// of a word in both varieties, and what differs between them.
var (
	american = strings.NewReplacer("aɪ", "I", "aʊ", "W", "dʒ", "ʤ", "eɪ", "A", "tʃ", "ʧ", "ɔɪ", "Y", "əl", "ᵊl", "oʊ", "O")
	british  = strings.NewReplacer("aɪ", "I", "aʊ", "W", "dʒ", "ʤ", "eɪ", "A", "tʃ", "ʧ", "ɔɪ", "Y", "əl", "ᵊl", "eə", "ɛː", "əʊ", "Q")

	english = strings.NewReplacer(
		"ʔˌn\u0329", "tn", "ʔn\u0329", "tn", "ʲo", "jo", "ʲə", "jə", "ʲ", "", "ɚ", "əɹ", "r", "ɹ", "x", "k", "ç", "k", "ɐ", "ə", "ɬ", "l",
		"\u0303", "", "e", "A",
	)
	syllabic     = regexp.MustCompile("(\\S)\u0329")
	lateAmerican = strings.NewReplacer("ɜːɹ", "ɜɹ", "ɜː", "ɜɹ", "ɪə", "iə", "ː", "", "o", "ɔ", "ɾ", "T", "ʔ", "t")
	lateBritish  = strings.NewReplacer("iə", "ɪə", "o", "ɔ", "ɾ", "T", "ʔ", "t")
)

// japanese replaces symbols in a word. The library marks vowels as not quite cardinal and
// writes a long one twice; neither is in the vocabulary. Japanese has no stress.
var japanese = strings.NewReplacer(
	"o\u031eo\u031e", "oː", "e\u031ee\u031e", "eː", "a\u0308a\u0308", "aː", "ää", "aː", "ɯᵝɯᵝ", "ɯː", "ii", "iː",
	"\u031e", "", "a\u0308", "a", "ä", "a", "ɯᵝ", "ɯ", "dʑ", "ʥ", "tɕ", "ʨ", "ts", "ʦ", "dz", "ʣ", "ɽ", "ɾ", "w", "β", "ˈ", "", "ˌ", "",
)

// mandarin replaces what the library writes for a syllable without its tone, by the initials
// and finals of misaki. Longer ones stand before their parts.
var mandarin = strings.NewReplacer(
	"ts.h", "ꭧʰ", "ts.", "ꭧ", "tsh", "ʦʰ", "ts", "ʦ", "tɕh", "ʨʰ", "tɕ", "ʨ", "ph", "pʰ", "th", "tʰ", "kh", "kʰ", "s.", "ʂ", "χ", "x", "ʐ", "ɻ",
	"yunɡ", "jʊŋ", "yuŋ", "jʊŋ", "onɡ", "ʊŋ", "nɡ", "ŋ", "jonɡ", "jʊŋ", "iou", "jou", "iɑu", "jau", "iau", "jau", "iɑ", "ja", "ia", "ja", "iɛ", "je",
	"uei", "wei", "uai", "wai", "uɑ", "wa", "ua", "wa", "uə", "wə", "uo", "wo", "yæ", "ɥɛ", "yɛ", "ɥe", "yə", "y",
	"ji", "i", "wu", "u", "ɑ", "a", "ər", "ɚ", "i.", "ɨ", "i̪", "ɨ", "o-", "ɤ", "ˈ", "", "ˌ", "", "ʲ", "",
)

// tones are the symbols of the tones of Mandarin.
var tones = [...]string{"", "→", "↗", "↓", "↘", ""}

// symbolsOf returns the symbols of a word, before they get ids.
func (e *Encoder) symbolsOf(w ipa.Word, foreign bool) string {
	switch {
	case foreign:
		return replaceEach(general, w.Phonemes)
	case e.language == "en" && e.region == "GB":
		return lateBritish.Replace(syllables(english.Replace(replaceEach(british, w.Phonemes))))
	case e.language == "en":
		return lateAmerican.Replace(syllables(english.Replace(replaceEach(american, w.Phonemes))))
	case e.language == "ja":
		return japanese.Replace(w.String())
	case e.language == "zh":
		return syllable(w)
	}
	return replaceEach(general, w.Phonemes)
}

// replaceEach applies r to each phoneme separately and joins the results.
func replaceEach(r *strings.Replacer, phonemes []string) string {
	var b strings.Builder
	for _, p := range phonemes {
		b.WriteString(r.Replace(p))
	}
	return b.String()
}

// syllables writes a small schwa before a syllabic consonant.
func syllables(s string) string {
	return strings.ReplaceAll(syllabic.ReplaceAllString(s, "ᵊ$1"), "\u0329", "")
}

// syllable returns a syllable of Mandarin, with the tone behind its vowels.
func syllable(w ipa.Word) string {
	s := strings.TrimRight(strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r == 'ɜ' { // the tones, as far as the library writes them in IPA
			return -1
		}
		return r
	}, w.String()), " ")
	s = mandarin.Replace(s)
	tone := tones[min(int(w.Tone), len(tones)-1)]
	for _, coda := range []string{"n", "ŋ"} {
		if head, ok := strings.CutSuffix(s, coda); ok && head != "" {
			return head + tone + coda
		}
	}
	return s + tone
}
