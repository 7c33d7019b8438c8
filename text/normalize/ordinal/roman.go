package ordinal

import (
	"strconv"
	"strings"
	"unicode"

	"vaak/text/normalize/scan"
)

// RomanBeforeNoun reads a roman numeral, or a range of two, when the word after it is used
// with roman numerals, such as century.
func (or *Recognizer) RomanBeforeNoun(in *scan.View, i int) (string, int) {
	v := Value(in.Text(i))
	j := i + 1
	if in.Is(j, '.') && or.say.OrdinalDot {
		j++
	}
	from := 0
	if in.Kind(j) == scan.Sign && scan.IsDash(in.Rune(j)) && in.Kind(j+1) == scan.Word && Value(in.Text(j+1)) > v {
		from, v = v, Value(in.Text(j+1))
		j += 2
	}
	k := in.Skip(j)
	if v == 0 || !in.Opens(i) || k == j {
		return "", 0
	}
	rule, n := or.romanAfter.Match(in, k)
	if n == 0 || !in.Closes(k+n) {
		return "", 0
	}
	if set := or.agree.Before(in, i); strings.Contains(set, "ordinal") && !strings.Contains(rule, "{") {
		rule = set
	}
	w, ok := or.say.ByRule(v, rule)
	if ok && from > 0 {
		var a string
		a, ok = or.say.ByRule(from, rule)
		w = or.say.Range(a, w)
	}
	if !ok {
		return "", 0
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
	w, ok := or.say.ByRule(v, rule)
	if !ok {
		return "", 0
	}
	if m := in.Skip(i + 2); rule != "" && or.say.OrdinalDot && in.Is(i+1, '.') && in.Kind(m) == scan.Word && unicode.IsLower(in.Token(m).R) {
		return w, 2 // the full stop marks the ordinal
	}
	return w, 1
}

// Value returns the value of a roman numeral in capitals, from 1 to 3999; 0 for anything
// else.
func Value(s string) int {
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
	if v := Value(w); v == 0 || in.Kind(i+1) != scan.Sign {
		return "", 0
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
