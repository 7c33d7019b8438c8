package date

import (
	"vaak/text/normalize/scan"
	"vaak/text/normalize/speak"
)

// marked reads dates in figures with a mark after each number.
type marked struct {
	say   *speak.Speaker
	spans *spans
}

// Marked reads a date in numbers with marks, or a range of two: 5月12日, 5月12日~14日.
func (ma *marked) Marked(in *scan.View, i int) scan.Outcome {
	w, n := ma.date(in, i)
	j := in.Skip(i + n)
	if n == 0 || in.Kind(j) != scan.Sign || !scan.IsDash(in.Rune(j)) && in.Rune(j) != '∼' || ma.say.Span == "" {
		return scan.Said(w, n)
	}
	k := in.Skip(j + 1)
	to, m := ma.date(in, k)
	if m == 0 {
		to, m = ma.day(in, k)
	}
	if m == 0 {
		return scan.Said(w, n)
	}
	return scan.Said(ma.say.Range(w, to), k+m-i)
}

// date reads a date in numbers with marks after them: 2024年5月12日. At least two of
// the three parts must be there, or a year.
func (ma *marked) date(in *scan.View, i int) (string, int) {
	if ma.say.DateMarks[0] == "" || !in.Opens(i) {
		return "", 0
	}
	var d date
	j, parts := i, 0
	for k, mark := range ma.say.DateMarks {
		if in.Kind(j) != scan.Digits || in.Text(j+1) != mark && in.Text(in.Skip(j+1)) != mark {
			continue
		}
		v := scan.Arabic(in.Text(j))
		// A year has three or four digits, a month and a day at most two.
		if len(v) > 4 || len(v) > 2 && k > 0 || len(v) < 3 && k == 0 {
			return "", 0
		}
		switch k {
		case 0:
			d.year = v
		case 1:
			d.month = scan.Atoi(v)
		case 2:
			d.day = scan.Atoi(v)
		}
		parts++
		j = in.Skip(j+1) + 1
		if k < 2 && in.Kind(in.Skip(j)) == scan.Digits {
			j = in.Skip(j)
		}
	}
	if parts == 1 && d.year != "" {
		w, ok := ma.say.Year(d.year, "")
		if !ok || scan.Atoi(d.year) < 1000 {
			return "", 0
		}
		return w + in.Span(i+1, j), j - i
	}
	if parts < 2 || d.month == 0 || d.day > 31 || d.month > 12 {
		return "", 0
	}
	w, ok := ma.spans.words.date(d)
	if !ok {
		return "", 0
	}
	return ma.spans.withDay(in, w, i, j-i)
}

// day reads a day of the month with its mark: 14日.
func (ma *marked) day(in *scan.View, i int) (string, int) {
	mark := ma.say.DateMarks[2]
	if mark == "" || in.Kind(i) != scan.Digits || in.Text(i+1) != mark || scan.RuneLen(in.Text(i)) > 2 {
		return "", 0
	}
	day := scan.Atoi(scan.Arabic(in.Text(i)))
	w, ok := ma.say.Int(day, "")
	if !ok || day == 0 || day > 31 {
		return "", 0
	}
	return ma.spans.withDay(in, w+mark, i, 2)
}
