package catalogue

import (
	"cmp"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"
)

// Change is a listed dataset with the time at which its record last changed.
type Change struct {
	Slug     string
	Modified time.Time // UTC, in whole seconds; the beginning of 1970 if it is not known
}

// Changes is the published datasets at one moment, for readers that look at all of them or at what
// is new, such as crawlers. Safe for concurrent use.
type Changes struct {
	tag      string
	length   int
	modified int64           // Unix; 0 if it is not known
	bySlug   func() []change // sorted by slug
	newest   func() []int32  // positions in bySlug, most recently modified first
}

// change is a [Change] in less memory: there may be a million.
type change struct {
	slug    string
	seconds int64 // Unix
}

func (c change) open() Change { return Change{c.slug, time.Unix(c.seconds, 0).UTC()} }

// NewChanges returns the changes among entries: those that are published. Tag names this state of
// the catalogue.
func NewChanges(tag string, entries []Entry) *Changes {
	var all []change
	for _, e := range entries {
		if e.Status == Published {
			all = append(all, change{e.Brief.Slug, e.Modified.Unix()})
		}
	}
	return newChanges(tag, lastChange(entries), all)
}

// lastChange returns when readers may last have seen a change, in Unix seconds. A dataset that is
// no longer listed counts: the moment it left is the time of its last change. A draft does not,
// because it never was listed.
func lastChange(entries []Entry) (seconds int64) {
	for _, e := range entries {
		if e.Status != Drafted {
			seconds = max(seconds, e.Modified.Unix())
		}
	}
	return seconds
}

// newChanges returns the changes in all, which it may reorder. They are sorted when somebody first
// asks for an order: most changes of the catalogue are not followed, and many readers need only the
// tag.
func newChanges(tag string, modified int64, all []change) *Changes {
	bySlug := sync.OnceValue(func() []change {
		slices.SortFunc(all, func(a, b change) int { return strings.Compare(a.slug, b.slug) })
		return all
	})
	return &Changes{tag: tag, length: len(all), modified: modified, bySlug: bySlug, newest: sync.OnceValue(func() []int32 {
		sorted := bySlug()
		order := make([]int32, len(sorted))
		for i := range order {
			order[i] = int32(i)
		}
		slices.SortFunc(order, func(a, b int32) int { return compareChanges(sorted[a], sorted[b]) })
		return order
	})}
}

// lastChange returns the same of all entries of the library. It goes through them.
func (l *library) lastChange() (seconds int64) {
	for _, k := range l.entries {
		if k.status != Drafted {
			seconds = max(seconds, k.modified)
		}
	}
	return seconds
}

// listChanges returns the changes of the list. modified has the Unix time of the last change of all.
func (x *index) listChanges(modified int64) *Changes {
	all := make([]change, len(x.listed))
	for i, k := range x.listed {
		all[i] = change{k.slug(), max(k.modified, 0)}
	}
	return newChanges(x.tag, modified, all)
}

// compareChanges sorts the most recently modified first. Slugs make the order total.
func compareChanges(a, b change) int {
	return cmp.Or(cmp.Compare(b.seconds, a.seconds), strings.Compare(a.slug, b.slug))
}

// Changes returns the published datasets of now.
func (s *Service) Changes() *Changes { return s.current.Load().changes() }

// Tag returns the tag of [Service.Changes].
func (s *Service) Tag() string { return s.current.Load().tag }

// Tag changes whenever any record may have changed.
func (c *Changes) Tag() string { return c.tag }

// Len returns how many datasets are published.
func (c *Changes) Len() int { return c.length }

// Modified returns when the published datasets last changed, in whole seconds of UTC: when one of
// them was published or changed, or when one was suspended or retired. It is zero if that is not
// known.
func (c *Changes) Modified() time.Time {
	if c.modified <= 0 {
		return time.Time{}
	}
	return time.Unix(c.modified, 0).UTC()
}

// BySlug returns up to n datasets in the order of their slugs, beginning at a position from 0.
func (c *Changes) BySlug(from, n int) []Change {
	all := c.bySlug()
	from = min(max(from, 0), len(all))
	part := all[from:min(from+n, len(all))]
	out := make([]Change, len(part))
	for i, p := range part {
		out[i] = p.open()
	}
	return out
}

// AfterSlug returns up to n datasets whose slug is greater than slug, in the order of slugs; "" is
// less than all.
func (c *Changes) AfterSlug(slug string, n int) []Change {
	all := c.bySlug()
	return c.BySlug(sort.Search(len(all), func(i int) bool { return all[i].slug > slug }), n)
}

// Newest returns up to n datasets, the most recently modified first, that come after the given one
// in this order; the zero Change comes before all. The given one need not be there any more.
func (c *Changes) Newest(after Change, n int) []Change {
	all, order, from := c.bySlug(), c.newest(), 0
	if after != (Change{}) {
		last := change{after.Slug, after.Modified.Unix()}
		from = sort.Search(len(order), func(i int) bool { return compareChanges(all[order[i]], last) > 0 })
	}
	out := make([]Change, 0, min(n, len(order)-from))
	for _, i := range order[from:min(from+n, len(order))] {
		out = append(out, all[i].open())
	}
	return out
}
