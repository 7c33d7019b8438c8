package translit

// unit is one sound as typed.
type unit struct {
	sound string // "kh", "a"; long vowels as "aa", "ii", "uu"
	vowel bool
}

// parse cuts a word in letters a to z into sounds.
func parse(word string) []unit {
	units := make([]unit, 0, len(word)+1)
	for len(word) > 0 {
		n := 1
		switch c := word[0]; c {
		case 'a', 'e', 'i', 'o', 'u':
			var u unit
			u, n = parseVowel(word)
			units = append(units, u)
		case 'x':
			units = append(units, unit{sound: "k"}, unit{sound: "s"})
		default:
			var s string
			s, n = parseConsonant(word)
			units = append(units, unit{sound: s})
		}
		word = word[n:]
	}
	return units
}

// has reports whether a word begins with letters.
func has(word, letters string) bool {
	return len(word) >= len(letters) && word[:len(letters)] == letters
}

func parseVowel(word string) (unit, int) {
	if len(word) >= 2 {
		switch pair := word[:2]; pair {
		case "aa", "ii", "uu", "ai", "au":
			return unit{pair, true}, 2
		case "ee":
			return unit{"ii", true}, 2
		case "oo":
			return unit{"uu", true}, 2
		case "ae":
			return unit{"e", true}, 2
		case "ou":
			return unit{"au", true}, 2
		case "ei":
			return unit{"e", true}, 2
		}
	}
	return unit{word[:1], true}, 1
}

// parseConsonant returns the consonant at the start of a word and how many
// letters it has.
func parseConsonant(word string) (string, int) {
	switch {
	// The longest spelling first: "ch" is the beginning of "chh".
	case has(word, "chh"):
		return "chh", 3
	case has(word, "cch"):
		return "ch", 1 // the first of two
	case has(word, "ch"):
		return "ch", 2
	case has(word, "ck"), has(word, "cq"):
		return "k", 1
	// As in English loans: "cinema" and "police" have an s.
	case has(word, "ce"), has(word, "ci"):
		return "s", 1
	case has(word, "ph"):
		return "ph", 2
	}
	if len(word) >= 2 && word[1] == 'h' {
		switch word[0] {
		case 'k', 'g', 'j', 't', 'd', 'b', 's', 'z':
			return word[:2], 2
		}
	}
	switch word[0] {
	case 'c', 'q':
		return "k", 1
	case 'w':
		return "v", 1
	}
	return word[:1], 1
}

// at returns the sound at a place, "" outside the word.
func at(units []unit, i int) string {
	if i < 0 || i >= len(units) {
		return ""
	}
	return units[i].sound
}

// vowelAt reports whether there is a vowel at a place.
func vowelAt(units []unit, i int) bool { return i >= 0 && i < len(units) && units[i].vowel }

// consonantAt reports whether there is a consonant at a place.
func consonantAt(units []unit, i int) bool { return i >= 0 && i < len(units) && !units[i].vowel }

// twins reports whether two consonants are one long one, such as "tt" or "kkh".
func twins(a, b string) bool {
	return a == b || len(a) == 1 && len(b) == 2 && has(b, a) && b[1] == 'h'
}

// among reports whether a sound is one of a list.
func among(sound string, list ...string) bool {
	for _, s := range list {
		if s == sound {
			return true
		}
	}
	return false
}
