package respell

import (
	"slices"
	"sync"
	"unicode/utf8"
)

// trie finds rules by their keys, code point by code point. Its groups are in the order of
// their keys, so the groups below a node are a range.
type trie struct {
	nodes  []node // the root is the first
	ascii  [utf8.RuneSelf]int32
	groups []group
	links  func() []link // of the nodes, made when texts need them
}

// node is a place in a trie.
type node struct {
	label  rune  // that leads here
	kids   int32 // the first of its children, which are ascending
	n      int32 // number of children
	lo, hi int32 // the groups with keys that lead through here
	ends   bool  // the key of group lo leads just here
}

// group holds the rules of one key, earlier ones first.
type group struct {
	key   []rune // while the trie is built
	rules []*compiled
}

// newTrie builds a trie of rules by a key of theirs; rules without a key are left out.
func newTrie(rules []*compiled, key func(*compiled) []rune) *trie {
	t := &trie{groups: make([]group, 0, len(rules))}
	for _, r := range rules {
		if k := key(r); len(k) > 0 {
			t.groups = append(t.groups, group{k, []*compiled{r}})
		}
	}
	slices.SortStableFunc(t.groups, func(a, b group) int { return slices.Compare(a.key, b.key) })
	distinct := t.groups[:0]
	for _, g := range t.groups {
		if n := len(distinct); n > 0 && slices.Equal(distinct[n-1].key, g.key) {
			distinct[n-1].rules = append(distinct[n-1].rules, g.rules...)
			continue
		}
		distinct = append(distinct, g)
	}
	clear(t.groups[len(distinct):])
	t.groups = distinct

	n, last := 1, []rune(nil)
	for _, g := range t.groups {
		n += len(g.key) - common(last, g.key)
		last = g.key
	}
	t.nodes = make([]node, 1, n)
	t.nodes[0].hi = int32(len(t.groups))
	t.grow(0, 0)
	t.links = sync.OnceValue(t.makeLinks)
	for i := range t.groups {
		t.groups[i].key = nil // the nodes have it
	}
	for _, kid := range t.children(&t.nodes[0]) {
		if kid.label < utf8.RuneSelf {
			t.ascii[kid.label] = t.child(&t.nodes[0], kid.label)
		}
	}
	return t
}

// common returns how many code points two keys have in common from the start.
func common(a, b []rune) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// grow gives the node, to which depth code points lead, its children and theirs.
func (t *trie) grow(at int32, depth int) {
	lo, hi := t.nodes[at].lo, t.nodes[at].hi
	if lo < hi && len(t.groups[lo].key) == depth {
		t.nodes[at].ends = true
		lo++
	}
	first := int32(len(t.nodes))
	t.nodes[at].kids = first
	for lo < hi {
		label, from := t.groups[lo].key[depth], lo
		for lo < hi && t.groups[lo].key[depth] == label {
			lo++
		}
		t.nodes = append(t.nodes, node{label: label, lo: from, hi: lo})
	}
	t.nodes[at].n = int32(len(t.nodes)) - first
	for i := range t.nodes[at].n {
		t.grow(first+i, depth+1)
	}
}

func (t *trie) children(n *node) []node { return t.nodes[n.kids : n.kids+n.n] }

// child returns the node to which a code point leads from n, or 0.
func (t *trie) child(n *node, r rune) int32 {
	lo, hi := n.kids, n.kids+n.n
	for hi-lo > 4 {
		mid := (lo + hi) / 2
		switch label := t.nodes[mid].label; {
		case label == r:
			return mid
		case label < r:
			lo = mid + 1
		default:
			hi = mid
		}
	}
	for i, kid := range t.nodes[lo:hi] {
		if kid.label == r {
			return lo + int32(i)
		}
	}
	return 0
}

// root returns the node to which a code point leads from the root, or 0.
func (t *trie) root(r rune) int32 {
	if 0 <= r && r < utf8.RuneSelf {
		return t.ascii[r]
	}
	return t.child(&t.nodes[0], r)
}
