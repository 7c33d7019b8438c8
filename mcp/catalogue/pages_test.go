package catalogue

import (
	"fmt"
	"strings"
	"testing"

	"vaak/catalogue"
)

// TestPageMemory checks that what is kept is what was asked for, and that what has
// no tag is not kept.
func TestPageMemory(t *testing.T) {
	t.Parallel()
	m := newPageMemory()
	page := func(i int) catalogue.Page {
		slug := fmt.Sprintf("set-%d", i)
		return catalogue.Page{Count: 1, Tag: slug, Datasets: []catalogue.Brief{{Slug: slug, Title: strings.Repeat("x", 200), URL: "https://x.test/catalogue/datasets/" + slug}}}
	}
	for i := range 1000 {
		got, err := m.of(page(i))
		if err != nil || !strings.Contains(string(got.structured), fmt.Sprintf(`"slug":"set-%d"`, i)) || !strings.Contains(got.text, fmt.Sprintf("\nset-%d|", i)) {
			t.Fatalf("page %d = %s, %s, %v", i, got.structured, got.text, err)
		}
		again, _ := m.of(catalogue.Page{Tag: page(i).Tag})
		if string(again.structured) != string(got.structured) || again.text != got.text {
			t.Fatalf("page %d is written a second time", i)
		}
	}
	untagged := page(1)
	untagged.Tag = ""
	if _, err := m.of(untagged); err != nil {
		t.Fatal(err)
	}
	if _, ok := m.Get(""); ok {
		t.Error("a page without a tag is kept")
	}
}
