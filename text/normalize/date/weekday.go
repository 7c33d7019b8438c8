package date

import "vaak/text/normalize/scan"

// Weekday reads a day of the week before a date, and a range of two days: Mon-Fri.
func (dr *Recognizer) Weekday(in *scan.View, i int) scan.Outcome {
	w, n := dr.weekday.Match(in, i)
	if n == 0 {
		// In small letters some are mostly other words: he sat 9-5.
		before := in.Back(i - 1)
		if w, n = dr.weekdaySmall.Match(in, i); dr.common[in.Text(i)] && in.Kind(before) == scan.Word && !dr.commonAfter[in.Text(before)] {
			return scan.Outcome{}
		}
	}
	if n == 0 || !in.Opens(i) {
		return scan.Outcome{}
	}
	j := i + n
	if w, n := dr.weekdays(in, w, j); n > 0 {
		return scan.Said(w, j+n-i)
	}
	if in.Is(j, ',') || in.Is(j, '،') {
		j++
	}
	if k := in.Skip(j); k > j {
		j = k
	} else {
		return scan.Outcome{}
	}
	d, e := dr.namedDate(in, j)
	if e == j && in.Kind(j) == scan.Digits {
		var m int
		d, m = dr.numericDate(in, j)
		// A day of the week makes a date of a day and a month: Tue. 3/4.
		if sep := in.Rune(j + 1); m == 0 && in.Kind(j+2) == scan.Digits && in.Opens(j) && in.Rune(j+3) != sep {
			d, m = dr.shortDate(in, j, sep, scan.Arabic(in.Text(j)), scan.Arabic(in.Text(j+2)), true)
		}
		e = j + m
	}
	if e == j {
		// Opening hours: Sat 10-4.
		if _, m := dr.clock.At(in, j, true); m > 1 && j == in.Skip(i+n) {
			o := scan.Said(dr.say.Locale.Days[w-1], n)
			if in.Is(j+1, '.') { // Sab 10.00-14.00 is no decimal
				o.Note = &scan.Note{Kind: scan.ExpectTime, At: j}
			}
			return o
		}
		return scan.Outcome{}
	}
	d.weekday = w
	return scan.Said(dr.dated(d, e-i))
}

// weekdays reads the dash and the day of the week at j after another one. It returns the
// words for both days and how many tokens the second one takes.
func (dr *Recognizer) weekdays(in *scan.View, from, j int) (string, int) {
	if in.Kind(j) != scan.Sign || !scan.IsDash(in.Rune(j)) || dr.say.Span == "" {
		return "", 0
	}
	to, n := dr.weekday.Match(in, j+1)
	if n == 0 || !in.Closes(j+1+n) && in.Kind(j+n) != scan.Sign {
		return "", 0
	}
	// Chinese has several names of a day, of which the written one is said: 周一.
	if in.Token(j-1).Dense && in.Kind(j-2) == scan.Word && n > 1 {
		return dr.say.Range(in.Span(j-n, j), in.Span(j+1, j+1+n)), n + 1
	}
	return dr.say.Range(dr.say.Locale.Days[from-1], dr.say.Locale.Days[to-1]), n + 1
}
