package normalize

import (
	"strings"

	"vaak/text/normalize/cldr"
)

// compileCounters reads the words that count things behind a number, such as
// 个, 명 and 本. They are units whose name is said as it is written.
func (n *Normalizer) compileCounters() {
	t := &n.tables
	t.counters = map[string]*unit{}
	for _, r := range n.lex.Rows("counter") {
		for _, w := range r.List(0) {
			u := &unit{key: "counter-" + w, counter: true, forms: named(r.Value(1), w)}
			if limit := r.Value(2); limit != "" {
				u.limit, u.above = atoi(limit), named(r.Value(3), w)
			}
			t.unit.add(w, u)
			t.counters[w] = u
		}
	}
}

// asCounter returns a unit as the counter of its name, if it is one: 公斤 behind
// a number that is written with kg is said as it is where it is written itself.
func (n *Normalizer) asCounter(u *unit) *unit {
	if u == nil {
		return nil
	}
	name, after := strings.CutPrefix(u.forms[cldr.Other], "{n}")
	k := n.tables.counters[strings.TrimSpace(name)]
	if k == nil || !after {
		return u
	}
	return &unit{key: u.key, gender: u.gender, counter: true, forms: k.forms, limit: k.limit, above: k.above}
}

// named puts a counter's name into its pattern.
func named(pattern, name string) map[cldr.Category]string {
	return map[cldr.Category]string{cldr.Other: strings.ReplaceAll(pattern, "{c}", name)}
}

// formsFor returns the forms that a unit takes with a number: large numbers may
// be said otherwise than small ones.
func (u *unit) formsFor(x number) map[cldr.Category]string {
	if u.limit > 0 && len(u.above) > 0 && atoi(x.whole) >= u.limit {
		return u.above
	}
	return u.forms
}

// countUnit puts a quantity and its unit in words. A range of counted things
// may have a pattern of its own, in which both ends name what is counted.
func (n *Normalizer) countUnit(q quantity) (string, bool) {
	u := q.unit
	if !q.ranged || n.patterns.counterSpan == "" || !u.counter {
		return n.count(q, u.formsFor(q.a), u.gender)
	}
	a, b := q, q
	a.ranged, b.ranged, b.a = false, false, q.b
	x, ok := n.count(a, u.formsFor(a.a), u.gender)
	y, ok2 := n.count(b, u.formsFor(b.a), u.gender)
	return fill2(n.patterns.counterSpan, "{a}", x, "{b}", y), ok && ok2
}
