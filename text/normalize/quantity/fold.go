package quantity

import (
	"strconv"
	"strings"
	"unicode"

	"vaak/text/normalize/scan"
	"vaak/text/normalize/speak"
)

// folds says how many times: 2x, 3x/week.
type folds struct {
	words        map[string]string // by the number
	pattern, per string            // "" where the language has none
	// by means that sizes are said so, too: Hungarian tízszer tizenöt for 10x15.
	by bool
}

func (fo *folds) compile(say *speak.Speaker) {
	lex := say.Lexicon
	fo.words = lex.ByFirst("fold.word")
	fo.pattern, fo.per, fo.by = lex.Word("fold"), lex.Word("fold.per"), lex.Word("fold.by") == "yes"
}

// Fold reads a number with an x: 2x faster, 3x a day.
func (qr *Recognizer) Fold(in *scan.View, i int) scan.Outcome {
	if qr.folds.pattern == "" || !in.Opens(i) && !(qr.folds.by && (in.Text(i-1) == "x" || in.Is(i-1, '×')) && in.Kind(i-2) == scan.Digits) {
		return scan.Outcome{}
	}
	x, ok := qr.numbers.at(in, i)
	if !ok || x.Below != "" || len(x.Whole) > 4 || x.Whole == "" || x.Whole[0] == '0' && x.Frac == "" {
		return scan.Outcome{}
	}
	j := x.End
	// 2-3x: the first number of a range.
	var from scan.Number
	if in.Kind(j) == scan.Sign && scan.IsDash(in.Rune(j)) && in.Kind(j+1) == scan.Digits {
		to, ok := qr.numbers.at(in, j+1)
		if !ok || to.Below != "" || len(to.Whole) > 4 || qr.say.Span == "" {
			return scan.Outcome{}
		}
		from, x, j = x, to, to.End
	}
	if qr.folds.by && in.Kind(in.Skip(in.Skip(j)+1)) == scan.Digits {
		j = in.Skip(j) // Hungarian 80 x 120
	}
	switch in.Text(j) {
	case "x", "х", "×":
	case "X":
		// A name: iPhone 10X. The first word of a text has a capital in any case.
		if before := in.Text(in.Back(i - 1)); before != "" && strings.ContainsFunc(before[1:], unicode.IsUpper) || i > 2 && in.Capitalized(in.Back(i-1)) {
			return scan.Outcome{}
		}
	default:
		return scan.Outcome{}
	}
	end := j + 1
	if sized := in.Kind(in.Skip(end)) == scan.Digits && (in.Is(j, '×') || in.Kind(end) == scan.Digits || j > x.End); sized != (qr.folds.by && sized) || !sized && !in.Closes(end) {
		return scan.Outcome{}
	}
	if in.IsOperator(in.Back(i-1)) || in.IsOperator(in.Skip(end)) {
		return scan.Outcome{}
	}
	w := qr.foldWord(x)
	if w == "" {
		w, ok = qr.say.Endings.Fill(qr.folds.pattern, func(_, set string) (string, bool) {
			return qr.say.Number(x, qr.say.FirstSet(set, qr.say.Cardinal))
		})
		if !ok {
			return scan.Outcome{}
		}
	}
	if from.Whole != "" {
		first, ok := qr.say.Number(from, qr.say.Cardinal)
		if !ok {
			return scan.Outcome{}
		}
		w = qr.say.Range(first, w)
	}
	// 3x/week
	if in.Is(end, '/') && in.Kind(end+1) == scan.Word && in.Closes(end+2) && qr.folds.per != "" {
		return scan.Said(speak.Fill2(qr.folds.per, "{n}", w, "{u}", in.Text(end+1)), end+2-i)
	}
	if in.Kind(end) == scan.Digits {
		w += " "
	}
	return scan.Said(w, end-i)
}

// foldWord returns the word for a number of times. Where only the last part of a number
// has one, it takes the place of that part: Hungarian tizenötször. It returns "" when
// the language has none.
func (qr *Recognizer) foldWord(x scan.Number) string {
	if w := qr.folds.words[x.Decimal()]; w != "" || !qr.folds.by || x.Frac != "" {
		return w
	}
	n := scan.Atoi(x.Whole)
	for k := 10; k <= 1000; k *= 10 {
		part := qr.folds.words[strconv.Itoa(n%k)]
		if n%k == 0 || part == "" {
			continue
		}
		whole, ok := qr.say.Int(n, "")
		last, ok2 := qr.say.Int(n%k, "")
		if before, found := strings.CutSuffix(whole, last); ok && ok2 && found {
			return before + part
		}
	}
	return ""
}

// Sides reads the first side of a size with a capital: 10X15 cm.
func (qr *Recognizer) Sides(in *scan.View, i int) scan.Outcome {
	if in.Text(i+1) != "X" || in.Kind(i+2) != scan.Digits || !in.Opens(i) || in.Text(i) == "0" {
		return scan.Outcome{}
	}
	a, b := scan.RuneLen(in.Text(i)), scan.RuneLen(in.Text(i+2))
	if !in.Closes(i+3) && in.Text(i+3) != "X" && !qr.Counted(in, i+3) || (a > 2 || b > 2) && !qr.Counted(in, in.Skip(i+3)) {
		return scan.Outcome{} // rather a code
	}
	w, ok := qr.say.Int(scan.Atoi(scan.Arabic(in.Text(i))), "")
	if !ok {
		return scan.Outcome{}
	}
	return scan.Said(w, 1)
}
