package normalize

import (
	"slices"
	"strings"

	"vaak/text/normalize/cldr"
)

// patterns are how forms of more than one part are put together; "" where the
// language has none.
type patterns struct {
	span, yearSpan, counterSpan string // {a} {b}
	ratio, score, rating        string // {a} {b}
	percent                     map[cldr.Category]string
	fraction                    map[cldr.Category]string
	mixed                       string // a number with a fraction

	ordinal                   string
	ordinalDot, ordinalHyphen bool // a full stop, or a hyphen before a word, makes an ordinal

	date, dayMonth, monthYear            string
	monthFirst, monthFirstDay, yearFirst string // by what was written first
	weekday, dayAfter                    string // the day of the week before a date, and in brackets after it
	yearNamed                            bool   // a date says the word for the year by itself

	clock, hour, second string
	twelve, twelveHour  string // with am or pm
	clock24, hour24     string // for hours from 13 on and 0
	am, pm, oh          string

	money, moneyAnd, per string
	hyphened             string // between the numbers of an address
}

// compilePatterns reads the patterns, those that are missing from CLDR.
func (n *Normalizer) compilePatterns() {
	w := n.lex.Word
	or := func(key, other string) string {
		if p := w(key); p != "" {
			return p
		}
		return other
	}
	p := &n.patterns
	*p = patterns{
		span: w("range"), yearSpan: w("range.year"), counterSpan: w("counter.range"),
		ratio: w("ratio"), score: or("score", w("ratio")), rating: w("rating"),
		percent: categories(n.lex.Forms("percent")), fraction: categories(n.lex.Forms("fraction.other")),
		mixed:   or("fraction.mixed", n.join("{n}", "{f}")),
		ordinal: w("ordinal.pattern"), ordinalDot: w("ordinal.dot") == "yes", ordinalHyphen: w("ordinal.hyphen") == "yes",

		date: or("date", n.longDate()), yearFirst: w("date.year-first"),
		monthFirst: w("date.month-first"), monthFirstDay: w("date.month-first.day-month"),
		weekday: or("date.weekday", "{weekday}, {date}"), dayAfter: w("date.weekday-after"),

		clock: w("time"), hour: w("time.hour"), second: w("time.second"),
		twelve: w("time.12"), twelveHour: w("time.12.hour"), clock24: w("time.24"), hour24: w("time.24.hour"),
		am: or("time.am", n.loc.AM), pm: or("time.pm", n.loc.PM), oh: w("time.oh"),

		money: or("money.pattern", n.join("{n}", "{c}")), moneyAnd: or("money.and", n.join("{major}", "{minor}")),
		per: w("per"), hyphened: w("address.hyphen"),
	}
	p.dayMonth, p.monthYear = or("date.day-month", cut(p.date, "{y}")), or("date.month-year", cutDay(p.date))
	p.yearNamed = slices.ContainsFunc(n.lex.List("year.word"), func(w string) bool { return strings.Contains(p.date, "} "+w) })
	if p.percent == nil {
		p.percent = n.unitForms(n.loc.Units["concentr-percent"].Forms)
	}
}

// fill returns a pattern with its fields, such as {n} or {d:spellout-ordinal},
// replaced. The function is given a field's name and what stands after its
// colon; it says false when the field cannot be said, and so does fill.
func fill(pattern string, value func(name, set string) (string, bool)) (string, bool) {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(pattern, "{")
		b.WriteString(before)
		if !found {
			return b.String(), true
		}
		field, after, closed := strings.Cut(rest, "}")
		if !closed {
			return "", false
		}
		name, set, _ := strings.Cut(field, ":")
		v, ok := value(name, set)
		if !ok {
			return "", false
		}
		b.WriteString(v)
		pattern = after
	}
}

// fill1 returns a pattern with one field replaced.
func fill1(pattern, field, value string) string {
	return strings.Replace(pattern, field, value, 1)
}

// fill2 returns a pattern with two fields replaced, neither of which is looked
// for in the value of the other.
func fill2(pattern, field1, value1, field2, value2 string) string {
	i := strings.Index(pattern, field1)
	j := strings.Index(pattern, field2)
	if i < 0 {
		return fill1(pattern, field2, value2)
	}
	if j < 0 {
		return fill1(pattern, field1, value1)
	}
	if j < i {
		i, j, field1, field2, value1, value2 = j, i, field2, field1, value2, value1
	}
	return pattern[:i] + value1 + pattern[i+len(field1):j] + value2 + pattern[j+len(field2):]
}
