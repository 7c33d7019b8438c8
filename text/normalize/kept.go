package normalize

import (
	"sync"

	"vaak/lang"
	"vaak/text/normalize/cldr"
	"vaak/text/normalize/locale"
	"vaak/text/normalize/rbnf"
)

// variant tells apart what makes normalizers differ.
type variant struct {
	code   lang.Code
	loc    *cldr.Locale
	num    *rbnf.Formatter
	lex    *locale.Lexicon
	region string // only for English, whose regions write alike and read otherwise
}

// normalizers are those that were made; there are few, as most regions share one.
var normalizers sync.Map // variant to func() *Normalizer

// byTag spares the search for the variant of a tag that was asked for before.
var byTag = tagged{list: map[lang.Tag]*Normalizer{}}

// tagged finds normalizers by tags. It has room for the tags that a service is
// asked for in practice, so that tags made up by callers cannot fill the memory.
type tagged struct {
	lock sync.RWMutex
	list map[lang.Tag]*Normalizer
}

// mostTags is how many tags are kept; the search takes a microsecond for others.
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

// For returns the normalizer of a tag's language and region. It is made on
// first use and kept; regions that nothing tells apart share one.
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
