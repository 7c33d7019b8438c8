package publish

import (
	"strings"
	"testing"

	"vaak/catalogue"
	"vaak/catalogue/cataloguetest"
	"vaak/croissant/check"
	"vaak/internal/fault"
)

// filed returns a record as it would be published.
func filed(t *testing.T, d catalogue.Dataset) *catalogue.Stored {
	t.Helper()
	s, err := published(t, d).Filed(t.Context(), d.Slug)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// complete returns a record that may be published, with nothing that need not be
// there.
func complete() catalogue.Dataset {
	d := cataloguetest.Dataset("one")
	d.Licence = &catalogue.Licence{Name: "Example Licence 1.0"}
	d.Provenance = &catalogue.Provenance{Creator: &catalogue.Organisation{Name: "Example Lab"}}
	return d
}

func TestReady(t *testing.T) {
	t.Parallel()
	if err := Ready(filed(t, complete()), site); err != nil {
		t.Errorf("Ready of a complete record = %v, want nil", err)
	}
	for name, tt := range map[string]struct {
		change func(*catalogue.Dataset)
		want   []string
		not    string
	}{
		"no licence":    {func(d *catalogue.Dataset) { d.Licence = nil }, []string{"the card needs licence.name"}, "creator"},
		"no creator":    {func(d *catalogue.Dataset) { d.Provenance.Creator = nil }, []string{"the card needs provenance.creator"}, "licence"},
		"no provenance": {func(d *catalogue.Dataset) { d.Provenance = nil }, []string{"the card needs provenance.creator"}, "licence"},
		"neither":       {func(d *catalogue.Dataset) { d.Licence, d.Provenance = nil, nil }, []string{"licence.name", "provenance.creator", "; "}, "E0"},
	} {
		d := complete()
		tt.change(&d)
		err := Ready(filed(t, d), site)
		f, ok := err.(*fault.Error)
		if !ok || f.Kind != fault.Unprocessable || f.Code != "croissant_invalid" || !strings.HasPrefix(f.Msg, "dataset one cannot be published: ") || strings.Contains(f.Msg, "\n") {
			t.Errorf("%s: Ready = %v, want a sentence of kind Unprocessable", name, err)
			continue
		}
		for _, want := range tt.want {
			if strings.Count(f.Msg, want) != 1 {
				t.Errorf("%s: %q does not say %q once", name, f.Msg, want)
			}
		}
		if strings.Contains(f.Msg, tt.not) {
			t.Errorf("%s: %q tells of %q", name, f.Msg, tt.not)
		}
	}
}

func TestListed(t *testing.T) {
	t.Parallel()
	found := []check.Finding{
		{Code: "E012"}, {Code: "E014", Path: "/creator"}, {Code: "E012b"}, {Code: "E020", Path: "/a", Message: "no"}, {Code: "E020", Path: "/a", Message: "no"},
		{Code: "E021", Message: "x"}, {Code: "E022", Message: "x"}, {Code: "E023", Message: "x"}, {Code: "E024", Message: "x"},
	}
	want := "the card needs licence.name; the card needs provenance.creator with a name; E020 /a: no; E021: x; E022: x; and 2 more"
	if got := listed(wants(found)); got != want {
		t.Errorf("listed(wants(…)) = %q, want %q", got, want)
	}
	r := check.Report{Errors: []check.Finding{{Code: "E012"}}, Warnings: []check.Finding{{Code: "W01"}, {Code: "E025"}}}
	if got := blocking(r); len(got) != 2 || got[1].Code != "E025" {
		t.Errorf("blocking(%+v) = %+v, want the error and E025", r, got)
	}
}
