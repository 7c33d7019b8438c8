package date

import (
	"strings"

	"vaak/text/normalize/ordinal"
	"vaak/text/normalize/quantity"
	"vaak/text/normalize/scan"
	"vaak/text/normalize/speak"
)

// figures are two or three numbers with the same sign between them, as they were
// written, which may be a date. Numbers with a full stop and space between them are
// spaced.
type figures struct {
	at, third int  // tokens of the first and the third number
	sep       rune // the sign between them: / - .
	a, b, c   string
	spaced    bool
}

// figuresAt parses the numbers at token i. There are none if b is "", and two if c is "".
func figuresAt(in *scan.View, i int) figures {
	f := figures{at: i, sep: in.Rune(i + 1)}
	if f.sep != '/' && f.sep != '-' && f.sep != '.' || !in.Opens(i) {
		return f
	}
	j := i + 2
	switch {
	case in.Kind(j) == scan.Digits:
		if in.Rune(j+1) == f.sep {
			f.third = j + 2
		}
	case f.sep == '.' && in.Kind(j) == scan.Space && in.Kind(j+1) == scan.Digits && in.Is(j+2, '.'):
		f.spaced = true
		j++
		f.third = in.Skip(j + 2)
	default:
		return f
	}
	f.a, f.b = scan.Arabic(in.Text(i)), scan.Arabic(in.Text(j))
	if in.Kind(f.third) == scan.Digits && f.third > j {
		f.c = scan.Arabic(in.Text(f.third))
	}
	return f
}

// order is the order of day, month and year in the figures of a language.
type order struct {
	monthFirst bool // the region writes the month first
	yearFirst  bool // dates begin with the year, so the month stands before the day
}

// full decides which of two numbers beside a year is the day. It follows the order of the
// region unless only the other order is a date.
func (or order) full(f figures) date {
	a, b := scan.Atoi(f.a), scan.Atoi(f.b)
	if or.monthFirst && f.sep != '.' && valid(b, a) || !valid(a, b) && valid(b, a) {
		return date{day: b, month: a, monthFirst: or.monthFirst}
	}
	return date{day: a, month: b}
}

// short decides which of two numbers alone is the day. With a full stop, 12.30 is no date but
// a time.
func (or order) short(f figures) date {
	if a, b := scan.Atoi(f.a), scan.Atoi(f.b); or.yearFirst && valid(b, a) {
		return date{day: b, month: a}
	}
	if f.sep == '.' {
		return date{day: scan.Atoi(f.a), month: scan.Atoi(f.b)}
	}
	return or.full(f)
}

// inFigures reads dates in figures.
type inFigures struct {
	say        *speak.Speaker
	quantities *quantity.Recognizer
	ordinals   *ordinal.Recognizer
	words      *words
	cues       *cues
	spans      *spans
	order      order
	yearWord   scan.Phrases[bool] // words after a year that the pattern of dates says already
	// era are the words that are said for an era behind its year.
	era scan.Phrases[string]
}

// newInFigures returns the recognizer of dates in figures of a speaker's language.
func newInFigures(say *speak.Speaker, quantities *quantity.Recognizer, ordinals *ordinal.Recognizer, wo *words, cu *cues, sp *spans) *inFigures {
	fi := &inFigures{say: say, quantities: quantities, ordinals: ordinals, words: wo, cues: cu, spans: sp}
	for w, pattern := range say.Lexicon.Pairs("year.era") {
		if said, ok := strings.CutPrefix(pattern, "{y} "); ok && !strings.Contains(said, "{") {
			fi.era.Add(w, said)
		}
	}
	fi.order = order{monthFirst: say.MonthFirst, yearFirst: strings.HasPrefix(wo.patterns.date, "{y")}
	if wo.patterns.yearNamed {
		fi.yearWord = phrases(say.Lexicon.List("year.word"))
	}
	return fi
}

// Numeric reads a date in figures, or two with a dash between them: 12/05/2024,
// 12.05.2024, 2024-05-12, 12/05/24 and 01.05.–03.05.
func (fi *inFigures) Numeric(in *scan.View, i int) scan.Outcome {
	if w, n := fi.withEnding(in, i); n > 0 {
		return scan.Said(w, n)
	}
	s := fi.span(in, figuresAt(in, i))
	if s.end == 0 {
		return scan.Said(fi.daysOfMonth(in, i))
	}
	s.from.genitive = s.from.day == 0 && fi.spans.agree.Genitive(in, i)
	o := fi.spans.read(in, i, s)
	if o.Tokens > 0 && fi.eraBehind(in, i+o.Tokens) {
		said, n := fi.era.Match(in, i+o.Tokens)
		o.Words, o.Tokens = fi.say.Join(o.Words, said), o.Tokens+n
	}
	return o
}

// eraBehind reports whether an era is written to the year that ends at j: 05/11/2026م.
func (fi *inFigures) eraBehind(in *scan.View, j int) bool {
	_, n := fi.era.Match(in, j)
	return n > 0 && in.Kind(j) == scan.Word && in.Kind(j-1) == scan.Digits && scan.RuneLen(in.Text(j-1)) == 4 && in.Closes(j+n)
}

// span parses a date, or two with a dash between them. Its end is 0 when there is none.
func (fi *inFigures) span(in *scan.View, f figures) (s span) {
	d, n := fi.date(in, f)
	if n == 0 {
		d, n = fi.yearFirst(in, f)
	}
	if n == 0 {
		return fi.shortSpan(in, f)
	}
	s = span{from: d, end: f.at + n + fi.yearNamed(in, f.at+n)}
	k := fi.spans.next(in, s.end)
	if k == 0 || in.Kind(k) != scan.Digits {
		return s
	}
	g := figuresAt(in, k)
	e, m := fi.date(in, g)
	if m == 0 && d.year == "" && d.day > 0 && f.sep == '/' && g.sep == '/' {
		e, m = fi.day(in, g, true)
	}
	if m > 0 {
		s.to, s.last = e, k+m
	}
	return s
}

// shortSpan parses a day and a month that only the date after a dash tells from a
// fraction: 5/12–7/12/2024, 6/12~6/15.
func (fi *inFigures) shortSpan(in *scan.View, f figures) (s span) {
	if f.b == "" || f.spaced {
		return s
	}
	k := fi.spans.next(in, f.at+3)
	if k == 0 || in.Kind(k) != scan.Digits {
		return s
	}
	g := figuresAt(in, k)
	if g.sep != f.sep {
		return s
	}
	e, m := fi.date(in, g)
	if (m == 0 || e.day == 0) && !fi.bothDays(in, f, g) {
		return s
	}
	if m == 0 {
		e, m = fi.day(in, g, true)
	}
	d, n := fi.day(in, f, true)
	if n == 0 {
		return s
	}
	s = span{from: d, end: f.at + n}
	if m > 0 {
		s.to, s.last = e, k+m
	}
	return s
}

// bothDays reports whether two times two numbers with a dash between them are days and
// months and no fractions: 6/12~6/15, 30/4 - 1/5. Fractions are below one, and those of a
// range are of small numbers or of the same kind.
func (fi *inFigures) bothDays(in *scan.View, f, g figures) bool {
	if f.sep != '/' || g.b == "" || !in.Closes(g.at+3) || in.Is(g.at+3, '/') {
		return false
	}
	// Spaces on both sides of the dash or on none.
	if j := in.Skip(f.at + 3); (j > f.at+3) != (g.at > j+1) {
		return false
	}
	for _, x := range [...]figures{f, g} {
		if d := fi.order.short(x); len(x.a) > 2 || len(x.b) > 2 || !valid(d.day, d.month) {
			return false
		}
	}
	a, b, c, d := scan.Atoi(f.a), scan.Atoi(f.b), scan.Atoi(g.a), scan.Atoi(g.b)
	return a > b || c > d || b != d && max(a, b, c, d) > 12
}

// daysOfMonth reads two days of one month after a word for dates, từ 1-15/6, or with a year:
// 5-7.06.2025.
func (fi *inFigures) daysOfMonth(in *scan.View, i int) (string, int) {
	if !in.Is(i+1, '-') && !in.Is(i+1, '–') || in.Kind(i+2) != scan.Digits || !in.Opens(i) || fi.order.yearFirst || fi.order.monthFirst || fi.say.Span == "" {
		return "", 0
	}
	f := figuresAt(in, i+2)
	if f.sep != '.' && (f.sep != '/' || !fi.cues.told(in, i)) || f.sep == '.' && f.c == "" {
		return "", 0
	}
	d, n := fi.told(in, f)
	from := scan.Arabic(in.Text(i))
	if n == 0 || len(from) > 2 || scan.Atoi(from) >= d.day || scan.Atoi(from) == 0 {
		return "", 0
	}
	d.day, d.until = scan.Atoi(from), d.day
	w, ok := fi.words.date(d)
	if !ok {
		return "", 0
	}
	return w, 2 + n + fi.yearNamed(in, i+2+n)
}

// withEnding reads a month in figures and a day with a case ending, with the year before
// it if there is one: hu 11. 08-án, 2025. 01. 17-én.
func (fi *inFigures) withEnding(in *scan.View, i int) (string, int) {
	if !fi.say.OrdinalDot || !fi.order.yearFirst || !in.Is(i+1, '.') || !in.Opens(i) {
		return "", 0
	}
	d, m := date{}, i
	if y := scan.Arabic(in.Text(i)); len(y) == 4 {
		d.year, m = y, in.Skip(i+2)
	}
	k := in.Skip(m + 2)
	if in.Kind(m) != scan.Digits || !in.Is(m+1, '.') || in.Kind(k) != scan.Digits || !in.Is(k+1, '-') {
		return "", 0
	}
	month, day := scan.Arabic(in.Text(m)), scan.Arabic(in.Text(k))
	d.month = scan.Atoi(month)
	v, n := fi.ordinals.Suffix(in, k+1)
	if len(month) > 2 || len(day) > 2 || !valid(scan.Atoi(day), d.month) || n == 0 || !strings.Contains(v, "{n") || !in.Closes(k+1+n) {
		return "", 0
	}
	number := scan.Number{Whole: strings.TrimPrefix(day, "0")}
	named, ok := fi.say.Ordinal(number, v, in.Span(k+1, k+1+n))
	w, ok2 := fi.words.monthAlone(d.month)
	if d.year != "" {
		w, ok2 = fi.words.date(d)
	}
	if !ok || !ok2 {
		return "", 0
	}
	return fi.say.Join(w, named), k + 1 + n - i
}

// told parses a date, also a day and a month that could be something else.
func (fi *inFigures) told(in *scan.View, f figures) (date, int) {
	if d, n := fi.date(in, f); n > 0 {
		return d, n
	}
	return fi.day(in, f, true)
}

// date parses a date. It returns how many tokens it takes, 0 when there is none.
func (fi *inFigures) date(in *scan.View, f figures) (date, int) {
	switch {
	case f.b == "":
		return date{}, 0
	case f.spaced:
		return fi.spaced(in, f)
	case f.c != "":
		return fi.three(in, f)
	}
	if d, n := fi.monthYear(in, f); n > 0 {
		return d, n
	}
	return fi.day(in, f, false)
}

// three parses a day, a month and a year.
func (fi *inFigures) three(in *scan.View, f figures) (d date, n int) {
	i := f.at
	if !in.Closes(i+5) && !fi.eraBehind(in, i+5) || in.Rune(i+5) == f.sep && in.Kind(i+6) == scan.Digits {
		return d, 0
	}
	switch a, b, c := len(f.a), len(f.b), len(f.c); {
	case a == 4 && b <= 2 && c <= 2:
		d = date{day: scan.Atoi(f.c), month: scan.Atoi(f.b), year: f.a, yearFirst: true}
	// A year of two digits needs a month of two, slashes, or a word for a date beside it:
	// "1.2.34" is a version or a section.
	case a <= 2 && b <= 2 && (c == 4 || c == 2 && (b == 2 || f.sep == '/' || fi.cues.beside(in, i, i+5))):
		if c == 2 && b == 2 && a == 2 && fi.order.yearFirst && valid(scan.Atoi(f.c), scan.Atoi(f.b)) {
			d = date{day: scan.Atoi(f.c), month: scan.Atoi(f.b), year: century(f.a), yearFirst: true} // 24.12.25
			break
		}
		if f.sep == '.' && c == 2 && !valid(scan.Atoi(f.a), scan.Atoi(f.b)) {
			return d, 0 // 2.24.10 is a version
		}
		d = fi.order.full(f)
		d.year = century(f.c)
	}
	// A month of such a calendar may have 32 days.
	if fi.words.calendar.has(d.year) && d.month >= 1 && d.month <= 12 && d.day >= 1 && d.day <= 32 {
		d.other = true
		return d, 5
	}
	// Other years are of a calendar whose months have no names here.
	if y := scan.Atoi(d.year); !valid(d.day, d.month) || y < 1500 || y > 2300 {
		return d, 0
	}
	return d, 5
}

// spaced parses 25. 6. 1991 and 2024. 05. 12. in languages where a full stop marks an
// ordinal.
func (fi *inFigures) spaced(in *scan.View, f figures) (d date, n int) {
	if !fi.say.OrdinalDot {
		return d, 0
	}
	j := f.third
	if len(f.a) == 4 && len(f.b) <= 2 && f.c != "" && len(f.c) <= 2 && valid(scan.Atoi(f.c), scan.Atoi(f.b)) {
		d = date{year: f.a, month: scan.Atoi(f.b), day: scan.Atoi(f.c)} // 2024. 05. 12.
		if in.Is(j+1, '.') && !in.EndsLine(j+1) {
			j++
		}
		return d, j + 1 - f.at
	}
	d = date{day: scan.Atoi(f.a), month: scan.Atoi(f.b)}
	if fi.order.yearFirst {
		d = date{day: d.month, month: d.day} // 04. 25.
	}
	if len(f.a) > 2 || len(f.b) > 2 || !valid(d.day, d.month) {
		return d, 0
	}
	if f.c == "" {
		return d, 5 // 31. 12.
	}
	if len(f.c) != 4 || !in.Closes(j+1) {
		return d, 0
	}
	d.year = f.c
	return d, j + 1 - f.at
}

// yearFirst parses a spaced date that begins with its year, in languages where dates do:
// 2024. 5. 12. The last full stop is part of it unless it ends the sentence.
func (fi *inFigures) yearFirst(in *scan.View, f figures) (d date, n int) {
	// Each space must be single and within a line.
	if !fi.order.yearFirst || !f.spaced || in.Skip(f.at+2) != f.at+3 || f.third == f.at+5 || f.c == "" {
		return d, 0
	}
	y := scan.Atoi(f.a)
	d = date{year: f.a, month: scan.Atoi(f.b), day: scan.Atoi(f.c)}
	if len(f.a) != 4 || y < 1500 || y > 2300 || len(f.b) > 2 || len(f.c) > 2 || !valid(d.day, d.month) {
		return d, 0
	}
	j := f.third + 1
	if in.Is(j, '.') && !in.EndsLine(j+1) && in.Kind(j+1) != scan.Digits {
		j++
	}
	return d, j - f.at
}

// monthYear parses a month and a year: 05/2024.
func (fi *inFigures) monthYear(in *scan.View, f figures) (d date, n int) {
	i, month := f.at, scan.Atoi(f.a)
	if len(f.a) > 2 || month < 1 || month > 12 || !in.Closes(i+3) || in.Is(i-1, f.sep) || fi.quantities.Counted(in, in.Skip(i+3)) || !fi.cues.monthYear(in, f) {
		return d, 0
	}
	return date{month: month, year: century(f.b)}, 3
}

// day parses a day and a month without a year where they cannot be a fraction or a
// decimal: 05/12, and 12.05. in languages with full stops in dates. If told is true, the
// caller knows that a date is meant.
func (fi *inFigures) day(in *scan.View, f figures, told bool) (d date, n int) {
	if f.b == "" || f.spaced || len(f.b) > 2 || len(f.a) > 2 || !in.Closes(f.at+3) || in.Is(f.at-1, f.sep) {
		return d, 0
	}
	n = fi.cues.pair(in, f, told)
	if n == 0 {
		return d, 0
	}
	if d = fi.order.short(f); !valid(d.day, d.month) {
		return d, 0
	}
	return d, n
}

// yearNamed returns how many tokens from i on are the word for year, when the pattern of
// dates has that word already: 12.05.2024 ж.
func (fi *inFigures) yearNamed(in *scan.View, i int) int {
	j := in.Skip(i)
	if in.Is(j, '-') {
		j++
	}
	if _, n := fi.yearWord.Match(in, j); n > 0 && j > i && in.Closes(j+n) {
		return j + n - i
	}
	return 0
}
