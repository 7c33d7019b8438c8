package lang

// marker identifies letters that only one language has among those that share a script.
type marker uint8

// The markers, named after the language that they indicate.
const (
	noMarker marker = iota
	markSindhi
	markKashmiri
	markAssamese
	markBengaliRa // the ra of Bengali and Manipuri; Assamese has its own
	markManipuri  // also Assamese, if the Assamese ra occurs too
	markUrdu
	markKazakh
	markUkrainian
	markBelarusian
	markBulgarian
	markMacedonian
	markSerbian
	markCantonese
	numMarkers
)

// markerLanguage is the language of each marker that decides alone.
var markerLanguage = [numMarkers]Code{
	markSindhi: "sd", markKashmiri: "ks", markKazakh: "kk", markUkrainian: "uk",
	markBelarusian: "be", markBulgarian: "bg", markMacedonian: "mk", markSerbian: "sr",
	markCantonese: "yue",
}

// marker returns what a letter of a script indicates.
func (t *tally) marker(s script, r rune) marker {
	switch s {
	case devanagari:
		return devanagariMarker(r)
	case bengali:
		switch r {
		case 'ৰ':
			return markAssamese
		case 'ৱ':
			return markManipuri
		case 'র':
			return markBengaliRa
		}
	case arabic:
		return arabicMarker(r)
	case cyrillic:
		if t.previous == 'ъ' && r != 'е' && r != 'ё' && r != 'ю' && r != 'я' {
			t.marks[markBulgarian]++ // ъ is a vowel here; in Russian such a letter never follows it
		}
		return cyrillicMarker(r)
	case han:
		switch r {
		case '嘅', '咗', '哋', '冇', '喺', '嚟', '啲', '嗰', '嘢', '佢', '唔', '咁', '噉', '攞', '搵', '諗', '谂', '乜', '啱', '瞓', '睇', '嘥':
			return markCantonese
		}
	}
	return noMarker
}

func devanagariMarker(r rune) marker {
	switch r {
	case 'ॻ', 'ॼ', 'ॾ', 'ॿ':
		return markSindhi
	case 'ॳ', 'ॴ', 'ॵ', 'ॶ', 'ॷ':
		return markKashmiri
	}
	return noMarker
}

func arabicMarker(r rune) marker {
	switch r {
	case 'ٹ', 'ڈ', 'ڑ', 'ھ', 'ے', 'ۓ', 'ں', 'ہ', 'ۂ', 'ۃ':
		return markUrdu
	case 'ڄ', 'ڀ', 'ڪ', 'ٿ', 'ٺ', 'ڃ', 'ڇ', 'ڏ', 'ڌ', 'ڊ', 'ڙ', 'ڦ', 'ڱ', 'ڳ', 'ڻ', 'ٻ', 'ٽ':
		return markSindhi
	case 'ٲ', 'ٳ', 'ۄ', 'ؠ':
		return markKashmiri
	}
	return noMarker
}

func cyrillicMarker(r rune) marker {
	switch r {
	case 'ә', 'қ', 'ғ', 'ұ', 'һ', 'Ә', 'Қ', 'Ғ', 'Ұ', 'Һ':
		return markKazakh
	case 'є', 'ї', 'ґ', 'Є', 'Ї', 'Ґ':
		return markUkrainian
	case 'ў', 'Ў':
		return markBelarusian
	case 'ѓ', 'ќ', 'ѕ', 'Ѓ', 'Ќ', 'Ѕ':
		return markMacedonian
	case 'ђ', 'ћ', 'Ђ', 'Ћ':
		return markSerbian
	}
	return noMarker
}

// frequent reports whether a marker occurs often enough to be more than a name from another
// language: at least once in per letters of the script.
func (t *tally) frequent(m marker, s script, per int32) bool {
	// As a product, which has no remainder, and in 64 bits, since a long text has many letters.
	return t.marks[m] > 0 && int64(t.marks[m])*int64(per) >= int64(t.letters[s])
}

// firstOf returns the language of the first marker that is frequent, or "".
func (t *tally) firstOf(s script, per int32, markers ...marker) Code {
	for _, m := range markers {
		if t.frequent(m, s, per) {
			return markerLanguage[m]
		}
	}
	return ""
}

// bengali returns the language that Bengali letters indicate for certain, or "".
func (t *tally) bengali() Code {
	switch {
	// Each of the three writes the letter ra often, and Assamese has another letter for it.
	// So a text in one of them has nearly only one of the two.
	case t.frequent(markAssamese, bengali, 100) && t.marks[markAssamese] > t.marks[markBengaliRa]:
		return "as"
	case t.frequent(markManipuri, bengali, 100) && t.marks[markBengaliRa] > 0:
		return "mni"
	}
	return ""
}

// cyrillic returns the language that Cyrillic letters indicate for certain, or "". Russian has
// no letters of its own, and a short text may lack those of its language; then the gram table
// decides.
func (t *tally) cyrillic() Code {
	const s = cyrillic
	if t.marks[markSerbian] > 0 && t.marks[markMacedonian] > 0 {
		// No language has both, so the text is about the languages.
		return ""
	}
	return t.firstOf(s, 150, markKazakh, markBelarusian, markUkrainian, markMacedonian, markSerbian, markBulgarian)
}
