package translit

import (
	"strings"

	"vaak/lang"
)

// Typed returns the ways in which people type a word of an Indian script in Latin letters,
// the most usual first: the reverse of [Write]. It knows the schemes that differ in more
// than the loose spelling forgives: vowels that are written and not heard, kept or left
// out; and the vowels and consonants of each language that have two usual spellings.
// The result is empty for a word with letters of another script, and for Urdu, whose
// script leaves out the vowels.
func Typed(code lang.Code, word string) []string {
	i := index(code)
	if i < 0 || i == urdu {
		return nil
	}
	sounds, ok := readNative(i, word)
	if !ok {
		return nil
	}
	var all []string
	add := func(s string) {
		for _, other := range all {
			if other == s {
				return
			}
		}
		if s != "" {
			all = append(all, s)
		}
	}
	for scheme := range schemes {
		add(spellTyped(i, sounds, scheme))
	}
	return all
}

// schemes is the number of ways that spellTyped knows.
const schemes = 3

// heard is a consonant or vowel of a written word.
type heard struct {
	place  uint8 // of a consonant or an independent vowel, or of the vowel that a sign stands for
	kind   kind
	nukta  bool
	silent bool // a consonant's own vowel that the language does not speak here
}

// readNative reads a word of the script of a language into sounds. Each consonant without a
// sign or virama is followed by the vowel A.
func readNative(i int, word string) ([]heard, bool) {
	sounds := make([]heard, 0, len(word)/2+2)
	open := false // the last sound is a consonant that still may take a vowel
	for _, r := range word {
		if r == 0x200C || r == 0x200D {
			continue
		}
		if i == assamese {
			switch r {
			case 'ৰ':
				r = 'র'
			case 'ৱ':
				r = 0x980 + cV
			}
		}
		if c := chilluOf(r); i == malayalam && c != 0 {
			sounds, open = closeOpen(sounds, open), false
			sounds = append(sounds, heard{place: c, kind: consonant})
			continue
		}
		if i == bengali || i == assamese || i == odia {
			switch p := r - bases[i]; p {
			case 0x5C, 0x5D: // ড় ঢ়
				sounds, open = append(closeOpen(sounds, open), heard{place: cDD, kind: consonant, nukta: true}), true
				continue
			case 0x5F: // য়
				sounds, open = append(closeOpen(sounds, open), heard{place: cY, kind: consonant, nukta: true}), true
				continue
			case 0x71: // ୱ
				sounds, open = append(closeOpen(sounds, open), heard{place: cV, kind: consonant}), true
				continue
			}
		}
		p := r - bases[i]
		if p < 0 || p >= 0x80 {
			return nil, false
		}
		switch place := uint8(p); {
		case place == nuktaSign:
			if n := len(sounds); n > 0 {
				sounds[n-1].nukta = true
			}
		case place >= cK && place <= cH:
			sounds, open = append(closeOpen(sounds, open), heard{place: place, kind: consonant}), true
		case place == 0x58, place == 0x59, place == 0x5A, place == 0x5B, place == 0x5E, i == punjabi && place == 0x5C:
			base := map[uint8]uint8{0x58: cK, 0x59: cKH, 0x5A: cG, 0x5B: cJ, 0x5C: cDD, 0x5E: cPH}[place]
			sounds, open = append(closeOpen(sounds, open), heard{place: base, kind: consonant, nukta: true}), true
		case place >= vA && place <= vAU || place == 0x0B || place == 0x0D || place == 0x11:
			sounds, open = append(closeOpen(sounds, open), heard{place: place, kind: vowel}), false
		case place >= 0x3E && place <= 0x4C:
			// A sign stands 0x38 after its vowel. Some words have a sign without a consonant.
			sounds, open = append(sounds, heard{place: place - toSign, kind: vowel}), false
		case place == virama:
			open = false
		case place == 0x01 || place == anusvara || place == tippi:
			sounds, open = append(closeOpen(sounds, open), heard{place: anusvara, kind: sign}), false
		case place == addak:
			sounds, open = append(closeOpen(sounds, open), heard{place: addak, kind: sign}), false
		case place == 0x4E && (i == bengali || i == assamese):
			sounds, open = append(closeOpen(sounds, open), heard{place: cT, kind: consonant}), false
		case place == 0x03:
			sounds, open = closeOpen(sounds, open), false
		case place == 0x55, place == 0x56, place == 0x57:
		default:
			return nil, false
		}
	}
	sounds = closeOpen(sounds, open)
	if i == punjabi || i == hindi || i == marathi || i == gujarati || i == bengali || i == assamese {
		markSilent(i, sounds)
	}
	return sounds, len(sounds) > 0
}

// closeOpen gives a consonant without a sign its own vowel.
func closeOpen(sounds []heard, open bool) []heard {
	if open {
		return append(sounds, heard{place: vA, kind: vowel, silent: false})
	}
	return sounds
}

// chilluOf returns the consonant of a Malayalam letter that has no vowel.
func chilluOf(r rune) uint8 {
	switch r {
	case 'ൺ':
		return cNN
	case 'ൻ':
		return cN
	case 'ർ':
		return cR
	case 'ൽ':
		return cL
	case 'ൾ':
		return cLL
	}
	return 0
}

// markSilent marks the vowels of consonants that are written and not heard: the last one,
// unless two consonants stand before it, and in the north the one between a vowel with a
// consonant before it and a consonant with a vowel after it, from the right
// (Ohala 1983, Aspects of Hindi Phonology).
func markSilent(i int, sounds []heard) {
	n := len(sounds)
	own := func(k int) bool { return k >= 0 && k < n && sounds[k].kind == vowel && sounds[k].place == vA }
	isVowel := func(k int) bool {
		return k >= 0 && k < n && (sounds[k].kind == vowel && !sounds[k].silent || sounds[k].kind == sign)
	}
	isConsonant := func(k int) bool { return k >= 0 && k < n && sounds[k].kind == consonant }
	if k := n - 1; own(k) && k > 1 && isConsonant(k-1) && (isVowel(k-2) || i == punjabi) {
		sounds[k].silent = true
	}
	if i == bengali || i == assamese {
		return
	}
	for k := n - 3; k > 1; k-- {
		if own(k) && isConsonant(k-1) && isVowel(k-2) && isConsonant(k+1) && isVowel(k+2) {
			sounds[k].silent = true
		}
	}
}

// spellTyped writes sounds in letters. Scheme 0 is the usual one; 1 keeps the silent vowels
// in the middle, and has the second spelling of vowels; 2 has the second spelling of
// consonants.
func spellTyped(i int, sounds []heard, scheme int) string {
	var b strings.Builder
	for k, s := range sounds {
		switch s.kind {
		case vowel:
			if s.silent && (scheme != 1 || k == len(sounds)-1) {
				continue
			}
			b.WriteString(typedVowel(i, sounds, k, scheme))
		case sign:
			b.WriteString(typedSign(i, sounds, k))
		case consonant:
			c := typedConsonant(i, sounds, k, scheme)
			// The sign that doubles, and the first of two equal aspirates: "achchha" is "accha".
			if k > 0 && sounds[k-1].place == addak && sounds[k-1].kind == sign && c != "" {
				b.WriteString(c[:1])
			}
			b.WriteString(c)
		}
	}
	return b.String()
}

func typedSign(i int, sounds []heard, k int) string {
	if sounds[k].place == addak {
		return ""
	}
	if k+1 < len(sounds) {
		switch sounds[k+1].place {
		case cP, cPH, cB, cBH, cM:
			if sounds[k+1].kind == consonant {
				return "m"
			}
		}
		if i == bengali || i == assamese {
			return "ng"
		}
		return "n"
	}
	switch i {
	case bengali, assamese, odia:
		return "ng"
	case telugu, malayalam, kannada:
		return "m"
	case gujarati:
		return ""
	}
	return "n"
}

var vowelLetters = [...]string{
	vA: "a", vAA: "a", vI: "i", vII: "i", vU: "u", vUU: "u", 0x0B: "ri", 0x0D: "e", vE: "e", vEE: "e", vAI: "ai",
	0x11: "o", vO: "o", vOO: "o", vAU: "au",
}

func typedVowel(i int, sounds []heard, k, scheme int) string {
	place := sounds[k].place
	last := k == len(sounds)-1
	switch {
	case place == vA && (i == bengali || i == assamese):
		if i == assamese && scheme == 1 {
			return "a"
		}
		return "o"
	case scheme == 1 && place == vAA && !last:
		return "aa"
	case scheme == 1 && place == vII && !last:
		return "ee"
	case scheme == 1 && place == vUU && !last:
		return "oo"
	case place == vAI:
		if i == bengali || i == assamese {
			return "oi"
		}
		if scheme == 2 {
			return "e"
		}
	case place == vAU:
		if i == bengali || i == assamese {
			return "ou"
		}
		if scheme == 2 {
			return "o"
		}
	case place == vE && scheme == 2 && (i == kannada || i == telugu) && k == 0:
		return "ye"
	case place == vU && last && i == malayalam && scheme == 2:
		return "u"
	}
	return vowelLetters[place]
}

var consonantLetters = [...]string{
	cK: "k", cKH: "kh", cG: "g", cGH: "gh", cNG: "n", cC: "ch", cCH: "chh", cJ: "j", cJH: "jh", cNY: "n",
	cTT: "t", 0x20: "th", cDD: "d", cDDH: "dh", cNN: "n", cT: "t", cTH: "th", cD: "d", cDH: "dh", cN: "n", cN2: "n",
	cP: "p", cPH: "ph", cB: "b", cBH: "bh", cM: "m", cY: "y", cR: "r", cRR: "r", cL: "l", cLL: "l", cZH: "zh",
	cV: "v", cSH: "sh", cSS: "sh", cS: "s", cH: "h",
}

func typedConsonant(i int, sounds []heard, k, scheme int) string {
	place := sounds[k].place
	before, next := heardAt(sounds, k-1), heardAt(sounds, k+1)
	// A consonant before its aspirate or itself is typed once as a short letter: "acch".
	if next.kind == consonant && (next.place == place || next.place == place+1 && place < cN) && next.place != cNG {
		if c := typedConsonant(i, sounds, k+1, scheme); c != "" && consonantLetters[place] != "" && c[0] == consonantLetters[place][0] {
			return c[:1]
		}
	}
	if sounds[k].nukta {
		switch place {
		case cK:
			return "q"
		case cJ:
			return "z"
		case cPH:
			return "f"
		case cG:
			return "g"
		case cDD:
			if scheme == 2 {
				return "d"
			}
			return "r"
		case cDDH:
			if scheme == 2 {
				return "dh"
			}
			return "rh"
		case cS:
			return "sh"
		case cY:
			return "y"
		}
	}
	switch i {
	case tamilLanguage:
		return typedTamil(sounds, k)
	case telugu, kannada, malayalam:
		switch place {
		case cT:
			if scheme != 2 && (i == malayalam || next.kind == consonant || before.kind == consonant) {
				return "th"
			}
			return "t"
		case cD:
			if scheme != 1 && i == malayalam {
				return "d"
			}
			return "d"
		case cRR:
			if i == malayalam && (next.place == cRR && next.kind == consonant || before.place == cRR && before.kind == consonant || before.kind == consonant && before.place == cN) {
				return "t"
			}
		case cTT:
			if i == malayalam && before.kind == consonant && before.place == cNN {
				return "d"
			}
		case cNG:
			if next.kind == consonant && next.place == cNG {
				return "n"
			}
			if before.kind == consonant && before.place == cNG {
				return "g"
			}
		case cNY:
			if i == malayalam {
				return "nj"
			}
		}
	case bengali, assamese:
		return typedBengali(i, sounds, k, scheme)
	case odia:
		if place == cB && before.kind == consonant {
			return "w"
		}
	case marathi, hindi, gujarati:
		// ज्ञ
		if place == cNY && before.kind == consonant && before.place == cJ {
			return "y"
		}
		if place == cJ && next.kind == consonant && next.place == cNY {
			if i == marathi {
				return "dn"
			}
			return "g"
		}
	}
	if place == cV && scheme == 2 {
		return "w"
	}
	if place == cPH && scheme == 2 {
		return "f"
	}
	return consonantLetters[place]
}

// typedTamil returns the letters of a Tamil consonant: single stops between vowels and after
// nasals are voiced.
func typedTamil(sounds []heard, k int) string {
	before, next := heardAt(sounds, k-1), heardAt(sounds, k+1)
	place := sounds[k].place
	double := next.kind == consonant && next.place == place || before.kind == consonant && before.place == place
	afterNasal := before.kind == consonant && (before.place == cNG || before.place == cNY || before.place == cNN || before.place == cN || before.place == cM || before.place == cN2)
	voiced := !double && k > 0 && (before.kind == vowel || afterNasal || before.kind == consonant && (before.place == cR || before.place == cZH || before.place == cY))
	pick := func(hard, soft string) string {
		if voiced {
			return soft
		}
		return hard
	}
	switch place {
	case cK:
		return pick("k", "g")
	case cC:
		if afterNasal {
			return "j"
		}
		if double {
			return "ch"
		}
		return "s"
	case cTT:
		return pick("t", "d")
	case cT:
		return pick("th", "dh")
	case cP:
		return pick("p", "b")
	case cRR:
		if double {
			if next.kind == consonant {
				return "t"
			}
			return "r"
		}
		if afterNasal {
			return "dr"
		}
	}
	return consonantLetters[place]
}

func typedBengali(i int, sounds []heard, k, scheme int) string {
	place := sounds[k].place
	before, next := heardAt(sounds, k-1), heardAt(sounds, k+1)
	switch place {
	case cY:
		if before.kind == consonant {
			return "y"
		}
		return "j"
	case cB:
		if before.kind == consonant && before.place != cM && before.place != cR && before.place != cL {
			return ""
		}
	case cNG:
		if next.kind == consonant && (next.place == cK || next.place == cG || next.place == cGH || next.place == cKH) {
			return "n"
		}
		return "ng"
	case cSS:
		if before.kind == consonant && before.place == cK {
			return "h"
		}
		if i == assamese && scheme == 1 {
			return "x"
		}
		return "sh"
	case cSH, cS:
		if i == assamese {
			return [...]string{"s", "x", "h"}[scheme]
		}
		if place == cS && scheme != 1 || next.kind == consonant {
			return "s"
		}
		return "sh"
	case cC:
		if i == assamese && scheme != 1 {
			return "s"
		}
	case cCH:
		if i == assamese {
			return [...]string{"s", "ch", "s"}[scheme]
		}
		if scheme == 0 {
			return "ch"
		}
	case cBH:
		if i == bengali && scheme == 2 {
			return "v"
		}
	case cV:
		return "w"
	case cJ:
		if next.kind == consonant && next.place == cNY {
			return "g"
		}
	case cNY:
		if before.kind == consonant && before.place == cJ {
			return "y"
		}
	}
	return consonantLetters[place]
}

func heardAt(sounds []heard, k int) heard {
	if k < 0 || k >= len(sounds) {
		return heard{kind: sign}
	}
	return sounds[k]
}
