package scan

// Number is a written number.
type Number struct {
	Minus  bool
	Whole  string // ASCII digits, at least one unless there is a fraction
	Frac   string // digits after the point
	Above  string // of a fraction that stands alone or after the whole
	Below  string
	Lakhs  bool // grouped the Indian way
	Groups bool
	By     rune // parts the groups
	Start  int  // its first token, without the sign
	End    int  // the token after it
}

// Decimal returns the number as rules read it, without its fraction.
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

// IsWide says that a sign is of full width, which between narrow digits parts
// sentences and lists.
func IsWide(s string) bool { r := FirstRune(s); return r >= '！' && r <= '～' }
