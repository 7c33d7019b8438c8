package normalize

import (
	"strings"

	"vaak/text/normalize/cldr"
)

// scale is a word for a power of ten after a number; its forms are chosen by the
// number, which takes the word's gender.
type scale struct {
	forms  map[cldr.Category]string
	gender string
}

// scaleAfter reads a word such as million after the numbers.
func (c *cursor) scaleAfter(q *quantity) {
	j := c.skip(q.end)
	w, n := c.scaleAt(j, q.money != "")
	if n == 0 {
		c.inflectedScale(q, j)
		return
	}
	q.scale, q.of, q.end = pick(w.forms, c.category(*q)), w.gender, j+n
	if base, ending, ok := strings.Cut(q.scale, "-"); ok && c.tables.inflect[ending] != nil {
		q.scale, q.joined = base, ending
		return
	}
	// Lakh crore is a scale, too.
	j = c.skip(q.end)
	if w, n := c.scaleAt(j, false); n > 0 && runeLen(w.forms[cldr.Other]) > 1 {
		q.scale, q.end = c.join(q.scale, w.forms[cldr.Other]), j+n
	}
}

// inflectedScale reads a scale word with a case ending after an amount of money
// whose currency is written before it: the ending goes to the currency, which is
// said last (bn "₹৫ কোটির": কোটি টাকার).
func (c *cursor) inflectedScale(q *quantity, j int) {
	if q.money == "" || c.kind(j) != word || !c.closes(j+1) {
		return
	}
	for _, ending := range c.tables.scaleEnding {
		stem, ok := strings.CutSuffix(c.text(j), ending)
		if !ok {
			continue
		}
		for _, p := range c.tables.scale.byFirst[stem] {
			if p.tokens == 1 {
				q.scale, q.ending, q.end = pick(p.value.forms, c.category(*q)), ending, j+1
				return
			}
		}
	}
}

// scaleAt returns the scale at j and its tokens. Of single letters only k and M
// are one without money, directly after their number.
func (c *cursor) scaleAt(j int, money bool) (scale, int) {
	w, n := c.tables.scale.match(c, j)
	if n == 0 || !c.closes(j+n) && !c.toks[j].dense {
		return scale{}, 0
	}
	if t := c.toks[j]; n == 1 && t.end-t.start == 1 && !money && (c.kind(j-1) == space || t.r != 'k' && t.r != 'M') {
		if _, m := c.tables.currency.match(c, c.skip(j+1)); m == 0 {
			return scale{}, 0
		}
	}
	return w, n
}

// compileScales reads the words for powers of ten.
func (n *Normalizer) compileScales() {
	t := &n.tables
	for _, r := range n.lex.Rows("scale") {
		for _, w := range r.List(0) {
			v := r.Value(1)
			if v == "" {
				v = w
			}
			t.scale.add(w, scale{forms(v), r.Value(2)})
		}
	}
	t.scaleEnding, t.scaleMoney = n.lex.List("scale.ending"), n.byFirst("scale.money")
}
