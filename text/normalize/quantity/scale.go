package quantity

import (
	"strings"

	"vaak/text/normalize/cldr"
	"vaak/text/normalize/scan"
	"vaak/text/normalize/speak"
)

// scale is a word for a power of ten after a number. The number decides its form, and it
// decides the gender of the number.
type scale struct {
	forms  map[cldr.Category]string
	gender string
}

// after takes a word such as million after the numbers into an amount.
func (sc *scales) after(in *scan.View, q *amount) {
	j := in.Skip(q.end)
	w, n := sc.at(in, j, q.money != "")
	if n == 0 {
		sc.inflected(in, q, j)
		return
	}
	q.scale, q.of, q.end = speak.Pick(w.forms, sc.amounts.category(*q)), w.gender, j+n
	// A form with a hyphen has an ending that fits the sound of the word before it, so it
	// is joined when all words are known.
	if base, ending, ok := strings.Cut(q.scale, "-"); ok && sc.say.Endings.Inflects(ending) {
		q.scale, q.joined = base, ending
		return
	}
	// Two scales may follow each other: lakh crore.
	j = in.Skip(q.end)
	if w, n := sc.at(in, j, false); n > 0 && scan.RuneLen(w.forms[cldr.Other]) > 1 {
		q.scale, q.end = sc.say.Join(q.scale, w.forms[cldr.Other]), j+n
	}
}

// inflected takes a scale with a case ending, after an amount whose currency is written
// before it. The currency is spoken last, so it takes the ending (bn "₹৫ কোটির": কোটি
// টাকার).
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

// at returns the scale at j and how many tokens it takes. Without money, only k and M
// directly after their number are scales of a single letter.
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
	endings []string // case endings of a scale that the currency takes
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
