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
	if !minor && q.a.frac == "00" && !q.ranged && q.scale == "" {
		q.a.frac = "" // a price in whole coins
	}
	if !minor {
		return n.coins(q, m.major, m.majorGender)
	}
	cents := strings.TrimLeft(q.a.frac, "0")
	part := quantity{a: number{whole: cents, minus: false}, genitive: q.genitive}
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

func (c *cursor) currencySign(j int) bool {
	_, n := c.tables.currency.match(c, j)
	return n > 0
}

// prefixed says that a currency of n tokens at j stands before a number, and is
// not the end of a longer word.
func (c *cursor) prefixed(j, n int) bool {
	if c.kind(j) == word && (!c.opens(j) || c.toks[j].dense) {
		return false // a dense one follows its number
	}
	k := c.skip(j + n)
	return c.kind(k) == digits || c.leadingPoint(k) || (c.is(k, '-') || c.is(k, '−')) && c.kind(k+1) == digits || vulgarAt(c, k)
}

// nextPrice says that a currency sign after a space belongs to the number that
// follows it: "2 $5 notes".
func (c *cursor) nextPrice(j, n int) bool {
	return c.kind(j-1) == space && c.kind(j+n) == digits
}

// moneyTail takes the /- that ends prices in South Asia, the /= of East Africa,
// and the ,- of round prices in Europe.
func (c *cursor) moneyTail(q *quantity) {
	c.roundTail(q)
	if c.is(q.end, '/') && (c.is(q.end+1, '-') || c.is(q.end+1, '–') || c.is(q.end+1, '=')) && c.closes(q.end+2) {
		q.end += 2
	}
}

// roundTail takes the dash for no cents, as in € 25,- and 500,– kr, after the
// number at the end of q.
func (c *cursor) roundTail(q *quantity) {
	if c.loc.Decimal != "," || q.a.frac != "" || !c.is(q.end, ',') {
		return
	}
	j := q.end + 1
	for k := j; k < j+2 && c.kind(k) == sign && dash(c.rune(k)); k++ {
		q.end = k + 1
	}
}

// unnamed leaves out the currency of an amount when its name is written after it,
// too: ₹500 रुपये, ৳500 টাকায়. In South Asia the name may have another ending.
func (c *cursor) unnamed(w string, q quantity) string {
	j := c.skip(q.end)
	if q.counted != 0 || j == q.end || c.kind(j) != word || c.tables.coins[q.money] == nil {
		return w
	}
	for _, form := range c.tables.coins[q.money].major {
		bare, ok := strings.CutSuffix(w, " "+form)
		if !ok {
			continue
		}
		if r := []rune(form); c.southAsian && len(r) >= 3 {
			form = string(r[:3])
		} else if c.text(j) != form {
			return w
		}
		if strings.HasPrefix(c.text(j), form) {
			return bare
		}
	}
	return w
}
