package catalogue

import (
	"math"

	"vaak/lang"
)

// likeness is by what datasets are compared with another, in a few bytes: what kind of talk they
// have, and their [Traits]. Values are numbered in the order in which the index meets them.
type likeness struct {
	traits                         Traits
	language, tongue, domain, rate uint16 // 0 is not known
	channels, collection           uint8  // 0 is not known
	hours, speakers                uint8  // in steps of a quarter of a doubling; 0 is not known
}

// Differences of two datasets. The figures of a profile differ by at most 255 each, 8 times that
// together; what kind of talk it is counts as much.
const (
	otherLanguage   = 700
	otherVariety    = 150 // the same language by another tag
	otherChannels   = 400
	otherCollection = 300
	otherDomain     = 200
	otherRate       = 120
	unknownTrait    = 90 // of one of both
	unknownBoth     = 30
	perStep         = 6   // of hours and of speakers
	mostSteps       = 150 // of either
	mostDifferent   = otherLanguage + otherChannels + otherCollection + otherDomain + otherRate + 2*mostSteps + 8*255
)

// likenessNumbers numbers the values of entries.
type likenessNumbers struct {
	languages             numbering[lang.Code]
	tongues               numbering[*tongue]
	domains               numbering[*[]string]
	rates                 numbering[*[]int]
	channels, collections numbering[*string]
}

// likeness returns that of an entry with some traits.
func (n *likenessNumbers) likeness(k *kept, t Traits) likeness {
	l := likeness{traits: t, tongue: n.tongues.of(k.tongue), hours: doublings(k.hours), speakers: doublings(float64(k.speakers))}
	if k.tongue.tag.Code != "" {
		l.language = n.languages.of(k.tongue.tag.Code)
	}
	if len(*k.domains) > 0 {
		l.domain = n.domains.of(k.domains)
	}
	if len(*k.rates) > 0 {
		l.rate = n.rates.of(k.rates)
	}
	if k.channels != nil {
		l.channels = uint8(n.channels.of(k.channels))
	}
	if k.collection != nil {
		l.collection = uint8(n.collections.of(k.collection))
	}
	return l
}

// numbering numbers values from 1 on. Values beyond the last number are all 0.
type numbering[K comparable] map[K]uint16

func (n *numbering[K]) of(k K) uint16 {
	if *n == nil {
		*n = numbering[K]{}
	}
	if len(*n) == math.MaxUint16 {
		return (*n)[k]
	}
	if _, ok := (*n)[k]; !ok {
		(*n)[k] = uint16(len(*n) + 1)
	}
	return (*n)[k]
}

// doublings returns a number in quarters of doublings, 0 for what is not above 0.
func doublings(v float64) uint8 {
	if v <= 0 {
		return 0
	}
	return uint8(min(max(math.Round(4*math.Log2(v))+40, 1), 255))
}

// unlike returns how much the kinds of talk of two datasets differ, and their volumes.
func (l *likeness) unlike(o *likeness) (d int) {
	switch {
	case l.tongue == o.tongue:
	case l.language != 0 && l.language == o.language:
		d += otherVariety
	default:
		d += otherLanguage
	}
	if l.channels != o.channels {
		d += otherChannels
	}
	if l.collection != o.collection {
		d += otherCollection
	}
	if l.domain != o.domain {
		d += otherDomain
	}
	if l.rate != o.rate {
		d += otherRate
	}
	return d + steps(l.hours, o.hours) + steps(l.speakers, o.speakers)
}

// apart returns how far the traits of two datasets are apart.
func (l *likeness) apart(o *likeness) (d int) {
	for i, a := range l.traits {
		b := o.traits[i]
		switch {
		case a == 0 && b == 0:
			d += unknownBoth
		case a == 0 || b == 0:
			d += unknownTrait
		case a > b:
			d += int(a - b)
		default:
			d += int(b - a)
		}
	}
	return d
}

func steps(a, b uint8) int {
	d := int(a) - int(b)
	return min(perStep*max(d, -d), mostSteps)
}

// alike offers the datasets of m to best, with scores by how much each is like the one that a
// selection names.
func (x *index) alike(s selection, m bitset, best *ranking) {
	k := x.named(s.Similar)
	if k == nil {
		return
	}
	of := k.likeness
	offer := func(at int) {
		l := &x.likeness[at]
		score := mostDifferent - l.unlike(&of)
		// Most are less alike than the worst so far, whatever their traits.
		if least, full := best.least(); !full || score >= int(least) {
			best.offer(ranked{uint32(score - l.apart(&of)), uint32(at)})
		}
	}
	// Those of the same language first: they leave no room for others as a rule.
	related := func(l *likeness) bool { return l.tongue == of.tongue || l.language != 0 && l.language == of.language }
	for _, t := range x.tongues {
		if t.tongue == k.tongue || t.tag.Code != "" && t.tag.Code == k.tongue.tag.Code {
			t.in.each(func(at uint32) {
				if m.has(int(at)) {
					offer(int(at))
				}
			})
		}
	}
	if least, full := best.least(); full && int(least) > mostDifferent-otherLanguage {
		return
	}
	for at := range m.from(0) {
		if !related(&x.likeness[at]) {
			offer(at)
		}
	}
}
