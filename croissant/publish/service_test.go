package publish

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"vaak/catalogue"
	"vaak/catalogue/cataloguetest"
	"vaak/croissant"
	"vaak/internal/fault"
)

const site = "https://data.example.org"

// published returns a catalogue with a published dataset.
func published(t *testing.T, d catalogue.Dataset) *catalogue.Service {
	t.Helper()
	m := &cataloguetest.Memory{}
	s, err := catalogue.New(t.Context(), catalogue.Config{Store: m, Files: m, PublicURL: site})
	if err != nil {
		t.Fatal(err)
	}
	put(t, s, d)
	return s
}

func put(t *testing.T, s *catalogue.Service, d catalogue.Dataset) {
	t.Helper()
	_, err := s.Put(t.Context(), catalogue.Draft{Dataset: d, Publish: true, Files: []catalogue.DraftFile{
		cataloguetest.File(catalogue.ManifestFile, "text/csv; charset=utf-8", "recording_id\na\n"),
	}})
	if err != nil {
		t.Fatal(err)
	}
}

// document asks for a document that must be there.
func document(t *testing.T, s *Service, slugOrID string, v croissant.Version) *Document {
	t.Helper()
	d, err := s.Document(t.Context(), slugOrID, v)
	if err != nil {
		t.Fatalf("Document(%q, %s): %v", slugOrID, v, err)
	}
	return d
}

// TestDocument follows a document through changes of its record.
func TestDocument(t *testing.T) {
	t.Parallel()
	c := published(t, cataloguetest.Dataset("one"))
	s := New(c, site)
	first := document(t, s, "one", croissant.V10)
	if again := document(t, s, "one", croissant.V10); again != first {
		t.Error("a document that was made was made again")
	}
	record, err := c.Dataset(t.Context(), "one")
	if err != nil {
		t.Fatal(err)
	}
	if byID := document(t, s, record.ID, croissant.V10); byID != first || byID.Slug != "one" {
		t.Errorf("the document by id is %p of %q, want that by slug", byID, byID.Slug)
	}
	newer := document(t, s, "one", croissant.V11)
	if newer.ETag == first.ETag || !bytes.Contains(newer.Body, []byte(croissant.V11.ConformsTo())) || bytes.Contains(first.Body, []byte(croissant.V11.ConformsTo())) {
		t.Error("the documents of two versions are not told from each other")
	}
	if !json.Valid(first.Body) || bytes.ContainsAny(first.Body, "<>&") {
		t.Errorf("the document is not JSON that can stand in a page: %.200s", first.Body)
	}
	if first.Record != record.Record {
		t.Errorf("the document is of %q, want %q", first.Record, record.Record)
	}
	changed := cataloguetest.Dataset("one")
	changed.Title = "Another </script> title"
	put(t, c, changed)
	second := document(t, s, "one", croissant.V10)
	if second.ETag == first.ETag || !bytes.Contains(second.Body, []byte("Another")) {
		t.Error("a change of the record does not change its document")
	}
	if bytes.Contains(second.Body, []byte("</script")) {
		t.Error("the document ends the element that it stands in")
	}
}

// TestGzip checks that the compressed document is the document.
func TestGzip(t *testing.T) {
	t.Parallel()
	d := document(t, New(published(t, cataloguetest.Dataset("one")), site), "one", croissant.V10)
	r, err := gzip.NewReader(bytes.NewReader(d.Gzip))
	if err != nil {
		t.Fatal(err)
	}
	if plain, err := io.ReadAll(r); err != nil || !bytes.Equal(plain, d.Body) {
		t.Errorf("unzipped: %d bytes and %v, want the %d of the document", len(plain), err, len(d.Body))
	}
}

// TestHidden checks that nothing tells of a dataset that is not to be seen.
func TestHidden(t *testing.T) {
	t.Parallel()
	c := published(t, cataloguetest.Dataset("one"))
	s := New(c, site)
	document(t, s, "one", croissant.V10)
	if _, err := c.Move(t.Context(), "one", catalogue.Suspended); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"one", "two", "", strings.Repeat("x", 10_000)} {
		if d, err := s.Document(t.Context(), name, croissant.V10); fault.KindOf(err) != fault.NotFound || d != nil {
			t.Errorf("Document(%.20q) = %v, %v; want a fault.NotFound", name, d, err)
		}
	}
}

// TestTogether asks and changes at once; a reader never sees a document older than
// what it saw.
func TestTogether(t *testing.T) {
	t.Parallel()
	d := cataloguetest.Dataset("one")
	d.Title = "title 0000"
	c := published(t, d)
	s := New(c, site)
	ctx, cancel := context.WithCancel(t.Context())
	var readers sync.WaitGroup
	for range 8 {
		readers.Go(func() {
			last := ""
			for ctx.Err() == nil {
				doc, err := s.Document(context.WithoutCancel(ctx), "one", croissant.V10)
				if err != nil {
					t.Error(err)
					return
				}
				at := bytes.Index(doc.Body, []byte("title 0"))
				if title := string(doc.Body[at : at+10]); title < last {
					t.Errorf("after %s came %s", last, title)
					return
				} else {
					last = title
				}
			}
		})
	}
	for i := range 50 {
		d.Title = fmt.Sprintf("title %04d", i+1)
		put(t, c, d)
	}
	cancel()
	readers.Wait()
}
