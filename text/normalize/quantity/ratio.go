package quantity

import (
	"strings"

	"vaak/text/normalize/scan"
	"vaak/text/normalize/speak"
)

// Ratio reads 3:2 and 16:9 where they are no times; as a score, after a word that
// announces one.
func (qr *Recognizer) Ratio(in *scan.View, i int) scan.Outcome {
	if qr.ratio == "" || !in.Is(i+1, ':') || in.Kind(i+2) != scan.Digits || !in.Opens(i) || !in.Closes(i+3) {
		return scan.Outcome{}
	}
	if in.Is(i-1, ':') || in.Is(i+3, ':') && in.Kind(i+4) == scan.Digits && (strings.Contains(qr.ratio, ":") || in.Is(i+5, ':') || !in.Closes(i+5) || scan.RuneLen(in.Text(i+4)) > 3) {
		return scan.Outcome{}
	}
	a, ok := qr.numbers.at(in, i)
	b, ok2 := qr.numbers.at(in, i+2)
	if !ok || !ok2 || a.End != i+1 {
		return scan.Outcome{}
	}
	// The scale of a map, with a space in the number in any language: 1:50 000.
	if a.Whole == "1" && !b.Groups && b.End == i+3 && Thousands(in, b.End) {
		b.Whole, b.End = b.Whole+"000", b.End+2
	}
	p := qr.ratio
	if qr.score != "" && (qr.played(in, i, b.End) || inSets(in, a, b)) {
		p = qr.score
	}
	w, ok := qr.say.Pair(p, a, b)
	if !ok {
		return scan.Outcome{}
	}
	end := b.End
	if in.Is(end, '(') {
		w += " " // the points of a tie-break: 7:6(5)
	}
	// 3:2:1
	if in.Is(end, ':') && in.Kind(end+1) == scan.Digits && !strings.Contains(p, ":") {
		c, ok := qr.say.Int(scan.Atoi(scan.Arabic(in.Text(end+1))), "")
		if !ok {
			return scan.Outcome{}
		}
		w, end = qr.say.Endings.Fill2(p, "{a}", w, "{b}", c), end+2
	}
	return scan.Said(w, end-i)
}

// Thousands reports whether a space and three noughts stand at i, as after the first
// digits of a large number.
func Thousands(in *scan.View, i int) bool {
	return in.Skip(i) > i && in.Kind(i+1) == scan.Digits && in.Text(i+1) == "000" && in.Closes(i+2)
}

// Season reads two years that follow each other with a slash between them, 2023/24, and
// with a hyphen where years are said digit by digit.
func (qr *Recognizer) Season(in *scan.View, i int) scan.Outcome {
	byDigits := qr.say.DateMarks[0] != ""
	if !in.Is(i+1, '/') && !(byDigits && in.Kind(i+1) == scan.Sign && scan.IsDash(in.Rune(i+1))) || in.Kind(i+2) != scan.Digits || !in.Opens(i) {
		return scan.Outcome{}
	}
	a, b := scan.Arabic(in.Text(i)), scan.Arabic(in.Text(i+2))
	if len(a) != 4 || len(b) != 2 || a < "1800" || a > "2099" || !in.Closes(i+3) || in.Is(i+3, in.Rune(i+1)) || in.Is(i-1, '/') || in.Is(i-1, '-') {
		return scan.Outcome{}
	}
	if scan.Atoi(b) != (scan.Atoi(a)+1)%100 || qr.yearMark(in, i+3) && !in.Is(i+1, '/') {
		return scan.Outcome{}
	}
	x, ok := qr.say.Number(scan.Number{Whole: a}, qr.say.Cardinal)
	if qr.say.Years || byDigits {
		x, ok = qr.say.Year(a, "")
	}
	y, ok2 := qr.say.Int(scan.Atoi(b), "")
	if !ok || !ok2 {
		return scan.Outcome{}
	}
	p := qr.yearSpan
	if p == "" && byDigits {
		p = qr.say.Span
	}
	if p == "" {
		p = qr.say.Join("{a}", "{b}")
	}
	return scan.Said(qr.say.Endings.Fill2(p, "{a}", x, "{b}", y), 3)
}

// Crossed reads the result of a match with an x, in languages that write it so: 2 x 1.
func (qr *Recognizer) Crossed(in *scan.View, i int) scan.Outcome {
	j := in.Skip(i + 1)
	k := in.Skip(j + 1)
	if !qr.sport.crossed || in.Text(j) != "x" && in.Text(j) != "X" || in.Kind(k) != scan.Digits || (j > i+1) != (k > j+1) || !in.Opens(i) || !in.Closes(k+1) {
		return scan.Outcome{}
	}
	a, b := scan.Arabic(in.Text(i)), scan.Arabic(in.Text(k))
	if len(a) > 2 || len(b) > 2 || qr.Counted(in, in.Skip(k+1)) || in.Text(in.Skip(k+1)) == "x" || !qr.played(in, i, k+1) {
		return scan.Outcome{}
	}
	w, ok := qr.say.Pair(qr.score, scan.Number{Whole: a}, scan.Number{Whole: b})
	if !ok {
		return scan.Outcome{}
	}
	return scan.Said(w, k+1-i)
}

// Odds reads odds and the like, 5/1, after a word for them.
func (qr *Recognizer) Odds(in *scan.View, i int) scan.Outcome {
	if len(qr.odds) == 0 || qr.ratio == "" || !in.Is(i+1, '/') || in.Kind(i+2) != scan.Digits || !in.Opens(i) || !in.Closes(i+3) || in.Is(i+3, '/') {
		return scan.Outcome{}
	}
	before := in.Back(i - 1)
	if !qr.odds[in.Text(before)] && (in.Kind(before-1) != scan.Space || !qr.odds[in.Text(before-2)]) && !qr.odds[in.Text(in.Skip(i+3))] {
		return scan.Outcome{}
	}
	w, ok := qr.say.Pair(qr.ratio, scan.Number{Whole: scan.Arabic(in.Text(i))}, scan.Number{Whole: scan.Arabic(in.Text(i + 2))})
	if !ok {
		return scan.Outcome{}
	}
	return scan.Said(w, 3)
}

// Pressure reads a blood pressure, 120/80, before its unit or after a word for it.
func (qr *Recognizer) Pressure(in *scan.View, i int) scan.Outcome {
	if qr.pressurePattern == "" || !in.Is(i+1, '/') || in.Kind(i+2) != scan.Digits || !in.Opens(i) || !in.Closes(i+3) {
		return scan.Outcome{}
	}
	a, b := scan.Number{Whole: scan.Arabic(in.Text(i))}, scan.Number{Whole: scan.Arabic(in.Text(i + 2))}
	if len(a.Whole) > 3 || scan.Atoi(a.Whole) < 60 || len(b.Whole) > 3 || scan.Atoi(b.Whole) < 30 || scan.Atoi(b.Whole) >= scan.Atoi(a.Whole) {
		return scan.Outcome{}
	}
	before := in.Back(i - 1)
	if in.Is(before, ':') {
		before--
	}
	w, ok := qr.say.Pair(qr.pressurePattern, a, b)
	if u, n := qr.units.at(in, in.Skip(i+3)); n > 0 && ok && strings.HasPrefix(u.key, "pressure-") && in.Closes(in.Skip(i+3)+n) {
		form, _ := speak.FieldSet(speak.Pick(u.forms, qr.amounts.category(amount{a: b})))
		return scan.Said(speak.Fill1(form, "{n}", w), in.Skip(i+3)+n-i)
	}
	if !ok || !(in.Expected == i && in.Expectation == scan.ExpectPressure) && !qr.pressure[in.Text(before)] && !qr.pressure[in.Text(in.Back(before-1))+" "+in.Text(before)] && !(in.Token(before).Dense && qr.pressure[in.Text(before-1)+in.Text(before)]) {
		return scan.Outcome{}
	}
	return scan.Said(w, 3)
}

// Presses reports whether the word at i stands before a blood pressure.
func (qr *Recognizer) Presses(in *scan.View, i int) bool { return qr.pressure[in.Text(i)] }

// Rating reads a rating such as 3/5 stars or 4.5/5, where a word beside it shows that
// something is rated.
func (qr *Recognizer) Rating(in *scan.View, i int) scan.Outcome {
	if qr.ratingPattern == "" || !in.Opens(i) {
		return scan.Outcome{}
	}
	a := scan.Number{Whole: scan.Arabic(in.Text(i)), Start: i, End: i + 1}
	if qr.numbers.fraction(in, &a); !in.Is(a.End, '/') || in.Kind(a.End+1) != scan.Digits || !in.Closes(a.End+2) || in.Is(a.End+2, '/') {
		return scan.Outcome{}
	}
	end := a.End + 2
	before := in.Back(i - 1)
	if in.Is(before, ':') {
		before = in.Back(before - 1)
	}
	if in.Is(before, '.') {
		before-- // pág. 3/8
	}
	// After the word, only a multiple of five is the highest rating: not in "he scored
	// 3/4 of the goals".
	if !qr.ratingPart[in.Text(before)] && !qr.rating[in.Text(in.Skip(end))] && (!qr.rating[in.Text(before)] || scan.Atoi(scan.Arabic(in.Text(a.End+1)))%5 != 0) {
		return scan.Outcome{}
	}
	w, ok := qr.say.Pair(qr.ratingPattern, a, scan.Number{Whole: scan.Arabic(in.Text(a.End + 1))})
	if !ok {
		return scan.Outcome{}
	}
	return scan.Said(w, end-i)
}

// House reads the number of a house with a slash. A name stands before it, and nothing that
// could be divided behind it: ул. Гагарина, 15/3.
func (qr *Recognizer) House(in *scan.View, i int) scan.Outcome {
	if qr.house == "" || !in.Is(i+1, '/') || in.Kind(i+2) != scan.Digits || !in.Opens(i) || !in.Closes(i+3) || in.Is(i+3, '/') || scan.RuneLen(in.Text(i)) > 3 || scan.RuneLen(in.Text(i+2)) > 3 {
		return scan.Outcome{}
	}
	before := in.Back(i - 1)
	if in.Is(before, ',') {
		before--
	}
	if next := in.Skip(i + 3); in.Kind(before) != scan.Word || before < 1 || before == i-1 || !in.Capitalized(before) || in.Token(before).Upper || in.Kind(next) == scan.Word && !in.Is(next+1, '.') || in.IsPercent(next) {
		return scan.Outcome{}
	}
	w, ok := qr.say.Pair(qr.house, scan.Number{Whole: scan.Arabic(in.Text(i))}, scan.Number{Whole: scan.Arabic(in.Text(i + 2))})
	if !ok {
		return scan.Outcome{}
	}
	return scan.Said(w, 3)
}
