package normalize

import (
	"slices"
	"strings"
)

// phrases finds written forms of one or more tokens. They are indexed by their
// first token, so that looking costs a map access where none begins.
type phrases[V any] struct {
	byFirst map[string][]phrase[V] // longest first
}

type phrase[V any] struct {
	text   string
	tokens int
	value  V
}

// add puts a phrase in; of equal texts the first stays.
func (p *phrases[V]) add(text string, v V) {
	toks := scan(text, nil)
	if len(toks) == 0 {
		return
	}
	if p.byFirst == nil {
		p.byFirst = map[string][]phrase[V]{}
	}
	first := toks[0].in(text)
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

// match returns the longest phrase at a token and how many tokens it takes, 0
// when there is none. A phrase ends where a token does; a plain space in it
// stands for any space that is one token.
func (p *phrases[V]) match(c *cursor, i int) (v V, n int) {
	if i >= len(c.toks) || len(p.byFirst) == 0 {
		return v, 0
	}
	c.steps++
	for _, have := range p.byFirst[c.toks[i].in(c.s)] {
		c.steps++
		if c.stands(i, have.text, have.tokens) {
			return have.value, have.tokens
		}
	}
	return v, 0
}

// stands says whether a text of so many tokens stands at a token.
func (c *cursor) stands(i int, text string, tokens int) bool {
	if i+tokens > len(c.toks) {
		return false
	}
	t, last := c.toks[i], c.toks[i+tokens-1]
	if c.s[t.start:last.end] == text {
		return true
	}
	if !strings.Contains(text, " ") {
		return false
	}
	for k, want := range strings.Split(text, " ") {
		if k > 0 {
			if i >= len(c.toks) || c.toks[i].kind != space {
				return false
			}
			i++
		}
		for want != "" {
			if i >= len(c.toks) || !strings.HasPrefix(want, c.text(i)) {
				return false
			}
			want = want[len(c.text(i)):]
			i++
		}
	}
	return true
}
