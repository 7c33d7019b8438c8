package lang

import "slices"

// verdict is how far the languages of a script are apart for a text.
type verdict struct {
	code   Code   // the language that is certain, "" when scores decide
	grams  *grams // whose languages the scores are of
	scores [maxLanguages]int32
}

// best returns the language with the highest score, the first of equals.
func (v *verdict) best() Code {
	if v.code != "" {
		return v.code
	}
	best := 0
	for i := range v.grams.codes {
		if v.scores[i] > v.scores[best] {
			best = i
		}
	}
	return v.grams.codes[best]
}

// lead returns how many levels the best language is above another one; a large
// number when that one is out of the question.
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

// decide weighs the languages of a script.
func (t *tally) decide(s script, text string) verdict {
	v := verdict{code: t.certain(s), grams: tables[s]}
	if v.code != "" {
		return v
	}
	scores, words := v.grams.score(text, s)
	first := &scores[0] // English, Urdu, Bengali
	switch {
	case s == latin && t.majority() != latin:
		*first += loanBonus
	case s == latin && t.accented > 0 && (words == 1 || 4*t.accented >= t.letters[s]):
		*first -= favoured["en"] - 8 // hardly English with a name in it
	case s == arabic && t.marks[markUrdu] == 0:
		*first -= t.letters[s] / 4 // Urdu has one of them in most words
	case s == bengali && t.marks[markAssamese]+t.marks[markManipuri] == 0:
		*first += t.letters[s] / 4 // and so have Assamese and Manipuri of theirs
	}
	v.scores = scores
	return v
}

// favoured are the languages that have some levels of the table before the
// others of their script, or behind them. Names and loanwords alone must not take
// a text from English; short texts that may be Hindi or Russian as well as a
// smaller language close to it are meant so.
var favoured = map[Code]int32{
	"en": 24, "hi": 4, "id": 5, "ar": 8, "fa": 3, "ru": 8, "bn": 4, "zh": 6, "eo": -6,
}

// loanBonus is what English has besides for Latin letters among others: words
// of it are in texts of every language.
const loanBonus = 24

// certain returns the language that the script or the marker letters in it leave
// no doubt about, or "".
func (t *tally) certain(s script) Code {
	switch s {
	case unknown:
		return fallback
	case devanagari:
		return t.firstOf(s, 150, markSindhi, markKashmiri)
	case bengali:
		return t.bengali()
	case arabic:
		return t.firstOf(s, 60, markKashmiri, markSindhi)
	case cyrillic:
		return t.cyrillic()
	case han:
		if t.kana > 0 && t.kana*20 >= t.letters[han] {
			return "ja"
		}
		return t.firstOf(s, 50, markCantonese)
	}
	if tables[s] == nil {
		return writers[s]
	}
	return ""
}
