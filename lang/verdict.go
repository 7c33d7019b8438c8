package lang

import "slices"

// verdict tells how well the languages of a script match a text.
type verdict struct {
	code   Code   // the language, if it is certain; "" if scores decide
	grams  *grams // the languages that the scores belong to
	scores [maxLanguages]int32
}

// best returns the language with the highest score, the first of equals.
func (v *verdict) best() Code {
	if v.code != "" {
		return v.code
	}
	best := 0 // of equals the first stays, and the codes are in product order
	for i := range v.grams.codes {
		if v.scores[i] > v.scores[best] {
			best = i
		}
	}
	return v.grams.codes[best]
}

// lead returns by how many levels the best language is ahead of another, or a large number if
// that other one is impossible.
func (v *verdict) lead(over Code) int32 {
	const never = 1 << 30
	if v.code != "" {
		if v.code == over {
			return 0
		}
		return never
	}
	at := slices.Index(v.grams.codes, over)
	if at < 0 {
		return never
	}
	return slices.Max(v.scores[:len(v.grams.codes)]) - v.scores[at]
}

// decide judges the languages of a script.
func (t *tally) decide(s script, text string) verdict {
	v := verdict{code: t.certain(s), grams: tables[s]}
	if v.code != "" {
		return v
	}
	scores, words := v.grams.score(text, s)
	first := &scores[0] // English, Urdu or Bengali: the first language of its group
	switch {
	case s == latin && t.majority() != latin:
		*first += loanBonus
	case s == latin && t.accented > 0 && (words == 1 || 4*t.accented >= t.letters[s]):
		*first -= bonuses["en"] - 8 // too many accents to be English with a foreign name
	case s == arabic && t.marks[markUrdu] == 0:
		*first -= t.letters[s] / 4 // in Urdu most words have one of its own letters
	case s == bengali && t.marks[markAssamese]+t.marks[markManipuri] == 0:
		*first += t.letters[s] / 4 // in Assamese and Manipuri most words have one of theirs
	}
	v.scores = scores
	return v
}

// bonuses are levels that a language has in advance of the others of its script, or behind them
// if negative. Names and loanwords alone must not make an English text look foreign. A short
// text that may be Hindi or Russian is more likely that than a smaller language close to it.
var bonuses = map[Code]int32{
	"en": 24, "hi": 4, "id": 5, "ar": 8, "fa": 3, "ru": 8, "bn": 4, "zh": 6, "eo": -6,
}

// loanBonus is a further bonus for English where Latin letters are the minority in a text:
// English words occur in texts of every language.
const loanBonus = 24

// certain returns the language that the script or its marker letters show without doubt, or "".
func (t *tally) certain(s script) Code {
	switch s {
	case unknown:
		return fallback
	case devanagari:
		// One marker in 150 letters decides; see frequent.
		return t.firstOf(s, 150, markSindhi, markKashmiri)
	case bengali:
		return t.bengali()
	case arabic:
		return t.firstOf(s, 60, markKashmiri, markSindhi)
	case cyrillic:
		return t.cyrillic()
	case han:
		// Letters of han include the kana. Japanese has far more of them than one in 20; a
		// Chinese text may quote a name.
		if t.kana > 0 && t.kana*20 >= t.letters[han] {
			return "ja"
		}
		return t.firstOf(s, 50, markCantonese)
	}
	if tables[s] == nil {
		return defaultLanguage[s]
	}
	return ""
}
