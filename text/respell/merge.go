package respell

import "slices"

// Merge returns rules with others added. A rule with the same term, scope and options as
// one that is there replaces it; the others are appended. Two terms are the same when
// they match the same texts.
func Merge(rules, others []Rule) []Rule {
	all := slices.Clone(rules)
	places := make(map[identity]int, len(all)+len(others))
	names := newResolver()
	for i, r := range all {
		if id := names.identity(r); places[id] == 0 {
			places[id] = i + 1
		}
	}
	for _, r := range others {
		id := names.identity(r)
		if at := places[id]; at > 0 {
			all[at-1] = r
			continue
		}
		all = append(all, r)
		places[id] = len(all)
	}
	return all
}

// identity tells rules apart: two with the same have one term with the same scope and
// options, of which one could never apply.
type identity struct {
	key            string
	only, except   string
	cased, inWords bool
}

func (n *resolver) identity(r Rule) identity {
	only, except := n.list(r.Only), n.list(r.Except)
	how := folded
	switch {
	case r.CaseSensitive:
		how = cased
	case only.turkic():
		how = turkic
	}
	return identity{string(keyOf(r.Term, how)), only.String(), except.String(), r.CaseSensitive, r.InWords}
}

// turkic reports whether all languages of the list tell dotted and dotless i apart.
func (l languages) turkic() bool {
	for _, t := range l.tags {
		if foldingOf(t) != turkic {
			return false
		}
	}
	return len(l.tags) > 0
}
