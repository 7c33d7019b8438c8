package translit

// northernGlyphs spells Hindi, Marathi, Gujarati and Punjabi. What is typed
// leaves out the silent vowel that is written between most consonants ("karna"
// for करना), and does not tell t from ट; lexicons know where it matters.
func northernGlyphs(i int, units []unit) []glyph {
	out := make([]glyph, 0, len(units)+4)
	for k, u := range units {
		if u.vowel {
			out = append(out, northernVowel(i, units, k)...)
			continue
		}
		if place, ok := northernNasal(i, units, k); ok {
			out = append(out, place)
			continue
		}
		g := northernConsonant(i, units, k)
		g.open = consonantAt(units, k+1) && !northernCluster(units, k)
		out = append(out, g)
	}
	return out
}

// northernNasal returns the sign for an n or m that a consonant of its own place
// follows, and for one that only makes the vowel before it nasal.
func northernNasal(i int, units []unit, k int) (glyph, bool) {
	if !vowelAt(units, k-1) {
		return glyph{}, false
	}
	next := at(units, k+1)
	switch units[k].sound {
	case "m":
		return nasal, among(next, "p", "b", "ph", "bh") || i == punjabi && next == "m"
	case "n":
		if next == "" {
			return nasal, len(units) > 4 && among(at(units, k-1), "o", "e") || plural(units, k-1)
		}
		return nasal, among(next, "k", "kh", "g", "gh", "ch", "chh", "j", "jh", "t", "th", "d", "dh", "s", "z", "sh") ||
			i == punjabi && next == "n"
	}
	return glyph{}, false
}

func northernConsonant(i int, units []unit, k int) glyph {
	sound := units[k].sound
	g := consonantGlyph(plainConsonants()[sound])
	dotted := i == hindi || i == punjabi
	switch sound {
	case "z":
		if g.nukta = dotted; !dotted {
			g.place = cJH
		}
	case "f":
		g.nukta = dotted
	case "sh":
		if i == punjabi {
			g.place, g.nukta = cS, true
		} else if at(units, k-1) == "k" {
			g.place = cSS
		}
	case "d":
		switch {
		// The flap of "ladka" and "khidki".
		case vowelAt(units, k-1) && among(at(units, k+1), "k", "p"):
			g = flap(i)
		case (i == marathi || i == gujarati) && k > 1 && vowelAt(units, k-1) && vowelAt(units, k+1):
			g.place = cDD
		}
	case "dh":
		if k == 2 && at(units, 1) == "a" && among(at(units, 0), "p", "ch", "b", "g") {
			g.place, g.nukta = cDDH, i == hindi
		}
	}
	return g
}

// flap is the d of "ladka".
func flap(i int) glyph {
	switch i {
	case hindi:
		return glyph{place: cDD, kind: consonant, nukta: true}
	case punjabi:
		return consonantGlyph(0x5C)
	}
	return consonantGlyph(cDD)
}

// northernCluster reports whether a consonant is written together with the next.
func northernCluster(units []unit, k int) bool {
	a, b := units[k].sound, at(units, k+1)
	switch {
	case twins(a, b), k == 0, k+2 == len(units):
		return true
	// From here on: pairs that common words join. Others have the silent vowel between
	// them, which is not typed.
	case b == "y", b == "v" && among(a, "s", "sh", "t", "d"):
		return true
	case b == "r":
		return among(a, "k", "g", "t", "d", "p", "b", "sh", "bh", "dh")
	case a == "s", a == "sh":
		return among(b, "t", "th", "k", "p", "n", "m")
	case a == "k" && b == "sh", a == "l" && b == "d":
		return true
	case a == "r":
		return !ending(units, k+1)
	}
	return false
}

// ending reports whether the rest of a word from a place is the ending of a verb or of
// a noun with its vowel, before which a stem keeps its silent vowel.
func ending(units []unit, k int) bool {
	return k+2 == len(units) && vowelAt(units, k+1) && among(at(units, k), "n", "t", "k")
}

func northernVowel(i int, units []unit, k int) []glyph {
	last := k == len(units)-1
	switch units[k].sound {
	case "a":
		if longA(units, k) {
			return []glyph{vowelGlyph(vAA)}
		}
		return []glyph{vowelGlyph(vA)}
	case "aa":
		return []glyph{vowelGlyph(vAA)}
	case "i":
		if vowelAt(units, k+1) && among(at(units, k+1), "a", "aa", "o") && consonantAt(units, k-1) {
			return []glyph{vowelGlyph(vI), consonantGlyph(cY)} // "dia" is दिया
		}
		if last {
			return []glyph{vowelGlyph(vII)}
		}
		return []glyph{vowelGlyph(vI)}
	case "u":
		switch {
		case last && i == gujarati && k > 2:
			return []glyph{vowelGlyph(vU), nasal}
		case last:
			return []glyph{vowelGlyph(vUU)}
		}
		return []glyph{vowelGlyph(vU)}
	}
	return []glyph{vowelGlyph(otherVowel(units[k].sound))}
}

// otherVowel returns the place of a vowel whose length is plain in the north.
func otherVowel(sound string) uint8 {
	switch sound {
	case "ii":
		return vII
	case "uu":
		return vUU
	case "e":
		return vEE
	case "ai":
		return vAI
	case "o":
		return vOO
	}
	return vAU
}

// longA reports whether a typed "a" is long: at the end, before a vowel, in words of
// the shape of "raja" and "pani", and before the last syllable of "kahani".
func longA(units []unit, k int) bool {
	n := len(units)
	switch {
	case k == n-1, vowelAt(units, k+1), plural(units, k):
		return true
	// The shape of "raja" and "pani": consonant, a, consonant, a or i.
	case n == 4 && k == 1:
		return consonantAt(units, 2) && among(at(units, 3), "a", "i")
	case n >= 6 && k == n-3:
		return at(units, n-1) == "i" && among(at(units, n-2), "n", "r", "l") && consonantAt(units, k-1)
	}
	return false
}

// plural reports whether an "a" is that of the ending "iyan", as in "kahaniyan".
func plural(units []unit, k int) bool {
	return k == len(units)-2 && k > 2 && at(units, k) == "a" && at(units, k+1) == "n" &&
		at(units, k-1) == "y" && among(at(units, k-2), "i", "ii")
}
