package quantity

import (
	"cmp"
	"strings"
	"unicode"

	"vaak/text/normalize/scan"
	"vaak/text/normalize/speak"
)

// sayPlain says numbers without a unit or currency: a year, a range, a score or a plain
// number.
func (qr *Recognizer) sayPlain(in *scan.View, q amount) (string, bool) {
	if q.ranged && q.scale == "" && q.lead == 0 {
		return qr.sayPlainRange(in, q)
	}
	if q.scale == "" && q.lead == 0 && !q.a.Minus && qr.yearLike(in, q.a) {
		return qr.say.Year(q.a.Whole, "")
	}
	if speak.Numbered(in, q.a.Start) {
		return qr.amounts.sayNumbers(q, qr.say.Cardinal) // a name, not a count: fr TGV n° 6631 part
	}
	set := qr.agree.After(in, q.end).Set
	if q.a.Below != "" && q.scale == "" {
		if noun := qr.agree.Counted(in, q.end); noun == "" {
		} else if w := qr.say.Part(q.a, noun, set, ""); w != "" {
			return w, true
		}
	}
	return qr.amounts.sayNumbers(q, set)
}

// withTail says a whole number with a fraction and the noun after it where the language
// puts the fraction behind the noun: es 2½ tazas, dos tazas y media. It returns the words
// and the token after the noun, 0 when this is not so.
func (qr *Recognizer) withTail(in *scan.View, q amount) (string, int) {
	if q.a.Below == "" || q.ranged || q.scale != "" || q.money != "" || q.unit != nil || q.percent || q.a.Minus {
		return "", 0
	}
	noun := qr.agree.Counted(in, q.end)
	if noun == "" || unicode.IsUpper(scan.FirstRune(noun)) || !in.Closes(q.end+2) {
		return "", 0
	}
	set := qr.agree.After(in, q.end).Set
	tail := qr.say.Tail(q.a, noun, set, "")
	if tail == "" {
		return "", 0
	}
	w, ok := qr.say.Number(scan.Number{Whole: q.a.Whole}, set)
	if !ok {
		return "", 0
	}
	if q.lead != 0 {
		w = qr.say.Led(q.lead, w)
	}
	if singular := strings.TrimSuffix(noun, "s"); q.a.Whole == "1" && len(singular) > 2 && (qr.say.Code == "es" || qr.say.Code == "pt") {
		noun = singular // written 1½ litros, said un litro y medio
	}
	return qr.say.Join(w, noun, tail), q.end + 2
}

// sayPlainRange says a range of numbers or years, or a score.
func (qr *Recognizer) sayPlainRange(in *scan.View, q amount) (string, bool) {
	a, b := q.a, q.b
	// "2023-24", a school or business year: the second is the year after the first. Modulo
	// 100, as in 1999-00.
	if qr.yearSpan != "" && len(a.Whole) == 4 && len(b.Whole) == 2 && a.Decimal() == a.Whole && b.Decimal() == b.Whole && !a.Groups &&
		scan.Atoi(b.Whole) == (scan.Atoi(a.Whole)+1)%100 {
		x, ok := qr.say.Year(a.Whole, "")
		y, ok2 := qr.say.Int(scan.Atoi(b.Whole), "")
		return qr.say.Endings.Fill2(qr.yearSpan, "{a}", x, "{b}", y), ok && ok2
	}
	// Two years, of which the second may have two digits: 1939-45.
	if (qr.yearLike(in, a) || len(a.Whole) == 4 && qr.yearMark(in, b.End)) && b.Frac == "" && b.Below == "" && (len(b.Whole) == 4 || len(b.Whole) == 2) {
		x, ok := qr.say.Year(a.Whole, "")
		y, ok2 := qr.say.Year(b.Whole, "")
		return qr.say.RangeBy(q.span, x, y), ok && ok2
	}
	counted := qr.agree.After(in, q.end)
	first := counted.Set
	if counted.Last {
		first = qr.say.Cardinal
	}
	x, ok := qr.say.Number(a, qr.amounts.governed(q, first))
	y, ok2 := qr.say.Number(b, qr.amounts.governed(q, counted.Set))
	if !ok || !ok2 {
		return "", false
	}
	// Behind a part of the day the smaller number is the later hour: from ten to five.
	if qr.dayParts[in.Text(in.Back(a.Start-1))] && scan.Atoi(a.Whole) <= 12 && scan.Atoi(b.Whole) <= 12 && qr.say.Span != "" {
		return qr.say.Range(x, y), true
	}
	if q.falls && !qr.played(in, a.Start, b.End) && qr.say.Signs.Minus != "" {
		return qr.say.Join(x, qr.say.Signs.Minus, y), true
	}
	// Two small numbers of which the first is not smaller: "3-1" is a score, "1-3" a range.
	score := !qr.opening(in, a, b) && a.Frac == "" && b.Frac == "" && len(a.Whole) < 3 && len(b.Whole) < 3 && (qr.won(in, a.Start, b.End) && !qr.countsSport(in, a, b) || scan.Atoi(a.Whole) >= scan.Atoi(b.Whole) || inSets(in, a, b))
	if score && qr.score != "" {
		w, ok := qr.say.Pair(qr.score, a, b)
		if in.Is(b.End, '(') {
			w += " " // the points of a tie-break: 7-6(5)
		}
		return w, ok
	}
	if qr.say.Span == "" {
		if between := in.Span(a.End, b.Start); !strings.ContainsAny(between, "~〜～−") {
			return x + between + y, true
		}
	}
	return qr.say.RangeBy(cmp.Or(q.span, qr.say.SpanBefore[in.Text(in.Skip(b.End))]), x, y), true
}

// opening reports whether two numbers are hours of opening, after a day of the week or a
// part of the day: Sat. 10-2.
func (qr *Recognizer) opening(in *scan.View, a, b scan.Number) bool {
	if len(qr.hours) == 0 || scan.Atoi(a.Whole) > 12 || scan.Atoi(b.Whole) > 12 || scan.Atoi(b.Whole) == 0 || qr.won(in, a.Start, b.End) {
		return false
	}
	j := in.Back(a.Start - 1)
	for range 2 { // "Sat.," has two signs
		if in.Is(j, '.') || in.Is(j, ':') || in.Is(j, ',') || in.Is(j, '،') {
			j = in.Back(j - 1)
		}
	}
	return qr.hours[in.Text(j)]
}

// yearLike reports whether a number is read as a year: four digits from 1100 to 2099, in
// a language that says years differently from numbers.
func (qr *Recognizer) yearLike(in *scan.View, x scan.Number) bool {
	if x.Frac != "" || x.Groups || x.Below != "" || len(x.Whole) != 4 || x.Minus {
		return false
	}
	v := scan.Atoi(x.Whole)
	return qr.say.Years && v >= 1100 && v <= 2099 && yearAround(in, x)
}

// yearMark reports whether the mark after a year stands at i, in a language that has
// one: 2019-2024年.
func (qr *Recognizer) yearMark(in *scan.View, i int) bool {
	return qr.say.DateMarks[0] != "" && in.Text(i) == qr.say.DateMarks[0]
}

// yearAround reports whether nothing around a number shows that it is part of a formula
// or of a longer form.
func yearAround(in *scan.View, x scan.Number) bool {
	return in.Closes(x.End) && !in.IsOperator(in.Skip(x.End)) && !in.IsOperator(in.Back(x.Start-1))
}
