// Package pair reads two numbers with a sign between them that are one thing: a ratio,
// odds, a rating, a blood pressure, a season, the number of a house, chapter and verse.
package pair

import (
	"strings"

	"vaak/text/normalize/quantity"
	"vaak/text/normalize/scan"
	"vaak/text/normalize/speak"
	"vaak/text/normalize/sport"
)

// Recognizer reads pairs of one language. It is safe for concurrent use.
type Recognizer struct {
	say        *speak.Speaker
	quantities *quantity.Recognizer
	results    *sport.Results

	// Patterns with {a} and {b}, "" where the language has none.
	ratio, rating, pressure, years, house, verse string

	spaced bool // a colon with spaces around it makes a ratio

	hours map[string]bool // words after a time of day, 8 : 30 Uhr

	point byte // between the whole part of a number and its digits

	books        scan.Phrases[bool] // names of books before chapter and verse
	odds         map[string]bool    // words beside odds: 5/1
	rated        map[string]bool    // words beside a rating
	part         map[string]bool    // words before a part of several
	pressureWord map[string]bool    // words before a blood pressure
	double       map[string]bool    // words before a pair that is said one after the other
	lanes        map[string]bool    // words before the number of a house with a slash
	versus       string             // a word between two numbers that is a colon: 5대5
}

// New returns the recognizer of a speaker's language.
func New(say *speak.Speaker, quantities *quantity.Recognizer, results *sport.Results) *Recognizer {
	lex := say.Lexicon
	pr := &Recognizer{
		say: say, quantities: quantities, results: results,
		ratio: lex.Word("ratio"), rating: lex.Word("rating"), pressure: lex.Word("pressure"), years: lex.Word("range.year"), house: lex.Word("address.slash"),
		verse:  say.Or("verse", say.Join("{a}", "{b}")),
		spaced: lex.Word("ratio.spaced") == "yes" && lex.Word("ratio") != "", hours: map[string]bool{},
		odds: lex.Set("odds.word"), rated: lex.Set("rating.word"), part: lex.Set("rating.part"), pressureWord: lex.Set("pressure.word"),
		double: lex.Set("pair.word"), lanes: lex.Set("address.word"), versus: lex.Word("ratio.word"),
	}
	for _, r := range lex.Rows("time.mark") {
		for _, w := range r.List(0) {
			pr.hours[w] = true
		}
	}
	if pr.point = '.'; say.Locale.Decimal == "," {
		pr.point = ','
	}
	for _, w := range lex.List("verse.book") {
		pr.books.Add(w, true)
	}
	return pr
}

// Ratio reads 3:2 and 16:9 where they are no times; as a score, after a word that
// announces one.
func (pr *Recognizer) Ratio(in *scan.View, i int) scan.Outcome {
	if pr.ratio == "" {
		return scan.Outcome{}
	}
	at := i + 1 // the colon
	if in.Is(at, rune(pr.point)) && in.Kind(at+1) == scan.Digits && scan.RuneLen(in.Text(at+1)) == 1 {
		at += 2 // 1.5:1
	}
	versus := pr.versus != "" && in.Text(at) == pr.versus && !strings.HasPrefix(in.Text(at+2), pr.versus)
	if !versus && !in.Is(at, ':') || in.Kind(at+1) != scan.Digits || !in.Opens(i) || !in.Closes(at+2) {
		return scan.Outcome{}
	}
	if in.Is(i-1, ':') || in.Is(at+2, ':') && in.Kind(at+3) == scan.Digits && (strings.Contains(pr.ratio, ":") || in.Is(at+4, ':') || !in.Closes(at+4) || scan.RuneLen(in.Text(at+3)) > 3) {
		return scan.Outcome{}
	}
	a, ok := pr.quantities.Number(in, i)
	b, ok2 := pr.quantities.Number(in, at+1)
	if !ok || !ok2 || a.End != at {
		return scan.Outcome{}
	}
	// The scale of a map, with a space in the number in any language: 1:50 000.
	if a.Whole == "1" && !b.Groups && b.End == at+2 && quantity.Thousands(in, b.End) {
		b.Whole, b.End = b.Whole+"000", b.End+2
	}
	p := pr.ratio
	if pr.results.Pattern != "" && pr.results.Parted(in, a, b) {
		p = pr.results.Pattern
	}
	w, ok := pr.say.Pair(p, a, b)
	if !ok {
		return scan.Outcome{}
	}
	end := b.End
	if in.Is(end, '(') {
		w += " " // the points of a tie-break: 7:6(5)
	}
	// 3:2:1
	if in.Is(end, ':') && in.Kind(end+1) == scan.Digits && !strings.Contains(p, ":") {
		c, ok := pr.say.Int(scan.Atoi(scan.Arabic(in.Text(end+1))), "")
		if !ok {
			return scan.Outcome{}
		}
		w, end = pr.say.Endings.Fill2(p, "{a}", w, "{b}", c), end+2
	}
	return scan.Said(w, end-i)
}

// Spaced reads a ratio or a result with spaces around its colon, 1 : 100, where the language
// writes them so. A formula with another sign divides.
func (pr *Recognizer) Spaced(in *scan.View, i int) scan.Outcome {
	if !pr.spaced || !in.Is(i+2, ':') || in.Kind(i+1) != scan.Space || in.Kind(i+3) != scan.Space || in.Kind(i+4) != scan.Digits || !in.Opens(i) {
		return scan.Outcome{}
	}
	a, ok := pr.quantities.Number(in, i)
	b, ok2 := pr.quantities.Number(in, i+4)
	before, after := in.Back(i-1), in.Skip(b.End)
	if !ok || !ok2 || a.End != i+1 || !in.Closes(b.End) || in.IsOperator(before) || in.IsOperator(after) || in.Is(before, ':') || in.Is(after, ':') || pr.hours[in.Text(after)] {
		return scan.Outcome{}
	}
	p := pr.ratio
	if pr.results.Pattern != "" && pr.results.Parted(in, a, b) {
		p = pr.results.Pattern
	}
	w, ok := pr.say.Pair(p, a, b)
	if !ok {
		return scan.Outcome{}
	}
	return scan.Said(w, b.End-i)
}

// Season reads two years that follow each other with a slash between them, 2023/24, and
// with a hyphen where years are said digit by digit.
func (pr *Recognizer) Season(in *scan.View, i int) scan.Outcome {
	byDigits := pr.say.DateMarks[0] != ""
	if !in.Is(i+1, '/') && !(byDigits && in.Kind(i+1) == scan.Sign && scan.IsDash(in.Rune(i+1))) || in.Kind(i+2) != scan.Digits || !in.Opens(i) {
		return scan.Outcome{}
	}
	a, b := scan.Arabic(in.Text(i)), scan.Arabic(in.Text(i+2))
	whole := len(b) == 4 && scan.Atoi(b) == scan.Atoi(a)+1 && in.Is(i+1, '/') // 2024/2025
	if whole {
		b = b[2:]
	}
	if len(a) != 4 || len(b) != 2 || a < "1800" || a > "2099" || !in.Closes(i+3) || in.Is(i+3, in.Rune(i+1)) || in.Is(i-1, '/') || in.Is(i-1, '-') {
		return scan.Outcome{}
	}
	if scan.Atoi(b) != (scan.Atoi(a)+1)%100 || byDigits && in.Text(i+3) == pr.say.DateMarks[0] && !in.Is(i+1, '/') {
		return scan.Outcome{}
	}
	x, ok := pr.say.Number(scan.Number{Whole: a}, pr.say.Cardinal)
	if pr.say.Years || byDigits {
		x, ok = pr.say.Year(a, "")
	}
	y, ok2 := pr.say.Int(scan.Atoi(b), "")
	if whole {
		y, ok2 = pr.say.Year(scan.Arabic(in.Text(i+2)), "")
	}
	if !ok || !ok2 {
		return scan.Outcome{}
	}
	p := pr.years
	if p == "" && byDigits {
		p = pr.say.Span
	}
	if p == "" {
		p = pr.say.Join("{a}", "{b}")
	}
	return scan.Said(pr.say.Endings.Fill2(p, "{a}", x, "{b}", y), 3)
}

// Odds reads odds and the like, 5/1, after a word for them.
func (pr *Recognizer) Odds(in *scan.View, i int) scan.Outcome {
	if len(pr.odds) == 0 || pr.ratio == "" || !in.Is(i+1, '/') || in.Kind(i+2) != scan.Digits || !in.Opens(i) || !in.Closes(i+3) || in.Is(i+3, '/') {
		return scan.Outcome{}
	}
	before := in.Back(i - 1)
	if !pr.odds[in.Text(before)] && (in.Kind(before-1) != scan.Space || !pr.odds[in.Text(before-2)]) && !pr.odds[in.Text(in.Skip(i+3))] {
		return scan.Outcome{}
	}
	w, ok := pr.say.Pair(pr.ratio, scan.Number{Whole: scan.Arabic(in.Text(i))}, scan.Number{Whole: scan.Arabic(in.Text(i + 2))})
	if !ok {
		return scan.Outcome{}
	}
	return scan.Said(w, 3)
}

// Pressure reads a blood pressure, 120/80, before its unit or after a word for it.
func (pr *Recognizer) Pressure(in *scan.View, i int) scan.Outcome {
	if pr.pressure == "" || !in.Is(i+1, '/') || in.Kind(i+2) != scan.Digits || !in.Opens(i) || !in.Closes(i+3) {
		return scan.Outcome{}
	}
	a, b := scan.Number{Whole: scan.Arabic(in.Text(i))}, scan.Number{Whole: scan.Arabic(in.Text(i + 2))}
	if len(a.Whole) > 3 || scan.Atoi(a.Whole) < 60 || len(b.Whole) > 3 || scan.Atoi(b.Whole) < 30 || scan.Atoi(b.Whole) >= scan.Atoi(a.Whole) {
		return scan.Outcome{}
	}
	before := in.Back(i - 1)
	if in.Is(before, ':') {
		before--
	}
	w, ok := pr.say.Pair(pr.pressure, a, b)
	j := in.Skip(i + 3)
	if form, n := pr.quantities.Form(in, j, "pressure-", b); n > 0 && ok {
		return scan.Said(speak.Fill1(form, "{n}", w), j+n-i)
	}
	if !ok || !(in.Expected == i && in.Expectation == scan.ExpectPressure) && !pr.pressureWord[in.Text(before)] && !pr.pressureWord[in.Text(in.Back(before-1))+" "+in.Text(before)] && !(in.Token(before).Dense && pr.pressureWord[in.Text(before-1)+in.Text(before)]) {
		return scan.Outcome{}
	}
	return scan.Said(w, 3)
}

// Presses reports whether the word at i stands before a blood pressure.
func (pr *Recognizer) Presses(in *scan.View, i int) bool { return pr.pressureWord[in.Text(i)] }

// Rating reads a rating such as 3/5 stars or 4.5/5, where a word beside it shows that
// something is rated.
func (pr *Recognizer) Rating(in *scan.View, i int) scan.Outcome {
	if pr.rating == "" || !in.Opens(i) {
		return scan.Outcome{}
	}
	a := pr.quantities.Decimal(in, i)
	if !in.Is(a.End, '/') || in.Kind(a.End+1) != scan.Digits || !in.Closes(a.End+2) || in.Is(a.End+2, '/') {
		return scan.Outcome{}
	}
	end := a.End + 2
	before := in.Back(i - 1)
	if in.Is(before, ':') {
		before = in.Back(before - 1)
	}
	if in.Is(before, '.') {
		before-- // pág. 3/8
	}
	most := scan.Arabic(in.Text(a.End + 1))
	marked := a.Frac != "" && (most == "5" || most == "10") && !pr.say.SouthAsian || // 4.5/5
		pr.say.Code == "fr" && most == "20" // of French schools
	// After the word, only a multiple of five is the highest rating: not in "he scored
	// 3/4 of the goals".
	if !marked && !pr.part[in.Text(before)] && !pr.rated[in.Text(in.Skip(end))] && (!pr.rated[in.Text(before)] || scan.Atoi(most)%5 != 0) {
		return scan.Outcome{}
	}
	w, ok := pr.say.Pair(pr.rating, a, scan.Number{Whole: most})
	if !ok {
		return scan.Outcome{}
	}
	return scan.Said(w, end-i)
}

// Double reads two numbers with a slash that are both the name of one thing, as the sizes of
// clothes are, one after the other: Größe 38/40; and the number of a house behind a word for where
// it is: ngách 12/34.
func (pr *Recognizer) Double(in *scan.View, i int) scan.Outcome {
	if len(pr.double)+len(pr.lanes) == 0 || !in.Is(i+1, '/') || in.Kind(i+2) != scan.Digits || !in.Opens(i) || !in.Closes(i+3) || in.Is(i+3, '/') {
		return scan.Outcome{}
	}
	before := in.Back(i - 1)
	for in.Is(before, '.') || in.Is(before, ':') {
		before = in.Back(before - 1)
	}
	p := "{a} {b}"
	if pr.lanes[in.Text(before)] && pr.house != "" {
		p = pr.house
	} else if !pr.double[in.Text(before)] {
		return scan.Outcome{}
	}
	if before == i-1 || scan.RuneLen(in.Text(i)) > 3 || scan.RuneLen(in.Text(i+2)) > 3 {
		return scan.Outcome{}
	}
	w, ok := pr.say.Pair(p, scan.Number{Whole: scan.Arabic(in.Text(i))}, scan.Number{Whole: scan.Arabic(in.Text(i + 2))})
	if !ok {
		return scan.Outcome{}
	}
	return scan.Said(w, 3)
}

// House reads the number of a house with a slash. A name stands before it, and nothing that
// could be divided behind it: ул. Гагарина, 15/3.
func (pr *Recognizer) House(in *scan.View, i int) scan.Outcome {
	if pr.house == "" || !in.Is(i+1, '/') || in.Kind(i+2) != scan.Digits || !in.Opens(i) || !in.Closes(i+3) || in.Is(i+3, '/') || scan.RuneLen(in.Text(i)) > 3 || scan.RuneLen(in.Text(i+2)) > 3 {
		return scan.Outcome{}
	}
	before := in.Back(i - 1)
	if in.Is(before, ',') {
		before--
	}
	// Where names have no capitals, only numbers of which the first is the larger one: they
	// are no part of anything.
	a, b := scan.Arabic(in.Text(i)), scan.Arabic(in.Text(i+2))
	if in.Is(before, '.') && in.Kind(before-1) == scan.Word && !pr.say.SouthAsian {
		if scan.Atoi(a) <= 1 || scan.RuneLen(in.Text(before-1)) > 3 {
			return scan.Outcome{}
		}
	} else if pr.say.SouthAsian {
		// Nobody counts so many parts of one thing: ১২/৩ মিরপুর.
		next := in.Skip(i + 3)
		if scan.Atoi(a) <= scan.Atoi(b) || in.Kind(next) == scan.Word && (scan.Atoi(a) < 10 || next == i+3 || pr.quantities.Counted(in, next)) {
			return scan.Outcome{}
		}
	} else if next := in.Skip(i + 3); in.Kind(before) != scan.Word || before < 1 || before == i-1 || !in.Capitalized(before) || in.Token(before).Upper || in.Kind(next) == scan.Word && !in.Is(next+1, '.') || in.IsPercent(next) {
		return scan.Outcome{}
	}
	w, ok := pr.say.Pair(pr.house, scan.Number{Whole: a}, scan.Number{Whole: b})
	if !ok {
		return scan.Outcome{}
	}
	return scan.Said(w, 3)
}

// Parts reads an English fraction with the ending of an ordinal: 3/4ths, 2/3rds.
func (pr *Recognizer) Parts(in *scan.View, i int) scan.Outcome {
	if pr.say.Code != "en" || !in.Is(i+1, '/') || in.Kind(i+2) != scan.Digits || in.Kind(i+3) != scan.Word || !in.Opens(i) || !in.Closes(i+4) {
		return scan.Outcome{}
	}
	switch in.Text(i + 3) {
	case "th", "ths", "rd", "rds", "nd":
	default:
		return scan.Outcome{}
	}
	a, b := scan.Arabic(in.Text(i)), scan.Arabic(in.Text(i+2))
	if len(a) > 2 || len(b) > 3 || a[0] == '0' || b[0] == '0' {
		return scan.Outcome{}
	}
	w, ok := pr.say.Mixed(scan.Number{Above: a, Below: b}, pr.say.Cardinal)
	if !ok {
		return scan.Outcome{}
	}
	return scan.Said(w, 4)
}
