package rbnf

import "math/bits"

// sayFraction appends numerator/denominator by a set of denominators.
func (s *state) sayFraction(set *ruleSet, numerator, denominator uint64) bool {
	r := set.denominator(numerator, denominator)
	if r == nil || !s.enter() {
		return false
	}
	// 0.375 is 375/1000. By the base 8 it is 3 parts: 375*8/1000.
	count, ok := scale(numerator, r.base, denominator)
	if !ok {
		return false
	}
	for i := range r.parts {
		p := &r.parts[i]
		s.joined = s.joined || p.joins
		switch p.kind {
		case literal:
			s.out = append(s.out, p.text...)
		case counted:
			s.out = append(s.out, p.plural.choose(s.f.locale, count)...)
		case upper:
			ok = s.sayNumerator(r, p, count)
		case same:
			target := s.target(set, p)
			ok = target.fraction && s.sayFraction(target, numerator, denominator)
		default:
			ok = false
		}
		if !ok {
			return false
		}
	}
	s.depth--
	return len(s.out) <= maxWords
}

// sayNumerator appends the numerator, after the zeros that its denominator leaves
// room for where the rule asks for them.
func (s *state) sayNumerator(r *rule, p *part, count uint64) bool {
	target := s.target(&s.f.sets[s.f.base], p)
	if p.zeros {
		// 3 thousandths are "zero zero three": a zero for each power of ten that fits below
		// the base. It is nought after an overflow, and for a numerator of nought.
		for v := count * 10; v > 0 && v < r.base; v *= 10 {
			if !s.say(target, number{}) {
				return false
			}
			s.out = append(s.out, ' ')
		}
	}
	return s.say(target, number{whole: count})
}

// denominator returns the rule whose base makes the fraction a whole number of
// parts, or comes closest; of several, the first. Two rules of one base are for
// one part and for several.
func (set *ruleSet) denominator(numerator, denominator uint64) *rule {
	best, least := -1, uint64(1<<64-1)
	for i := range set.rules {
		// How far numerator*base/denominator is from a whole number, in parts of the
		// denominator, on the nearer side.
		off := mulMod(numerator, set.rules[i].base, denominator)
		if off = min(off, denominator-off); off < least {
			best, least = i, off
		}
		if off == 0 {
			break
		}
	}
	if best < 0 {
		return nil
	}
	r := &set.rules[best]
	if best+1 < len(set.rules) && set.rules[best+1].base == r.base {
		if count, ok := scale(numerator, r.base, denominator); !ok || count != 1 {
			return &set.rules[best+1]
		}
	}
	return r
}

// scale returns numerator*base/denominator rounded to the nearest; it is not ok
// when that overflows.
func scale(numerator, base, denominator uint64) (count uint64, ok bool) {
	// The product has up to 128 bits. Div64 panics when the quotient does not fit, which is
	// when hi is not below the denominator.
	hi, lo := bits.Mul64(numerator, base)
	if hi >= denominator {
		return 0, false
	}
	count, rest := bits.Div64(hi, lo, denominator)
	// The same as 2*rest >= denominator, without the overflow.
	if rest >= denominator-rest && count < 1<<64-1 {
		count++
	}
	return count, true
}

// mulMod returns a*b mod m; m is not 0.
func mulMod(a, b, m uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return bits.Rem64(hi, lo, m)
}
