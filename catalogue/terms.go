package catalogue

import (
	"strings"
	"sync"
)

// found is the datasets that a term was found in, in total and by tier.
type found struct {
	any bitset
	in  [tiers]bitset
}

// score returns how well position i fits the term. More is better; 0 is not at all.
func (f *found) score(i int) int {
	for t, in := range f.in {
		if in.has(i) {
			return int(tiers) - t
		}
	}
	return 0
}

// termMemory caches what terms are found in. People search for the same terms, and the short ones,
// which take long, are few.
type termMemory struct {
	mu    sync.Mutex
	terms map[string]*found
	bytes int
}

// maxTermBytes bounds the cache; termOverhead is the size of a term besides its sets.
const (
	maxTermBytes = 16 << 20
	termOverhead = 512
)

func (m *termMemory) get(term string) *found {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.terms[term]
}

// put stores f. If the cache is full, it is emptied first.
func (m *termMemory) put(term string, f *found) {
	m.mu.Lock()
	defer m.mu.Unlock()
	term = strings.Clone(term) // otherwise it keeps the whole query in memory
	size := len(term) + 8*len(f.any)*(1+int(tiers)) + termOverhead
	// Emptying it whole needs no bookkeeping; the common terms are back after a few searches.
	if m.terms == nil || m.bytes+size > maxTermBytes {
		m.terms, m.bytes = map[string]*found{}, 0
	}
	m.terms[term] = f
	m.bytes += size
}

// find returns where words begin with a folded term.
func (x *index) find(term string) *found {
	if f := x.memory.get(term); f != nil {
		return f
	}
	f := &found{any: newBitset(len(x.briefs))}
	for t := range f.in {
		f.in[t] = newBitset(len(x.briefs))
	}
	for places := range x.words.beginning(term) {
		for _, p := range places {
			i := int(p / uint32(tiers))
			f.any.add(i)
			f.in[p%uint32(tiers)].add(i)
		}
	}
	x.memory.put(term, f)
	return f
}
