package respell

import (
	"cmp"
	"errors"
	"slices"
)

// The types of rules that clients know.
const (
	TypeAlias   = "alias"
	TypePhoneme = "phoneme" // always refused
)

// Claimed returns the [Rule.Alphabet] of a rule from the fields that a client sent: its
// type, phoneme and alphabet, nil for a field that was absent. It is "" for a rule in
// letters.
func Claimed(typ, phoneme, alphabet *string) string {
	switch {
	case alphabet != nil && *alphabet != "":
		return *alphabet
	case alphabet != nil, phoneme != nil, typ != nil && *typ == TypePhoneme:
		return TypePhoneme
	}
	return ""
}

// CheckOthers adds to the faults of rules that could not be read what [Check] finds in
// the others, by rule.
func CheckOthers(faults []Fault, rules []Rule) []Fault {
	rules = slices.Clone(rules)
	unread := map[int]bool{}
	for _, f := range faults {
		unread[f.Rule] = true
		rules[f.Rule] = Rule{} // keeps its place, and is like no other
	}
	all := slices.Clone(faults)
	if found, ok := errors.AsType[*Refusal](Check(rules)); ok {
		for _, f := range found.Faults {
			if !unread[f.Rule] {
				all = append(all, f)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Fault) int { return cmp.Compare(a.Rule, b.Rule) })
	return all
}
