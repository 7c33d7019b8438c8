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

// alike is the likeness of a position.
type alike struct {
	at uint32
	likeness
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

// likeness returns that of an entry with some values, without what is its own.
func (n *likenessNumbers) likeness(k *common) likeness {
	l := likeness{tongue: n.tongues.of(k.tongue)}
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

// comparison is how much others differ from one dataset. The figures are looked up, because a switch for
// each of ten figures is mispredicted so often that a million datasets take three times as long.
type comparison struct {
	of              likeness
	traits          [len(Traits{})][256]uint16
	hours, speakers [256]uint16
}

func newComparison(of likeness) *comparison {
	c := &comparison{of: of}
	for v := range 256 {
		for i := range c.traits {
			c.traits[i][v] = uint16(apart(of.traits[i], byte(v)))
		}
		c.hours[v], c.speakers[v] = uint16(steps(of.hours, uint8(v))), uint16(steps(of.speakers, uint8(v)))
	}
	return c
}

// unlike returns how much the kinds of talk differ, without the language, and the volumes.
func (c *comparison) unlike(l *likeness) int {
	return int(c.hours[l.hours]) + int(c.speakers[l.speakers]) +
		differs(l.channels, c.of.channels)*otherChannels + differs(l.collection, c.of.collection)*otherCollection +
		differs(l.domain, c.of.domain)*otherDomain + differs(l.rate, c.of.rate)*otherRate
}

// differs returns 1 for different numbers and 0 for equal ones, without a branch that may be mispredicted.
func differs[T uint8 | uint16](a, b T) int {
	d := 0
	if a != b {
		d = 1
	}
	return d
}

// languages returns how much the languages differ.
func (c *comparison) languages(l *likeness) int {
	switch {
	case l.tongue == c.of.tongue:
		return 0
	case l.language != 0 && l.language == c.of.language:
		return otherVariety
	}
	return otherLanguage
}

// apart returns how far the traits are apart.
func (c *comparison) apart(l *likeness) (d int) {
	for i, v := range l.traits {
		d += int(c.traits[i][v])
	}
	return d
}

func apart(a, b byte) int {
	switch {
	case a == 0 && b == 0:
		return unknownBoth
	case a == 0 || b == 0:
		return unknownTrait
	}
	return max(int(a)-int(b), int(b)-int(a))
}

func steps(a, b uint8) int {
	d := int(a) - int(b)
	return min(perStep*max(d, -d), mostSteps)
}

// rankAlike offers the datasets of m to best, with scores by how much each is like the one that a
// selection names.
func (x *index) rankAlike(s selection, m bitset, best *ranking) {
	k := x.named(s.Similar)
	if k == nil {
		return
	}
	of := newComparison(k.likeness)
	offer := func(t spoken) {
		if len(t.alike) == 0 {
			return
		}
		most := mostDifferent - of.languages(&t.alike[0].likeness)
		for i := range t.alike {
			a := &t.alike[i]
			if !m.has(int(a.at)) {
				continue
			}
			score := most - of.unlike(&a.likeness)
			// Most are less alike than the worst so far, whatever their traits.
			if least, full := best.least(); !full || score >= int(least) {
				best.offer(ranked{uint32(score - of.apart(&a.likeness)), a.at})
			}
		}
	}
	// Those of the same language first: they leave no room for others as a rule.
	related := func(t spoken) bool {
		return t.tongue == k.tongue || t.tag.Code != "" && t.tag.Code == k.tongue.tag.Code
	}
	for _, t := range x.tongues {
		if related(t) {
			offer(t)
		}
	}
	if least, full := best.least(); full && int(least) > mostDifferent-otherLanguage {
		return
	}
	for _, t := range x.tongues {
		if !related(t) {
			offer(t)
		}
	}
}
