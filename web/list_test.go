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

func TestSitemap(t *testing.T) {
	t.Parallel()
	l := many(1203)
	l.sets = append(l.sets, retired(), hindi())
	h := withCatalogue(t, l)
	w := get(t, h, "/sitemap.xml")
	var got struct {
		XMLName xml.Name `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 urlset"`
		URLs    []struct {
			Loc string `xml:"loc"`
		} `xml:"url"`
	}
	if err := xml.Unmarshal(w.Body.Bytes(), &got); err != nil {
		t.Fatalf("sitemap: %v", err)
	}
	var locs []string
	for _, u := range got.URLs {
		locs = append(locs, u.Loc)
	}
	if len(locs) != 3+1204 || slices.Contains(locs, origin+"/catalogue/datasets/bengali-radio-plays") {
		t.Errorf("the sitemap has %d addresses, want 1,207 without the retired one", len(locs))
	}
	if strings.Contains(w.Body.String(), "croissant") {
		t.Error("the sitemap lists Croissant documents, want pages alone")
	}
	for _, want := range []string{"/", "/docs", "/catalogue", "/catalogue/datasets/set-01202", "/catalogue/datasets/hindi-bank-calls"} {
		if !slices.Contains(locs, origin+want) {
			t.Errorf("the sitemap lacks %s", want)
		}
	}
	before := l.lists.Load()
	get(t, h, "/sitemap.xml")
	if n := l.lists.Load() - before; n != 1 {
		t.Errorf("the catalogue is listed %d times for a sitemap that has not changed, want once", n)
	}
	l.sets = l.sets[:10]
	if body := get(t, h, "/sitemap.xml").Body.String(); strings.Contains(body, "set-00010") {
		t.Error("the sitemap does not follow the catalogue")
	}
}

// endless is a catalogue whose list never ends.
type endless struct{ library }

func (e *endless) List(q catalogue.Query) (catalogue.Page, error) {
	return catalogue.Page{Datasets: slices.Repeat([]catalogue.Brief{{Slug: "one"}}, q.Limit), Next: "more"}, nil
}

func TestSitemapIsBounded(t *testing.T) {
	t.Parallel()
	body := get(t, withCatalogue(t, &endless{}), "/sitemap.xml").Body.String()
	if n := strings.Count(body, "<loc>"); n != 50_000 {
		t.Errorf("the sitemap has %d addresses, want 50,000", n)
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
