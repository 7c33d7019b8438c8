package date

import (
	"vaak/text/normalize/clock"
	"vaak/text/normalize/scan"
	"vaak/text/normalize/speak"
)

// weekdays reads days of the week, alone and before dates.
type weekdays struct {
	say     *speak.Speaker
	clock   *clock.Recognizer
	days    *days
	figures *inFigures
	named   *withMonth
	words   *words
	beside  map[string]bool // words beside a day that stands alone
	and     string
	link    map[string]bool // words between two days
}

// Weekday reads a day of the week before a date, and a range of two days: Mon-Fri.
func (we *weekdays) Weekday(in *scan.View, i int) scan.Outcome {
	day, n := we.days.at(in, i)
	if n == 0 || !in.Opens(i) {
		return scan.Outcome{}
	}
	o := we.before(in, i, day, n)
	if o.Tokens == 0 && in.Closes(i+n) && we.linked(in, i) {
		return scan.Said(we.say.Locale.Days[day-1], n)
	}
	return o
}

// linked reports whether another day and a word between both stand before the day at i: Mo.
// bis Fr., seg. e dom.
func (we *weekdays) linked(in *scan.View, i int) bool {
	b := in.Back(i - 1)
	if in.Is(b, '.') {
		b--
	}
	if b == i-1 || in.Kind(b) != scan.Word || in.Text(b) != we.and && !we.link[in.Text(b)] {
		return false
	}
	k := in.Back(b - 1)
	if in.Is(k, '.') {
		k--
	}
	_, n := we.days.usual.Match(in, k)
	return n > 0 && in.Opens(k)
}

// before reads a day of the week, of n tokens at i, before a date, hours or a word that goes
// with it, and a range of two days.
func (we *weekdays) before(in *scan.View, i, day, n int) scan.Outcome {
	j := i + n
	if w, n := we.until(in, day, j); n > 0 {
		o := scan.Said(w, j+n-i)
		if k := in.Skip(j + n); in.Kind(k) == scan.Digits && in.Is(k+1, '.') && in.TwoDigits(k+2) && in.Kind(k+3) == scan.Sign && scan.IsDash(in.Rune(k+3)) {
			o.Note = &scan.Note{Kind: scan.ExpectTime, At: k} // Mon-Fri 9.00-5.00 are no decimals
		}
		return o
	}
	if next := in.Skip(j); len(we.beside) > 0 && in.Closes(j) &&
		(we.beside[in.Text(next)] && next > j || we.beside[in.WordBefore(i)] && (in.Kind(next) != scan.Word || in.Text(next) == we.and)) {
		return scan.Said(we.say.Locale.Days[day-1], n) // Do geschl.
	}
	// Two days, Fr. u. Sa., sáb. e dom.: the second one tells that the first is one, too.
	if next := in.Skip(j); next > j && we.and != "" && in.Text(next) == we.and && in.Is(j-1, '.') {
		if other, m := we.days.at(in, in.Skip(next+1)); m > 0 && other != day {
			return scan.Said(we.say.Locale.Days[day-1], n)
		}
	}
	if in.Is(j, ',') || in.Is(j, '،') {
		j++
	}
	if k := in.Skip(j); k > j {
		j = k
	} else {
		return scan.Outcome{}
	}
	if in.Is(j, '(') {
		// The date in brackets is read by itself: Fr (14.03.), Mon (3 Mar).
		if _, end := we.date(in, j+1); end > j+1 && (in.Is(end, ')') || in.Is(end, ',') || in.Is(end, '.') && in.Is(end+1, ')')) {
			return scan.Said(we.say.Locale.Days[day-1], n)
		}
		return scan.Outcome{}
	}
	d, end := we.date(in, j)
	if end == j {
		// Opening hours: Sat 10-4.
		if _, m := we.clock.At(in, j, true); m > 1 && j == in.Skip(i+n) {
			o := scan.Said(we.say.Locale.Days[day-1], n)
			if in.Is(j+1, '.') { // Sab 10.00-14.00 is no decimal
				o.Note = &scan.Note{Kind: scan.ExpectTime, At: j}
			}
			return o
		}
		return scan.Outcome{}
	}
	d.weekday = day
	w, ok := we.words.date(d)
	if !ok {
		return scan.Outcome{}
	}
	return scan.Said(w, end-i)
}

// date parses the date after a day of the week, which makes a date of a day and a month:
// Tue. 3/4. It returns the token after it, which is j when there is none.
func (we *weekdays) date(in *scan.View, j int) (date, int) {
	d, end := we.named.date(in, j)
	if end > j || in.Kind(j) != scan.Digits {
		return d, end
	}
	f := figuresAt(in, j)
	d, n := we.figures.date(in, f)
	if n == 0 && in.Rune(j+3) != f.sep {
		d, n = we.figures.day(in, f, true)
	}
	return d, j + n
}

// until reads the dash and the day of the week at j after another one. It returns the
// words for both days and how many tokens the second one takes.
func (we *weekdays) until(in *scan.View, from, j int) (string, int) {
	if in.Kind(j) != scan.Sign || !scan.IsDash(in.Rune(j)) || we.say.Span == "" {
		return "", 0
	}
	to, n := we.days.usual.Match(in, j+1)
	if n == 0 || !in.Closes(j+1+n) && in.Kind(j+n) != scan.Sign {
		return "", 0
	}
	// Chinese has several names of a day, of which the written one is said: 周一.
	if in.Token(j-1).Dense && in.Kind(j-2) == scan.Word && n > 1 {
		return we.say.Range(in.Span(j-n, j), in.Span(j+1, j+1+n)), n + 1
	}
	return we.say.Range(we.say.Locale.Days[from-1], we.say.Locale.Days[to-1]), n + 1
}

// Bracketed reads the abbreviated name of a day alone in brackets: (Mon), (月).
func (we *weekdays) Bracketed(in *scan.View, i int) scan.Outcome {
	day, end := we.days.bracketed(in, i)
	// Without a date before it, a single character may stand for anything else.
	if day == 0 || end == i+3 && !in.Token(i+1).Dense && scan.RuneLen(in.Text(i+1)) < 2 || in.Token(i+1).Dense && in.Kind(in.Back(i-1)) != scan.Digits && !(we.say.DateMarks[2] != "" && in.Text(i-1) == we.say.DateMarks[2]) {
		return scan.Outcome{}
	}
	return scan.Said("("+we.say.Locale.Days[day-1]+")", end-i)
}
