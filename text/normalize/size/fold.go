package size

import (
	"strconv"
	"strings"
	"unicode"

	"vaak/text/normalize/quantity"
	"vaak/text/normalize/scan"
	"vaak/text/normalize/speak"
)

// Folds says how many times: 2x, 3x/week. It is safe for concurrent use.
type Folds struct {
	say          *speak.Speaker
	quantities   *quantity.Recognizer
	words        map[string]string // by the number
	pattern, per string            // "" where the language has none
	// by means that sizes are said so, too: Hungarian tízszer tizenöt for 10x15.
	by bool
}

// NewFolds returns the recognizer of a speaker's language.
func NewFolds(say *speak.Speaker, quantities *quantity.Recognizer) *Folds {
	lex := say.Lexicon
	return &Folds{
		say: say, quantities: quantities,
		words: lex.ByFirst("fold.word"), pattern: lex.Word("fold"), per: lex.Word("fold.per"), by: lex.Word("fold.by") == "yes",
	}
}

// Fold reads a number with an x: 2x faster, 3x a day.
func (fo *Folds) Fold(in *scan.View, i int) scan.Outcome {
	if fo.pattern == "" || !in.Opens(i) && !(fo.by && (in.Text(i-1) == "x" || in.Is(i-1, '×')) && in.Kind(i-2) == scan.Digits) {
		return scan.Outcome{}
	}
	x, ok := fo.quantities.Number(in, i)
	if !ok || x.Below != "" || len(x.Whole) > 4 || x.Whole == "" || x.Whole[0] == '0' && x.Frac == "" {
		return scan.Outcome{}
	}
	j := x.End
	// 2-3x: the first number of a range.
	var from scan.Number
	if in.Kind(j) == scan.Sign && scan.IsDash(in.Rune(j)) && in.Kind(j+1) == scan.Digits {
		to, ok := fo.quantities.Number(in, j+1)
		if !ok || to.Below != "" || len(to.Whole) > 4 || fo.say.Span == "" {
			return scan.Outcome{}
		}
		from, x, j = x, to, to.End
	}
	if fo.by && in.Kind(in.Skip(in.Skip(j)+1)) == scan.Digits {
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
	if sized := in.Kind(in.Skip(end)) == scan.Digits && (in.Is(j, '×') || in.Kind(end) == scan.Digits || j > x.End); sized != (fo.by && sized) || !sized && !in.Closes(end) {
		return scan.Outcome{}
	}
	if in.IsOperator(in.Back(i-1)) || in.IsOperator(in.Skip(end)) {
		return scan.Outcome{}
	}
	w := fo.word(x)
	if w == "" {
		w, ok = fo.say.Endings.Fill(fo.pattern, func(_, set string) (string, bool) {
			return fo.say.Number(x, fo.say.FirstSet(set, fo.say.Cardinal))
		})
		if !ok {
			return scan.Outcome{}
		}
	}
	if from.Whole != "" {
		first, ok := fo.say.Number(from, fo.say.Cardinal)
		if !ok {
			return scan.Outcome{}
		}
		w = fo.say.Range(first, w)
	}
	// 3x/week
	if in.Is(end, '/') && in.Kind(end+1) == scan.Word && in.Closes(end+2) && fo.per != "" {
		u := in.Text(end + 1)
		for _, key := range [...]string{"duration-hour", "duration-day", "duration-week", "duration-month", "duration-year"} {
			if fo.quantities.IsUnit(in, end+1, key) == 1 {
				if name, ok := fo.quantities.UnitName(key, 1, false); ok {
					u = name // 2x/wk
				}
			}
		}
		return scan.Said(speak.Fill2(fo.per, "{n}", w, "{u}", u), end+2-i)
	}
	if in.Kind(end) == scan.Digits {
		w += " "
	}
	return scan.Said(w, end-i)
}

// word returns the word for a number of times. Where only the last part of a number
// has one, it takes the place of that part: Hungarian tizenötször. It returns "" when
// the language has none.
func (fo *Folds) word(x scan.Number) string {
	if w := fo.words[x.Decimal()]; w != "" || !fo.by || x.Frac != "" {
		return w
	}
	n := scan.Atoi(x.Whole)
	for k := 10; k <= 1000; k *= 10 {
		part := fo.words[strconv.Itoa(n%k)]
		if n%k == 0 || part == "" {
			continue
		}
		whole, ok := fo.say.Int(n, "")
		last, ok2 := fo.say.Int(n%k, "")
		if before, found := strings.CutSuffix(whole, last); ok && ok2 && found {
			return before + part
		}
	}
	return ""
}
