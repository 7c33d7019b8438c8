package catalogue

import (
	"cmp"
	"slices"
)

// maxFacet bounds the values that one facet lists.
const maxFacet = 100

// facets counts values among the datasets of a selection; m is the set of these.
func (x *index) facets(s selection, m bitset) *Facets {
	f := &Facets{
		Sample:      m.countAnd(x.sample),
		Transcribed: m.countAnd(x.transcribed),
		Channels:    countSets(x.channels, x.matches(s, byChannels)),
		Collection:  countSets(x.collection, x.matches(s, byCollection)),
		Domain:      x.countDomains(m),
	}
	// Without its own filter, so that other values can be chosen.
	open := x.matches(s, byLanguage)
	for i := range x.languages {
		l := &x.languages[i]
		if n := l.in.countAnd(open); n > 0 {
			f.Language = append(f.Language, Count{Value: l.bcp47, Label: l.name, Count: n})
		}
	}
	f.Language = most(f.Language)
	return f
}

func countSets(sets map[string]bitset, m bitset) []Count {
	var out []Count
	for value, in := range sets {
		if n := in.countAnd(m); n > 0 {
			out = append(out, Count{Value: value, Count: n})
		}
	}
	return most(out)
}

func (x *index) countDomains(m bitset) []Count {
	counts := make([]int, len(x.domainNames))
	for i := range m.from(0) {
		for _, d := range x.domains[i] {
			counts[d]++
		}
	}
	var out []Count
	for d, n := range counts {
		if n > 0 {
			out = append(out, Count{Value: x.domainNames[d], Count: n})
		}
	}
	return most(out)
}

// most returns the most frequent values; never nil.
func most(all []Count) []Count {
	slices.SortFunc(all, func(a, b Count) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Value, b.Value))
	})
	return append([]Count{}, all[:min(len(all), maxFacet)]...)
}
