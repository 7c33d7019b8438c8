package ordinal

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"vaak/text/normalize/locale"
	"vaak/text/normalize/scan"
)

// romanNoun is a word after a roman numeral.
type romanNoun struct {
	rule string // by which the numeral is said
	// whole is the word of which it is an abbreviation, "" for none, and cases are other
	// forms of that word, by the case in the name of the numeral's rule set.
	whole string
	cases map[string]string
}

func newRomanNoun(r locale.Row) romanNoun {
	noun := romanNoun{rule: r.Value(1), cases: map[string]string{}}
	for form := range strings.SplitSeq(r.Value(2), " | ") {
		if of, w, ok := strings.Cut(form, "="); ok {
			noun.cases[of] = w
		} else {
			noun.whole = form
		}
	}
	return noun
}

// in returns the whole word in the case of a rule set.
func (noun romanNoun) in(set string) string {
	if w := noun.cases[set[strings.LastIndexByte(set, '-')+1:]]; w != "" {
		return w
	}
	return noun.whole
}

// RomanBeforeNoun reads a roman numeral, or a range of two, when the word after it is used
// with roman numerals, such as century.
func (or *Recognizer) RomanBeforeNoun(in *scan.View, i int) (string, int) {
	v := Value(in.Text(i))
	j := i + 1
	if in.Is(j, '.') && or.say.OrdinalDot {
		j++
	}
	from, both := 0, false
	switch {
	case in.Kind(j) == scan.Sign && (scan.IsDash(in.Rune(j)) || in.Is(j, '/')) && in.Kind(j+1) == scan.Word && Value(in.Text(j+1)) > v:
		both = in.Is(j, '/')
		from, v = v, Value(in.Text(j+1))
		j += 2
	case v > 0 && or.and != "" && in.Kind(j) == scan.Space && in.Text(j+1) == or.and && in.Kind(j+2) == scan.Space && in.Kind(j+3) == scan.Word && Value(in.Text(j+3)) > v:
		both = true // XIX i XX wieku
		from, v = v, Value(in.Text(j+3))
		j += 4
	}
	if from > 0 && in.Is(j, '.') && or.say.OrdinalDot {
		j++
	}
	k := in.Skip(j)
	if v == 0 || !in.Opens(i) || k == j {
		return "", 0
	}
	noun, n := or.romanAfter.Match(in, k)
	rule := noun.rule
	if n == 0 && or.romanDot && j > i+1 && in.Is(j-1, '.') && len(in.Text(i)) > 1 && in.Capitalized(k) {
		rule, n, noun.whole = or.say.OrdinalSet, 1, "" // before the name of a monarch: tr XIV. Louis
	}
	if n == 0 || !in.Closes(k+n) {
		return "", 0
	}
	if set := or.cases[in.Text(in.Back(i-1))]; set != "" && noun.whole != "" {
		rule = set
	} else if set := or.agree.Before(in, i); strings.Contains(set, "ordinal") && !strings.Contains(rule, "{") && !strings.Contains(rule, "feminine") {
		rule = set
	}
	w, ok := or.say.ByRule(v, rule)
	if ok && from > 0 {
		var a string
		a, ok = or.say.ByRule(from, rule)
		if both {
			w = or.say.Join(or.say.Join(a, or.and), w)
		} else {
			w = or.say.Range(a, w)
		}
	}
	if !ok {
		return "", 0
	}
	if noun.whole != "" {
		return or.say.Join(w, noun.in(rule)), k + n - i
	}
	return w, j - i
}

// Roman reads the roman numeral at i, as a cardinal or by a rule.
func (or *Recognizer) Roman(in *scan.View, i int, rule string) (string, int) {
	if in.Kind(i) != scan.Word || !in.Closes(i+1) || !in.Opens(i) {
		return "", 0
	}
	v := Value(in.Text(i))
	// Before an apostrophe or full stop and letters it is a letter: I'm, V.I.P.
	if v == 0 || in.Kind(i+2) == scan.Word && (in.Is(i+1, '\'') || in.Is(i+1, '’') || in.Is(i+1, '.')) {
		return "", 0
	}
	// Alone these are letters of the alphabet: Typ C, Teil D, Leo M.
	switch in.Text(i) {
	case "C", "D", "L", "M":
		return "", 0
	}
	w, ok := or.say.ByRule(v, rule)
	if !ok {
		return "", 0
	}
	if m := in.Skip(i + 2); rule != "" && or.say.OrdinalDot && in.Is(i+1, '.') && in.Kind(m) == scan.Word && unicode.IsLower(in.Token(m).R) {
		return w, 2 // the full stop marks the ordinal
	}
	return w, 1
}

// RomanBehind reads a roman numeral of two letters or more behind a word of a script that has
// none of its letters: सेमेस्टर II. Nothing else is written so there.
func (or *Recognizer) RomanBehind(in *scan.View, i int) (string, int) {
	w, before, next := in.Text(i), in.Back(i-1), in.Skip(i+1)
	v := Value(w)
	if v == 0 || len(w) < 2 || strings.Trim(w, "IVX") != "" || strings.Trim(w, "X") == "" || before == i-1 || in.Kind(before) != scan.Word || in.Rune(before) < 0x590 {
		return "", 0
	}
	if !in.Opens(i) || !in.Closes(i+1) || in.Kind(next) == scan.Word && in.Rune(next) < 0x590 {
		return "", 0
	}
	s, ok := or.say.ByRule(v, or.say.Lexicon.Word("roman.behind"))
	if !ok {
		return "", 0
	}
	return s, 1
}

// Value returns the value of a roman numeral in capitals, from 1 to 3999; 0 for anything
// else.
func Value(s string) int {
	if r := scan.FirstRune(s); r >= 'Ⅰ' && r <= 'Ⅿ' && utf8.RuneLen(r) == len(s) {
		return romans[r-'Ⅰ']
	}
	if s == "" || len(s) > 15 || strings.IndexByte("IVXLCDM", s[0]) < 0 {
		return 0
	}
	v := 0
	// Thousands, hundreds, tens and ones in this order; of each the longest that fits.
	for _, rest := range [...][]string{
		{"", "M", "MM", "MMM"}, {"", "C", "CC", "CCC", "CD", "D", "DC", "DCC", "DCCC", "CM"},
		{"", "X", "XX", "XXX", "XL", "L", "LX", "LXX", "LXXX", "XC"}, {"", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX"},
	} {
		best := 0
		for d := range rest {
			if strings.HasPrefix(s, rest[d]) && len(rest[d]) >= len(rest[best]) {
				best = d
			}
		}
		s = s[len(rest[best]):]
		v = v*10 + best
	}
	if s != "" {
		return 0
	}
	return v
}

// romans are the values of the characters from U+2160 on, which are whole numerals.
var romans = [...]int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 50, 100, 500, 1000}

// Sign reads a roman numeral that is one character: 제Ⅲ장. It follows the words around
// it as letters do.
func (or *Recognizer) Sign(in *scan.View, i int) scan.Outcome {
	r := in.Rune(i)
	if r >= 'ⅰ' && r <= 'ⅿ' {
		r -= 'ⅰ' - 'Ⅰ'
	}
	if r < 'Ⅰ' || r > 'Ⅿ' {
		return scan.Outcome{}
	}
	rule := ""
	if i == in.Expected && in.Expectation == scan.ExpectRoman {
		rule = in.Rule
	} else if after, n := or.romanAfter.Match(in, in.Skip(i+1)); n > 0 {
		rule = after.rule
	}
	w, ok := or.say.ByRule(romans[r-'Ⅰ'], rule)
	if !ok {
		return scan.Outcome{}
	}
	return scan.Said(w, 1)
}

// RomanStem returns the length of the roman numeral at the start of a word that ends in
// an ordinal suffix, XIXe; 0 for other words. Only I, V and X count, which suffice for
// centuries, monarchs and chapters.
func (or *Recognizer) RomanStem(w string) int {
	k := 0
	for k < len(w) && (w[k] == 'I' || w[k] == 'V' || w[k] == 'X') {
		k++
	}
	if k == 0 || k == len(w) || k > 6 || or.attached[w[k:]] == "" || Value(w[:k]) == 0 {
		return 0
	}
	return k
}

// RomanOrdinal reads a roman numeral with an ordinal suffix: XIXe, XX-lea. One letter with
// a suffix of one letter, such as Va, may also be a word. It is read as a numeral only
// before a noun that is used with roman numerals: Ve République.
func (or *Recognizer) RomanOrdinal(in *scan.View, i int) (string, int) {
	w := in.Text(i)
	if !in.Opens(i) {
		return "", 0
	}
	if k := or.RomanStem(w); k > 0 && in.Closes(i+1) && (k > 1 || scan.RuneLen(w) > 2 && w[0] == 'I' && !in.Token(i).Upper || or.romanBefore(in, i+1)) {
		return or.sayRomanOrdinal(w[:k], or.attached[w[k:]], 1)
	}
	v := Value(w)
	if v == 0 || in.Kind(i+1) != scan.Sign {
		return "", 0
	}
	if w, n := or.stem(in, i, scan.Number{Whole: strconv.Itoa(v), End: i + 1}); n > 0 {
		return w, n // pl XX-wieczny
	}
	rule, n := or.suffix.Match(in, i+1)
	if n < 2 || !in.Closes(i+1+n) {
		return "", 0
	}
	return or.sayRomanOrdinal(w, rule, 1+n)
}

// romanBefore reports whether, after a space at j, a word follows that is used with a roman
// numeral before it.
func (or *Recognizer) romanBefore(in *scan.View, j int) bool {
	k := in.Skip(j)
	_, n := or.romanAfter.Match(in, k)
	return k > j && n > 0 && in.Closes(k+n)
}

// sayRomanOrdinal says a roman numeral as an ordinal, with the number of tokens that it
// takes.
func (or *Recognizer) sayRomanOrdinal(numeral, rule string, tokens int) (string, int) {
	return or.ordinalOf(scan.Number{Whole: strconv.Itoa(Value(numeral))}, rule, tokens)
}
