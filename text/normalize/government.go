package normalize

import (
	"strings"

	"vaak/text/normalize/cldr"
)

// genitive says that the word before i asks for the genitive of a number and of
// what it counts, as the lexicon tells with a cardinal rule set of that case: ru
// "до 5 км", до пяти километров.
func (c *cursor) genitive(i int) bool { return isGenitive(c.agreed(i)) }

// isGenitive says that a rule set is one of cardinals in the genitive.
func isGenitive(set string) bool {
	return strings.HasSuffix(set, "-genitive") && strings.Contains(set, "cardinal")
}

// governed returns a rule set in the case that a quantity stands in.
func (n *Normalizer) governed(q quantity, set string) string {
	if !q.genitive {
		return set
	}
	return n.inGenitive(set)
}

// governedCategory returns the plural category whose form is the one that a
// number in the genitive takes. Where numbers in the nominative put what they
// count into the genitive, that form is there already: the singular's is the one
// of decimals, the plural's the one of many.
func governedCategory(c cldr.Category) cldr.Category {
	switch c {
	case cldr.One:
		return cldr.Other
	case cldr.Few:
		return cldr.Many
	}
	return c
}

// minuteCase returns the rule set of minutes after a word that asks for the
// genitive of cardinals; an ordinal hour does not move them.
func (n *Normalizer) minuteCase(set, agreed string) string {
	if set == "" || !isGenitive(agreed) {
		return set
	}
	return n.inGenitive(set)
}

// inGenitive returns the genitive of a rule set, or the set if it has none.
func (n *Normalizer) inGenitive(set string) string {
	if s := n.firstSet(set + "-genitive"); s != "" {
		return s
	}
	return set
}
