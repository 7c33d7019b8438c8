package lang

// marker numbers the languages that have letters of their own inside a script
// that others write too.
type marker uint8

// The markers, by the language they speak for.
const (
	noMarker marker = iota
	markSindhi
	markKashmiri
	markAssamese
	markBengaliRa // the ra of Bengali and Manipuri, which Assamese writes with its own
	markManipuri  // or Assamese, where its ra is there too
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

// markerLanguage names the language where a marker decides by itself.
var markerLanguage = [numMarkers]Code{
	markSindhi: "sd", markKashmiri: "ks", markKazakh: "kk", markUkrainian: "uk",
	markBelarusian: "be", markBulgarian: "bg", markMacedonian: "mk", markSerbian: "sr",
	markCantonese: "yue",
}

// marker returns what a letter of a script speaks for.
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
		if t.before == 'ъ' && r != 'е' && r != 'ё' && r != 'ю' && r != 'я' {
			t.marks[markBulgarian]++ // a vowel there, never followed so in Russian
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

// tells says whether a marker is met often enough to be more than a name from
// another language: once in so many letters of the script.
func (t *tally) tells(m marker, s script, per int32) bool {
	return t.marks[m] > 0 && int64(t.marks[m])*int64(per) >= int64(t.letters[s])
}

// firstOf returns the language of the first marker that tells, or "".
func (t *tally) firstOf(s script, per int32, markers ...marker) Code {
	for _, m := range markers {
		if t.tells(m, s, per) {
			return markerLanguage[m]
		}
	}
	return ""
}

func (t *tally) bengali() Code {
	switch {
	case t.tells(markAssamese, bengali, 100) && t.marks[markAssamese] > t.marks[markBengaliRa]:
		return "as"
	case t.tells(markManipuri, bengali, 100) && t.marks[markBengaliRa] > 0:
		return "mni"
	}
	return ""
}

// cyrillic leaves Russian, and texts that happen to lack the letters of their
// language, to the table.
func (t *tally) cyrillic() Code {
	const s = cyrillic
	if t.marks[markSerbian] > 0 && t.marks[markMacedonian] > 0 {
		return ""
	}
	return t.firstOf(s, 150, markKazakh, markBelarusian, markUkrainian, markMacedonian, markSerbian, markBulgarian)
}
