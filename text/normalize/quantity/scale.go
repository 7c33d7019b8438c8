package quantity

import (
	"strings"

	"vaak/text/normalize/cldr"
	"vaak/text/normalize/scan"
	"vaak/text/normalize/speak"
)

// scale is a word for a power of ten after a number; its forms are chosen by the
// number, which takes the word's gender.
type scale struct {
	forms  map[cldr.Category]string
	gender string
}

// after reads a word such as million after the numbers.
func (sc *scales) after(in *scan.View, q *amount) {
	j := in.Skip(q.end)
	w, n := sc.at(in, j, q.money != "")
	if n == 0 {
		sc.inflected(in, q, j)
		return
	}
	q.scale, q.of, q.end = speak.Pick(w.forms, sc.amounts.category(*q)), w.gender, j+n
	if base, ending, ok := strings.Cut(q.scale, "-"); ok && sc.say.Endings.Inflects(ending) {
		q.scale, q.joined = base, ending
		return
	}
	// Lakh crore is a scale, too.
	j = in.Skip(q.end)
	if w, n := sc.at(in, j, false); n > 0 && scan.RuneLen(w.forms[cldr.Other]) > 1 {
		q.scale, q.end = sc.say.Join(q.scale, w.forms[cldr.Other]), j+n
	}
}

// inflected reads a scale word with a case ending after an amount of money
// whose currency is written before it: the ending goes to the currency, which is
// said last (bn "₹৫ কোটির": কোটি টাকার).
func (sc *scales) inflected(in *scan.View, q *amount, j int) {
	if q.money == "" || in.Kind(j) != scan.Word || !in.Closes(j+1) {
		return
	}
	for _, ending := range sc.endings {
		stem, ok := strings.CutSuffix(in.Text(j), ending)
		if !ok {
			continue
		}
		if w, ok := sc.words.Token(stem); ok {
			q.scale, q.ending, q.end = speak.Pick(w.forms, sc.amounts.category(*q)), ending, j+1
			return
		}
	}
}

// at returns the scale at j and its tokens. Of single letters only k and M
// are one without money, directly after their number.
func (sc *scales) at(in *scan.View, j int, money bool) (scale, int) {
	w, n := sc.words.Match(in, j)
	if n == 0 || !in.Closes(j+n) && !in.Token(j).Dense {
		return scale{}, 0
	}
	if t := in.Token(j); n == 1 && t.End-t.Start == 1 && !money && (in.Kind(j-1) == scan.Space || t.R != 'k' && t.R != 'M') {
		if _, m := sc.money.signs.Match(in, in.Skip(j+1)); m == 0 {
			return scale{}, 0
		}
	}
	return w, n
}

// scales knows the words for powers of ten.
type scales struct {
	say     *speak.Speaker
	amounts *amounts
	money   *money
	words   scan.Phrases[scale]
	endings []string // case endings that a scale hands on to the currency
}

// compile reads the words for powers of ten.
func (sc *scales) compile() {
	for _, r := range sc.say.Lexicon.Rows("scale") {
		for _, w := range r.List(0) {
			v := r.Value(1)
			if v == "" {
				v = w
			}
			sc.words.Add(w, scale{speak.Forms(v), r.Value(2)})
		}
	}
	sc.endings = sc.say.Lexicon.List("scale.ending")
}
