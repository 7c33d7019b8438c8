package catalogue

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash/maphash"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"vaak/catalogue/spelling"
	"vaak/internal/recent"
	"vaak/lang"
)

// tier is the field in which a word is found. Lower tiers count more.
type tier uint32

const (
	inTitle tier = iota
	inLanguage
	inDomain
	inName        // in id or slug
	inDescription // or in the names of further languages
	tiers
)

// tierBits is how many bits a tier takes beside the number of a word or a position.
const tierBits = 3

// kept is what stays in memory of an entry. It never changes once an index has it, except for
// the fields that say so. Equal values of many entries are shared.
type kept struct {
	revision             int64
	id, slug, title      string // parts of one string
	tongue               *tongue
	others               *[]string
	hours, english       float64 // english is NaN where it is not known
	channels, collection *string
	domain               *string
	domains              *[]string
	licence              *Terms
	rates                *[]int
	modified             int64 // Unix seconds; minInt64 for the zero time
	speakers             int32 // -1 is not known
	status               Status
	transcribed, sample  bool
	likeness             likeness

	// Only [library] uses these, until there is an index with the entry.
	words         []uint32 // number in the dictionary << tierBits | tier; each word once, in its best tier, and each gram in all its tiers
	at            uint32   // position in the index that is built
	gone, indexed bool     // there is a newer one; an index has had it
}

// tongue is the main language of datasets.
type tongue struct {
	name, bcp47, script string
	names               []string
	tag                 lang.Tag // zero where the language is not among the known ones
	keys                []string // its names and codes, folded
	words               []string // words of these
	mistyped            []languageName
}

// library is all entries, with what is needed to build the next index from the last one. Not safe
// for concurrent use.
type library struct {
	entries  map[string]*kept // by id
	shared   sharedValues
	numbers  likenessNumbers
	values   values
	digest   [2]uint64 // of ids and revisions; the same in whatever order these came
	modified int64     // see lastChange

	// What has changed since the last index.
	words dictionary // of fresh
	fresh []*kept
	gone  []*kept

	last    *index
	records *records
	answers *answers
}

// records is the visible records that were read last, by slug, from a store whose revisions only
// grow. When it goes back to an earlier state, a new library has new ones.
type records = recent.Memory[string, *Stored]

// maxRecords bounds the records in memory. A record takes some tens of KiB, and more if it has a
// long sample, because all turns of it are in the record.
const maxRecords = 1000

func newLibrary() *library {
	return &library{
		entries: map[string]*kept{}, words: newDictionary(), shared: newSharedValues(), last: &index{},
		records: recent.New[string, *Stored](maxRecords, nil), answers: newAnswers(),
	}
}

// put takes an entry in, in place of the one with its id.
func (l *library) put(e Entry) {
	k := l.keep(e)
	old := l.entries[k.id]
	if old != nil {
		old.gone = true
		l.gone = append(l.gone, old)
		l.count(old, -1)
	}
	l.entries[k.id] = k
	l.fresh = append(l.fresh, k)
	l.count(k, 1)
	switch {
	case k.status != Drafted && k.modified >= l.modified:
		l.modified = k.modified
	case old != nil && old.modified == l.modified:
		l.modified = l.lastChange()
	}
}

// count adds an entry to the digest, or takes it out. Sums do not depend on the order, so that
// all processes with the same entries have the same digest.
func (l *library) count(k *kept, sign int64) {
	var revision [8]byte
	binary.LittleEndian.PutUint64(revision[:], uint64(k.revision))
	sum := sha256.Sum256(append([]byte(k.id), revision[:]...))
	for i := range l.digest {
		l.digest[i] += uint64(sign) * binary.LittleEndian.Uint64(sum[8*i:])
	}
}

// tag returns a tag for the state of all records.
func (l *library) tag(at addresses) string {
	h := sha256.New()
	h.Write([]byte(listForm + at.base))
	var sum [16]byte
	binary.LittleEndian.PutUint64(sum[:8], l.digest[0])
	binary.LittleEndian.PutUint64(sum[8:], l.digest[1])
	h.Write(sum[:])
	return hex.EncodeToString(h.Sum(nil)[:12])
}

func (l *library) keep(e Entry) *kept {
	b := e.Brief
	text := b.ID + b.Slug + b.Title
	k := &kept{
		revision: e.Revision, status: *l.shared.status(e.Status),
		id: text[:len(b.ID)], slug: text[len(b.ID) : len(b.ID)+len(b.Slug)], title: text[len(b.ID)+len(b.Slug):],
		tongue: l.shared.tongue(e), others: l.shared.list(e.Others), hours: b.Hours, english: math.NaN(),
		channels: l.shared.text(b.Channels), collection: l.shared.text(b.Collection), domain: l.shared.text(b.Domain),
		domains: l.shared.list(e.Domains), licence: l.shared.licence(e.Licence), rates: l.shared.numbers(e.SampleRates),
		modified: math.MinInt64, speakers: -1, transcribed: b.Transcribed, sample: b.HasSample,
	}
	if b.EnglishShare != nil {
		k.english = *b.EnglishShare
	}
	if !e.Modified.IsZero() {
		k.modified = e.Modified.Unix()
	}
	if e.Speakers != nil {
		k.speakers = int32(min(max(*e.Speakers, 0), math.MaxInt32))
	}
	k.likeness = l.numbers.likeness(k, e.Traits)
	if e.Status == Published {
		k.words = l.words.document(k, e.Description)
	}
	return k
}

// brief returns the row of the list, without addresses.
func (k *kept) brief() Brief {
	b := Brief{
		ID: k.id, Slug: k.slug, Title: k.title, Language: k.tongue.name, BCP47: k.tongue.bcp47, Hours: k.hours,
		Channels: k.channels, Collection: k.collection, Domain: k.domain, Transcribed: k.transcribed, HasSample: k.sample,
	}
	if !math.IsNaN(k.english) {
		b.EnglishShare = &k.english
	}
	return b
}

// entry returns the entry, without its description.
func (k *kept) entry() Entry {
	e := Entry{
		Revision: k.revision, Status: k.status, Brief: k.brief(), Names: k.tongue.names, Script: k.tongue.script,
		Domains: *k.domains, Others: *k.others, Licence: k.licence, SampleRates: *k.rates, Traits: k.likeness.traits,
	}
	if k.speakers >= 0 {
		e.Speakers = new(int(k.speakers))
	}
	if k.modified != math.MinInt64 {
		e.Modified = time.Unix(k.modified, 0).UTC()
	}
	return e
}

// named returns the visible entry with a slug or an id, nil if there is none.
func (x *index) named(slugOrID string) *kept {
	// Most requests are for few datasets, and a search among 100,000 takes as long as all else that
	// the catalogue does for them.
	last := &x.lastNamed[maphash.String(x.seed, slugOrID)%uint64(len(x.lastNamed))]
	if k := last.Load(); k != nil && (k.slug == slugOrID || k.id == slugOrID) {
		return k
	}
	sorted, name := x.bySlug, func(k *kept) string { return k.slug }
	if strings.HasPrefix(slugOrID, idPrefix) {
		sorted, name = x.byID, func(k *kept) string { return k.id }
	}
	i := sort.Search(len(sorted), func(i int) bool { return name(sorted[i]) >= slugOrID })
	if i == len(sorted) || name(sorted[i]) != slugOrID {
		return nil
	}
	last.Store(sorted[i])
	return sorted[i]
}

// dictionary numbers the words of entries that no index has yet.
type dictionary struct {
	numbers map[string]uint32
	words   []string                   // by their numbers
	folded  map[string][]spelling.Word // of what stands between spaces; see [dictionary.fold]
}

func newDictionary() dictionary {
	return dictionary{numbers: map[string]uint32{}, folded: map[string][]spelling.Word{}}
}

// maxFolded bounds how many words are remembered with their folded forms.
const maxFolded = 1 << 16

// fold returns the words of a text up to the next space. Texts of many entries have mostly the
// same words, and folding takes longer than anything else of reading an entry.
func (d *dictionary) fold(field string) []spelling.Word {
	words, ok := d.folded[field]
	if !ok {
		words = spelling.Words(field)
		if len(d.folded) < maxFolded {
			d.folded[strings.Clone(field)] = words
		}
	}
	return words
}

// number returns the number of a word.
func (d *dictionary) number(word string) uint32 {
	if n, ok := d.numbers[word]; ok {
		return n
	}
	word = strings.Clone(word) // otherwise it keeps the whole text in memory
	n := uint32(len(d.words))
	d.numbers[word] = n
	d.words = append(d.words, word)
	return n
}

// maxSaid is how many words of a description are searched.
const maxSaid = 400

// document returns the words by which an entry is found.
func (d *dictionary) document(k *kept, description string) []uint32 {
	// A run is found where one field has all its grams, so these are kept of every field.
	var out, grams []uint32
	add := func(t tier, most int, texts ...string) {
		for _, text := range texts {
			for field := range strings.FieldsSeq(text) {
				for _, w := range d.fold(field) {
					if most--; most < 0 {
						return
					}
					if !w.Run {
						out = append(out, d.number(w.Text)<<tierBits|uint32(t))
						if bare, ok := spelling.WithoutArticle(w.Text); ok {
							out = append(out, d.number(bare)<<tierBits|uint32(t))
						}
						continue
					}
					spelling.Grams(w.Text, false, func(gram string) {
						if most--; most >= 0 {
							grams = append(grams, d.number(gram)<<tierBits|uint32(t))
						}
					})
				}
			}
		}
	}
	add(inTitle, maxSaid, k.title)
	add(inDomain, maxSaid, *k.domains...)
	if k.domain != nil {
		add(inDomain, maxSaid, *k.domain)
	}
	add(inName, maxSaid, k.slug)
	add(inDescription, maxSaid, *k.others...)
	add(inDescription, maxSaid, description)
	slices.Sort(out)
	// The best tier of a word is the first.
	out = slices.CompactFunc(out, func(a, b uint32) bool { return a>>tierBits == b>>tierBits })
	slices.Sort(grams)
	return slices.Concat(out, slices.Compact(grams))
}

// sharedValues replaces equal values of many entries by one. Thousands of entries have mostly the
// same values, and every separate value costs the garbage collector time while requests wait.
type sharedValues struct {
	texts    map[string]*string
	lists    map[string]*[]string
	rates    map[string]*[]int
	licences map[Terms]*Terms
	tongues  map[string]*tongue
}

func newSharedValues() sharedValues {
	return sharedValues{
		texts: map[string]*string{}, lists: map[string]*[]string{}, rates: map[string]*[]int{},
		licences: map[Terms]*Terms{}, tongues: map[string]*tongue{},
	}
}

func (s *sharedValues) status(of Status) *Status {
	text := string(of)
	shared := Status(*s.text(&text))
	return &shared
}

func (s *sharedValues) text(of *string) *string {
	if of == nil {
		return nil
	}
	if known, ok := s.texts[*of]; ok {
		return known
	}
	own := strings.Clone(*of)
	s.texts[own] = &own
	return &own
}

// list never returns nil.
func (s *sharedValues) list(of []string) *[]string {
	key := strings.Join(of, "\x00")
	if len(of) > 0 {
		key += "\x00" // a list of one empty text is not an empty list
	}
	known, ok := s.lists[key]
	if !ok {
		known = new([]string)
		for _, text := range of {
			*known = append(*known, *s.text(&text))
		}
		s.lists[key] = known
	}
	return known
}

// numbers never returns nil.
func (s *sharedValues) numbers(of []int) *[]int {
	var key strings.Builder
	for _, n := range of {
		key.WriteString(strconv.Itoa(n) + " ")
	}
	known, ok := s.rates[key.String()]
	if !ok {
		known = new([]int)
		*known = slices.Clone(of)
		s.rates[key.String()] = known
	}
	return known
}

func (s *sharedValues) licence(of *Terms) *Terms {
	if of == nil {
		return nil
	}
	known, ok := s.licences[*of]
	if !ok {
		known = &Terms{Name: strings.Clone(of.Name), URL: strings.Clone(of.URL)}
		s.licences[*known] = known
	}
	return known
}

func (s *sharedValues) tongue(e Entry) *tongue {
	key := strings.Join(append([]string{e.Brief.BCP47, e.Brief.Language, e.Script}, e.Names...), "\x00")
	known, ok := s.tongues[key]
	if !ok {
		known = newTongue(e)
		s.tongues[strings.Clone(key)] = known
	}
	return known
}
