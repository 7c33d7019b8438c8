package rbnf

import "strings"

// kind separates ordinary numbers from the special ones that rules have words for.
type kind uint8

const (
	finite kind = iota
	infinite
	notANumber
)

// number is what rules are applied to.
type number struct {
	whole  uint64
	digits string // of the fraction, as written
	point  bool   // a fraction was written, if of zeros only
	neg    bool
	kind   kind
}

// parseNumber reads -?[0-9]+(\.[0-9]+)?, Inf, -Inf and NaN. It is not ok when the
// whole part does not fit 64 bits: no language has words for such a number.
func parseNumber(s string) (n number, ok bool) {
	if s == "NaN" {
		return number{kind: notANumber}, true
	}
	s, n.neg = strings.CutPrefix(s, "-")
	if s == "Inf" {
		n.kind = infinite
		return n, true
	}
	whole, digits, point := strings.Cut(s, ".")
	if n.whole, ok = parseWhole(whole); !ok || point && !allDigits(digits) {
		return number{}, false
	}
	n.digits, n.point = digits, point
	return n, true
}

// parseWhole is not ok on overflow, without digits, and on anything else.
func parseWhole(s string) (v uint64, ok bool) {
	for i := range len(s) {
		d := uint64(s[i] - '0')
		if d > 9 {
			return 0, false
		}
		// v*10+d would overflow.
		if v > (1<<64-1-d)/10 {
			return 0, false
		}
		v = v*10 + d
	}
	return v, s != ""
}

func allDigits(s string) bool {
	for i := range len(s) {
		if s[i]-'0' > 9 {
			return false
		}
	}
	return s != ""
}

// nearest returns the whole number that chooses the rule, halves rounded up.
func (n number) nearest() uint64 {
	if n.digits != "" && n.digits[0] >= '5' && n.whole < 1<<64-1 {
		return n.whole + 1
	}
	return n.whole
}

// fraction returns the number's fraction as numerator and power of ten. Digits
// past the 18th are left out: the smallest fraction that CLDR names has 12.
func (n number) fraction() (numerator, denominator uint64) {
	denominator = 1
	for i := 0; i < len(n.digits) && i < 18; i++ {
		numerator = numerator*10 + uint64(n.digits[i]-'0')
		denominator *= 10
	}
	return numerator, denominator
}
