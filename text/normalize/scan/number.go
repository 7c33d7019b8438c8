package scan

// Number is a number as it was written, in digits of ASCII.
type Number struct {
	Minus  bool
	Whole  string // ASCII digits, at least one unless there is a fraction
	Frac   string // digits after the point
	Above  string // the numerator of a fraction that stands alone or after the whole
	Below  string // the denominator, "" when there is no fraction
	Lakhs  bool   // grouped as in India: 12,34,567
	Groups bool
	By     rune // the separator of the groups
	Start  int  // its first token, without the sign
	End    int  // the token after it
}

// Decimal returns the number as rbnf takes it, such as -12.5, without its fraction.
func (n Number) Decimal() string {
	s := n.Whole
	if n.Frac != "" {
		s += "." + n.Frac
	}
	if n.Minus {
		s = "-" + s
	}
	return s
}

// IsWide reports whether a sign is of full width. Between narrow digits such a sign
// separates sentences or items of a list and is not part of a number.
func IsWide(s string) bool { r := FirstRune(s); return r >= '！' && r <= '～' }
