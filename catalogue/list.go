package catalogue

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
)

// list returns the page for a selection.
func (x *index) list(s selection) Page {
	m := x.matches(s, 0)
	page := Page{Count: m.count(), Tag: x.tagFor(s)}
	sum := int64(0)
	if page.Count == x.atLeast(s.MinHours) {
		sum = x.before[page.Count] // only MinHours selects, so the matches are the first positions
	} else {
		sum = x.hours(m)
	}
	page.TotalHours, page.Centihours = int((sum+50)/100), sum
	at, scores := x.page(s, m)
	page.Datasets = make([]Brief, 0, min(len(at), s.Limit))
	for _, i := range at[:min(len(at), s.Limit)] {
		b := x.briefs[i]
		x.at.brief(&b)
		page.Datasets = append(page.Datasets, b)
	}
	if len(at) > s.Limit {
		last := at[s.Limit-1]
		page.Next = cursor{scores(last), keyOf(x.briefs[last]), s.digest()}.String()
	}
	if s.Facets {
		page.Facets = x.facets(s, m)
	}
	return page
}

// page returns the positions of a page, plus one more if there is a next page, and the function
// that scores positions.
func (x *index) page(s selection, m bitset) ([]int, func(int) int) {
	// One more than the page shows that there is another page.
	most := s.Limit + 1
	if len(s.terms) == 0 {
		from := 0
		if s.after != nil {
			from = x.after(s.after.key)
		}
		return take(m, from, most), func(int) int { return 0 }
	}
	score := x.scorer(s.terms)
	from := 0
	if s.after != nil {
		from = x.after(s.after.key)
	}
	// The best score first, and by position within a score: one list for each score.
	byScore := make([][]int, (int(tiers)*len(s.terms)+1)*(len(s.terms)+1))
	for i := range m.from(0) {
		n := score(i)
		// On an earlier page already.
		if s.after != nil && (n > s.after.score || n == s.after.score && i < from) {
			continue
		}
		if len(byScore[n]) < most {
			byScore[n] = append(byScore[n], i)
		}
	}
	slices.Reverse(byScore)
	out := slices.Concat(byScore...)
	return out[:min(len(out), most)], score
}

// take returns up to n positions of m, beginning with from.
func take(m bitset, from, n int) []int {
	out := make([]int, 0, min(n, 64))
	for i := range m.from(from) {
		if len(out) == n {
			break
		}
		out = append(out, i)
	}
	return out
}

// scorer returns a function that says how well a position fits the terms. More terms that fit
// always count more; with equally many, those that fit in a better field.
func (x *index) scorer(terms []string) func(int) int {
	where := make([]*found, len(terms))
	for i, term := range terms {
		where[i] = x.find(term)
	}
	perTerm := int(tiers)*len(terms) + 1 // more than the fields of all terms together can add
	return func(i int) (sum int) {
		for _, f := range where {
			if n := f.score(i); n > 0 {
				sum += perTerm + n
			}
		}
		return sum
	}
}

// tagFor returns a tag for the answer to a selection in the current state of the records.
func (x *index) tagFor(s selection) string {
	q := s.Query
	q.Q, q.Whole = strings.Join(s.terms, " "), s.least == len(s.terms)
	text, _ := json.Marshal(q) // NaN was refused: it cannot fail
	h := sha256.New()
	h.Write([]byte(x.tag))
	h.Write(text)
	return hex.EncodeToString(h.Sum(nil)[:12])
}
