package date

import (
	"strings"

	"vaak/text/normalize/ordinal"
	"vaak/text/normalize/quantity"
	"vaak/text/normalize/scan"
	"vaak/text/normalize/speak"
)

// Years reads decades, and years with their era. It is safe for concurrent use.
type Years struct {
	say                        *speak.Speaker
	quantities                 *quantity.Recognizer
	eraAfter                   scan.Phrases[string]
	eraBetween                 map[string]*scan.Phrases[string] // by the word before the year
	decade                     scan.Phrases[string]
	decadeWord                 map[string]string // words for decades by their two digits
	decadeBefore, duringBefore map[string]bool
	short, nought              string               // a year in two digits, and the word for a nought before it
	letter                     map[string]string    // eras by the letter that stands for them
	part                       scan.Phrases[string] // words before a part of a year, and their patterns
}

// NewYears returns the recognizer of a speaker's language, and adds the words with
// which eras begin to starts.
func NewYears(say *speak.Speaker, quantities *quantity.Recognizer, starts *scan.Starts) *Years {
	lex := say.Lexicon
	ye := &Years{
		say: say, quantities: quantities, eraBetween: map[string]*scan.Phrases[string]{}, decadeWord: lex.ByFirst("decade.word"),
		decadeBefore: lex.Set("decade.before"), duringBefore: lex.Set("duration.before"),
		short: say.Or("year.short", "{n}"), nought: lex.Word("time.oh"), letter: lex.ByFirst("year.letter"),
	}
	for w, pattern := range lex.Pairs("year.era") {
		ye.eraAfter.Add(w, pattern)
		starts.Add(w)
	}
	for _, r := range lex.Rows("year.era.after") {
		to := ye.eraBetween[r[0]]
		if to == nil {
			to = new(scan.Phrases[string])
			ye.eraBetween[r[0]] = to
		}
		for _, w := range r.List(1) {
			to.Add(w, r.Value(2))
		}
	}
	for _, r := range lex.Rows("year.part") {
		for _, w := range r.List(0) {
			ye.part.Add(w, r.Value(1))
			starts.Add(w)
		}
	}
	for w, pattern := range lex.Pairs("decade") {
		ye.decade.Add(w, pattern)
	}
	return ye
}

// Decade reads a decade: 1990s, '90s and 90s.
func (ye *Years) Decade(in *scan.View, i int) scan.Outcome {
	j := i
	if in.Is(i, '\'') || in.Is(i, '’') || in.Is(i, '‘') {
		j++
	}
	y := scan.Arabic(in.Text(j))
	if in.Kind(j) != scan.Digits || !in.Opens(i) {
		return scan.Outcome{}
	}
	if w, n := ye.suffixed(in, i, y); n > 0 {
		return scan.Said(w, n)
	}
	if len(y) != 4 && len(y) != 2 || y[len(y)-1] != '0' {
		return scan.Outcome{}
	}
	if len(y) == 2 && y < "20" && j == i && !ye.decadeBefore[in.Text(in.Back(i-1))] {
		return scan.Outcome{} // 10s means seconds
	}
	if j == i && len(y) == 2 && ye.seconds(in, i, y) {
		return scan.Outcome{}
	}
	p, n := ye.decade.Match(in, j+1)
	if n == 0 || !in.Closes(j+1+n) && !in.Token(j+n).Dense {
		return scan.Outcome{}
	}
	w, ok := ye.sayDecade(y, p)
	if !ok {
		return scan.Outcome{}
	}
	return scan.Said(w, j+1+n-i)
}

// suffixed reads a number of one or two digits with the ending of decades, where that is
// written to it and spoken as one word with it: die 68er, ein 6er-Pack.
func (ye *Years) suffixed(in *scan.View, i int, y string) (string, int) {
	if len(y) > 2 || y[0] == '0' || in.Kind(i+1) != scan.Word {
		return "", 0
	}
	p, n := ye.decade.Match(in, i+1)
	rest, glued := strings.CutPrefix(p, "{y}")
	if n != 1 || !glued || scan.RuneLen(rest) < 2 || !scan.IsLetter(scan.FirstRune(rest)) || rest != in.Text(i+1) || y[len(y)-1] == '0' && len(y) == 2 || !in.Closes(i+2) {
		return "", 0
	}
	w, ok := ye.say.Int(scan.Atoi(y), "")
	if !ok {
		return "", 0
	}
	return w + rest, 2
}

// Short reads a year in two digits after an apostrophe: the class of '24.
func (ye *Years) Short(in *scan.View, i int) scan.Outcome {
	// A mark after the digits may close a quotation that this one opens.
	if !scan.IsApostrophe(in.Rune(i)) || !in.TwoDigits(i+1) || !in.Opens(i) && !quarter(in, i) || !in.Closes(i+2) || scan.IsApostrophe(in.Rune(i+2)) || in.Is(i+2, '"') || in.Is(i+2, '%') {
		return scan.Outcome{}
	}
	// '24-'25 and '08-09
	to := 0
	if in.Kind(i+2) == scan.Sign && scan.IsDash(in.Rune(i+2)) {
		to = i + 3
		if scan.IsApostrophe(in.Rune(to)) {
			to++
		}
		if !in.TwoDigits(to) || !in.Closes(to+1) || ye.say.Span == "" {
			to = 0
		}
	}
	if to == 0 && in.Kind(i+2) == scan.Sign && in.Kind(i+3) == scan.Digits || quotes(in, i+2) {
		return scan.Outcome{}
	}
	w, ok := ye.twoDigits(in.Text(i + 1))
	if ok && to > 0 {
		if v, ok := ye.twoDigits(in.Text(to)); ok {
			return scan.Said(ye.say.Range(w, v), to+1-i)
		}
	}
	if !ok {
		return scan.Outcome{}
	}
	return scan.Said(speak.Fill1(ye.short, "{n}", w), 2)
}

// twoDigits says a year in two digits.
func (ye *Years) twoDigits(digits string) (string, bool) {
	y := scan.Arabic(digits)
	w, ok := ye.say.Int(scan.Atoi(y), "")
	if y[0] == '0' && ye.nought != "" {
		w = ye.say.Join(ye.nought, w)
	}
	return w, ok
}

// quotes reports whether an apostrophe soon after j closes a quotation.
func quotes(in *scan.View, j int) bool {
	for k := j; k < j+scan.Lookahead/2 && k < in.Len(); k++ {
		if scan.IsApostrophe(in.Rune(k)) && in.Kind(k-1) != scan.Space && in.Kind(k+1) != scan.Word && in.Kind(k+1) != scan.Digits {
			return true
		}
	}
	return false
}

// quarter reports whether a letter with a digit stands before i: Q4'24.
func quarter(in *scan.View, i int) bool {
	return in.Kind(i-1) == scan.Digits && scan.RuneLen(in.Text(i-1)) == 1 && in.Kind(i-2) == scan.Word && in.Token(i-2).Upper
}

// Letter reads a date of an era that is written as a letter: R6.4.1 is 令和六年四月一日.
func (ye *Years) Letter(in *scan.View, i int) scan.Outcome {
	era := ye.letter[in.Text(i)]
	marks := ye.say.DateMarks
	if era == "" || marks[0] == "" || !in.Opens(i) || in.Kind(i+1) != scan.Digits || scan.RuneLen(in.Text(i+1)) > 2 {
		return scan.Outcome{}
	}
	y, ok := ye.say.Int(scan.Atoi(scan.Arabic(in.Text(i+1))), "")
	w := era + y + marks[0]
	if in.Text(i+2) == marks[0] && ok {
		return scan.Said(w, 3)
	}
	sep := in.Rune(i + 2)
	month, day := scan.Atoi(scan.Arabic(in.Text(i+3))), scan.Atoi(scan.Arabic(in.Text(i+5)))
	if sep != '.' && sep != '/' && sep != '-' || in.Kind(i+3) != scan.Digits || in.Rune(i+4) != sep || in.Kind(i+5) != scan.Digits || !valid(day, month) || !in.Closes(i+6) {
		return scan.Outcome{}
	}
	m, ok2 := ye.say.Int(month, "")
	d, ok3 := ye.say.Int(day, "")
	if !ok || !ok2 || !ok3 {
		return scan.Outcome{}
	}
	return scan.Said(w+m+marks[1]+d+marks[2], 6)
}

// seconds reports whether two digits and an s, 30s, are seconds and no decade: a word
// before them announces a duration, or none announces a decade and the decade is before
// the fifties.
func (ye *Years) seconds(in *scan.View, i int, y string) bool {
	if len(ye.decadeBefore) == 0 || in.Text(i+1) != "s" {
		return false
	}
	before := in.Text(in.Back(i - 1))
	if in.Is(i-1, '-') {
		before = in.Text(i - 2)
	}
	return !ye.decadeBefore[before] && (ye.duringBefore[before] || y < "50")
}

// sayDecade says a decade, given in two or four digits.
func (ye *Years) sayDecade(y, pattern string) (string, bool) {
	if y == "00" {
		y = "2000"
	}
	tens := ye.decadeWord[y[len(y)-2:]]
	// Without a word for the tens, or for "2000s", the decade is said as a year with an
	// ending.
	if tens == "" || len(y) == 4 && y[1:] == "000" {
		w, ok := ye.say.Year(y, "")
		return speak.Fill1(pattern, "{y}", w), ok
	}
	if len(y) == 2 {
		return tens, true
	}
	w, ok := ye.say.Int(scan.Atoi(y[:2]), "")
	return ye.say.Join(w, tens), ok
}

// Span reads two years with a dash between them and the word for years behind them, where
// the word before them asks for a case: в 2021–2023 гг.
func (ye *Years) Span(in *scan.View, i int) scan.Outcome { return scan.Said(ye.span(in, i)) }

func (ye *Years) span(in *scan.View, i int) (string, int) {
	if len(ye.eraBetween) == 0 || in.Kind(i+1) != scan.Sign || !scan.IsDash(in.Rune(i+1)) || in.Kind(i+2) != scan.Digits || in.Kind(i-1) != scan.Space || ye.say.Span == "" {
		return "", 0
	}
	by, j := ye.eraBetween[in.Text(i-2)], in.Skip(i+3)
	from, to := scan.Arabic(in.Text(i)), scan.Arabic(in.Text(i+2))
	if by == nil || len(from) != 4 || len(to) != 4 || j == i+3 {
		return "", 0
	}
	p, n := by.Match(in, j)
	year, rest, ok := strings.Cut(p, "} ")
	if n == 0 || !ok || !strings.HasPrefix(p, "{y") || !in.Closes(j+n) {
		return "", 0
	}
	a, ok := ye.sayEra(year+"}", from)
	b, ok2 := ye.sayEra(year+"}", to)
	if !ok || !ok2 {
		return "", 0
	}
	return ye.say.Join(ye.say.Range(a, b), rest), j + n - i
}

// Era reads a year before its era: 500 BC.
func (ye *Years) Era(in *scan.View, i int) scan.Outcome {
	x, ok := ye.quantities.Number(in, i)
	if !ok || !in.Opens(i) || x.Frac != "" || x.Below != "" || len(x.Whole) > 4 {
		return scan.Outcome{}
	}
	j := in.Skip(x.End)
	p, n := ye.eraAt(in, i, j)
	// A single letter after the number is an era only after four digits where the year
	// is an ordinal: Lithuanian 2024 m., but 5 m. are metres.
	if n == 0 || !in.Closes(j+n) || n == 2 && scan.RuneLen(in.Text(j)) == 1 && strings.Contains(p, "{y:") && len(x.Whole) != 4 {
		return scan.Outcome{}
	}
	// In Arabic the letter is also that of the metre.
	if r := in.Rune(j); n == 1 && r == 'م' && scan.RuneLen(in.Text(j)) == 1 && (len(x.Whole) != 4 || x.Whole < "1800" || x.Whole > "2100") && !(in.Expected == i && in.Expectation == scan.ExpectYear) {
		return scan.Outcome{}
	}
	w, ok := ye.sayEra(p, x.Whole)
	if !ok {
		return scan.Outcome{}
	}
	return scan.Said(w, j+n-i)
}

// eraAt returns the pattern of the era at j for the year at i, and how many tokens it
// takes. The word before the year may choose another one: after в, 2024 г. is in another
// case.
func (ye *Years) eraAt(in *scan.View, i, j int) (string, int) {
	if in.Kind(i-1) == scan.Space && in.Kind(i-2) == scan.Word {
		if by := ye.eraBetween[in.Text(i-2)]; by != nil {
			if p, n := by.Match(in, j); n > 0 {
				return p, n
			}
		}
	}
	return ye.eraAfter.Match(in, j)
}

// EraBefore reads a year after its era: AD 79.
func (ye *Years) EraBefore(in *scan.View, i int) scan.Outcome {
	p, n := ye.eraAfter.Match(in, i)
	if n == 0 || !in.Opens(i) || n == 1 && in.Rune(i) == 'م' && scan.RuneLen(in.Text(i)) == 1 {
		return scan.Outcome{}
	}
	j := in.Skip(i + n)
	y := scan.Arabic(in.Text(j))
	if j == i+n || in.Kind(j) != scan.Digits || len(y) > 4 || !in.Closes(j+1) || in.Is(j+1, '.') && in.Kind(j+2) == scan.Digits {
		return scan.Outcome{}
	}
	w, ok := ye.sayEra(p, y)
	if !ok {
		return scan.Outcome{}
	}
	return scan.Said(w, j+1-i)
}

// Part reads a part of a year behind its word, with a slash before the year: quý III/2024.
func (ye *Years) Part(in *scan.View, i int) scan.Outcome {
	p, n := ye.part.Match(in, i)
	j := in.Skip(i + n)
	if n == 0 || !in.Opens(i) || !in.Is(j+1, '/') || in.Kind(j+2) != scan.Digits || !in.Closes(j+3) || in.Is(j+3, '/') {
		return scan.Outcome{}
	}
	v, y := ordinal.Value(in.Text(j)), scan.Arabic(in.Text(j+2))
	if in.Kind(j) == scan.Digits && scan.RuneLen(in.Text(j)) == 1 {
		v = scan.Atoi(scan.Arabic(in.Text(j)))
	}
	if v < 1 || v > 4 || len(y) != 4 || y < "1900" || y > "2100" {
		return scan.Outcome{}
	}
	a, ok := ye.say.Int(v, "")
	b, ok2 := ye.say.Year(y, "")
	if !ok || !ok2 {
		return scan.Outcome{}
	}
	return scan.Said(speak.Fill2(p, "{n}", a, "{y}", b), j+3-i)
}

// sayEra says a year in a pattern with the field {y}, or {y:SET} for a rule set.
func (ye *Years) sayEra(pattern, year string) (string, bool) {
	return speak.Fill(pattern, func(_, set string) (string, bool) { return ye.say.Year(year, set) })
}
