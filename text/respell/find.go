package respell

import (
	"slices"

	"vaak/lang"
	"vaak/text"
)

// found is a match by the cells that it covers.
type found struct {
	start, end int
	rule       *compiled
}

// search finds the rules of one dictionary after another in a text.
type search struct {
	words
	request  lang.Tag
	taken    []found     // matches of the dictionaries before, ascending
	horizon  int         // the first cell at which a match depends on text that may follow
	keys     [2][]ending // the keys of each form that begin at one cell, ascending
	steps    int         // code points that were looked up in a trie
	patience int         // steps after which the prospects of a dictionary are computed
}

// ending is a place where a key ends.
type ending struct {
	end int // cell behind it
	pick
}

// newSearch cuts a text for the dictionaries, or returns nil when they have no rules.
func newSearch(s string, ds Dictionaries, request lang.Tag, open bool) *search {
	var wanted [2]bool
	for _, d := range ds {
		// Only the forms of the text that some dictionary needs are made.
		wanted[asCased] = wanted[asCased] || len(d.cased.groups) > 0
		wanted[asFolded] = wanted[asFolded] || len(d.folded.groups) > 0
	}
	if s == "" || !wanted[asCased] && !wanted[asFolded] {
		return nil
	}
	w := words{cells: cut(s, foldingOf(request), wanted), request: request.Code, open: open}
	return &search{words: w, request: request, horizon: w.len(), patience: tooFar * (w.len() + MaxTerm)}
}

// Find returns where rules apply to a text, in ascending order and without overlap.
// Request is the language that the scope of rules refers to; the text may be in another
// one. The time for each character is at most in proportion to the longest term that
// begins like the text there, however many rules there are.
func (ds Dictionaries) Find(s string, request lang.Tag) []Match {
	f := newSearch(s, ds, request, false)
	if f == nil {
		return nil
	}
	return f.closed(ds)
}

// closed returns the matches of dictionaries in a text to which nothing is added.
func (f *search) closed(ds Dictionaries) []Match {
	for _, d := range ds {
		f.apply(d, 0)
	}
	return f.matches()
}

// matches returns those that were taken.
func (f *search) matches() []Match {
	if len(f.taken) == 0 {
		return nil
	}
	ms := make([]Match, len(f.taken))
	for i, m := range f.taken {
		ms[i] = Match{text.Span{Start: f.byteAt(m.start), End: f.byteAt(m.end)}, m.rule.respelling, m.rule.index}
	}
	return ms
}

func (f *search) byteAt(cell int) int { return int(f.list[cell].start) }

// apply adds the matches of a dictionary, from a cell on and from left to right, to
// those of the dictionaries before. In a text that may continue it stops at the first
// cell whose match is not certain; that cell becomes the horizon.
func (f *search) apply(d *Dictionary, from int) {
	v := d.view(f.request)
	var add []found
	next := 0 // of those taken
	hope := prospects{steps: f.steps + f.patience}
	for c := from; c < f.horizon; {
		// What an earlier dictionary has replaced is not searched again, and no match may reach
		// into it.
		for next < len(f.taken) && f.taken[next].end <= c {
			next++
		}
		limit := f.len()
		if next < len(f.taken) {
			if limit = f.taken[next].start; limit <= c {
				c = f.taken[next].end
				continue
			}
		}
		if hope.hopeless(f, v, c) {
			c++
			continue
		}
		m, certain := f.match(v, c, limit)
		switch {
		case !certain:
			// Ends the loop: where the next match may begin depends on this one.
			f.horizon = c
		case m.rule != nil:
			add = append(add, m)
			c = m.end
		default:
			c++
		}
	}
	if len(add) > 0 {
		f.taken = append(f.taken, add...)
		slices.SortFunc(f.taken, func(a, b found) int { return a.start - b.start })
	}
}

// match returns the match that begins at cell c and ends at limit or before; its rule is
// nil when there is none. When certain is false, the text after it decides.
func (f *search) match(v *view, c, limit int) (m found, certain bool) {
	if f.list[c].base == ' ' {
		return found{}, true // no term begins with white space
	}
	begin := beginning{cell: c}
	for form := range v.forms {
		f.keys[form] = f.keys[form][:0]
		if len(v.forms[form].groups) > 0 && !f.follow(&v.forms[form], form, &begin, limit) {
			return found{}, false
		}
	}
	for {
		// Longest first: a shorter key has its turn only if no rule of a longer one passes the
		// test of words.
		end, picks := f.longest()
		if end == 0 {
			return found{}, true
		}
		r, known := f.best(&begin, end, picks)
		if r != nil || !known {
			return found{c, end, r}, known && end <= f.horizon
		}
	}
}

// longest takes the longest keys from those that were found: in one form or both.
func (f *search) longest() (end int, picks [2]pick) {
	for _, keys := range f.keys {
		if n := len(keys); n > 0 {
			end = max(end, keys[n-1].end)
		}
	}
	for form, keys := range f.keys {
		if n := len(keys); n > 0 && keys[n-1].end == end {
			picks[form] = keys[n-1].pick
			f.keys[form] = keys[:n-1]
		}
	}
	return end, picks
}

// best returns the first in order of the rules that end at one place and pass the test
// of whole words, or nil. When it is not certain, what follows decides.
func (f *search) best(b *beginning, end int, picks [2]pick) (r *compiled, certain bool) {
	inside := first(picks[asCased].inside, picks[asFolded].inside)
	whole := first(picks[asCased].whole, picks[asFolded].whole)
	// The test of words is slow, so it is made only where its result decides.
	if whole == nil || !whole.before(inside) {
		return inside, true
	}
	if !b.word(&f.words) || end <= b.after {
		return inside, true
	}
	switch c := f.ends(b.cell, end); {
	case c == no:
		return inside, true
	case c == unknown || !b.certain:
		return nil, false
	}
	return whole, true
}

// first returns the rule that comes first in order of two that may be nil.
func first(a, b *compiled) *compiled {
	if a != nil && a.before(b) {
		return a
	}
	return b
}
