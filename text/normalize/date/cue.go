package date

import (
	"strings"

	"vaak/text/normalize/quantity"
	"vaak/text/normalize/scan"
	"vaak/text/normalize/speak"
)

// cues tells dates in figures from fractions, decimals and names of laws by what stands
// around them.
type cues struct {
	say        *speak.Speaker
	quantities *quantity.Recognizer
	days       *days
	yearFirst  bool // dates begin with the year, so the month stands before the day

	before scan.Phrases[bool] // words before a day and a month
	after  scan.Phrases[bool] // words after them
	point  map[string]bool    // words before a day and a month as in 14.03
	part   map[string]bool    // words after a fraction of something: le 3/4 de
	law    map[string]bool    // words before a number and a year that are no date: order 05/2024
	hours  scan.Phrases[bool] // words after a time of day
	card   scan.Phrases[bool] // words before the month and year in which something ends: 08/27
}

// newCues returns the cues of a speaker's language, and adds the words before dates to
// starts.
func newCues(say *speak.Speaker, quantities *quantity.Recognizer, da *days, starts *scan.Starts) *cues {
	lex := say.Lexicon
	for _, w := range lex.List("date.word") {
		starts.Add(w)
	}
	var hours []string
	for _, r := range lex.Rows("time.mark") {
		for _, w := range r.List(0) {
			if w[0] != '-' { // an ending
				hours = append(hours, w)
			}
		}
	}
	return &cues{
		hours: phrases(hours), say: say, quantities: quantities, days: da, yearFirst: strings.HasPrefix(lex.Word("date"), "{y"),
		before: phrases(lex.List("date.word")), after: phrases(lex.List("date.after")), card: phrases(lex.List("date.card")),
		point: lex.Set("date.point"), part: lex.Set("date.part"), law: lex.Set("date.not"),
	}
}

// pair returns how many tokens two numbers take as a day and a month, 0 when they may be
// something else. It is told when the caller knows already that a date is meant.
func (cu *cues) pair(in *scan.View, f figures, told bool) int {
	i, a, b := f.at, f.a, f.b
	switch {
	case f.sep == '/':
		// A leading zero tells a date from a fraction. Without one, only a word before it or a
		// day of the week after it does.
		if len(b) == 2 && len(a) == 2 && (a[0] == '0' || b[0] == '0') || told || cu.leads(in, f) || cu.told(in, i) || cu.followed(in, i, a, b) || cu.days.follows(in, i+3) || timeFollows(in, i+3) {
			return 3
		}
	case f.sep == '-':
		// Nor is 12-03 a range after a word that goes with dates.
		if len(a) == 2 && len(b) == 2 && ((b[0] == '0' || a > "12") && (told || cu.told(in, i)) || cu.followed(in, i, a, b)) || cu.say.Code == "vi" && !in.Is(i+3, '/') && strings.EqualFold(in.Text(in.Back(i-1)), "ngày") {
			return 3
		}
	case f.sep == '.' && cu.pointed(in, f, told):
		return 3
	case f.sep == '.' && cu.say.OrdinalDot && in.Is(i+3, '.') && in.Kind(i+4) != scan.Digits && (len(b) == 2 && cu.say.Locale.Decimal == "," || !in.EndsLine(i+3) || cu.point[wordBefore(in, i)]):
		return 4
	}
	return 0
}

// leads reports whether a month and a day begin a line, as those of a list of payments do:
// 12/5 ATM出金. Only where dates begin with the year and no spaces are between words does a
// space tell it, and the numbers must be no fraction.
func (cu *cues) leads(in *scan.View, f figures) bool {
	j := in.Skip(f.at + 3)
	return cu.yearFirst && !cu.say.Spaced && (f.at == 0 && in.WordBefore(0) == "" || f.at > 0 && in.EndsLine(f.at-1)) && j > f.at+3 && (in.Kind(j) == scan.Word || in.Kind(j) == 0) &&
		(scan.Atoi(f.a) > scan.Atoi(f.b) || scan.Atoi(f.b) > 12) && !cu.quantities.Counted(in, j)
}

// wordBefore returns the word before token i, of an abbreviation without its full stop.
func wordBefore(in *scan.View, i int) string {
	j := in.Back(i - 1)
	if in.Is(j, '.') {
		j--
	}
	return in.Text(j)
}

// pointed reports whether two numbers with a full stop between them and none after are a
// day and a month: 14.03. They are no decimal, and a word beside them or a time after
// them tells it.
func (cu *cues) pointed(in *scan.View, f figures, told bool) bool {
	i, a, b := f.at, f.a, f.b
	if j := in.Skip(i + 3); !told {
		if _, n := cu.hours.Match(in, j); n > 0 && in.Closes(j+n) {
			return false // bis 12.10 Uhr
		}
	}
	if len(a) == 1 && len(b) == 2 && a != "0" && b <= "12" && b != "05" && b != "10" && b != "00" && !in.Is(i+3, '.') && cu.say.Locale.Decimal == "," && cu.point[wordBefore(in, i)] {
		j := in.Skip(i + 3)
		return !cu.quantities.Counted(in, j) && !in.IsPercent(j) && !in.IsOperator(j) && !scan.IsDash(in.Rune(j))
	}
	if len(cu.point) == 0 || len(a) != 2 || len(b) != 2 || b == "00" || in.Is(i+3, '.') && in.Kind(i+4) == scan.Digits {
		return false
	}
	j := in.Skip(i + 3)
	if cu.quantities.Counted(in, j) || in.IsPercent(j) || in.IsOperator(j) || in.IsOperator(in.Back(i-1)) || scan.IsDash(in.Rune(j)) {
		return false
	}
	if told || cu.point[wordBefore(in, i)] && (a > "24" || b != "05" && b != "10") || cu.followed(in, i, "31", b) {
		return true
	}
	// 14.03 в 10:00, 14.03, 10:00
	if in.Is(j, ',') {
		j = in.Skip(j + 1)
	}
	if in.Kind(j) == scan.Word && in.Kind(j+1) == scan.Space {
		j += 2
	}
	return j > i+3 && in.Kind(j) == scan.Digits && (in.Is(j+1, ':') || in.Is(j+1, '.') && cu.say.Locale.Decimal == ",") && in.TwoDigits(j+2) && in.Closes(j+3)
}

// monthYear reports whether two numbers are a month and a year: 05/2024, and 08/27 after a
// word that says until when something is valid.
func (cu *cues) monthYear(in *scan.View, f figures) bool {
	i, a, b := f.at, f.a, f.b
	full := len(b) == 4 && b >= "1900" && b <= "2100"
	if !full && (f.sep != '/' || len(a) != 2 || len(b) != 2 || b < "20") {
		return false
	}
	ends := cu.ends(in, i)
	told := ends || cu.told(in, i)
	if !told && cu.named(in, i) {
		return false
	}
	// Without a zero, a number and a year are the name of a law or a file: 5/2024.
	return ends || full && (told || a[0] == '0' || len(a) == 2 && in.Kind(in.Back(i-1)) == 0)
}

// named reports whether what stands before a number makes it the name of a law or a file
// and no month: Decreto 05/2024, No. 05/2024.
func (cu *cues) named(in *scan.View, i int) bool {
	j := in.Back(i - 1)
	switch in.Rune(j) {
	case '.', '°', 'º', '#', '№':
		return in.Kind(j) == scan.Sign
	}
	if in.Kind(j) != scan.Word {
		return false
	}
	// German nouns have capitals, too: Stand 05/2024.
	return cu.law[in.Text(j)] || cu.say.Code != "de" && j > 0 && in.Capitalized(j)
}

// ends reports whether words before a token say until when something is valid.
func (cu *cues) ends(in *scan.View, i int) bool {
	j := in.Back(i - 1)
	if in.Is(j, ':') || in.Is(j, '.') {
		j--
	}
	for k := j; k > j-3 && k >= 0; k-- { // t/m is three tokens
		if _, n := cu.card.Match(in, k); n == j-k+1 {
			return true
		}
	}
	return false
}

// told reports whether the word before a token announces a day and a month.
func (cu *cues) told(in *scan.View, i int) bool {
	if in.Is(i-1, '(') { // Sunday (12/5)
		j := in.Back(i - 2)
		for k := j; k > j-3 && k >= 0 && j < i-2 && in.Is(i+3, ')'); k-- { // Thứ 2 is three tokens
			if _, n := cu.days.usual.Match(in, k); n > 0 && n == j+1-k {
				return true
			}
		}
		return false
	}
	if in.Kind(i-1) != scan.Space || in.Kind(i-2) != scan.Word && !in.Is(i-2, '.') {
		return false
	}
	for k := i - 2; k > i-5 && k >= 0; k-- { // t/m is three tokens
		if _, n := cu.before.Match(in, k); n > 0 && n == i-1-k {
			return !cu.fraction(in, i)
		}
	}
	return false
}

// fraction reports whether two numbers at token i are a part of what follows: le 3/4 de la
// ville. The second is small then.
func (cu *cues) fraction(in *scan.View, i int) bool {
	b := in.Text(i + 2)
	return in.Is(i+1, '/') && len(b) == 1 && b < "6" && in.Text(i) < b && in.Kind(i+3) == scan.Space && cu.part[in.Text(i+4)]
}

// followed reports whether the word after two numbers goes with dates. The day is the
// larger one: the others may be a fraction.
func (cu *cues) followed(in *scan.View, i int, a, b string) bool {
	if cu.yearFirst && scan.Atoi(b) < 6 || !cu.yearFirst && scan.Atoi(a) <= scan.Atoi(b) {
		return false
	}
	j := in.Skip(i + 3)
	_, n := cu.after.Match(in, j)
	return n > 0 && (j > i+3 || in.Is(j, '-') || in.Kind(j) == scan.Word) && in.Closes(j+n)
}

// beside reports whether a word before the token i, which may have a full stop or colon,
// or one at end is a word for a date: તા.5-6-25.
func (cu *cues) beside(in *scan.View, i, end int) bool {
	j := in.Back(i - 1)
	if in.Is(j, '.') || in.Is(j, ':') {
		j = in.Back(j - 1)
	}
	if _, n := cu.before.Match(in, j); n > 0 && in.Kind(j) == scan.Word {
		return true
	}
	_, n := cu.after.Match(in, in.Skip(end))
	return n > 0
}

// timeFollows reports whether an hour and minutes follow after a space: 6/12 14:23.
func timeFollows(in *scan.View, j int) bool {
	k := in.Skip(j)
	if k > j && in.Kind(k) == scan.Digits && in.Is(k+1, ':') && in.TwoDigits(k+2) {
		return true
	}
	// One or two short words may stand between: 15/6 a las 14:30, 6/15 @ 2:30.
	for range 2 {
		if k == j || in.Kind(k) != scan.Word && !in.Is(k, '@') || scan.RuneLen(in.Text(k)) > 4 {
			return false
		}
		j = k + 1
		if k = in.Skip(j); k > j && in.Kind(k) == scan.Digits && scan.RuneLen(in.Text(k)) < 3 && (in.Is(k+1, ':') || in.Text(k+1) == "h") && in.TwoDigits(k+2) {
			return true
		}
	}
	return false
}
