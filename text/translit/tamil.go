package translit

// tamilGlyphs spells Tamil. One letter stands for k, g and h, for t and d, and
// so on, and its place in the word says which is heard: a typed "k" between
// vowels is a doubled letter, a typed "g" a single one.
func tamilGlyphs(units []unit) []glyph {
	out := make([]glyph, 0, 2*len(units))
	for k, u := range units {
		if u.vowel {
			out = glide(out, units, k)
			out = append(out, vowelGlyph(tamilVowel(units, k)))
			continue
		}
		place := tamilConsonant(units, k)
		if vowelAt(units, k-1) && vowelAt(units, k+1) && among(u.sound, "k", "p", "ch", "t") ||
			u.sound == "t" && at(units, k+1) == "r" && vowelAt(units, k-1) {
			out = append(out, consonantGlyph(place))
		}
		out = append(out, consonantGlyph(place))
	}
	return out
}

func tamilConsonant(units []unit, k int) uint8 {
	before, next := at(units, k-1), at(units, k+1)
	switch sound := units[k].sound; sound {
	case "k", "kh", "g", "gh":
		return cK
	case "ch", "chh", "s":
		return cC
	case "j", "z":
		if before == "n" {
			return cC
		}
		return cJ
	case "sh":
		return cSS
	case "zh":
		return cZH
	case "th", "dh":
		return cT
	case "t", "d":
		return tamilT(sound, before, next, k)
	case "n":
		return tamilN(units, k)
	case "p", "b", "ph", "bh", "f":
		return cP
	case "r":
		if among(before, "t", "d", "r") || next == "r" {
			return cRR
		}
		return cR
	default:
		return plainConsonants()[sound]
	}
}

// tamilT returns the letter of a plain t or d: dental at the start of a word,
// alveolar before r, else retroflex.
func tamilT(sound, before, next string, k int) uint8 {
	switch {
	case k == 0 && sound == "t", next == "th", next == "dh":
		return cT
	case next == "r":
		return cRR
	}
	return cTT
}

// tamilN returns the letter of an n: that of the place of what follows.
func tamilN(units []unit, k int) uint8 {
	switch next := at(units, k+1); {
	case k == 0, next == "th", next == "dh":
		return cN
	case next == "k", next == "g":
		return cNG
	case next == "ch", next == "j":
		return cNY
	case among(next, "t", "d") && at(units, k+2) != "r":
		return cNN
	}
	return cN2
}

func tamilVowel(units []unit, k int) uint8 {
	last := k == len(units)-1
	switch units[k].sound {
	case "e":
		if last && k > 0 {
			return vEE
		}
		return vE
	case "o":
		if last || k == 1 && openSyllable(units, k) {
			return vOO
		}
		return vO
	}
	return southernShared(units[k].sound)
}

// openSyllable reports whether one consonant and a vowel follow.
func openSyllable(units []unit, k int) bool {
	return consonantAt(units, k+1) && vowelAt(units, k+2)
}

// southernShared returns the vowels that all of the south spells alike.
func southernShared(sound string) uint8 {
	switch sound {
	case "a":
		return vA
	case "aa":
		return vAA
	case "i":
		return vI
	case "ii":
		return vII
	case "u":
		return vU
	case "uu":
		return vUU
	case "ai":
		return vAI
	}
	return vAU
}

// glide appends the y or v that the south writes between two vowels.
func glide(out []glyph, units []unit, k int) []glyph {
	if !vowelAt(units, k-1) {
		return out
	}
	switch at(units, k-1) {
	case "u", "uu", "o", "au":
		return append(out, consonantGlyph(cV))
	}
	return append(out, consonantGlyph(cY))
}
