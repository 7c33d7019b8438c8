package export_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"vaak/catalogue"
	"vaak/catalogue/cataloguetest"
	"vaak/catalogue/export"
	"vaak/internal/fault"
)

const base = "https://x.test"

// newService returns exports of a catalogue with n published datasets, the first of which has
// everything that a record can have.
func newService(t *testing.T, n int, change func(*catalogue.Dataset)) (*export.Service, *catalogue.Service) {
	t.Helper()
	m := &cataloguetest.Memory{}
	c, err := catalogue.New(t.Context(), catalogue.Config{Store: m, Files: m, PublicURL: base})
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		d := cataloguetest.Dataset(fmt.Sprintf("set-%03d", i))
		if i == 0 {
			d = cataloguetest.Full(d.Slug)
			d.Licence.URL, d.Provenance.Creator.URL = new("https://example.org/licence"), "https://example.org"
		}
		change(&d)
		put(t, c, d)
	}
	return export.New(c, base), c
}

func put(t *testing.T, c *catalogue.Service, d catalogue.Dataset) {
	t.Helper()
	_, err := c.Put(t.Context(), catalogue.Draft{Dataset: d, Publish: true, Files: []catalogue.DraftFile{
		cataloguetest.File("recordings.csv", "text/csv; charset=utf-8", "recording_id\n1\n"), cataloguetest.File("sample/sample.wav", "audio/wav", "RIFF"),
	}})
	if err != nil {
		t.Fatal(err)
	}
}

func unchanged(*catalogue.Dataset) {}

// TestDocuments reads both formats of a dataset that has everything: they name the public files with
// their digests, the licence and the people. They change with the record, and not before.
func TestDocuments(t *testing.T) {
	t.Parallel()
	s, c := newService(t, 1, unchanged)
	for _, f := range []export.Format{export.DCAT, export.ROCrate} {
		d, err := s.Dataset(t.Context(), "set-000", f)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"recordings.csv", "sample.wav", "https://example.org/licence", "https://example.org", `"Title of set-000"`} {
			if !strings.Contains(string(d.Body), want) {
				t.Errorf("%s lacks %s:\n%s", f, want, d.Body)
			}
		}
		again, err := s.Dataset(t.Context(), "set-000", f)
		if err != nil || again != d {
			t.Errorf("%s is made twice for one revision: %v", f, err)
		}
		if other, _ := export.New(c, base).Dataset(t.Context(), "set-000", f); !bytes.Equal(other.Body, d.Body) || other.ETag != d.ETag {
			t.Errorf("%s of one record has two contents", f)
		}
	}
	before, _ := s.Dataset(t.Context(), "set-000", export.DCAT)
	next := cataloguetest.Full("set-000")
	next.Title = "Another title"
	put(t, c, next)
	if after, err := s.Dataset(t.Context(), "set-000", export.DCAT); err != nil || after.ETag == before.ETag || !strings.Contains(string(after.Body), "Another title") {
		t.Errorf("the document does not follow the record: %v", err)
	}
}

// TestStates: recordings that cost nothing are still delivered after an agreement, and a dataset that
// is retired is told to be.
func TestStates(t *testing.T) {
	t.Parallel()
	s, c := newService(t, 1, func(d *catalogue.Dataset) { d.Access = &catalogue.Access{Free: true} })
	read := func(f export.Format) string {
		t.Helper()
		d, err := s.Dataset(t.Context(), "set-000", f)
		if err != nil {
			t.Fatal(err)
		}
		return string(d.Body)
	}
	if body := read(export.DCAT); !strings.Contains(body, "access-right/RESTRICTED") || strings.Contains(body, "WITHDRAWN") {
		t.Errorf("of one that is offered: %s", body)
	}
	if body := read(export.ROCrate); strings.Contains(body, "creativeWorkStatus") {
		t.Errorf("of one that is offered: %s", body)
	}
	if _, err := c.Move(t.Context(), "set-000", catalogue.Retired); err != nil {
		t.Fatal(err)
	}
	if body := read(export.DCAT); strings.Contains(body, "access-right") || !strings.Contains(body, "dataset-status/WITHDRAWN") || strings.Contains(body, "#licensed") {
		t.Errorf("of one that is retired: %s", body)
	}
	if body := read(export.ROCrate); !strings.Contains(body, `"creativeWorkStatus":"Retired`) {
		t.Errorf("of one that is retired: %s", body)
	}
}

// TestHostile: what a card says stays text, and no address but one of the web becomes a reference.
func TestHostile(t *testing.T) {
	t.Parallel()
	s, _ := newService(t, 1, func(d *catalogue.Dataset) {
		d.Title, d.Description = "</script>\x00\u202e<b>", "a\u2028b"
		d.Licence.URL, d.Provenance.Creator.URL = new("javascript:alert(1)"), "https://user:key@example.org"
		d.Contact.Email, d.Contact.URL = new("a@example.org>; rel=x"), new("file:///etc/passwd")
		d.Language.ISO6393 = "../"
	})
	for _, f := range []export.Format{export.DCAT, export.ROCrate} {
		d, err := s.Dataset(t.Context(), "set-000", f)
		if err != nil || !json.Valid(d.Body) {
			t.Fatalf("%s: %v", f, err)
		}
		for _, not := range []string{"javascript:", "user:key", "file:", "<", "\u202e", "mailto:a@example.org>", "language/../"} {
			if strings.Contains(string(d.Body), not) {
				t.Errorf("%s has %q", f, not)
			}
		}
	}
}

// TestCatalogue follows the pages of the catalogue: each dataset comes once.
func TestCatalogue(t *testing.T) {
	t.Parallel()
	m := &cataloguetest.Memory{}
	for i := range 205 { // into the store at once: the catalogue looks at all of it after each change
		d := cataloguetest.Dataset(fmt.Sprintf("set-%03d", i))
		d.ID, d.Status = fmt.Sprint("ds_", i), catalogue.Published
		if _, err := m.PutDataset(t.Context(), catalogue.Stored{Dataset: d}); err != nil {
			t.Fatal(err)
		}
	}
	c, err := catalogue.New(t.Context(), catalogue.Config{Store: m, Files: m, PublicURL: base})
	if err != nil {
		t.Fatal(err)
	}
	s := export.New(c, base)
	one, err := s.Catalogue(t.Context(), "")
	if two, _ := s.Catalogue(t.Context(), ""); err != nil || two != one {
		t.Errorf("the first page is made twice for one state: %v", err)
	}
	left, leave := context.WithCancel(t.Context())
	leave()
	if _, err := s.Catalogue(left, "set-007"); err != nil && fault.KindOf(err) != fault.Cancelled {
		t.Errorf("of a caller that left: %v", err)
	}
	seen, after, pages := map[string]bool{}, "", 0
	for more := true; more; pages++ {
		d, err := s.Catalogue(t.Context(), after)
		if err != nil {
			t.Fatal(err)
		}
		var doc struct {
			Graph []struct {
				Datasets []struct {
					ID string `json:"@id"`
				} `json:"dcat:dataset"`
				Total int `json:"hydra:totalItems"`
			} `json:"@graph"`
		}
		if err := json.Unmarshal(d.Body, &doc); err != nil || doc.Graph[1].Total != 205 {
			t.Fatalf("%v, %d datasets in all", err, doc.Graph[1].Total)
		}
		for _, one := range doc.Graph[0].Datasets {
			if seen[one.ID] {
				t.Errorf("%s is there twice", one.ID)
			}
			seen[one.ID] = true
		}
		_, after, more = strings.Cut(d.Next, "?after=")
	}
	if len(seen) != 205 || pages != 3 {
		t.Errorf("%d datasets on %d pages, want 205 on 3", len(seen), pages)
	}
	if _, err := s.Catalogue(t.Context(), "../x"); fault.KindOf(err) != fault.Invalid {
		t.Errorf("after an impossible slug: %v, want that it is invalid", err)
	}
	if _, err := s.Dataset(t.Context(), "none", export.DCAT); fault.KindOf(err) != fault.NotFound {
		t.Errorf("of no dataset: %v, want that it is not found", err)
	}
}
