package date

import (
	"strings"

	"vaak/text/normalize/ordinal"
	"vaak/text/normalize/scan"
	"vaak/text/normalize/speak"
)

// withMonth reads dates with the name of a month.
type withMonth struct {
	say      *speak.Speaker
	ordinals *ordinal.Recognizer
	months   *months
	parts    *parts
	words    *words
	spans    *spans
	between  map[string]string // rule sets of a day by the word between it and another: с 1 по 15 мая
}

// newWithMonth returns the recognizer of dates with the name of a month in a speaker's
// language.
func newWithMonth(say *speak.Speaker, ordinals *ordinal.Recognizer, mo *months, sp *spans) *withMonth {
	return &withMonth{
		say: say, ordinals: ordinals, months: mo, parts: newParts(say, ordinals, sp.words.patterns.date),
		words: sp.words, spans: sp, between: say.Lexicon.ByWord("date.span"),
	}
}

// Named reads a date with the name of a month: 12 May 2024, May 12, 2024, May 2024, 5–7
// May.
func (wm *withMonth) Named(in *scan.View, i int) scan.Outcome {
	if !in.Opens(i) {
		return scan.Outcome{}
	}
	if w, n := wm.monthSpan(in, i); n > 0 {
		return scan.Said(w, n)
	}
	if w, n := wm.firstDay(in, i); n > 0 {
		return scan.Said(w, n)
	}
	d, j := wm.date(in, i)
	if j == i {
		return scan.Said(wm.shortMonth(in, i))
	}
	s := span{from: d, end: j}
	if k := wm.spans.next(in, j); k > 0 && d.until == 0 {
		if e, last := wm.date(in, k); last > k && (e.day > 0) == (d.day > 0) && e.until == 0 {
			s.to, s.last = e, last
		}
	}
	return wm.spans.read(in, i, s)
}

// shortMonth reads a month with a full stop before a day with a case ending, which is read
// by itself: máj. 12-én.
func (wm *withMonth) shortMonth(in *scan.View, i int) (string, int) {
	m, n := wm.months.at(in, i, i)
	if n == 0 || !in.Is(i+n-1, '.') {
		return "", 0
	}
	k := in.Skip(i + n)
	if in.Kind(k) != scan.Digits || !in.Is(k+1, '-') {
		return "", 0
	}
	if v, s := wm.ordinals.Suffix(in, k+1); s == 0 || !strings.Contains(v, "{n") {
		return "", 0
	}
	w, ok := wm.words.monthAlone(m)
	if !ok {
		return "", 0
	}
	return w, n
}

// firstDay reads the first of two days of one month with a word between them, without
// that word: с 1 по 15 мая.
func (wm *withMonth) firstDay(in *scan.View, i int) (string, int) {
	if len(wm.between) == 0 || in.Kind(i) != scan.Digits || scan.RuneLen(in.Text(i)) > 2 || in.Kind(in.Back(i-1)) != scan.Word {
		return "", 0
	}
	j := i + 1
	if in.Is(j, '.') && wm.say.OrdinalDot {
		j++
	}
	set := wm.between[in.Text(j+1)]
	if in.Kind(j) != scan.Space || set == "" || in.Kind(j+2) != scan.Space || in.Kind(j+3) != scan.Digits {
		return "", 0
	}
	day := scan.Atoi(scan.Arabic(in.Text(i)))
	d, end := wm.dayFirst(in, j+3)
	if end == j+3 || d.day == 0 || !valid(day, d.month) || day >= d.day {
		return "", 0
	}
	w, ok := wm.say.ByRule(day, set)
	if !ok {
		return "", 0
	}
	return w, j - i
}

// monthSpan reads two names of months with a dash between them and no day: Jan–Mar 2024.
func (wm *withMonth) monthSpan(in *scan.View, i int) (string, int) {
	m, n := wm.months.usual.Match(in, i)
	if n == 0 || !in.Is(i+n, '-') && !in.Is(i+n, '–') {
		return "", 0
	}
	to, k := wm.months.usual.Match(in, i+n+1)
	if k == 0 || !in.Closes(i+n+1+k) || wm.say.Span == "" || to == m {
		return "", 0
	}
	a, ok := wm.words.monthAlone(m)
	b, ok2 := wm.words.monthAlone(to)
	end := i + n + 1 + k
	if y, e := wm.parts.yearAt(in, end); y != "" {
		b, ok2 = wm.words.date(date{month: to, year: y})
		end = e
	}
	if !ok || !ok2 {
		return "", 0
	}
	return wm.say.Range(a, b), end - i
}

// date parses a date with the name of a month. It returns the token after it, which
// is i when there is none.
func (wm *withMonth) date(in *scan.View, i int) (d date, j int) {
	if in.Kind(i) == scan.Digits {
		// Four digits cannot be a day, so the year is tried first and costs nothing.
		if d, j = wm.yearFirst(in, i); j > i {
			return d, j
		}
		return wm.dayFirst(in, i)
	}
	m, n := wm.months.at(in, i, i)
	if n == 0 {
		return d, i
	}
	d = date{month: m, monthFirst: true}
	if e, j := wm.monthHyphened(in, i, n, d); j > i {
		return e, j
	}
	j = i + n
	// Between the month and the day is a space, but not in scripts without spaces.
	if k := in.Skip(j); k > j || in.Token(j-1).Dense {
		if e, ok := wm.parts.dayAt(in, k, &d); ok {
			d.year, j = wm.parts.yearAt(in, wm.parts.pastDayWord(in, e))
			return d, j
		}
	}
	var e int
	if d.year, e = wm.parts.yearAt(in, j); d.year == "" {
		return d, i
	}
	// A month with its year alone has one pattern, whatever stands first.
	d.monthFirst = false
	return d, e
}

// monthHyphened parses a date whose name of a month at i, of n tokens, is followed by a
// hyphen: May-12-2024, May-2024. It returns i when there is none.
func (wm *withMonth) monthHyphened(in *scan.View, i, n int, d date) (date, int) {
	j := i + n
	mark := in.Rune(j)
	if mark != '-' && mark != '/' || in.Kind(j+1) != scan.Digits {
		return d, i
	}
	v := scan.Arabic(in.Text(j + 1))
	if len(v) == 4 && v >= "1500" && v <= "2300" && in.Closes(j+2) && !(in.Is(j+2, mark) && in.Kind(j+3) == scan.Digits) {
		d.year, d.monthFirst = v, false
		return d, j + 2
	}
	y := scan.Arabic(in.Text(j + 3))
	if d.day = scan.Atoi(v); len(v) > 2 || !valid(d.day, d.month) || !in.Is(j+2, mark) || in.Kind(j+3) != scan.Digits || len(y) != 4 && len(y) != 2 || !in.Closes(j+4) {
		return d, i
	}
	d.year = century(y)
	return d, j + 4
}

// dayFirst parses a date that begins with its day.
func (wm *withMonth) dayFirst(in *scan.View, i int) (d date, j int) {
	j, ok := wm.parts.dayAt(in, i, &d)
	if !ok {
		return d, i
	}
	if in.Kind(j) == scan.Sign && j == i+1 && in.Kind(j+1) == scan.Word {
		return wm.hyphened(in, i, j, d)
	}
	if e, end := wm.compact(in, i, d); end > i {
		return e, end
	}
	j = wm.parts.pastJoint(in, j)
	m, n := wm.months.at(in, i, j)
	if n == 0 || !in.Closes(j+n) && !in.Token(j).Dense {
		return d, i
	}
	d.month = m
	if !valid(d.day, m) {
		return d, i
	}
	if d.year, j = wm.parts.yearAt(in, j+n); d.year == "" {
		d.year, j = wm.parts.shortYear(in, j)
	}
	return d, j
}

// ticketMonths are the months as tickets and machines print them in every language.
var ticketMonths = map[string]int{
	"jan": 1, "feb": 2, "mar": 3, "apr": 4, "may": 5, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "oct": 10, "nov": 11, "dec": 12,
}

// compact parses a date as tickets and machines print it, without a space: 05Mar24,
// 12NOV2025. It returns i when there is none.
func (wm *withMonth) compact(in *scan.View, i int, d date) (date, int) {
	name, y := in.Text(i+1), scan.Arabic(in.Text(i+2))
	if in.Kind(i+1) != scan.Word || in.Kind(i+2) != scan.Digits || len(y) != 2 && len(y) != 4 || !in.Closes(i+3) {
		return d, i
	}
	if d.month = ticketMonths[strings.ToLower(name)]; d.month == 0 {
		m, n := wm.months.at(in, i, i+1)
		if n != 1 {
			return d, i
		}
		d.month = m
	}
	if y = century(y); !valid(d.day, d.month) || y < "1500" || y > "2300" {
		return d, i
	}
	d.year = y
	return d, i + 3
}

// hyphened parses a date with the name of a month and hyphens or slashes: 14-Aug-2024,
// 14-Aug-24, 14/Aug/2024 and 14-Aug. The first mark is token j.
func (wm *withMonth) hyphened(in *scan.View, i, j int, d date) (date, int) {
	mark := in.Rune(j)
	m, n := wm.months.at(in, j+1, j+1)
	if mark != '-' && mark != '/' || n == 0 || !valid(d.day, m) {
		return d, i
	}
	d.month = m
	k := j + 1 + n
	if !in.Is(k, mark) {
		if !in.Closes(k) || mark == '/' {
			return d, i
		}
		return d, k
	}
	y := scan.Arabic(in.Text(k + 1))
	if in.Kind(k+1) != scan.Digits || len(y) != 4 && len(y) != 2 || !in.Closes(k+2) {
		return d, i
	}
	d.year = century(y)
	return d, k + 2
}

// yearFirst parses a date that begins with its year: 2024. május 12.
func (wm *withMonth) yearFirst(in *scan.View, i int) (d date, j int) {
	y := scan.Arabic(in.Text(i))
	if len(y) != 4 {
		return d, i
	}
	j = i + 1
	if in.Is(j, '.') || in.Is(j, ',') {
		j++
	}
	j = wm.parts.pastJoint(in, j)
	m, n := wm.months.usual.Match(in, j)
	if n == 0 || !in.Closes(j+n) {
		return d, i
	}
	d.year, d.month, d.yearFirst = y, m, true
	j += n
	if e, ok := wm.parts.dayAt(in, in.Skip(j), &d); ok && valid(d.day, m) && in.Skip(j) > j {
		return d, wm.parts.pastDayWord(in, e)
	}
	// dayAt may have set them before it gave up.
	d.day, d.until = 0, 0
	return d, j
}
