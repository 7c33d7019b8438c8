package catalogue

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"

	"vaak/lang"
)

// list returns the page for a selection.
func (x *index) list(s selection) Page {
	// Several tags may be one word, so there may be more terms than were counted; all are then words.
	if terms := termsOf(s.Q, x.speaks); len(terms) <= MaxTerms {
		s.take(terms)
	}
	memory := x.scratch.Get().(*scratch)
	defer func() {
		memory.used = 0
		x.scratch.Put(memory)
	}()
	c := x.choose(s, memory)
	var best *ranking
	if s.Sort == ByRelevance && (len(s.terms) > 0 || s.Similar != "") {
		// One more than the page shows that there is another page.
		best = &ranking{limit: s.Limit + 1}
		if s.after != nil {
			best.after, best.from, best.follows = s.after.score, x.after(hoursOrder, s.after.key), true
		}
	}
	x.fitting(s, &c, best)
	m := c.all(-1)
	page := Page{Count: m.count(), Tag: x.tagFor(s)}
	if s.Similar != "" && best != nil {
		x.rankAlike(s, m, best)
	}
	sum := int64(x.centihours.sum(m))
	page.TotalHours, page.Centihours = int((sum+50)/100), sum
	at := x.page(s, m, best)
	page.Datasets = make([]Brief, 0, min(len(at), s.Limit))
	for _, r := range at[:min(len(at), s.Limit)] {
		b := x.listed[r.at].brief()
		x.at.brief(&b)
		page.Datasets = append(page.Datasets, b)
	}
	if len(at) > s.Limit {
		last := at[s.Limit-1]
		page.Next = cursor{int(last.score), s.Sort.order().keyOf(x.listed[last.at]), s.asked}.String()
	}
	if s.Facets {
		page.Facets = x.facets(c, m)
	}
	return page
}

// speaks reports whether a tag is true of the main language of any dataset.
func (x *index) speaks(tag lang.Tag) bool {
	return slices.ContainsFunc(x.tongues, func(s spoken) bool { return s.is(tag) })
}

// page returns the datasets of a page in their order, plus one more if there is a next page.
func (x *index) page(s selection, m bitset, best *ranking) []ranked {
	if best != nil {
		return best.sorted()
	}
	o, from := s.Sort.order(), 0
	if s.after != nil {
		from = x.after(o, s.after.key)
	}
	most := s.Limit + 1
	out := make([]ranked, 0, min(most, 64))
	if o == hoursOrder {
		for i := range m.from(from) {
			if len(out) == most {
				break
			}
			out = append(out, ranked{at: uint32(i)})
		}
		return out
	}
	for place := from; place < len(x.listed) && len(out) < most; place++ {
		if at := x.sorted[o][place]; m.has(int(at)) {
			out = append(out, ranked{at: at})
		}
	}
	return out
}

// ranked is a dataset with its score.
type ranked struct{ score, at uint32 }

// before reports whether a comes before b: the greater score, then the lower position.
func (a ranked) before(b ranked) bool { return a.score > b.score || a.score == b.score && a.at < b.at }

// ranking is the best of the datasets that it was offered.
type ranking struct {
	limit   int
	follows bool // of a page that ended at:
	after   int  // the score
	from    int  // the first position behind it

	heap []ranked // the worst first
}

// least returns the score that a dataset at a higher position than all before must have more
// than; false if any will do.
func (r *ranking) least() (uint32, bool) {
	if len(r.heap) < r.limit {
		return 0, false
	}
	return r.heap[0].score, true
}

// offer takes a dataset in if it is among the best so far and after the last page.
func (r *ranking) offer(d ranked) {
	if r.follows && (int(d.score) > r.after || int(d.score) == r.after && int(d.at) < r.from) {
		return // on an earlier page
	}
	h := r.heap
	if len(h) < r.limit {
		h = append(h, d)
		for i := len(h) - 1; i > 0; {
			up := (i - 1) / 2
			if !h[up].before(h[i]) {
				break
			}
			h[up], h[i] = h[i], h[up]
			i = up
		}
		r.heap = h
		return
	}
	if !d.before(h[0]) {
		return
	}
	h[0] = d
	for i := 0; ; {
		worst := i
		for _, down := range [2]int{2*i + 1, 2*i + 2} {
			if down < len(h) && h[worst].before(h[down]) {
				worst = down
			}
		}
		if worst == i {
			return
		}
		h[i], h[worst] = h[worst], h[i]
		i = worst
	}
}

// sorted returns the datasets, the best first.
func (r *ranking) sorted() []ranked {
	slices.SortFunc(r.heap, func(a, b ranked) int {
		if a.before(b) {
			return -1
		}
		return 1
	})
	return r.heap
}

// tagFor returns a tag for the answer to a selection in the current state of the records.
func (x *index) tagFor(s selection) string {
	text, _ := json.Marshal(s.Query) // NaN was refused: it cannot fail
	h := sha256.New()
	h.Write([]byte(x.tag))
	h.Write(text)
	return hex.EncodeToString(h.Sum(nil)[:12])
}
