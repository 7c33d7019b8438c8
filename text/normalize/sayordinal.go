package normalize

import "strings"

// sayOrdinal reads an ordinal as its suffix says: by a rule set, by a pattern,
// or ("+") as the cardinal with the suffix.
func (n *Normalizer) sayOrdinal(x number, rule, suffix string) (string, bool) {
	if w := n.tables.ordinalWord[x.whole+suffix]; w != "" {
		return w, true
	}
	if rule == "" {
		rule = n.ordinal
	}
	switch {
	case strings.Contains(rule, "{n"):
		return n.sayPattern(x, rule)
	case rule == "+":
		w, ok := n.say(x, n.cardinal)
		return w + suffix, ok
	case rule != "" && n.num != nil && n.num.Has(rule):
		return n.num.Format(rule, x.decimal())
	case n.patterns.ordinal != "":
		return n.sayPattern(x, n.patterns.ordinal)
	}
	return "", false
}

// sayPattern reads a number in a pattern: {n}, or {n:SET} by a rule set.
func (n *Normalizer) sayPattern(x number, pattern string) (string, bool) {
	return n.fillJoined(pattern, func(_, set string) (string, bool) {
		if set == "" || n.num == nil || !n.num.Has(set) {
			return n.say(x, n.cardinal)
		}
		return n.num.Format(set, x.decimal())
	})
}

// inCase returns the rule set of a pattern in the case of another one: of
// spellout-ordinal-feminine and spellout-ordinal-neuter-genitive,
// spellout-ordinal-feminine-genitive. Sets without genders give way as they are.
func (n *Normalizer) inCase(set, agreed string) string {
	if set == "" || agreed == "" || strings.Contains(set, "ordinal") != strings.Contains(agreed, "ordinal") {
		return set
	}
	for _, gender := range [...]string{"-masculine", "-feminine", "-neuter"} {
		if _, after, ok := strings.Cut(agreed, gender); ok {
			return n.firstSet(set+after, set)
		}
	}
	return agreed
}
