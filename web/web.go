// Package web serves the public pages: the index, the page that shows the API
// description, the catalogue of datasets, the forms for enquiries, the text that tells
// agents how to use the service, and the files that these need.
//
// The index, the documentation and the texts for machines are rendered once, when [New]
// runs: some clients ask for the index only to open a connection early, so it must cost
// next to nothing. The pages of the catalogue and of enquiries are rendered when they are
// asked for. No page loads anything from another host.
package web

import (
	"embed"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"

	datasets "vaak/catalogue"
	"vaak/croissant/badge"
	"vaak/croissant/publish"
	"vaak/edge"
	"vaak/internal/ui"
	"vaak/lang"
	"vaak/web/catalogue"
	"vaak/web/croissant"
	"vaak/web/demo"
	"vaak/web/enquiries"
	"vaak/web/site"
)

//go:embed pages
var pages embed.FS

// Config is what the pages say of the service, and where they get it from.
type Config struct {
	Version   string // of the product; "" leaves the foot out
	PublicURL string // where clients reach the server, no slash at the end ("http://127.0.0.1:8080"); required
	// The fields of speech. The pages speak of it where there are voices. They are
	// required without a catalogue.
	Languages     int      // how many languages are spoken
	Voices        int      // how many voices there are
	Formats       []string // response formats served now ("wav", "pcm")
	SampleRates   []int    // in Hz
	MaxCharacters int      // longest text of one request, in Unicode code points
	DefaultVoice  string   // id of the voice used when a request names none; "" leaves it out
	SpeechTools   []string // MCP tools at POST /v1/mcp; empty = the address is not mentioned
	// CatalogueTools are the MCP tools at POST /api/catalogue/mcp; empty = the
	// address is not mentioned.
	CatalogueTools []string
	// Catalogue has the datasets. Nil leaves their pages and the sitemap out, and every
	// mention of them.
	Catalogue datasets.Reader
	// Croissant has the metadata documents of the datasets, which are part of their
	// pages; required with Catalogue.
	Croissant *publish.Service
	// Reports signs the links to reports on Croissant documents; nil leaves reports and
	// badges out.
	Reports badge.Signer
	// Enquiries takes what people ask. Nil leaves its pages out, the form on the pages
	// of datasets, and every mention of them. It needs Catalogue.
	Enquiries enquiries.Service
	// Samples hands out the sample bundles that were released. Nil leaves its page
	// out. It needs Catalogue.
	Samples enquiries.Samples
	// Demo makes the tokens of the page on which an agent talks; nil leaves the page out. It needs
	// voices, and RefusePlainly, which answers with an error as a sentence of plain text.
	Demo          demo.Tokens
	RefusePlainly edge.Refuse
	// Speaks reports whether a language is offered; nil is for all.
	Speaks func(lang.Code) bool
	// Log gets the errors of pages that could not be made. Nil discards them.
	Log *slog.Logger
	// NotFound answers paths that are no pages. Nil answers 404 in plain text.
	NotFound http.Handler
}

// Handler serves the pages. It can answer all requests that no other handler takes, or be
// mounted at each of its [Handler.Patterns].
type Handler struct {
	routes   map[string]site.Route // by path
	families []site.Route          // of pages whose address is a prefix and a name
	notFound http.Handler
}

// New renders the pages. It fails when a required field is missing.
func New(cfg Config) (*Handler, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	h := &Handler{routes: map[string]site.Route{}, notFound: cfg.NotFound}
	if h.notFound == nil {
		h.notFound = http.NotFoundHandler()
	}
	kit := ui.NewKit(site.StaticPrefix)
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
	h.add("/", site.NewDocument("text/html; charset=utf-8", ui.Policy, index))
	h.add("/docs", docs.page)
	h.add("/llms.txt", site.NewDocument("text/plain; charset=utf-8", ui.Policy, guide))
	h.add(ui.RobotsPath, site.NewDocument("text/plain; charset=utf-8", ui.Policy, robots(cfg)))
	for _, a := range append(docs.assets, kit.Style, kit.Icon, kit.Favicon) {
		h.add(a.Path(), a)
	}
	if cfg.Demo != nil {
		if err := h.addDemo(kit, cfg); err != nil {
			return nil, err
		}
	}
	if cfg.Catalogue == nil {
		return h, nil
	}
	return h, h.addCatalogue(kit, cfg)
}

func (h *Handler) addDemo(kit *ui.Kit, cfg Config) error {
	routes, assets, err := demo.New(demo.Config{
		Kit: kit, Nav: navigation(cfg), Version: cfg.Version, Tokens: cfg.Demo, Speaks: cfg.Speaks, Refuse: cfg.RefusePlainly,
	})
	for _, r := range routes {
		h.addRoute(r)
	}
	for _, a := range assets {
		h.add(a.Path(), a)
	}
	return err
}

func (h *Handler) addCatalogue(kit *ui.Kit, cfg Config) error {
	pages, err := site.New(site.Config{
		Kit: kit, Nav: navigation(cfg), Version: cfg.Version, PublicURL: cfg.PublicURL, Log: cfg.Log, Asks: cfg.Enquiries != nil,
	})
	if err != nil {
		return err
	}
	shown, assets, err := catalogue.New(catalogue.Config{Site: pages, Catalogue: cfg.Catalogue, Croissant: cfg.Croissant, Enquiries: cfg.Enquiries})
	if err != nil {
		return err
	}
	checked, err := croissant.New(croissant.Config{Site: pages, Service: cfg.Croissant, Signer: cfg.Reports})
	if err != nil {
		return err
	}
	asked, err := enquiries.New(enquiries.Config{Site: pages, Datasets: cfg.Catalogue, Service: cfg.Enquiries, Samples: cfg.Samples})
	if err != nil {
		return err
	}
	for _, r := range slices.Concat(shown, checked, asked) {
		h.addRoute(r)
	}
	for _, a := range assets {
		h.add(a.Path(), a)
	}
	return nil
}

// speaks reports whether the service speaks.
func (c Config) speaks() bool { return c.Voices > 0 }

func (c Config) check() error {
	fields := []field{
		{"PublicURL", c.PublicURL != "" && !strings.HasSuffix(c.PublicURL, "/")},
		{"Croissant", c.Catalogue == nil || c.Croissant != nil},
		{"Enquiries", c.Catalogue != nil || c.Enquiries == nil},
		{"Samples", c.Catalogue != nil || c.Samples == nil},
	}
	if c.speaks() || c.Catalogue == nil {
		fields = append(fields, field{"Languages", c.Languages > 0}, field{"Voices", c.Voices > 0},
			field{"Formats", len(c.Formats) > 0}, field{"SampleRates", len(c.SampleRates) > 0}, field{"MaxCharacters", c.MaxCharacters > 0})
	}
	for _, f := range fields {
		if !f.ok {
			return fmt.Errorf("pages: field %s of the configuration is missing or malformed", f.name)
		}
	}
	return nil
}

// field is a field of the configuration, and whether it is valid.
type field struct {
	name string
	ok   bool
}

// render returns the page of a file, with the links and the version that all pages have.
func render(kit *ui.Kit, file string, p ui.Page, cfg Config) ([]byte, error) {
	text, err := pages.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read a page: %w", err)
	}
	t, err := ui.Parse(nil, string(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	p.Nav = navigation(cfg)
	p.Version = cfg.Version
	return kit.Render(t, p)
}

// navigation returns the links at the top of every page.
func navigation(cfg Config) []ui.Link {
	links := []ui.Link{
		{Href: "/docs", Text: "Documentation"},
		{Href: "/openapi.json", Text: "OpenAPI"},
	}
	if cfg.speaks() {
		links = append(links, ui.Link{Href: "/health", Text: "Health"})
	}
	if cfg.Demo != nil {
		links = slices.Insert(links, 0, ui.Link{Href: demo.Path, Text: "Demonstration"})
	}
	if cfg.Catalogue != nil {
		links = slices.Insert(links, 0, ui.Link{Href: site.ListPath, Text: "Catalogue"})
	}
	return links
}

func summary(cfg Config) string {
	if !cfg.speaks() {
		return "Speech datasets to license: heard, measured, described."
	}
	ways := "HTTP"
	if len(cfg.SpeechTools) > 0 {
		ways = "HTTP and MCP"
	}
	return fmt.Sprintf("Text to speech in %d languages with %d voices, over %s.", cfg.Languages, cfg.Voices, ways)
}
