package translit

// bengaliGlyphs spells Bengali, whose "a" is always the long one and whose
// unwritten vowel is typed as "o".
func bengaliGlyphs(units []unit) []glyph {
	out := make([]glyph, 0, len(units)+4)
	for k, u := range units {
		if u.vowel {
			out = append(out, bengaliVowel(units, k)...)
			continue
		}
		next := at(units, k+1)
		switch {
		// Before a vowel "ng" is ঙ্গ, with its g. Elsewhere it is the nasal sign alone, and
		// the next case skips the g.
		case u.sound == "n" && next == "g" && vowelAt(units, k-1):
			if !vowelAt(units, k+2) {
				out = append(out, nasal) // "bangla"
				continue
			}
			out = append(out, consonantGlyph(cNG))
			continue
		case u.sound == "g" && at(units, k-1) == "n" && consonantAt(units, k+1), u.sound == "g" && k > 1 && at(units, k-1) == "n" && next == "":
			continue // in the nasal
		}
		g := bengaliConsonant(units, k)
		g.open = consonantAt(units, k+1) && bengaliOpen(units, k)
		out = append(out, g)
	}
	return out
}

func bengaliConsonant(units []unit, k int) glyph {
	sound := units[k].sound
	g := consonantGlyph(plainConsonants()[sound])
	switch sound {
	case "v":
		g.place = cBH
	case "zh":
		g.place = cJ
	case "y":
		g.nukta = vowelAt(units, k-1)
	case "sh":
		if at(units, k-1) == "k" || at(units, k+1) == "t" {
			g.place = cSS
		}
	}
	return g
}

// bengaliOpen reports whether the unwritten vowel stands between two consonants: the
// endings of verbs begin after it ("korbo", "bolchi").
func bengaliOpen(units []unit, k int) bool {
	a, b := units[k].sound, at(units, k+1)
	if k == 0 || k+2 == len(units) || twins(a, b) || among(a, "s", "sh", "n", "m") {
		return false
	}
	return among(b, "ch", "chh", "b", "l", "t", "k", "m")
}

func bengaliVowel(units []unit, k int) []glyph {
	one := func(place uint8) []glyph { return []glyph{vowelGlyph(place)} }
	var g []glyph
	// Two vowels in a row get the glide that Bengali writes between them, but not after u.
	if vowelAt(units, k-1) && among(units[k].sound, "a", "aa", "e") && at(units, k-1) != "u" {
		g = append(g, glyph{place: cY, kind: consonant, nukta: true})
	}
	switch units[k].sound {
	case "a", "aa":
		return append(g, one(vAA)...)
	case "i", "ii":
		return one(vI)
	case "u", "uu":
		return one(vU)
	case "e":
		return append(g, one(vEE)...)
	case "ai":
		return []glyph{vowelGlyph(vAA), vowelGlyph(vI)}
	case "au":
		return []glyph{vowelGlyph(vAA), vowelGlyph(vU)}
	}
	if k == len(units)-1 || vowelAt(units, k-1) {
		// A typed "o" at the end or after a vowel is written. Elsewhere it is the vowel
		// that every consonant has.
		return one(vOO)
	}
	return one(vA)
}
