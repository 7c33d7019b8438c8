package web_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"vaak/catalogue"
	"vaak/croissant"
	"vaak/croissant/publish"
	"vaak/web"
)

const hindiPath = "/catalogue/datasets/hindi-bank-calls"

// embedded returns the Croissant document in a page as a browser reads it: up to
// what ends the element.
func embedded(t testing.TB, page string) string {
	t.Helper()
	_, rest, ok := strings.Cut(page, `<script type="application/ld+json">`)
	if !ok {
		t.Fatal("the page has no Croissant document")
	}
	end := strings.Index(strings.ToLower(rest), "</script")
	return rest[:end]
}

// The document in the page is the one that is served, byte for byte; it is JSON,
// says what the record says, and cannot end its element.
func TestEmbeddedDocument(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*catalogue.Dataset){
		"clean": func(*catalogue.Dataset) {}, "hostile": spoil,
		"ends the element": func(d *catalogue.Dataset) { d.Title = "</script><script>alert(1)" },
		"opens a comment":  func(d *catalogue.Dataset) { d.Title = "<!-- <script>" },
		"closes a comment": func(d *catalogue.Dataset) { d.Title = "--> ]]> &lt;/script&gt; `${x}`" },
		"line separators":  func(d *catalogue.Dataset) { d.Title, d.Description = "a\u2028b\u2029c", "a\u2028b\u2029c" },
		"is retired":       func(d *catalogue.Dataset) { d.Status = catalogue.Retired },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := hindi()
			change(d)
			l := &library{sets: []*catalogue.Dataset{d}}
			doc, err := publish.New(l, origin).Document(t.Context(), d.Slug, croissant.V10)
			if err != nil {
				t.Fatalf("Document: %v", err)
			}
			page := get(t, withCatalogue(t, l), hindiPath).Body.String()
			text := embedded(t, page)
			if text != string(doc.Body) {
				t.Fatalf("the page has another document than the service:\n%s\nwant\n%s", text, doc.Body)
			}
			if strings.ContainsAny(text, "<>&\u2028\u2029") {
				t.Errorf("the document holds characters that are markup: %s", text)
			}
			checkDocument(t, text, d)
		})
	}
}

// checkDocument says where a document is not that of a record.
func checkDocument(t *testing.T, text string, d *catalogue.Dataset) {
	t.Helper()
	var got map[string]any
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatalf("the document is no JSON: %v\n%s", err, text)
	}
	for key, want := range map[string]any{"@type": "sc:Dataset", "name": strings.Join(strings.Fields(d.Title), " "), "description": d.Description, "url": d.URL} {
		if got[key] != want {
			t.Errorf("%s = %q, want %q", key, got[key], want)
		}
	}
	if d.Licence.Name == hostile {
		return
	}
	if licence, _ := json.Marshal(got["license"]); !bytes.Contains(licence, []byte("https://example.org/licence")) {
		t.Errorf("license = %s, want that of the record", licence)
	}
	if creator, _ := got["creator"].(map[string]any); creator["name"] != "Example Speech" {
		t.Errorf("creator = %v, want Example Speech", got["creator"])
	}
	if tags, _ := got["inLanguage"].([]any); len(tags) != 2 || tags[0] != "hi-IN" {
		t.Errorf("inLanguage = %v, want hi-IN and en-IN", got["inLanguage"])
	}
}

// drawn is a catalogue whose datasets have the file of a waveform.
type drawn struct{ *library }

func (d drawn) Filed(ctx context.Context, slugOrID string) (*catalogue.Stored, error) {
	s, err := d.library.Filed(ctx, slugOrID)
	if err == nil {
		s.Files = append(s.Files, catalogue.File{Name: "sample/waveform.json", ContentType: "application/json", URL: s.Dataset.URL + "/sample/waveform.json"})
	}
	return s, err
}

// The page names its document in its head, in its headers and for readers.
func TestDocumentIsNamed(t *testing.T) {
	t.Parallel()
	h := withCatalogue(t, drawn{shelves()})
	w := get(t, h, hindiPath)
	const want = "<" + origin + hindiPath + `/croissant.json>; rel="describedby"; type="application/ld+json"`
	got := w.Header().Get("Link")
	for _, link := range []string{
		want, "<" + origin + hindiPath + `>; rel="cite-as"`, `<https://schema.org/Dataset>; rel="type"`, `<https://example.org/licence>; rel="license"`,
		"<" + origin + hindiPath + `/dcat.jsonld>; rel="describedby"; type="application/ld+json"; profile="`,
		"<" + origin + hindiPath + `/ro-crate-metadata.json>; rel="describedby"; type="application/ld+json"; profile="`,
		"<" + origin + "/api" + hindiPath + `>; rel="describedby"; type="application/json"`,
		"<" + origin + hindiPath + `/recordings.csv>; rel="item"; type="text/csv"`,
	} {
		if !strings.Contains(got, link) {
			t.Errorf("Link lacks %s: %s", link, got)
		}
	}
	if strings.Contains(got, "waveform") {
		t.Errorf("Link has the picture of the player, which is no part of the dataset: %s", got)
	}
	found := 0
	for _, e := range checkMarkup(t, w.Body.String()) {
		if e.name == "link" && e.attrs["rel"] == "describedby" && e.attrs["type"] == "application/ld+json" && e.attrs["href"] == hindiPath+"/croissant.json" {
			found++
		}
	}
	if found != 1 {
		t.Errorf("%d links of the head name the document, want 1", found)
	}
	example := texts(elements(t, w.Body.String()), "code")
	if got := strings.Join(example, "\n"); !strings.Contains(got, `mlc.Dataset(jsonld="`+origin+hindiPath+`/croissant.json")`) || !strings.Contains(got, `data.records("recordings")`) {
		t.Errorf("the page has no lines that load the dataset: %q", example)
	}
	if !strings.Contains(embedded(t, w.Body.String()), `"@id":"recordings"`) {
		t.Error("the document has no recordings, which the page shows how to read")
	}
	again := get(t, h, hindiPath, "If-None-Match", w.Header().Get("ETag"))
	if got := again.Header().Get("Link"); again.Code != http.StatusNotModified || !strings.Contains(got, want) {
		t.Errorf("a visit with the tag = %d with Link %q, want 304 with %q", again.Code, got, want)
	}
	for _, path := range []string{"/catalogue", "/catalogue/datasets/none"} {
		if got := get(t, h, path).Header().Get("Link"); got != "" {
			t.Errorf("%s has Link %q, want none", path, got)
		}
	}
	if body := get(t, h, "/catalogue/datasets/odia-bare").Body.String(); strings.Contains(body, `records("recordings")`) {
		t.Error("the page of a dataset without a manifest shows how to read its rows")
	}
}

// The tag of a page changes with its document, though nothing else does.
func TestTagFollowsDocument(t *testing.T) {
	t.Parallel()
	tag := func(l *library) string {
		cfg := config()
		cfg.Catalogue, cfg.Croissant = shelves(), publish.New(l, origin)
		h, err := web.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		return get(t, h, hindiPath).Header().Get("ETag")
	}
	changed := hindi()
	changed.Title = "Another title"
	one, other := tag(shelves()), tag(&library{sets: []*catalogue.Dataset{changed}})
	if one == other || one == "" {
		t.Errorf("pages with two documents share the tag %s", one)
	}
}

// unfiled is a catalogue that shows its records and does not give them out whole.
type unfiled struct {
	*library
	err error
}

func (u unfiled) Filed(context.Context, string) (*catalogue.Stored, error) { return nil, u.err }

// A page without its document is shown all the same, tells nobody of it but the
// log, and is another page to caches.
func TestPageWithoutDocument(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	cfg, l := config(), shelves()
	cfg.Catalogue, cfg.Croissant = l, publish.New(unfiled{l, errors.New("secret detail")}, origin)
	cfg.Log = slog.New(slog.NewJSONHandler(&log, nil))
	h, err := web.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	w := get(t, h, hindiPath)
	body := w.Body.String()
	if w.Code != http.StatusOK || !strings.Contains(body, "Hindi bank calls") || !strings.Contains(body, "recordings.csv") {
		t.Fatalf("GET %s = %d, want 200 and the rest of the page", hindiPath, w.Code)
	}
	checkMarkup(t, body)
	for _, word := range []string{"<script type=\"application/ld+json", "roissant", "secret"} {
		if strings.Contains(body, word) || strings.Contains(w.Header().Get("Link"), word) {
			t.Errorf("the page without its document has %q", word)
		}
	}
	if line := log.String(); !strings.Contains(line, "secret detail") || !strings.Contains(line, `"dataset":"hindi-bank-calls"`) {
		t.Errorf("the log has %q, want the dataset and the error", line)
	}
	if tag := get(t, withCatalogue(t, l), hindiPath).Header().Get("ETag"); tag == w.Header().Get("ETag") {
		t.Errorf("pages with and without their document share the tag %s", tag)
	}
}
