package quantity

import (
	"cmp"
	"strings"
	"unicode"

	"vaak/text/normalize/cldr"
	"vaak/text/normalize/scan"
	"vaak/text/normalize/speak"
	"vaak/text/normalize/sport"
)

// plain says amounts that have neither a unit nor a currency.
type plain struct {
	say      *speak.Speaker
	agree    *speak.Agreement
	amounts  *amounts
	results  *sport.Results
	yearSpan string          // the pattern of two years that follow each other
	dayParts map[string]bool // parts of the day before hours: morning
	hours    map[string]bool // words before hours of opening
}

// count says numbers without a unit or currency: a year, a range, a score or a plain
// number.
func (pl *plain) count(in *scan.View, q amount) (string, bool) {
	if q.ranged && q.scale == "" && q.lead == 0 {
		return pl.span(in, q)
	}
	if q.scale == "" && q.lead == 0 && !q.a.Minus && pl.yearLike(in, q.a) {
		return pl.say.Year(q.a.Whole, "")
	}
	if speak.Numbered(in, q.a.Start) {
		return pl.amounts.sayNumbers(q, pl.say.Cardinal) // a name, not a count: fr TGV n° 6631 part
	}
	counted := pl.agree.After(in, q.end)
	set := counted.Set
	if counted.Only != cldr.Other && pl.amounts.category(q) != counted.Only {
		set = pl.say.Cardinal
	}
	if q.a.Below != "" && q.scale == "" {
		if noun := pl.agree.Counted(in, q.end); noun == "" {
		} else if w := pl.say.Part(q.a, noun, set, ""); w != "" {
			return w, true
		}
	}
	return pl.amounts.sayNumbers(q, set)
}

// withTail says a whole number with a fraction and the noun after it where the language
// puts the fraction behind the noun: es 2½ tazas, dos tazas y media. It returns the words
// and the token after the noun, 0 when this is not so.
func (pl *plain) withTail(in *scan.View, q amount) (string, int) {
	if q.a.Below == "" || q.ranged || q.scale != "" || q.money != "" || q.unit != nil || q.percent || q.a.Minus {
		return "", 0
	}
	noun := pl.agree.Counted(in, q.end)
	if noun == "" || unicode.IsUpper(scan.FirstRune(noun)) || !in.Closes(q.end+2) {
		return "", 0
	}
	set := pl.agree.After(in, q.end).Set
	tail := pl.say.Tail(q.a, noun, set, "")
	if tail == "" {
		return "", 0
	}
	w, ok := pl.say.Number(scan.Number{Whole: q.a.Whole}, set)
	if !ok {
		return "", 0
	}
	if q.lead != 0 {
		w = pl.say.Led(q.lead, w)
	}
	if singular := strings.TrimSuffix(noun, "s"); q.a.Whole == "1" && len(singular) > 2 && (pl.say.Code == "es" || pl.say.Code == "pt") {
		noun = singular // written 1½ litros, said un litro y medio
	}
	return pl.say.Join(w, noun, tail), q.end + 2
}

// span says a range of numbers or years, or a score.
func (pl *plain) span(in *scan.View, q amount) (string, bool) {
	a, b := q.a, q.b
	// "2023-24", a school or business year: the second is the year after the first. Modulo
	// 100, as in 1999-00.
	if pl.yearSpan != "" && len(a.Whole) == 4 && len(b.Whole) == 2 && a.Decimal() == a.Whole && b.Decimal() == b.Whole && !a.Groups &&
		scan.Atoi(b.Whole) == (scan.Atoi(a.Whole)+1)%100 {
		x, ok := pl.say.Year(a.Whole, "")
		y, ok2 := pl.say.Int(scan.Atoi(b.Whole), "")
		return pl.say.Endings.Fill2(pl.yearSpan, "{a}", x, "{b}", y), ok && ok2
	}
	// Two years, of which the second may have two digits: 1939-45.
	if (pl.yearLike(in, a) || len(a.Whole) == 4 && pl.yearMark(in, b.End)) && b.Frac == "" && b.Below == "" && (len(b.Whole) == 4 || len(b.Whole) == 2) {
		x, ok := pl.say.Year(a.Whole, "")
		y, ok2 := pl.say.Year(b.Whole, "")
		return pl.say.RangeBy(q.span, x, y), ok && ok2
	}
	counted := pl.agree.After(in, q.end)
	first := counted.Set
	if counted.Only != cldr.Other && pl.amounts.category(q) != counted.Only {
		counted.Set = pl.say.Cardinal
	}
	if counted.Last || counted.Only != cldr.Other {
		first = pl.say.Cardinal
	}
	x, ok := pl.say.Number(a, pl.amounts.governed(q, first))
	y, ok2 := pl.say.Number(b, pl.amounts.governed(q, counted.Set))
	if !ok || !ok2 {
		return "", false
	}
	// Behind a part of the day the smaller number is the later hour: from ten to five.
	if pl.dayParts[in.Text(in.Back(a.Start-1))] && scan.Atoi(a.Whole) <= 12 && scan.Atoi(b.Whole) <= 12 && pl.say.Span != "" {
		return pl.say.Range(x, y), true
	}
	if q.falls && !pl.results.Played(in, a.Start, b.End) && pl.say.Signs.Minus != "" {
		return pl.say.Join(x, pl.say.Signs.Minus, y), true
	}
	if pl.results.Pattern != "" && !pl.opening(in, a, b) && pl.results.Dashed(in, a, b) {
		w, ok := pl.say.Pair(pl.results.Pattern, a, b)
		if in.Is(b.End, '(') {
			w += " " // the points of a tie-break: 7-6(5)
		}
		return w, ok
	}
	if pl.say.Span == "" {
		if between := in.Span(a.End, b.Start); !strings.ContainsAny(between, "~〜～−") {
			return x + between + y, true
		}
	}
	return pl.say.RangeBy(cmp.Or(q.span, pl.say.SpanBefore[in.Text(in.Skip(b.End))]), x, y), true
}

// opening reports whether two numbers are hours of opening, after a day of the week or a
// part of the day: Sat. 10-2.
func (pl *plain) opening(in *scan.View, a, b scan.Number) bool {
	if len(pl.hours) == 0 || scan.Atoi(a.Whole) > 12 || scan.Atoi(b.Whole) > 12 || scan.Atoi(b.Whole) == 0 || pl.results.Won(in, a.Start, b.End) {
		return false
	}
	j := in.Back(a.Start - 1)
	for range 2 { // "Sat.," has two signs
		if in.Is(j, '.') || in.Is(j, ':') || in.Is(j, ',') || in.Is(j, '،') {
			j = in.Back(j - 1)
		}
	}
	return pl.hours[in.Text(j)]
}

// yearLike reports whether a number is read as a year: four digits from 1100 to 2099, in
// a language that says years differently from numbers.
func (pl *plain) yearLike(in *scan.View, x scan.Number) bool {
	if x.Frac != "" || x.Groups || x.Below != "" || len(x.Whole) != 4 || x.Minus {
		return false
	}
	v := scan.Atoi(x.Whole)
	return pl.say.Years && v >= 1100 && v <= 2099 && yearAround(in, x)
}

// yearMark reports whether the mark after a year stands at i, in a language that has
// one: 2019-2024年.
func (pl *plain) yearMark(in *scan.View, i int) bool {
	return pl.say.DateMarks[0] != "" && in.Text(i) == pl.say.DateMarks[0]
}

// yearAround reports whether nothing around a number shows that it is part of a formula
// or of a longer form.
func yearAround(in *scan.View, x scan.Number) bool {
	return in.Closes(x.End) && !in.IsOperator(in.Skip(x.End)) && !in.IsOperator(in.Back(x.Start-1))
}
