package quantity

import (
	"strings"

	"vaak/text/normalize/scan"
	"vaak/text/normalize/speak"
)

// sport knows the words of one language for sport.
type sport struct {
	words        scan.Phrases[bool] // words beside a result: over, wicket, goal
	results      scan.Phrases[bool] // those of them that only results have: won
	cricket      string             // the pattern of runs and wickets, "" where it is not said
	notOut       string             // what the star after a batter's runs means
	crossed      bool               // results are also written with an x: 2 x 1
	minute       string             // the rule of a minute of play: 45'
	minuteBefore map[string]bool    // words before such a minute
}

// compile reads the words.
func (sp *sport) compile(say *speak.Speaker) {
	lex := say.Lexicon
	for _, w := range lex.List("sport.word") {
		sp.words.Add(w, true)
	}
	for _, w := range lex.List("score.word") {
		sp.results.Add(w, true)
		sp.words.Add(w, true)
	}
	sp.cricket, sp.notOut = lex.Word("cricket"), lex.Word("cricket.not-out")
	sp.crossed = lex.Word("score.cross") == "yes"
	for _, r := range lex.Rows("sport.minute") {
		sp.minute, sp.minuteBefore = r.Value(0), r.Set(1)
	}
}

// played reports whether the pair of numbers from i to end is the result of a match: a
// word of sport in the sentence says so, or it stands between two names.
func (qr *Recognizer) played(in *scan.View, i, end int) bool {
	return in.Scored(i) || near(in, i, end, &qr.sport.words) || qr.betweenNames(in, i, end)
}

// won reports whether a pair of which the first number is the smaller one is a result.
// A word of sport alone may also stand beside a range, a game for 3-5 players, so only
// one for the result counts.
func (qr *Recognizer) won(in *scan.View, i, end int) bool {
	return in.Scored(i) || near(in, i, end, &qr.sport.results) || qr.betweenNames(in, i, end) ||
		in.Text(i) == "0" && near(in, i, end, &qr.sport.words)
}

// betweenNames reports whether words with a capital stand on both sides. German nouns
// have capitals, too.
func (qr *Recognizer) betweenNames(in *scan.View, i, end int) bool {
	before, after := in.Back(i-1), in.Skip(end)
	return qr.say.Code != "de" && before == i-2 && after == end+1 && in.Capitalized(before) && in.Capitalized(after) && !in.Token(before).Dense
}

// near reports whether one of some words stands in the sentence, not far before token i
// or after token end.
func near(in *scan.View, i, end int, words *scan.Phrases[bool]) bool {
	for k := end; k < end+scan.Lookahead/2 && k < in.Len() && !parts(in, k); k++ {
		if stands(in, k, words) {
			return true
		}
	}
	for k := i - 1; k > i-scan.Lookahead/2 && k >= 0 && !parts(in, k); k-- {
		if stands(in, k, words) {
			return true
		}
	}
	return false
}

// stands reports whether one of some words stands at k.
func stands(in *scan.View, k int, words *scan.Phrases[bool]) bool {
	in.Step()
	if in.Kind(k) != scan.Word {
		return false
	}
	_, n := words.Match(in, k)
	return n > 0 && (in.Opens(k) || in.Token(k).Dense) && (in.Closes(k+n) || in.Token(k).Dense)
}

// parts reports whether a line or a sentence ends at k.
func parts(in *scan.View, k int) bool {
	switch in.Kind(k) {
	case scan.Space:
		return strings.Contains(in.Text(k), "\n")
	case scan.Sign:
		switch in.Rune(k) {
		case '।', '。', '۔':
			return true
		case '.', '!', '?':
			return in.Kind(k+1) == scan.Space
		}
	}
	return false
}

// countsSport reports whether a range goes up and a word of sport is what it counts: 3-4
// goals.
func (qr *Recognizer) countsSport(in *scan.View, a, b scan.Number) bool {
	_, n := qr.sport.words.Match(in, in.Skip(b.End))
	return n > 0 && scan.Atoi(a.Whole) < scan.Atoi(b.Whole)
}

// Cricket reads runs and wickets, 187/4, and as they are written in Australia, 4/187.
func (qr *Recognizer) Cricket(in *scan.View, i int) scan.Outcome {
	if qr.sport.cricket == "" || !in.Is(i+1, '/') || in.Kind(i+2) != scan.Digits || !in.Opens(i) || !in.Closes(i+3) || in.Is(i+3, '/') || in.Is(i-1, '/') {
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
	if !in.Scored(i) && !near(in, i, i+3, &qr.sport.words) && !(runs >= 50 && afterTeam(in, i)) {
		return scan.Outcome{}
	}
	w, ok := qr.say.Pair(qr.sport.cricket, scan.Number{Whole: a}, scan.Number{Whole: b})
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
func (qr *Recognizer) NotOut(in *scan.View, i int) scan.Outcome {
	if qr.sport.notOut == "" || !in.Is(i, '*') || in.Kind(i-1) != scan.Digits || in.Is(i+1, '*') || !in.Closes(i+1) || in.Kind(in.Skip(i+1)) == scan.Digits {
		return scan.Outcome{}
	}
	if !in.Scored(i) && !near(in, i, i+1, &qr.sport.words) {
		return scan.Outcome{}
	}
	return scan.Said(" "+qr.sport.notOut, 1)
}

// Minute reads a minute of play: 45'.
func (qr *Recognizer) Minute(in *scan.View, i int) scan.Outcome {
	if in.Kind(i+1) != scan.Sign || !scan.IsApostrophe(in.Rune(i+1)) && in.Rune(i+1) != '′' || !in.Opens(i) || !in.Closes(i+2) {
		return scan.Outcome{}
	}
	n := scan.Atoi(scan.Arabic(in.Text(i)))
	bracketed := in.Is(i-1, '(') && in.Is(i+2, ')')
	if n == 0 || n > 120 || !bracketed && !qr.sport.minuteBefore[in.Text(in.Back(i-1))] {
		return scan.Outcome{}
	}
	if bracketed {
		return scan.Said(qr.minutes(n))
	}
	w, ok := qr.say.ByRule(n, qr.sport.minute)
	if !ok {
		return scan.Outcome{}
	}
	return scan.Said(w, 2)
}

// minutes says a minute of play in brackets, of two tokens.
func (qr *Recognizer) minutes(n int) (string, int) {
	if w, ok := qr.Counts(n, "duration-minute"); ok {
		return w, 2
	}
	return "", 0
}

// isSet reports whether two numbers are games of a finished set of tennis.
func isSet(a, b int) bool {
	a, b = max(a, b), min(a, b)
	return a == 6 && b <= 4 || a == 7 && (b == 5 || b == 6)
}

// inSets reports whether a pair is one of several sets: 6-4, 4-6, 7-5. The pair goes
// from i to end.
func inSets(in *scan.View, a, b scan.Number) bool {
	if !isSet(scan.Atoi(a.Whole), scan.Atoi(b.Whole)) {
		return false
	}
	return setAt(in, pastComma(in, b.End)) || setAt(in, beforeComma(in, a.Start)-2)
}

// pastComma returns the token after a comma or space.
func pastComma(in *scan.View, j int) int {
	if in.Is(j, ',') || in.Is(j, ';') || in.Is(j, '،') || in.Is(j, '、') {
		j++
	}
	return in.Skip(j)
}

// beforeComma returns the last token before a comma or space before j.
func beforeComma(in *scan.View, j int) int {
	j = in.Back(j - 1)
	if in.Is(j, ',') || in.Is(j, ';') || in.Is(j, '،') || in.Is(j, '、') {
		j--
	}
	return j
}

// setAt reports whether a set stands at i.
func setAt(in *scan.View, i int) bool {
	if in.Kind(i) != scan.Digits || in.Kind(i+2) != scan.Digits || in.Kind(i+1) != scan.Sign || !scan.IsDash(in.Rune(i+1)) && !in.Is(i+1, ':') {
		return false
	}
	return isSet(scan.Atoi(scan.Arabic(in.Text(i))), scan.Atoi(scan.Arabic(in.Text(i+2))))
}
