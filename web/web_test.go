package web_test

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vaak/croissant/publish"
	"vaak/web"
)

func config() web.Config {
	return web.Config{
		Version:       "v1.2.3",
		PublicURL:     "http://speech.test:8080",
		Languages:     80,
		Voices:        320,
		Formats:       []string{"wav", "pcm"},
		SampleRates:   []int{8000, 24000},
		MaxCharacters: 5000,
		DefaultVoice:  "sv_default",
		SpeechTools:   []string{"synthesize_speech", "search_voices"},
	}
}

func newHandler(t *testing.T) *web.Handler {
	t.Helper()
	h, err := web.New(config())
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	return h
}

func get(t *testing.T, h http.Handler, path string, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestPages(t *testing.T) {
	t.Parallel()
	h := newHandler(t)
	for _, tt := range []struct {
		path, contentType string
		says              []string
	}{
		{"/", "text/html; charset=utf-8", []string{
			"320 voices speak 80 languages", "over HTTP, agents over MCP", `href="/docs"`, `href="/openapi.json"`, `href="/asyncapi.json"`,
			`href="/health"`, `href="/llms.txt"`, "http://speech.test:8080/v1/audio/speech", "<code>wav</code>, <code>pcm</code>", "Vaak v1.2.3",
		}},
		{"/docs", "text/html; charset=utf-8", []string{"<openapi-explorer", `aria-current="page">Documentation`, "<noscript>"}},
		{"/llms.txt", "text/plain; charset=utf-8", []string{
			"# Vaak\n\n> Text to speech: 320 voices, 80 languages", "`POST http://speech.test:8080/v1/audio/speech`",
			"(http://speech.test:8080/openapi.json)", "(http://speech.test:8080/asyncapi.json)", "wav, pcm. Default `wav`", "8000, 24000 Hz", "else `sv_default`", "the same key: synthesize_speech, search_voices.",
		}},
	} {
		t.Run(tt.path, func(t *testing.T) {
			t.Parallel()
			w := get(t, h, tt.path)
			if w.Code != http.StatusOK {
				t.Fatalf("GET %s = %d, want 200", tt.path, w.Code)
			}
			if got := w.Header().Get("Content-Type"); got != tt.contentType {
				t.Errorf("GET %s has type %q, want %q", tt.path, got, tt.contentType)
			}
			for _, want := range tt.says {
				if !strings.Contains(w.Body.String(), want) {
					t.Errorf("GET %s lacks %q", tt.path, want)
				}
			}
		})
	}
}

func TestPolicy(t *testing.T) {
	t.Parallel()
	h := newHandler(t)
	for _, tt := range []struct {
		path       string
		has, lacks []string
	}{
		{"/", []string{"default-src 'none'", "style-src 'self';", "frame-ancestors 'none'"}, []string{"unsafe", "script-src", "http"}},
		{"/docs", []string{"default-src 'none'", "script-src 'self';", "connect-src 'self'"}, []string{"unsafe-eval", "script-src 'self' ", "http"}},
		{"/llms.txt", []string{"default-src 'none'"}, []string{"unsafe", "http"}},
	} {
		policy := get(t, h, tt.path).Header().Get("Content-Security-Policy")
		for _, s := range tt.has {
			if !strings.Contains(policy, s) {
				t.Errorf("policy of %s is %q, want it to hold %q", tt.path, policy, s)
			}
		}
		for _, s := range tt.lacks {
			if strings.Contains(policy, s) {
				t.Errorf("policy of %s is %q, want it free of %q", tt.path, policy, s)
			}
		}
	}
}

var (
	reference = regexp.MustCompile(`(?:src|href|action)="([^"]*)"`)
	inline    = regexp.MustCompile(`(?i)<style|<script>| style="| on[a-z]+="`)
)

// A page refers to paths of its own server alone, all of which are answered, and
// carries nothing that its policy would block.
func TestNoOutsideReferences(t *testing.T) {
	t.Parallel()
	h := newHandler(t)
	elsewhere := []string{"/openapi.json", "/asyncapi.json", "/health", "/v1/voices", "/v1/languages", "/.well-known/mcp/catalog.json", "#main"} // the page itself, or served by others
	for _, page := range []string{"/", "/docs"} {
		body := get(t, h, page).Body.String()
		if bad := inline.FindString(body); bad != "" {
			t.Errorf("%s has %q inline, which its policy forbids", page, bad)
		}
		found := reference.FindAllStringSubmatch(body, -1)
		if len(found) < 4 {
			t.Fatalf("%s has %d references, want some", page, len(found))
		}
		for _, m := range found {
			ref := m[1]
			if strings.Contains(ref, "//") {
				t.Errorf("%s refers to another host: %q", page, ref)
			}
			if slices.Contains(elsewhere, ref) {
				continue
			}
			if w := get(t, h, ref); w.Code != http.StatusOK {
				t.Errorf("%s refers to %s, which answers %d", page, ref, w.Code)
			}
		}
	}
}

func TestAssets(t *testing.T) {
	t.Parallel()
	h := newHandler(t)
	var assets int
	for _, pattern := range h.Patterns() {
		path, ok := strings.CutPrefix(pattern, "GET ")
		if !ok {
			t.Fatalf("pattern %q does not start with GET", pattern)
		}
		if !strings.HasPrefix(path, "/static/") {
			continue
		}
		assets++
		plain := get(t, h, path)
		if got := plain.Header().Get("Cache-Control"); got != "public, max-age=31536000, immutable" {
			t.Errorf("%s has Cache-Control %q, want immutable", path, got)
		}
		zipped := get(t, h, path, "Accept-Encoding", "br, gzip;q=0.8")
		if got := zipped.Header().Get("Content-Encoding"); got != "gzip" {
			t.Fatalf("%s has Content-Encoding %q, want gzip", path, got)
		}
		if got := zipped.Header().Get("Vary"); got != "Accept-Encoding" {
			t.Errorf("%s has Vary %q, want Accept-Encoding", path, got)
		}
		r, err := gzip.NewReader(zipped.Body)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		body, err := io.ReadAll(r)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if !bytes.Equal(body, plain.Body.Bytes()) {
			t.Errorf("%s: the gzip form unpacks to %d bytes, the plain form has %d", path, len(body), plain.Body.Len())
		}
	}
	if assets != 5 {
		t.Errorf("%d assets, want 5", assets)
	}
}

func TestRevisit(t *testing.T) {
	t.Parallel()
	h := newHandler(t)
	first := get(t, h, "/")
	tag := first.Header().Get("ETag")
	again := get(t, h, "/", "If-None-Match", tag)
	if again.Code != http.StatusNotModified || again.Body.Len() != 0 {
		t.Errorf("GET / with its tag = %d with %d bytes, want 304 with none", again.Code, again.Body.Len())
	}
}

func TestRouting(t *testing.T) {
	t.Parallel()
	cfg := config()
	cfg.NotFound = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	h, err := web.New(cfg)
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	for _, tt := range []struct {
		method, path string
		want         int
	}{
		{http.MethodGet, "/", 200},
		{http.MethodHead, "/", 200},
		{http.MethodHead, "/docs", 200},
		{http.MethodPost, "/", 405},
		{http.MethodDelete, "/llms.txt", 405},
		{http.MethodGet, "/docs/", 418},
		{http.MethodGet, "/static/", 418},
		{http.MethodGet, "/static/../web.go", 418},
		{http.MethodPost, "/nowhere", 418},
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), tt.method, tt.path, nil))
		if w.Code != tt.want {
			t.Errorf("%s %s = %d, want %d", tt.method, tt.path, w.Code, tt.want)
		}
		if tt.method == http.MethodHead && (w.Body.Len() != 0 || w.Header().Get("Content-Length") == "0") {
			t.Errorf("HEAD %s: %d bytes of body, length %q; want none and the length of GET", tt.path, w.Body.Len(), w.Header().Get("Content-Length"))
		}
		if tt.want == 405 && w.Header().Get("Allow") != "GET, HEAD" {
			t.Errorf("%s %s: Allow is %q, want GET, HEAD", tt.method, tt.path, w.Header().Get("Allow"))
		}
	}
}

// The patterns mount on a mux without a clash, and reach the same pages.
func TestPatterns(t *testing.T) {
	t.Parallel()
	h := newHandler(t)
	mux := http.NewServeMux()
	for _, p := range h.Patterns() {
		mux.Handle(p, h)
	}
	for path, want := range map[string]int{"/": 200, "/docs": 200, "/llms.txt": 200, "/other": 404} {
		if got := get(t, mux, path).Code; got != want {
			t.Errorf("GET %s through a mux = %d, want %d", path, got, want)
		}
	}
}

func TestWithoutTools(t *testing.T) {
	t.Parallel()
	cfg := config()
	cfg.SpeechTools, cfg.DefaultVoice = nil, ""
	h, err := web.New(cfg)
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	for _, path := range []string{"/", "/llms.txt"} {
		if body := get(t, h, path).Body.String(); strings.Contains(body, "MCP") {
			t.Errorf("%s speaks of MCP where there is none", path)
		}
	}
}

func TestConfigIsChecked(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*web.Config){
		"PublicURL":     func(c *web.Config) { c.PublicURL = "" },
		"slash":         func(c *web.Config) { c.PublicURL += "/" },
		"Languages":     func(c *web.Config) { c.Languages = 0 },
		"Voices":        func(c *web.Config) { c.Voices = 0 },
		"Formats":       func(c *web.Config) { c.Formats = nil },
		"SampleRates":   func(c *web.Config) { c.SampleRates = nil },
		"MaxCharacters": func(c *web.Config) { c.MaxCharacters = 0 },
		"Croissant":     func(c *web.Config) { c.Catalogue = shelves() },
	} {
		cfg := config()
		spoil(&cfg)
		if _, err := web.New(cfg); err == nil {
			t.Errorf("New with a bad %s succeeds, want an error", name)
		}
	}
}

func BenchmarkIndex(b *testing.B) {
	h, err := web.New(config())
	if err != nil {
		b.Fatal(err)
	}
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	b.ReportAllocs()
	for b.Loop() {
		h.ServeHTTP(httptest.NewRecorder(), r)
	}
}

// A site without speech tells of none.
func TestPagesOfACatalogueAlone(t *testing.T) {
	t.Parallel()
	l := &library{}
	h, err := web.New(web.Config{PublicURL: "http://speech.test", Catalogue: l, Croissant: publish.New(l, "http://speech.test")})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/", "/llms.txt", "/docs", "/catalogue"} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		if w.Code != http.StatusOK {
			t.Errorf("GET %s: %d, want 200", path, w.Code)
		}
		for _, word := range []string{"/v1/", "asyncapi", "/health", "Text to speech", "0 voices"} {
			if strings.Contains(w.Body.String(), word) {
				t.Errorf("GET %s speaks of %q", path, word)
			}
		}
	}
	if _, err := web.New(web.Config{PublicURL: "http://speech.test"}); err == nil {
		t.Error("New without speech and without a catalogue: no error")
	}
}

// TestRobots reads what crawlers are told: where nothing is for them, and where the
// sitemap is if there is one.
func TestRobots(t *testing.T) {
	t.Parallel()
	w := get(t, newHandler(t), "/robots.txt")
	if w.Code != http.StatusOK || w.Header().Get("Content-Type") != "text/plain; charset=utf-8" || !strings.Contains(w.Body.String(), "\nUser-agent: *\nDisallow: /v1/\n") {
		t.Errorf("/robots.txt = %d %v\n%s", w.Code, w.Header(), w.Body)
	}
	if strings.Contains(w.Body.String(), "Sitemap") {
		t.Errorf("without a catalogue there is no sitemap:\n%s", w.Body)
	}
	l := &library{}
	cfg := config()
	cfg.Catalogue, cfg.Croissant = l, publish.New(l, cfg.PublicURL)
	h, err := web.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	w = get(t, h, "/robots.txt")
	_, at, _ := strings.Cut(w.Body.String(), "\nSitemap: http://speech.test:8080")
	if w := get(t, h, strings.TrimSpace(at)); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "<sitemapindex") {
		t.Errorf("the sitemap of robots.txt, %q, is %d %s", at, w.Code, w.Body)
	}
}

// TestFavicon decodes the pictures in what browsers ask for on their own.
func TestFavicon(t *testing.T) {
	t.Parallel()
	w := get(t, newHandler(t), "/favicon.ico")
	ico := w.Body.Bytes()
	if w.Code != http.StatusOK || w.Header().Get("Content-Type") != "image/x-icon" || len(ico) < 6 || binary.LittleEndian.Uint16(ico[2:]) != 1 {
		t.Fatalf("/favicon.ico = %d %v, %d bytes", w.Code, w.Header(), len(ico))
	}
	var sizes []int
	for i := range int(binary.LittleEndian.Uint16(ico[4:])) {
		entry := ico[6+16*i:]
		length, at := binary.LittleEndian.Uint32(entry[8:]), binary.LittleEndian.Uint32(entry[12:])
		picture, err := png.Decode(bytes.NewReader(ico[at : at+length]))
		if err != nil {
			t.Fatalf("picture %d: %v", i, err)
		}
		size := picture.Bounds().Dx()
		sizes = append(sizes, size)
		if r, g, b, _ := picture.At(size/2, 1).RGBA(); r>>8 != 0x1f || g>>8 != 0x6f || b>>8 != 0x5c {
			t.Errorf("picture %d is not in the colour of icon.svg: %x %x %x", i, r>>8, g>>8, b>>8)
		}
	}
	if !slices.Equal(sizes, []int{16, 32, 48}) {
		t.Errorf("sizes %v", sizes)
	}
}
