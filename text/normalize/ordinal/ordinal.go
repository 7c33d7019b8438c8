// Package ordinal reads ordinals and roman numerals: 5th, 5., XIV, XIXe.
package ordinal

import (
	"strings"
	"unicode"

	"vaak/text/normalize/quantity"
	"vaak/text/normalize/scan"
	"vaak/text/normalize/speak"
)

// Recognizer reads ordinals of one language. It is safe for concurrent use.
type Recognizer struct {
	say        *speak.Speaker
	agree      *speak.Agreement
	quantities *quantity.Recognizer

	// The values of these tables are rule sets, patterns, or "+" for the cardinal with
	// the suffix.
	suffix, prefix scan.Phrases[string]
	attached       map[string]string // suffixes by their letters
	after          map[string]string // by the word after a number with a full stop
	romanAfter     scan.Phrases[romanNoun]
	cases          map[string]string // rule sets of roman numerals with an abbreviation, by the word before them
	nouns          nouns
	romanDot       bool // a full stop after a roman numeral before a name makes an ordinal
	hyphen         bool // a hyphen before a word makes an ordinal

	degree map[string]bool // words before a number of degrees

	stems    []string // how adjectives begin that are one word with the number before them
	stemSet  string   // the rule set of the number
	stemWord map[string]string
	stemEnd  [2]string // the last letter of the number and what stands for it there
	and      string
}

// New returns the recognizer of a speaker's language, and adds the words with which
// ordinals begin to starts.
func New(say *speak.Speaker, agree *speak.Agreement, quantities *quantity.Recognizer, starts *scan.Starts) *Recognizer {
	lex := say.Lexicon
	or := &Recognizer{
		say: say, agree: agree, quantities: quantities,
		attached: map[string]string{}, after: lex.ByWord("ordinal.after"), hyphen: lex.Word("ordinal.hyphen") == "yes", cases: lex.ByWord("ordinal.case"),
		romanDot: lex.Word("roman.dot") == "yes", degree: lex.Set("degree.word"),
	}
	for w, rule := range lex.Pairs("ordinal.prefix") {
		or.prefix.Add(w, rule)
		starts.Add(w)
	}
	for _, r := range lex.Rows("ordinal.suffix") {
		for s := range strings.FieldsSeq(r[0]) {
			or.suffix.Add(strings.ReplaceAll(s, "_", " "), r.Value(1))
			or.attached[s] = r.Value(1)
		}
	}
	for _, r := range lex.Rows("roman.after") {
		noun := newRomanNoun(r)
		for _, w := range r.List(0) {
			or.romanAfter.Add(w, noun)
		}
	}
	for _, r := range lex.Rows("ordinal.stem") {
		or.stemSet, or.stems = r[0], r.List(1)
	}
	or.stemWord = lex.ByFirst("ordinal.stem.word")
	for _, r := range lex.Rows("ordinal.stem.end") {
		or.stemEnd = [2]string{r[0], r[1]}
	}
	or.and = lex.Word("and")
	or.nouns.compile(lex)
	return or
}

// Suffix returns the rule of the ordinal suffix at i and how many tokens it takes, 0
// when there is none.
func (or *Recognizer) Suffix(in *scan.View, i int) (rule string, n int) {
	return or.suffix.Match(in, i)
}

// Ordinal reads a number with a written suffix, 5th, and one with a full stop where that
// makes an ordinal, 5.
func (or *Recognizer) Ordinal(in *scan.View, i int) scan.Outcome {
	if !in.Opens(i) || in.Is(i-1, '.') && in.Kind(i-2) == scan.Digits {
		return scan.Outcome{}
	}
	x, ok := or.quantities.Number(in, i)
	if !ok || x.Frac != "" || x.Below != "" {
		return scan.Outcome{}
	}
	if v, n := or.suffix.Match(in, x.End); n > 0 && !or.degrees(in, x) && (in.Closes(x.End+n) || in.Token(x.End+n-1).Dense) {
		written := in.Span(x.End, x.End+n)
		// Some endings serve two genders: 90-й минуте. The noun tells which.
		if set := or.after[in.Text(in.Skip(x.End+n))]; set != "" && v == "spellout-ordinal-masculine" && in.Kind(x.End+n) == scan.Space {
			v = set
		}
		if w, ok := or.say.Ordinal(x, v, written); ok {
			return scan.Said(w, x.End+n-i)
		}
	}
	if w := or.say.OrdinalWords[x.Whole+in.Text(x.End)]; w != "" && in.Kind(x.End) == scan.Word {
		return scan.Said(w, x.End+1-i)
	}
	if w, n := or.stem(in, i, x); n > 0 {
		return scan.Said(w, n)
	}
	// A word of its own needs no suffix where the word before asks for an ordinal.
	if w := or.say.OrdinalWords[x.Whole]; w != "" && or.agree.Before(in, i) != "" && or.alone(in, x.End) {
		return scan.Said(w, x.End-i)
	}
	return scan.Said(or.unmarkedOrdinal(in, i, x))
}

// stem reads a number with a hyphen before an adjective with which it is one word:
// 5-этажный, 3-pokojowe.
func (or *Recognizer) stem(in *scan.View, i int, x scan.Number) (string, int) {
	if len(or.stems) == 0 || !in.Is(x.End, '-') || in.Kind(x.End+1) != scan.Word || x.Minus {
		return "", 0
	}
	adjective := in.Text(x.End + 1)
	for _, s := range or.stems {
		if !strings.HasPrefix(adjective, s) {
			continue
		}
		w, ok := or.stemOf(x)
		if !ok {
			return "", 0
		}
		return w + adjective, x.End + 2 - i
	}
	return "", 0
}

// stemOf says a number as the beginning of such an adjective. Where its last letter changes,
// it does so in tens and ones: pl dwudziestopięcioletni.
func (or *Recognizer) stemOf(x scan.Number) (string, bool) {
	if w := or.stemWord[x.Whole]; w != "" {
		return w, true
	}
	if v := scan.Atoi(x.Whole); or.stemEnd[0] != "" && len(x.Whole) == 2 && v > 20 && v%10 > 0 {
		tens, ok := or.stemOf(scan.Number{Whole: x.Whole[:1] + "0"})
		ones, ok2 := or.stemOf(scan.Number{Whole: x.Whole[1:]})
		return tens + ones, ok && ok2
	}
	w, ok := or.say.Ordinal(x, or.stemSet, "")
	if stem, cut := strings.CutSuffix(w, or.stemEnd[0]); cut && or.stemEnd[0] != "" {
		w = stem + or.stemEnd[1]
	}
	return w, ok
}

// degrees are the words of the Romance languages before temperatures, whose sign is that of
// ordinals there.
var degrees = scan.SetOf("máx mín max min máxima mínima máximas mínimas massima minima massime minime temp temperatura temperature fiebre febre febbre fièvre")

// degrees reports whether a number with a degree sign is no ordinal: one of a day's highest
// and lowest temperatures, 34°/18°, the heat of an oven, or an angle that a word names.
func (or *Recognizer) degrees(in *scan.View, x scan.Number) bool {
	j := x.End
	r := in.Rune(j)
	if r == '°' && len(x.Whole) == 3 {
		return true // an oven, 180°
	}
	if b := in.Back(x.Start - 1); r == '°' || r == 'º' {
		for in.Is(b, '.') || in.Is(b, ':') || in.Is(b, '-') || in.Is(b, '+') {
			b = in.Back(b - 1)
		}
		if degrees[strings.ToLower(in.Text(b))] {
			return true // máx. 35º
		}
	}
	if r != '°' && r != 'º' || len(x.Whole) != 2 {
		return false
	}
	for k, n := in.Back(x.Start-1), 0; n < 3 && in.Kind(k) == scan.Word; k, n = in.Back(k-1), n+1 {
		if or.degree[strings.ToLower(in.Text(k))] {
			return true
		}
	}
	after := in.Is(j+1, '/') && in.Kind(j+2) == scan.Digits && in.Rune(j+3) == r
	before := in.Is(x.Start-1, '/') && in.Rune(x.Start-2) == r
	return after || before
}

// unmarkedOrdinal reads a number that the word after it makes an ordinal, with nothing
// but a full stop or a hyphen between them.
func (or *Recognizer) unmarkedOrdinal(in *scan.View, i int, x scan.Number) (string, int) {
	if w, n := or.ordinalRange(in, i, x); n > 0 {
		return w, n
	}
	if set := or.BeforeNoun(in, i); set != "" {
		return or.ordinalOf(x, set, 1)
	}
	if or.hyphenOrdinal(in, x) {
		w, n := or.ordinalOf(x, or.say.OrdinalSet, x.End+1-i)
		if n > 0 {
			w += " " // in place of the hyphen
		}
		return w, n
	}
	if !or.dotOrdinal(in, x) {
		return "", 0
	}
	return or.ordinalOf(x, or.dotSet(in, i, x), x.End+1-i)
}

// dotSet returns the rule set of an ordinal with a full stop, by the word before token i and
// the noun behind it.
func (or *Recognizer) dotSet(in *scan.View, i int, x scan.Number) string {
	agreed := or.agree.Before(in, or.first(in, i))
	if !strings.Contains(agreed, "ordinal") {
		agreed = ""
	}
	noun := or.counted(in, x.End+2)
	after := or.after[noun]
	if or.say.Code == "de" {
		after, agreed = agreed, after // an article or preposition says more than the noun's gender
	}
	set := or.say.FirstSet(after, agreed)
	if set == "" && scan.RuneLen(noun) > 3 && !in.Token(x.End+2).Upper {
		set = or.after["-"+string(scan.LastRune(noun))]
	}
	return or.say.FirstSet(set, or.say.OrdinalSet)
}

// first returns the token of the first of several ordinals of which the one at i is the last:
// im 18. und 19. Jahrhundert.
func (or *Recognizer) first(in *scan.View, i int) int {
	j := in.Back(i - 1)
	if in.Is(j, '.') {
		j-- // im 18. u. 19. Jh.
	}
	if w := in.Text(j); j == i-1 || or.and == "" || w != or.and && !(in.Is(j+1, '.') && strings.HasPrefix(or.and, w)) {
		return i
	}
	k := in.Back(j - 1)
	if !in.Is(k, '.') || in.Kind(k-1) != scan.Digits || !in.Opens(k-1) {
		return i
	}
	return k - 1
}

// counted returns the word that ordinals before token j belong to. The last of several
// stands before it: w 12. i 67. minucie.
func (or *Recognizer) counted(in *scan.View, j int) string {
	for range 3 {
		if in.Text(j) != or.and || in.Kind(j+1) != scan.Space || in.Kind(j+2) != scan.Digits || !in.Is(j+3, '.') || in.Kind(j+4) != scan.Space {
			break
		}
		j += 5
	}
	return in.Text(j)
}

// ordinalOf says a number of n tokens as an ordinal by a rule.
func (or *Recognizer) ordinalOf(x scan.Number, rule string, n int) (string, int) {
	w, ok := or.say.Ordinal(x, rule, "")
	if !ok {
		return "", 0
	}
	return w, n
}

// Prefixed reads an ordinal with a written prefix: ka მე-5, id ke-XX.
func (or *Recognizer) Prefixed(in *scan.View, i int) scan.Outcome {
	rule, n := or.prefix.Match(in, i)
	if n == 0 || !in.Opens(i) {
		return scan.Outcome{}
	}
	x, ok := or.quantities.Number(in, i+n)
	if !ok {
		w, m := or.Roman(in, i+n, rule)
		if m == 0 {
			return scan.Outcome{}
		}
		return scan.Said(w, n+m)
	}
	if x.Frac != "" || x.Below != "" || !in.Closes(x.End) {
		return scan.Outcome{}
	}
	return scan.Said(or.ordinalOf(x, rule, x.End-i))
}

// alone reports whether what stands at j does not belong to the number before it. Then a
// word before the number may make it an ordinal: sw darasa la 2.
func (or *Recognizer) alone(in *scan.View, j int) bool {
	if !in.Closes(j) || in.Kind(j) == scan.Sign && in.Kind(j+1) == scan.Digits {
		return false
	}
	k := in.Skip(j)
	if in.Kind(k) == scan.Sign {
		// Punctuation that touches the number ends the form; a sign of a longer form does
		// not.
		return k == j && !in.IsPercent(k) && !in.IsOperator(k) && !scan.IsDash(in.Rune(k)) && !or.quantities.IsCurrency(in, k)
	}
	units := or.quantities.Unit(in, k)
	return in.Kind(k) != scan.Digits && units == 0 && !or.quantities.IsScale(in, k) && !or.quantities.IsCurrency(in, k)
}

// dotOrdinal reports whether a full stop after a number makes it an ordinal: a word
// follows, and the number has at most three digits, because a longer one more probably
// ends a sentence.
func (or *Recognizer) dotOrdinal(in *scan.View, x scan.Number) bool {
	next := x.End + 2
	if in.Is(next, '§') && or.say.OrdinalDot && or.after["§"] != "" && in.Is(x.End, '.') && in.Kind(x.End+1) == scan.Space && x.Whole[0] != '0' {
		return true
	}
	// No sentence ends before a comma: jeder 4., sagt er.
	if or.say.OrdinalDot && or.say.OrdinalSet != "" && x.Whole[0] != '0' && len(x.Whole) < 3 && in.Is(x.End, '.') && in.Is(x.End+1, ',') && or.agree.Before(in, x.Start) != "" {
		return true
	}
	if !or.say.OrdinalDot || or.say.OrdinalSet == "" || x.Whole[0] == '0' || !in.Is(x.End, '.') || in.Kind(x.End+1) != scan.Space || in.Kind(next) != scan.Word {
		return false
	}
	listed := or.after[in.Text(next)] != ""
	return (len(x.Whole) <= 3 || len(x.Whole) == 4 && listed) &&
		(listed || or.say.Code == "de" || !unicode.IsUpper(in.Token(next).R)) // only German writes nouns with capitals
}

// hyphenOrdinal reports whether a hyphen between a number and a word makes the number an
// ordinal, as in Kazakh, Kyrgyz and Uzbek: 5-sinf, 2024-yil. A single letter or capitals
// after the hyphen are a name: 5-A.
func (or *Recognizer) hyphenOrdinal(in *scan.View, x scan.Number) bool {
	return or.hyphen && or.say.OrdinalSet != "" && !x.Groups && !x.Minus && len(x.Whole) <= 4 && x.Whole[0] != '0' &&
		in.Is(x.End, '-') && in.Kind(x.End+1) == scan.Word && !in.Token(x.End+1).Upper && (scan.RuneLen(in.Text(x.End+1)) > 1 || in.Is(x.End+2, '.')) && !or.say.Endings.Marked(in, x.End)
}

// Marked reports whether a written suffix, or a hyphen before a word, makes the number
// before token j an ordinal.
func (or *Recognizer) Marked(in *scan.View, j int) bool {
	if _, n := or.suffix.Match(in, j); n > 0 && in.Closes(j+n) {
		return true
	}
	return or.hyphen && in.Is(j, '-') && in.Kind(j+1) == scan.Word && !or.say.Endings.Marked(in, j)
}
