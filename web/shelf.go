package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"html/template"
	"log/slog"
	"math"
	"net/http"
	"strconv"
	"strings"

	"vaak/catalogue"
	"vaak/croissant/publish"
	"vaak/internal/fault"
	"vaak/internal/ui"
)

// Where the catalogue is.
const (
	listPath      = "/catalogue"
	datasetPrefix = "/catalogue/datasets/"
	recordPrefix  = "/api/catalogue/datasets/"
)

// shelfCache is how long an answer about the catalogue may be kept.
const shelfCache = "public, max-age=60"

// policyOfFiles is of answers that no browser renders as a page.
const policyOfFiles = "default-src 'none'; frame-ancestors 'none'"

// shelfPolicy is [ui.Policy] with the player's script, and audio of this server.
const shelfPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
	"media-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// How much of what people wrote is shown, in code points, and how many of a list.
const (
	wordMax  = 100
	titleMax = 300
	proseMax = 5000
	linkMax  = 2000
	listMax  = 200
)

//go:embed pages/catalogue.css
var shelfStyle []byte

//go:embed pages/player.js
var playerScript []byte

// shelf renders the pages of the catalogue. Safe for concurrent use.
type shelf struct {
	reader    catalogue.Reader
	croissant *publish.Service
	enquiries Enquiries // nil where nobody takes them
	publicURL string
	log       *slog.Logger
	kit       *ui.Kit
	frame     ui.Page // what all its pages share

	list, dataset, missing *template.Template
	style, script          *ui.Asset
	assets                 []*ui.Asset
}

func newShelf(kit *ui.Kit, cfg Config) (*shelf, error) {
	s := &shelf{
		reader: cfg.Catalogue, croissant: cfg.Croissant, enquiries: cfg.Enquiries, publicURL: cfg.PublicURL, log: cfg.Log, kit: kit,
		frame:  ui.Page{Nav: navigation(cfg), Version: cfg.Version, Class: "shelf"},
		style:  ui.NewAsset(staticPrefix, "catalogue.css", "text/css; charset=utf-8", shelfStyle),
		script: ui.NewAsset(staticPrefix, "player.js", "text/javascript; charset=utf-8", playerScript),
	}
	s.assets = []*ui.Asset{s.style, s.script}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	for _, page := range []struct {
		t     **template.Template
		files []string
	}{
		{&s.list, []string{"shelfhead.html", "list.html"}},
		{&s.dataset, []string{"dataset.html", "player.html", "profile.html", "facts.html", "ask.html"}},
		{&s.missing, []string{"missing.html"}},
	} {
		t, err := parse(page.files)
		if err != nil {
			return nil, err
		}
		*page.t = t
	}
	return s, nil
}

// parse joins the files of a page with the frame.
func parse(files []string) (*template.Template, error) {
	var text strings.Builder
	for _, file := range files {
		part, err := pages.ReadFile("pages/" + file)
		if err != nil {
			return nil, fmt.Errorf("read a page: %w", err)
		}
		text.Write(part)
	}
	t, err := ui.Parse(nil, text.String())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", files[0], err)
	}
	return t, nil
}

// answer is a page that is about to be rendered.
type answer struct {
	status      int
	title       string
	description string
	path        string
	hidden      bool   // from search engines
	private     bool   // to be kept by nobody, the browser included
	form        bool   // it has a form that is sent to this server
	link        string // value of a Link header; "" for none
	page        *template.Template
	view        any
}

// view is what the templates of the catalogue see as .Data.
type view struct {
	Style, Script string
	Hidden        bool
	Canonical     string // "" where the page has no address of its own
	Page          any
}

// send renders a page and answers with it, or with 304 where the client has it.
func (s *shelf) send(w http.ResponseWriter, r *http.Request, a answer) {
	p := s.frame
	p.Title, p.Description, p.Path = a.title, a.description, a.path
	v := view{Style: s.style.Path(), Script: s.script.Path(), Hidden: a.hidden, Page: a.view}
	if a.path != "" && !a.hidden {
		v.Canonical = s.publicURL + a.path
	}
	p.Data = v
	body, err := s.kit.Render(a.page, p)
	if err != nil {
		s.log.ErrorContext(r.Context(), "cannot render a page of the catalogue", "error", err)
		http.Error(w, "internal error", http.StatusInternalServerError)
		return
	}
	h := w.Header()
	ui.Guard(h, shelfPolicy)
	if a.form {
		h.Set("Referrer-Policy", refersHome)
	}
	h.Set("Content-Type", "text/html; charset=utf-8")
	if a.hidden {
		h.Set("X-Robots-Tag", "noindex")
	}
	if a.link != "" {
		h.Set("Link", a.link)
	}
	if a.status != http.StatusOK || a.private {
		h.Set("Cache-Control", "no-store")
		writeStatus(w, r, a.status, body)
		return
	}
	sum := sha256.Sum256(body)
	tag := `"` + hex.EncodeToString(sum[:8]) + `"`
	h.Set("Cache-Control", shelfCache)
	h.Set("ETag", "W/"+tag) // weak: the zipped form has the same
	if strings.Contains(r.Header.Get("If-None-Match"), tag) {
		h.Del("Content-Type")
		h.Set("Vary", "Accept-Encoding")
		w.WriteHeader(http.StatusNotModified)
		return
	}
	ui.WriteBody(w, r, body, func() []byte { return zipped(body) })
}

// zipped compresses at a speed that suits a page rendered for one request.
func zipped(body []byte) []byte {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	if err != nil {
		panic(err) // the level is a constant
	}
	_, _ = z.Write(body) // writing to a buffer does not fail
	_ = z.Close()
	return b.Bytes()
}

func writeStatus(w http.ResponseWriter, r *http.Request, status int, body []byte) {
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // a client that left is no fault of ours
	}
}

// trouble is a page that says why there is nothing to see.
type trouble struct {
	Heading, Words string
	Similar        []similar
	Ask            bool // with a link to the form for enquiries
}

// similar is a dataset that was maybe meant.
type similar struct{ Slug, Href string }

// fail answers an error of the catalogue other than a bad query.
func (s *shelf) fail(w http.ResponseWriter, r *http.Request, err error) {
	status, t := http.StatusInternalServerError, trouble{
		Heading: "Something broke on our side",
		Words:   "The page could not be made. What went wrong is in our log; trying again in a moment may help.",
	}
	if f, ok := errors.AsType[*fault.Error](err); ok && f.Kind == fault.Unavailable {
		status = http.StatusServiceUnavailable
		t.Heading, t.Words = "The catalogue is away for a moment", "A part of it is being restarted. Please try again in a few seconds."
		wait := max(1, int(math.Ceil(f.RetryAfter.Seconds())))
		w.Header().Set("Retry-After", strconv.Itoa(wait))
	}
	if fault.KindOf(err) == fault.Cancelled {
		status = statusClientGone
	} else if r.Context().Err() == nil {
		s.log.ErrorContext(r.Context(), "cannot read the catalogue", "error", err)
	}
	s.send(w, r, answer{status: status, title: t.Heading, hidden: true, page: s.missing, view: t})
}

// local turns an address of this server into a path of it, so that a page works
// under every name that leads to it. Others stay.
func (s *shelf) local(address string) string {
	if rest, ok := strings.CutPrefix(address, s.publicURL); ok && strings.HasPrefix(rest, "/") {
		return rest
	}
	return address
}
