package catalogue

import (
	"hash/maphash"
	"math"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"

	"vaak/catalogue/spelling"
	"vaak/lang"
)

// index holds the published datasets at one moment; it never changes. A position is the place of
// a dataset in the list: the order is by hours (most first), then by title and slug.
type index struct {
	at           addresses
	tag          string // changes whenever any record changes
	changes      func() *Changes
	listed       []*kept
	rows         []row
	bySlug, byID []*kept // visible ones
	seed         maphash.Seed
	lastNamed    [4096]atomic.Pointer[kept] // those that were named last, by the hash of slug or id
	records      *records
	answers      *answers
	sorted       [orders][]uint32 // positions in each order; nil for that by hours

	dimensions          [dimensions]dimension
	sample, transcribed bitset
	centihours          sliced
	speakers            sliced // one more than are known, 0 where that is not known
	tongues             []spoken
	also                map[lang.Code]set // datasets in which a language is not the main one

	vocabulary *vocabulary
	memory     termMemory
	scratch    sync.Pool // of *scratch
	scores     sync.Pool // of *[]uint8 with a byte for each position
}

// spoken is a main language with the datasets in it.
type spoken struct {
	*tongue
	in    set
	alike []alike // those that are in it; they stand together, because those of one language are compared first
}

// dimensions are the facets whose values a query can choose.
const (
	byLanguage = iota
	byChannels
	byCollection
	byDomain
	byLicence
	bySampleRate
	dimensions
)

// dimension is a property with the datasets of each of its values.
type dimension struct {
	values []value
	keys   map[string][]int // of what a query says, folded, to indices of values; nil of languages
}

// value is a value, by the spelling that most datasets have.
type value struct {
	name, label string
	key         string // see valueKey; "" of languages
	in          set
}

// spellings are how often a value is written in each way.
type spellings map[string]int

// usual returns the most frequent spelling, of several the first in the order of bytes.
func (s spellings) usual() (best string) {
	for name, n := range s {
		if n > s[best] || n == s[best] && name < best {
			best = name
		}
	}
	return best
}

// newIndex builds an index of entries.
func newIndex(entries []Entry, at addresses) *index {
	l := newLibrary()
	for _, e := range entries {
		l.put(e)
	}
	return l.index(at)
}

// index builds the index of the entries so far from the last one. What has not changed is copied in
// large pieces: a change among 300,000 datasets takes 0.2 s of a processor; 0.4 to 0.7 s when each entry was read again.
func (l *library) index(at addresses) *index {
	old := l.last
	fresh, gone := slices.DeleteFunc(l.fresh, func(k *kept) bool { return k.gone }), slices.DeleteFunc(l.gone, func(k *kept) bool { return !k.indexed })
	published := func(k *kept) bool { return k.status == Published }
	visible := func(k *kept) bool { return k.status.Visible() }
	freshVisible, goneVisible := slices.Collect(keptIn(fresh, visible)), slices.Collect(keptIn(gone, visible))
	x := &index{at: at, tag: l.tag(at), seed: maphash.MakeSeed(), records: l.records, answers: l.answers}
	// The first time nobody searches; later searches need the other processors.
	first := len(old.listed) == 0
	titled, listed := slices.Collect(keptIn(fresh, published)), []*kept(nil)
	identified := slices.Clone(freshVisible)
	together(first,
		func() {
			sortByTexts(titled, (*kept).title, (*kept).slug)
			listed = hoursOrder.byValue(titled)
		},
		func() {
			x.byID = named(old.byID, goneVisible, identified, (*kept).id)
			x.bySlug = named(old.bySlug, goneVisible, freshVisible, (*kept).slug)
		},
	)
	change := newSplice(old.listed, slices.Collect(keptIn(gone, published)), listed, hoursOrder.compare)
	x.listed = spliced(change, old.listed, listed)
	n := len(x.listed)
	moved, places := change.moved(len(old.listed))
	rows := make([]row, len(listed))
	for i, k := range listed {
		k.at, rows[i] = places[i], k.row()
	}
	x.rows = spliced(change, old.rows, rows)
	reorder := func(o order, fresh []*kept) { x.sorted[o] = reordered(old, o, moved, fresh) }
	together(first,
		func() { x.vocabulary = old.vocabulary.merged(moved, newVocabulary(&l.words, listed)) },
		func() { x.classify(&l.values) },
		func() { reorder(newestOrder, newestOrder.byValue(titled)) },
		func() { reorder(speakersOrder, speakersOrder.byValue(titled)) },
		func() { reorder(titleOrder, titled) },
		func() { reorder(idOrder, slices.Collect(keptIn(identified, published))) },
	)
	for _, k := range fresh {
		k.words, k.indexed = nil, true
	}
	l.words, l.fresh, l.gone, l.last = newDictionary(), nil, nil, x
	last := l.modified
	x.changes = sync.OnceValue(func() *Changes { return x.listChanges(last) })
	x.memory.most = minTermBytes + n*termBytesEach
	x.scratch.New = func() any { return &scratch{n: n} }
	x.scores.New = func() any { s := make([]uint8, (n+63)/64*64); return &s }
	return x
}

// together runs steps, at once or one after the other.
func together(atOnce bool, steps ...func()) {
	var all sync.WaitGroup
	for _, step := range steps {
		if atOnce {
			all.Go(step)
		} else {
			step()
		}
	}
	all.Wait()
}

// centi returns hours in whole hundredths, so that sums have no rounding errors.
func centi(hours float64) int64 { return int64(math.Round(hours * 100)) }

// key makes the table by which values are chosen.
func (d *dimension) key(number int) {
	if number == byLanguage {
		return
	}
	d.keys = map[string][]int{}
	for i := range d.values {
		v := &d.values[i]
		v.key = valueKey(v.name)
		keys := []string{v.key}
		if number == byLicence {
			keys = licenceKeys(v.name, v.label)
			v.label = ""
		}
		for _, k := range keys {
			d.keys[k] = append(d.keys[k], i)
		}
	}
}

// foundLanguage resolves a name of a dataset's further language.
func foundLanguage(name string) (lang.Tag, bool) {
	tag, ok := lang.Find(name)
	return tag, ok && tag.Code != ""
}

// valueKey returns the form in which free words for values are compared: their words, with a
// hyphen between them. One without words is what it is.
func valueKey(s string) string {
	var words []string
	for _, w := range spelling.Words(s) {
		words = append(words, w.Text)
	}
	if len(words) == 0 {
		return strings.TrimSpace(s)
	}
	return strings.Join(words, "-")
}

// licenceKeys returns what a query may call a licence: its name, the name without the words that
// people leave out, its address, and the short name of a Creative Commons licence.
func licenceKeys(name, address string) []string {
	full := valueKey(name)
	short := full
	for _, word := range []string{"license", "licence", "international", "the"} {
		short = strings.Trim(strings.ReplaceAll("-"+short+"-", "-"+word+"-", "-"), "-")
	}
	keys := []string{full, short}
	if address != "" {
		keys = append(keys, valueKey(address))
		_, of, ok := strings.Cut(address, "creativecommons.org/licenses/")
		if parts := strings.Split(strings.Trim(of, "/"), "/"); ok && len(parts) >= 2 {
			keys = append(keys, valueKey("cc "+parts[0]+" "+parts[1]))
		}
		if strings.Contains(address, "creativecommons.org/publicdomain/zero/1.0") {
			keys = append(keys, valueKey("cc0 1.0"))
		}
	}
	slices.Sort(keys)
	return slices.DeleteFunc(slices.Compact(keys), func(k string) bool { return k == "" })
}

// atLeast returns how many datasets have at least that many hours. They are the first positions.
func (x *index) atLeast(hours float64) int {
	return sort.Search(len(x.listed), func(i int) bool { return x.listed[i].hours < hours })
}

// after returns the first place after k in an order.
func (x *index) after(o order, k key) int {
	return sort.Search(len(x.listed), func(i int) bool { return o.keyOf(x.listed[x.position(o, i)]).compare(k) > 0 })
}

// position returns which dataset is at a place of an order.
func (x *index) position(o order, place int) int {
	if o == hoursOrder {
		return place
	}
	return int(x.sorted[o][place])
}

// listForm is the version of list answers. It must change with the fields of [Brief] and
// [Facets] and with what words find, so that no client keeps an answer in an old form.
const listForm = "4 "
