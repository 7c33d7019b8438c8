// Package date reads dates, days of the week, years, decades and time stamps.
package date

import (
	"strings"
	"unicode"

	"vaak/text/normalize/clock"
	"vaak/text/normalize/ordinal"
	"vaak/text/normalize/quantity"
	"vaak/text/normalize/scan"
	"vaak/text/normalize/speak"
)

// Recognizer reads dates of one language. It is safe for concurrent use.
type Recognizer struct {
	say        *speak.Speaker
	agree      *speak.Agreement
	quantities *quantity.Recognizer
	ordinals   *ordinal.Recognizer
	clock      *clock.Recognizer
	words      words

	month, weekday scan.Phrases[int]  // from 1; Sunday is 1
	monthSmall     scan.Phrases[int]  // months in small letters where the language has a capital
	weekdaySmall   scan.Phrases[int]  // days in small letters
	common         map[string]bool    // those of them that are mostly other words
	commonAfter    map[string]bool    // words after which they are months
	pointWord      map[string]bool    // words before a day and a month as in 14.03
	partWord       map[string]bool    // words after a fraction of something: le 3/4 de
	lawWord        map[string]bool    // words before a number and a year that are no date: order 05/2024
	cardWord       scan.Phrases[bool] // words before the month and year in which something ends: 08/27
	between        map[string]string  // rule sets of a day by the word between it and another: с 1 по 15 мая
	joint          scan.Phrases[bool] // words between the parts of a date
	dayWord        scan.Phrases[bool] // words after the day of a date that are part of it
	dateWord       scan.Phrases[bool] // words before a day and a month in numbers
	dateAfter      scan.Phrases[bool] // words after them
	yearWord       scan.Phrases[bool] // words before or after a year
}

// New returns the recognizer of a speaker's language, and adds the words with which
// dates begin to starts.
func New(say *speak.Speaker, agree *speak.Agreement, quantities *quantity.Recognizer, ordinals *ordinal.Recognizer, times *clock.Recognizer, starts *scan.Starts) *Recognizer {
	lex := say.Lexicon
	dr := &Recognizer{say: say, agree: agree, quantities: quantities, ordinals: ordinals, clock: times, words: newWords(say)}
	dr.lawWord, dr.partWord = lex.Set("date.not"), lex.Set("date.part")
	dr.pointWord = lex.Set("date.point")
	dr.between = lex.ByWord("date.span")
	dr.compileCalendar(starts)
	for _, w := range lex.List("year.word") {
		dr.yearWord.Add(w, true)
	}
	return dr
}

// days are the largest numbers of days that the months can have.
var days = [...]int{31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}

// valid reports whether a month can have a day.
func valid(day, month int) bool {
	return month >= 1 && month <= 12 && day >= 1 && day <= days[month-1]
}

// dated says a date of n tokens.
func (dr *Recognizer) dated(d date, n int) (string, int) {
	w, ok := dr.words.date(d)
	if !ok {
		return "", 0
	}
	return w, n
}

// Named reads a date with the name of a month: 12 May 2024, May 12, 2024, May 2024, 5–7
// May.
func (dr *Recognizer) Named(in *scan.View, i int) scan.Outcome {
	if !in.Opens(i) {
		return scan.Outcome{}
	}
	if w, n := dr.monthSpan(in, i); n > 0 {
		return scan.Said(w, n)
	}
	if w, n := dr.firstDay(in, i); n > 0 {
		return scan.Said(w, n)
	}
	// namedDate returns i when there is no date.
	d, j := dr.namedDate(in, i)
	if j == i {
		return scan.Said(dr.shortMonth(in, i))
	}
	d.ordinal = dr.agree.Before(in, i)
	w, n := dr.dated(d, j-i)
	if to, k := dr.spanEnd(in, j); k > 0 && n > 0 && d.until == 0 {
		if e, end := dr.namedDate(in, k); end > k && (e.day > 0) == (d.day > 0) && e.until == 0 {
			e.ordinal = d.ordinal
			if v, ok := dr.words.date(e); ok && to {
				return scan.Said(dr.say.Range(w, v), end-i)
			}
		}
	}
	return scan.Said(dr.bracketed(in, w, i, n))
}

// shortMonth reads a month with a full stop before a day with a case ending, which is read
// by itself: máj. 12-én.
func (dr *Recognizer) shortMonth(in *scan.View, i int) (string, int) {
	m, n := dr.monthAt(in, i, i)
	if n == 0 || !in.Is(i+n-1, '.') {
		return "", 0
	}
	k := in.Skip(i + n)
	if in.Kind(k) != scan.Digits || !in.Is(k+1, '-') {
		return "", 0
	}
	if v, s := dr.ordinals.Suffix(in, k+1); s == 0 || !strings.Contains(v, "{n") {
		return "", 0
	}
	w, ok := dr.words.sayMonth(dr.words.monthsAlone[m-1], m)
	if !ok {
		return "", 0
	}
	return w, n
}

// firstDay reads the first of two days of one month with a word between them, without
// that word: с 1 по 15 мая.
func (dr *Recognizer) firstDay(in *scan.View, i int) (string, int) {
	if len(dr.between) == 0 || in.Kind(i) != scan.Digits || scan.RuneLen(in.Text(i)) > 2 || in.Kind(in.Back(i-1)) != scan.Word {
		return "", 0
	}
	j := i + 1
	if in.Is(j, '.') && dr.say.OrdinalDot {
		j++
	}
	set := dr.between[in.Text(j+1)]
	if in.Kind(j) != scan.Space || set == "" || in.Kind(j+2) != scan.Space || in.Kind(j+3) != scan.Digits {
		return "", 0
	}
	day := scan.Atoi(scan.Arabic(in.Text(i)))
	d, end := dr.dayFirst(in, j+3)
	if end == j+3 || d.day == 0 || !valid(day, d.month) || day >= d.day {
		return "", 0
	}
	w, ok := dr.say.ByRule(day, set)
	if !ok {
		return "", 0
	}
	return w, j - i
}

// spanEnd returns the token after the dash at j, with or without space around it, and
// whether the language has words for a range.
func (dr *Recognizer) spanEnd(in *scan.View, j int) (ok bool, end int) {
	k := in.Skip(j)
	if in.Kind(k) != scan.Sign || !scan.IsDash(in.Rune(k)) || in.Rune(k) == '-' && k > j && in.Skip(k+1) == k+1 {
		return false, 0
	}
	return dr.say.Span != "", in.Skip(k + 1)
}

// monthSpan reads two names of months with a dash between them and no day: Jan–Mar 2024.
func (dr *Recognizer) monthSpan(in *scan.View, i int) (string, int) {
	m, n := dr.month.Match(in, i)
	if n == 0 || !in.Is(i+n, '-') && !in.Is(i+n, '–') {
		return "", 0
	}
	to, k := dr.month.Match(in, i+n+1)
	if k == 0 || !in.Closes(i+n+1+k) || dr.say.Span == "" || to == m {
		return "", 0
	}
	a, ok := dr.words.sayMonth(dr.words.monthsAlone[m-1], m)
	b, ok2 := dr.words.sayMonth(dr.words.monthsAlone[to-1], to)
	end := i + n + 1 + k
	if y, e := dr.yearAt(in, end); y != "" {
		b, ok2 = dr.words.date(date{month: to, year: y})
		end = e
	}
	if !ok || !ok2 {
		return "", 0
	}
	return dr.say.Range(a, b), end - i
}

// monthHyphened parses a date whose name of a month at i, of n tokens, is followed by a
// hyphen: May-12-2024, May-2024. It returns i when there is none.
func (dr *Recognizer) monthHyphened(in *scan.View, i, n int, d date) (date, int) {
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

// namedDate parses a date with the name of a month. It returns the token after it, which
// is i when there is none.
func (dr *Recognizer) namedDate(in *scan.View, i int) (d date, j int) {
	if in.Kind(i) == scan.Digits {
		// Four digits cannot be a day, so the year is tried first and costs nothing.
		if d, j = dr.yearFirst(in, i); j > i {
			return d, j
		}
		return dr.dayFirst(in, i)
	}
	m, n := dr.monthAt(in, i, i)
	if n == 0 {
		return d, i
	}
	d = date{month: m, monthFirst: true}
	if e, j := dr.monthHyphened(in, i, n, d); j > i {
		return e, j
	}
	j = i + n
	// Between the month and the day is a space, but not in scripts without spaces.
	if k := in.Skip(j); k > j || in.Token(j-1).Dense {
		if e, ok := dr.dayAt(in, k, &d); ok {
			if _, n := dr.dayWord.Match(in, in.Skip(e)); n > 0 {
				e = in.Skip(e) + n
			}
			d.year, j = dr.yearAt(in, e)
			return d, j
		}
	}
	var e int
	if d.year, e = dr.yearAt(in, j); d.year == "" {
		return d, i
	}
	// A month with its year alone has one pattern, whatever stands first.
	d.monthFirst = false
	return d, e
}

// dayFirst parses a date that begins with its day.
func (dr *Recognizer) dayFirst(in *scan.View, i int) (d date, j int) {
	j, ok := dr.dayAt(in, i, &d)
	if !ok {
		return d, i
	}
	if in.Kind(j) == scan.Sign && j == i+1 && in.Kind(j+1) == scan.Word {
		return dr.hyphened(in, i, j, d)
	}
	j = dr.pastJoint(in, j)
	m, n := dr.monthAt(in, i, j)
	if n == 0 || !in.Closes(j+n) && !in.Token(j).Dense {
		return d, i
	}
	d.month = m
	if !valid(d.day, m) {
		return d, i
	}
	if d.year, j = dr.yearAt(in, j+n); d.year == "" {
		d.year, j = dr.shortYear(in, j)
	}
	return d, j
}

// shortYear parses a year of two digits after a day and a month, 01 Jan 24, where no word
// that it could count follows.
func (dr *Recognizer) shortYear(in *scan.View, j int) (string, int) {
	k := in.Skip(j)
	if k == j || !in.TwoDigits(k) || !in.Closes(k+1) {
		return "", j
	}
	y := scan.Arabic(in.Text(k))
	next := in.Skip(k + 1)
	if y < "10" || y > "39" || in.Kind(next) == scan.Word || in.Kind(next) == scan.Digits {
		return "", j
	}
	if r := in.Rune(next); in.Kind(next) == scan.Sign && (next > k+1 || in.Kind(next+1) == scan.Digits || in.IsPercent(next) || in.IsOperator(next) || scan.IsDash(r) || r == '/') {
		return "", j
	}
	return century(y), k + 1
}

// yearFirst parses a date that begins with its year: 2024. május 12.
func (dr *Recognizer) yearFirst(in *scan.View, i int) (d date, j int) {
	y := scan.Arabic(in.Text(i))
	if len(y) != 4 {
		return d, i
	}
	j = i + 1
	if in.Is(j, '.') || in.Is(j, ',') {
		j++
	}
	j = dr.pastJoint(in, j)
	m, n := dr.month.Match(in, j)
	if n == 0 || !in.Closes(j+n) {
		return d, i
	}
	d.year, d.month, d.yearFirst = y, m, true
	j += n
	if e, ok := dr.dayAt(in, in.Skip(j), &d); ok && valid(d.day, m) && in.Skip(j) > j {
		if _, n := dr.dayWord.Match(in, in.Skip(e)); n > 0 {
			e = in.Skip(e) + n
		}
		return d, e
	}
	// dayAt may have set them before it gave up.
	d.day, d.until = 0, 0
	return d, j
}

// dayAt parses a day of the month, or two with a dash between them, into a date. It
// returns the token after it. A suffix or full stop that makes the day an ordinal is
// part of it.
func (dr *Recognizer) dayAt(in *scan.View, i int, d *date) (end int, ok bool) {
	if in.Kind(i) != scan.Digits || scan.RuneLen(in.Text(i)) > 2 {
		return i, false
	}
	day := scan.Atoi(scan.Arabic(in.Text(i)))
	if day < 1 || day > 31 {
		return i, false
	}
	d.day, d.until = day, 0
	j := dr.dayTail(in, i+1)
	d.suffix = ""
	if v, n := dr.ordinals.Suffix(in, i+1); n > 0 && j == i+1+n {
		d.suffix, d.rule = in.Span(i+1, j), v
	}
	k := in.Skip(j)
	if in.Kind(k) == scan.Sign && scan.IsDash(in.Rune(k)) && in.Kind(in.Skip(k+1)) == scan.Digits {
		k = in.Skip(k + 1)
		until := scan.Atoi(scan.Arabic(in.Text(k)))
		// A range goes up. "12-05" is rather a day and a month in numbers.
		if until > day && until <= 31 && scan.RuneLen(in.Text(k)) <= 2 {
			d.until, j, d.suffix = until, dr.dayTail(in, k+1), ""
		}
	}
	// A day with a case ending is read by itself, not as part of a date: május 12-én.
	if v, n := dr.ordinals.Suffix(in, j); n > 0 && in.Is(j, '-') && strings.Contains(v, "{n") {
		return i, false
	}
	// These signs before a digit continue a time, a decimal or a longer number.
	if r := in.Rune(j); in.Kind(j) == scan.Sign && (r == ':' || r == '.' || r == '/' || r == '-' || r == '%') && in.Kind(j+1) == scan.Digits {
		return i, false
	}
	return j, true
}

// dayTail returns the token after the suffix or full stop that makes a day an ordinal.
func (dr *Recognizer) dayTail(in *scan.View, j int) int {
	if v, n := dr.ordinals.Suffix(in, j); n > 0 && in.Closes(j+n) && (!in.Is(j, '-') || !strings.Contains(v, "{n")) {
		return j + n
	}
	if in.Is(j, '.') && (in.Kind(j+1) == scan.Space || in.Kind(j+1) == scan.Sign && (scan.IsDash(in.Rune(j+1)) || in.Is(j+1, ',') || in.Is(j+1, ';'))) && dr.say.OrdinalDot {
		return j + 1
	}
	return j
}

// pastJoint returns the token after space and the words that may stand between the parts
// of a date.
func (dr *Recognizer) pastJoint(in *scan.View, j int) int {
	j = in.Skip(j)
	if _, n := dr.joint.Match(in, j); n > 0 && in.Closes(j+n) {
		return in.Skip(j + n)
	}
	return j
}

// yearAt parses the year after a month or a day. It returns the token after it, which is
// j when there is none.
func (dr *Recognizer) yearAt(in *scan.View, j int) (string, int) {
	k := j
	if in.Is(k, ',') || in.Is(k, '،') || in.Is(k, '、') || in.Is(k, '/') && in.Kind(k-1) == scan.Digits {
		k++
	}
	k = dr.pastJoint(in, k)
	if k > j && scan.IsApostrophe(in.Rune(k)) && in.TwoDigits(k+1) && in.Closes(k+2) {
		return century(scan.Arabic(in.Text(k + 1))), k + 2
	}
	if k == j || in.Kind(k) != scan.Digits {
		return "", j
	}
	y := scan.Arabic(in.Text(k))
	// Four digits from 1000 to 2999. Other numbers after a date are counts.
	if len(y) != 4 || y[0] == '0' || y[0] > '2' || !in.Closes(k+1) {
		return "", j
	}
	// Two years: 3 June, 2023-24.
	if in.Kind(k+1) == scan.Sign && scan.IsDash(in.Rune(k+1)) && in.TwoDigits(k+2) && scan.Atoi(scan.Arabic(in.Text(k+2))) == (scan.Atoi(y)+1)%100 {
		return "", j
	}
	// The digits begin a time, a decimal or another date.
	if in.Kind(k+1) == scan.Sign && in.Kind(k+2) == scan.Digits && strings.ContainsRune(":.,%/", in.Rune(k+1)) {
		return "", j
	}
	k++
	if dr.ordinals.Marked(in, k) || dr.ordinals.BeforeNoun(in, k-1) != "" {
		return "", j // an ordinal, which is read with the words after it
	}
	// The full stop of an ordinal before a comma ends no sentence: 12. svibnja 2024., ...
	if in.Is(k, '.') && dr.say.OrdinalDot && (in.Is(k+1, ',') || in.Is(k+1, ';')) {
		return y, k + 1
	}
	if strings.HasSuffix(dr.words.patterns.date, "}") {
		return y, k
	}
	j = k
	if in.Is(j, '.') && dr.say.OrdinalDot {
		j++
	}
	if _, n := dr.yearWord.Match(in, in.Skip(j)); n > 0 && in.Skip(j) > k {
		return y, in.Skip(j) + n
	}
	if m := in.Skip(j); m > j && j > k && in.Kind(m) == scan.Word && unicode.IsLower(in.Token(m).R) {
		return y, j // the full stop marks an ordinal, as the sentence continues: 12. maja 2024. je
	}
	return y, k
}
