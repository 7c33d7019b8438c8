package abbreviation

import (
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// sonority tells how much a letter sounds: 6 for a vowel, 5 to 1 from glides to stops, 0 for
// a letter of a script that is not known here. A syllable rises to its vowel and falls
// after it (O. Jespersen, Lehrbuch der Phonetik), which tells words from rows of letters.
func sonority(r rune) int {
	switch r {
	case 'A', 'E', 'I', 'O', 'U', 'Y', 'Æ', 'Œ', 'Ø', 'İ', 'Ə',
		'А', 'Е', 'Ё', 'И', 'О', 'У', 'Ы', 'Э', 'Ю', 'Я', 'І', 'Є', 'Ї', 'Ў', 'Ә', 'Ө', 'Ү', 'Ұ',
		'Α', 'Ε', 'Η', 'Ι', 'Ο', 'Υ', 'Ω':
		return 6
	case 'W', 'Й', 'Ј':
		return 5
	case 'R', 'Р', 'Ρ':
		return 4
	case 'L', 'Л', 'Λ', 'Љ', 'Ł':
		return 3
	case 'M', 'N', 'М', 'Н', 'Μ', 'Ν', 'Њ', 'Ң':
		return 2
	case 'F', 'H', 'J', 'S', 'V', 'X', 'Z', 'ß', 'ẞ', 'Þ', 'Ð',
		'В', 'Ж', 'З', 'С', 'Ф', 'Х', 'Ш', 'Щ', 'Һ', 'Ғ', 'Β', 'Γ', 'Δ', 'Ζ', 'Θ', 'Ξ', 'Σ', 'Φ', 'Χ', 'Ψ':
		return 1
	case 'B', 'C', 'D', 'G', 'K', 'P', 'Q', 'T', 'Đ', 'Ħ', 'Ŧ',
		'Б', 'Г', 'Д', 'К', 'П', 'Т', 'Ц', 'Ч', 'Џ', 'Ћ', 'Ђ', 'Ќ', 'Ѓ', 'Қ', 'Κ', 'Π', 'Τ':
		return -1
	case 'Ь', 'Ъ':
		return 7 // no sound of its own
	}
	return 0
}

// sounding is what the sounds of a word in capitals tell.
type sounding struct {
	known    bool // all letters are of Latin, Cyrillic or Greek
	vowel    bool
	accent   bool // a letter has a mark, which acronyms seldom have
	tone     bool // a letter has a mark of Vietnamese, which only words have
	possible bool // it could be a word
}

// sounds returns what the sounds of a word tell. It looks at five letters at most. Slavic
// languages, in which more consonants stand together, are asked for with slavic, and words
// in Cyrillic letters count as such.
func sounds(w string, slavic bool) sounding {
	s := sounding{known: true}
	if len(w) > 5*utf8.UTFMax {
		return sounding{}
	}
	var room [5]rune
	letters := room[:0]
	for _, r := range w {
		base := r
		if r >= 0xC0 && r < 0x370 || r >= 0x1E00 && r < 0x2000 || r > 0x370 && r < 0x3D0 {
			if b, _ := utf8.DecodeRuneInString(norm.NFD.String(string(r))); b != r {
				base, s.accent = b, true
				s.tone = s.tone || r >= 0x1EA0 && r < 0x1EFA
			}
		}
		k := sonority(base)
		if k == 0 {
			return sounding{}
		}
		slavic = slavic || base >= 0x400
		if k == 7 {
			continue
		}
		s.vowel = s.vowel || k == 6
		if len(letters) < cap(letters) {
			letters = append(letters, base)
		}
	}
	s.possible = s.vowel && syllables(letters, slavic)
	return s
}

// syllables reports whether letters could be the syllables of a word: at most two vowels in
// a row, and groups of consonants that some word begins with, ends in, or has inside.
func syllables(w []rune, slavic bool) bool {
	for i := 0; i < len(w); {
		j := i
		vowel := sonority(w[i]) == 6
		for j < len(w) && (sonority(w[j]) == 6) == vowel {
			j++
		}
		group := w[i:j]
		switch {
		case vowel:
			if len(group) > 2 {
				return false
			}
		case slavic:
			if len(group) > 2 && !(len(group) == 3 && (i > 0 && j < len(w) || group[0] == 'С' || group[0] == 'В' || group[0] == 'S' || group[0] == 'W' || group[0] == 'V' || group[0] == 'Z')) {
				return false
			}
		case i == 0:
			if !opens(group) {
				return false
			}
		case j == len(w):
			if !closes(group) {
				return false
			}
		case len(group) > 2 && !opens(group[1:]) && !closes(group[:2]):
			return false
		}
		i = j
	}
	return true
}

// opens reports whether Latin consonants may begin a syllable: they rise, after an S that
// may stand before any of them.
func opens(g []rune) bool {
	if len(g) > 1 && g[0] == 'S' && g[1] != 'B' && g[1] != 'D' && g[1] != 'G' && g[1] != 'R' && g[1] != 'J' {
		g = g[1:]
	}
	if len(g) == 2 && (g[0] == 'W' && g[1] == 'R' || g[0] == 'Z' && g[1] == 'W' || g[0] == 'V' && g[1] == 'R') {
		return true
	}
	for i := 1; i < len(g); i++ {
		if g[i] == 'H' && (g[i-1] == 'C' || g[i-1] == 'S' || g[i-1] == 'T' || g[i-1] == 'P' || g[i-1] == 'W' || g[i-1] == 'G' || g[i-1] == 'K' || g[i-1] == 'N' || g[i-1] == 'L') {
			continue
		}
		// Of the nasals only N follows, and only a few stops: KN, GN.
		if sonority(g[i]) < 3 && !(g[i] == 'N' && (g[i-1] == 'K' || g[i-1] == 'G')) || sonority(g[i]) <= sonority(g[i-1]) {
			return false
		}
	}
	return true
}

// closes reports whether Latin consonants may end a syllable: they fall, a letter may be
// doubled, and S, T, TH, CH, CK or D may end the group.
func closes(g []rune) bool {
	if len(g) > 1 && g[0] == 'H' {
		g = g[1:] // it lengthens the vowel: SEHR
	}
	if n := len(g); n > 2 && g[n-1] == 'T' && g[n-2] == 'S' {
		g = g[:n-1]
	}
	for i := 1; i < len(g); i++ {
		last := i == len(g)-1
		switch {
		case g[i] == 'H' && (g[i-1] == 'C' || g[i-1] == 'S' || g[i-1] == 'T' || g[i-1] == 'G' || g[i-1] == 'P'):
		case g[i-1] == 'H' && g[i] == 'T':
		case g[i] == 'K' && g[i-1] == 'C', g[i] == 'C' && g[i-1] == 'T' && !last, g[i] == 'Z' && g[i-1] == 'T':
		case last && g[i] == g[i-1] && (g[i] == 'L' || g[i] == 'S' || g[i] == 'F' || g[i] == 'N' || g[i] == 'T' || g[i] == 'Z'):
		case last && (g[i] == 'S' || g[i] == 'T' && g[i-1] != 'D' && g[i-1] != 'B' && g[i-1] != 'G' || g[i] == 'D' && sonority(g[i-1]) > 1):
		case sonority(g[i]) >= sonority(g[i-1]):
			return false
		case g[i] == 'Q' || g[i] == 'J':
			return false
		}
	}
	return true
}
