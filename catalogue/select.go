package catalogue

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"vaak/internal/fault"
)

// selection is a query that passed its checks.
type selection struct {
	Query
	terms []string // the words of Q; see termsOf
	least int      // how many of terms must fit
	tags  []string // Languages, folded
	after *cursor
}

// check returns the selection for a query, or the first thing that is wrong with the query.
func (q Query) check() (selection, error) {
	s := selection{Query: q}
	if n := utf8.RuneCountInString(q.Q); n > MaxQuery {
		return s, fault.BadParameter("q", "q has %d characters; at most %d are allowed", n, MaxQuery)
	}
	if !utf8.ValidString(q.Q) {
		return s, fault.BadParameter("q", "q is not valid UTF-8")
	}
	s.terms = termsOf(q.Q)
	if s.least = leastTerms(len(s.terms)); q.Whole || len(strings.Fields(q.Q)) == 1 {
		s.least = len(s.terms) // one word without spaces, such as a part of a slug
	}
	if len(s.terms) > MaxTerms {
		return s, fault.BadParameter("q", "q has %d different words; at most %d are allowed", len(s.terms), MaxTerms)
	}
	if len(q.Languages) > MaxLanguages {
		return s, fault.BadParameter("language", "%d languages were given; at most %d are allowed", len(q.Languages), MaxLanguages)
	}
	for _, l := range q.Languages {
		s.tags = append(s.tags, fold(strings.TrimSpace(l)))
	}
	if err := oneOf("channels", q.Channels, Dual, Mono); err != nil {
		return s, err
	}
	if err := oneOf("collection", q.Collection, CallCentre, GeneralConversation); err != nil {
		return s, err
	}
	if math.IsNaN(q.MinHours) || q.MinHours < 0 || math.IsInf(q.MinHours, 0) {
		return s, fault.BadParameter("min_hours", "min_hours is a number from 0 up; %v was sent", q.MinHours)
	}
	if q.Limit < 0 || q.Limit > MaxPage {
		return s, fault.BadParameter("limit", "limit %d is outside 1 to %d", q.Limit, MaxPage)
	}
	if s.Limit == 0 {
		s.Limit = MaxPage
	}
	var err error
	s.after, err = s.continued()
	return s, err
}

func oneOf(field, value string, allowed ...string) error {
	if value == "" || slices.Contains(allowed, value) {
		return nil
	}
	return fault.BadParameter(field, "%s is %s; %.40q was sent", field, strings.Join(allowed, " or "), value)
}

// filters are conditions of a query that have a facet of their own.
type filters int

const (
	byLanguage filters = 1 << iota
	byChannels
	byCollection
)

// matches returns the datasets of a selection, ignoring the given filters.
func (x *index) matches(s selection, without filters) bitset {
	m := newBitset(len(x.briefs))
	// The list is sorted by hours, so this filter is a prefix of it.
	m.fill(x.atLeast(s.MinHours))
	if len(s.tags) > 0 && without&byLanguage == 0 {
		m.and(x.spoken(s.tags))
	}
	if s.Channels != "" && without&byChannels == 0 {
		m.and(x.with(x.channels, s.Channels))
	}
	if s.Collection != "" && without&byCollection == 0 {
		m.and(x.with(x.collection, s.Collection))
	}
	if s.Sample {
		m.and(x.sample)
	}
	if s.Transcribed {
		m.and(x.transcribed)
	}
	if len(s.terms) > 0 {
		m.and(x.mostOf(s.terms, s.least))
	}
	if strings.TrimSpace(s.Q) != "" && len(s.terms) == 0 {
		m.cut(0) // Q has only punctuation, which finds nothing
	}
	return m
}

func (x *index) with(sets map[string]bitset, value string) bitset {
	if b, ok := sets[value]; ok {
		return b
	}
	return newBitset(len(x.briefs))
}

// spoken returns the datasets in any of the languages.
func (x *index) spoken(tags []string) bitset {
	b := newBitset(len(x.briefs))
	for i := range x.languages {
		if l := &x.languages[i]; slices.ContainsFunc(tags, l.matches) {
			b.or(l.in)
		}
	}
	return b
}

// matches reports whether a folded name, code or language range means l. A range matches all tags
// that begin with it (RFC 4647, basic filtering).
func (l *language) matches(name string) bool {
	return slices.Contains(l.keys, name) || l.tag == name ||
		strings.HasPrefix(l.tag, name) && len(name) > 0 && l.tag[len(name)] == '-'
}

// hours returns the sum of the hours in m, in hundredths.
func (x *index) hours(m bitset) (sum int64) {
	for at := range m.from(0) {
		sum += x.centihours[at]
	}
	return sum
}
