package lang

// marker numbers the languages that have letters of their own inside a script
// that others write too.
type marker uint8

// The markers, by the language they speak for.
const (
	noMarker marker = iota
	markMarathi
	markSindhi
	markKashmiri
	markAssamese
	markBengaliRa // the ra of Bengali and Manipuri, which Assamese writes with its own
	markManipuri  // or Assamese, where its ra is there too
	markUrdu
	markPersian
	markKazakh
	markTurkic // Kazakh and Kyrgyz
	markUkrainian
	markDottedI // Ukrainian, Belarusian and Kazakh
	markBelarusian
	markBulgarian
	markMacedonian
	markSerbian
	markYugoslav  // Serbian and Macedonian
	markEast      // letters that Russian and Belarusian have and Ukrainian has not
	markCantonese // the Latin ones follow
	markAzerbaijani
	markTurkish
	markVietnamese
	markPolish
	markCzech
	markSlovak
	markHungarian
	markRomanian
	markGerman
	markIcelandic
	markMaltese
	markLatvian
	markLithuanian
	markWelsh
	markEsperanto
	numMarkers
)

// markerLanguage names the language where a marker decides by itself.
var markerLanguage = [numMarkers]Code{
	markMarathi: "mr", markSindhi: "sd", markKashmiri: "ks", markAssamese: "as",
	markManipuri: "mni", markUrdu: "ur", markPersian: "fa", markKazakh: "kk", markTurkic: "ky",
	markUkrainian: "uk", markBelarusian: "be", markBulgarian: "bg", markMacedonian: "mk",
	markSerbian: "sr", markYugoslav: "sr", markCantonese: "yue",
	markAzerbaijani: "az", markTurkish: "tr", markVietnamese: "vi", markPolish: "pl",
	markCzech: "cs", markSlovak: "sk", markHungarian: "hu", markRomanian: "ro",
	markGerman: "de", markIcelandic: "is", markMaltese: "mt", markLatvian: "lv",
	markLithuanian: "lt", markWelsh: "cy", markEsperanto: "eo",
}

// marker returns what a letter of a script speaks for.
func (t *tally) marker(s script, r rune) marker {
	switch s {
	case latin:
		return latinMarker(r)
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
		case '嘅', '咗', '哋', '冇', '喺', '嚟', '啲', '嗰', '嘢', '佢', '唔':
			return markCantonese
		}
	}
	return noMarker
}

func devanagariMarker(r rune) marker {
	switch r {
	case 'ळ', 'ऱ', 'ॲ':
		return markMarathi
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
	case 'پ', 'چ', 'ژ', 'گ', 'ک', 'ی':
		return markPersian
	}
	return noMarker
}

func cyrillicMarker(r rune) marker {
	switch r {
	case 'ә', 'қ', 'ғ', 'ұ', 'һ', 'Ә', 'Қ', 'Ғ', 'Ұ', 'Һ':
		return markKazakh
	case 'ң', 'ө', 'ү', 'Ң', 'Ө', 'Ү':
		return markTurkic
	case 'є', 'ї', 'ґ', 'Є', 'Ї', 'Ґ':
		return markUkrainian
	case 'і', 'І':
		return markDottedI
	case 'ў', 'Ў':
		return markBelarusian
	case 'ы', 'э', 'ё', 'Ы', 'Э', 'Ё':
		return markEast
	case 'ѓ', 'ќ', 'ѕ', 'Ѓ', 'Ќ', 'Ѕ':
		return markMacedonian
	case 'ђ', 'ћ', 'Ђ', 'Ћ':
		return markSerbian
	case 'ј', 'љ', 'њ', 'џ', 'Ј', 'Љ', 'Њ', 'Џ':
		return markYugoslav
	}
	return noMarker
}

func latinMarker(r rune) marker {
	switch r {
	case 'ə', 'Ə':
		return markAzerbaijani
	case 'ğ', 'Ğ', 'ı':
		return markTurkish
	case 'ơ', 'ư', 'Ơ', 'Ư':
		return markVietnamese
	case 'ł', 'Ł':
		return markPolish
	case 'ř', 'ů', 'ě', 'Ř', 'Ů', 'Ě':
		return markCzech
	case 'ľ', 'ĺ', 'ŕ', 'Ľ', 'Ĺ', 'Ŕ':
		return markSlovak
	case 'ő', 'ű', 'Ő', 'Ű':
		return markHungarian
	case 'ț', 'ș', 'Ț', 'Ș':
		return markRomanian
	case 'ß':
		return markGerman
	case 'þ', 'Þ':
		return markIcelandic
	case 'ħ', 'Ħ':
		return markMaltese
	case 'ģ', 'ķ', 'ļ', 'ņ', 'Ģ', 'Ķ', 'Ļ', 'Ņ':
		return markLatvian
	case 'ė', 'į', 'ų', 'Ė', 'Į', 'Ų':
		return markLithuanian
	case 'ŵ', 'ŷ', 'Ŵ', 'Ŷ':
		return markWelsh
	case 'ĉ', 'ĝ', 'ĥ', 'ĵ', 'ŝ', 'ŭ', 'Ĉ', 'Ĝ', 'Ĥ', 'Ĵ', 'Ŝ', 'Ŭ':
		return markEsperanto
	}
	if 0x1EA0 <= r && r <= 0x1EF9 && r != 'ẹ' && r != 'ọ' && r != 'Ẹ' && r != 'Ọ' {
		return markVietnamese
	}
	return noMarker
}

// tells says whether a marker is met often enough to be more than a name from
// another language: once in so many letters of the script.
func (t *tally) tells(m marker, s script, per int32) bool {
	return t.marks[m] > 0 && int64(t.marks[m])*int64(per) >= int64(t.letters[s])
}

// firstOf returns the language of the first marker that tells, or the script's
// own default.
func (t *tally) firstOf(s script, per int32, markers ...marker) Code {
	for _, m := range markers {
		if t.tells(m, s, per) {
			return markerLanguage[m]
		}
	}
	return writers[s]
}

func (t *tally) bengali() Code {
	switch {
	case t.tells(markAssamese, bengali, 100) && t.marks[markAssamese] > t.marks[markBengaliRa]:
		return "as"
	case t.tells(markManipuri, bengali, 100) && t.marks[markBengaliRa] > 0:
		return "mni"
	case t.tells(markManipuri, bengali, 60):
		return "as"
	}
	return writers[bengali]
}

func (t *tally) cyrillic() Code {
	const s = cyrillic
	switch {
	case t.tells(markKazakh, s, 60):
		return "kk"
	case t.tells(markTurkic, s, 60):
		return "ky"
	case t.tells(markBelarusian, s, 150):
		return "be"
	case t.tells(markUkrainian, s, 150):
		return "uk"
	case t.tells(markDottedI, s, 40):
		if t.marks[markEast] > 0 {
			return "be"
		}
		return "uk"
	case t.marks[markMacedonian] > t.marks[markSerbian] && t.tells(markMacedonian, s, 300):
		return "mk"
	case t.tells(markSerbian, s, 300), t.tells(markYugoslav, s, 40):
		return "sr"
	}
	return t.firstOf(s, 150, markBulgarian)
}

// latin asks for two markers at least: one may be in a name.
func (t *tally) latin() Code {
	best := noMarker
	for m := markAzerbaijani; m < numMarkers; m++ {
		if t.marks[m] > max(1, t.marks[best]) && t.tells(m, latin, 40) {
			best = m
		}
	}
	if best == noMarker {
		return writers[latin]
	}
	return markerLanguage[best]
}
