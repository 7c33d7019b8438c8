package catalogue

import (
	"cmp"
	"slices"
)

// maxFacet bounds the values that one facet lists.
const maxFacet = 100

// facets counts values among the datasets that the filters choose; m is the set of these.
func (x *index) facets(c chosen, m bitset) *Facets {
	f := &Facets{Sample: m.countAnd(x.sample), Transcribed: m.countAnd(x.transcribed)}
	for d, to := range map[int]*[]Count{
		byLanguage: &f.Language, byChannels: &f.Channels, byCollection: &f.Collection,
		byDomain: &f.Domain, byLicence: &f.License, bySampleRate: &f.SampleRate,
	} {
		open := m
		if c.by[d] != nil {
			open = c.all(d) // without its own filter, so that other values can be chosen
		}
		*to = x.dimensions[d].counts(open)
	}
	return f
}

// counts returns how many datasets of m each value has, the most frequent values first; never
// nil. Values that a query cannot tell apart are one, by the spelling that most datasets of m have, and
// a value counts what a query finds by it.
func (d *dimension) counts(m bitset) []Count {
	of := make([]int, len(d.values))
	for i := range d.values {
		of[i] = d.values[i].in.countIn(m)
	}
	type group struct{ best, count int }
	groups := map[string]*group{}
	for i, v := range d.values {
		n := of[i]
		if n == 0 {
			continue
		}
		key := v.key
		if d.keys == nil {
			key = v.name
		}
		g, ok := groups[key]
		if !ok {
			g = &group{best: i}
			groups[key] = g
			// Each licence has datasets of its own, and several may have a key.
			for _, same := range d.keys[key] {
				g.count += of[same]
			}
		}
		if d.keys == nil {
			g.count += n // languages with several names for one tag
		}
		if n > of[g.best] || n == of[g.best] && v.name < d.values[g.best].name {
			g.best = i
		}
	}
	all := make([]Count, 0, len(groups))
	for _, g := range groups {
		v := d.values[g.best]
		all = append(all, Count{Value: v.name, Label: v.label, Count: g.count})
	}
	slices.SortFunc(all, func(a, b Count) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Value, b.Value))
	})
	return slices.Clip(all[:min(len(all), maxFacet)])
}
