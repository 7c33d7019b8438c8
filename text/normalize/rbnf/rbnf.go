// Package rbnf says numbers in words by rule-based number formats, the rule
// language of CLDR and ICU (UTS #35 part 3, class RuleBasedNumberFormat).
//
// The rules are CLDR's, with their mistakes corrected, and our own where CLDR has
// none or where too little of them is right. Only words come out: a
// number that the rules would leave in digits, such as one past their last power
// of ten, is reported as one that cannot be said.
//
// Three things differ from ICU on purpose. Fractions keep the digits as they are
// written ("3.50" is "three point five zero"). A set of rules without one for
// negative numbers takes that of another set, where ICU lets the sign fall into
// the middle of the words. A fraction that a rule would drop makes Format fail.
package rbnf

import (
	"strings"

	"golang.org/x/text/unicode/norm"

	"vaak/text/normalize/cldr"
)

const (
	// maxDepth bounds rules that use rules; ICU has the same limit.
	maxDepth = 64
	// maxSteps bounds the rules applied to one number. The longest cardinals of
	// CLDR need about 150.
	maxSteps = 2000
	// maxWords bounds the result in bytes.
	maxWords = 4096
)

// Formatter says numbers by the rules of one language. It does not change once
// it is made, so it is safe for concurrent use.
type Formatter struct {
	locale *cldr.Locale
	sets   []ruleSet
	byName map[string]int32 // with its one or two %
	parts  []part           // where those of the rules lie
	base   int32            // the set that numerators are said by when they name none
	minus  *rule            // for sets that have none of their own; nil when no set has one
}

// Has reports whether the formatter has a public set of rules of a name, such as
// "spellout-cardinal-feminine".
func (f *Formatter) Has(ruleSet string) bool {
	_, ok := f.find(ruleSet)
	return ok
}

// Sets returns the names of the public sets in the order of the rules.
func (f *Formatter) Sets() []string {
	var names []string
	for i := range f.sets {
		if name := f.sets[i].name; !strings.HasPrefix(name, "%%") {
			names = append(names, name[1:])
		}
	}
	return names
}

// find returns the public set of a name.
func (f *Formatter) find(name string) (*ruleSet, bool) {
	if strings.HasPrefix(name, "%") {
		return nil, false
	}
	i, ok := f.byName["%"+name]
	if !ok {
		return nil, false
	}
	return &f.sets[i], true
}

// Format returns a number in words, in NFC, by a public set of rules. The number
// is written with ASCII digits, "-" before a negative one and "." before the
// fraction: "1234", "-5", "3.14"; "Inf", "-Inf" and "NaN" are numbers too.
//
// It is not ok when there is no such set, the number is written otherwise, or the
// rules have no words for it: because it is too big, or because they say that
// fractions or numbers of its size stay in digits.
func (f *Formatter) Format(ruleSet, decimal string) (words string, ok bool) {
	set, ok := f.find(ruleSet)
	if !ok {
		return "", false
	}
	n, ok := parseNumber(decimal)
	if !ok {
		return "", false
	}
	var room [256]byte
	s := state{f: f, out: room[:0]}
	if !s.say(set, n) {
		return "", false
	}
	if s.joined {
		return string(norm.NFC.Bytes(s.out)), true
	}
	return string(s.out), true
}
