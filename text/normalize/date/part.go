package date

import (
	"strings"
	"unicode"

	"vaak/text/normalize/ordinal"
	"vaak/text/normalize/scan"
	"vaak/text/normalize/speak"
)

// parts finds the day and the year of a date with the name of a month.
type parts struct {
	ordinals   *ordinal.Recognizer
	ordinalDot bool               // a full stop after a number makes an ordinal
	joint      scan.Phrases[bool] // words between the parts of a date
	dayWord    scan.Phrases[bool] // words after the day that belong to it
	yearWord   scan.Phrases[bool] // words after the year
	yearLast   bool               // the pattern of dates has no words after the year
}

// newParts returns the parts of the dates of a speaker's language, which are spoken in a
// pattern.
func newParts(say *speak.Speaker, ordinals *ordinal.Recognizer, pattern string) *parts {
	lex := say.Lexicon
	pa := &parts{
		ordinals: ordinals, ordinalDot: say.OrdinalDot,
		dayWord: phrases(lex.List("date.day-word")), yearWord: phrases(lex.List("year.word")), yearLast: strings.HasSuffix(pattern, "}"),
	}
	pa.addJoints(pattern)
	pa.addJoints(say.LongDate())
	return pa
}

// addJoints adds the words between the fields of a pattern, such as "de" in "{d}
// de {month}".
func (pa *parts) addJoints(pattern string) {
	rest := pattern
	for {
		_, after, ok := strings.Cut(rest, "}")
		if !ok {
			return
		}
		lit, next, more := strings.Cut(after, "{")
		if lit = strings.TrimSpace(lit); more && lit != "" && scan.IsLetter(scan.FirstRune(lit)) {
			pa.joint.Add(lit, true)
		}
		if !more {
			return
		}
		rest = next
	}
}

// dayAt parses a day of the month, or two with a dash between them, into a date. It
// returns the token after it. A suffix or full stop that makes the day an ordinal is
// part of it.
func (pa *parts) dayAt(in *scan.View, i int, d *date) (end int, ok bool) {
	if in.Kind(i) != scan.Digits || scan.RuneLen(in.Text(i)) > 2 {
		return i, false
	}
	day := scan.Atoi(scan.Arabic(in.Text(i)))
	if day < 1 || day > 31 {
		return i, false
	}
	d.day, d.until = day, 0
	j := pa.dayTail(in, i+1)
	d.suffix = ""
	if v, n := pa.ordinals.Suffix(in, i+1); n > 0 && j == i+1+n {
		d.suffix, d.rule = in.Span(i+1, j), v
	}
	k := in.Skip(j)
	if in.Kind(k) == scan.Sign && scan.IsDash(in.Rune(k)) && in.Kind(in.Skip(k+1)) == scan.Digits {
		k = in.Skip(k + 1)
		until := scan.Atoi(scan.Arabic(in.Text(k)))
		// A range goes up. "12-05" is rather a day and a month in numbers.
		if until > day && until <= 31 && scan.RuneLen(in.Text(k)) <= 2 {
			d.until, j, d.suffix = until, pa.dayTail(in, k+1), ""
		}
	}
	// A day with a case ending is read by itself, not as part of a date: május 12-én.
	if v, n := pa.ordinals.Suffix(in, j); n > 0 && in.Is(j, '-') && strings.Contains(v, "{n") {
		return i, false
	}
	// These signs before a digit continue a time, a decimal or a longer number.
	if r := in.Rune(j); in.Kind(j) == scan.Sign && (r == ':' || r == '.' || r == '/' || r == '-' || r == '%') && in.Kind(j+1) == scan.Digits {
		return i, false
	}
	return j, true
}

// dayTail returns the token after the suffix or full stop that makes a day an ordinal.
func (pa *parts) dayTail(in *scan.View, j int) int {
	if v, n := pa.ordinals.Suffix(in, j); n > 0 && in.Closes(j+n) && (!in.Is(j, '-') || !strings.Contains(v, "{n")) {
		return j + n
	}
	if in.Is(j, '.') && (in.Kind(j+1) == scan.Space || in.Kind(j+1) == scan.Sign && (scan.IsDash(in.Rune(j+1)) || in.Is(j+1, ',') || in.Is(j+1, ';'))) && pa.ordinalDot {
		return j + 1
	}
	return j
}

// pastDayWord returns the token after the word that belongs to a day before j.
func (pa *parts) pastDayWord(in *scan.View, j int) int {
	if _, n := pa.dayWord.Match(in, in.Skip(j)); n > 0 {
		return in.Skip(j) + n
	}
	return j
}

// pastJoint returns the token after space and the words that may stand between the parts
// of a date.
func (pa *parts) pastJoint(in *scan.View, j int) int {
	j = in.Skip(j)
	if _, n := pa.joint.Match(in, j); n > 0 && in.Closes(j+n) {
		return in.Skip(j + n)
	}
	return j
}

// yearAt parses the year after a month or a day. It returns the token after it, which is
// j when there is none.
func (pa *parts) yearAt(in *scan.View, j int) (string, int) {
	k := j
	if in.Is(k, ',') || in.Is(k, '،') || in.Is(k, '、') || in.Is(k, '/') && in.Kind(k-1) == scan.Digits {
		k++
	}
	k = pa.pastJoint(in, k)
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
	if pa.ordinals.Marked(in, k) || pa.ordinals.BeforeNoun(in, k-1) != "" {
		return "", j // an ordinal, which is read with the words after it
	}
	// The full stop of an ordinal before a comma ends no sentence: 12. svibnja 2024., ...
	if in.Is(k, '.') && pa.ordinalDot && (in.Is(k+1, ',') || in.Is(k+1, ';')) {
		return y, k + 1
	}
	if pa.yearLast {
		return y, k
	}
	j = k
	if in.Is(j, '.') && pa.ordinalDot {
		j++
	}
	if _, n := pa.yearWord.Match(in, in.Skip(j)); n > 0 && in.Skip(j) > k {
		return y, in.Skip(j) + n
	}
	if m := in.Skip(j); m > j && j > k && in.Kind(m) == scan.Word && unicode.IsLower(in.Token(m).R) {
		return y, j // the full stop marks an ordinal, as the sentence continues: 12. maja 2024. je
	}
	return y, k
}

// shortYear parses a year of two digits after a day and a month, 01 Jan 24, where no word
// that it could count follows.
func (pa *parts) shortYear(in *scan.View, j int) (string, int) {
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
