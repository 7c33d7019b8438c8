package normalize

import (
	"strings"

	"vaak/lang"
)

// compile makes the normalizer of a variant.
func compile(v variant) *Normalizer {
	n := &Normalizer{code: v.code, loc: v.loc, num: v.num, lex: v.lex, spaced: true}
	switch v.code {
	case "zh", "yue", "ja":
		n.spaced = false
	}
	switch v.code {
	case "bn", "as", "or", "mr", "ne", "gu", "ta", "te", "kn", "ml", "si", "kok", "sa", "mni":
		n.clings = true
	}
	n.monthFirst = v.code == "en" && v.region == "US"
	n.southAsian = southAsian(v.code)
	n.phones = n.southAsian || v.region == "IN"
	n.compileSets()
	n.compileNames()
	n.compilePatterns()
	n.compileTables()
	return n
}

// southAsian says that a language is of the region where numbers are lakh and
// crore.
func southAsian(code lang.Code) bool {
	switch code {
	case "hi", "bn", "ta", "te", "mr", "gu", "kn", "ml", "pa", "or", "as", "ur", "ne", "sd", "kok", "sa", "mai", "doi",
		"brx", "ks", "mni", "sat", "bho":
		return true
	}
	return false
}

// compileSets chooses the rule sets and the words of the digits.
func (n *Normalizer) compileSets() {
	if n.num == nil {
		return
	}
	n.cardinal = n.firstSet(n.lex.Word("cardinal"), "spellout-cardinal", "spellout-cardinal-masculine")
	if n.cardinal == "" {
		for _, set := range n.num.Sets() {
			if strings.HasPrefix(set, "spellout-cardinal") {
				n.cardinal = set
				break
			}
		}
	}
	n.counting = n.firstSet(n.lex.Word("counting"), n.cardinal)
	n.ordinal = n.firstSet(n.lex.Word("ordinal"), "spellout-ordinal", "spellout-ordinal-masculine")
	n.year = n.firstSet(n.lex.Word("year"), "spellout-numbering-year", n.cardinal)
	for d := range n.digit {
		w, _ := n.num.Format(n.cardinal, string(rune('0'+d)))
		n.digit[d] = strings.TrimSpace(w)
	}
	if w := n.lex.Word("digit.zero"); w != "" {
		n.digit[0] = w
	}
	a, _ := n.num.Format(n.year, "1984")
	b, _ := n.num.Format(n.cardinal, "1984")
	if rows := n.lex.Rows("year.hundreds"); len(rows) > 0 {
		n.hundreds = [2]string{rows[0].Value(0), rows[0].Value(1)}
	}
	n.years = (a != b || n.hundreds[0] != "") && !dated(n.code)
	one, _ := n.num.Format(n.cardinal, "1")
	below, _ := n.num.Format(n.cardinal, "-1")
	if w, ok := strings.CutSuffix(below, one); ok && one != "" {
		n.negative = strings.TrimSpace(w)
	}
	n.point = n.lex.Word("point")
	if n.point == "" {
		n.point = n.derivePoint()
	}
}

// dated says of a language whose way to read a year is right in a date only,
// where it is an ordinal or a row of digits.
func dated(code lang.Code) bool {
	switch code {
	case "ru", "pl", "lt", "uz", "zh", "yue", "ja":
		return true
	}
	return false
}

// firstSet returns the first of the rule sets that exists.
func (n *Normalizer) firstSet(sets ...string) string {
	for _, s := range sets {
		if s != "" && n.num != nil && n.num.Has(s) {
			return s
		}
	}
	return ""
}

// derivePoint finds the word for the point in a decimal; "" when the rules do
// not read decimals digit by digit.
func (n *Normalizer) derivePoint() string {
	w, ok := n.num.Format(n.cardinal, "2.34")
	if !ok {
		return ""
	}
	w, ok = strings.CutPrefix(w, n.digit[2])
	if !ok {
		return ""
	}
	w, ok = strings.CutSuffix(w, n.join(n.digit[3], n.digit[4]))
	if !ok {
		return ""
	}
	return strings.TrimSpace(w)
}
