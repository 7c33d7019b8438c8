package respell

import "golang.org/x/text/unicode/norm"

// beginning is a cell at which matches may begin. Whether a word begins there is
// computed only when a rule asks for it.
type beginning struct {
	cell    int
	tested  bool
	after   int // as words.begins returns it
	certain bool
}

// word reports whether whole words may begin at the cell.
func (b *beginning) word(w *words) bool {
	if !b.tested {
		b.after, b.certain = w.begins(b.cell)
		b.tested = true
	}
	return b.after != nowhere
}

// begins reports whether one of the rules may begin at a place.
func (p pick) begins(b *beginning, w *words) bool {
	return p.inside != nil || p.whole != nil && b.word(w)
}

// follow looks up the text from a cell on in a trie and collects where keys end. It
// returns false when the text ends before that is certain.
func (f *search) follow(c *choice, form int, b *beginning, limit int) bool {
	last := f.len()
	if f.open {
		last-- // the last cluster may get more marks
	}
	at, units := int32(0), f.units[form]
	for i := b.cell; i < limit; i++ {
		if i == last {
			return !f.leads(c, form, b, at)
		}
		u, stop := f.list[i].unit[form], f.list[i+1].unit[form]
		if i == b.cell {
			if at = f.enter(c, units[u:stop], b); at == 0 {
				return true
			}
			u++
		} else if u == stop {
			continue // a match does not end with ignored characters
		}
		for ; u < stop; u++ {
			f.steps++
			if at = c.child(&c.nodes[at], units[u]); at == 0 {
				return true
			}
		}
		if n := &c.nodes[at]; n.ends && c.picks[n.lo].begins(b, &f.words) {
			f.keys[form] = append(f.keys[form], ending{i + 1, c.picks[n.lo]})
		}
	}
	return true
}

// enter returns the node to which the first code point of a cell leads, or 0 when no
// rule in scope can begin there.
func (f *search) enter(c *choice, units []rune, b *beginning) int32 {
	f.steps++
	if len(units) == 0 {
		return 0
	}
	at := c.root(units[0])
	if at == 0 {
		return 0
	}
	n := &c.nodes[at]
	if !c.live(n, true) || !c.live(n, false) && !b.word(&f.words) {
		return 0
	}
	return at
}

// leads reports whether a rule in scope goes on from a node with the last cluster of
// the text, or with what that becomes when marks follow.
func (f *search) leads(c *choice, form int, b *beginning, at int32) bool {
	cell := f.len() - 1
	units := f.of(cell, form)
	digit := b.cell == cell && '0' <= f.list[cell].base && f.list[cell].base <= '9' // it may become a key cap
	word := digit || b.word(&f.words)
	fixed := len(units) > 0 && norm.NFD.PropertiesString(string(units[0])).CCC() == 0 // no mark may come before it
	for _, kid := range c.children(&c.nodes[at]) {
		if (!fixed || base(kid.label) == base(units[0])) && c.live(&kid, word) {
			return true
		}
	}
	return false
}
