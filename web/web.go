// Package web serves the public pages: the index, the page that renders the
// service's description, the text that tells agents how to use the service, and
// the files these need.
//
// All of it is rendered once, when [New] runs: clients ask for the index only to
// open a connection early, so it must cost next to nothing. No page asks another
// host for anything.
package web

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"vaak/internal/ui"
)

//go:embed pages
var pages embed.FS

// Config says what the pages tell of the service. It is not kept.
type Config struct {
	Version       string   // of the product; "" leaves the foot out
	PublicURL     string   // where clients reach the server, no slash at the end ("http://127.0.0.1:8080"); required
	Languages     int      // how many languages are spoken; required
	Voices        int      // how many voices there are; required
	Formats       []string // response formats served now ("wav", "pcm"); required
	SampleRates   []int    // in Hz; required
	MaxCharacters int      // longest text of one request, in Unicode code points; required
	DefaultVoice  string   // id of the voice used when a request names none; "" leaves it out
	Tools         []string // MCP tools at POST /v1/mcp; empty = MCP is not mentioned
	// NotFound answers a path that is none of the pages. Nil answers 404 in
	// plain text.
	NotFound http.Handler
}

// Handler serves the pages. It is an [http.Handler] for a whole site's fallback;
// [Handler.Patterns] lists what it knows for a mux that mounts it piece by piece.
type Handler struct {
	routes   map[string]http.Handler // by path
	notFound http.Handler
}

// New renders the pages. It fails when a required field is missing.
func New(cfg Config) (*Handler, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	h := &Handler{routes: map[string]http.Handler{}, notFound: cfg.NotFound}
	if h.notFound == nil {
		h.notFound = http.NotFoundHandler()
	}
	kit := ui.NewKit(staticPrefix)
	docs, err := newDocs(kit, cfg)
	if err != nil {
		return nil, err
	}
	index, err := render(kit, "pages/index.html", ui.Page{
		Description: summary(cfg),
		Path:        "/",
		Data:        cfg,
	}, cfg)
	if err != nil {
		return nil, err
	}
	guide, err := renderGuide(cfg)
	if err != nil {
		return nil, err
	}
	h.routes["/"] = newDocument("text/html; charset=utf-8", ui.Policy, index)
	h.routes["/docs"] = docs.page
	h.routes["/llms.txt"] = newDocument("text/plain; charset=utf-8", ui.Policy, guide)
	for _, a := range append(docs.assets, kit.Style, kit.Icon) {
		h.routes[a.Path()] = a
	}
	return h, nil
}

func (c Config) check() error {
	for _, field := range []struct {
		name string
		ok   bool
	}{
		{"PublicURL", c.PublicURL != "" && !strings.HasSuffix(c.PublicURL, "/")},
		{"Languages", c.Languages > 0},
		{"Voices", c.Voices > 0},
		{"Formats", len(c.Formats) > 0},
		{"SampleRates", len(c.SampleRates) > 0},
		{"MaxCharacters", c.MaxCharacters > 0},
	} {
		if !field.ok {
			return fmt.Errorf("pages: field %s of the configuration is missing or malformed", field.name)
		}
	}
	return nil
}

// Patterns returns what the handler serves as patterns of [http.ServeMux], in
// alphabetical order, each for GET (which takes HEAD along).
func (h *Handler) Patterns() []string {
	var out []string
	for _, path := range slices.Sorted(maps.Keys(h.routes)) {
		if path == "/" {
			path = "/{$}"
		}
		out = append(out, "GET "+path)
	}
	return out
}

// ServeHTTP answers GET and HEAD of the pages, 405 to other methods, and leaves
// other paths to Config.NotFound.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	page, ok := h.routes[r.URL.Path]
	if !ok {
		h.notFound.ServeHTTP(w, r)
		return
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "method "+r.Method+" is not taken here; GET and HEAD are", http.StatusMethodNotAllowed)
		return
	}
	page.ServeHTTP(w, r)
}

// document is a page in memory that is asked for again at every visit, and
// answered with 304 while it is the same.
type document struct {
	contentType string
	policy      string
	tag         string
	body        []byte
}

func newDocument(contentType, policy string, body []byte) *document {
	sum := sha256.Sum256(body)
	return &document{contentType, policy, `"` + hex.EncodeToString(sum[:8]) + `"`, body}
}

func (d *document) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	ui.Guard(h, d.policy)
	h.Set("Cache-Control", "no-cache")
	h.Set("ETag", d.tag)
	if strings.Contains(r.Header.Get("If-None-Match"), d.tag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Type", d.contentType)
	ui.WriteBody(w, r, d.body, nil)
}

// render fills in what all pages share and returns the page of a file.
func render(kit *ui.Kit, file string, p ui.Page, cfg Config) ([]byte, error) {
	text, err := pages.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read a page: %w", err)
	}
	t, err := ui.Parse(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	p.Nav = []ui.Link{
		{Href: "/docs", Text: "Documentation"},
		{Href: "/openapi.json", Text: "OpenAPI"},
		{Href: "/health", Text: "Health"},
	}
	p.Version = cfg.Version
	return kit.Render(t, p)
}

func summary(cfg Config) string {
	ways := "HTTP"
	if len(cfg.Tools) > 0 {
		ways = "HTTP and MCP"
	}
	return fmt.Sprintf("Text to speech in %d languages with %d voices, over %s.", cfg.Languages, cfg.Voices, ways)
}
