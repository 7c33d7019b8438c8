package rest

import (
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vaak/catalogue"
	"vaak/croissant/check"
	restcatalogue "vaak/rest/catalogue"
	"vaak/rest/enquiries"
	"vaak/rest/frame"
)

// TestCatalogueDocs checks that docs/catalogue.md has a row of each parameter of
// the list and no other, and names each field that is not a figure.
func TestCatalogueDocs(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../docs/catalogue.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	_, table, _ := strings.Cut(page, "## The list")
	table, _, _ = strings.Cut(table, "They narrow together")
	var rows []string
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllStringSubmatch(table, -1) {
		rows = append(rows, m[1])
	}
	if !slices.Equal(rows, restcatalogue.ListParameters) {
		t.Errorf("docs/catalogue.md has rows of %q, want %q", rows, restcatalogue.ListParameters)
	}
	for _, of := range []reflect.Type{
		reflect.TypeFor[catalogue.Dataset](), reflect.TypeFor[catalogue.Brief](), reflect.TypeFor[restcatalogue.DatasetList](),
		reflect.TypeFor[frame.CatalogueError](), reflect.TypeFor[catalogue.Facets](), reflect.TypeFor[catalogue.Language](),
		reflect.TypeFor[catalogue.Sample](), reflect.TypeFor[catalogue.Stream](), reflect.TypeFor[catalogue.SampleTranscript](),
		reflect.TypeFor[catalogue.Participants](), reflect.TypeFor[catalogue.CollectionMethod](),
		reflect.TypeFor[catalogue.Consent](), reflect.TypeFor[catalogue.Privacy](), reflect.TypeFor[catalogue.Licence](),
		reflect.TypeFor[catalogue.Access](), reflect.TypeFor[catalogue.Split](), reflect.TypeFor[catalogue.Provenance](),
		reflect.TypeFor[catalogue.Contact](),
		reflect.TypeFor[enquiries.EnquiryRequest](), reflect.TypeFor[enquiries.EnquiryReceipt](), reflect.TypeFor[enquiries.EnquiryDataset](), reflect.TypeFor[frame.EnquiryError](),
	} {
		namesFields(t, "docs/catalogue.md", page, of)
	}
	if text, err = os.ReadFile("../docs/croissant.md"); err != nil {
		t.Fatal(err)
	}
	namesFields(t, "docs/croissant.md", string(text), reflect.TypeFor[check.Report]())
	namesFields(t, "docs/croissant.md", string(text), reflect.TypeFor[check.Finding]())
}

// namesFields checks that a page names each field of a type.
func namesFields(t *testing.T, file, page string, of reflect.Type) {
	t.Helper()
	for i := range of.NumField() {
		name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
		if !strings.Contains(page, "`"+name+"`") {
			t.Errorf("%s does not name %s of %s", file, name, of.Name())
		}
	}
}
