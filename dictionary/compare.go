package dictionary

import (
	"reflect"
	"slices"

	"vaak/text/respell"
)

// Change is a rule that differs between two versions. Before is nil for one that was
// added, After for one that was removed.
type Change struct{ Before, After *respell.Rule }

// Compare returns how the rules of two versions differ: first the rules of before that were
// changed or removed, in their order, then the rules that were added. Two rules are the same
// rule when they have the same term. Their positions in the lists do not matter.
func Compare(before, after []respell.Rule) []Change {
	left := map[string][]int{} // by term: indices of the rules of after that have no twin yet
	for i, r := range after {
		left[r.Term] = append(left[r.Term], i)
	}
	twin := make([]int, len(before)) // in after, or -1
	take := func(r respell.Rule, fits func(respell.Rule) bool) int {
		at := slices.IndexFunc(left[r.Term], func(i int) bool { return fits(after[i]) })
		if at < 0 {
			return -1
		}
		i := left[r.Term][at]
		left[r.Term] = slices.Delete(left[r.Term], at, at+1)
		return i
	}
	// A term may have several rules. Rules that did not change find their twins first, so that
	// a changed rule of the same term cannot take one of these.
	for i, r := range before {
		twin[i] = take(r, func(o respell.Rule) bool { return Same(r, o) })
	}
	var all []Change
	for i, r := range before {
		if twin[i] >= 0 {
			continue
		}
		c := Change{Before: &before[i]}
		if j := take(r, func(respell.Rule) bool { return true }); j >= 0 {
			c.After = &after[j]
		}
		all = append(all, c)
	}
	for i, r := range after {
		if slices.Contains(left[r.Term], i) {
			all = append(all, Change{After: &after[i]})
		}
	}
	return all
}

// Same reports whether two rules are equal in all their options. An empty list equals no
// list.
func Same(a, b respell.Rule) bool {
	if !slices.Equal(a.Only, b.Only) || !slices.Equal(a.Except, b.Except) {
		return false
	}
	a.Only, a.Except, b.Only, b.Except = nil, nil, nil, nil
	return reflect.DeepEqual(a, b)
}
