package normalize

import (
	"sync"

	"vaak/lang"
	"vaak/text/normalize/cldr"
	"vaak/text/normalize/locale"
	"vaak/text/normalize/rbnf"
)

// variant is what makes one normalizer differ from another.
type variant struct {
	code   lang.Code
	loc    *cldr.Locale
	num    *rbnf.Formatter
	lex    *locale.Lexicon
	region string // set for English only, whose regions share a lexicon and order dates differently
}

// normalizers holds the normalizers made so far. There are few, because most regions of
// a language share one.
var normalizers sync.Map // variant to func() *Normalizer

// byTag caches the normalizer of a tag, which spares finding its variant.
var byTag = tagged{list: map[lang.Tag]*Normalizer{}}

// tagged finds normalizers by tags. It has room for the tags that clients send in
// practice; its bound keeps tags that clients make up from filling the memory.
type tagged struct {
	lock sync.RWMutex
	list map[lang.Tag]*Normalizer
}

// mostTags is how many tags are cached. For others, finding the variant takes about a
// microsecond.
const mostTags = 2048

func (k *tagged) find(tag lang.Tag) *Normalizer {
	k.lock.RLock()
	defer k.lock.RUnlock()
	return k.list[tag]
}

func (k *tagged) keep(tag lang.Tag, n *Normalizer) {
	if _, known := lang.Lookup(tag.Code); !known || len(tag.Region) > len("419") || len(tag.Script) > len("Latn") {
		return
	}
	k.lock.Lock()
	defer k.lock.Unlock()
	if len(k.list) < mostTags {
		k.list[tag] = n
	}
}

// For returns the normalizer of a language and region. It is made on first use and kept.
// Regions without a difference share one.
func For(tag lang.Tag) *Normalizer {
	if n := byTag.find(tag); n != nil {
		return n
	}
	v := variantOf(tag)
	once, ok := normalizers.Load(v)
	if !ok {
		once, _ = normalizers.LoadOrStore(v, sync.OnceValue(func() *Normalizer { return compile(v) }))
	}
	n := once.(func() *Normalizer)()
	byTag.keep(tag, n)
	return n
}

// variantOf returns what makes the normalizer of a tag.
func variantOf(tag lang.Tag) variant {
	v := variant{code: tag.Code, loc: cldr.ForRegion(tag), num: rbnf.Of(tag), lex: locale.For(tag)}
	if tag.Code == "en" && (tag.Region == "US" || tag.Region == "IN") {
		v.region = tag.Region
	}
	return v
}
