package normalize

import (
	"unicode/utf8"

	"vaak/lang"
	"vaak/text"
)

// tail is how many bytes of the run before another are looked at.
const tail = 64

// RunAfter reads a run as [Run] does, which follows a run of another language:
// where that ends with a word such as OTP, the digits after it are a code, as in
// "आपका OTP 482913 है". The empty code means that none goes before.
func RunAfter(before string, of lang.Code, s string, code lang.Code, request lang.Tag) (string, text.Map) {
	if of == "" || of == code {
		return Run(s, code, request)
	}
	out, back, _ := For(tagIn(code, request)).textAfter(s, For(tagIn(of, request)).leads(before))
	return out, back
}

// leads returns what the end of a text says of the number after it, 0 for nothing.
func (n *Normalizer) leads(s string) noteKind {
	if len(s) > tail {
		s = s[len(s)-tail:]
		for len(s) > 0 && !utf8.RuneStart(s[0]) {
			s = s[1:]
		}
	}
	c := cursor{Normalizer: n, s: s, toks: scan(s, nil)}
	for i := range c.toks {
		if c.kind(i) == word && c.opens(i) {
			c.context = c.context.with(c.expectCode(i))
		}
	}
	last := len(c.toks) - 1
	switch {
	case c.expectation != 0 && c.expected > last:
		return c.expectation
	case c.kind(last) == space && c.capitalized(last-1) && !c.toks[last-1].upper && runeLen(c.text(last-1)) > 2:
		return expectPostcode // Noida 201301
	}
	return 0
}

// carry expects what the text before this one said of its first number. One word
// may stand before it: "OTP है 482913". The number has four digits at least, for a
// shorter one may count: "OTP 10 मिनट के लिए".
func (c *cursor) carry(e noteKind) context {
	none := context{}
	if e == expectPostcode {
		if k := c.kind(1); c.phones && c.kind(0) == digits && (k == 0 || k == sign && c.ends(1)) {
			if _, n := c.pincode(0); n > 0 {
				return none.with(c.expect(0, expectCode, ""))
			}
		}
		return none
	}
	n := c.expect(0, e, "")
	between := c.kind(n.at) == word
	if between {
		n = c.expect(n.at+1, e, "")
	}
	if c.kind(n.at) == digits && runeLen(c.text(n.at)) < 4 || between && c.kind(n.at) != digits {
		return none
	}
	return none.with(n)
}
