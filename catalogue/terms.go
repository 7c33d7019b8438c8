package catalogue

import (
	"encoding/binary"
	"slices"
	"sort"
	"strings"
	"sync"

	"vaak/catalogue/spelling"
)

// scoreBits is how many bits the score of a term has.
const scoreBits = 4

// Scores say how well a dataset fits a term: 0 is not at all. A word that is the term counts a
// little more than one that begins with it, and what was perhaps meant counts less than what
// was typed, in whatever field.
const (
	wholeWord = 1 // added to the score of a beginning
	nearField = 3 // of a word of a field other than the description that may have been meant
	nearSaid  = 1
	nearest   = 1 // added where it is one edit away
)

// beginnings are the scores of words that begin with the term, by tier.
var beginnings = [tiers]uint8{inTitle: 14, inLanguage: 12, inDomain: 10, inName: 8, inDescription: 6}

// found is what a term finds, with the scores.
type found struct {
	mistyped bool     // words that may be meant were looked for
	must     bool     // it is the name of a language, so that no dataset without it is wanted
	few      []uint32 // position << scoreBits | score, ascending; where many is nil
	many     *sliced  // the scores of all positions
}

// manyFrom is how many positions there are for each that makes few; the scores of all take less
// memory then.
const manyFrom = 64

// collector collects places with their scores.
type collector struct {
	x     *index
	few   []uint32
	many  *[]uint8 // scores by position, once few are too many
	limit int
}

func (x *index) collector() *collector {
	return &collector{x: x, limit: max(len(x.listed)/manyFrom, 64)}
}

// add gives a position a score, unless it has a better one.
func (c *collector) add(position uint32, score uint8) {
	if c.many != nil {
		raise(*c.many, position, score)
		return
	}
	c.few = append(c.few, position<<scoreBits|uint32(score))
	if len(c.few) > c.limit {
		c.spread()
	}
}

// raise is what [collector.add] does once there are many. It is inlined, which matters where a term finds
// most of a million datasets.
func raise(scores []uint8, position uint32, score uint8) {
	scores[position] = max(scores[position], score)
}

// spread changes from a list to a score for each position.
func (c *collector) spread() {
	few := c.few
	c.few, c.many = nil, c.x.scores.Get().(*[]uint8)
	clear(*c.many)
	for _, f := range few {
		c.add(f>>scoreBits, uint8(f&(1<<scoreBits-1)))
	}
}

// places adds places of a word; scores are by tier.
func (c *collector) places(of []uint32, scores *[tiers]uint8, more uint8) {
	for len(of) > 0 && c.many == nil {
		c.add(of[0]>>tierBits, scores[of[0]&(1<<tierBits-1)]+more)
		of = of[1:]
	}
	for _, p := range of {
		raise(*c.many, p>>tierBits, scores[p&(1<<tierBits-1)]+more)
	}
}

// set adds all members of a set.
func (c *collector) set(s set, score uint8) { s.each(func(p uint32) { c.add(p, score) }) }

func (c *collector) empty() bool { return len(c.few) == 0 && c.many == nil }

// found returns what was collected.
func (c *collector) found() *found {
	f := &found{}
	if c.many == nil {
		slices.Sort(c.few)
		// The best score of a position is the last.
		for i, p := range c.few {
			if i+1 == len(c.few) || c.few[i+1]>>scoreBits != p>>scoreBits {
				f.few = append(f.few, p)
			}
		}
		f.few = slices.Clip(f.few)
		return f
	}
	f.many = slicedScores(*c.many)
	c.x.scores.Put(c.many)
	return f
}

// Lengths of terms, in code points.
const (
	minSaid     = 3 // that begin words of descriptions; shorter ones would be in most
	minMistyped = 4 // in which typing errors are looked for
)

// rareEach is how many datasets there are for each of those that have a word which is so rare
// that it may be a typing error in their titles.
const rareEach = 2000

// find returns what a term finds.
func (x *index) find(t term) *found {
	if f := x.memory.get(t); f != nil {
		return f
	}
	c := x.collector()
	mistyped, must := false, t.tag.Code != "" || x.isKey(t.text)
	if t.tag.Code != "" {
		x.addLanguage(c, t)
	}
	if t.run {
		x.addRun(c, t, must)
	} else {
		mistyped = x.addWords(c, t, must)
	}
	f := c.found()
	f.must, f.mistyped = must, mistyped
	x.memory.put(t, f)
	return f
}

// addLanguage adds the datasets in the language that a term names.
func (x *index) addLanguage(c *collector, t term) {
	for _, s := range x.tongues {
		if s.is(t.tag) {
			c.set(s.in, beginnings[inLanguage]+wholeWord)
		}
	}
	if t.tag.Region == "" && t.tag.Script == "" {
		c.set(x.also[t.tag.Code], beginnings[inDescription]+wholeWord)
	}
}

// isKey reports whether a term is what a language of the catalogue is called. Codes do not count,
// because many of them are words too.
func (x *index) isKey(text string) bool {
	if len(text) < minMistyped {
		return false
	}
	return slices.ContainsFunc(x.tongues, func(s spoken) bool { return slices.Contains(s.keys, text) })
}

// addWords adds the datasets with words that begin with a term, or may be meant by it. A language
// that may be meant only adds to the score: "hindu" is near to Hindi and another word. It reports whether
// it has looked for what may be meant.
func (x *index) addWords(c *collector, t term, must bool) (mistyped bool) {
	hits := x.addBeginnings(c, t.text, must)
	if bare, ok := spelling.WithoutArticle(t.text); ok {
		hits += x.addBeginnings(c, bare, must)
	}
	letters := spelling.Letters(t.text)
	if t.exact || must || len(letters) < minMistyped || hits*rareEach > len(x.listed) || hasDigit(t.text) {
		return false
	}
	near := x.near(letters)
	if hits > 0 {
		// Both are looked for where the other is far more usual.
		near.words = slices.DeleteFunc(near.words, func(w nearWord) bool { return w.frequency < 50*hits })
		near.languages, near.tongues = nil, nil
	}
	for _, w := range near.words {
		more := uint8(0)
		if w.edits == 1 {
			more = nearest
		}
		c.places(x.vocabulary.fields.of(w.rank), &nearScores, more)
		c.places(x.vocabulary.said.of(w.rank), &nearScores, more)
	}
	for _, tag := range near.languages {
		x.addLanguage(c, term{tag: tag})
	}
	for _, s := range near.tongues {
		c.set(s.in, beginnings[inLanguage]+wholeWord)
	}
	return true
}

// nearScores are the scores of words that may have been meant, by tier.
var nearScores = [tiers]uint8{inTitle: nearField, inLanguage: nearField, inDomain: nearField, inName: nearField, inDescription: nearSaid}

func hasDigit(s string) bool {
	for i := range len(s) {
		if '0' <= s[i] && s[i] <= '9' {
			return true
		}
	}
	return false
}

// addBeginnings adds the datasets with words that begin with a text and returns how many places
// these have. A name of a language is not looked for in descriptions, which speak of others too.
func (x *index) addBeginnings(c *collector, text string, language bool) (hits int) {
	v := x.vocabulary
	from, to := v.beginning(text)
	whole := from
	if from < to && v.word(from) == text {
		whole++
	}
	// A plural is the same word.
	if rank, ok := v.has(text + "s"); ok {
		c.places(v.fields.of(rank), &beginnings, wholeWord)
	}
	hits = len(v.fields.between(from, to))
	c.places(v.fields.between(from, whole), &beginnings, wholeWord)
	c.places(v.fields.between(whole, to), &beginnings, 0)
	if !language && len([]rune(text)) >= minSaid {
		hits += len(v.said.between(from, to))
		c.places(v.said.between(from, whole), &beginnings, wholeWord)
		c.places(v.said.between(whole, to), &beginnings, 0)
	}
	for _, s := range x.tongues {
		if score := wordScore(s.words, text); score > 0 {
			c.set(s.in, score)
			hits += len(s.in.list) + len(s.in.bits)
		}
	}
	return hits + x.addIDs(c, text)
}

// wordScore returns the score of the names of a language for a text.
func wordScore(words []string, text string) uint8 {
	i, ok := slices.BinarySearch(words, text)
	switch {
	case ok:
		return beginnings[inLanguage] + wholeWord
	case i < len(words) && len(words[i]) > len(text) && words[i][:len(text)] == text:
		return beginnings[inLanguage]
	}
	return 0
}

// idPrefix begins every id, and no slug.
const idPrefix = "ds_"

// minID is how many characters of an id are looked for.
const minID = 4

// addIDs adds the datasets whose id, without its prefix, begins with a text.
func (x *index) addIDs(c *collector, text string) (hits int) {
	if text+"_" == idPrefix {
		for _, at := range x.sorted[idOrder] {
			c.add(at, beginnings[inName]+wholeWord)
		}
		return len(x.sorted[idOrder])
	}
	if len(text) < minID {
		return 0
	}
	id := func(i int) string { return x.listed[x.sorted[idOrder][i]].id() }
	for i := sort.Search(len(x.sorted[idOrder]), func(i int) bool { return id(i) >= idPrefix+text }); i < len(x.sorted[idOrder]) && strings.HasPrefix(id(i), idPrefix+text); i++ {
		c.add(x.sorted[idOrder][i], beginnings[inName])
		hits++
	}
	return hits
}

// addRun adds the datasets with a run of letters in a script without spaces, or with a third of its
// grams where none has all: one wrong letter spoils several grams.
func (x *index) addRun(c *collector, t term, language bool) {
	var grams []string
	spelling.Grams(t.text, true, func(gram string) { grams = append(grams, gram) })
	if len(grams) == 0 {
		x.addBeginnings(c, t.text, language) // shorter than a gram
		return
	}
	slices.Sort(grams)
	grams = slices.Compact(grams)
	collect := func(p *postings) (lists [][]uint32) {
		for _, gram := range grams {
			var places []uint32
			if rank, ok := x.vocabulary.has(gram); ok {
				places = p.of(rank)
			}
			lists = append(lists, places)
		}
		slices.SortStableFunc(lists, func(a, b []uint32) int { return len(a) - len(b) })
		return lists
	}
	for _, s := range x.tongues {
		if slices.ContainsFunc(s.keys, func(key string) bool { return strings.Contains(key, t.text) }) {
			c.set(s.in, beginnings[inLanguage])
		}
	}
	fields := collect(&x.vocabulary.fields)
	most := max(gramPlaces*len(x.listed), minGramPlaces)
	exact := func(lists [][]uint32) {
		for _, p := range inAll(lists, most) {
			c.add(p>>tierBits, beginnings[p&(1<<tierBits-1)])
		}
	}
	exact(fields)
	if language {
		return
	}
	said := collect(&x.vocabulary.said)
	exact(said)
	if !c.empty() || len(grams) < 2 {
		return
	}
	x.inThird(c, said, most, nearSaid)
	x.inThird(c, fields, most, nearField)
}

// At most so many places of grams are looked at for a term: for each dataset, and in any
// catalogue. Of a run whose grams are all in nearly every dataset, the most usual ones are taken
// for granted then.
const (
	gramPlaces    = 2
	minGramPlaces = 1 << 16
)

// inAll returns the places that all lists have. Lists are ascending, the shortest first. After
// most places the lists that remain, which are the longest, are taken to have what is left.
func inAll(lists [][]uint32, most int) []uint32 {
	left := slices.Clone(lists[0])
	for _, list := range lists[1:] {
		if most -= len(left); most < 0 || len(left) == 0 {
			break
		}
		kept := left[:0]
		for _, p := range left {
			if list = list[ahead(list, p):]; len(list) == 0 {
				break
			}
			if list[0] == p {
				kept = append(kept, p)
			}
		}
		left = kept
	}
	return left
}

// ahead returns the index of the first place of an ascending list that is not below p, in steps
// that double: the place is mostly near.
func ahead(list []uint32, p uint32) int {
	from, step := 0, 1
	for from+step <= len(list) && list[from+step-1] < p {
		from += step
		step *= 2
	}
	to := min(from+step, len(list))
	return from + sort.Search(to-from, func(i int) bool { return list[from+i] >= p })
}

// inThird adds the datasets that at least a third of the lists have, with a score. Lists are
// ascending, the shortest first; after most places the longest ones are left out.
func (x *index) inThird(c *collector, lists [][]uint32, most int, score uint8) {
	for n, list := range lists {
		if most -= len(list); most < 0 && n > 0 {
			lists = lists[:n]
			break
		}
	}
	places := 0
	for _, list := range lists {
		places += len(list)
	}
	if places > c.limit && c.many == nil {
		c.spread()
	}
	counts := x.scores.Get().(*[]uint8)
	defer x.scores.Put(counts)
	clear(*counts)
	for _, list := range lists {
		last := uint32(nowhere)
		for _, p := range list {
			// A gram that a dataset has in several fields counts once.
			if at := p >> tierBits; at != last {
				(*counts)[at]++
				last = at
			}
		}
	}
	var scores [256]uint8
	for n := max(1, (len(lists)+2)/3); n <= len(lists); n++ {
		scores[n] = score
		if 2*n >= len(lists) {
			scores[n] += nearest
		}
	}
	for eight := 0; eight < len(*counts); eight += 8 {
		if binary.LittleEndian.Uint64((*counts)[eight:]) == 0 {
			continue // most datasets have none
		}
		for at := eight; at < eight+8; at++ {
			s := scores[(*counts)[at]]
			switch {
			case s == 0:
			case c.many != nil:
				raise(*c.many, uint32(at), s)
			default:
				c.add(uint32(at), s)
			}
		}
	}
}

// termMemory caches what terms are found in. People search for the same terms, and the short ones,
// which take long, are few.
type termMemory struct {
	most  int // bytes
	mu    sync.Mutex
	terms map[term]*found
	bytes int
}

// Bounds of the cache: for any catalogue, and for each dataset more. A term has termOverhead
// bytes beside what it finds.
const (
	minTermBytes  = 4 << 20
	termBytesEach = 64
	termOverhead  = 512
)

func (m *termMemory) get(t term) *found {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.terms[t]
}

// put stores f. If the cache is full, it is emptied first.
func (m *termMemory) put(t term, f *found) {
	m.mu.Lock()
	defer m.mu.Unlock()
	t.text = strings.Clone(t.text) // otherwise it keeps the whole query in memory
	size := len(t.text) + 4*len(f.few) + termOverhead
	if f.many != nil {
		size += 8 * len(f.many.words)
	}
	// Emptying it whole needs no bookkeeping; the common terms are back after a few searches.
	if m.terms == nil || m.bytes+size > m.most {
		m.terms, m.bytes = map[term]*found{}, 0
	}
	m.terms[t] = f
	m.bytes += size
}
