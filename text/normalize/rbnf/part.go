package rbnf

import (
	"errors"
	"fmt"
	"strings"
)

// Parts of a rule's text. What upper and lower mean depends on the rule: of
// 100: << hundred >>, the hundreds and the rest; of x.x: << point >>, the whole
// part and the fraction; in a set of denominators upper is the numerator; in -x
// lower is the number without its sign.
const (
	literal  = iota
	upper    // <<
	lower    // >>
	previous // >>>
	same     // =%set=
	pattern  // =#,##0=: digits, which are no words
	counted  // $(cardinal,one{...}other{...})$
)

// own as a part's set means the set of the rule itself.
const own = -1

// part is a piece of a rule's text.
type part struct {
	kind   uint8
	joins  bool  // what begins with a mark may compose with what stands before
	zeros  bool  // <%set<<: zeros before the numerator are said too
	set    int32 // of upper, lower and same
	text   string
	plural *plural
}

// maxSubstitutions is how many a rule may have; ICU takes more for plain text.
const maxSubstitutions = 2

var (
	errSubstitution = errors.New("neither a set nor a pattern of digits in a substitution")
)

// parts reads the text of a rule. Those of all rules lie in one array, or in a
// few when it had to grow.
func (c *compiler) parts(body string) ([]part, error) {
	start, substitutions := len(c.f.parts), 0
	for body != "" {
		at, n := c.nextPart(body, substitutions)
		if at > 0 {
			c.f.parts = append(c.f.parts, part{kind: literal, text: body[:at], joins: joins(body[:at])})
		}
		if n == 0 {
			break
		}
		p, err := c.part(body[at : at+n])
		if err != nil {
			return nil, err
		}
		if p.plural == nil {
			substitutions++
		}
		c.f.parts = append(c.f.parts, p)
		body = body[at+n:]
	}
	end := len(c.f.parts)
	// The capacity ends at end, so that nobody who appends overwrites the parts of the next
	// rule. When the array grows, older rules keep their piece of the old one.
	return c.f.parts[start:end:end], nil
}

// nextPart returns where the next substitution or plural begins and its length, 0
// when there is none; all before it is literal text.
func (c *compiler) nextPart(body string, substitutions int) (at, n int) {
	for i := range len(body) {
		switch body[i] {
		case '$':
			if end := strings.Index(body[i:], ")$"); end > 0 && strings.HasPrefix(body[i:], "$(") {
				return i, end + 2
			}
		case '<', '>', '=':
			// A lone < or > is text.
			if substitutions < maxSubstitutions && begins(body[i:]) {
				if n := tokenLength(body[i:]); n > 0 {
					return i, n
				}
			}
		}
	}
	return len(body), 0
}

// begins reports whether a substitution begins with these two characters.
func begins(s string) bool {
	if len(s) < 2 {
		return false
	}
	return strings.IndexByte("%#0", s[1]) >= 0 || s[1] == s[0] && s[0] != '='
}

// tokenLength returns the length of the substitution in front of s, 0 when it does
// not end.
func tokenLength(s string) int {
	if strings.HasPrefix(s, ">>>") {
		return 3
	}
	end := strings.IndexByte(s[1:], s[0])
	if end < 0 {
		return 0
	}
	n := end + 2
	// <%set<< has one more: it asks for the zeros before a numerator.
	if s[0] == '<' && n < len(s) && s[n] == '<' {
		n++
	}
	return n
}

// part reads a substitution or a plural.
func (c *compiler) part(token string) (part, error) {
	if token[0] == '$' {
		p, err := c.plural(token[2 : len(token)-2])
		return part{kind: counted, plural: p, joins: err == nil && p.joins}, err
	}
	if token == ">>>" {
		return part{kind: previous, set: own}, nil
	}
	p := part{kind: same, set: own}
	switch token[0] {
	case '<':
		p.kind = upper
	case '>':
		p.kind = lower
	}
	name := token[1 : len(token)-1]
	if token[0] == '<' && strings.HasSuffix(name, "<") {
		name, p.zeros = name[:len(name)-1], true
	}
	switch {
	case name == "":
		return p, nil
	case name[0] == '#' || name[0] == '0':
		return part{kind: pattern}, nil
	case name[0] != '%':
		return p, errSubstitution
	}
	i, ok := c.f.byName[name]
	if !ok {
		return p, fmt.Errorf("there is no set %s", name)
	}
	if i != c.self {
		p.set = i
	}
	return p, nil
}

// plural returns the plural of a text.
func (c *compiler) plural(text string) (*plural, error) {
	if p, ok := c.plurals[text]; ok {
		return p, nil
	}
	p, err := parsePlural(text)
	if err == nil {
		c.plurals[text] = p
	}
	return p, err
}

// separator returns the decimal separator of the locale.
func (f *Formatter) separator() string {
	if f.locale == nil {
		return "."
	}
	return f.locale.Decimal
}
