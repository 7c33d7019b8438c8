package catalogue

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"vaak/catalogue"
	"vaak/internal/fault"
)

// counter counts how often a reader is asked. It has all datasets whose slugs begin with "has".
type counter struct {
	catalogue.Reader
	read, similar int
}

func (c *counter) Dataset(_ context.Context, slug string) (*catalogue.Dataset, error) {
	c.read++
	if !strings.HasPrefix(slug, "has") {
		return nil, fault.New(fault.NotFound, fault.CodeNotFound, "slug", "there is none")
	}
	return &catalogue.Dataset{ID: "ds_" + slug, Slug: slug, Title: slug}, nil
}

func (c *counter) Similar(string) []string { c.similar++; return []string{"has-1"} }

// An address that names thousands of datasets reads four, and looks for what is meant once.
func TestComparedAreBounded(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct{ columns, similar int }{"has": {4, 0}, "not": {0, 1}} {
		var query strings.Builder
		for i := range 5000 {
			fmt.Fprintf(&query, "&dataset=%s-%d", name, i)
		}
		c := &counter{}
		v, err := (&pages{reader: c}).compare(httptest.NewRequest("GET", "/catalogue/compare?"+query.String()[1:], nil))
		if err != nil {
			t.Fatal(err)
		}
		if len(v.Columns) != want.columns || c.read != maxCompared || c.similar != want.similar || v.Problem == "" {
			t.Errorf("%s: %d columns, %d read, %d looked for, problem %q; want %d, %d and %d, and a problem", name, len(v.Columns), c.read, c.similar, v.Problem, want.columns, maxCompared, want.similar)
		}
	}
}
