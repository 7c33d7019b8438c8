package rest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"vaak/catalogue"
	"vaak/catalogue/cataloguetest"
	"vaak/croissant/publish"
	"vaak/enquiry"
	restcatalogue "vaak/rest/catalogue"
	"vaak/rest/enquiries"
	"vaak/rest/frame"
)

// newCatalogue returns a catalogue with datasets s-00 to s-29, of which s-28 is
// retired and s-29 a draft.
func newCatalogue(t testing.TB) *catalogue.Service {
	t.Helper()
	m := &cataloguetest.Memory{}
	s, err := catalogue.New(t.Context(), catalogue.Config{Store: m, Files: m, PublicURL: "https://x.test"})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 30 {
		d := cataloguetest.Full(fmt.Sprintf("s-%02d", i))
		d.Hours = float64(100 - i)
		put, err := s.Put(t.Context(), catalogue.Draft{Dataset: d, Files: []catalogue.DraftFile{
			cataloguetest.File("recordings.csv", "text/csv; charset=utf-8", "recording_id\n1\n"),
			cataloguetest.File("sample/sample.wav", "audio/wav", "RIFF0123456789"),
		}})
		if err == nil && i < 29 {
			_, err = s.Move(t.Context(), put.Slug, catalogue.Published)
		}
		if err == nil && i == 28 {
			_, err = s.Move(t.Context(), put.Slug, catalogue.Retired)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func get(t testing.TB, h http.Handler, target string, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	return do(h, request("GET", target, "", header...))
}

// catalogueFailure checks an error of the catalogue and returns its body.
func catalogueFailure(t *testing.T, w *httptest.ResponseRecorder, status int) (e frame.CatalogueError) {
	t.Helper()
	if err := json.Unmarshal(w.Body.Bytes(), &e); err != nil || w.Code != status || e.Error == "" || e.Error != e.Code || e.Message == "" {
		t.Errorf("status %d, body %s, %v; want %d with error, code and message", w.Code, w.Body, err, status)
	}
	return e
}

func TestDatasetList(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Config{Catalogue: newCatalogue(t)})
	var slugs []string
	target := "/api/catalogue/datasets?limit=10&min_hours=1"
	for pages := 0; target != "" && pages < 5; pages++ {
		w := get(t, h, target)
		var list restcatalogue.DatasetList
		if err := json.Unmarshal(w.Body.Bytes(), &list); err != nil || w.Code != 200 || list.Count != 28 {
			t.Fatalf("%s: %d, %v, %d datasets; want 200 and 28", target, w.Code, err, list.Count)
		}
		for _, b := range list.Datasets {
			slugs = append(slugs, b.Slug)
		}
		link := w.Header().Get("Link")
		if (list.Next == "") != (link == "") {
			t.Errorf("next is %q and Link %q", list.Next, link)
		}
		target, _, _ = strings.Cut(strings.TrimPrefix(link, "<"), ">")
	}
	var want []string
	for i := range 28 {
		want = append(want, fmt.Sprintf("s-%02d", i))
	}
	if diff := cmp.Diff(want, slugs); diff != "" {
		t.Errorf("slugs of all pages (-want +got):\n%s", diff)
	}
}

func TestDatasetListParameters(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Config{Catalogue: newCatalogue(t)})
	for query, want := range map[string]any{
		"":                           28,
		"sample=false&transcribed=0": 28,
		"sample=TRUE":                28,
		"q=":                         28,
		"language=hi":                28,
		"language=ta&language=hi":    28,
		"language=ta,hi-IN":          28,
		"language=xx":                0,
		"channels=dual":              28,
		"channels=mono":              0,
		"min_hours=99.5":             1,
		"facets=1&limit=1":           28,
		"language=hi_IN,hi-Deva":     28,
		"language=हिन्दुस्तानी": 28,
		"q=hindii":                             28,
		"domain=TEXT,nothing":                  28,
		"domain=nothing":                       0,
		"license=text&license=other":           28,
		"min_speakers=2":                       28,
		"min_speakers=3":                       0,
		"sample_rate=8000":                     0,
		"sort=newest":                          28,
		"similar=s-03&limit=5":                 27,
		"similar=s-28":                         28,
		"min_speakers=x":                       "min_speakers",
		"min_speakers=-1":                      "min_speakers",
		"sample_rate=8k":                       "sample_rate",
		"sample_rate=0":                        "sample_rate",
		"sort=price":                           "sort",
		"sort=hours&similar=s-03":              "sort",
		"similar=nothing":                      "similar",
		"similar=s-29":                         "similar",
		"domain=" + strings.Repeat("a,", 11):   "domain",
		"license=" + strings.Repeat("a", 201):  "license",
		"channels=stereo":                      "channels",
		"collection=both":                      "collection",
		"sample=yes":                           "sample",
		"min_hours=NaN":                        "min_hours",
		"min_hours=-1":                         "min_hours",
		"min_hours=Inf":                        "min_hours",
		"min_hours=ten":                        "min_hours",
		"limit=0":                              "limit",
		"limit=501":                            "limit",
		"limit=1e3":                            "limit",
		"cursor=zz":                            "cursor",
		"channels=dual&channels=mono":          "channels",
		"q=" + strings.Repeat("a", 201):        "q",
		"q=%ff":                                "q",
		"q=%zz":                                "",
		"language=" + strings.Repeat("a,", 11): "language",
	} {
		w := get(t, h, "/api/catalogue/datasets?"+query)
		switch want := want.(type) {
		case int:
			var list restcatalogue.DatasetList
			if err := json.Unmarshal(w.Body.Bytes(), &list); err != nil || w.Code != 200 || list.Count != want {
				t.Errorf("%s: %d, %d datasets, %v; want %d", query, w.Code, list.Count, err, want)
			}
		case string:
			if e := catalogueFailure(t, w, 400); e.Parameter != want {
				t.Errorf("%s: parameter %q, want %q", query, e.Parameter, want)
			}
		}
	}
	w := get(t, h, "/api/catalogue/datasets?channel=dual&b%0Ax=1")
	if got, want := w.Header().Get("X-Ignored-Parameters"), "b%0Ax, channel"; got != want {
		t.Errorf("x-ignored-parameters is %q, want %q", got, want)
	}
}

// TestDatasetFacets checks that the counts are those of the list.
func TestDatasetFacets(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Config{Catalogue: newCatalogue(t)})
	var list restcatalogue.DatasetList
	var counts restcatalogue.FacetCounts
	w := get(t, h, "/api/catalogue/facets?min_hours=80&language=hi&limit=3")
	for _, read := range []struct {
		w  *httptest.ResponseRecorder
		to any
	}{{get(t, h, "/api/catalogue/datasets?min_hours=80&language=hi&facets=true"), &list}, {w, &counts}} {
		if err := json.Unmarshal(read.w.Body.Bytes(), read.to); err != nil || read.w.Code != 200 {
			t.Fatalf("%d, %v: %s", read.w.Code, err, read.w.Body)
		}
	}
	if diff := cmp.Diff(restcatalogue.FacetCounts{Count: list.Count, TotalHours: list.TotalHours, Facets: *list.Facets}, counts); diff != "" || list.Count != 21 {
		t.Errorf("the counts of %d datasets (-list +facets):\n%s", list.Count, diff)
	}
	if got := w.Header().Get("X-Ignored-Parameters"); got != "limit" {
		t.Errorf("x-ignored-parameters is %q, want limit", got)
	}
	if again := get(t, h, "/api/catalogue/facets?min_hours=80&language=hi&limit=3", "If-None-Match", w.Header().Get("ETag")); again.Code != 304 {
		t.Errorf("with its tag: %d, want 304", again.Code)
	}
	if e := catalogueFailure(t, get(t, h, "/api/catalogue/facets?channels=stereo"), 400); e.Parameter != "channels" {
		t.Errorf("a wrong channel: parameter %q", e.Parameter)
	}
}

func TestDatasetRecord(t *testing.T) {
	t.Parallel()
	c := newCatalogue(t)
	h := newHandler(t, Config{Catalogue: c})
	d, err := c.Dataset(t.Context(), "s-03")
	if err != nil {
		t.Fatal(err)
	}
	w := get(t, h, "/api/catalogue/datasets/s-03")
	var got catalogue.Dataset
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != 200 {
		t.Fatalf("%d, %v", w.Code, err)
	}
	if diff := cmp.Diff(*d, got); diff != "" {
		t.Errorf("the record (-kept +served):\n%s", diff)
	}
	if again := get(t, h, "/api/catalogue/datasets/s-03", "If-None-Match", w.Header().Get("ETag")); again.Code != 304 || again.Body.Len() != 0 {
		t.Errorf("with its tag: %d, %d bytes; want 304 and none", again.Code, again.Body.Len())
	}
	moved := get(t, h, "/api/catalogue/datasets/"+d.ID)
	if moved.Code != 308 || moved.Header().Get("Location") != "/api/catalogue/datasets/s-03" {
		t.Errorf("by id: %d to %q, want 308 to the slug", moved.Code, moved.Header().Get("Location"))
	}
	e := catalogueFailure(t, get(t, h, "/api/catalogue/datasets/s-3"), 404)
	stranger := func(slug string) bool { return !strings.HasPrefix(slug, "s-") } // which slugs they are depends on the ids, which are random
	if e.Error != "not_found" || e.Slug != "s-3" || len(e.DidYouMean) != 3 || slices.ContainsFunc(e.DidYouMean, stranger) {
		t.Errorf("of an unknown slug: %+v", e)
	}
	catalogueFailure(t, get(t, h, "/api/catalogue/datasets/s-29"), 404)
	catalogueFailure(t, get(t, h, "/api/catalogue/nothing"), 404)
	catalogueFailure(t, do(h, request("DELETE", "/api/catalogue/datasets/s-03", "")), 405)
	if w := get(t, h, "/api/catalogue/datasets/s-28"); w.Code != 200 || !strings.Contains(w.Body.String(), `"status":"retired"`) {
		t.Errorf("a retired dataset: %d, want 200 with its status", w.Code)
	}
}

func TestDatasetFiles(t *testing.T) {
	t.Parallel()
	c := newCatalogue(t)
	h := newHandler(t, Config{Catalogue: c})
	d, err := c.Dataset(t.Context(), "s-03")
	if err != nil {
		t.Fatal(err)
	}
	at := func(address string) string {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		return u.RequestURI()
	}
	w := get(t, h, at(d.Sample.URL))
	if w.Code != 200 || w.Body.String() != "RIFF0123456789" || w.Header().Get("Content-Type") != "audio/wav" || !strings.Contains(w.Header().Get("Cache-Control"), "immutable") {
		t.Errorf("the sample: %d, %q, %v", w.Code, w.Body, w.Header())
	}
	if w := get(t, h, "/catalogue/datasets/s-03/sample/sample.wav", "Range", "bytes=4-7"); w.Code != 206 || w.Body.String() != "0123" || strings.Contains(w.Header().Get("Cache-Control"), "immutable") {
		t.Errorf("a part of it: %d, %q, %v", w.Code, w.Body, w.Header())
	}
	if w := get(t, h, "/catalogue/datasets/s-03/sample/sample.wav", "If-None-Match", w.Header().Get("ETag")); w.Code != 304 {
		t.Errorf("with its tag: %d, want 304", w.Code)
	}
	catalogueFailure(t, get(t, h, "/catalogue/datasets/s-03/sample/sample.wav", "Range", "bytes=99-"), 416)
	catalogueFailure(t, get(t, h, "/catalogue/datasets/s-03/sample/card.yaml"), 404)
	catalogueFailure(t, get(t, h, "/catalogue/datasets/s-29/recordings.csv"), 404)
	if w := get(t, h, "/catalogue/datasets/"+d.ID+"/recordings.csv"); w.Code != 308 || w.Header().Get("Location") != "/catalogue/datasets/s-03/recordings.csv" {
		t.Errorf("by id: %d to %q", w.Code, w.Header().Get("Location"))
	}
}

// What is served is what the description says.
func TestCatalogueMatchesItsDescription(t *testing.T) {
	t.Parallel()
	m := &cataloguetest.Memory{}
	c, err := catalogue.New(t.Context(), catalogue.Config{Store: m, Files: m, PublicURL: "https://x.test"})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []catalogue.Dataset{cataloguetest.Full("full"), cataloguetest.Dataset("bare"), cataloguetest.Dataset("hi-in-call-centre-banking-dual")} {
		sample := []catalogue.DraftFile{cataloguetest.File("sample/sample.wav", "audio/wav", "RIFF")} // for the example that asks for it
		if _, err = c.Put(t.Context(), catalogue.Draft{Dataset: d, Files: sample}); err == nil {
			_, err = c.Move(t.Context(), d.Slug, catalogue.Published)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	h := newHandler(t, Config{Catalogue: c})
	var doc any
	if err := json.Unmarshal(get(t, h, "/api/catalogue/openapi.json").Body.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	if err := compiler.AddResource("openapi.json", doc); err != nil {
		t.Fatal(err)
	}
	for target, name := range map[string]string{
		"/api/catalogue/datasets/full":                "Dataset",
		"/api/catalogue/datasets/bare":                "Dataset",
		"/api/catalogue/datasets?facets=true&limit=1": "DatasetList",
		"/api/catalogue/datasets?limit=x":             "CatalogueError",
		"/api/catalogue/facets?q=hindi":               "FacetCounts",
		"/api/catalogue/datasets/none":                "CatalogueError",
		"/catalogue/datasets/none/croissant.json":     "CatalogueError",
		"/api/catalogue/croissant/validate":           "CroissantReport",
	} {
		ask := request("GET", target, "")
		if strings.HasSuffix(target, "/validate") {
			ask = request("POST", target, "{}")
		}
		checkSchema(t, compiler, name, target, do(h, ask).Body)
	}
	checkEnquirySchemas(t, compiler, doc, c)
}

// checkSchema checks that a document is as a schema of the description has it.
func checkSchema(t *testing.T, compiler *jsonschema.Compiler, name, what string, document io.Reader) {
	t.Helper()
	schema, err := compiler.Compile("openapi.json#/components/schemas/" + name)
	if err != nil {
		t.Fatal(err)
	}
	body, err := jsonschema.UnmarshalJSON(document)
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(body); err != nil {
		t.Errorf("%s is no %s: %v", what, name, err)
	}
}

// checkEnquirySchemas sends the examples of the description, and what is refused.
func checkEnquirySchemas(t *testing.T, compiler *jsonschema.Compiler, doc any, c *catalogue.Service) {
	t.Helper()
	e := newEnquiries(t, c)
	h := newHandler(t, Config{Catalogue: c, Enquiries: e})
	op := dig(doc, "paths", enquiries.EnquiryPath, "post")
	requests, _ := dig(op, "requestBody", "content", "application/json", "examples").(map[string]any)
	send := func(status int, schema, body string) {
		w := do(h, enquire(body))
		if w.Code != status {
			t.Errorf("%s: %d %s, want %d", body, w.Code, w.Body, status)
		}
		checkSchema(t, compiler, schema, body, w.Body)
	}
	for _, example := range requests {
		text, err := json.Marshal(dig(example, "value"))
		if err != nil {
			t.Fatal(err)
		}
		checkSchema(t, compiler, "EnquiryRequest", string(text), bytes.NewReader(text))
		send(202, "EnquiryReceipt", string(text))
	}
	if len(requests) != len(enquiry.Intents) || len(e.kept.Sent) != len(requests) {
		t.Errorf("%d examples, %d are kept; want one of each intent", len(requests), len(e.kept.Sent))
	}
	nulls := person(`"intent":"quote","dataset":null,"message":null,"company":null,"agent":null`)
	checkSchema(t, compiler, "EnquiryRequest", nulls, strings.NewReader(nulls))
	send(202, "EnquiryReceipt", nulls)
	send(429, "CatalogueError", person(`"message":"the sixth"`))
	send(400, "EnquiryError", "")
	send(400, "EnquiryError", `{"name":5}`)
	send(400, "EnquiryError", person(`"dataset":"hindi-banking"`))
	send(413, "CatalogueError", strings.Repeat(" ", 65<<10))
	refusals, _ := dig(op, "responses", "400", "content", "application/json", "examples").(map[string]any)
	for name, body := range map[string]string{"field": `{"name":5}`, "body": "", "dataset": person(`"dataset":"hindi-banking"`)} {
		var got any
		if err := json.Unmarshal(do(h, enquire(body)).Body.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(dig(refusals[name], "value"), got); diff != "" {
			t.Errorf("example %s (-described +served):\n%s", name, diff)
		}
	}
}

// TestCatalogueAlone checks a server without speech.
func TestCatalogueAlone(t *testing.T) {
	t.Parallel()
	c := newCatalogue(t)
	h, err := New(Config{Accounts: accounts{}, Catalogue: c, Croissant: publish.New(c, "https://x.test")})
	if err != nil {
		t.Fatal(err)
	}
	for target, status := range map[string]int{
		"/api/catalogue/datasets": 200, "/api/catalogue/openapi.json": 200, "/openapi.json": 200,
		"/v1/voices": 404, "/health": 404, "/asyncapi.json": 404,
	} {
		if w := get(t, h, target); w.Code != status {
			t.Errorf("GET %s: %d, want %d", target, w.Code, status)
		}
	}
	if w := do(newHandler(t, Config{}), request("GET", "/api/catalogue/datasets", "")); w.Code != 404 {
		t.Errorf("the catalogue of a server without it: %d, want 404", w.Code)
	}
}

// TestListsAreKept checks that the bytes of a list are served until a record changes, with the headers
// that belong to them, and that a record's are.
func TestListsAreKept(t *testing.T) {
	t.Parallel()
	c := newCatalogue(t)
	h := newHandler(t, Config{Catalogue: c})
	paths := []string{
		"/api/catalogue/datasets?limit=2&colour=red", "/api/catalogue/datasets?limit=2", "/api/catalogue/facets?min_hours=1",
		"/api/catalogue/facets", "/api/catalogue/datasets/s-00",
	}
	first := map[string]*httptest.ResponseRecorder{}
	for _, path := range paths {
		first[path] = do(h, request("GET", path, ""))
	}
	if first[paths[0]].Header().Get("X-Ignored-Parameters") != "colour" || first[paths[0]].Header().Get("Link") == "" {
		t.Errorf("the headers are %v", first[paths[0]].Header())
	}
	for path, want := range first {
		got := do(h, request("GET", path, ""))
		for _, name := range []string{"Etag", "Link", "X-Ignored-Parameters", "Cache-Control", "Content-Type", "Content-Length"} {
			if got.Header().Get(name) != want.Header().Get(name) {
				t.Errorf("%s: the second answer has %s %q, want %q", path, name, got.Header().Get(name), want.Header().Get(name))
			}
		}
		if got.Body.String() != want.Body.String() {
			t.Errorf("%s: the second answer differs from the first", path)
		}
		if again := do(h, request("GET", path, "", "If-None-Match", want.Header().Get("Etag"))); again.Code != http.StatusNotModified {
			t.Errorf("%s: the status with the tag is %d, want 304", path, again.Code)
		}
	}
	d := cataloguetest.Full("s-00")
	d.Title, d.Hours = "Another title", 500
	if _, err := c.Put(t.Context(), catalogue.Draft{Dataset: d, Files: []catalogue.DraftFile{
		cataloguetest.File("recordings.csv", "text/csv; charset=utf-8", "recording_id\n1\n"),
		cataloguetest.File("sample/sample.wav", "audio/wav", "RIFF0123456789"),
	}}); err != nil {
		t.Fatal(err)
	}
	for path, old := range first {
		if now := do(h, request("GET", path, "")); now.Body.String() == old.Body.String() || now.Header().Get("Etag") == old.Header().Get("Etag") {
			t.Errorf("%s is served as before, after a record has changed", path)
		}
	}
}
