package rbnf

// state is one run of [Formatter.Format].
type state struct {
	f     *Formatter
	out   []byte
	depth int
	steps int
	// joined says that the pieces in out may not be in NFC together.
	joined bool
}

// enter counts one applied rule. It returns false when the rules exceed the limits of
// depth or steps.
func (s *state) enter() bool {
	s.depth++
	s.steps++
	return s.depth <= maxDepth && s.steps <= maxSteps && len(s.out) <= maxWords
}

// say appends a number by a set of rules.
func (s *state) say(set *ruleSet, n number) bool {
	switch {
	case set.fraction:
		numerator, denominator := n.fraction()
		// whole*denominator+numerator would overflow; the numerator is below the
		// denominator.
		if n.whole > (1<<64-1)/denominator-1 {
			return false
		}
		return s.sayFraction(set, n.whole*denominator+numerator, denominator)
	case n.kind == notANumber:
		return s.apply(set, set.special[nan], n)
	case n.neg:
		return s.sayNegative(set, n)
	case n.kind == infinite:
		return s.apply(set, set.special[infinity], n)
	}
	return s.apply(set, set.choose(n), n)
}

// sayNegative uses the set's rule -x, or passes the number on with its sign to
// the set that the number's own rule names, or uses -x of another set.
func (s *state) sayNegative(set *ruleSet, n number) bool {
	if r := set.special[negative]; r != nil {
		return s.apply(set, r, n)
	}
	if n.kind == finite {
		if r := set.choose(n); r != nil && r.passes() {
			return s.apply(set, r, n)
		}
	}
	return s.apply(set, s.f.minus, n)
}

// apply appends a number by one rule of a set. A nil rule means that the set has
// none for the number.
func (s *state) apply(set *ruleSet, r *rule, n number) bool {
	if r == nil || !s.enter() {
		return false
	}
	for i := range r.parts {
		p := &r.parts[i]
		s.joined = s.joined || p.joins
		ok := true
		switch p.kind {
		case literal:
			s.out = append(s.out, p.text...)
		case counted:
			s.out = append(s.out, p.plural.choose(s.f.locale, n.whole/r.divisor)...)
		case pattern:
			return false
		default:
			ok = s.substitute(set, r, p, n)
		}
		if !ok {
			return false
		}
	}
	// Only a rule that ended well gives its depth back. After a failure the whole run is
	// given up.
	s.depth--
	return len(s.out) <= maxWords
}

// substitute appends the words for a substitution.
func (s *state) substitute(set *ruleSet, r *rule, p *part, n number) bool {
	target := s.target(set, p)
	switch {
	case p.kind == same:
		return s.say(target, n)
	case r.kind == negative:
		// The sign is said by the rule itself. Without this it would be said again, without
		// end.
		n.neg = false
		return p.kind != upper && s.say(target, n)
	case n.kind != finite:
		return false
	case r.kind >= properFraction:
		if p.kind == upper {
			return s.say(target, number{whole: n.whole})
		}
		return s.sayDigits(target, p, n)
	case p.kind == upper:
		return s.say(target, number{whole: n.whole / r.divisor})
	}
	// >> is the remainder, and << the quotient.
	n.whole %= r.divisor
	if p.kind == previous && r.previous >= 0 {
		return s.apply(set, &set.rules[r.previous], n)
	}
	return s.say(target, n)
}

// target returns the set that a part is said by.
func (s *state) target(set *ruleSet, p *part) *ruleSet {
	if p.set == own {
		return set
	}
	return &s.f.sets[p.set]
}

// sayDigits appends a fraction: as one when it has a set of denominators, else
// digit by digit.
func (s *state) sayDigits(set *ruleSet, p *part, n number) bool {
	if set.fraction {
		return s.say(set, number{digits: n.digits, point: true})
	}
	for i := range len(n.digits) {
		// >>> runs the digits of a fraction together, >> puts spaces between them.
		if i > 0 && p.kind != previous {
			s.out = append(s.out, ' ')
		}
		if !s.say(set, number{whole: uint64(n.digits[i] - '0')}) {
			return false
		}
	}
	if n.digits == "" {
		return s.say(set, number{})
	}
	return true
}
