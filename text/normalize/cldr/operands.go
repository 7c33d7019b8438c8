package cldr

import "strings"

// Operands are what plural rules look at in a number as it is written: its
// value and its visible fraction digits, so that 1 and 1.0 may differ. Make them
// with [NewOperands].
type Operands struct {
	i    uint64 // the integer part
	v, w int    // how many fraction digits there are, with and without trailing zeros
	f, t uint64 // the fraction digits as a number, with and without trailing zeros
	c    int    // the exponent of a compact number such as 1.2c6
}

// wrap bounds the numbers of Operands: from it on, a number keeps its last 18
// digits and has wrap added. Rules compare with small numbers and divide by
// small powers of ten, so they cannot tell.
const wrap = 1e18

// maxExponent is the largest exponent that a compact number may have.
const maxExponent = 99

// NewOperands reads a number such as "1234", "-5", "3.50" or, compact, "1.2c6";
// it is false for anything else. The sign does not matter to plural rules. The
// length is not limited; the work is linear in it.
func NewOperands(decimal string) (Operands, bool) {
	s := strings.TrimPrefix(decimal, "-")
	exponent := 0
	if at := strings.IndexAny(s, "ce"); at >= 0 {
		var ok bool
		if exponent, ok = exponentOf(s[at+1:]); !ok {
			return Operands{}, false
		}
		s = s[:at]
	}
	integer, fraction, point := strings.Cut(s, ".")
	if !digits(integer) || point && !digits(fraction) {
		return Operands{}, false
	}
	return operandsOf(integer, fraction, exponent), true
}

// operandsOf computes the operands of a number whose point is moved to the
// right by exponent digits.
func operandsOf(integer, fraction string, exponent int) Operands {
	// 1.2c6 is 1200000: the exponent takes digits from the fraction first, then zeros.
	moved := min(exponent, len(fraction))
	o := Operands{c: exponent}
	o.i = number(number(0, integer), fraction[:moved])
	for range exponent - moved {
		o.i = number(o.i, "0")
	}
	fraction = fraction[moved:]
	significant := strings.TrimRight(fraction, "0")
	o.v, o.w = len(fraction), len(significant)
	o.f, o.t = number(0, fraction), number(0, significant)
	return o
}

// number appends digits to a number, wrapping as Operands do.
func number(n uint64, digits string) uint64 {
	for i := range len(digits) {
		big := n >= wrap
		// n%wrap is below 1e18, so ten times it and a digit fit into 64 bits (1.8e19). The
		// added wrap keeps a number that was ever large from looking small.
		n = n%wrap*10 + uint64(digits[i]-'0')
		if n >= wrap || big {
			n = n%wrap + wrap
		}
	}
	return n
}

// exponentOf reads the exponent of a compact number.
func exponentOf(s string) (int, bool) {
	if !digits(s) || len(s) > 2 {
		return 0, false
	}
	return int(min(number(0, s), maxExponent)), true
}

// digits reports whether s is one ASCII digit or more.
func digits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}
