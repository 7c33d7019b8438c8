// Package notation tells phonetic notation and markup from spelling. The model reads letters, so a
// respelling in IPA, ARPAbet or X-SAMPA, or one with tags, is refused with a suggestion of what to
// write instead.
//
// The judge must let names and words of 80 languages pass, which share letters with the IPA and
// signs with X-SAMPA. So most signs count only in words that no language would write.
package notation

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"vaak/lang"
)

// Phonetic returns why a respelling is phonetic notation and no spelling, as the end of a
// sentence that begins with the respelling: "is in ARPAbet, …". It returns "" for a spelling. only
// are the languages of the rule, and term is what it replaces: their letters always pass.
//
// What passes: every letter of the supported languages, with all marks; romanisations
// such as Pinyin and Jyutping with tone marks or digits, Hepburn, IAST, ISO 15919;
// digits, punctuation, addresses, formulas.
func Phonetic(s, term string, only []lang.Tag) string {
	var own letters
	if !asciiOnly(s) { // every language uses ASCII
		own = lettersOf(only)
	}
	// The order decides only which reason is given. A sign of the IPA comes first because it is
	// the surest, and the brackets before X-SAMPA because they are easier to understand.
	if r, ok := ipaSign(s, term, own); ok {
		return fmt.Sprintf("holds %q (U+%04X), a sign of the International Phonetic Alphabet", string(r), r)
	}
	if isARPAbet(s) {
		return "is in ARPAbet, the phonemes of the CMU dictionary"
	}
	if marks, ok := enclosed(s); ok {
		return "stands in " + marks + ", as phonemes do"
	}
	if isSAMPA(s) {
		return "is in X-SAMPA or another phonetic notation of ASCII signs"
	}
	return ""
}

// enclosed returns the brackets in which a value stands as phonemes do: [[...]] and
// (/.../) anywhere, /.../ and \...\ around letters, [...] around one word of small letters, [...] and ⟨...⟩ around what is no spelling.
func enclosed(s string) (marks string, ok bool) {
	if i := strings.Index(s, "[["); i >= 0 && strings.Contains(s[i:], "]]") {
		return "[[ ]]", true
	}
	if i := strings.Index(s, "](/"); i >= 0 && strings.Contains(s[i:], "/)") {
		return "(/ /)", true
	}
	s = strings.TrimSpace(s)
	switch {
	case standsIn(s, "//", "//"), standsIn(s, "/", "/"):
		inner := strings.Trim(s, "/")
		return "/ /", !strings.Contains(inner, "/") && strings.ContainsFunc(inner, unicode.IsLetter)
	case standsIn(s, `\`, `\`):
		inner := s[1 : len(s)-1]
		return `\ \`, !strings.Contains(inner, `\`) && strings.ContainsFunc(inner, unicode.IsLetter)
	case standsIn(s, "[", "]") && isWord(s[1:len(s)-1]):
		return "[ ]", true
	case standsIn(s, "[", "]"), standsIn(s, "⟨", "⟩"):
		first, n := utf8.DecodeRuneInString(s)
		last, m := utf8.DecodeLastRuneInString(s)
		return string(first) + " " + string(last), !isSpelling(s[n : len(s)-m])
	}
	return "", false
}

// isWord reports whether what stands in square brackets is one word of small Latin letters, and no
// remark of an editor.
func isWord(s string) bool {
	for _, r := range s {
		if !unicode.Is(unicode.Latin, r) || !unicode.IsLower(r) {
			return false
		}
	}
	return !remarks[s]
}

// remarks are words that editors of texts put in brackets.
var remarks = map[string]bool{
	"sic": true, "pause": true, "music": true, "applause": true, "laughter": true, "laughs": true, "silence": true, "inaudible": true,
	"crosstalk": true, "beep": true, "sighs": true, "coughs": true, "redacted": true, "blank": true, "untitled": true, "note": true,
}

func standsIn(s, open, end string) bool {
	return len(s) > len(open)+len(end) && strings.HasPrefix(s, open) && strings.HasSuffix(s, end)
}

// unspelt matches what phonetic notations in ASCII have and words do not: signs beside
// letters, a stress mark before a word, a capital after a small letter at the end of a
// word.
var unspelt = regexp.MustCompile(`[a-zA-Z][@{}\\"%=~:\x60][a-zA-Z]?|[@{}\\"%~\x60][a-zA-Z]|[a-z]_[^\s_](?:[^a-z]|$)|(?:^|\s)['",][a-z]|[a-z][ADEINOQSTUVZ][a-z]?(?:[^a-zA-Z]|$)`)

// isSpelling reports whether what stands in brackets may be words: [pause], [1], [...].
func isSpelling(s string) bool {
	return !unspelt.MatchString(s) && !strings.ContainsFunc(s, func(r rune) bool {
		return strings.ContainsRune(africanLetters+sharedLetters, r)
	})
}
