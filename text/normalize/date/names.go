package date

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"vaak/text/normalize/scan"
	"vaak/text/normalize/speak"
)

// names finds names of months or of days of the week, each with its number from 1.
type names struct {
	usual scan.Phrases[int]
	small scan.Phrases[int] // in small letters where the language has a capital
	*common
}

// common are the names that are mostly other words, such as may and sat.
type common struct {
	names map[string]bool
	after map[string]bool // the words after which they are names
}

// newCommon returns the common names of a speaker's language.
func newCommon(say *speak.Speaker) *common {
	co := new(common)
	for _, r := range say.Lexicon.Rows("month.common") {
		co.names, co.after = r.Set(0), r.Set(1)
	}
	return co
}

// add adds a name as it may be written, also in small letters, as people type it where
// the language has a capital.
func (na *names) add(name string, v int, starts *scan.Starts) {
	addName(&na.usual, name, v, starts)
	if r := scan.FirstRune(name); unicode.IsUpper(r) && r != 'İ' {
		addName(&na.small, string(unicode.ToLower(r))+name[utf8.RuneLen(r):], v, starts)
	}
}

// addListed adds the names that the lexicon has under a key, beside those of CLDR.
func (na *names) addListed(say *speak.Speaker, key string, starts *scan.Starts) {
	for _, r := range say.Lexicon.Rows(key) {
		for _, name := range r.List(1) {
			na.add(name, scan.Atoi(r[0]), starts)
		}
	}
}

// addName adds a name as it may be written: with and without a full stop, with a
// capital, and in capitals.
func addName(to *scan.Phrases[int], name string, v int, starts *scan.Starts) {
	name = strings.TrimRight(name, ".॰")
	if name == "" || name[0] >= '0' && name[0] <= '9' || scan.RuneLen(name) < 2 && scan.FirstRune(name) < 0x900 {
		return
	}
	if _, dense := scan.Classify(scan.FirstRune(name)); dense && scan.RuneLen(name) < 2 {
		return // a single Han character also ends other words
	}
	r, size := utf8.DecodeRuneInString(name)
	for _, w := range []string{name, string(unicode.ToUpper(r)) + name[size:], strings.ToUpper(name)} {
		// Also with the full stop of an abbreviation, which is then part of the name and
		// ends no sentence.
		to.Add(w+".", v)
		to.Add(w, v)
		if scan.IsIndic(r) {
			to.Add(w+"॰", v) // the mark of abbreviations in Devanagari
		}
		starts.Add(w)
	}
}

// months finds names of months.
type months struct{ names }

// newMonths returns the names of the months of a speaker's language. CLDR has names in a
// date and names alone, and the lexicon may replace both. A text may hold any of them.
func newMonths(say *speak.Speaker, wo *words, co *common, starts *scan.Starts) *months {
	mo := &months{names{common: co}}
	loc := say.Locale
	for m := range 12 {
		for _, name := range []string{wo.months[m], wo.monthsAlone[m], loc.Months[m], loc.MonthsAlone[m], loc.MonthsShort[m]} {
			// A script without capitals has only the full stop to tell them by: ಜನ are people,
			// ಜನ. is January.
			if r := scan.FirstRune(name); co.names[name] && !unicode.IsUpper(r) && !unicode.IsLower(r) {
				mo.usual.Add(name+".", m+1)
				starts.Add(name)
				continue
			}
			mo.add(name, m+1, starts)
		}
	}
	mo.addListed(say, "month", starts)
	return mo
}

// at returns the month whose name stands at i, and how many tokens it takes. A name in
// small letters that is mostly another word, such as may, needs a word before the date
// that goes with dates, or no word after it. The date begins at token from.
func (mo *months) at(in *scan.View, from, i int) (month, n int) {
	if month, n = mo.usual.Match(in, i); n > 0 {
		return month, n
	}
	if month, n = mo.small.Match(in, i); n == 0 || !mo.common.names[in.Text(i)] {
		return month, n
	}
	if mo.common.after[in.Text(in.Back(from-1))] {
		return month, n
	}
	end := i + n
	if i == from { // the day follows
		end = in.Skip(end) + 1
	}
	if next := in.Skip(end); in.Kind(next) == scan.Word && unicode.IsLower(in.Rune(next)) {
		return 0, 0
	}
	return month, n
}

// days finds names of days of the week, with Sunday as 1.
type days struct {
	names
	short [7]string // as CLDR abbreviates them
}

// newDays returns the names of the days of a speaker's language.
func newDays(say *speak.Speaker, co *common, starts *scan.Starts) *days {
	da := &days{names: names{common: co}, short: say.Locale.DaysShort}
	for d := range 7 {
		da.add(say.Locale.Days[d], d+1, starts)
		da.add(say.Locale.DaysShort[d], d+1, starts)
	}
	da.addListed(say, "weekday", starts)
	return da
}

// at returns the day whose name stands at i, and how many tokens it takes. In small
// letters some are mostly other words: he sat 9-5.
func (da *days) at(in *scan.View, i int) (day, n int) {
	if day, n = da.usual.Match(in, i); n > 0 {
		return day, n
	}
	before := in.Back(i - 1)
	if day, n = da.small.Match(in, i); da.common.names[in.Text(i)] && in.Kind(before) == scan.Word && !da.common.after[in.Text(before)] {
		return 0, 0
	}
	return day, n
}

// bracketed returns the day in brackets at j and the token after it, 0 when there is none.
func (da *days) bracketed(in *scan.View, j int) (day, end int) {
	if !in.Is(j, '(') || in.Kind(j+1) != scan.Word {
		return 0, 0
	}
	if v, n := da.usual.Match(in, j+1); n > 0 && in.Is(j+1+n, ')') {
		return v, j + n + 2
	}
	if !in.Is(j+2, ')') {
		return 0, 0
	}
	if day = da.abbreviated(in.Text(j + 1)); day == 0 {
		return 0, 0
	}
	return day, j + 3
}

// follows reports whether a day in brackets stands at j or after a space there, alone or
// with holidays: 11/3(日・祝).
func (da *days) follows(in *scan.View, j int) bool {
	k := in.Skip(j)
	if day, _ := da.bracketed(in, k); day > 0 {
		return true
	}
	return in.Is(k, '(') && in.Is(k+2, '・') && da.abbreviated(in.Text(k+1)) > 0
}

// abbreviated returns the day with an abbreviated name, 0 when there is none.
func (da *days) abbreviated(name string) int {
	for k, short := range da.short {
		if name == short {
			return k + 1
		}
	}
	return 0
}
