package speak

import (
	"strings"

	"vaak/text/normalize/scan"
)

// Ordinal says an ordinal. The rule is a rule set, a pattern, or "+" for the cardinal
// with the suffix as written; "" is the usual set of ordinals. A word of the lexicon for
// the digits with their suffix wins.
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

// inPattern says a number in a pattern with the field {n}, or {n:SET} for a rule set.
func (sp *Speaker) inPattern(x scan.Number, pattern string) (string, bool) {
	return sp.Endings.Fill(pattern, func(_, set string) (string, bool) {
		if set == "" || sp.num == nil || !sp.num.Has(set) {
			return sp.Number(x, sp.Cardinal)
		}
		return sp.num.Format(set, x.Decimal())
	})
}

// InCase returns a rule set in the case of another one: spellout-ordinal-feminine and
// spellout-ordinal-neuter-genitive give spellout-ordinal-feminine-genitive. When the
// other set has no gender in its name, it replaces the first one.
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

// InGenitive returns the genitive of a rule set, or the set itself if it has none. A set that
// names another case has none: ru с 5 друзьями.
func (sp *Speaker) InGenitive(set string) string {
	if s := sp.FirstSet(set + "-genitive"); s != "" {
		return s
	}
	return set
}
