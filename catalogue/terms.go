package catalogue

import (
	"strings"
	"sync"
)

// found is where a term was found: in all, and by tier.
type found struct {
	any bitset
	in  [tiers]bitset
}

// score is how well position i fits the term: more is better.
func (f *found) score(i int) int {
	for t, in := range f.in {
		if in.has(i) {
			return int(tiers) - t
		}
	}
	return 0
}

// termMemory keeps what terms were found in: who searches asks for the same ones,
// and short ones, which take long, are few.
type termMemory struct {
	mu    sync.Mutex
	terms map[string]*found
	bytes int
}

// maxTermBytes bounds a memory; termOverhead is what a term takes beside its sets.
const (
	maxTermBytes = 16 << 20
	termOverhead = 512
)

func (m *termMemory) get(term string) *found {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.terms[term]
}

// put keeps f; when there is no more room it begins anew.
func (m *termMemory) put(term string, f *found) {
	m.mu.Lock()
	defer m.mu.Unlock()
	term = strings.Clone(term) // it is a part of what was asked
	size := len(term) + 8*len(f.any)*(1+int(tiers)) + termOverhead
	if m.terms == nil || m.bytes+size > maxTermBytes {
		m.terms, m.bytes = map[string]*found{}, 0
	}
	m.terms[term] = f
	m.bytes += size
}

// find returns what begins with a folded term.
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
