package translit

// southernGlyphs spells Telugu, Kannada and Malayalam. "th" and "dh" are mostly
// typed for the plain dental letters, and a plain t or d is dental or retroflex
// by its place in the word.
func southernGlyphs(i int, units []unit) []glyph {
	out := make([]glyph, 0, 2*len(units))
	for k, u := range units {
		if u.vowel {
			out = glide(out, units, k)
			if i == malayalam && halfU(units, k) {
				continue
			}
			out = append(out, vowelGlyph(southernVowel(i, units, k)))
			continue
		}
		if southernNasal(i, units, k) {
			out = append(out, nasal)
			continue
		}
		place := southernConsonant(i, units, k)
		// Between vowels the sound is written doubled.
		if i == malayalam && u.sound == "ch" && vowelAt(units, k-1) && vowelAt(units, k+1) {
			out = append(out, consonantGlyph(place))
		}
		out = append(out, consonantGlyph(place))
	}
	return out
}

// southernNasal reports whether an n or m is written as the nasal sign.
func southernNasal(i int, units []unit, k int) bool {
	if !vowelAt(units, k-1) {
		return false
	}
	next := at(units, k+1)
	switch units[k].sound {
	case "m":
		return next == "" && i != kannada || i != malayalam && among(next, "p", "b", "ph", "bh")
	case "n":
		return i != malayalam && among(next, "k", "kh", "g", "gh", "ch", "chh", "j", "t", "th", "d", "dh", "s")
	}
	return false
}

func southernConsonant(i int, units []unit, k int) uint8 {
	sound, next := units[k].sound, at(units, k+1)
	switch sound {
	case "z":
		return cJ
	case "zh":
		if i == malayalam {
			return cZH
		}
		return cJ
	case "th":
		return cT
	case "sh":
		if at(units, k-1) == "k" || among(next, "t", "th") {
			return cSS
		}
		return cSH
	case "dh":
		return cD
	case "t":
		return southernT(i, units, k)
	case "d":
		return southernD(i, units, k)
	case "n", "g":
		if i == malayalam {
			return malayalamN(units, k)
		}
	case "r":
		if i == malayalam && (next == "r" || at(units, k-1) == "r") {
			return cRR
		}
	}
	return plainConsonants()[sound]
}

func southernT(i int, units []unit, k int) uint8 {
	before, next := at(units, k-1), at(units, k+1)
	switch {
	case k == 0, next == "th", before == "s", before == "k":
		return cT
	case i == kannada && before != "sh":
		return cT
	case i == malayalam && before == "n":
		return cRR
	case i == telugu && before != "t" && next != "t" && before != "n" && before != "sh":
		return cT
	}
	return cTT
}

func southernD(i int, units []unit, k int) uint8 {
	before, next := at(units, k-1), at(units, k+1)
	switch {
	case k == 0, before == "d", next == "d", among(next, "dh", "r", "y", "v"):
		return cD
	case i == malayalam:
		if before == "n" {
			// Two places before DD is TT: after n the letter is that of t, and heard as d.
			return cDD - 2 // ണ്ട
		}
		return cTT
	case before == "n":
		return cD
	case i == kannada && k == 1:
		return cD
	}
	return cDD
}

// malayalamN returns the letter of an n by what follows, and of the g of "ng",
// which between vowels is one long sound.
func malayalamN(units []unit, k int) uint8 {
	before, next := at(units, k-1), at(units, k+1)
	if units[k].sound == "g" {
		if before == "n" && vowelAt(units, k+1) && k > 1 {
			return cNG
		}
		return cG
	}
	switch {
	case next == "k", next == "g":
		return cNG
	case next == "ch", next == "j":
		return cNY
	case next == "d":
		return cNN
	}
	return cN
}

// halfU reports whether a final u of Malayalam is the short sound that is not written:
// "athu" അത്. After the doubled letters of past tenses it is a full one.
func halfU(units []unit, k int) bool {
	if k != len(units)-1 || units[k].sound != "u" || !consonantAt(units, k-1) {
		return false
	}
	a, b := at(units, k-2), at(units, k-1)
	return !twins(a, b) && !among(b, "y", "j", "ch")
}

func southernVowel(i int, units []unit, k int) uint8 {
	last := k == len(units)-1
	switch s := units[k].sound; {
	case s == "e" && last:
		if i == telugu {
			return vEE
		}
		return vE
	case s == "e" && k == 1 && openSyllable(units, k):
		return vEE
	case s == "e":
		return vE
	case s == "o" && (last || k == 1 && openSyllable(units, k)):
		return vOO
	case s == "o":
		return vO
	case s == "a" && last && i == telugu && !(consonantAt(units, k-1) && consonantAt(units, k-2)):
		return vAA
	default:
		return southernShared(s)
	}
}
