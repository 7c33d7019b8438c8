package catalogue

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"slices"
	"sort"
)

// tier is the field in which a word is found. Lower tiers count more.
type tier uint32

const (
	inTitle tier = iota
	inLanguage
	inDomain
	inName // in id or slug
	tiers
)

// index holds the published datasets at one moment; it never changes. A position is the place of
// a dataset in the list: the order is by hours (most first), then by title and slug.
type index struct {
	briefs     []Brief // without addresses
	at         addresses
	centihours []int64
	before     []int64          // total centihours of the positions below each
	known      map[string]state // visible datasets by slug and by id
	slugs      []string         // of the listed datasets, sorted
	tag        string           // changes whenever any record changes

	channels, collection map[string]bitset
	sample, transcribed  bitset
	languages            []language
	domains              [][]uint32 // by position: indices into domainNames
	domainNames          []string

	words  vocabulary
	memory termMemory
}

// state is enough of a visible record to find it in the cache.
type state struct {
	slug     string
	revision int64
}

// language is a language of the list with the datasets in it.
type language struct {
	bcp47, name string
	keys        []string // its names and codes, folded
	tag         string   // bcp47, folded
	in          bitset
}

// newIndex builds an index. It may reorder entries.
func newIndex(entries []Entry, at addresses) *index {
	x := &index{at: at, known: make(map[string]state, 2*len(entries)), tag: tagOf(entries, at)}
	listed := entries[:0:0]
	for _, e := range entries {
		if e.Status.Visible() {
			s := state{e.Brief.Slug, e.Revision}
			x.known[e.Brief.Slug], x.known[e.Brief.ID] = s, s
		}
		if e.Status == Published {
			listed = append(listed, e)
		}
	}
	slices.SortFunc(listed, func(a, b Entry) int { return keyOf(a.Brief).compare(keyOf(b.Brief)) })
	x.briefs = make([]Brief, len(listed))
	x.slugs = make([]string, len(listed))
	for i, e := range listed {
		x.briefs[i], x.slugs[i] = e.Brief, e.Brief.Slug
	}
	slices.Sort(x.slugs)
	x.sum()
	x.sort(listed)
	x.indexWords(listed)
	return x
}

// key is the sort key of the list.
type key struct {
	centihours  int64
	title, slug string
}

func keyOf(b Brief) key { return key{centi(b.Hours), b.Title, b.Slug} }

func (k key) compare(o key) int {
	return cmp.Or(cmp.Compare(o.centihours, k.centihours), cmp.Compare(k.title, o.title), cmp.Compare(k.slug, o.slug))
}

// centi returns hours in whole hundredths, so that sums have no rounding errors.
func centi(hours float64) int64 { return int64(math.Round(hours * 100)) }

func (x *index) sum() {
	x.centihours = make([]int64, len(x.briefs))
	x.before = make([]int64, len(x.briefs)+1)
	for i, b := range x.briefs {
		x.centihours[i] = centi(b.Hours)
		x.before[i+1] = x.before[i] + x.centihours[i]
	}
}

// sort enters the positions into the sets of the values that they have.
func (x *index) sort(listed []Entry) {
	n := len(listed)
	x.channels, x.collection = map[string]bitset{}, map[string]bitset{}
	x.sample, x.transcribed = newBitset(n), newBitset(n)
	x.domains = make([][]uint32, n)
	numbers := map[string]uint32{}
	byTag := map[string]int{}
	for i, e := range listed {
		addTo(x.channels, e.Brief.Channels, i, n)
		addTo(x.collection, e.Brief.Collection, i, n)
		if e.Brief.HasSample {
			x.sample.add(i)
		}
		if e.Brief.Transcribed {
			x.transcribed.add(i)
		}
		for _, d := range e.Domains {
			number, ok := numbers[d]
			if !ok {
				number = uint32(len(x.domainNames))
				numbers[d] = number
				x.domainNames = append(x.domainNames, d)
			}
			x.domains[i] = append(x.domains[i], number)
		}
		at, ok := byTag[e.Brief.BCP47]
		if !ok {
			at = len(x.languages)
			byTag[e.Brief.BCP47] = at
			x.languages = append(x.languages, newLanguage(e, n))
		}
		x.languages[at].in.add(i)
	}
}

func addTo(sets map[string]bitset, value *string, i, n int) {
	if value == nil {
		return
	}
	if sets[*value] == nil {
		sets[*value] = newBitset(n)
	}
	sets[*value].add(i)
}

func newLanguage(e Entry, n int) language {
	l := language{bcp47: e.Brief.BCP47, name: e.Brief.Language, tag: fold(e.Brief.BCP47), in: newBitset(n)}
	for _, name := range append([]string{e.Brief.Language}, e.Names...) {
		l.keys = append(l.keys, fold(name))
	}
	return l
}

// indexWords indexes the words of all searched fields.
func (x *index) indexWords(listed []Entry) {
	byWord := map[string][]uint32{}
	for i, e := range listed {
		for t, text := range searched(e) {
			for _, s := range text {
				for _, w := range indexWords(s) {
					p := uint32(i)*uint32(tiers) + uint32(t)
					// A word that occurs twice in a field has one place.
					if list := byWord[w]; len(list) == 0 || list[len(list)-1] != p {
						byWord[w] = append(list, p)
					}
				}
			}
		}
	}
	x.words = newVocabulary(byWord)
}

// searched returns the texts of each tier.
func searched(e Entry) [tiers][]string {
	return [tiers][]string{
		inTitle:    {e.Brief.Title},
		inLanguage: slices.Concat([]string{e.Brief.Language, e.Brief.BCP47}, e.Names, e.Others),
		inDomain:   e.Domains,
		inName:     {e.Brief.ID, e.Brief.Slug},
	}
}

// atLeast returns how many datasets have at least that many hours. They are the first positions.
func (x *index) atLeast(hours float64) int {
	return sort.Search(len(x.briefs), func(i int) bool { return x.briefs[i].Hours < hours })
}

// after returns the first position after k.
func (x *index) after(k key) int {
	return sort.Search(len(x.briefs), func(i int) bool { return keyOf(x.briefs[i]).compare(k) > 0 })
}

// listForm is the version of list answers. It must change with the fields of [Brief] and
// [Facets] and with what words find, so that no client keeps an answer in an old form.
const listForm = "3 "

// tagOf returns a tag for the state of all records.
func tagOf(entries []Entry, at addresses) string {
	byID := slices.Clone(entries)
	slices.SortFunc(byID, func(a, b Entry) int { return cmp.Compare(a.Brief.ID, b.Brief.ID) })
	h := sha256.New()
	h.Write([]byte(listForm + at.base))
	var number [8]byte
	for _, e := range byID {
		binary.LittleEndian.PutUint64(number[:], uint64(e.Revision))
		h.Write([]byte(e.Brief.ID))
		h.Write(number[:])
	}
	return hex.EncodeToString(h.Sum(nil)[:12])
}
