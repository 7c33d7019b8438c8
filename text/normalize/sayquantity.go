package normalize

import (
	"strings"

	"vaak/text/normalize/cldr"
)

// sayQuantity puts a quantity in words.
func (c *cursor) sayQuantity(q quantity) (string, bool) {
	n := c.Normalizer
	w, ok := "", false
	switch {
	case q.percent:
		w, ok = n.count(q, n.patterns.percent, n.percentGender())
	case q.money != "":
		w, ok = n.sayMoney(q)
	case q.unit != nil:
		w, ok = n.countUnit(q)
	default:
		w, ok = n.sayPlain(c, q)
	}
	if !ok {
		return "", false
	}
	if v, ok := n.inflected(w, q.joined); ok {
		w = v
	}
	if q.lead != 0 {
		w = n.join(n.leadName(q.lead), w)
	}
	return w, true
}

// count puts a quantity into the pattern {n} of its plural category.
func (n *Normalizer) count(q quantity, forms map[cldr.Category]string, gender string) (string, bool) {
	if len(forms) == 0 {
		return "", false
	}
	raw := pick(forms, n.category(q))
	if other := forms[cldr.Other]; q.a.frac != "" && !strings.HasPrefix(raw, "{n") && strings.HasPrefix(other, "{n") {
		raw = other // one stands after its noun, but a part of one does not
	}
	form, set := fieldSet(raw)
	if set = n.firstSet(set); set == "" {
		set = n.setFor(gender)
	}
	w, ok := n.sayNumbers(q, set)
	if !ok {
		return "", false
	}
	return fill1(form, "{n}", w), true
}

// sayNumbers reads the number or range of a quantity with its scale.
func (n *Normalizer) sayNumbers(q quantity, set string) (string, bool) {
	if q.scale != "" {
		set = n.setFor(q.of)
	}
	set = n.governed(q, set)
	w, ok := n.say(q.a, set)
	if !ok {
		return "", false
	}
	if q.ranged {
		to, ok := n.say(q.b, set)
		if !ok {
			return "", false
		}
		w = n.sayRange(w, to)
	}
	if strings.Contains(q.scale, "{n}") {
		return fill1(q.scale, "{n}", w), true // sw milioni {n}
	}
	if _, dense := classify(firstRune(q.scale)); dense {
		return w + q.scale, true
	}
	return n.join(w, q.scale), true
}

// category returns the plural category that what is counted takes.
func (n *Normalizer) category(q quantity) cldr.Category {
	x := q.a
	if q.ranged {
		x = q.b
	}
	d := x.decimal()
	switch {
	case q.scale != "":
		d = "1000000"
	case x.below != "" && x.whole == "":
		d = n.partOperand()
	case x.below != "":
		d = x.whole + ".5"
	}
	o, ok := cldr.NewOperands(d)
	if !ok {
		return cldr.Other
	}
	if q.genitive {
		return governedCategory(n.loc.Plural(o))
	}
	return n.loc.Plural(o)
}

// partOperand returns the number whose plural form goes with a fraction below
// one: half a kilogram is one there, where other forms are only for more.
func (n *Normalizer) partOperand() string {
	if two, _ := cldr.NewOperands("2"); n.loc.Plural(two) == cldr.Other {
		return "1"
	}
	return "0.5"
}

// setFor returns the rule set for what has a gender.
func (n *Normalizer) setFor(gender string) string {
	if gender == "" {
		return n.counting
	}
	if set := n.firstSet(n.tables.gender[gender], "spellout-cardinal-"+gender); set != "" {
		return set
	}
	return n.counting
}
