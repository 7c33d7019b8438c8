package respell

// link extends a node of a trie for reading a text in one pass, by the algorithm of Aho
// and Corasick (Efficient string matching, 1975).
type link struct {
	fail  int32  // the node of the longest proper suffix of the path to this node
	depth uint16 // code points that lead here
	ends  bool   // the path to this node, or a suffix of it, is a key
}

// makeLinks returns the links of all nodes.
func (t *trie) makeLinks() []link {
	links := make([]link, len(t.nodes))
	nodes := make([]int32, 1, len(t.nodes)) // nearer ones first
	for i := 0; i < len(nodes); i++ {
		at := nodes[i]
		n := &t.nodes[at]
		for k := n.kids; k < n.kids+n.n; k++ {
			// The fail node is nearer to the root, so its own link is there already.
			if at != 0 {
				links[k].fail = t.step(links, links[at].fail, t.nodes[k].label)
			}
			links[k].depth = links[at].depth + 1
			links[k].ends = t.nodes[k].ends || links[links[k].fail].ends
			nodes = append(nodes, k)
		}
	}
	return links
}

// step returns the node to which the longest ending of the way to a node and of a code
// point behind it leads.
func (t *trie) step(links []link, at int32, r rune) int32 {
	for at != 0 {
		if next := t.child(&t.nodes[at], r); next != 0 {
			return next
		}
		at = links[at].fail
	}
	return t.root(r)
}

// tooFar is the number of look-ups for each cell of a text from which on it is faster to
// find the beginnings of keys in one pass over the text.
const tooFar = 4

// prospects knows at which cells of a text keys of a dictionary may begin. It is computed
// only when a search has spent many steps on keys that did not match.
type prospects struct {
	steps int    // of the search from which on they are known
	may   []bool // of each cell
}

// hopeless reports whether no key begins at a cell for certain.
func (p *prospects) hopeless(f *search, v *view, cell int) bool {
	if p.may == nil {
		if f.steps < p.steps {
			return false
		}
		p.may = make([]bool, f.len())
		for form := range v.forms {
			if t := v.forms[form].trie; len(t.groups) > 0 {
				p.mark(f, t, form)
			}
		}
	}
	return !p.may[cell]
}

// mark marks the cells at which keys of a trie may begin, and those from which the text
// leads up to its last cluster if that may go on.
func (p *prospects) mark(f *search, t *trie, form int) {
	links := t.links()
	at, first := int32(0), 0
	reach := func(u int32, last int) { // a way to the node ends before code point u in a cell
		for f.list[first].unit[form] < u-int32(links[at].depth) {
			first++
		}
		for ; first <= last; first++ {
			p.may[first] = true
		}
	}
	for i := range f.len() {
		u, stop := f.list[i].unit[form], f.list[i+1].unit[form]
		if f.open && i == f.len()-1 {
			reach(u, i)
		}
		for ; u < stop; u++ {
			if at = t.step(links, at, f.units[form][u]); links[at].ends {
				reach(u+1, i)
			}
		}
	}
}
