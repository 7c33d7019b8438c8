package web_test

import (
	"encoding/xml"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"vaak/catalogue"
	"vaak/croissant/publish"
	"vaak/web"
)

// withCatalogue returns the pages of a catalogue.
func withCatalogue(t testing.TB, l catalogue.Reader) *web.Handler {
	t.Helper()
	cfg := config()
	cfg.Catalogue, cfg.Croissant = l, publish.New(l, origin)
	h, err := web.New(cfg)
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	return h
}

// element is an element of a page with its attributes, and the text right in it.
type element struct {
	name  string
	attrs map[string]string
	text  string
}

// elements parses a page.
func elements(t testing.TB, page string) []element {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(page))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	var out []element
	var open []int
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatalf("parse the page: %v", err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			e := element{name: token.Name.Local, attrs: map[string]string{}}
			for _, a := range token.Attr {
				e.attrs[a.Name.Local] = a.Value
			}
			out, open = append(out, e), append(open, len(out))
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			if len(open) > 0 {
				out[open[len(open)-1]].text += string(token)
			}
		}
	}
}

// texts returns the texts of all elements of a name.
func texts(all []element, name string) []string {
	var out []string
	for _, e := range all {
		if e.name == name {
			out = append(out, strings.TrimSpace(e.text))
		}
	}
	return out
}

// checkMarkup says what no page may have: anything inline that its policy would
// block, headings that skip a level, ids twice, references to ids that are not there.
func checkMarkup(t testing.TB, page string) []element {
	t.Helper()
	all := elements(t, page)
	level, ids := 0, []string{}
	for _, e := range all {
		for name := range e.attrs {
			if name == "style" || strings.HasPrefix(name, "on") {
				t.Errorf("<%s> has the attribute %s, which the policy forbids", e.name, name)
			}
		}
		switch e.name {
		case "style":
			t.Error("the page has an inline style")
		case "script":
			if e.attrs["src"] == "" && e.attrs["type"] != "application/ld+json" {
				t.Errorf("the page has an inline script: %q", e.text)
			}
		case "h1", "h2", "h3", "h4":
			next := int(e.name[1] - '0')
			if next > level+1 {
				t.Errorf("heading %q of level %d follows one of level %d", e.text, next, level)
			}
			level = next
		}
		if id := e.attrs["id"]; id != "" {
			if slices.Contains(ids, id) {
				t.Errorf("id %q is there twice", id)
			}
			ids = append(ids, id)
		}
	}
	for _, e := range all {
		refs := append(strings.Fields(e.attrs["aria-describedby"]), e.attrs["aria-labelledby"], e.attrs["for"])
		if fragment, ok := strings.CutPrefix(e.attrs["href"], "#"); ok {
			refs = append(refs, fragment)
		}
		for _, ref := range refs {
			if ref != "" && !slices.Contains(ids, ref) {
				t.Errorf("<%s> refers to #%s, which is not there", e.name, ref)
			}
		}
	}
	if n := len(texts(all, "h1")); n != 1 {
		t.Errorf("%d headings of level 1, want 1", n)
	}
	return all
}

func TestCataloguePages(t *testing.T) {
	t.Parallel()
	h := withCatalogue(t, shelves())
	for _, tt := range []struct {
		path   string
		status int
		says   []string
		lacks  []string
	}{
		{"/", 200, []string{`<a href="/catalogue"><strong>Catalogue</strong>`, `<a href="/catalogue">Catalogue</a>`}, nil},
		{"/docs", 200, []string{`<a href="/catalogue">Catalogue</a>`}, []string{"<footer"}},
		{"/catalogue", 200, []string{"4 datasets", "1,454 hours", "Hindi bank calls", `aria-current="page">Catalogue`, "Sample to hear", `rel="canonical" href="http://speech.test:8080/catalogue"`},
			[]string{"Bengali", "noindex", "Nothing matches"}},
		{"/catalogue?channels=mono", 200, []string{"1 dataset", "Hinglish", "noindex", `aria-label="Filters that are on"`}, []string{"Tamil telephony"}},
		{"/catalogue?q=zzz", 200, []string{"Nothing matches.", "Show all datasets", "0 datasets"}, []string{`class="card"`}},
		{"/catalogue/datasets/hindi-bank-calls", 200, []string{
			"<h1 dir=\"auto\">Hindi bank calls</h1>", `src="/catalogue/datasets/hindi-bank-calls/sample/sample.wav"`, "Priya, agent", "Waveform of channel 2: Arjun, customer",
			`lang="hi-IN" dir="auto">नमस्ते`, "median <strong>180 ms", "overlap, under 0 ms", "audio-vad, conv 1.0", "24 more lines", "median −23.1 LUFS, p10–p90 −27.4 to −20 LUFS",
			"declared", `href="mailto:data@example.org"`, `href="/api/catalogue/datasets/hindi-bank-calls"`, "recordings.csv", "1 February 2025", "Vaak Commercial Licence",
			"measurements.turnTaking.note", "Under what licence the sample is given", "30 September 2025",
		}, []string{"noindex", "Synthetic speech", "Retired."}},
		{"/catalogue/datasets/hinglish-chat", 200, []string{"Synthetic speech.", "Meera", "Method transcript, conv 1.0", "not to be compared", "free of charge"}, []string{"data-mute", "Who speaks when"}},
		{"/catalogue/datasets/tamil-telephony", 200, []string{"Speaker 2", "upsampled", "The card says dual; the files say stereo.", "8 kHz (900 files), 16 kHz (100 files)"}, []string{`class="transcript"`}},
		{"/catalogue/datasets/bengali-radio-plays", 200, []string{"Retired.", `<meta name="robots" content="noindex">`}, []string{`rel="canonical"`}},
		{"/catalogue/datasets/hindi-bank", 404, []string{"There is no such dataset", "hindi-bank", `href="/catalogue/datasets/hindi-bank-calls"`, "noindex"}, nil},
	} {
		t.Run(tt.path, func(t *testing.T) {
			t.Parallel()
			w := get(t, h, tt.path)
			if w.Code != tt.status {
				t.Fatalf("GET %s = %d, want %d", tt.path, w.Code, tt.status)
			}
			body := w.Body.String()
			checkMarkup(t, body)
			for _, want := range tt.says {
				if !strings.Contains(body, want) {
					t.Errorf("GET %s lacks %q", tt.path, want)
				}
			}
			for _, not := range tt.lacks {
				if strings.Contains(body, not) {
					t.Errorf("GET %s has %q", tt.path, not)
				}
			}
		})
	}
}

// What a dataset's page refers to on this server is served, by the pages or by
// those who serve the catalogue's files and records.
func TestCatalogueReferences(t *testing.T) {
	t.Parallel()
	h := withCatalogue(t, shelves())
	others := []string{"/openapi.json", "/health", "/api/catalogue/datasets/", "/catalogue/datasets/hindi-bank-calls/sample/", "/catalogue/datasets/hindi-bank-calls/recordings.csv", "/catalogue/datasets/hindi-bank-calls/croissant.json", "/catalogue/datasets/hindi-bank-calls/dcat.jsonld", "/catalogue/datasets/hindi-bank-calls/ro-crate-metadata.json", "/catalogue/dcat.jsonld"}
	for _, page := range []string{"/catalogue", "/catalogue/datasets/hindi-bank-calls"} {
		for _, e := range elements(t, get(t, h, page).Body.String()) {
			for _, ref := range []string{e.attrs["src"], e.attrs["href"], e.attrs["action"]} {
				if !strings.HasPrefix(ref, "/") || slices.ContainsFunc(others, func(o string) bool { return strings.HasPrefix(ref, o) }) {
					continue
				}
				if w := get(t, h, ref); w.Code != http.StatusOK {
					t.Errorf("%s refers to %s, which answers %d", page, ref, w.Code)
				}
			}
			if src := e.attrs["src"]; src != "" && !strings.HasPrefix(src, "/") {
				t.Errorf("%s loads %q, want a path of this server", page, src)
			}
		}
	}
}
