package catalogue

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/maphash"
	"math"
	"slices"
	"sort"
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
// the fields that say so. The garbage collector visits each pointer of each, so there are few.
type kept struct {
	*common
	text                string // id, slug and title
	slugAt, titleAt     uint32
	revision            int64
	hours, english      float64 // english is NaN where it is not known
	modified            int64   // Unix seconds; minInt64 for the zero time
	speakers            int32   // -1 is not known
	transcribed, sample bool
	likeness            likeness

	// Only [library] uses these, until there is an index with the entry.
	words         []uint32 // number in the dictionary << tierBits | tier; each word once, in its best tier, and each gram in all its tiers
	at            uint32   // position in the index that is built
	gone, indexed bool     // there is a newer one; an index has had it
}

func (k *kept) id() string    { return k.text[:k.slugAt] }
func (k *kept) slug() string  { return k.text[k.slugAt:k.titleAt] }
func (k *kept) title() string { return k.text[k.titleAt:] }

// common is values that many entries have together.
type common struct {
	status               Status
	tongue               *tongue
	others               *[]string
	channels, collection *string
	domain               *string
	domains              *[]string
	licence              *Terms
	rates                *[]int

	// Of an entry with these values, without what is its own.
	row  row
	kind likeness
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
	counted  []byte    // what was counted last
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
	old := l.entries[k.id()]
	if old != nil {
		old.gone = true
		l.gone = append(l.gone, old)
		l.count(old, -1)
	}
	l.entries[k.id()] = k
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
	l.counted = binary.LittleEndian.AppendUint64(append(l.counted[:0], k.id()...), uint64(k.revision))
	sum := sha256.Sum256(l.counted)
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

// common returns the shared values of an entry.
func (l *library) common(e *Entry) *common {
	s, b := &l.shared, &e.Brief
	s.key = s.key[:0]
	s.add(string(e.Status), b.BCP47, b.Language, e.Script)
	for _, list := range [][]string{e.Names, e.Others, e.Domains} {
		s.key = binary.AppendUvarint(s.key, uint64(len(list)))
		s.add(list...)
	}
	for _, text := range []*string{b.Channels, b.Collection, b.Domain} {
		if s.key = append(s.key, 0); text != nil {
			s.key[len(s.key)-1] = 1
			s.add(*text)
		}
	}
	if s.key = append(s.key, 0); e.Licence != nil {
		s.key[len(s.key)-1] = 1
		s.add(e.Licence.Name, e.Licence.URL)
	}
	for _, rate := range e.SampleRates {
		s.key = binary.AppendVarint(s.key, int64(rate))
	}
	known, ok := s.commons[string(s.key)]
	if !ok {
		key := string(s.key)
		known = &common{
			status: Status(strings.Clone(string(e.Status))), tongue: s.tongue(e), others: s.list(e.Others), channels: s.text(b.Channels), collection: s.text(b.Collection),
			domain: s.text(b.Domain), domains: s.list(e.Domains), licence: s.licence(e.Licence), rates: s.numbers(e.SampleRates),
		}
		known.row, known.kind = l.values.row(known), l.numbers.likeness(known)
		s.commons[key] = known
	}
	return known
}

func (l *library) keep(e Entry) *kept {
	b := e.Brief
	k := &kept{
		common: l.common(&e), text: b.ID + b.Slug + b.Title, slugAt: uint32(len(b.ID)), titleAt: uint32(len(b.ID) + len(b.Slug)), revision: e.Revision,
		hours: b.Hours, english: math.NaN(), modified: math.MinInt64, speakers: -1, transcribed: b.Transcribed, sample: b.HasSample,
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
	k.likeness = k.kind
	k.likeness.traits, k.likeness.hours, k.likeness.speakers = e.Traits, doublings(k.hours), doublings(float64(k.speakers))
	if e.Status == Published {
		k.words = l.words.document(k, e.Description)
	}
	return k
}

// brief returns the row of the list, without addresses.
func (k *kept) brief() Brief {
	b := Brief{
		ID: k.id(), Slug: k.slug(), Title: k.title(), Language: k.tongue.name, BCP47: k.tongue.bcp47, Hours: k.hours,
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
	if k := last.Load(); k != nil && (k.slug() == slugOrID || k.id() == slugOrID) {
		return k
	}
	sorted, name := x.bySlug, (*kept).slug
	if strings.HasPrefix(slugOrID, idPrefix) {
		sorted, name = x.byID, (*kept).id
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
	words   []string // by their numbers
	// known is the last fields, by their hashes: texts of many entries have mostly the same ones,
	// and folding takes longer than anything else of reading an entry.
	known []knownField
	seed  maphash.Seed
	// added is the document in which each word was last met, counted from 1, << tierBits | the tier.
	added     []uint32
	documents uint32
	scratch   []uint32
}

// knownField is what stands between spaces of a text, and what is found by it. A field is kept when it
// is met twice in a row of those with its place: most are met once, such as slugs.
type knownField struct {
	hash   uint64
	text   string // "" if it was met once
	tokens []token
}

// token is a number of a dictionary << tokenBits | what it is of a field.
type token uint32

const (
	wholeToken token = iota // a word
	otherToken              // the word before in another form
	gramToken               // a gram of the run before
	runToken                // a run, which has no number
	tokenBits  = 2
)

// knownFields is how many fields are known.
const knownFields = 1 << 14

func newDictionary() dictionary {
	return dictionary{numbers: map[string]uint32{}, seed: maphash.MakeSeed()}
}

// tokens returns what a field is found by.
func (d *dictionary) tokens(field string) []token {
	if d.known == nil {
		d.known = make([]knownField, knownFields)
	}
	hash := maphash.String(d.seed, field)
	k := &d.known[hash%knownFields]
	if k.hash == hash && k.text == field {
		return k.tokens
	}
	tokens := d.tokenize(field)
	if k.hash == hash {
		k.text, k.tokens = strings.Clone(field), tokens
	} else {
		*k = knownField{hash: hash}
	}
	return tokens
}

// tokenize makes the tokens of a field: as many as a document may have, of which at most half are other
// forms.
func (d *dictionary) tokenize(field string) (tokens []token) {
	add := func(what token, text string) {
		tokens = append(tokens, token(d.number(text))<<tokenBits|what)
	}
	for _, w := range spelling.Words(field) {
		if len(tokens) >= 2*maxSaid {
			break
		}
		if w.Run {
			tokens = append(tokens, runToken)
			spelling.Grams(w.Text, false, func(gram string) {
				if len(tokens) < 2*maxSaid {
					add(gramToken, gram)
				}
			})
			continue
		}
		add(wholeToken, w.Text)
		if bare, ok := spelling.WithoutArticle(w.Text); ok {
			add(otherToken, bare)
		}
	}
	return tokens
}

// number returns the number of a word.
func (d *dictionary) number(word string) uint32 {
	if n, ok := d.numbers[word]; ok {
		return n
	}
	word = strings.Clone(word) // otherwise it keeps the whole text in memory
	n := uint32(len(d.words))
	d.numbers[word] = n
	d.words, d.added = append(d.words, word), append(d.added, 0)
	return n
}

// maxSaid is how many words of a description are searched.
const maxSaid = 400

// document returns the words by which an entry is found.
func (d *dictionary) document(k *kept, description string) []uint32 {
	d.documents++
	d.scratch = d.scratch[:0]
	d.add(inTitle, k.title())
	d.add(inDomain, *k.domains...)
	if k.domain != nil {
		d.add(inDomain, *k.domain)
	}
	d.add(inName, k.slug())
	d.add(inDescription, *k.others...)
	d.add(inDescription, description)
	return slices.Clone(d.scratch)
}

// add adds what texts of a tier are found by to a document. Tiers ascend.
func (d *dictionary) add(t tier, texts ...string) {
	most := maxSaid
	for _, text := range texts {
		for field := range strings.FieldsSeq(text) {
			for _, tok := range d.tokens(field) {
				what, number := tok&(1<<tokenBits-1), uint32(tok>>tokenBits)
				if what != otherToken {
					if most--; most < 0 {
						return
					}
				}
				if what == runToken {
					continue
				}
				// The first tier of a word is its best. A run is found where one field has all its
				// grams, so these are kept of every field.
				last, now := d.added[number], d.documents<<tierBits|uint32(t)
				if last == now || what != gramToken && last>>tierBits == d.documents {
					continue
				}
				d.added[number] = now
				d.scratch = append(d.scratch, number<<tierBits|uint32(t))
			}
		}
	}
}

// sharedValues replaces equal values of many entries by one. Thousands of entries have mostly the
// same values, and every separate value costs the garbage collector time while requests wait.
type sharedValues struct {
	texts    map[string]*string
	lists    map[string]*[]string
	rates    map[string]*[]int
	licences map[Terms]*Terms
	tongues  map[string]*tongue
	commons  map[string]*common
	key      []byte // that was looked up last
}

func newSharedValues() sharedValues {
	return sharedValues{
		texts: map[string]*string{}, lists: map[string]*[]string{}, rates: map[string]*[]int{},
		licences: map[Terms]*Terms{}, tongues: map[string]*tongue{}, commons: map[string]*common{},
	}
}

// add adds texts to the key, so that no other texts have the same one.
func (s *sharedValues) add(texts ...string) {
	for _, text := range texts {
		s.key = append(binary.AppendUvarint(s.key, uint64(len(text))), text...)
	}
}

// keyOf returns the key of texts.
func (s *sharedValues) keyOf(texts ...string) string {
	s.key = s.key[:0]
	s.add(texts...)
	return string(s.key)
}

func (s *sharedValues) text(of *string) *string {
	if of == nil {
		return nil
	}
	known, ok := s.texts[*of]
	if !ok {
		known = new(strings.Clone(*of))
		s.texts[*known] = known
	}
	return known
}

// list never returns nil.
func (s *sharedValues) list(of []string) *[]string {
	key := s.keyOf(of...)
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
	key := fmt.Sprint(of)
	known, ok := s.rates[key]
	if !ok {
		known = new(slices.Clone(of))
		s.rates[key] = known
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

func (s *sharedValues) tongue(e *Entry) *tongue {
	key := s.keyOf(append([]string{e.Brief.BCP47, e.Brief.Language, e.Script}, e.Names...)...)
	known, ok := s.tongues[key]
	if !ok {
		known = newTongue(*e)
		s.tongues[key] = known
	}
	return known
}
