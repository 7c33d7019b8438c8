package scan

import (
	"slices"
	"strings"
)

// Phrases finds written forms of one or more tokens. They are indexed by their first
// token, so a look costs one map access where none begins.
type Phrases[V any] struct {
	byFirst map[string][]phrase[V] // longest first
}

type phrase[V any] struct {
	text   string
	tokens int
	value  V
}

// Add adds a phrase. When the same text is added twice, the first value stays, so
// callers add in the order of precedence.
func (p *Phrases[V]) Add(text string, v V) {
	toks := Scan(text, nil)
	if len(toks) == 0 {
		return
	}
	if p.byFirst == nil {
		p.byFirst = map[string][]phrase[V]{}
	}
	first := toks[0].In(text)
	list := p.byFirst[first]
	for _, have := range list {
		if have.text == text {
			return
		}
	}
	list = append(list, phrase[V]{text, len(toks), v})
	slices.SortStableFunc(list, func(a, b phrase[V]) int { return len(b.text) - len(a.text) })
	p.byFirst[first] = list
}

// Match returns the longest phrase at token i and how many tokens it takes, 0 when there
// is none. A phrase ends where a token does. A space in a phrase matches any single
// space token, such as a no-break space.
func (p *Phrases[V]) Match(in *View, i int) (v V, n int) {
	if i < 0 || i >= len(in.tokens) || len(p.byFirst) == 0 {
		return v, 0
	}
	in.Step()
	for _, have := range p.byFirst[in.tokens[i].In(in.s)] {
		in.Step()
		if in.stands(i, have.text, have.tokens) {
			return have.value, have.tokens
		}
	}
	return v, 0
}

// stands reports whether a text of so many tokens stands at token i.
func (in *View) stands(i int, text string, tokens int) bool {
	if i+tokens > len(in.tokens) {
		return false
	}
	t, last := in.tokens[i], in.tokens[i+tokens-1]
	if in.s[t.Start:last.End] == text {
		return true
	}
	if !strings.Contains(text, " ") {
		return false
	}
	// The bytes differ, perhaps only in the kind of space: compare word by word.
	for k, want := range strings.Split(text, " ") {
		if k > 0 {
			if i >= len(in.tokens) || in.tokens[i].Kind != Space {
				return false
			}
			i++
		}
		for want != "" {
			if i >= len(in.tokens) || !strings.HasPrefix(want, in.Text(i)) {
				return false
			}
			want = want[len(in.Text(i)):]
			i++
		}
	}
	return true
}

// Token returns the value of a phrase that is one token.
func (p *Phrases[V]) Token(text string) (v V, ok bool) {
	for _, have := range p.byFirst[text] {
		if have.tokens == 1 {
			return have.value, true
		}
	}
	return v, false
}
