package quantity

import (
	"strings"

	"vaak/text/normalize/cldr"
	"vaak/text/normalize/scan"
	"vaak/text/normalize/speak"
)

// amounts says numbers together with what they count.
type amounts struct{ say *speak.Speaker }

// sayQuantity says an amount.
func (qr *Recognizer) sayQuantity(in *scan.View, q amount) (string, bool) {
	w, ok := "", false
	switch {
	case q.percent && qr.units.percentWord[q.a.Whole] != "" && q.a.Frac == "" && q.a.Below == "" && !q.a.Minus && !q.ranged && q.scale == "":
		w, ok = qr.units.percentWord[q.a.Whole], true
	case q.percent && q.a.Minus && qr.units.percentBelow != nil:
		q.a.Minus = false
		w, ok = qr.amounts.count(q, qr.units.percentBelow, qr.units.percentGender())
	case q.percent:
		w, ok = qr.amounts.count(q, qr.units.percent, qr.units.percentGender())
	case q.money != "":
		w, ok = qr.money.count(q)
	case q.unit != nil:
		w, ok = qr.units.count(q)
	default:
		w, ok = qr.plain.count(in, q)
	}
	if !ok {
		return "", false
	}
	if v, ok := qr.say.Endings.Inflect(w, q.joined); ok {
		w = v
	}
	if q.lead != 0 {
		w = qr.say.Led(q.lead, w)
	}
	return w, true
}

// count puts an amount into the plural form that it takes, at the field {n}.
func (am *amounts) count(q amount, forms map[cldr.Category]string, gender string) (string, bool) {
	if len(forms) == 0 {
		return "", false
	}
	raw := speak.Pick(forms, am.category(q))
	if other := forms[cldr.Other]; q.a.Frac != "" && !strings.HasPrefix(raw, "{n") && strings.HasPrefix(other, "{n") {
		raw = other // some languages put the word for one after the noun, but not 1.5
	}
	form, set := speak.FieldSet(raw)
	// The form may name the rule set of its number. Without one the gender of the counted
	// thing decides.
	if set = am.say.FirstSet(set); set == "" {
		set = am.say.SetFor(gender)
	}
	if q.a.Below != "" && !q.ranged && q.scale == "" && q.unit != nil {
		if w := am.say.Part(q.a, "", "", gender); w != "" {
			if w, joined := strings.CutSuffix(w, "-"); joined {
				return strings.Replace(form, "{n} ", w+"-", 1), true
			}
			return speak.Fill1(form, "{n}", w), true
		}
	}
	if tail := am.say.Tail(q.a, "", "", gender); tail != "" && !q.ranged && q.scale == "" && q.unit != nil {
		q.a.Above, q.a.Below = "", ""
		w, ok := am.count(q, forms, gender)
		return am.say.Join(w, tail), ok
	}
	w, ok := am.sayNumbers(q, set)
	if !ok {
		return "", false
	}
	return speak.Fill1(form, "{n}", w), true
}

// sayNumbers says the number or range of an amount with its scale. A scale decides the
// gender of the number, as it is what the number counts.
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
		w = am.say.RangeBy(q.span, w, to)
	}
	if strings.Contains(q.scale, "{n}") {
		return speak.Fill1(q.scale, "{n}", w), true // sw milioni {n}
	}
	if _, dense := scan.Classify(scan.FirstRune(q.scale)); dense {
		return w + q.scale, true
	}
	return am.say.Join(w, q.scale), true
}

// category returns the plural category of what an amount counts. After a range it is
// that of the second number, after a scale that of a million.
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
		// A whole number with a fraction takes the plural of a decimal. Which decimal it is
		// makes no difference.
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

// partOperand returns the number whose plural category goes with a fraction below one: 1
// where a language has one form for all other numbers (half a kilogram), else 0.5.
func (am *amounts) partOperand() string {
	if two, _ := cldr.NewOperands("2"); am.say.Locale.Plural(two) == cldr.Other {
		return "1"
	}
	return "0.5"
}

// governed returns a rule set in the case that an amount stands in.
func (am *amounts) governed(q amount, set string) string {
	if !q.genitive {
		return set
	}
	return am.say.InGenitive(set)
}

// governedCategory returns the plural category whose form is the genitive of what a
// number counts. In languages where a number puts what it counts into the genitive, CLDR
// has that form already: the singular is the form of decimals (Other), the plural the
// form of Many.
func governedCategory(c cldr.Category) cldr.Category {
	switch c {
	case cldr.One:
		return cldr.Other
	case cldr.Few:
		return cldr.Many
	}
	return c
}
