package mcp_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// TestLongTitlesShortenThePage has a page whose length the call left open; one that
// names it gets it.
func TestLongTitlesShortenThePage(t *testing.T) {
	t.Parallel()
	all := append(typical(), typical()...)
	for i := range all {
		all[i].Slug += fmt.Sprint("-", i)
		all[i].Title = fmt.Sprintf("%d %s", i, strings.Repeat("बातचीत ", 15))
	}
	url := serveCatalogue(t, newCatalogueServer(t, published(t, all...)))
	seen := map[string]bool{}
	cursor := ""
	for pages := 0; ; pages++ {
		r := callHTTP(t, url, "search_datasets", map[string]any{"cursor": cursor})
		var page struct {
			Count      int
			Datasets   []struct{ Slug string }
			NextCursor string
		}
		if err := json.Unmarshal(r.StructuredContent, &page); err != nil || r.IsError || page.Count != len(all) {
			t.Fatalf("page %d of %d: %s (%v)", pages, page.Count, r.text(), err)
		}
		if n := len(r.text()) + len(r.StructuredContent); n > 6400 || len(page.Datasets) == 0 {
			t.Errorf("page %d has %d datasets and %d bytes, want at most 6,400", pages, len(page.Datasets), n)
		}
		for _, d := range page.Datasets {
			if seen[d.Slug] {
				t.Errorf("%s is on two pages", d.Slug)
			}
			seen[d.Slug] = true
		}
		if cursor = page.NextCursor; cursor == "" {
			break
		}
	}
	if len(seen) != len(all) {
		t.Errorf("the pages have %d datasets, want %d", len(seen), len(all))
	}
	if r := callHTTP(t, url, "search_datasets", map[string]any{"limit": 50}); len(r.text())+len(r.StructuredContent) > 25_600 {
		t.Errorf("a page of 50 is %d bytes, want at most 25,600, under 8,000 tokens", len(r.text())+len(r.StructuredContent))
	}
	r := callHTTP(t, url, "search_datasets", map[string]any{"limit": 20})
	if got := strings.Count(r.text(), "\n"); got != 21 { // a line for each, one for the cursor
		t.Errorf("with a limit of 20 there are %d lines:\n%s", got, r.text())
	}
}
