package normalize

import (
	"strings"

	"vaak/text/normalize/cldr"
)

// sayMoney reads an amount of money.
func (n *Normalizer) sayMoney(q quantity) (string, bool) {
	m := n.tables.coins[q.money]
	if m == nil {
		return "", false
	}
	minor := len(m.minor) > 0 && len(q.a.frac) == 2 && !q.ranged && q.scale == "" && q.a.below == ""
	if !minor {
		return n.coins(q, m.major, m.majorGender)
	}
	cents := strings.TrimLeft(q.a.frac, "0")
	part := quantity{a: number{whole: cents, minus: false}}
	q.a.frac = ""
	whole := strings.Trim(q.a.whole, "0") != ""
	if cents == "" {
		return n.coins(q, m.major, m.majorGender)
	}
	if !whole {
		part.a.minus = q.a.minus
		return n.coins(part, m.minor, m.minorGender)
	}
	a, ok := n.coins(q, m.major, m.majorGender)
	if !ok {
		return "", false
	}
	b, ok := n.coins(part, m.minor, m.minorGender)
	return n.joined(n.patterns.moneyAnd, "{major}", a, "{minor}", b), ok
}

// coins reads a number of coins. A form that ends in {-} says the number itself,
// such as an Arabic dual.
func (n *Normalizer) coins(q quantity, forms map[cldr.Category]string, gender string) (string, bool) {
	last := strings.LastIndexByte(q.scale, ' ') + 1
	if w := n.tables.scaleMoney[q.scale[last:]]; w != "" {
		q.scale = q.scale[:last] + w
	}
	form, set := fieldSet(n.coinForm(q, forms))
	if set = n.firstSet(set); set == "" {
		set = n.setFor(gender)
	}
	w, ok := n.sayNumbers(q, set)
	if !ok || len(forms) == 0 {
		return "", false
	}
	if alone, ok := strings.CutSuffix(form, "{-}"); ok {
		return alone + q.ending, true
	}
	form += q.ending
	if strings.Contains(form, "{n}") {
		return fill1(form, "{n}", w), true
	}
	return fill2(n.patterns.money, "{n}", w, "{c}", form), true
}

// coinForm returns the form of a currency that a quantity takes. After million and
// the like it does not agree with the number.
func (n *Normalizer) coinForm(q quantity, forms map[cldr.Category]string) string {
	if q.scale != "" {
		if _, dual := forms[cldr.Two]; dual {
			return forms[cldr.Other]
		}
		if f, ok := forms[cldr.Many]; ok && !n.countsMany() {
			return f
		}
	}
	return pick(forms, n.category(q))
}

// countsMany says that numbers of the language take the category many. Where none
// does, the lexicon has it for the currency of a million.
func (n *Normalizer) countsMany() bool {
	for _, sample := range [...]string{"5", "11", "1.5", "1000000"} {
		if x, ok := cldr.NewOperands(sample); ok && n.loc.Plural(x) == cldr.Many {
			return true
		}
	}
	return false
}
