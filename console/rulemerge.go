package console

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"vaak/dictionary"
	"vaak/text/respell"
)

// otherEdit is what an edit of somebody else did to the rule of a row meanwhile.
type otherEdit struct {
	Did  otherDid
	Rule respell.Rule // as the other edit has it, where both changed it
}

type otherDid string

// What another edit may have done.
const (
	othersAdded   otherDid = "added"
	othersChanged otherDid = "changed" // and this one did not
	bothChanged   otherDid = "both"    // or this one removes it
	othersRemoved otherDid = "removed" // and this one changed it
)

// Options names the options of the rule that are not usual.
func (o otherEdit) Options() string { return ruleOptions(o.Rule) }

// rebased returns rows of one version as rows of a later one, in the order of its rules:
// what only one of the two edits changed is as that one has it, what both changed is as
// it was sent, and what was changed here and removed there becomes new rules. What was
// not changed here and removed there is left out. Added is the indices of rules that the
// other edit made.
func rebased(rows []ruleRow, old, latest []respell.Rule) (all []ruleRow, added []int) {
	next, added := successors(old, latest)
	for _, r := range rows {
		if r.At == "" {
			all = append(all, r)
			continue
		}
		was, err := strconv.Atoi(r.At)
		if err != nil || was < 0 || was >= len(old) {
			continue
		}
		if now := next[was]; now >= 0 {
			all = append(all, r.onto(now, old[was], latest[now]))
		} else if !r.Gone && !dictionary.Same(r.rule(), old[was]) {
			r.At, r.Other = "", &otherEdit{Did: othersRemoved}
			all = append(all, r)
		}
	}
	return inOrder(all), added
}

// onto returns the row as one of the rule now of the later version, which was another.
func (r ruleRow) onto(now int, was, theirs respell.Rule) ruleRow {
	r.At = strconv.Itoa(now)
	mine := r.rule()
	switch {
	case dictionary.Same(theirs, was), !r.Gone && dictionary.Same(theirs, mine):
	case !r.Gone && dictionary.Same(mine, was):
		r = rowOf(r.N, r.At, theirs)
		r.Other = &otherEdit{Did: othersChanged}
	default:
		r.Other = &otherEdit{Did: bothChanged, Rule: theirs}
	}
	return r
}

// successors returns of each old rule the index of what became of it, or -1: the rule
// that is the same, else one of the same term. Added is the indices of all others.
func successors(old, latest []respell.Rule) (next, added []int) {
	next = slices.Repeat([]int{-1}, len(old))
	taken := make([]bool, len(latest))
	whole := func(r respell.Rule) string {
		return fmt.Sprintf("%q %q %q %t %t %q %q", r.Term, r.Respelling, r.Alphabet, r.CaseSensitive, r.InWords, r.Only, r.Except)
	}
	for _, key := range []func(respell.Rule) string{whole, func(r respell.Rule) string { return r.Term }} {
		left := map[string][]int{} // indices of rules that are nobody's yet, by what they have
		for i, r := range latest {
			if !taken[i] {
				left[key(r)] = append(left[key(r)], i)
			}
		}
		for i, r := range old {
			if at := left[key(r)]; next[i] < 0 && len(at) > 0 {
				next[i], taken[at[0]], left[key(r)] = at[0], true, at[1:]
			}
		}
	}
	for i := range latest {
		if !taken[i] {
			added = append(added, i)
		}
	}
	return next, added
}

// unknownBase returns rules that rows of a version that is kept no more may have been of:
// all that is known is that each was sent as something else than it was.
func unknownBase(rows []ruleRow) (old []respell.Rule) {
	for i := range rows {
		if rows[i].At != "" {
			rows[i].At = strconv.Itoa(len(old))
			old = append(old, respell.Rule{Term: rows[i].Term})
		}
	}
	return old
}

// withAdded returns rows with some of those rules of the latest version that another
// edit added.
func withAdded(rows []ruleRow, added []int, latest []respell.Rule) []ruleRow {
	next := nextRow(rows)
	for n, at := range added[:min(len(added), pageSize, max(0, rowsTaken-rowsSpare-len(rows)))] {
		r := rowOf(next+n, strconv.Itoa(at), latest[at])
		r.Other = &otherEdit{Did: othersAdded}
		rows = append(rows, r)
	}
	return inOrder(rows)
}

// inOrder sorts rows by their rules, with new ones behind.
func inOrder(rows []ruleRow) []ruleRow {
	place := func(r ruleRow) int {
		if at, err := strconv.Atoi(r.At); err == nil {
			return at
		}
		return respell.MaxRules
	}
	slices.SortStableFunc(rows, func(a, b ruleRow) int { return cmp.Compare(place(a), place(b)) })
	return rows
}
