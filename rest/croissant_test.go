package rest

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"vaak/catalogue"
	"vaak/croissant"
	"vaak/croissant/badge"
	"vaak/croissant/check"
	"vaak/croissant/publish"
	"vaak/internal/seal"
	restcroissant "vaak/rest/croissant"
)

const (
	metadata   = "/catalogue/datasets/s-03/croissant.json"
	newProfile = `application/ld+json;profile="http://mlcommons.org/croissant/1.1"`
)

// documentOf returns what the service of documents has of s-03.
func documentOf(t *testing.T, c *catalogue.Service, v croissant.Version) *publish.Document {
	t.Helper()
	d, err := publish.New(c, "https://x.test").Document(t.Context(), "s-03", v)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestCroissant(t *testing.T) {
	t.Parallel()
	c := newCatalogue(t)
	h := newHandler(t, Config{Catalogue: c})
	d := documentOf(t, c, croissant.V10)
	w := get(t, h, metadata)
	if w.Code != 200 || !bytes.Equal(w.Body.Bytes(), d.Body) {
		t.Fatalf("%d, %.300s; want 200 and the document", w.Code, w.Body)
	}
	for name, want := range map[string]string{
		"Content-Type": "application/ld+json", "Content-Encoding": "", "ETag": d.ETag, "Cache-Control": "public, max-age=60",
		"Vary": "Accept, Accept-Encoding", "X-Content-Type-Options": "nosniff",
		"Access-Control-Allow-Origin": "*", "Link": `<https://x.test/api/catalogue/datasets/s-03>; rel="describedby"; type="application/json", <https://x.test/catalogue/datasets/s-03>; rel="describes"; type="text/html"`,
	} {
		if got := w.Header().Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	head := do(h, request("HEAD", metadata, ""))
	if head.Code != 200 || head.Body.Len() != 0 || head.Header().Get("Content-Length") != w.Header().Get("Content-Length") || head.Header().Get("ETag") != d.ETag {
		t.Errorf("HEAD = %d with %d bytes and %v", head.Code, head.Body.Len(), head.Header())
	}
	record := get(t, h, "/api/catalogue/datasets/s-03")
	if got, want := record.Header().Get("Link"), `<https://x.test`+metadata+`>; rel="describedby"; type="application/ld+json"`; got != want {
		t.Errorf("Link of the record is %q, want %q", got, want)
	}
	byID := get(t, h, "/catalogue/datasets/"+third(t, c).ID+"/croissant.json?version=1.1&x=%20")
	if got, want := byID.Header().Get("Location"), metadata+"?version=1.1&x=%20"; byID.Code != 308 || got != want {
		t.Errorf("by id: %d to %q, want 308 to %q", byID.Code, got, want)
	}
	e := catalogueFailure(t, get(t, h, "/catalogue/datasets/s-3/croissant.json"), 404)
	if e.Error != "not_found" || e.Slug != "s-3" || len(e.DidYouMean) == 0 {
		t.Errorf("of an unknown slug: %+v", e)
	}
	catalogueFailure(t, get(t, h, "/catalogue/datasets/s-29/croissant.json"), 404) // a draft
	catalogueFailure(t, do(h, request("POST", metadata, "{}")), 405)
	if w := get(t, h, "/catalogue/datasets/s-28/croissant.json"); w.Code != 200 {
		t.Errorf("of a retired dataset: %d, want 200", w.Code)
	}
}

func third(t *testing.T, c *catalogue.Service) *catalogue.Dataset {
	t.Helper()
	d, err := c.Dataset(t.Context(), "s-03")
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestCroissantVersions(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Config{Catalogue: newCatalogue(t)})
	for _, tt := range []struct{ query, accept, want string }{
		{"", "", "1.0"},
		{"", "*/*", "1.0"},
		{"", "application/json", "1.0"}, // nothing else is there
		{"", "application/ld+json", "1.0"},
		{"", newProfile, "1.1"},
		{"", `text/html, application/LD+JSON ; Profile="http://mlcommons.org/croissant/1.1" ; q=0.3`, "1.1"},
		{"", `application/ld+json;profile="http://x.test/a,b http://mlcommons.org/croissant/1.1"`, "1.1"},
		{"", newProfile + ";q=0", "1.0"},
		{"", newProfile + ";q=0.5, application/ld+json", "1.0"},
		{"", newProfile + ", application/ld+json;q=0.9", "1.1"},
		{"", newProfile + ", application/ld+json", "1.1"},
		{"", newProfile + `;q=0.5, application/ld+json;profile="http://mlcommons.org/croissant/1.0"`, "1.0"},
		{"", `application/ld+json;profile="http://mlcommons.org/croissant/1.10"`, "1.0"},
		{"", `application/ld+json;profile="http://mlcommons.org/croissant/1.1`, "1.0"},
		{"", `text/plain;x="` + newProfile + `"`, "1.0"},
		{"", `application/json;profile="http://mlcommons.org/croissant/1.1"`, "1.0"},
		{"?version=1.1", "", "1.1"},
		{"?version=1.0", newProfile, "1.0"},
		{"?version=", newProfile, "1.1"},
		{"?colour=red&Version=1.1", "", "1.0"},
		{"?version=1.2", "", ""},
		{"?version=1", "", ""},
		{"?version=1.1&version=1.1", "", ""},
		{"?version=" + strings.Repeat("x", 5000), "", ""},
		{"?version=%ff%00", "", ""},
		{"?utm=%zz", "", "1.0"}, // as the other paths have it
	} {
		var header []string
		if tt.accept != "" {
			header = []string{"Accept", tt.accept}
		}
		w := get(t, h, metadata+tt.query, header...)
		if tt.want == "" {
			e := catalogueFailure(t, w, 400)
			if e.Error != "invalid_parameter" || e.Parameter != "version" || len(e.Message) > 300 {
				t.Errorf("%.40s: %+v", tt.query, e)
			}
			continue
		}
		v := croissant.Version(tt.want)
		if got := w.Header().Get("Content-Type"); w.Code != 200 || got != v.MediaType() || !strings.Contains(w.Body.String(), v.ConformsTo()+`"`) {
			t.Errorf("%s with Accept %s: %d %s, want version %s", tt.query, tt.accept, w.Code, got, v)
		}
		if w.Header().Get("Vary") != "Accept, Accept-Encoding" {
			t.Errorf("%s with Accept %s: Vary is %q", tt.query, tt.accept, w.Header().Get("Vary"))
		}
	}
	if got := get(t, h, metadata+"?Version=1.1&a=b").Header().Get("X-Ignored-Parameters"); got != "Version, a" {
		t.Errorf("x-ignored-parameters is %q, want both", got)
	}
	e := catalogueFailure(t, get(t, h, metadata+"?version=2"), 400)
	if !strings.Contains(e.Message, "1.0, 1.1") || !strings.Contains(e.Message, `"2"`) {
		t.Errorf("message %q does not say what is allowed and what was sent", e.Message)
	}
}

func TestCroissantConditions(t *testing.T) {
	t.Parallel()
	c := newCatalogue(t)
	h := newHandler(t, Config{Catalogue: c})
	d := documentOf(t, c, croissant.V10)
	zipped := strings.TrimSuffix(d.ETag, `"`) + `-gzip"`
	other := documentOf(t, c, croissant.V11).ETag
	for _, tt := range []struct {
		header []string
		want   int
	}{
		{[]string{"If-None-Match", d.ETag}, 304},
		{[]string{"If-None-Match", "W/" + d.ETag}, 304},
		{[]string{"If-None-Match", `"x", ` + d.ETag}, 304},
		{[]string{"If-None-Match", "*"}, 304},
		{[]string{"If-None-Match", `"x"`}, 200},
		{[]string{"If-None-Match", ""}, 200},
		{[]string{"If-None-Match", zipped}, 200}, // other bytes
		{[]string{"If-None-Match", other}, 200},
		{[]string{"If-None-Match", zipped, "Accept-Encoding", "gzip"}, 304},
		{[]string{"If-None-Match", d.ETag, "Accept-Encoding", "gzip"}, 200},
		{[]string{"If-None-Match", d.ETag, "Accept", newProfile}, 200},
		{[]string{"If-None-Match", other, "Accept", newProfile}, 304},
		{[]string{"If-Modified-Since", time.Now().AddDate(1, 0, 0).UTC().Format(http.TimeFormat)}, 200}, // not by time
	} {
		for _, method := range []string{"GET", "HEAD"} {
			w := do(h, request(method, metadata, "", tt.header...))
			if w.Code != tt.want || (w.Body.Len() > 0) != (tt.want == 200 && method == "GET") {
				t.Errorf("%s with %q = %d with %d bytes, want %d", method, tt.header, w.Code, w.Body.Len(), tt.want)
			}
			hd := w.Header()
			if hd.Get("ETag") == "" || hd.Get("Last-Modified") != "" || hd.Get("Cache-Control") == "" || hd.Get("Vary") == "" || (hd.Get("Content-Type") != "") != (tt.want == 200) {
				t.Errorf("%s with %q: headers %v", method, tt.header, hd)
			}
		}
	}
}

func TestCroissantZipped(t *testing.T) {
	t.Parallel()
	c := newCatalogue(t)
	h := newHandler(t, Config{Catalogue: c})
	d := documentOf(t, c, croissant.V10)
	for accept, want := range map[string]bool{"gzip": true, "br, gzip;q=0.1": true, "gzip;q=0": false, "br": false, "identity": false} {
		w := get(t, h, metadata, "Accept-Encoding", accept)
		body, err := io.ReadAll(w.Body)
		if zipped := w.Header().Get("Content-Encoding") == "gzip"; zipped != want {
			t.Errorf("with %q: zipped %v, want %v", accept, zipped, want)
		} else if zipped {
			r, zerr := gzip.NewReader(bytes.NewReader(body))
			if zerr != nil {
				t.Fatal(zerr)
			}
			body, err = io.ReadAll(r)
		}
		if err != nil || !bytes.Equal(body, d.Body) || (w.Header().Get("ETag") == d.ETag) == want {
			t.Errorf("with %q: %d bytes, %v, ETag %s; want the document, and its tag if it is not zipped", accept, len(body), err, w.Header().Get("ETag"))
		}
	}
}

// checked posts a body to be checked.
func checked(h http.Handler, body string, header ...string) *httptest.ResponseRecorder {
	return do(h, request("POST", "/api/catalogue/croissant/validate", body, header...))
}

func TestCroissantValidate(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Config{Catalogue: newCatalogue(t)})
	own := get(t, h, metadata+"?version=1.1").Body.String()
	for name, body := range map[string]string{
		"nothing": "", "white space": " \n", "no JSON": "{", "a number": "1", "an array": "[]", "an object": "{}", "twice": `{"a":1,"a":2}`,
		"NUL": "\x00", "UTF-8": "{\"\xff\":1}", "surrogate": `{"a":"\ud800"}`, "trailing": "{} {}", "deep": strings.Repeat("[", 3000), "mark": "\ufeff{}",
		"deep and closed": strings.Repeat(`{"a":`, 3000) + "1" + strings.Repeat("}", 3000), "largest": strings.Repeat(" ", 1<<20), "own": own,
	} {
		for _, media := range []string{"", "application/ld+json", "application/json", "text/plain", "multipart/form-data", "nonsense; ;", "application/x-www-form-urlencoded"} {
			var header []string
			if media != "" {
				header = []string{"Content-Type", media}
			}
			w := checked(h, body, header...)
			var got check.Report
			if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != 200 || w.Header().Get("Content-Type") != "application/json" {
				t.Fatalf("%s as %q: %d %s %.200s, want 200 and a report", name, media, w.Code, w.Header().Get("Content-Type"), w.Body)
			}
			if got.Errors == nil || got.Warnings == nil || got.Valid != (len(got.Errors) == 0) {
				t.Errorf("%s: %.300s is no report", name, w.Body)
			}
			if want := check.Validate([]byte(body)); len(want.Errors) != len(got.Errors) || want.Valid != got.Valid {
				t.Errorf("%s: %.300s is not what Validate says: %+v", name, w.Body, want)
			}
		}
	}
	if !strings.Contains(checked(h, own).Body.String(), `"conformsTo":"http://mlcommons.org/croissant/1.1"`) {
		t.Error("the version of the document is not told")
	}
	if e := catalogueFailure(t, checked(h, strings.Repeat(" ", 1<<20+1)), 413); e.Error != "body_too_large" {
		t.Errorf("over 1 MiB: %+v", e)
	}
	catalogueFailure(t, checked(h, "x", "Content-Encoding", "gzip"), 415)
	for _, method := range []string{"GET", "HEAD", "PUT", "DELETE"} {
		w := do(h, request(method, "/api/catalogue/croissant/validate", ""))
		if e := catalogueFailure(t, w, 405); e.Error != "method_not_allowed" || w.Header().Get("Allow") != "POST" {
			t.Errorf("%s: %+v, Allow %q", method, e, w.Header().Get("Allow"))
		}
	}
}

// TestCroissantIsCounted checks that checks count to the address, and documents
// do not.
func TestCroissantIsCounted(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Config{Catalogue: newCatalogue(t), PublicRate: 2})
	for range 3 {
		if w := get(t, h, metadata); w.Code != 200 {
			t.Errorf("GET = %d, want 200: files are free", w.Code)
		}
	}
	for i, want := range []int{200, 200, 429} {
		if w := checked(h, "{}"); w.Code != want || w.Header().Get("X-Ratelimit-Limit-Requests") != "2" {
			t.Errorf("check %d = %d %v, want %d", i, w.Code, w.Header(), want)
		}
	}
}

// TestCroissantTogether checks many at once: each has its report, or is asked to
// come again.
func TestCroissantTogether(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Config{Catalogue: newCatalogue(t)})
	body := get(t, h, metadata).Body.String()
	var all sync.WaitGroup
	for range 8 * runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for range 5 {
				w := checked(h, body)
				if w.Code != 200 && (w.Code != 503 || w.Header().Get("Retry-After") != "1" || !strings.Contains(w.Body.String(), `"overloaded"`)) {
					t.Errorf("%d %v %.200s", w.Code, w.Header(), w.Body)
				}
			}
		})
	}
	all.Wait()
}

// FuzzCroissantAccept asks with any header: the answer is one of the versions.
func FuzzCroissantAccept(f *testing.F) {
	for _, s := range []string{"", newProfile, newProfile + ";q=0", `"`, "/1.1", "application/ld+json;profile=/1.1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, accept string) {
		switch v := restcroissant.AcceptedVersion([]string{accept}); v {
		case croissant.V10:
		case croissant.V11:
			if !strings.Contains(accept, "/1.1") {
				t.Errorf("acceptedVersion(%q) = %s", accept, v)
			}
		default:
			t.Errorf("acceptedVersion(%q) = %q", accept, v)
		}
	})
}

// TestCroissantBadge asks for the badge of a dataset, and for the report and the badge of a document
// that was checked.
func TestCroissantBadge(t *testing.T) {
	t.Parallel()
	links := &badge.Links{By: seal.New(bytes.Repeat([]byte{1}, 32)).For("test"), Base: "https://x.test"}
	c := newCatalogue(t)
	h := newHandler(t, Config{Catalogue: c, Reports: links})
	const at = "/catalogue/datasets/s-03/croissant.svg"
	w := get(t, h, at)
	if w.Code != 200 || w.Header().Get("Content-Type") != "image/svg+xml" || !strings.Contains(w.Body.String(), `aria-label="Croissant 1.1: `) {
		t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
	}
	r := request("GET", at, "")
	r.Header.Set("If-None-Match", w.Header().Get("ETag"))
	if again := do(h, r); again.Code != 304 {
		t.Errorf("with its tag: %d, want 304", again.Code)
	}
	if byID := get(t, h, "/catalogue/datasets/"+third(t, c).ID+"/croissant.svg"); byID.Code != 308 || byID.Header().Get("Location") != at {
		t.Errorf("by id: %d to %q", byID.Code, byID.Header().Get("Location"))
	}
	catalogueFailure(t, get(t, h, "/catalogue/datasets/s-29/croissant.svg"), 404) // a draft
	link := checked(h, "{}").Header().Get("Link")
	_, token, _ := strings.Cut(link, "<https://x.test"+badge.ReportsPrefix)
	token, _, _ = strings.Cut(token, ">")
	result, ok := badge.Read(token, links.By)
	if !ok || result.Valid() || !strings.Contains(link, "<https://x.test"+badge.BadgesPrefix+token+`.svg>; rel="icon"`) {
		t.Errorf("Link = %s", link)
	}
	if got := checked(newHandler(t, Config{Catalogue: c}), "{}").Header().Get("Link"); got != "" {
		t.Errorf("without a signer, Link = %q", got)
	}
}
