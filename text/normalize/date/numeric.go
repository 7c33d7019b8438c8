package date

import (
	"strings"

	"vaak/text/normalize/scan"
	"vaak/text/normalize/speak"
)

// Numeric reads a date in numbers: 12/05/2024, 12.05.2024, 2024-05-12 and 12/05/24.
func (dr *Recognizer) Numeric(in *scan.View, i int) scan.Outcome {
	if w, n := dr.monthBefore(in, i); n > 0 {
		return scan.Said(w, n)
	}
	d, n := dr.numericDate(in, i)
	if n == 0 && dr.yearBegins() && in.Opens(i) {
		d, n = pointedDate(in, i)
	}
	if n == 0 && in.Kind(i+2) == scan.Digits && in.Opens(i) {
		// The date after a dash tells what the numbers before it are: 5/12–7/12/2024.
		if ok, k := dr.spanEnd(in, i+3); ok && in.Kind(k) == scan.Digits && in.Rune(k+1) == in.Rune(i+1) {
			if e, m := dr.numericDate(in, k); m > 0 && e.day > 0 {
				d, n = dr.shortDate(in, i, in.Rune(i+1), scan.Arabic(in.Text(i)), scan.Arabic(in.Text(i+2)), true)
			}
		}
	}
	if n == 0 {
		if w, n := dr.daysOf(in, i); n > 0 {
			return scan.Said(w, n)
		}
	}
	span := n == 0 && dr.shortSpan(in, i)
	if span {
		d, n = dr.shortDate(in, i, '/', scan.Arabic(in.Text(i)), scan.Arabic(in.Text(i+2)), true)
	}
	if n == 0 {
		return scan.Outcome{}
	}
	d.ordinal = dr.agree.Before(in, i)
	d.genitive = d.day == 0 && dr.agree.Genitive(in, i)
	w, n := dr.dated(d, n+dr.yearNamed(in, i+n))
	// A range of two dates in numbers: 12/05/2024–15/05/2024, 01.05.–03.05.
	ok, k := dr.spanEnd(in, i+n)
	if span {
		ok, k = true, in.Skip(in.Skip(i+n)+1)
	}
	if ok && n > 0 && in.Kind(k) == scan.Digits {
		e, m := dr.numericDate(in, k)
		if m == 0 && d.year == "" && d.day > 0 && in.Is(i+1, '/') && in.Is(k+1, '/') && in.Kind(k+2) == scan.Digits {
			e, m = dr.shortDate(in, k, '/', scan.Arabic(in.Text(k)), scan.Arabic(in.Text(k+2)), true)
		}
		if m > 0 {
			e.ordinal = d.ordinal
			if v, ok := dr.words.date(e); ok {
				return scan.Said(dr.say.Range(w, v), k+m-i)
			}
		}
	}
	return scan.Said(dr.bracketed(in, w, i, n))
}

// shortSpan reports whether two days and months with a dash between them stand at i and
// are no fractions: 6/12~6/15, 30/4 - 1/5. Fractions are below one, and those of a range
// are of small numbers or of the same kind.
func (dr *Recognizer) shortSpan(in *scan.View, i int) bool {
	if !in.Is(i+1, '/') || in.Kind(i+2) != scan.Digits || !in.Opens(i) {
		return false
	}
	j := in.Skip(i + 3)
	if in.Kind(j) != scan.Sign || !scan.IsDash(in.Rune(j)) || dr.say.Span == "" {
		return false
	}
	k := in.Skip(j + 1)
	// Spaces on both sides of the dash or on none.
	if (j > i+3) != (k > j+1) || in.Kind(k) != scan.Digits || !in.Is(k+1, '/') || in.Kind(k+2) != scan.Digits || !in.Closes(k+3) || in.Is(k+3, '/') {
		return false
	}
	var v [4]int
	for n, at := range [...]int{i, i + 2, k, k + 2} {
		w := scan.Arabic(in.Text(at))
		if len(w) > 2 {
			return false
		}
		v[n] = scan.Atoi(w)
	}
	for n := 0; n < 4; n += 2 {
		d := dr.ordered(v[n], v[n+1], '/')
		if dr.yearBegins() && valid(v[n+1], v[n]) {
			d = date{day: v[n+1], month: v[n]}
		}
		if !valid(d.day, d.month) {
			return false
		}
	}
	return v[0] > v[1] || v[2] > v[3] || v[1] != v[3] && max(v[0], v[1], v[2], v[3]) > 12
}

// daysOf reads two days of one month after a word for dates: từ 1-15/6, ngày 1-15/6/2025.
func (dr *Recognizer) daysOf(in *scan.View, i int) (string, int) {
	if !in.Is(i+1, '-') && !in.Is(i+1, '–') || in.Kind(i+2) != scan.Digits || !in.Is(i+3, '/') || in.Kind(i+4) != scan.Digits || dr.yearBegins() || dr.say.MonthFirst || dr.say.Span == "" || !dr.dateTold(in, i) {
		return "", 0
	}
	a, b := scan.Arabic(in.Text(i)), scan.Arabic(in.Text(i+2))
	d, n := dr.numericDate(in, i+2)
	if n == 0 {
		d, n = dr.shortDate(in, i+2, '/', b, scan.Arabic(in.Text(i+4)), true)
	}
	if n == 0 || len(a) > 2 || scan.Atoi(a) >= d.day || scan.Atoi(a) == 0 {
		return "", 0
	}
	w, ok := dr.words.date(d)
	v, ok2 := dr.say.Int(scan.Atoi(a), "")
	if !ok || !ok2 {
		return "", 0
	}
	return dr.say.Range(v, w), 2 + n
}

// timeFollows reports whether an hour and minutes follow after a space: 6/12 14:23.
func timeFollows(in *scan.View, j int) bool {
	k := in.Skip(j)
	return k > j && in.Kind(k) == scan.Digits && in.Is(k+1, ':') && in.TwoDigits(k+2)
}

// monthBefore reads a month in numbers and a day with a case ending, with the year
// before it if there is one: hu 11. 08-án, 2025. 01. 17-én.
func (dr *Recognizer) monthBefore(in *scan.View, i int) (string, int) {
	if !dr.say.OrdinalDot || !dr.yearBegins() || !in.Is(i+1, '.') || !in.Opens(i) {
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
	v, n := dr.ordinals.Suffix(in, k+1)
	if len(month) > 2 || len(day) > 2 || !valid(scan.Atoi(day), d.month) || n == 0 || !strings.Contains(v, "{n") || !in.Closes(k+1+n) {
		return "", 0
	}
	number := scan.Number{Whole: strings.TrimPrefix(day, "0")}
	named, ok := dr.say.Ordinal(number, v, in.Span(k+1, k+1+n))
	w, ok2 := dr.words.sayMonth(dr.words.monthsAlone[d.month-1], d.month)
	if d.year != "" {
		w, ok2 = dr.words.date(d)
	}
	if !ok || !ok2 {
		return "", 0
	}
	return dr.say.Join(w, named), k + 1 + n - i
}

// yearNamed returns how many tokens from i on are the word for year, when the pattern of
// dates has that word already: 12.05.2024 ж.
func (dr *Recognizer) yearNamed(in *scan.View, i int) int {
	j := in.Skip(i)
	if in.Is(j, '-') {
		j++
	}
	_, n := dr.yearWord.Match(in, j)
	if n == 0 || j == i || !in.Closes(j+n) || !dr.words.patterns.yearNamed {
		return 0
	}
	return j + n - i
}

// bracketed takes the abbreviated day of the week in brackets after a date of n tokens
// at i: 5月12日（日）.
func (dr *Recognizer) bracketed(in *scan.View, w string, i, n int) (string, int) {
	if n == 0 {
		return w, n
	}
	k, end := dr.bracketDay(in, in.Skip(i+n))
	if k == 0 {
		return w, n
	}
	p := dr.words.patterns.dayAfter
	if p == "" {
		p = "{date}, {weekday}"
	}
	day := dr.say.Locale.Days[k-1]
	// The short form is said as it is where it is a word: 周三.
	if from := in.Skip(i+n) + 1; in.Token(from).Dense && end-from > 2 {
		day = in.Span(from, end-1)
	}
	return speak.Fill2(p, "{date}", w, "{weekday}", day), end - i
}

// bracketDay returns the day of the week in brackets at j, with Sunday as 1, and the
// token after it; 0 when there is none.
func (dr *Recognizer) bracketDay(in *scan.View, j int) (day, end int) {
	if !in.Is(j, '(') || in.Kind(j+1) != scan.Word {
		return 0, 0
	}
	if v, n := dr.weekday.Match(in, j+1); n > 0 && in.Is(j+1+n, ')') {
		return v, j + n + 2
	}
	if !in.Is(j+2, ')') {
		return 0, 0
	}
	for k, short := range dr.say.Locale.DaysShort {
		if in.Text(j+1) == short {
			return k + 1, j + 3
		}
	}
	return 0, 0
}

// Bracketed reads the abbreviated name of a day alone in brackets: (Mon), (月).
func (dr *Recognizer) Bracketed(in *scan.View, i int) scan.Outcome {
	day, end := dr.bracketDay(in, i)
	// Without a date before it, a single character may stand for anything else.
	if day == 0 || end == i+3 && !in.Token(i+1).Dense && scan.RuneLen(in.Text(i+1)) < 2 || in.Token(i+1).Dense && in.Kind(in.Back(i-1)) != scan.Digits && !(dr.say.DateMarks[2] != "" && in.Text(i-1) == dr.say.DateMarks[2]) {
		return scan.Outcome{}
	}
	return scan.Said("("+dr.say.Locale.Days[day-1]+")", end-i)
}

// numericDate parses a date in numbers with the same separator between them.
func (dr *Recognizer) numericDate(in *scan.View, i int) (d date, n int) {
	sep := in.Rune(i + 1)
	if d, n = dr.spacedDate(in, i, sep); n > 0 || !in.Opens(i) || sep != '/' && sep != '-' && sep != '.' || in.Kind(i+2) != scan.Digits {
		return d, n
	}
	a, b := scan.Arabic(in.Text(i)), scan.Arabic(in.Text(i+2))
	if in.Rune(i+3) != sep || in.Kind(i+4) != scan.Digits {
		if d, n = dr.monthYear(in, i, sep, a, b); n > 0 {
			return d, n
		}
		return dr.shortDate(in, i, sep, a, b, false)
	}
	third := scan.Arabic(in.Text(i + 4))
	if !in.Closes(i+5) || in.Rune(i+5) == sep && in.Kind(i+6) == scan.Digits {
		return d, 0
	}
	switch {
	case len(a) == 4 && len(b) <= 2 && len(third) <= 2:
		d = date{day: scan.Atoi(third), month: scan.Atoi(b), year: a, yearFirst: true}
	// A year of two digits needs a month of two, slashes, or a word for a date beside it:
	// "1.2.34" is a version or a section.
	case len(a) <= 2 && len(b) <= 2 && (len(third) == 4 || len(third) == 2 && (len(b) == 2 || sep == '/' || dr.dateBeside(in, i, i+5))):
		if sep == '.' && len(third) == 2 && !valid(scan.Atoi(a), scan.Atoi(b)) {
			return d, 0 // 2.24.10 is a version
		}
		d = dr.ordered(scan.Atoi(a), scan.Atoi(b), sep)
		d.year = century(third)
	}
	// A month of such a calendar may have 32 days.
	if dr.words.calendar.has(d.year) && d.month >= 1 && d.month <= 12 && d.day >= 1 && d.day <= 32 {
		d.other = true
		return d, 5
	}
	// Other years are of a calendar whose months have no names here.
	if y := scan.Atoi(d.year); !valid(d.day, d.month) || y < 1500 || y > 2300 {
		return d, 0
	}
	return d, 5
}

// spacedDate parses 25. 6. 1991 and 2024. 05. 12. in languages where a full stop marks
// an ordinal.
func (dr *Recognizer) spacedDate(in *scan.View, i int, sep rune) (d date, n int) {
	if sep != '.' || !dr.say.OrdinalDot || !in.Opens(i) || in.Kind(i+2) != scan.Space || in.Kind(i+3) != scan.Digits || !in.Is(i+4, '.') {
		return d, 0
	}
	j := in.Skip(i + 5)
	a, b, y := scan.Arabic(in.Text(i)), scan.Arabic(in.Text(i+3)), scan.Arabic(in.Text(j))
	if len(a) == 4 && len(b) <= 2 && in.Kind(j) == scan.Digits && len(y) <= 2 && valid(scan.Atoi(y), scan.Atoi(b)) {
		d = date{year: a, month: scan.Atoi(b), day: scan.Atoi(y)} // 2024. 05. 12.
		if in.Is(j+1, '.') && !in.EndsLine(j+1) {
			j++
		}
		return d, j + 1 - i
	}
	d = date{day: scan.Atoi(a), month: scan.Atoi(b)}
	if dr.yearBegins() {
		d = date{day: scan.Atoi(b), month: scan.Atoi(a)} // 04. 25.
	}
	if len(a) > 2 || len(b) > 2 || !valid(d.day, d.month) {
		return d, 0
	}
	if in.Kind(j) != scan.Digits {
		return d, 5 // 31. 12.
	}
	if len(y) != 4 || !in.Closes(j+1) {
		return d, 0
	}
	d.year = y
	return d, j + 1 - i
}

// shortDate parses a day and a month without a year where they cannot be a fraction or a
// decimal: 05/12, and 12.05. in languages with full stops in dates.
func (dr *Recognizer) shortDate(in *scan.View, i int, sep rune, a, b string, told bool) (d date, n int) {
	if len(b) > 2 || len(a) > 2 || !in.Closes(i+3) || in.Is(i-1, sep) {
		return d, 0
	}
	switch {
	// A leading zero tells a date from a fraction. Without one, only a word before it or a
	// day of the week after it does.
	case sep == '/' && len(b) == 2 && len(a) == 2 && (a[0] == '0' || b[0] == '0'), sep == '/' && (told || dr.dateTold(in, i) || dr.dateFollowed(in, i, a, b) || dr.inBrackets(in, i+3) || timeFollows(in, i+3)):
		n = 3
	// Nor is 12-03 a range after a word that goes with dates.
	case sep == '-' && len(a) == 2 && len(b) == 2 && b[0] == '0' && dr.dateTold(in, i):
		n = 3
	case sep == '-' && dr.say.Code == "vi" && !in.Is(i+3, '/') && strings.EqualFold(in.Text(in.Back(i-1)), "ngày"):
		n = 3
	case sep == '.' && dr.pointedDay(in, i, a, b, told):
		n = 3
	case sep == '.' && dr.say.OrdinalDot && in.Is(i+3, '.') && in.Kind(i+4) != scan.Digits && (len(b) == 2 && dr.say.Locale.Decimal == "," || !in.EndsLine(i+3) || dr.pointWord[in.Text(in.Back(i-1))]):
		n = 4
	default:
		return d, 0
	}
	d = dr.ordered(scan.Atoi(a), scan.Atoi(b), sep)
	if dr.yearBegins() && valid(scan.Atoi(b), scan.Atoi(a)) {
		d = date{day: scan.Atoi(b), month: scan.Atoi(a)}
	}
	if !valid(d.day, d.month) {
		return d, 0
	}
	return d, n
}

// dateFollowed reports whether the word after two numbers goes with dates. The first is
// the larger one: the others may be a fraction.
func (dr *Recognizer) dateFollowed(in *scan.View, i int, a, b string) bool {
	if scan.Atoi(a) <= scan.Atoi(b) {
		return false
	}
	j := in.Skip(i + 3)
	_, n := dr.dateAfter.Match(in, j)
	return n > 0 && (j > i+3 || in.Is(j, '-') || in.Kind(j) == scan.Word) && in.Closes(j+n)
}

// inBrackets reports whether a day of the week in brackets stands at j.
func (dr *Recognizer) inBrackets(in *scan.View, j int) bool {
	k := in.Skip(j)
	day, _ := dr.bracketDay(in, k)
	if day == 0 && in.Is(k, '(') && in.Is(k+2, '・') { // 11/3(日・祝)
		for _, short := range dr.say.Locale.DaysShort {
			if in.Text(k+1) == short {
				return true
			}
		}
	}
	return day > 0
}

// pointedDay reports whether two numbers with a full stop between them and none after
// are a day and a month: 14.03. They are no decimal, and a word beside them or a time
// after them tells it.
func (dr *Recognizer) pointedDay(in *scan.View, i int, a, b string, told bool) bool {
	if len(a) == 1 && len(b) == 2 && a != "0" && b <= "12" && b != "05" && b != "10" && b != "00" && !in.Is(i+3, '.') && dr.say.Locale.Decimal == "," && dr.pointWord[in.Text(in.Back(i-1))] {
		j := in.Skip(i + 3)
		return !dr.quantities.Counted(in, j) && !in.IsPercent(j) && !in.IsOperator(j) && !scan.IsDash(in.Rune(j))
	}
	if len(dr.pointWord) == 0 || len(a) != 2 || len(b) != 2 || b == "00" || in.Is(i+3, '.') && in.Kind(i+4) == scan.Digits {
		return false
	}
	j := in.Skip(i + 3)
	if dr.quantities.Counted(in, j) || in.IsPercent(j) || in.IsOperator(j) || in.IsOperator(in.Back(i-1)) || scan.IsDash(in.Rune(j)) {
		return false
	}
	if told || dr.pointWord[in.Text(in.Back(i-1))] && (a > "24" || b != "05" && b != "10") || dr.dateFollowed(in, i, "31", b) {
		return true
	}
	// 14.03 в 10:00, 14.03, 10:00
	if in.Is(j, ',') {
		j = in.Skip(j + 1)
	}
	if in.Kind(j) == scan.Word && in.Kind(j+1) == scan.Space {
		j += 2
	}
	return j > i+3 && in.Kind(j) == scan.Digits && (in.Is(j+1, ':') || in.Is(j+1, '.') && dr.say.Locale.Decimal == ",") && in.TwoDigits(j+2) && in.Closes(j+3)
}

// monthYear parses a month and a year in numbers: 05/2024, and 08/27 after a word that
// says until when something is valid.
func (dr *Recognizer) monthYear(in *scan.View, i int, sep rune, a, b string) (d date, n int) {
	month := scan.Atoi(a)
	if len(a) > 2 || month < 1 || month > 12 || !in.Closes(i+3) || in.Is(i-1, sep) || in.Is(i+3, sep) && in.Kind(i+4) == scan.Digits || dr.quantities.Counted(in, in.Skip(i+3)) {
		return d, 0
	}
	told := dr.dateTold(in, i) || dr.cardTold(in, i)
	if !told && dr.named(in, i) {
		return d, 0
	}
	switch {
	case len(b) == 4 && b >= "1900" && b <= "2100" && in.Rune(i+1) == sep:
		// Without a zero, a number and a year are the name of a law or a file: 5/2024.
		if a[0] != '0' && !told && !(len(a) == 2 && in.Kind(in.Back(i-1)) == 0) {
			return d, 0
		}
	case len(a) == 2 && len(b) == 2 && sep == '/' && b >= "20" && dr.cardTold(in, i):
	default:
		return d, 0
	}
	return date{month: month, year: century(b)}, 3
}

// named reports whether what stands before a number makes it the name of a law or a file
// and no month: Decreto 05/2024, No. 05/2024.
func (dr *Recognizer) named(in *scan.View, i int) bool {
	j := in.Back(i - 1)
	switch in.Rune(j) {
	case '.', '°', 'º', '#', '№':
		return in.Kind(j) == scan.Sign
	}
	if in.Kind(j) != scan.Word {
		return false
	}
	// German nouns have capitals, too: Stand 05/2024.
	return dr.lawWord[in.Text(j)] || dr.say.Code != "de" && j > 0 && in.Capitalized(j)
}

// cardTold reports whether words before a token say until when something is valid.
func (dr *Recognizer) cardTold(in *scan.View, i int) bool {
	j := in.Back(i - 1)
	if in.Is(j, ':') || in.Is(j, '.') {
		j--
	}
	for k := j; k > j-3 && k >= 0; k-- { // t/m is three tokens
		if _, n := dr.cardWord.Match(in, k); n == j-k+1 {
			return true
		}
	}
	return false
}

// yearBegins reports whether dates are spoken with the year first. Then the month stands
// before the day, also in numbers.
func (dr *Recognizer) yearBegins() bool { return strings.HasPrefix(dr.words.patterns.date, "{y") }

// dateTold reports whether the word before a token announces a day and a month.
func (dr *Recognizer) dateTold(in *scan.View, i int) bool {
	if in.Is(i-1, '(') { // Sunday (12/5)
		j := in.Back(i - 2)
		_, n := dr.weekday.Match(in, j)
		return n == 1 && j < i-2 && in.Is(i+3, ')')
	}
	if in.Kind(i-1) != scan.Space || in.Kind(i-2) != scan.Word {
		return false
	}
	for k := i - 2; k > i-5 && k >= 0; k-- { // t/m is three tokens
		if _, n := dr.dateWord.Match(in, k); n > 0 && n == i-1-k {
			return !dr.fraction(in, i)
		}
	}
	return false
}

// fraction reports whether two numbers at token i are a part of what follows: le 3/4 de la
// ville. The second is small then.
func (dr *Recognizer) fraction(in *scan.View, i int) bool {
	b := in.Text(i + 2)
	return in.Is(i+1, '/') && len(b) == 1 && b < "6" && in.Text(i) < b && in.Kind(i+3) == scan.Space && dr.partWord[in.Text(i+4)]
}

// dateBeside reports whether a word before the token i, which may have a full stop or
// colon, or one at end is a word for a date: તા.5-6-25.
func (dr *Recognizer) dateBeside(in *scan.View, i, end int) bool {
	j := in.Back(i - 1)
	if in.Is(j, '.') || in.Is(j, ':') {
		j = in.Back(j - 1)
	}
	if _, n := dr.dateWord.Match(in, j); n > 0 && in.Kind(j) == scan.Word {
		return true
	}
	_, n := dr.dateAfter.Match(in, in.Skip(end))
	return n > 0
}

// pointedDate parses a date with a full stop and a space after each number, the year
// first: 2024. 5. 12. The last full stop is part of it.
func pointedDate(in *scan.View, i int) (d date, n int) {
	j := i
	var v [3]string
	for k := range v {
		if in.Kind(j) != scan.Digits || k < 2 && (!in.Is(j+1, '.') || in.Kind(j+2) != scan.Space) {
			return d, 0
		}
		v[k] = scan.Arabic(in.Text(j))
		j = in.Skip(j + 2)
	}
	y := scan.Atoi(v[0])
	d = date{year: v[0], month: scan.Atoi(v[1]), day: scan.Atoi(v[2])}
	if len(v[0]) != 4 || y < 1500 || y > 2300 || len(v[1]) > 2 || len(v[2]) > 2 || !valid(d.day, d.month) {
		return d, 0
	}
	return d, pointedEnd(in, i) - i
}

// pointedEnd returns the token after a date of three numbers with full stops. A full
// stop that ends the sentence is not part of the date.
func pointedEnd(in *scan.View, i int) int {
	j := i
	for range 2 {
		j = in.Skip(j + 2)
	}
	j++
	if in.Is(j, '.') && !in.EndsLine(j+1) && in.Kind(j+1) != scan.Digits {
		j++
	}
	return j
}

// ordered decides which of two numbers is the day. It follows the order of the region
// unless only the other order is a date.
func (dr *Recognizer) ordered(a, b int, sep rune) date {
	d := date{day: a, month: b}
	if dr.say.MonthFirst && sep != '.' && valid(b, a) || !valid(a, b) && valid(b, a) {
		d = date{day: b, month: a, monthFirst: dr.say.MonthFirst}
	}
	return d
}

// century returns a year of two digits in full: 70 to 99 are of the 20th century.
func century(y string) string {
	if len(y) != 2 {
		return y
	}
	if y < "70" {
		return "20" + y
	}
	return "19" + y
}

// markedDate reads a date in numbers with marks after them: 2024年5月12日. At least two of
// the three parts must be there, or a year.
func (dr *Recognizer) markedDate(in *scan.View, i int) (string, int) {
	if dr.say.DateMarks[0] == "" || !in.Opens(i) {
		return "", 0
	}
	var d date
	j, parts := i, 0
	for k, mark := range dr.say.DateMarks {
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
		w, ok := dr.say.Year(d.year, "")
		if !ok || scan.Atoi(d.year) < 1000 {
			return "", 0
		}
		return w + in.Span(i+1, j), j - i
	}
	if parts < 2 || d.month == 0 || d.day > 31 || d.month > 12 {
		return "", 0
	}
	w, n := dr.dated(d, j-i)
	return dr.bracketed(in, w, i, n)
}

// hyphened parses a date with the name of a month and hyphens or slashes: 14-Aug-2024,
// 14-Aug-24, 14/Aug/2024 and 14-Aug. The first mark is token j.
func (dr *Recognizer) hyphened(in *scan.View, i, j int, d date) (date, int) {
	mark := in.Rune(j)
	m, n := dr.monthAt(in, j+1, j+1)
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

// Marked reads a date in numbers with marks, or a range of two: 5月12日, 5月12日~14日.
func (dr *Recognizer) Marked(in *scan.View, i int) scan.Outcome {
	w, n := dr.markedDate(in, i)
	j := in.Skip(i + n)
	if n == 0 || in.Kind(j) != scan.Sign || !scan.IsDash(in.Rune(j)) && in.Rune(j) != '∼' || dr.say.Span == "" {
		return scan.Said(w, n)
	}
	k := in.Skip(j + 1)
	to, m := dr.markedDate(in, k)
	if m == 0 {
		to, m = dr.markedDay(in, k)
	}
	if m == 0 {
		return scan.Said(w, n)
	}
	return scan.Said(dr.say.Range(w, to), k+m-i)
}

// markedDay reads a day of the month with its mark: 14日.
func (dr *Recognizer) markedDay(in *scan.View, i int) (string, int) {
	mark := dr.say.DateMarks[2]
	if mark == "" || in.Kind(i) != scan.Digits || in.Text(i+1) != mark || scan.RuneLen(in.Text(i)) > 2 {
		return "", 0
	}
	day := scan.Atoi(scan.Arabic(in.Text(i)))
	w, ok := dr.say.Int(day, "")
	if !ok || day == 0 || day > 31 {
		return "", 0
	}
	return dr.bracketed(in, w+mark, i, 2)
}
