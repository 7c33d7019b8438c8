package rbnf

// choose returns the rule for a number, its sign left aside.
func (set *ruleSet) choose(n number) *rule {
	if !n.point {
		return set.find(n.whole)
	}
	zeros := isZeros(n.digits)
	// A rule for whole numbers with zeros behind the point comes first, then one for
	// numbers below one, then one for all others.
	switch {
	case zeros && set.special[integralFraction] != nil:
		return set.special[integralFraction]
	case n.whole == 0 && !zeros && set.special[properFraction] != nil:
		return set.special[properFraction]
	case set.special[improperFraction] != nil:
		return set.special[improperFraction]
	case set.special[integralFraction] != nil:
		return set.special[integralFraction]
	}
	// ICU rounds a number whose set has no rule for fractions. The rule may pass the number
	// on to a set that has one; otherwise the fraction would be lost, so there is no rule.
	if r := set.find(n.nearest()); r != nil && r.keepsFraction() {
		return r
	}
	return nil
}

func isZeros(s string) bool {
	for i := range len(s) {
		if s[i] != '0' {
			return false
		}
	}
	return true
}

// find returns the rule with the greatest base up to n, nil when all are greater.
func (set *ruleSet) find(n uint64) *rule {
	// Invariant: all rules before lo have a base up to n, all from hi on have a greater
	// one.
	lo, hi := 0, len(set.rules)
	for lo < hi {
		mid := int(uint(lo+hi) / 2)
		if set.rules[mid].base <= n {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == 0 {
		return nil
	}
	r := &set.rules[lo-1]
	// ICU's rollback rule: for 200, 201: << hundred >> would say "two hundred zero". The
	// rule before it has no >>.
	if r.rollsBack && n%r.divisor == 0 {
		if lo == 1 {
			return nil
		}
		r = &set.rules[lo-2]
	}
	return r
}

// passes reports whether the rule hands the number itself to another set.
func (r *rule) passes() bool {
	for _, p := range r.parts {
		if p.kind == same {
			return true
		}
	}
	return false
}

// keepsFraction reports whether a rule for whole numbers says the fraction as well,
// through another set.
func (r *rule) keepsFraction() bool {
	for _, p := range r.parts {
		if p.kind == same || p.kind == lower || p.kind == previous {
			return true
		}
	}
	return false
}
