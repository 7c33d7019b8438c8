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
	joint          scan.Phrases[bool] // words between the parts of a date
	dayWord        scan.Phrases[bool] // words after the day of a date that are part of it
	dateWord       scan.Phrases[bool] // words before a day and a month in numbers
	yearWord       scan.Phrases[bool] // words before or after a year
}

// New returns the recognizer of a speaker's language, and adds the words with which
// dates begin to starts.
func New(say *speak.Speaker, agree *speak.Agreement, quantities *quantity.Recognizer, ordinals *ordinal.Recognizer, times *clock.Recognizer, starts *scan.Starts) *Recognizer {
	lex := say.Lexicon
	dr := &Recognizer{say: say, agree: agree, quantities: quantities, ordinals: ordinals, clock: times, words: newWords(say)}
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
	// namedDate returns i when there is no date.
	d, j := dr.namedDate(in, i)
	if j == i {
		return scan.Outcome{}
	}
	d.ordinal = dr.agree.Before(in, i)
	return scan.Said(dr.dated(d, j-i))
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
	m, n := dr.month.Match(in, i)
	if n == 0 {
		return d, i
	}
	d = date{month: m, monthFirst: true}
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
	m, n := dr.month.Match(in, j)
	if n == 0 || !in.Closes(j+n) && !in.Token(j).Dense {
		return d, i
	}
	d.month = m
	if !valid(d.day, m) {
		return d, i
	}
	d.year, j = dr.yearAt(in, j+n)
	return d, j
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
	if in.Is(j, '.') && (in.Kind(j+1) == scan.Space || in.Kind(j+1) == scan.Sign && scan.IsDash(in.Rune(j+1))) && dr.say.OrdinalDot {
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
	// The digits begin a time, a decimal or another date.
	if in.Kind(k+1) == scan.Sign && in.Kind(k+2) == scan.Digits && strings.ContainsRune(":.,%/", in.Rune(k+1)) {
		return "", j
	}
	k++
	if dr.ordinals.Marked(in, k) || dr.ordinals.BeforeNoun(in, k-1) != "" {
		return "", j // an ordinal, which is read with the words after it
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
