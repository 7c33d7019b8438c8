package cldr

import "strings"

// rules are the plural rules of a language, in the order in which they are
// tried; a number that meets none is Other.
type rules []rule

// rule is the condition of one category: a list of alternatives, each a list
// of relations that must all hold.
type rule struct {
	category Category
	any      [][]relation
}

// relation compares an operand, or its remainder, with a list of ranges.
type relation struct {
	operand byte   // n i v w f t c; e is read as c
	modulus uint64 // 0 for the operand itself
	not     bool
	within  bool // fractions between the ends of a range count too
	ranges  []span
}

// span is a range of whole numbers, both ends included.
type span struct{ low, high uint64 }

// Plural returns the category of a number by the language's cardinal rules:
// the form of a noun after it. Without rules it is Other.
func (l *Locale) Plural(n Operands) Category { return l.cardinal.match(n) }

// Ordinal returns the category of a number by the language's ordinal rules:
// the form of an ordinal such as "3rd". Without rules it is Other.
func (l *Locale) Ordinal(n Operands) Category { return l.ordinal.match(n) }

// match returns the category of the first rule that a number meets.
func (r rules) match(n Operands) Category {
	for i := range r {
		for _, all := range r[i].any {
			if n.meets(all) {
				return r[i].category
			}
		}
	}
	return Other
}

// meets reports whether all the relations hold.
func (o *Operands) meets(all []relation) bool {
	for i := range all {
		if o.inRanges(&all[i]) == all[i].not {
			return false
		}
	}
	return true
}

// inRanges reports whether the operand of a relation is in one of its ranges.
func (o *Operands) inRanges(r *relation) bool {
	value, whole := o.value(r.operand)
	if r.modulus != 0 {
		value %= r.modulus
	}
	for _, s := range r.ranges {
		if whole && s.low <= value && value <= s.high {
			return true
		}
		// value is the integer part: 2.5 is within 2..3, and 3.5 is not.
		if !whole && r.within && s.low <= value && value < s.high {
			return true
		}
	}
	return false
}

// value returns an operand, and whether that is all of it: n may have a
// fraction besides.
func (o *Operands) value(operand byte) (uint64, bool) {
	switch operand {
	case 'v':
		return uint64(o.v), true
	case 'w':
		return uint64(o.w), true
	case 'f':
		return o.f, true
	case 't':
		return o.t, true
	case 'c':
		return uint64(o.c), true
	case 'i':
		return o.i, true
	}
	// n is the absolute value of the number. Zeros behind the point do not make it a
	// fraction.
	return o.i, o.t == 0
}

// rulesOf reads lines of a category, a space and a condition. A line that
// cannot be read is left out.
func rulesOf(text string) rules {
	var out rules
	for line := range strings.Lines(text) {
		category, condition, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if any, ok := parseCondition(condition); ok {
			out = append(out, rule{categoryOf(category), any})
		}
	}
	return out
}
