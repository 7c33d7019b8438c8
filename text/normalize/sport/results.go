package sport

import (
	"strings"

	"vaak/text/normalize/scan"
	"vaak/text/normalize/speak"
)

// Results tells the results of matches from ranges and ratios. It is safe for concurrent
// use.
type Results struct {
	Pattern string // of a result with the fields {a} and {b}, "" where it is not said

	say   *speak.Speaker
	words scan.Phrases[bool] // words beside a result: over, wicket, goal
	only  scan.Phrases[bool] // those of them that only results have: won
	not   map[string]bool    // words before numbers with a dash that are no result: figure 3-2
}

// NewResults reads the words of a speaker's language for results.
func NewResults(say *speak.Speaker) *Results {
	re := &Results{say: say, Pattern: say.Or("score", say.Lexicon.Word("ratio"))}
	re.not = say.Lexicon.Set("score.not")
	for _, w := range say.Lexicon.List("sport.word") {
		re.words.Add(w, true)
	}
	for _, w := range say.Lexicon.List("score.word") {
		re.only.Add(w, true)
		re.words.Add(w, true)
	}
	return re
}

// Dashed reports whether two numbers with a dash between them are a result. Of two small
// numbers of which the first is not smaller, 3-1 is a score; 1-3 is a range.
func (re *Results) Dashed(in *scan.View, a, b scan.Number) bool {
	if a.Frac != "" || b.Frac != "" || len(a.Whole) > 2 || len(b.Whole) > 2 || re.Numbers(in, a.Start) {
		return false
	}
	return re.Won(in, a.Start, b.End) && !re.counts(in, a, b) || scan.Atoi(a.Whole) >= scan.Atoi(b.Whole) || inSets(in, a, b)
}

// Numbers reports whether the word before token i stands before the number of a figure or a
// table, of which a dash parts two numbers.
func (re *Results) Numbers(in *scan.View, i int) bool { return re.not[in.Text(in.Back(i-1))] }

// Parted reports whether two numbers with a colon between them are a result.
func (re *Results) Parted(in *scan.View, a, b scan.Number) bool {
	return re.Played(in, a.Start, b.End) || inSets(in, a, b) || afterFinal(in, a.Start)
}

// Played reports whether the pair of numbers from i to end is the result of a match: a
// word of sport in the sentence says so, or it stands between two names.
func (re *Results) Played(in *scan.View, i, end int) bool {
	return in.Scored(i) || near(in, i, end, &re.words) || re.betweenNames(in, i, end)
}

// Won reports whether a pair of which the first number is the smaller one is a result.
// A word of sport alone may also stand beside a range, a game for 3-5 players, so only
// one for the result counts.
func (re *Results) Won(in *scan.View, i, end int) bool {
	return in.Scored(i) || near(in, i, end, &re.only) || re.betweenNames(in, i, end) || afterFinal(in, i) ||
		in.Text(i) == "0" && near(in, i, end, &re.words)
}

// afterFinal reports whether a pair in brackets stands behind a result, that of the first
// half behind that of the match: 1-1 (0-1), 7:6 (7:5).
func afterFinal(in *scan.View, i int) bool {
	j := in.Back(i - 2)
	return in.Is(i-1, '(') && in.Kind(j) == scan.Digits && in.Kind(j-1) == scan.Sign && (scan.IsDash(in.Rune(j-1)) || in.Is(j-1, ':')) && in.Kind(j-2) == scan.Digits
}

// betweenNames reports whether words with a capital stand on both sides. German nouns
// have capitals, too.
func (re *Results) betweenNames(in *scan.View, i, end int) bool {
	before, after := in.Back(i-1), in.Skip(end)
	return re.say.Code != "de" && before == i-2 && after == end+1 && in.Capitalized(before) && in.Capitalized(after) && !in.Token(before).Dense
}

// counts reports whether a range goes up and a word of sport is what it counts: 3-4
// goals.
func (re *Results) counts(in *scan.View, a, b scan.Number) bool {
	_, n := re.words.Match(in, in.Skip(b.End))
	return n > 0 && scan.Atoi(a.Whole) < scan.Atoi(b.Whole)
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

// isSet reports whether two numbers are games of a finished set of tennis.
func isSet(a, b int) bool {
	a, b = max(a, b), min(a, b)
	return a == 6 && b <= 4 || a == 7 && (b == 5 || b == 6)
}

// inSets reports whether a pair is one of several sets: 6-4, 4-6, 7-5.
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
