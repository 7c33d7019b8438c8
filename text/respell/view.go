package respell

import (
	"sync/atomic"

	"vaak/lang"
)

// view is a dictionary as requests in one language see it: which rule of each key
// is in scope.
type view struct {
	request lang.Tag
	how     folding // of the rules that ignore case
	forms   [2]choice
}

// choice says which rules of a trie are in scope.
type choice struct {
	*trie
	picks []pick // of each group
	// Of the groups before each, and of all at the end: how many have a rule for
	// whole words, and how many one that matches inside words too.
	whole, inside []int32
}

// pick holds the rules of a key that are in scope: the first for whole words and the
// first that matches inside words too. One of them may be nil.
type pick struct{ whole, inside *compiled }

// views caches the last view of a dictionary, because most requests of an organisation are
// in one language.
type views struct{ last atomic.Pointer[view] }

// view returns the dictionary as a request sees it.
func (d *Dictionary) view(request lang.Tag) *view {
	how := foldingOf(request)
	// Without scopes the view is the same for every language, so all requests share one.
	if request = written(request); !d.scoped {
		request = lang.Tag{}
	}
	if v := d.views.last.Load(); v != nil && v.request == request && v.how == how {
		return v
	}
	v := &view{request: request, how: how}
	v.forms[asCased] = d.cased.choose(request)
	if how == turkic {
		v.forms[asFolded] = d.turkic().choose(request)
	} else {
		v.forms[asFolded] = d.folded.choose(request)
	}
	// Two requests may make the same view at once; one of the two is dropped, which does no harm.
	d.views.last.Store(v)
	return v
}

// choose picks the rules that are in scope of a request.
func (t *trie) choose(request lang.Tag) choice {
	n := len(t.groups)
	c := choice{t, make([]pick, n), make([]int32, n+1), make([]int32, n+1)}
	for i, g := range t.groups {
		var p pick
		for _, r := range g.rules {
			if !r.applies(request) {
				continue
			}
			if of := p.of(r.inWords); r.before(*of) {
				*of = r
			}
		}
		c.picks[i] = p
		c.whole[i+1], c.inside[i+1] = c.whole[i], c.inside[i]
		if p.whole != nil {
			c.whole[i+1]++
		}
		if p.inside != nil {
			c.inside[i+1]++
		}
	}
	return c
}

func (p *pick) of(inWords bool) **compiled {
	if inWords {
		return &p.inside
	}
	return &p.whole
}

// live reports whether a rule in scope can be reached through a node: any, or only one
// that matches inside words.
func (c *choice) live(n *node, word bool) bool {
	return c.inside[n.lo] < c.inside[n.hi] || word && c.whole[n.lo] < c.whole[n.hi]
}
