package normalize

import (
	"strings"

	"vaak/text/normalize/cldr"
)

// quantity is one number or a range, with what is counted.
type quantity struct {
	a, b    number // b only in a range
	ranged  bool
	falls   bool   // a is over b, and a hyphen with spaces between them may be a minus
	lead    rune   // a plus or plus-minus sign before it
	scale   string // million, lakh …
	of      string // the gender of the scale
	ending  string // of an inflected scale word, for the currency to take
	joined  string // an ending that was written to the scale and belongs to the whole
	money   string // ISO code
	percent bool
	unit    *unit
	end     int // the token after it
	counted int // the token after the numbers, 0 when a currency stands before them
}

// readQuantity reads numbers with or without a currency, a unit or a per cent
// sign, and ranges of them.
func readQuantity(c *cursor, i int) (string, int) {
	q, ok := c.quantity(i)
	if !ok {
		return "", 0
	}
	w, ok := c.sayQuantity(q)
	if !ok && q.counted > 0 {
		// What is counted has no name here: the number alone is read.
		q.end, q.money, q.percent, q.unit = q.counted, "", false, nil
		w, ok = c.sayQuantity(q)
	}
	if !ok || w == "" {
		return "", 0
	}
	if q.unit != nil && q.unit.key == "duration-hour" {
		w, q.end = c.minutes(w, q.end)
	}
	if q.unit != nil && q.unit.key == "length-foot" {
		w, q.end = c.inchesAfter(w, q.end)
	}
	if q.unit != nil || q.money != "" || q.scale != "" || q.percent {
		w, q.end = c.perUnit(w, q.end)
		w, q.end = c.wholeRange(w, q)
	}
	return w, q.end - i
}

// wholeRange reads the other end of a range whose ends both name what they
// count: 5 km – 7 km. w are the words for q, and the result has the token after
// what was read.
func (c *cursor) wholeRange(w string, q quantity) (string, int) {
	j := c.skip(q.end)
	if c.kind(j) != sign || !dash(c.rune(j)) || q.ranged || c.patterns.span == "" {
		return w, q.end
	}
	k := c.skip(j + 1)
	if (j > q.end) != (k > j+1) || c.kind(k) != digits && !c.currencySign(k) && !c.negativeEnd(c.rune(j), k) {
		return w, q.end
	}
	to, ok := c.quantity(k)
	if plain := q.unit == nil && q.money == ""; !ok || to.ranged || !plain && (to.unit != q.unit || to.money != q.money) || plain && to.scale == "" {
		return w, q.end
	}
	v, ok := c.sayQuantity(to)
	if !ok {
		return w, q.end
	}
	return c.sayRange(w, v), to.end
}

// quantity reads from the token at i on.
func (c *cursor) quantity(i int) (q quantity, ok bool) {
	j := i
	minus := false
	if c.kind(j) == sign {
		minus, q.lead = c.lead(j)
		if minus || q.lead != 0 {
			j++
		}
	}
	if code, n := c.tables.currency.match(c, j); n > 0 && c.prefixed(j, n) {
		q.money, j = code, c.skip(j+n)
		if c.is(j, '-') || c.is(j, '−') {
			minus = true
			j++
		}
	}
	if c.percentSign(j) && c.opens(j) && c.kind(j+1) == digits {
		q.percent = true
		j++
	}
	if q.a, ok = c.number(j); !ok {
		return q, false
	}
	q.a.minus, q.end = minus, q.a.end
	c.rangeEnd(&q)
	c.scaleAfter(&q)
	if q.money == "" {
		q.counted = q.end
	}
	c.suffix(&q)
	return q, true
}

// lead says what sign stands before a number: a minus, or another one.
func (c *cursor) lead(j int) (minus bool, other rune) {
	r := c.rune(j)
	if c.kind(j-1) == word && c.toks[j-1].dense && c.kind(j-2) == digits {
		return false, 0 // 3万-5万
	}
	if !c.opens(j) || c.is(j-1, ')') || c.is(j-1, '-') || c.kind(j+1) != digits && c.kind(j+1) != sign {
		return false, 0
	}
	switch r {
	case '-', '−', '–', '－':
		// A dash after a space is a minus only where no word goes before it that
		// a list or a pause would put it after: numbers follow at once.
		return r != '–' && (c.kind(j+1) == digits || c.currencySign(j+1) || c.leadingPoint(j+1)), 0
	case '+', '±', '~', '≈', '<', '>', '≤', '≥', '√':
		return false, r
	}
	return false, 0
}

func (c *cursor) currencySign(j int) bool {
	_, n := c.tables.currency.match(c, j)
	return n > 0
}

// prefixed says that a currency of n tokens at j stands before a number, and is
// not the end of a longer word.
func (c *cursor) prefixed(j, n int) bool {
	if c.kind(j) == word && (!c.opens(j) || c.toks[j].dense) {
		return false // a dense one follows its number
	}
	k := c.skip(j + n)
	return c.kind(k) == digits || c.leadingPoint(k) || (c.is(k, '-') || c.is(k, '−')) && c.kind(k+1) == digits || vulgarAt(c, k)
}

func vulgarAt(c *cursor, k int) bool {
	_, _, ok := vulgar(c.rune(k))
	return ok
}

// dash says that a rune may part the ends of a range.
func dash(r rune) bool {
	switch r {
	case '-', '–', '‑', '—', '~', '〜', '～', '‒', '−':
		return true
	}
	return false
}

// rangeEnd reads the other end of a range, if there is one.
func (c *cursor) rangeEnd(q *quantity) {
	j := q.end
	if c.is(j, '%') {
		j++
	}
	spaced := c.kind(j) == space
	j = c.skip(j)
	r := c.rune(j)
	if c.kind(j) != sign || !dash(r) || spaced && r != '–' && (r != '-' || c.kind(j+1) != space) {
		return
	}
	k := c.skip(j + 1)
	if spaced != (k > j+1) {
		return
	}
	if code, n := c.tables.currency.match(c, k); n > 0 && code == q.money && c.kind(k) == sign {
		k += n
	}
	minus := c.negativeEnd(r, k)
	if minus {
		k++
	}
	b, ok := c.number(k)
	b.minus = minus
	if !ok || c.operator(c.skip(b.end)) || c.operator(c.back1(q.a.start-1)) || c.dashed(b.end) || len(q.a.whole) > most {
		return
	}
	if len(b.whole) > most || b.frac == "" && len(b.whole) > 1 && b.whole[0] == '0' || q.a.whole == "" && q.a.above == "" {
		return
	}
	if spaced && r == '-' && c.kind(q.end) == space && !c.plainRange(b) {
		return
	}
	q.b, q.ranged, q.end = b, true, b.end
	q.falls = spaced && r == '-' && q.a.above == "" && b.above == "" && atoi(q.a.whole) > atoi(b.whole) && c.kind(c.skip(b.end)) != word
}

// negativeEnd says that a minus and a digit stand at k, after a sign r of a range
// that is no hyphen itself: -10〜-5.
func (c *cursor) negativeEnd(r rune, k int) bool {
	return (r == '~' || r == '〜' || r == '–') && (c.is(k, '-') || c.is(k, '−')) && c.kind(k+1) == digits
}

// plainRange says that a number after a spaced hyphen ends a range and is not
// the next item: a unit, a currency or nothing but punctuation follows.
func (c *cursor) plainRange(b number) bool { return c.kind(b.end) != word }

// dashed says that another dash and digit follow, so that it is no range.
func (c *cursor) dashed(j int) bool {
	return c.kind(j) == sign && (c.toks[j].r == '-' || c.toks[j].r == '/' && true) && c.kind(j+1) == digits
}

// back1 returns the index before a space at j.
func (c *cursor) back1(j int) int {
	if c.kind(j) == space {
		return j - 1
	}
	return j
}

// operator says that a sign of mathematics stands at j.
func (c *cursor) operator(j int) bool {
	if c.kind(j) != sign {
		return false
	}
	switch c.toks[j].r {
	case '=', '+', '×', '÷', '≠', '≈', '√', '^', '²', '³', '*':
		return true
	}
	return false
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

// suffix reads what stands after the numbers: a currency, a per cent sign or a
// unit.
func (c *cursor) suffix(q *quantity) {
	j := c.skip(q.end)
	if q.money != "" {
		c.moneyTail(q)
		return
	}
	if q.percent {
		return
	}
	if u, n := c.tables.unit.match(c, j); n > 1 && c.kind(j) == sign && c.closes(j+n) {
		q.unit, q.end = u, j+n // a sign with an ending, as in %:n
		return
	}
	if c.percentSign(j) {
		q.percent, q.end = true, j+1
		return
	}
	tail := *q
	if c.roundTail(&tail); tail.end > q.end {
		j = c.skip(tail.end)
	}
	if code, n := c.tables.currency.match(c, j); n > 0 && (c.closes(j+n) || c.toks[j+n-1].kind == sign) && !c.nextPrice(j, n) {
		q.money, q.end = code, j+n
		c.moneyTail(q)
		return
	}
	if tail.end > q.end {
		return
	}
	u, n := c.tables.unit.match(c, j)
	if n > 0 && u.counter && c.toks[j].dense && (c.tables.ordinals[c.text(q.a.start-1)] || q.ranged && c.yearMark(j) && len(q.a.whole) == 4) {
		return // it is the second one, not two, or years
	}
	if n == 0 || !c.closes(j+n) && !c.toks[j+n-1].dense || j != q.end && attached(c.text(j)) && !c.tables.loose[c.text(j)] {
		return
	}
	if n == 1 && c.kind(j) == word && c.is(j+1, '\'') && c.kind(j+2) == word {
		return
	}
	q.unit, q.end = u, j+n
}

// percentSign says that a sign for per cent stands at j.
func (c *cursor) percentSign(j int) bool { return c.is(j, '%') || c.is(j, '٪') || c.is(j, '％') }

// nextPrice says that a currency sign after a space belongs to the number that
// follows it: "2 $5 notes".
func (c *cursor) nextPrice(j, n int) bool {
	return c.kind(j-1) == space && c.kind(j+n) == digits
}

// moneyTail takes the /- that ends prices in South Asia, the /= of East Africa,
// and the ,- of round prices in Europe.
func (c *cursor) moneyTail(q *quantity) {
	c.roundTail(q)
	if c.is(q.end, '/') && (c.is(q.end+1, '-') || c.is(q.end+1, '–') || c.is(q.end+1, '=')) && c.closes(q.end+2) {
		q.end += 2
	}
}

// sayQuantity puts a quantity in words.
func (c *cursor) sayQuantity(q quantity) (string, bool) {
	n := c.Normalizer
	w, ok := "", false
	switch {
	case q.percent:
		w, ok = n.count(q, n.patterns.percent, n.percentGender())
	case q.money != "":
		w, ok = n.sayMoney(q)
	case q.unit != nil:
		w, ok = n.countUnit(q)
	default:
		w, ok = n.sayPlain(c, q)
	}
	if !ok {
		return "", false
	}
	if v, ok := n.inflected(w, q.joined); ok {
		w = v
	}
	if q.lead != 0 {
		w = n.join(n.leadName(q.lead), w)
	}
	return w, true
}

// count puts a quantity into the pattern {n} of its plural category.
func (n *Normalizer) count(q quantity, forms map[cldr.Category]string, gender string) (string, bool) {
	if len(forms) == 0 {
		return "", false
	}
	raw := pick(forms, n.category(q))
	if other := forms[cldr.Other]; q.a.frac != "" && !strings.HasPrefix(raw, "{n") && strings.HasPrefix(other, "{n") {
		raw = other // one stands after its noun, but a part of one does not
	}
	form, set := fieldSet(raw)
	if set = n.firstSet(set); set == "" {
		set = n.setFor(gender)
	}
	w, ok := n.sayNumbers(q, set)
	if !ok {
		return "", false
	}
	return fill1(form, "{n}", w), true
}

// sayNumbers reads the number or range of a quantity with its scale.
func (n *Normalizer) sayNumbers(q quantity, set string) (string, bool) {
	if q.scale != "" {
		set = n.setFor(q.of)
	}
	w, ok := n.say(q.a, set)
	if !ok {
		return "", false
	}
	if q.ranged {
		to, ok := n.say(q.b, set)
		if !ok {
			return "", false
		}
		w = n.sayRange(w, to)
	}
	if strings.Contains(q.scale, "{n}") {
		return fill1(q.scale, "{n}", w), true // sw milioni {n}
	}
	if _, dense := classify(firstRune(q.scale)); dense {
		return w + q.scale, true
	}
	return n.join(w, q.scale), true
}

// category returns the plural category that what is counted takes.
func (n *Normalizer) category(q quantity) cldr.Category {
	x := q.a
	if q.ranged {
		x = q.b
	}
	d := x.decimal()
	switch {
	case q.scale != "":
		d = "1000000"
	case x.below != "" && x.whole == "":
		d = "0.5"
	case x.below != "":
		d = x.whole + ".5"
	}
	o, ok := cldr.NewOperands(d)
	if !ok {
		return cldr.Other
	}
	return n.loc.Plural(o)
}

// setFor returns the rule set for what has a gender.
func (n *Normalizer) setFor(gender string) string {
	if gender == "" {
		return n.counting
	}
	if set := n.firstSet(n.tables.gender[gender], "spellout-cardinal-"+gender); set != "" {
		return set
	}
	return n.counting
}

// roundTail takes the dash for no cents, as in € 25,- and 500,– kr, after the
// number at the end of q.
func (c *cursor) roundTail(q *quantity) {
	if c.loc.Decimal != "," || q.a.frac != "" || !c.is(q.end, ',') {
		return
	}
	j := q.end + 1
	for k := j; k < j+2 && c.kind(k) == sign && dash(c.rune(k)); k++ {
		q.end = k + 1
	}
}
