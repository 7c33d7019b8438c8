package respell

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"sync"
	"unsafe"

	"vaak/lang"
)

// Dictionary is a list of rules that is ready to be applied. It never changes and is
// safe for concurrent use.
type Dictionary struct {
	n             int // of rules
	size          int
	digest        [32]byte
	scoped        bool
	cased, folded *trie
	turkic        func() *trie // folded, for the languages with a dotless i
	views         views
}

// compiled is a rule that is ready to be applied.
type compiled struct {
	respelling   string
	term         string
	index        int
	cased        bool
	inWords      bool
	only, except languages
}

// applies reports whether a request is in the scope of the rule.
func (r *compiled) applies(request lang.Tag) bool {
	return (!r.only.given || r.only.has(request)) && !r.except.has(request)
}

// before reports whether the rule goes before another, which may be nil, where both
// apply to the same text: one for these languages only, one for this casing, the
// earlier one.
func (r *compiled) before(other *compiled) bool {
	switch {
	case other == nil:
		return true
	case r.only.given != other.only.given:
		return r.only.given
	case r.cased != other.cased:
		return r.cased
	}
	return r.index < other.index
}

// Compile prepares rules that have passed [Check], in this release or an earlier one. A
// rule that would not pass now is ignored where it makes no sense: without a term or
// respelling, with a phonetic notation, or for unknown languages.
func Compile(rules []Rule) *Dictionary {
	d := &Dictionary{n: len(rules)}
	names := newResolver()
	var cs, ignoring []*compiled // of each casing
	sum := newDigest()
	for i, r := range rules {
		c := &compiled{
			respelling: unstressed(r.Respelling), term: r.Term, index: i, cased: r.CaseSensitive, inWords: r.InWords,
			only: names.list(r.Only), except: names.list(r.Except),
		}
		if r.Respelling == "" || r.Alphabet != "" || c.only.given && len(c.only.tags) == 0 {
			continue
		}
		sum.add(c)
		d.scoped = d.scoped || c.only.given || c.except.given
		if c.cased {
			cs = append(cs, c)
		} else {
			ignoring = append(ignoring, c)
		}
	}
	d.digest = sum.sum()
	d.cased = newTrie(cs, func(c *compiled) []rune { return keyOf(c.term, cased) })
	d.folded = newTrie(ignoring, func(c *compiled) []rune { return keyOf(c.term, folded) })
	d.turkic = sync.OnceValue(func() *trie {
		return newTrie(ignoring, func(c *compiled) []rune { return keyOf(c.term, turkic) })
	})
	d.size = int(unsafe.Sizeof(*d)) + names.size() + d.cased.size() + 2*d.folded.size()
	return d
}

// Len returns the number of rules.
func (d *Dictionary) Len() int { return d.n }

// Size returns about how many bytes the dictionary takes in memory, including the tables
// that it builds when requests first need them.
func (d *Dictionary) Size() int { return d.size }

// Digest identifies what a dictionary does: two with the same digest change every text
// alike.
func (d *Dictionary) Digest() [32]byte { return d.digest }

// keyOf returns a term in the form in which it is compared with texts, without white
// space around it.
func keyOf(term string, how folding) []rune {
	form := asFolded
	if how == cased {
		form = asCased
	}
	var wanted [2]bool
	wanted[form] = true
	key := cut(term, how, wanted).units[form]
	for len(key) > 0 && key[0] == ' ' {
		key = key[1:]
	}
	for len(key) > 0 && key[len(key)-1] == ' ' {
		key = key[:len(key)-1]
	}
	return slices.Clip(key)
}

// size returns about how many bytes the trie, its rules and a view of it take.
func (t *trie) size() int {
	n := int(unsafe.Sizeof(*t)) + cap(t.nodes)*int(unsafe.Sizeof(node{})+unsafe.Sizeof(link{}))
	for _, g := range t.groups {
		n += int(unsafe.Sizeof(g)+unsafe.Sizeof(pick{})) + 8 + 4*cap(g.key)
		for _, r := range g.rules {
			n += int(unsafe.Sizeof(*r)) + 8 + len(r.term) + len(r.respelling)
		}
	}
	return n
}

// digest sums up all that decides what rules do.
type digest struct{ b []byte }

// newDigest begins with the edition of the rules by which terms are compared.
func newDigest() *digest { return &digest{[]byte("respell 1\n")} }

func (d *digest) add(c *compiled) {
	for _, s := range []string{c.term, c.respelling, c.only.String(), c.except.String()} {
		d.b = binary.AppendUvarint(d.b, uint64(len(s)))
		d.b = append(d.b, s...)
	}
	options := byte(0)
	if c.cased {
		options |= 1
	}
	if c.inWords {
		options |= 2
	}
	d.b = append(d.b, options)
}

func (d *digest) sum() [32]byte { return sha256.Sum256(d.b) }
