package ordinal

import (
	"vaak/text/normalize/locale"
	"vaak/text/normalize/scan"
)

// nouns holds the nouns that make a plain number before them an ordinal, with its rule
// set: those after a year, and those after a day of the month.
type nouns struct{ year, day scan.Phrases[string] }

// compile reads the nouns that make numbers ordinals.
func (t *nouns) compile(lex *locale.Lexicon) {
	for _, r := range lex.Rows("ordinal.noun") {
		for _, w := range r.List(0) {
			switch r.Value(2) {
			case "year":
				t.year.Add(w, r.Value(1))
			case "day":
				t.day.Add(w, r.Value(1))
			}
		}
	}
}

// BeforeNoun returns the rule set by which a plain number is said because of the word after
// it, "" when the word asks for none. Two kinds of words do: those after a year of four
// digits, such as il in Azerbaijani "1991 il", and inflected names of months after a day.
func (or *Recognizer) BeforeNoun(in *scan.View, i int) string {
	j := in.Skip(i + 1)
	if j == i+1 || in.Kind(i) != scan.Digits {
		return ""
	}
	y, nouns := scan.Arabic(in.Text(i)), &or.nouns.year
	switch {
	case len(y) == 4 && y >= "1100" && y <= "2099":
	case len(y) <= 2 && y[0] != '0' && scan.Atoi(y) <= 31:
		nouns = &or.nouns.day
	default:
		return ""
	}
	set, n := nouns.Match(in, j)
	if n == 0 || !in.Closes(j+n) {
		return ""
	}
	return set
}

// AfterNoun reads a small number after a noun that makes it an ordinal: Arabic القرن 21,
// the twenty-first century.
func (or *Recognizer) AfterNoun(in *scan.View, i int, rule string) (string, int) {
	x, ok := or.quantities.Number(in, i)
	if !ok || x.Frac != "" || x.Below != "" || len(x.Whole) > 2 || x.End != i+1 || !in.Closes(x.End) || or.quantities.Counted(in, in.Skip(x.End)) || in.IsPercent(in.Skip(x.End)) {
		return "", 0
	}
	return or.ordinalOf(x, rule, 1)
}

// ordinalRange reads two numbers with a dash between them that the word after them makes
// ordinals: 1941–1945 жылдар.
func (or *Recognizer) ordinalRange(in *scan.View, i int, x scan.Number) (string, int) {
	j := x.End
	if or.say.OrdinalDot && in.Is(j, '.') {
		return or.dottedRange(in, i, x)
	}
	if len(x.Whole) > 4 || in.Kind(j) != scan.Sign || !scan.IsDash(in.Rune(j)) || in.Kind(j+1) != scan.Digits || or.say.Span == "" {
		return "", 0
	}
	y, ok := or.quantities.Number(in, j+1)
	if !ok || y.Frac != "" || y.Below != "" || len(y.Whole) > 4 || scan.Atoi(x.Whole) >= scan.Atoi(y.Whole) {
		return "", 0
	}
	set, n := or.BeforeNoun(in, j+1), 0
	if set == "" && or.hyphenOrdinal(in, y) {
		set, n = or.say.OrdinalSet, 1
	}
	if v, k := or.suffix.Match(in, y.End); set == "" && k > 0 && in.Closes(y.End+k) && in.Is(y.End, '-') {
		set, n = v, k
	}
	if set == "" {
		return "", 0
	}
	a, ok := or.say.Ordinal(x, set, "")
	b, ok2 := or.say.Ordinal(y, set, "")
	if !ok || !ok2 {
		return "", 0
	}
	if n == 1 {
		b += " "
	}
	return or.say.Range(a, b), y.End + n - i
}

// dottedRange reads two ordinals with a dash between them: de 5.-7. Klasse.
func (or *Recognizer) dottedRange(in *scan.View, i int, x scan.Number) (string, int) {
	j := x.End + 1
	if in.Kind(j) != scan.Sign || !scan.IsDash(in.Rune(j)) || in.Kind(j+1) != scan.Digits || len(x.Whole) > 2 || or.say.Span == "" {
		return "", 0
	}
	y, ok := or.quantities.Number(in, j+1)
	if !ok || !or.dotOrdinal(in, y) || scan.Atoi(x.Whole) >= scan.Atoi(y.Whole) {
		return "", 0
	}
	set := or.dotSet(in, i, y)
	a, ok := or.say.Ordinal(x, set, "")
	b, ok2 := or.say.Ordinal(y, set, "")
	if !ok || !ok2 {
		return "", 0
	}
	return or.say.Range(a, b), y.End + 1 - i
}
