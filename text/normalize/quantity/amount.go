package quantity

import (
	"strings"

	"vaak/text/normalize/cldr"
	"vaak/text/normalize/scan"
	"vaak/text/normalize/speak"
)

// amounts says numbers with what they count.
type amounts struct{ say *speak.Speaker }

// sayQuantity puts a quantity in words.
func (qr *Recognizer) sayQuantity(in *scan.View, q amount) (string, bool) {
	w, ok := "", false
	switch {
	case q.percent:
		w, ok = qr.amounts.count(q, qr.units.percent, qr.units.percentGender())
	case q.money != "":
		w, ok = qr.money.count(q)
	case q.unit != nil:
		w, ok = qr.units.count(q)
	default:
		w, ok = qr.sayPlain(in, q)
	}
	if !ok {
		return "", false
	}
	if v, ok := qr.say.Endings.Inflect(w, q.joined); ok {
		w = v
	}
	if q.lead != 0 {
		w = qr.say.Join(qr.say.Signs.Lead(q.lead), w)
	}
	return w, true
}

// count puts a quantity into the pattern {n} of its plural category.
func (am *amounts) count(q amount, forms map[cldr.Category]string, gender string) (string, bool) {
	if len(forms) == 0 {
		return "", false
	}
	raw := speak.Pick(forms, am.category(q))
	if other := forms[cldr.Other]; q.a.Frac != "" && !strings.HasPrefix(raw, "{n") && strings.HasPrefix(other, "{n") {
		raw = other // one stands after its noun, but a part of one does not
	}
	form, set := speak.FieldSet(raw)
	if set = am.say.FirstSet(set); set == "" {
		set = am.say.SetFor(gender)
	}
	w, ok := am.sayNumbers(q, set)
	if !ok {
		return "", false
	}
	return speak.Fill1(form, "{n}", w), true
}

// sayNumbers reads the number or range of a quantity with its scale.
func (am *amounts) sayNumbers(q amount, set string) (string, bool) {
	if q.scale != "" {
		set = am.say.SetFor(q.of)
	}
	set = am.governed(q, set)
	w, ok := am.say.Number(q.a, set)
	if !ok {
		return "", false
	}
	if q.ranged {
		to, ok := am.say.Number(q.b, set)
		if !ok {
			return "", false
		}
		w = am.say.Range(w, to)
	}
	if strings.Contains(q.scale, "{n}") {
		return speak.Fill1(q.scale, "{n}", w), true // sw milioni {n}
	}
	if _, dense := scan.Classify(scan.FirstRune(q.scale)); dense {
		return w + q.scale, true
	}
	return am.say.Join(w, q.scale), true
}

// category returns the plural category that what is counted takes.
func (am *amounts) category(q amount) cldr.Category {
	x := q.a
	if q.ranged {
		x = q.b
	}
	d := x.Decimal()
	switch {
	case q.scale != "":
		d = "1000000"
	case x.Below != "" && x.Whole == "":
		d = am.partOperand()
	case x.Below != "":
		d = x.Whole + ".5"
	}
	o, ok := cldr.NewOperands(d)
	if !ok {
		return cldr.Other
	}
	if q.genitive {
		return governedCategory(am.say.Locale.Plural(o))
	}
	return am.say.Locale.Plural(o)
}

// partOperand returns the number whose plural form goes with a fraction below
// one: half a kilogram is one there, where other forms are only for more.
func (am *amounts) partOperand() string {
	if two, _ := cldr.NewOperands("2"); am.say.Locale.Plural(two) == cldr.Other {
		return "1"
	}
	return "0.5"
}

// governed returns a rule set in the case that a quantity stands in.
func (am *amounts) governed(q amount, set string) string {
	if !q.genitive {
		return set
	}
	return am.say.InGenitive(set)
}

// governedCategory returns the plural category whose form is the one that a
// number in the genitive takes. Where numbers in the nominative put what they
// count into the genitive, that form is there already: the singular's is the one
// of decimals, the plural's the one of many.
func governedCategory(c cldr.Category) cldr.Category {
	switch c {
	case cldr.One:
		return cldr.Other
	case cldr.Few:
		return cldr.Many
	}
	return c
}
