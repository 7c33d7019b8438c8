package feed

import (
	"encoding/xml"
	"strings"
	"testing"
	"time"

	"vaak/catalogue"
	"vaak/catalogue/cataloguetest"
)

func dataset(slug string) *catalogue.Stored {
	d := cataloguetest.Full(slug)
	d.ID, d.URL, d.Record, d.Croissant = "ds_"+slug, "https://x.test/catalogue/datasets/"+slug, "https://x.test/r", "https://x.test/c"
	d.DatePublished, d.DateModified = new("2026-01-02"), time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)
	// As records have it: a codec that is no container, and an address with a version.
	d.Sample.Codec, d.Sample.URL = "pcm_s16", "https://x.test/catalogue/datasets/"+slug+"/sample/sample.wav?v=1"
	return &catalogue.Stored{Dataset: d, Files: []catalogue.File{
		{Name: "recordings.csv", ContentType: "text/csv; charset=utf-8", URL: "https://x.test/m"}, {Name: "sample/sample.wav", ContentType: "audio/wav", URL: d.Sample.URL},
	}}
}

func page(sets ...*catalogue.Stored) Page {
	return Page{
		Base: "https://x.test", Self: "https://x.test/catalogue/feed.atom?before=a", First: "https://x.test/catalogue/feed.atom",
		Next: "https://x.test/catalogue/feed.atom?before=b&c", Catalogue: "https://x.test/catalogue", Updated: time.Unix(1e9, 0), Version: "1", Datasets: sets,
	}
}

// TestWrite reads a feed back: its ids do not depend on the address of the server, and what a
// record has that would be markup stays text.
func TestWrite(t *testing.T) {
	t.Parallel()
	bad := dataset("b")
	bad.Dataset.Title, bad.Dataset.Description = "</title><script>\x00\x0b\ud7ff\ufffe", strings.Repeat("भाषा & <b> ", 200)
	bad.Dataset.DatePublished = new("2026-05-01") // after the last change
	body, err := Write(page(dataset("a"), bad))
	if err != nil {
		t.Fatal(err)
	}
	var got feedXML
	if err := xml.Unmarshal(body, &got); err != nil {
		t.Fatalf("%v\n%s", err, body)
	}
	if len(got.Entries) != 2 || len(got.Links) != 4 || got.Updated != "2001-09-09T01:46:40Z" {
		t.Fatalf("Write = %s", body)
	}
	a, b := got.Entries[0], got.Entries[1]
	if a.ID != ID("ds_a") || a.ID == b.ID || a.Updated != "2026-02-03T04:05:06Z" || a.Published != "2026-01-02T00:00:00Z" {
		t.Errorf("entry = %+v", a)
	}
	if link := a.Links[len(a.Links)-1]; link.Rel != "enclosure" || link.Type != "audio/wav" {
		t.Errorf("the sample is %+v", link)
	}
	if b.Published != "" || !strings.HasPrefix(b.Title, "</title><script>") || len([]rune(b.Summary.Text)) > summaryMost+100 {
		t.Errorf("entry = %+v", b)
	}
	if strings.Contains(string(body), "<script>") || strings.ContainsAny(string(body), "\x00\x0b\ufffe") {
		t.Errorf("the feed has what XML does not allow:\n%s", body)
	}
}

// TestID holds the ids that readers know.
func TestID(t *testing.T) {
	t.Parallel()
	if got := ID("ds_0123456789abcdef"); got != "urn:uuid:d84d4f75-dc49-5c72-827a-32aa5b222b0c" {
		t.Errorf("ID = %s: ids must never change", got)
	}
}
