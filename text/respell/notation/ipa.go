package notation

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// ipaSign returns a sign of the International Phonetic Alphabet that makes a value a
// transcription. Letters that spelling shares with it are judged by their words:
//
//   - what no spelling of ours has (ʃ ɪ ˈ ː) is a transcription wherever it stands;
//   - letters of African languages (ɛ ɔ ɓ) are names where the word has a capital,
//     which transcriptions never have;
//   - ə is a letter in a word of Azerbaijani letters, or in one with a capital;
//   - æ is one where it is the only vowel of a word of small letters, and the term has none:
//     "kæt". A rule of a language that writes such words (Danish "kæp") names it;
//   - other letters of ours (æ ð θ ŋ) are, unless a word has several that no one
//     language has together, or a Greek one inside of it ("maβa", "θin", but "βeta").
//
// Letters of the rule's own languages always pass.
func ipaSign(s, term string, own letters) (rune, bool) {
	if asciiOnly(s) {
		return 0, false
	}
	shared, ash := false, false
	prev := ' '
	for _, r := range s {
		if mayBeIPA(r) {
			if onlyIPA(r, prev) && !own.has(r) {
				return r, true
			}
			shared = shared || strings.ContainsRune(africanLetters+sharedLetters, r)
			ash = ash || r == 'æ'
		}
		prev = r
	}
	if ash && !own.has('æ') && isAshWord(s) && !strings.ContainsAny(term, "æÆ") {
		return 'æ', true
	}
	if !shared {
		return 0, false
	}
	s = norm.NFC.String(s) // as the alphabets are
	for word := range strings.FieldsFuncSeq(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }) {
		if !strings.ContainsAny(word, africanLetters+sharedLetters) {
			continue
		}
		if r, ok := transcribed([]rune(word), own); ok {
			return r, true
		}
	}
	return 0, false
}

// isAshWord reports whether a value is a word of small ASCII consonants around one æ.
func isAshWord(s string) bool {
	before, after, ok := strings.Cut(strings.TrimSpace(s), "æ")
	return ok && before+after != "" && strings.Trim(before+after, "bcdfghjklmnpqrstvwxz") == ""
}

// mayBeIPA leaves out most of what is written: ASCII, and scripts that IPA takes
// nothing from.
func mayBeIPA(r rune) bool {
	return '\u0080' <= r && r < '\u0400' || '\u1D00' <= r && r < '\u2100' || '\u2C60' <= r && r < '\u2C80' || '\uA700' <= r && r < '\uA800'
}

const (
	// africanLetters are IPA, and letters of languages that are not ours: Ewe, Akan,
	// Hausa, Fula, Bambara, Lingala; ǀ to ǃ are clicks in Nama and in Khoisan names.
	africanLetters = "ɓɖɗɛɔɣɲʋǝǀǁǂǃ"
	// sharedLetters are IPA, and rare in our languages; the Greek ones count in a
	// word of Latin letters.
	sharedLetters = "əŋħβθχ"
	// commonLetters are IPA, and letters of several of our languages: they count
	// beside shared ones.
	commonLetters = "æøœðç"
)

// transcribed returns the letter that makes a word a transcription, if one does.
func transcribed(word []rune, own letters) (rune, bool) {
	if slices.ContainsFunc(word, unicode.IsUpper) {
		return 0, false
	}
	var shared, common []rune
	latin := false
	for _, r := range word {
		latin = latin || unicode.Is(unicode.Latin, r)
		if !strings.ContainsRune(africanLetters+sharedLetters+commonLetters, r) || own.has(r) {
			continue
		}
		switch {
		case strings.ContainsRune(africanLetters, r):
			return r, true
		case strings.ContainsRune(commonLetters, r):
			common = append(common, r)
		case !slices.Contains(shared, r):
			shared = append(shared, r)
		}
	}
	if len(shared) == 0 || !latin {
		return 0, false
	}
	if shared[0] != 'ə' && len(shared)+len(common) < 2 && !greekInLatin(word) || orthographic(word) {
		return 0, false
	}
	return shared[0], true
}

// greekInLatin reports whether Greek letters stand between the Latin ones of a word, or
// a θ before them. At an end of the word they are signs of their own: "βeta", "sinθ".
func greekInLatin(word []rune) bool {
	for i, r := range word[:len(word)-1] {
		switch {
		case !strings.ContainsRune("βθχ", r) || !unicode.Is(unicode.Latin, word[i+1]):
		case i == 0 && r == 'θ', i > 0 && unicode.Is(unicode.Latin, word[i-1]):
			return true
		}
	}
	return false
}

// onlyIPA reports whether a character is a sign of phonetic transcription and nothing
// else after another: IPA Extensions and what stands beside them.
func onlyIPA(r, prev rune) bool {
	switch {
	case '\u0250' <= r && r <= '\u02AF':
		return r != 'ə' && !strings.ContainsRune(africanLetters, r)
	case '\u02E5' <= r && r <= '\u02E9': // tone letters
		return true
	case strings.ContainsRune(marksOfIPA, r):
		return true
	case strings.ContainsRune(raisedInIPA, r): // elsewhere after numbers and initials
		return unicode.IsLower(prev)
	case r == '\u0329': // syllabic; under vowels and s it is the Yoruba dot
		return strings.ContainsRune("mnlrŋ", prev)
	case r == '\u0325': // voiceless; under r and l it is a vowel of romanised Sanskrit
		return !strings.ContainsRune("rlRL", prev)
	case r == '\u203F': // linking
		return unicode.IsLower(prev)
	}
	return strings.ContainsRune(diacriticsOfIPA, r)
}

const (
	marksOfIPA  = "\u02C8\u02CC\u02D0\u02D1\u02DE\u0361\u035C\u1D4A\u1D7B\u1D7F\u2C71\uA71B\uA71C"
	raisedInIPA = "\u02B0\u02B1\u02B2\u02B7\u02E0\u02E4"
	// diacriticsOfIPA are combining marks that no romanisation in wide use has.
	diacriticsOfIPA = "\u0318\u0319\u031A\u031C\u031D\u031E\u031F\u0320\u032A\u032C\u032F\u0330\u0334\u0339\u033A\u033B\u033C\u033D"
)

func asciiOnly(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
