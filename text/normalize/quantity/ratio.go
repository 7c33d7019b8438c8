package quantity

import "vaak/text/normalize/scan"

// Ratio reads 3:2 and 16:9 where they are no times; as a score, after a word that
// announces one.
func (qr *Recognizer) Ratio(in *scan.View, i int) scan.Outcome {
	if qr.ratio == "" || !in.Is(i+1, ':') || in.Kind(i+2) != scan.Digits || !in.Opens(i) || !in.Closes(i+3) {
		return scan.Outcome{}
	}
	if in.Is(i-1, ':') || in.Is(i+3, ':') && in.Kind(i+4) == scan.Digits {
		return scan.Outcome{}
	}
	a, ok := qr.numbers.at(in, i)
	b, ok2 := qr.numbers.at(in, i+2)
	if !ok || !ok2 || a.End != i+1 {
		return scan.Outcome{}
	}
	p := qr.ratio
	if in.Scored(i) && qr.score != "" {
		p = qr.score
	}
	w, ok := qr.say.Pair(p, a, b)
	if !ok {
		return scan.Outcome{}
	}
	return scan.Said(w, b.End-i)
}

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
		before--
	}
	// After the word, only a multiple of five is the highest rating: not in "he scored
	// 3/4 of the goals".
	if !qr.rating[in.Text(in.Skip(end))] && (!qr.rating[in.Text(before)] || scan.Atoi(scan.Arabic(in.Text(a.End+1)))%5 != 0) {
		return scan.Outcome{}
	}
	x, ok := qr.say.Number(a, qr.say.Cardinal)
	y, ok2 := qr.say.Number(scan.Number{Whole: scan.Arabic(in.Text(a.End + 1))}, qr.say.Cardinal)
	if !ok || !ok2 {
		return scan.Outcome{}
	}
	return scan.Said(qr.say.Endings.Fill2(qr.ratingPattern, "{a}", x, "{b}", y), end-i)
}
