package dictionary

import (
	"reflect"
	"slices"

	"vaak/text/respell"
)

// Change is a rule that differs between two versions. Before is nil for one that was
// added, After for one that was removed.
type Change struct{ Before, After *respell.Rule }

// Compare returns what the rules of one version are in another: first those of before
// that are other rules or gone, in their order, then those that were added. A rule is the
// same rule when its term is; the place in the list does not count.
func Compare(before, after []respell.Rule) []Change {
	left := map[string][]int{} // indices of after, by term
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
	for i, r := range before { // what stayed goes first: a term may have several rules
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

// Same reports whether two rules are written alike, with all their options. No list and
// an empty one are the same.
func Same(a, b respell.Rule) bool {
	if !slices.Equal(a.Only, b.Only) || !slices.Equal(a.Except, b.Except) {
		return false
	}
	a.Only, a.Except, b.Only, b.Except = nil, nil, nil, nil
	return reflect.DeepEqual(a, b)
}
