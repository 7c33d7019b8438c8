package cldr

import "strings"

// parseCondition reads the condition of a plural rule by the syntax of UTS #35,
// part 3, "Plural rules syntax", the older keywords included ("is", "mod",
// "within"); it is false when the text is not a condition. Samples behind "@"
// are passed over.
func parseCondition(text string) ([][]relation, bool) {
	text, _, _ = strings.Cut(text, "@")
	p := conditionParser(text)
	var any [][]relation
	for {
		all, ok := p.conjunction()
		if !ok {
			return nil, false
		}
		any = append(any, all)
		if !p.word("or") {
			break
		}
	}
	if p.space(); p != "" {
		return nil, false
	}
	return any, true
}

// conditionParser is the part of a condition that is not read yet.
type conditionParser string

// conjunction reads relations joined by "and".
func (p *conditionParser) conjunction() ([]relation, bool) {
	var all []relation
	for {
		r, ok := p.relation()
		if !ok {
			return nil, false
		}
		all = append(all, r)
		if !p.word("and") {
			return all, true
		}
	}
}

// relation reads an operand, its modulus, a comparison and a list of ranges.
func (p *conditionParser) relation() (r relation, ok bool) {
	p.space()
	if *p == "" || !strings.Contains("nivwftce", string((*p)[:1])) {
		return r, false
	}
	// e is a synonym of c (UTS #35 part 3, Plural Operand Meanings).
	if r.operand = (*p)[0]; r.operand == 'e' {
		r.operand = 'c'
	}
	*p = (*p)[1:]
	if p.word("%") || p.word("mod") {
		if r.modulus, ok = p.number(); !ok || r.modulus == 0 {
			return r, false
		}
	}
	if !p.comparison(&r) {
		return r, false
	}
	r.ranges, ok = p.ranges()
	return r, ok
}

// comparison reads the sign or the keywords between operand and ranges.
func (p *conditionParser) comparison(r *relation) bool {
	switch {
	case p.word("="):
		return true
	case p.word("!="):
		r.not = true
		return true
	case p.word("is"):
		r.not = p.word("not")
		return true
	}
	r.not = p.word("not")
	if p.word("within") {
		r.within = true
		return true
	}
	return p.word("in")
}

// ranges reads numbers and ranges "a..b", divided by commas.
func (p *conditionParser) ranges() (out []span, ok bool) {
	for {
		low, ok := p.number()
		if !ok {
			return nil, false
		}
		high := low
		if p.word("..") {
			if high, ok = p.number(); !ok {
				return nil, false
			}
		}
		out = append(out, span{low, high})
		if !p.word(",") {
			return out, true
		}
	}
}

// number reads digits; a number of more than 18 is wrapped as operands are.
func (p *conditionParser) number() (uint64, bool) {
	p.space()
	rest := strings.TrimLeft(string(*p), "0123456789")
	text := string(*p)[:len(*p)-len(rest)]
	*p = conditionParser(rest)
	return number(0, text), text != ""
}

// word takes a keyword or sign off when it comes next. A keyword must not run
// on into another letter.
func (p *conditionParser) word(w string) bool {
	p.space()
	rest, ok := strings.CutPrefix(string(*p), w)
	if !ok || letter(w[0]) && rest != "" && letter(rest[0]) {
		return false
	}
	*p = conditionParser(rest)
	return true
}

// space passes over white space.
func (p *conditionParser) space() { *p = conditionParser(strings.TrimLeft(string(*p), " \t\n")) }

// letter reports whether a byte is a small ASCII letter.
func letter(c byte) bool { return 'a' <= c && c <= 'z' }
