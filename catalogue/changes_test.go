package catalogue

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// TestChanges pages through the newest and through the slugs: each dataset comes once, in order,
// also when the last one of a page has gone meanwhile.
func TestChanges(t *testing.T) {
	t.Parallel()
	var entries []Entry
	began := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for i := range 25 {
		status := Published
		if i%5 == 4 {
			status = Retired
		}
		// Several have the same time.
		entries = append(entries, Entry{Status: status, Brief: Brief{Slug: fmt.Sprintf("set-%02d", i*7%25)}, Modified: began.Add(time.Duration(i/3) * time.Hour)})
	}
	c := NewChanges("a", entries)
	if c.Len() != 20 || c.Tag() != "a" {
		t.Fatalf("Len() = %d, Tag() = %q, want 20 and a", c.Len(), c.Tag())
	}
	if want := began.Add(8 * time.Hour); !c.Modified().Equal(want) { // of the one that was retired last
		t.Errorf("Modified() = %v, want %v", c.Modified(), want)
	}
	draft := append(slices.Clone(entries), Entry{Status: Drafted, Modified: began.AddDate(1, 0, 0)})
	if got := NewChanges("a", draft).Modified(); !got.Equal(c.Modified()) {
		t.Errorf("with a new draft Modified() = %v, want %v as before", got, c.Modified())
	}
	if got := NewChanges("a", nil).Modified(); !got.IsZero() {
		t.Errorf("of no dataset Modified() = %v, want zero", got)
	}
	var newest, slugs []string
	var after Change
	for page := c.Newest(after, 3); len(page) > 0; page = c.Newest(after, 3) {
		for _, p := range page {
			if after != (Change{}) && (p.Modified.After(after.Modified) || p.Modified.Equal(after.Modified) && p.Slug <= after.Slug) {
				t.Errorf("%v comes after %v", p, after)
			}
			newest, after = append(newest, p.Slug), p
		}
	}
	for slug, page := "", c.AfterSlug("", 7); len(page) > 0; page = c.AfterSlug(slug, 7) {
		for _, p := range page {
			slugs, slug = append(slugs, p.Slug), p.Slug
		}
	}
	if !slices.IsSorted(slugs) || len(slugs) != 20 {
		t.Errorf("by slug: %v", slugs)
	}
	if slices.Sort(newest); !slices.Equal(newest, slugs) {
		t.Errorf("the newest are %v, by slug there are %v", newest, slugs)
	}
	first := c.Newest(Change{}, 2)
	rest := NewChanges("b", slices.DeleteFunc(entries, func(e Entry) bool { return e.Brief.Slug == first[1].Slug })).Newest(first[1], 1)
	if want := c.Newest(first[1], 1); rest[0] != want[0] {
		t.Errorf("after one that is gone: %v, want %v", rest, want)
	}
	if got := c.BySlug(18, 50); len(got) != 2 || len(c.BySlug(99, 1)) != 0 {
		t.Errorf("BySlug at the end = %v", got)
	}
}
