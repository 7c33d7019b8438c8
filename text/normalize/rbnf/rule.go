package rbnf

import (
	"errors"
	"math"
	"strings"
)

// Rules that are chosen by what a number is and not by its size. The fractions
// are the last three.
const (
	normal = iota
	negative
	infinity
	nan
	properFraction   // 0.x
	improperFraction // x.x
	integralFraction // x.0
	specials
)

// ruleSet is the rules of one name.
type ruleSet struct {
	name     string
	rules    []rule // by ascending base
	special  [specials]*rule
	fraction bool // its bases are denominators
}

// rule is one rule: the least number that it is for, and the parts of its text.
type rule struct {
	base    uint64
	divisor uint64 // a power of the radix
	parts   []part
	// rollsBack means that multiples of the divisor use the rule before, which is the
	// one without the brackets of 100: << hundred[ >>].
	rollsBack bool
	previous  int32 // the rule that >>> uses, -1 for none
	kind      uint8 // normal, negative and so on
}

var (
	errDescriptor = errors.New("what stands before the colon is neither a number nor a kind of number")
	errRadix      = errors.New("the radix is not between 2 and 10^9")
	errOrder      = errors.New("the rules are not in order")
	errShift      = errors.New("more > than the base has digits")
)

// special returns the kind of number that the text before a colon names.
func special(head string) int {
	if strings.HasPrefix(head, "-x") {
		return negative
	}
	if len(head) != 3 {
		return normal
	}
	switch {
	case head == "Inf":
		return infinity
	case head == "NaN":
		return nan
	case head[0] == '0' && head[2] == 'x':
		return properFraction
	case head[0] == 'x' && head[2] == 'x':
		return improperFraction
	case head[0] == 'x' && head[2] == '0':
		return integralFraction
	}
	return normal
}

// descriptor is what stands before a rule's colon: 100000/1000>: or the like.
type descriptor struct {
	base, radix uint64
	exponent    int
}

// parseDescriptor reads it. Spaces, commas and points part digits.
func parseDescriptor(s string) (d descriptor, err error) {
	s = strings.TrimRight(s, " \t\r\n")
	digits := strings.TrimRight(s, ">")
	shift := len(s) - len(digits)
	base, radix, ok := strings.Cut(digits, "/")
	d.radix = 10
	if ok {
		if d.radix, err = parseCount(radix); err != nil {
			return d, err
		}
	}
	if d.radix < 2 || d.radix > 1e9 {
		return d, errRadix
	}
	if d.base, err = parseCount(base); err != nil {
		return d, err
	}
	// Each > at the end of a descriptor takes one power of the radix off the divisor: 1000>
	// divides by 100.
	d.exponent = exponent(d.base, d.radix) - shift
	if d.exponent < 0 {
		return d, errShift
	}
	return d, nil
}

// parseCount reads digits that may be parted, at most MaxInt64-2: brackets add
// one to a base, and the default of the next rule another.
func parseCount(s string) (v uint64, err error) {
	if s == "" {
		return 0, errDescriptor
	}
	for i := range len(s) {
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			d := uint64(c - '0')
			if v > (math.MaxInt64-2-d)/10 {
				return 0, errDescriptor
			}
			v = v*10 + d
		case strings.IndexByte(" \t\r\n,.", c) < 0:
			return 0, errDescriptor
		}
	}
	return v, nil
}

// exponent returns the greatest e of radix^e <= base, 0 for a base of 0.
func exponent(base, radix uint64) int {
	e := 0
	for ; base >= radix; base /= radix {
		e++
	}
	return e
}

// divisor returns radix^exponent, which is at most the base and never overflows.
func (d descriptor) divisor() uint64 {
	v := uint64(1)
	for range d.exponent {
		v *= d.radix
	}
	return v
}
