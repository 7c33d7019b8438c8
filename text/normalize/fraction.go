package normalize

import (
	"strings"

	"vaak/text/normalize/cldr"
)

// simple reads the fraction a/b at i, which is no date and no rate.
func (c *cursor) simple(i int, n *number) {
	if !c.is(i+1, '/') && !c.is(i+1, '⁄') || c.kind(i+2) != digits || !c.opens(i) || !c.closes(i+3) {
		return
	}
	if c.operator(c.skip(i+3)) || c.operator(c.back1(i-1)) {
		return
	}
	if c.is(i+3, '/') && c.kind(i+4) == digits || c.is(i-1, '/') || c.is(i-1, '.') {
		return
	}
	a, b := arabic(c.text(i)), arabic(c.text(i+2))
	if a[0] == '0' || b[0] == '0' || len(a) > 2 || len(b) > 3 || atoi(b) > 100 || atoi(b) < 2 || atoi(a) > atoi(b) && atoi(b) > 20 {
		return
	}
	if len(c.patterns.fraction) == 0 && c.tables.fraction[a+"/"+b] == "" {
		return
	}
	n.whole, n.above, n.below, n.end = "", a, b, i+3
}

// sayMixed reads a fraction and the whole number before it.
func (n *Normalizer) sayMixed(x number, set string) (string, bool) {
	f := x.above + "/" + x.below
	minus := ""
	if x.minus {
		minus = n.names.minus
	}
	if x.whole == "" {
		w, ok := n.sayFraction(x)
		return n.join(minus, w), ok
	}
	if w := n.tables.special[x.whole+" "+f]; w != "" {
		return n.join(minus, w), true
	}
	w, ok := n.say(number{whole: x.whole}, set)
	if !ok {
		return "", false
	}
	if p := n.tables.add[f]; p != "" {
		return n.join(minus, fill1(p, "{n}", w)), true
	}
	part, ok := n.sayFraction(x)
	return n.join(minus, fill2(n.patterns.mixed, "{n}", w, "{f}", part)), ok
}

// sayFraction reads a fraction without the whole number.
func (n *Normalizer) sayFraction(x number) (string, bool) {
	if w := n.tables.fraction[x.above+"/"+x.below]; w != "" {
		return w, true
	}
	if len(n.patterns.fraction) == 0 {
		return "", false
	}
	o, _ := cldr.NewOperands(x.above)
	if p := pick(n.patterns.fraction, n.loc.Plural(o)); strings.Contains(p, "{b}-") {
		a, ok := n.say(number{whole: x.above}, n.cardinal)
		b, ok2 := n.say(number{whole: x.below}, n.cardinal)
		return n.joined(p, "{a}", a, "{b}", b), ok && ok2
	}
	return fill(pick(n.patterns.fraction, n.loc.Plural(o)), func(name, set string) (string, bool) {
		v := x.above
		if name == "b" {
			v = x.below
		}
		if set == "" || !n.num.Has(set) {
			set = n.cardinal
		}
		if n.num == nil {
			return "", false
		}
		return n.num.Format(set, v)
	})
}
