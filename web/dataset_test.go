package web_test

import (
	"errors"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"vaak/catalogue"
	"vaak/croissant/publish"
	"vaak/internal/fault"
	"vaak/web"
)

const hostile = `</script><script>alert(1)</script><img src=x onerror=alert(1)>"'&<!--`

// spoil writes hostile text wherever a card or a transcript may have put it.
func spoil(d *catalogue.Dataset) {
	for _, p := range []*string{
		&d.Title, &d.Description, &d.Version, &d.Language.Name, &d.BCP47, d.Language.NativeName, d.Citation, d.Domain, d.Channels, d.Collection, d.DatePublished,
		&d.Licence.Name, d.Licence.URL, d.Licence.Summary, &d.Licence.Evaluation.Name, &d.Licence.Evaluation.URL, d.Consent.Summary, d.Privacy.Summary,
		d.Contact.Name, d.Contact.Email, d.Contact.URL, &d.Provenance.Creator.Name, &d.Provenance.Creator.URL, d.Provenance.Created, d.CollectionMethod.From,
		&d.Sample.Codec, &d.Sample.Licence.Name, &d.Sample.Streams[0].Speaker, &d.Sample.Streams[1].Role, &d.Sample.Metrics.Method.Name, &d.Sample.Metrics.TurnTaking.Method,
		&d.Specification.Method.Name, &d.Specification.ChannelsClaimed, d.Transcripts.Protocol, &d.Splits[0].Name,
	} {
		*p = hostile
	}
	d.Domains, d.Language.Varieties, d.Consent.Purposes = []string{hostile, hostile}, []string{hostile}, []string{hostile}
	d.Specification.Container, d.Specification.SampleRateHz = map[string]int{hostile: 1}, map[string]int{hostile: 1}
	d.Participants.Gender = map[string]int{hostile: 1}
	d.Sample.Metrics.Lexical.ScriptShare = map[string]float64{hostile: .5, "Latn": .5}
	d.Gaps = append(d.Gaps, hostile, "")
	for i := range d.Sample.Transcript.Segments {
		d.Sample.Transcript.Segments[i].Text, d.Sample.Transcript.Segments[i].Speaker = hostile, hostile
	}
	d.Provenance.Synthetic, d.Provenance.Generator = true, hostile
}

func TestHostileText(t *testing.T) {
	t.Parallel()
	d := hindi()
	clean := len(elements(t, get(t, withCatalogue(t, &library{sets: []*catalogue.Dataset{d}}), "/catalogue/datasets/"+d.Slug).Body.String()))
	d = hindi()
	spoil(d)
	h := withCatalogue(t, &library{sets: []*catalogue.Dataset{d}})
	for _, path := range []string{"/catalogue", "/catalogue/datasets/" + d.Slug, "/catalogue?q=" + "%3C%2Fscript%3E%3Cscript%3Ealert(1)", "/catalogue/datasets/%3Cscript%3E", "/catalogue?min_hours=%3Cscript%3E"} {
		body := get(t, h, path).Body.String()
		all := checkMarkup(t, body)
		for _, e := range all {
			if e.name == "img" && e.attrs["src"] == "x" {
				t.Errorf("%s: text of a card became an element", path)
			}
			for _, name := range []string{"href", "src"} {
				if v := e.attrs[name]; strings.HasPrefix(v, "javascript:") || strings.Contains(v, "<") {
					t.Errorf("%s: <%s> has %s %q", path, e.name, name, v)
				}
			}
		}
		if n := len(all); n > clean+40 {
			t.Errorf("%s has %d elements, a clean page %d", path, n, clean)
		}
	}
}

// Each part of the page is there exactly when its data is.
func TestPartsFollowData(t *testing.T) {
	t.Parallel()
	parts := map[string]func(*catalogue.Dataset){
		"listen": func(d *catalogue.Dataset) { d.Sample = nil }, "transcript": func(d *catalogue.Dataset) { d.Sample.Transcript = nil },
		"about": func(d *catalogue.Dataset) { d.Description = "" }, "specification": func(d *catalogue.Dataset) { d.Specification = nil },
		"whole": func(d *catalogue.Dataset) { d.Measurements = nil }, "transcripts": func(d *catalogue.Dataset) { d.Transcripts = nil },
		"people":  func(d *catalogue.Dataset) { d.Participants, d.CollectionMethod = nil, nil },
		"privacy": func(d *catalogue.Dataset) { d.Consent, d.Privacy = nil, nil }, "licence": func(d *catalogue.Dataset) { d.Licence, d.Access, d.Sample.Bundle.How = nil, nil, "" },
		"provenance": func(d *catalogue.Dataset) { d.Provenance, d.DatePublished, d.DateModified = nil, nil, time.Time{} },
		"gaps":       func(d *catalogue.Dataset) { d.Gaps = nil }, "cite": func(d *catalogue.Dataset) { d.Citation = nil }, "ask": func(d *catalogue.Dataset) { d.Contact = nil },
		"profile": func(d *catalogue.Dataset) { d.Sample.Metrics = catalogue.Profile{} }, "sound": func(d *catalogue.Dataset) { d.Sample.Metrics.Audio = nil },
	}
	ids := func(d *catalogue.Dataset) []string {
		var out []string
		for _, e := range checkMarkup(t, get(t, withCatalogue(t, &library{sets: []*catalogue.Dataset{d}}), "/catalogue/datasets/"+d.Slug).Body.String()) {
			if e.attrs["id"] != "" {
				out = append(out, e.attrs["id"])
			}
		}
		return out
	}
	full := ids(hindi())
	for id, remove := range parts {
		if !slices.Contains(full, id) {
			t.Errorf("the full page lacks #%s", id)
		}
		d := hindi()
		remove(d)
		if slices.Contains(ids(d), id) {
			t.Errorf("#%s is there without its data", id)
		}
	}
	left := ids(bare())
	for id := range maps.Keys(parts) {
		if id != "gaps" && id != "provenance" && slices.Contains(left, id) {
			t.Errorf("the page of a bare record has #%s", id)
		}
	}
}

var notNumber = regexp.MustCompile(`\b(NaN|Inf)\b`)

// Figures that no file can have break nothing.
func TestOddFigures(t *testing.T) {
	t.Parallel()
	d := hindi()
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), -1e300, 0} {
		d.Hours, d.Sample.DurationS, d.Sample.Metrics.Speech.SpeechShare = v, v, []float64{v, v}
		d.Sample.Waveform.Peaks = [][]float64{{v}, nil, {}, {v}, {v}, {v}, {v}, {v}}
		t0 := d.Sample.Metrics.TurnTaking
		t0.FTO.Median, t0.FTO.Histogram = &v, &catalogue.Histogram{From: v, Width: v, Bins: []int{-1, 0, 5}}
		t0.Turns, t0.Overlaps = []catalogue.Turn{{Channel: -1, StartS: v, EndS: v}, {Channel: 1, StartS: v}}, [][2]float64{{v, v}}
		d.Sample.Transcript.Segments = []catalogue.Segment{{StartS: v, EndS: v, Channel: 99}}
		d.Specification.DurationS = catalogue.Durations{Max: v}
		body := get(t, withCatalogue(t, &library{sets: []*catalogue.Dataset{d}}), "/catalogue/datasets/"+d.Slug)
		if body.Code != http.StatusOK || notNumber.MatchString(body.Body.String()) {
			t.Errorf("with %v the page answers %d, want 200 without NaN or Inf", v, body.Code)
		}
		checkMarkup(t, body.Body.String())
	}
}

func TestLongTextIsClipped(t *testing.T) {
	t.Parallel()
	d := hindi()
	d.Title, d.Description, d.Citation = strings.Repeat("t", 1e6), strings.Repeat("क", 1e6), new(strings.Repeat("c", 1e6))
	d.Gaps = slices.Repeat([]string{strings.Repeat("g", 1e4)}, 5000)
	segment := catalogue.Segment{Channel: 1, Text: strings.Repeat("x", 1e5)}
	d.Sample.Transcript.Segments = slices.Repeat([]catalogue.Segment{segment}, 1000)
	w := get(t, withCatalogue(t, &library{sets: []*catalogue.Dataset{d}}), "/catalogue/datasets/"+d.Slug)
	if n := w.Body.Len(); n > 400_000 {
		t.Errorf("the page has %d bytes, want at most 400,000", n)
	}
}

func TestIDsLeadToSlugs(t *testing.T) {
	t.Parallel()
	h := withCatalogue(t, shelves())
	w := get(t, h, "/catalogue/datasets/"+hindi().ID+"?from=mail")
	if got := w.Header().Get("Location"); w.Code != http.StatusPermanentRedirect || got != "/catalogue/datasets/hindi-bank-calls?from=mail" {
		t.Errorf("the page of an id = %d to %q, want 308 to the slug", w.Code, got)
	}
}

func TestCatalogueHeaders(t *testing.T) {
	t.Parallel()
	h := withCatalogue(t, shelves())
	for _, path := range []string{"/catalogue", "/catalogue/datasets/hindi-bank-calls", "/catalogue/datasets/bengali-radio-plays", "/sitemap.xml", "/sitemaps/pages.xml", "/sitemaps/datasets-1.xml", "/catalogue/feed.atom"} {
		first := get(t, h, path)
		if got := first.Header().Get("Cache-Control"); got != "public, max-age=60" {
			t.Errorf("%s has Cache-Control %q, want public, max-age=60", path, got)
		}
		policy := first.Header().Get("Content-Security-Policy")
		if !strings.HasPrefix(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") || strings.Contains(policy, "http") {
			t.Errorf("%s has the policy %q", path, policy)
		}
		again := get(t, h, path, "If-None-Match", first.Header().Get("ETag"))
		if again.Code != http.StatusNotModified || again.Body.Len() != 0 {
			t.Errorf("%s with its tag = %d with %d bytes, want 304 with none", path, again.Code, again.Body.Len())
		}
		head := httptest.NewRecorder()
		h.ServeHTTP(head, httptest.NewRequestWithContext(t.Context(), http.MethodHead, path, nil))
		if head.Code != http.StatusOK || head.Body.Len() != 0 || head.Header().Get("Content-Length") != first.Header().Get("Content-Length") {
			t.Errorf("HEAD %s = %d with %d bytes of body and length %s", path, head.Code, head.Body.Len(), head.Header().Get("Content-Length"))
		}
		post := httptest.NewRecorder()
		h.ServeHTTP(post, httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, nil))
		if post.Code != http.StatusMethodNotAllowed {
			t.Errorf("POST %s = %d, want 405", path, post.Code)
		}
		if zip := get(t, h, path, "Accept-Encoding", "gzip"); zip.Header().Get("Content-Encoding") != "gzip" {
			t.Errorf("%s is not compressed for a client that takes gzip", path)
		}
	}
	if got := get(t, h, "/catalogue/datasets/bengali-radio-plays").Header().Get("X-Robots-Tag"); got != "noindex" {
		t.Errorf("the page of a retired dataset has X-Robots-Tag %q, want noindex", got)
	}
	missing := get(t, h, "/catalogue/datasets/nothing")
	if got := missing.Header().Get("Cache-Control"); got != "no-store" {
		t.Errorf("a missing page has Cache-Control %q, want no-store", got)
	}
}

func TestCatalogueIsAway(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		err  error
		want int
	}{
		{fault.Down(fault.CodeStoreUnavailable, 3*time.Second, nil, "the database is away"), 503},
		{errors.New("secret detail"), 500},
	} {
		h := withCatalogue(t, &library{down: tt.err, sets: []*catalogue.Dataset{hindi()}})
		for _, path := range []string{"/catalogue", "/catalogue/datasets/x", "/catalogue/feed.atom"} {
			w := get(t, h, path)
			if w.Code != tt.want || strings.Contains(w.Body.String(), "secret") {
				t.Errorf("GET %s with %v = %d, want %d and no detail", path, tt.err, w.Code, tt.want)
			}
			if tt.want == 503 && w.Header().Get("Retry-After") != "3" {
				t.Errorf("GET %s has Retry-After %q, want 3", path, w.Header().Get("Retry-After"))
			}
		}
	}
}

func TestCataloguePatterns(t *testing.T) {
	t.Parallel()
	h := withCatalogue(t, shelves())
	patterns := h.Patterns()
	if !slices.IsSorted(patterns) {
		t.Errorf("patterns are not sorted: %q", patterns)
	}
	mux := http.NewServeMux()
	for _, p := range patterns {
		mux.Handle(p, h)
	}
	for path, want := range map[string]int{
		"/catalogue": 200, "/sitemap.xml": 200, "/sitemaps/pages.xml": 200, "/sitemaps/": 404, "/catalogue/feed.atom": 200, "/catalogue/datasets/hindi-bank-calls": 200, "/catalogue/datasets/none": 404, "/catalogue/datasets/": 404,
		"/catalogue/datasets/hindi-bank-calls/sample/sample.wav": 404, "/catalogue/datasets/a%2Fb": 404,
	} {
		for name, server := range map[string]http.Handler{"a mux": mux, "the handler": h} {
			if got := get(t, server, path).Code; got != want {
				t.Errorf("GET %s through %s = %d, want %d", path, name, got, want)
			}
		}
	}
}

func TestWithoutCatalogue(t *testing.T) {
	t.Parallel()
	h := newHandler(t)
	for _, path := range []string{"/catalogue", "/catalogue/datasets/x", "/sitemap.xml", "/sitemaps/pages.xml", "/catalogue/feed.atom"} {
		if got := get(t, h, path).Code; got != http.StatusNotFound {
			t.Errorf("GET %s without a catalogue = %d, want 404", path, got)
		}
	}
	for _, path := range []string{"/", "/docs", "/llms.txt"} {
		if strings.Contains(strings.ToLower(get(t, h, path).Body.String()), "catalogue") {
			t.Errorf("%s speaks of a catalogue where there is none", path)
		}
	}
	if guide := get(t, withCatalogue(t, shelves()), "/llms.txt").Body.String(); !strings.Contains(guide, "/api/catalogue/datasets/{slug}`") {
		t.Error("/llms.txt does not tell of the catalogue's records")
	}
}

func BenchmarkDataset(b *testing.B) {
	cfg := config()
	l := shelves()
	cfg.Catalogue, cfg.Croissant = l, publish.New(l, origin)
	h, err := web.New(cfg)
	if err != nil {
		b.Fatal(err)
	}
	r := httptest.NewRequest(http.MethodGet, "/catalogue/datasets/hindi-bank-calls", nil)
	r.Header.Set("Accept-Encoding", "gzip")
	b.ReportAllocs()
	for b.Loop() {
		h.ServeHTTP(httptest.NewRecorder(), r)
	}
}
