package rbnf

import "strings"

// compiler makes the rules of one set.
type compiler struct {
	f    *Formatter
	set  *ruleSet
	self int32
	// plurals are those of all sets by their text; one is in many rules.
	plurals map[string]*plural
	next    uint64 // the least base that may come, and that of a rule that names none
}

// add compiles the text of one rule, which is two rules when it has brackets.
func (c *compiler) add(text string) error {
	head, body, ok := strings.Cut(text, ":")
	if !ok {
		// A rule without a colon follows the one before it: base 0 stands for "the next".
		head, body = "0", text
	}
	body = strings.TrimLeft(body, " \t\r\n")
	// An apostrophe keeps the spaces behind it.
	body = strings.TrimPrefix(body, "'")
	if kind := special(head); kind != normal {
		return c.addSpecial(kind, head[1], body)
	}
	d, err := parseDescriptor(head)
	if err != nil {
		return err
	}
	if d.base == 0 {
		d = descriptor{base: c.next, radix: 10, exponent: exponent(c.next, 10)}
	}
	return c.addNormal(d, body)
}

// addSpecial compiles a rule for a kind of number. The brackets of x.x hold what
// numbers below one leave out, and those of x.0 what whole numbers do.
func (c *compiler) addSpecial(kind int, separator byte, body string) error {
	without, with, ok := brackets(body)
	if !ok || kind < improperFraction {
		return c.setSpecial(kind, separator, body)
	}
	short := properFraction
	if kind == integralFraction {
		short = integralFraction
	}
	if err := c.setSpecial(short, separator, without); err != nil {
		return err
	}
	return c.setSpecial(improperFraction, separator, with)
}

// setSpecial keeps the rule; of two, the one with the locale's decimal separator.
func (c *compiler) setSpecial(kind int, separator byte, body string) error {
	r, err := c.rule(descriptor{radix: 10}, body)
	if err != nil {
		return err
	}
	r.kind = uint8(kind)
	if c.set.special[kind] == nil || strings.HasPrefix(c.f.separator(), string(rune(separator))) {
		c.set.special[kind] = &r
	}
	return nil
}

// addNormal compiles a rule for the numbers from its base on. When the base is a
// multiple of the divisor, brackets hold what it alone leaves out.
func (c *compiler) addNormal(d descriptor, body string) error {
	without, with, ok := brackets(body)
	if !ok {
		with = body
	}
	previous := int32(len(c.set.rules) - 1)
	// 100: << hundred[ >>]; becomes 100: << hundred; and 101: << hundred >>;.
	if ok && d.base > 0 && d.base%d.divisor() == 0 {
		if err := c.push(d, without, previous); err != nil {
			return err
		}
		if !c.set.fraction {
			d.base++
		}
	}
	return c.push(d, with, previous)
}

// push appends a rule whose >>> uses an earlier one.
func (c *compiler) push(d descriptor, body string, previous int32) error {
	// Ascending bases are what the binary search of find needs.
	if d.base < c.next {
		return errOrder
	}
	r, err := c.rule(d, body)
	if err != nil {
		return err
	}
	r.previous = previous
	c.set.rules = append(c.set.rules, r)
	c.next = d.base
	if !c.set.fraction {
		c.next++
	}
	return nil
}

// rule compiles a rule without brackets.
func (c *compiler) rule(d descriptor, body string) (rule, error) {
	r := rule{base: d.base, divisor: d.divisor()}
	parts, err := c.parts(body)
	if err != nil {
		return r, err
	}
	r.parts = parts
	for _, p := range parts {
		if (p.kind == lower || p.kind == previous) && r.base%r.divisor != 0 {
			r.rollsBack = true
		}
	}
	return r, nil
}

// brackets returns a body without and with what its first brackets hold; after a
// bar they hold what stands there instead.
func brackets(body string) (without, with string, ok bool) {
	open := strings.IndexByte(body, '[')
	end := strings.IndexByte(body, ']')
	if open < 0 || end < open {
		return "", "", false
	}
	before, inside, after := body[:open], body[open+1:end], body[end+1:]
	with, without, _ = strings.Cut(inside, "|")
	return before + without + after, before + with + after, true
}
