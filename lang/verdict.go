package lang

import "slices"

// verdict tells how well the languages of a script match a text.
type verdict struct {
	code   Code   // the language, if it is certain or expected; "" if scores decide
	grams  *grams // the languages that the scores belong to
	scores [maxLanguages]int32
	silent bool // the text has no words but names, so code is the expected language
	bare   bool // all words may be names
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
	const most = 1 << 30
	if v.code != "" {
		if v.code == over {
			return 0
		}
		return most
	}
	at := slices.Index(v.grams.codes, over)
	if at < 0 {
		return most
	}
	return slices.Max(v.scores[:len(v.grams.codes)]) - v.scores[at]
}

// decide judges the languages of a script.
func (t *tally) decide(s script, text string, p *Prior) verdict {
	v := verdict{code: t.certain(s), grams: tables[s]}
	if v.code != "" && p.Offers(v.code) {
		return v
	}
	v.code = ""
	if v.grams == nil {
		v.code = p.expected(s)
		return v
	}
	v.scores = p.start(v.grams)
	if slices.Max(v.scores[:len(v.grams.codes)]) == never { // it is offered, but not told from others
		v.code = p.expected(s)
		return v
	}
	var e evidence
	v.grams.score(text, s, &e)
	if v.silent = e.words == e.known; v.silent {
		v.code = p.expected(s)
		return v
	}
	v.bare = e.said == 0
	part := int32(1)
	if v.bare || !e.lower && e.known > 0 {
		part = 2 // beside names, and without a word in small letters, the others may be names too
	}
	few := int32(max(0, fewWords-e.words+1))
	if v.bare {
		few = fewWords
	}
	switch {
	case e.listed > 0:
	case e.words == 1:
		few *= 2
	default:
		few *= 2 // a small language wins with words that are its own, not by their looks
	}
	for i := range v.grams.codes {
		if e.words == 1 && (e.listed == 0 || e.scores[i] < ownWord) {
			v.scores[i] += v.grams.alone[i]
			if e.listed == 0 {
				v.scores[i] += seldom[v.grams.codes[i]]
			}
		}
		v.scores[i] += (e.scores[i]+e.named[i])/part + few*v.grams.short[i]/fewWords
	}
	first := &v.scores[0] // English, Urdu or Bengali: the first language of its group
	switch {
	case s == latin && t.majority(p) != latin:
		*first += loanBonus
	case s == latin && t.accented > 0 && (e.words == 1 || 4*t.accented >= t.letters[s]):
		*first -= accentMalus
	case s == arabic && t.marks[markUrdu] == 0:
		*first -= t.letters[s] / 4 // in Urdu most words have one of its own letters
	case s == bengali && t.marks[markAssamese]+t.marks[markManipuri] == 0:
		*first += t.letters[s] / 4 // in Assamese and Manipuri most words have one of theirs
	}
	return v
}

// fewWords is the number of words from which on a text does not count as short.
const fewWords = 3

// bonuses are levels that a language has in advance of the others of its script, besides those
// of its writers. Names and loanwords must not make an English text look foreign. Some languages
// are so close to a larger one that few words tell them apart. Swahili is the second language of
// most, who write it less than their number says.
var bonuses = map[Code]int32{"en": 2, "sw": -3, "zh": 3, "ms": 1, "da": 1, "nb": 1, "bho": 2}

// seldom are levels that a language has in advance for a word alone: people who write these mostly
// write another language of the script.
var seldom = map[Code]int32{"bho": -6, "mai": -4, "sw": -3, "uz": -2, "sd": -5}

const (
	// ownWord is the level from which on a word, one in two hundred of a text, is a language's
	// own even if the language is small.
	ownWord = 17
	// loanBonus is a further bonus for English where Latin letters are the minority in a text:
	// English words occur in texts of every language.
	loanBonus = 12
	// accentMalus is what too many accents for an English text with a foreign name take from
	// English.
	accentMalus = 6
)

// certain returns the language that the script or its marker letters show without doubt, or "".
func (t *tally) certain(s script) Code {
	switch s {
	case unknown:
		return ""
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
