package web_test

import (
	"encoding/xml"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"vaak/catalogue"
)

// many is a catalogue of n datasets.
func many(n int) *library {
	l := &library{}
	for i := range n {
		d := base(fmt.Sprintf("set-%05d", i), fmt.Sprintf("Set %d", i), catalogue.Language{Name: fmt.Sprintf("Language %d", i%20), BCP47: fmt.Sprintf("q%c", 'a'+i%20)}, 2)
		l.sets = append(l.sets, d)
	}
	return l
}

func TestQueryErrors(t *testing.T) {
	t.Parallel()
	h := withCatalogue(t, shelves())
	for query, want := range map[string]string{
		"min_hours=lots":       "min_hours is a number of hours, 0 or more, not &#34;lots&#34;.",
		"min_hours=-1":         "min_hours -1 is below 0.",
		"sample=perhaps":       "sample is true or false, not &#34;perhaps&#34;.",
		"transcribed=2":        "transcribed is true or false",
		"channels=stereo&q=hi": "channels is dual or mono, not &#34;stereo&#34;.",
	} {
		w := get(t, h, "/catalogue?"+query)
		body := w.Body.String()
		if w.Code != http.StatusBadRequest || !strings.Contains(body, want) || !strings.Contains(body, `role="alert"`) {
			t.Errorf("GET /catalogue?%s = %d, want 400 with %q", query, w.Code, want)
		}
		if strings.Contains(query, "q=hi") && !strings.Contains(body, `value="hi"`) {
			t.Errorf("GET /catalogue?%s forgets what was typed", query)
		}
	}
	for _, query := range []string{"sample=", "sample=false", "sample=0", "min_hours=", "q=", "unknown=1", "sample=TRUE", "sample=on"} {
		if w := get(t, h, "/catalogue?"+query); w.Code != http.StatusOK {
			t.Errorf("GET /catalogue?%s = %d, want 200", query, w.Code)
		}
	}
}

// Every link of the list leads to as many datasets as it says.
func TestFacetLinks(t *testing.T) {
	t.Parallel()
	h := withCatalogue(t, shelves())
	for _, start := range []string{"/catalogue", "/catalogue?language=hi-IN", "/catalogue?sample=true&min_hours=30"} {
		links := 0
		body := get(t, h, start).Body.String()
		_, filters, _ := strings.Cut(body, `aria-label="Filters">`)
		filters, _, _ = strings.Cut(filters, "</nav>")
		for _, e := range elements(t, "<nav>"+filters+"</nav>") {
			if e.name != "a" {
				continue
			}
			links++
			w := get(t, h, e.attrs["href"])
			if w.Code != http.StatusOK || strings.Contains(w.Body.String(), "Nothing matches") && e.attrs["aria-current"] == "" && start == "/catalogue" {
				t.Errorf("%s links to %s, which answers %d with nothing", start, e.attrs["href"], w.Code)
			}
		}
		if links < 5 {
			t.Errorf("%s has %d links to filter by, want some", start, links)
		}
	}
}

func TestFiltersAddUp(t *testing.T) {
	t.Parallel()
	h := withCatalogue(t, shelves())
	body := get(t, h, "/catalogue?language=hi-IN&sample=true&q=bank&min_hours=5&channels=dual&collection=call-centre&transcribed=1").Body.String()
	for _, want := range []string{
		"1 dataset ", `name="language" value="hi-IN"`, `name="sample" value="true"`, `name="channels" value="dual"`, `name="q" type="search" value="bank"`,
		`value="5" size`, "at least 5 hours", "<bdi>“bank”</bdi>", "Clear all",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("the filtered list lacks %q", want)
		}
	}
}

func TestPaging(t *testing.T) {
	t.Parallel()
	h := withCatalogue(t, many(100))
	seen := map[string]bool{}
	path := "/catalogue?q=set"
	for range 10 {
		var next string
		for _, e := range checkMarkup(t, get(t, h, path).Body.String()) {
			if strings.HasPrefix(e.attrs["href"], "/catalogue/datasets/") {
				if seen[e.attrs["href"]] {
					t.Errorf("%s is listed twice", e.attrs["href"])
				}
				seen[e.attrs["href"]] = true
			}
			if e.attrs["rel"] == "next" {
				next = e.attrs["href"]
			}
		}
		if next == "" {
			break
		}
		if !strings.Contains(next, "q=set") {
			t.Errorf("the next page %s forgets the query", next)
		}
		path = next
	}
	if len(seen) != 100 {
		t.Errorf("the pages list %d datasets, want 100", len(seen))
	}
}

func TestEmptyCatalogue(t *testing.T) {
	t.Parallel()
	if body := get(t, withCatalogue(t, &library{}), "/catalogue").Body.String(); !strings.Contains(body, "No dataset has been published yet.") {
		t.Error("an empty catalogue does not say so")
	}
}

// sitemapXML is a sitemap or an index of sitemaps.
type sitemapXML struct {
	XMLName xml.Name
	Entries []struct {
		Loc     string `xml:"loc"`
		LastMod string `xml:"lastmod"`
	} `xml:",any"`
}

func readSitemap(t *testing.T, h http.Handler, path, root string) (at sitemapXML, locs []string) {
	t.Helper()
	w := get(t, h, path)
	if err := xml.Unmarshal(w.Body.Bytes(), &at); err != nil || at.XMLName != (xml.Name{Space: "http://www.sitemaps.org/schemas/sitemap/0.9", Local: root}) {
		t.Fatalf("%s = %d, %v, %v", path, w.Code, at.XMLName, err)
	}
	for _, e := range at.Entries {
		locs = append(locs, e.Loc)
	}
	return at, locs
}

func TestSitemap(t *testing.T) {
	t.Parallel()
	l := many(1203)
	l.sets = append(l.sets, retired(), hindi())
	for i, d := range l.sets {
		d.DateModified = time.Unix(1_700_000_000+int64(i%7), 0)
	}
	h := withCatalogue(t, l)
	index, files := readSitemap(t, h, "/sitemap.xml", "sitemapindex")
	if !slices.Equal(files, []string{origin + "/sitemaps/pages.xml", origin + "/sitemaps/datasets-1.xml"}) || index.Entries[1].LastMod != "2023-11-14T22:13:26Z" {
		t.Fatalf("the index is %+v", index)
	}
	_, locs := readSitemap(t, h, "/sitemaps/pages.xml", "urlset")
	for _, want := range []string{"/", "/docs", "/catalogue"} {
		if !slices.Contains(locs, origin+want) {
			t.Errorf("the sitemap of pages lacks %s", want)
		}
	}
	sets, locs := readSitemap(t, h, "/sitemaps/datasets-1.xml", "urlset")
	if len(locs) != 1204 || slices.Contains(locs, origin+"/catalogue/datasets/bengali-radio-plays") {
		t.Errorf("the sitemap has %d addresses, want 1,204 without the retired one", len(locs))
	}
	for _, want := range []string{"/catalogue/datasets/set-01202", "/catalogue/datasets/hindi-bank-calls"} {
		if !slices.Contains(locs, origin+want) {
			t.Errorf("the sitemap lacks %s", want)
		}
	}
	if !strings.HasPrefix(sets.Entries[0].LastMod, "2023-11-14T22:13:2") {
		t.Errorf("the date of the first is %q", sets.Entries[0].LastMod)
	}
	if w := get(t, h, "/sitemaps/datasets-1.xml", "If-Modified-Since", "Tue, 14 Nov 2023 22:13:26 GMT"); w.Code != http.StatusNotModified {
		t.Errorf("asked by its time, the sitemap is %d, want 304", w.Code)
	}
	for _, name := range []string{"datasets-0.xml", "datasets-2.xml", "datasets-01.xml", "datasets--1.xml", "datasets-1", "other.xml", "datasets-99999999999999999999.xml"} {
		if w := get(t, h, "/sitemaps/"+name); w.Code != http.StatusNotFound {
			t.Errorf("/sitemaps/%s is %d, want 404", name, w.Code)
		}
	}
	l.sets = l.sets[:10]
	if body := get(t, h, "/sitemaps/datasets-1.xml").Body.String(); strings.Contains(body, "set-00010") || !strings.Contains(body, "set-00009") {
		t.Error("the sitemap does not follow the catalogue")
	}
}

// TestAskedByTime: a client that knows an answer by its time learns that the newest dataset was
// suspended. What it may keep is told apart by Accept-Encoding, also when it may go on keeping it.
func TestAskedByTime(t *testing.T) {
	t.Parallel()
	l := many(3)
	for i, d := range l.sets {
		d.DateModified = time.Unix(1_700_000_000+int64(i), 0).UTC()
	}
	h := withCatalogue(t, l)
	paths := []string{"/catalogue/feed.atom", "/sitemap.xml", "/sitemaps/datasets-1.xml"}
	last := map[string]string{}
	for _, path := range paths {
		last[path] = get(t, h, path).Header().Get("Last-Modified")
		again := get(t, h, path, "If-Modified-Since", last[path])
		if again.Code != http.StatusNotModified || again.Header().Get("Vary") != "Accept-Encoding" {
			t.Errorf("%s with its time %q is %d with Vary %q, want 304", path, last[path], again.Code, again.Header().Get("Vary"))
		}
		if w := get(t, h, path, "If-None-Match", "*"); w.Code != http.StatusNotModified {
			t.Errorf("%s with any tag is %d, want 304", path, w.Code)
		}
	}
	l.sets[2].Status, l.sets[2].DateModified = catalogue.Suspended, time.Unix(1_700_000_100, 0).UTC()
	for _, path := range paths {
		w := get(t, h, path, "If-Modified-Since", last[path])
		if w.Code != http.StatusOK || strings.Contains(w.Body.String(), "set-00002") || !strings.Contains(w.Body.String(), "2023-11-14T22:15:00Z") && path != "/sitemaps/datasets-1.xml" {
			t.Errorf("%s after the newest was suspended is %d, want 200 without it: %.600s", path, w.Code, w.Body)
		}
	}
	l.sets = nil
	for _, path := range paths[:2] {
		if w := get(t, h, path); w.Code != http.StatusOK || w.Header().Get("Last-Modified") != "" {
			t.Errorf("%s of no dataset is %d, last modified %q; want 200 without a time", path, w.Code, w.Header().Get("Last-Modified"))
		}
	}
}

// crowd is a catalogue with more datasets than a sitemap may have.
type crowd struct {
	library
	changes *catalogue.Changes
}

func (c *crowd) Changes() *catalogue.Changes { return c.changes }

func TestSitemapsAreBounded(t *testing.T) {
	t.Parallel()
	entries := make([]catalogue.Entry, 50_001)
	for i := range entries {
		entries[i] = catalogue.Entry{Status: catalogue.Published, Brief: catalogue.Brief{Slug: fmt.Sprintf("set-%06d", i)}}
	}
	c := &crowd{changes: catalogue.NewChanges("a", entries)}
	h := withCatalogue(t, c)
	if _, files := readSitemap(t, h, "/sitemap.xml", "sitemapindex"); len(files) != 3 {
		t.Errorf("the index names %v, want two files of datasets", files)
	}
	// A dataset that comes first moves the last of the first file to the second.
	before, _ := readSitemap(t, h, "/sitemap.xml", "sitemapindex")
	moved := append(slices.Clone(entries), catalogue.Entry{Status: catalogue.Published, Brief: catalogue.Brief{Slug: "a"}, Modified: time.Unix(1_700_000_001, 0)})
	c.changes = catalogue.NewChanges("b", moved)
	after, _ := readSitemap(t, h, "/sitemap.xml", "sitemapindex")
	for i := 1; i < 3; i++ {
		if before.Entries[i].LastMod == after.Entries[i].LastMod {
			t.Errorf("file %d of the index has the time %q, before and after", i, after.Entries[i].LastMod)
		}
	}
	c.changes = catalogue.NewChanges("a", entries)
	for name, want := range map[string]int{"1": 50_000, "2": 1} {
		if n := strings.Count(get(t, h, "/sitemaps/datasets-"+name+".xml").Body.String(), "<loc>"); n != want {
			t.Errorf("sitemap %s has %d addresses, want %d", name, n, want)
		}
	}
}

// TestFeed follows the pages of the feed to its end: each published dataset comes once, the newest
// change first.
func TestFeed(t *testing.T) {
	t.Parallel()
	l := many(123)
	l.sets = append(l.sets, retired())
	for i, d := range l.sets {
		d.DateModified = time.Unix(1_700_000_000+int64(i/3), 0).UTC()
	}
	h := withCatalogue(t, l)
	type page struct {
		XMLName xml.Name `xml:"http://www.w3.org/2005/Atom feed"`
		Updated string   `xml:"updated"`
		Links   []struct {
			Rel  string `xml:"rel,attr"`
			Href string `xml:"href,attr"`
		} `xml:"link"`
		Entries []struct {
			ID      string `xml:"id"`
			Updated string `xml:"updated"`
		} `xml:"entry"`
	}
	seen, last, pages := map[string]bool{}, "9999", 0
	for path := "/catalogue/feed.atom"; path != ""; pages++ {
		w := get(t, h, path)
		var p page
		if err := xml.Unmarshal(w.Body.Bytes(), &p); err != nil || w.Header().Get("Content-Type") != "application/atom+xml; charset=utf-8" {
			t.Fatalf("%s = %d %v\n%s", path, w.Code, err, w.Body)
		}
		for _, e := range p.Entries {
			if seen[e.ID] || e.Updated > last {
				t.Errorf("%s of %s is there twice or after %s", e.ID, e.Updated, last)
			}
			seen[e.ID], last = true, e.Updated
		}
		tag := w.Header().Get("ETag")
		if again := get(t, h, path, "If-None-Match", tag); again.Code != http.StatusNotModified {
			t.Errorf("%s with its tag is %d, want 304", path, again.Code)
		}
		path = ""
		for _, l := range p.Links {
			if l.Rel == "next" {
				path = strings.TrimPrefix(l.Href, origin)
			}
		}
	}
	if len(seen) != 123 || pages != 3 {
		t.Errorf("%d datasets on %d pages, want 123 on 3", len(seen), pages)
	}
	for _, before := range []string{"x", "1.", "1.A", "99999999999999.a", "1700000000.%00", "%2B1.a", "01.a", "-5.a"} {
		if w := get(t, h, "/catalogue/feed.atom?before="+before); w.Code != http.StatusBadRequest {
			t.Errorf("before=%s is %d, want 400", before, w.Code)
		}
	}
	if !h.Counted("GET /catalogue/feed.atom") || h.Counted("GET /sitemap.xml") || !h.Counted("POST /croissant") {
		t.Error("the feed does not count as a request of its address, as forms do, or a page does")
	}
}

// No query breaks the list: it is answered, or refused with a reason, in a page
// without anything inline.
func FuzzList(f *testing.F) {
	for _, seed := range []string{"", "q=%3Cscript%3E", "min_hours=NaN", "min_hours=1e999", "language=hi,ta&language=,", "cursor=%00", "sample=%ff", "q=%ff&channels=dual", ";", "%zz"} {
		f.Add(seed)
	}
	h := withCatalogue(f, shelves())
	f.Fuzz(func(t *testing.T, query string) {
		r := httptest.NewRequest(http.MethodGet, "/catalogue", nil)
		r.URL = &url.URL{Path: "/catalogue", RawQuery: query}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != http.StatusOK && w.Code != http.StatusBadRequest {
			t.Fatalf("GET /catalogue?%s = %d, want 200 or 400", query, w.Code)
		}
		checkMarkup(t, w.Body.String())
	})
}
