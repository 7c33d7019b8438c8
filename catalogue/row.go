package catalogue

import (
	"slices"
	"strconv"

	"vaak/lang"
)

// row is what the sets of an index are made of, for one position. Rows stand together, because
// reading a million entries one by one takes longer than making the sets. Values are numbers of
// [library.values], 0 where there is none.
type row struct {
	centihours                                                    uint64
	speakers                                                      uint32 // one more than are known, 0 where that is not known
	tongue, others, channels, collection, domains, licence, rates uint32
	likeness                                                      likeness
	sample, transcribed                                           bool
}

// values numbers the shared values of entries.
type values struct {
	tongues               numbered[*tongue]
	others, domains       numbered[*[]string]
	channels, collections numbered[*string]
	licences              numbered[*Terms]
	rates                 numbered[*[]int]
	keys                  map[string]string // of domains; see valueKey
}

// key returns [valueKey] of a domain.
func (v *values) key(domain string) string {
	key, ok := v.keys[domain]
	if !ok {
		if v.keys == nil {
			v.keys = map[string]string{}
		}
		key = valueKey(domain)
		v.keys[domain] = key
	}
	return key
}

// numbered numbers values from 1 on.
type numbered[K comparable] struct {
	numbers map[K]uint32
	all     []K // the first has the number 1
}

func (n *numbered[K]) of(k K) uint32 {
	if n.numbers == nil {
		n.numbers = map[K]uint32{}
	}
	number, ok := n.numbers[k]
	if !ok {
		n.all = append(n.all, k)
		number = uint32(len(n.all))
		n.numbers[k] = number
	}
	return number
}

// row returns the row of an entry.
func (k *kept) row() row {
	r := k.common.row
	r.centihours, r.speakers, r.likeness, r.sample, r.transcribed = uint64(max(centi(k.hours), 0)), uint32(k.speakers+1), k.likeness, k.sample, k.transcribed
	return r
}

// row returns the row of an entry with some values, without what is its own.
func (v *values) row(k *common) row {
	r := row{
		tongue: v.tongues.of(k.tongue), others: v.others.of(k.others), domains: v.domains.of(k.domains), rates: v.rates.of(k.rates),
	}
	if k.channels != nil {
		r.channels = v.channels.of(k.channels)
	}
	if k.collection != nil {
		r.collection = v.collections.of(k.collection)
	}
	if k.licence != nil {
		r.licence = v.licences.of(k.licence)
	}
	return r
}

// positionsOf returns the positions of the rows of each value.
func positionsOf[K comparable](rows []row, n *numbered[K], number func(*row) uint32) func(yield func(K, []uint32) bool) {
	ends := make([]uint32, len(n.all)+1)
	for i := range rows {
		ends[number(&rows[i])]++
	}
	sum := uint32(0)
	for i, count := range ends {
		ends[i] = sum
		sum += count
	}
	at := make([]uint32, len(rows))
	for i := range rows {
		end := &ends[number(&rows[i])]
		at[*end] = uint32(i)
		*end++
	}
	return func(yield func(K, []uint32) bool) {
		for i, k := range n.all {
			if of := at[ends[i]:ends[i+1]]; len(of) > 0 && !yield(k, of) {
				return
			}
		}
	}
}

// gathered collects the positions of values, several stretches of each.
type gathered[K comparable] map[K][][]uint32

// sets returns the set of each value below n.
func (g gathered[K]) sets(n int) map[K]set {
	out := map[K]set{}
	for k, stretches := range g {
		out[k] = newSet(stretches, n)
	}
	return out
}

// classify enters the positions into the sets of the values that they have.
func (x *index) classify(v *values) {
	n := len(x.rows)
	x.centihours = newSliced(n, func(at int) uint64 { return x.rows[at].centihours })
	x.speakers = newSliced(n, func(at int) uint64 { return uint64(x.rows[at].speakers) })
	x.sample, x.transcribed = newBitset(n), newBitset(n)
	for i := range x.rows {
		if x.rows[i].sample {
			x.sample.add(i)
		}
		if x.rows[i].transcribed {
			x.transcribed.add(i)
		}
	}
	for t, at := range positionsOf(x.rows, &v.tongues, func(r *row) uint32 { return r.tongue }) {
		all := make([]alike, len(at))
		for i, p := range at {
			all[i] = alike{p, x.rows[p].likeness}
		}
		x.tongues = append(x.tongues, spoken{t, newSet([][]uint32{at}, n), all})
	}
	slices.SortFunc(x.tongues, func(a, b spoken) int { return compareTongues(a.tongue, b.tongue) })
	for i := range x.tongues {
		t := &x.tongues[i]
		x.dimensions[byLanguage].values = append(x.dimensions[byLanguage].values, value{name: t.bcp47, label: t.name, in: t.in})
	}
	also := gathered[lang.Code]{}
	for names, at := range positionsOf(x.rows, &v.others, func(r *row) uint32 { return r.others }) {
		for i, name := range *names {
			if tag, ok := foundLanguage(name); ok && !slices.Contains((*names)[:i], name) {
				notMain := slices.DeleteFunc(slices.Clone(at), func(p uint32) bool { return v.tongues.all[x.rows[p].tongue-1].tag.Code == tag.Code })
				also[tag.Code] = append(also[tag.Code], notMain)
			}
		}
	}
	x.also = also.sets(n)
	add := func(d int, of value) { x.dimensions[d].values = append(x.dimensions[d].values, of) }
	for name, at := range positionsOf(x.rows, &v.channels, func(r *row) uint32 { return r.channels }) {
		add(byChannels, value{name: *name, in: newSet([][]uint32{at}, n)})
	}
	for name, at := range positionsOf(x.rows, &v.collections, func(r *row) uint32 { return r.collection }) {
		add(byCollection, value{name: *name, in: newSet([][]uint32{at}, n)})
	}
	domains, written := gathered[string]{}, map[string]spellings{}
	for names, at := range positionsOf(x.rows, &v.domains, func(r *row) uint32 { return r.domains }) {
		for i, name := range *names {
			key := v.key(name)
			if key == "" {
				continue
			}
			if written[key] == nil {
				written[key] = spellings{}
			}
			written[key][name] += len(at)
			if !slices.ContainsFunc((*names)[:i], func(other string) bool { return v.key(other) == key }) {
				domains[key] = append(domains[key], at)
			}
		}
	}
	for key, in := range domains.sets(n) {
		add(byDomain, value{name: written[key].usual(), in: in})
	}
	for terms, at := range positionsOf(x.rows, &v.licences, func(r *row) uint32 { return r.licence }) {
		add(byLicence, value{name: terms.Name, label: terms.URL, in: newSet([][]uint32{at}, n)})
	}
	rates := gathered[int]{}
	for all, at := range positionsOf(x.rows, &v.rates, func(r *row) uint32 { return r.rates }) {
		for i, hz := range *all {
			if !slices.Contains((*all)[:i], hz) {
				rates[hz] = append(rates[hz], at)
			}
		}
	}
	for hz, in := range rates.sets(n) {
		add(bySampleRate, value{name: strconv.Itoa(hz), in: in})
	}
	for d := range x.dimensions {
		x.dimensions[d].key(d)
	}
}
