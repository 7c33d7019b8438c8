package speak

import (
	"strings"

	"vaak/text/normalize/scan"
)

// Ordinal reads an ordinal as its suffix says: by a rule set, by a pattern,
// or ("+") as the cardinal with the suffix.
func (sp *Speaker) Ordinal(x scan.Number, rule, suffix string) (string, bool) {
	if w := sp.OrdinalWords[x.Whole+suffix]; w != "" {
		return w, true
	}
	if rule == "" {
		rule = sp.OrdinalSet
	}
	switch {
	case strings.Contains(rule, "{n"):
		return sp.inPattern(x, rule)
	case rule == "+":
		w, ok := sp.Number(x, sp.Cardinal)
		return w + suffix, ok
	case rule != "" && sp.num != nil && sp.num.Has(rule):
		return sp.num.Format(rule, x.Decimal())
	case sp.ordinalPattern != "":
		return sp.inPattern(x, sp.ordinalPattern)
	}
	return "", false
}

// inPattern reads a number in a pattern: {n}, or {n:SET} by a rule set.
func (sp *Speaker) inPattern(x scan.Number, pattern string) (string, bool) {
	return sp.Endings.Fill(pattern, func(_, set string) (string, bool) {
		if set == "" || sp.num == nil || !sp.num.Has(set) {
			return sp.Number(x, sp.Cardinal)
		}
		return sp.num.Format(set, x.Decimal())
	})
}

// InCase returns the rule set of a pattern in the case of another one: of
// spellout-ordinal-feminine and spellout-ordinal-neuter-genitive,
// spellout-ordinal-feminine-genitive. Sets without genders give way as they are.
func (sp *Speaker) InCase(set, agreed string) string {
	if set == "" || agreed == "" || strings.Contains(set, "ordinal") != strings.Contains(agreed, "ordinal") {
		return set
	}
	for _, gender := range [...]string{"-masculine", "-feminine", "-neuter"} {
		if _, after, ok := strings.Cut(agreed, gender); ok {
			return sp.FirstSet(set+after, set)
		}
	}
	return agreed
}

// InGenitive returns the genitive of a rule set, or the set if it has none.
func (sp *Speaker) InGenitive(set string) string {
	if s := sp.FirstSet(set + "-genitive"); s != "" {
		return s
	}
	return set
}
