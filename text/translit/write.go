package translit

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"vaak/lang"
)

// Write writes a word in the script of its language, from the spelling that
// people type: Devanagari for "hi" and "mr", and the own script of the
// others. Letters may be small or capital, and may have accents. Everything that
// is no Latin letter stays as it is; Latin letters that are none of a to z with
// a mark are left out. For other languages the word is returned as it is.
//
// The result is in NFC and has at most six times the code points of the word.
func Write(code lang.Code, word string) string {
	i := index(code)
	if i < 0 {
		return word
	}
	var buf [maxLoose]byte
	// The usual word is plain ASCII, and takes this way without an allocation.
	if letters := small(buf[:0], word); len(letters) > 0 {
		return spell(i, string(letters))
	}
	var out strings.Builder
	var letters []byte
	other := false
	flush := func() {
		if len(letters) > 0 {
			out.WriteString(spell(i, string(letters)))
			letters = letters[:0]
		}
	}
	for _, r := range word {
		if l := typed(r); l != "" {
			letters = append(letters, l...)
			continue
		}
		switch {
		// Combining marks (U+0300 to U+036F) after a letter are its accents, and accents do
		// not change how a word is spelt here.
		case unicode.Is(unicode.Latin, r), len(letters) > 0 && r >= 0x300 && r < 0x370:
		default:
			flush()
			out.WriteRune(r)
			other = true
		}
	}
	flush()
	if other {
		return norm.NFC.String(out.String())
	}
	return out.String() // lexicons and rules write NFC
}

// small appends a word in small letters; nothing if it is empty, long, or has
// anything but a to z.
func small(to []byte, word string) []byte {
	if len(word) > maxLoose {
		return nil
	}
	for i := range len(word) {
		// Makes capitals small. No byte that is no letter becomes one by it.
		c := word[i] | 0x20
		if c < 'a' || c > 'z' || word[i] < 'A' {
			return nil
		}
		to = append(to, c)
	}
	return to
}

// typed returns a Latin letter as one or two of a to z, "" for other runes.
func typed(r rune) string {
	const alphabet = "abcdefghijklmnopqrstuvwxyz"
	if r >= 0xFF21 && r <= 0xFF5A {
		r -= 0xFF01 - '!' // full width
	}
	if c, _ := plainLetter(r); c != 0 {
		return alphabet[c-'a' : c-'a'+1]
	}
	switch r {
	case 'ß':
		return "ss"
	case 'æ', 'Æ', 'œ', 'Œ', 'ə':
		return "e"
	case 'ø', 'Ø':
		return "o"
	case 'đ', 'Đ', 'ð', 'Ð':
		return "d"
	case 'þ', 'Þ':
		return "th"
	case 'ł', 'Ł':
		return "l"
	case 'ı':
		return "i"
	}
	return ""
}

// spell writes a word in letters a to z: the lexicon's word, or by rule.
func spell(i int, word string) string {
	if len(word) < maxLoose {
		native, loosely, ok := lexiconOf(i).find(i, word)
		if ok && !loosely {
			return native
		}
		if listed, ok := listOf(i).find(word, native); ok {
			return listed
		}
		if ok {
			return native
		}
	}
	if i == urdu {
		return urduLetters(spell(hindi, word))
	}
	if i == assamese {
		word = strings.ReplaceAll(word, "x", "s") // typed for the sound of স
	}
	return render(i, decode(i, listOf(i).follow, parse(word)), utf8.UTFMax*len(word))
}
