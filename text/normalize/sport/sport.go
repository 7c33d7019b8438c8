// Package sport reads the results of matches and what else the news of sport write in
// figures: runs and wickets, and minutes of play.
package sport

import (
	"vaak/text/normalize/scan"
	"vaak/text/normalize/speak"
)

// Quantities knows what numbers count.
type Quantities interface {
	// Counted reports whether a unit, a currency or a scale stands at a token.
	Counted(in *scan.View, i int) bool
	// Counts says a whole number of the unit of a CLDR key.
	Counts(n int, key string) (string, bool)
}

// Recognizer reads results of one language. It is safe for concurrent use.
type Recognizer struct {
	say          *speak.Speaker
	results      *Results
	quantities   Quantities
	cricket      string          // the pattern of runs and wickets, "" where it is not said
	notOut       string          // what the star after a batter's runs means
	crossed      bool            // results are also written with an x: 2 x 1
	minute       string          // the rule of a minute of play: 45'
	minuteBefore map[string]bool // words before such a minute
}

// New returns the recognizer of a speaker's language.
func New(say *speak.Speaker, results *Results, quantities Quantities) *Recognizer {
	lex := say.Lexicon
	sr := &Recognizer{
		say: say, results: results, quantities: quantities,
		cricket: lex.Word("cricket"), notOut: lex.Word("cricket.not-out"), crossed: lex.Word("score.cross") == "yes",
	}
	for _, r := range lex.Rows("sport.minute") {
		sr.minute, sr.minuteBefore = r.Value(0), r.Set(1)
	}
	return sr
}

// Crossed reads the result of a match with an x, in languages that write it so: 2 x 1.
func (sr *Recognizer) Crossed(in *scan.View, i int) scan.Outcome {
	j := in.Skip(i + 1)
	k := in.Skip(j + 1)
	if !sr.crossed || in.Text(j) != "x" && in.Text(j) != "X" || in.Kind(k) != scan.Digits || (j > i+1) != (k > j+1) || !in.Opens(i) || !in.Closes(k+1) {
		return scan.Outcome{}
	}
	a, b := scan.Arabic(in.Text(i)), scan.Arabic(in.Text(k))
	if len(a) > 2 || len(b) > 2 || sr.quantities.Counted(in, in.Skip(k+1)) || in.Text(in.Skip(k+1)) == "x" || !sr.results.Played(in, i, k+1) {
		return scan.Outcome{}
	}
	w, ok := sr.say.Pair(sr.results.Pattern, scan.Number{Whole: a}, scan.Number{Whole: b})
	if !ok {
		return scan.Outcome{}
	}
	// The result of the first half may follow: 2 x 1 Vasco (1 x 0).
	return scan.Outcome{Words: w, Tokens: k + 1 - i, Note: &scan.Note{Kind: scan.NoteScore, At: k + 1}}
}

// Cricket reads runs and wickets, 187/4, and as they are written in Australia, 4/187.
func (sr *Recognizer) Cricket(in *scan.View, i int) scan.Outcome {
	if sr.cricket == "" || !in.Is(i+1, '/') || in.Kind(i+2) != scan.Digits || !in.Opens(i) || !in.Closes(i+3) || in.Is(i+3, '/') || in.Is(i-1, '/') {
		return scan.Outcome{}
	}
	a, b := scan.Arabic(in.Text(i)), scan.Arabic(in.Text(i+2))
	runs, wickets := scan.Atoi(a), scan.Atoi(b)
	if runs < wickets {
		runs, wickets = wickets, runs
		if runs < 20 {
			return scan.Outcome{} // a fraction or a rating
		}
	}
	if len(a) > 4 || len(b) > 4 || a[0] == '0' && len(a) > 1 || b[0] == '0' && len(b) > 1 || wickets > 10 || runs == wickets || in.Is(i+3, '.') && in.Kind(i+4) == scan.Digits {
		return scan.Outcome{}
	}
	if !in.Scored(i) && !near(in, i, i+3, &sr.results.words) && !(runs >= 50 && afterTeam(in, i)) {
		return scan.Outcome{}
	}
	w, ok := sr.say.Pair(sr.cricket, scan.Number{Whole: a}, scan.Number{Whole: b})
	if !ok {
		return scan.Outcome{}
	}
	return scan.Said(w, 3)
}

// afterTeam reports whether the short name of a team stands before a token: IND, CSK.
func afterTeam(in *scan.View, i int) bool {
	j := in.Back(i - 1)
	return j == i-2 && in.Kind(j) == scan.Word && in.Token(j).Upper && scan.RuneLen(in.Text(j)) > 1 && scan.RuneLen(in.Text(j)) < 5 && in.Rune(j) < 0x250
}

// NotOut reads the star after the runs of a batter who is not out: 102*.
func (sr *Recognizer) NotOut(in *scan.View, i int) scan.Outcome {
	if sr.notOut == "" || !in.Is(i, '*') || in.Kind(i-1) != scan.Digits || in.Is(i+1, '*') || !in.Closes(i+1) || in.Kind(in.Skip(i+1)) == scan.Digits {
		return scan.Outcome{}
	}
	if !in.Scored(i) && !near(in, i, i+1, &sr.results.words) {
		return scan.Outcome{}
	}
	return scan.Said(" "+sr.notOut, 1)
}

// Minute reads a minute of play: 45'.
func (sr *Recognizer) Minute(in *scan.View, i int) scan.Outcome {
	if in.Kind(i+1) != scan.Sign || !scan.IsApostrophe(in.Rune(i+1)) && in.Rune(i+1) != '′' || !in.Opens(i) || !in.Closes(i+2) {
		return scan.Outcome{}
	}
	n := scan.Atoi(scan.Arabic(in.Text(i)))
	bracketed := in.Is(i-1, '(') && in.Is(i+2, ')') || in.Is(i-1, '+') && in.Kind(i-2) == scan.Digits // 90+3'
	if n == 0 || n > 120 || !bracketed && !sr.minuteBefore[in.Text(in.Back(i-1))] {
		return scan.Outcome{}
	}
	if bracketed {
		return scan.Said(sr.minutes(n))
	}
	w, ok := sr.say.ByRule(n, sr.minute)
	if !ok {
		return scan.Outcome{}
	}
	return scan.Said(w, 2)
}

// minutes says a minute of play in brackets, of two tokens.
func (sr *Recognizer) minutes(n int) (string, int) {
	if w, ok := sr.quantities.Counts(n, "duration-minute"); ok {
		return w, 2
	}
	return "", 0
}
