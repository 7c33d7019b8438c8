package date

import (
	"strings"

	"vaak/text/normalize/scan"
	"vaak/text/normalize/speak"
)

// Decade reads 1990s, '90s and 90s.
func (dr *Recognizer) Decade(in *scan.View, i int) scan.Outcome {
	j := i
	if in.Is(i, '\'') || in.Is(i, '’') || in.Is(i, '‘') {
		j++
	}
	y := scan.Arabic(in.Text(j))
	if in.Kind(j) != scan.Digits || !in.Opens(i) || len(y) != 4 && len(y) != 2 || y[len(y)-1] != '0' {
		return scan.Outcome{}
	}
	if len(y) == 2 && y < "20" && j == i {
		return scan.Outcome{} // 10s are seconds
	}
	if j == i && len(y) == 2 && dr.seconds(in, i, y) {
		return scan.Outcome{}
	}
	p, n := dr.decade.Match(in, j+1)
	if n == 0 || !in.Closes(j+1+n) && !in.Token(j+n).Dense {
		return scan.Outcome{}
	}
	w, ok := dr.sayDecade(y, p)
	if !ok {
		return scan.Outcome{}
	}
	return scan.Said(w, j+1+n-i)
}

// seconds says that two digits and an s, 30s, are no decade: a word before them
// tells a duration, or none tells a decade and people hardly speak of it.
func (dr *Recognizer) seconds(in *scan.View, i int, y string) bool {
	if len(dr.decadeBefore) == 0 || in.Text(i+1) != "s" {
		return false
	}
	before := in.Text(in.Back(i - 1))
	if in.Is(i-1, '-') {
		before = in.Text(i - 2)
	}
	return !dr.decadeBefore[before] && (dr.duringBefore[before] || y < "50")
}

// sayDecade reads a decade of two or four digits.
func (dr *Recognizer) sayDecade(y, pattern string) (string, bool) {
	tens := dr.decadeWord[y[len(y)-2:]]
	if tens == "" || len(y) == 4 && y[1:] == "000" {
		w, ok := dr.say.Year(y, "")
		return speak.Fill1(pattern, "{y}", w), ok
	}
	if len(y) == 2 {
		return tens, true
	}
	w, ok := dr.say.Int(scan.Atoi(y[:2]), "")
	return dr.say.Join(w, tens), ok
}

// Era reads a year with its era: 500 BC.
func (dr *Recognizer) Era(in *scan.View, i int) scan.Outcome {
	x, ok := dr.quantities.Number(in, i)
	if !ok || !in.Opens(i) || x.Frac != "" || x.Below != "" || len(x.Whole) > 4 {
		return scan.Outcome{}
	}
	j := in.Skip(x.End)
	p, n := dr.eraAt(in, i, j)
	// With an ordinal and a mere letter only a full year is one: 5 m. are metres.
	if n == 0 || !in.Closes(j+n) || n == 2 && scan.RuneLen(in.Text(j)) == 1 && strings.Contains(p, "{y:") && len(x.Whole) != 4 {
		return scan.Outcome{}
	}
	w, ok := dr.sayEra(p, x.Whole)
	if !ok {
		return scan.Outcome{}
	}
	return scan.Said(w, j+n-i)
}

// eraAt returns the pattern of the era at j for the year at i, and its tokens.
// The word before the year may choose it: 2024 г. is another case after в.
func (dr *Recognizer) eraAt(in *scan.View, i, j int) (string, int) {
	if in.Kind(i-1) == scan.Space && in.Kind(i-2) == scan.Word {
		if by := dr.eraBetween[in.Text(i-2)]; by != nil {
			if p, n := by.Match(in, j); n > 0 {
				return p, n
			}
		}
	}
	return dr.eraAfter.Match(in, j)
}

// EraBefore reads a year after its era: AD 79.
func (dr *Recognizer) EraBefore(in *scan.View, i int) scan.Outcome {
	p, n := dr.eraAfter.Match(in, i)
	if n == 0 || !in.Opens(i) {
		return scan.Outcome{}
	}
	j := in.Skip(i + n)
	y := scan.Arabic(in.Text(j))
	if j == i+n || in.Kind(j) != scan.Digits || len(y) > 4 || !in.Closes(j+1) || in.Is(j+1, '.') && in.Kind(j+2) == scan.Digits {
		return scan.Outcome{}
	}
	w, ok := dr.sayEra(p, y)
	if !ok {
		return scan.Outcome{}
	}
	return scan.Said(w, j+1-i)
}

// sayEra reads a year in a pattern: {y}, or {y:SET} by a rule set.
func (dr *Recognizer) sayEra(pattern, year string) (string, bool) {
	return speak.Fill(pattern, func(_, set string) (string, bool) { return dr.say.Year(year, set) })
}

// compileYears reads the words beside years and decades.
func (dr *Recognizer) compileYears(starts *scan.Starts) {
	lex := dr.say.Lexicon
	for _, w := range lex.List("year.word") {
		dr.yearWord.Add(w, true)
	}
	for w, pattern := range lex.Pairs("year.era") {
		dr.eraAfter.Add(w, pattern)
		starts.Add(w)
	}
	dr.eraBetween = map[string]*scan.Phrases[string]{}
	for _, r := range lex.Rows("year.era.after") {
		to := dr.eraBetween[r[0]]
		if to == nil {
			to = new(scan.Phrases[string])
			dr.eraBetween[r[0]] = to
		}
		for _, w := range r.List(1) {
			to.Add(w, r.Value(2))
		}
	}
	for w, pattern := range lex.Pairs("decade") {
		dr.decade.Add(w, pattern)
	}
	dr.decadeWord = lex.ByFirst("decade.word")
	dr.decadeBefore, dr.duringBefore = lex.Set("decade.before"), lex.Set("duration.before")
}
