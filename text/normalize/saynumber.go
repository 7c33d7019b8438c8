package normalize

import (
	"strconv"
	"strings"

	"vaak/lang"
	"vaak/text/normalize/rbnf"
)

// most is how many digits of a number are read as one.
const most = 15

// say returns a number in words by a rule set; "" when there are none.
func (n *Normalizer) say(x number, set string) (string, bool) {
	if x.below != "" {
		return n.sayMixed(x, set)
	}
	if len(x.whole) > most || len(x.whole) > 1 && x.whole[0] == '0' && (x.frac == "" || x.whole[1] == '0') {
		return n.saySerial(x)
	}
	if x.frac == "" {
		return n.words(x, set, x.decimal())
	}
	if n.point == "" {
		return n.words(x, set, x.decimal())
	}
	// Before a point the number is said as in counting aloud: eins Komma fünf.
	w, ok := n.words(x, n.cardinal, strings.TrimSuffix(x.decimal(), "."+x.frac))
	if !ok {
		return "", false
	}
	if x.minus && strings.Trim(x.whole, "0") == "" {
		zero, _ := n.words(x, n.cardinal, "0")
		w = n.join(n.below(), zero)
	}
	d, ok := n.spell(x.frac)
	return n.join(w, n.point, d), ok
}

// below returns the word before a number below nought.
func (n *Normalizer) below() string {
	if n.negative != "" {
		return n.negative
	}
	return n.names.minus
}

// saySerial reads a number digit by digit.
func (n *Normalizer) saySerial(x number) (string, bool) {
	w, ok := n.spell(x.whole)
	if ok && x.frac != "" {
		var d string
		d, ok = n.spell(x.frac)
		w = n.join(w, n.point, d)
	}
	if x.minus {
		w = n.join(n.names.minus, w)
	}
	return w, ok
}

// words formats a number, by the rules of lakh and crore if it is grouped so.
func (n *Normalizer) words(x number, set, decimal string) (string, bool) {
	if set == n.cardinal && len(decimal) <= 2 && decimal[0] >= '0' && (len(decimal) == 1 || decimal[0] > '0' && decimal[1] >= '0') && n.num != nil {
		return n.smallWords(decimal)
	}
	f := n.num
	if x.lakhs && n.code == "en" {
		f = rbnf.Of(lang.Tag{Code: n.code, Region: "IN"})
	}
	if f == nil {
		return "", false
	}
	if w, ok := f.Format(set, decimal); ok {
		return strings.TrimSpace(w), true
	}
	if set != n.cardinal {
		if w, ok := f.Format(n.cardinal, decimal); ok {
			return w, true
		}
	}
	if above, ok := strings.CutPrefix(decimal, "-"); ok {
		w, ok := n.words(x, set, above)
		return n.join(n.names.minus, w), ok && n.names.minus != ""
	}
	return n.spell(decimal)
}

// smallWords reads a number below a hundred; they are the most frequent ones and
// are kept.
func (n *Normalizer) smallWords(decimal string) (string, bool) {
	kept := &n.small[atoi(decimal)]
	if w := kept.Load(); w != nil {
		return *w, true
	}
	w, ok := n.num.Format(n.cardinal, decimal)
	if !ok {
		return n.spell(decimal)
	}
	w = strings.TrimSpace(w)
	kept.Store(&w)
	return w, true
}

// sayInt reads a small number by a rule set, "" for the plain one.
func (n *Normalizer) sayInt(v int, set string) (string, bool) {
	if n.num == nil {
		return "", false
	}
	if set == "" || !n.num.Has(set) {
		set = n.cardinal
	}
	if set == n.cardinal && v >= 0 && v < len(n.small) {
		return n.smallWords(strconv.Itoa(v))
	}
	return n.num.Format(set, strconv.Itoa(v))
}

// spell reads digits one by one; other characters are left out.
func (n *Normalizer) spell(s string) (string, bool) {
	var b strings.Builder
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			continue
		}
		d := n.digit[s[i]-'0']
		if d == "" {
			return "", false
		}
		if _, dense := classify(firstRune(d)); b.Len() > 0 && n.spaced && !dense {
			b.WriteString(" ")
		}
		b.WriteString(d)
	}
	return b.String(), b.Len() > 0
}
