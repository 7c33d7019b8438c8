// Package site is what the pages of the catalogue and of enquiries share: their frame,
// the headers that they are sent with, the pages that say why there is nothing to see,
// and how text is written on them.
package site

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"log/slog"
	"math"
	"net/http"
	"strconv"
	"strings"

	"vaak/internal/fault"
	"vaak/internal/ui"
)

// Where pages are that others link to.
const (
	ListPath      = "/catalogue"
	DatasetPrefix = "/catalogue/datasets/"
	AskPath       = "/enquiry"
	CheckPath     = "/croissant"       // the form that checks Croissant documents
	RulesPath     = "/croissant/rules" // what they are checked for
)

// StaticPrefix is where the pages' files are.
const StaticPrefix = "/static/"

// Cache is the Cache-Control of answers about the catalogue.
const Cache = "public, max-age=60"

// FilePolicy is the Content-Security-Policy of answers that are no pages.
const FilePolicy = "default-src 'none'; frame-ancestors 'none'"

// policy is [ui.Policy] with scripts and audio of this server, which a script also reads for its
// spectrogram.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
	"media-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// refererOfForms is the Referrer-Policy of pages with a form: other sites are told
// nothing, and this one where the form was sent from. Under "no-referrer" browsers send a
// form with the origin "null", which a form of another site may have, too.
const refererOfForms = "same-origin"

// StatusClientGone is what the log and the metrics have for a request whose client left
// before it was answered. It is no status of HTTP, and no client reads it.
const StatusClientGone = 499

//go:embed catalogue.css
var style []byte

//go:embed head.html
var head string

//go:embed missing.html
var missing string

// Route is what serves an address, or all addresses with a prefix.
type Route struct {
	Path string       // a prefix with a slash at its end, when there is a Name
	Name string       // of the path value behind the prefix; "" for a path
	Page http.Handler // of GET and HEAD
	Post http.Handler // of POST; nil where nothing is sent
	// Counted says that requests of the page count against the rate of their address, as forms do:
	// it costs much to make.
	Counted bool
}

// Config is what a [Site] needs.
type Config struct {
	Kit       *ui.Kit
	Nav       []ui.Link
	Version   string       // of the program; "" leaves the foot out
	PublicURL string       // where clients reach the server, without a slash at the end
	Log       *slog.Logger // nil discards
	Asks      bool         // there is a form for enquiries
}

// Site renders pages. It is safe for concurrent use.
type Site struct {
	cfg     Config
	style   *ui.Asset
	missing *template.Template
}

// New returns the site.
func New(cfg Config) (*Site, error) {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	s := &Site{cfg: cfg, style: ui.NewAsset(StaticPrefix, "catalogue.css", "text/css; charset=utf-8", style)}
	var err error
	if s.missing, err = ui.Parse(nil, missing); err != nil {
		return nil, fmt.Errorf("missing.html: %w", err)
	}
	return s, nil
}

// Style returns the stylesheet that all pages load.
func (s *Site) Style() *ui.Asset { return s.style }

// Parse joins the files of a page with the frame and the head of all pages. A page may
// define "head" itself.
func Parse(files fs.FS, names ...string) (*template.Template, error) {
	texts := []string{head}
	for _, name := range names {
		part, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, fmt.Errorf("read a page: %w", err)
		}
		texts = append(texts, string(part))
	}
	t, err := ui.Parse(nil, texts...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", names[0], err)
	}
	return t, nil
}

// Answer is a page to be rendered.
type Answer struct {
	Status      int
	Title       string
	Description string
	Path        string // its own address; "" where it has none
	Hidden      bool   // from search engines
	Private     bool   // nobody may keep it, the browser included
	Form        bool   // it has a form that is sent to this server
	Link        string // value of a Link header; "" for none
	Page        *template.Template
	View        any
}

// view is what templates see as .Data.
type view struct {
	Style     string
	Hidden    bool
	Canonical string // "" where the page has no address of its own
	Page      any
}

// Send renders a page and answers with it, or with 304 where the client has it.
func (s *Site) Send(w http.ResponseWriter, r *http.Request, a Answer) {
	p := ui.Page{
		Nav: s.cfg.Nav, Version: s.cfg.Version, Class: "shelf",
		Title: a.Title, Description: a.Description, Path: a.Path,
	}
	v := view{Style: s.style.Path(), Hidden: a.Hidden, Page: a.View}
	// A hidden page must not name itself as the one to index.
	if a.Path != "" && !a.Hidden {
		v.Canonical = s.cfg.PublicURL + a.Path
	}
	p.Data = v
	body, err := s.cfg.Kit.Render(a.Page, p)
	if err != nil {
		s.cfg.Log.ErrorContext(r.Context(), "cannot render a page of the catalogue", "error", err)
		http.Error(w, "internal error", http.StatusInternalServerError)
		return
	}
	h := w.Header()
	ui.Guard(h, policy)
	if a.Form {
		h.Set("Referrer-Policy", refererOfForms)
	}
	h.Set("Content-Type", "text/html; charset=utf-8")
	if a.Hidden {
		h.Set("X-Robots-Tag", "noindex")
	}
	if a.Link != "" {
		h.Set("Link", a.Link)
	}
	if a.Status != http.StatusOK || a.Private {
		h.Set("Cache-Control", "no-store")
		writeStatus(w, r, a.Status, body)
		return
	}
	sum := sha256.Sum256(body)
	tag := `"` + hex.EncodeToString(sum[:8]) + `"`
	h.Set("Cache-Control", Cache)
	h.Set("ETag", "W/"+tag) // weak, since the compressed body has the same tag
	// Finding the tag anywhere is enough: its quotes keep it apart from others in the list, and the
	// weak form has the same text.
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

// Trouble is a page that says why there is nothing to see.
type Trouble struct {
	Heading, Words string
	Similar        []Similar
	Ask            bool // with a link to the form for enquiries, if there is one
}

// Similar is a dataset that was maybe meant.
type Similar struct{ Slug, Href string }

// SendTrouble answers with a page that says why there is nothing to see.
func (s *Site) SendTrouble(w http.ResponseWriter, r *http.Request, status int, t Trouble) {
	t.Ask = t.Ask && s.cfg.Asks
	s.Send(w, r, Answer{Status: status, Title: t.Heading, Hidden: true, Page: s.missing, View: t})
}

// SendNoDataset answers that there is no dataset with a name, and which ones have a
// similar one.
func (s *Site) SendNoDataset(w http.ResponseWriter, r *http.Request, slug string, similar []string) {
	t := Trouble{Heading: "There is no such dataset", Words: "No dataset goes by the name “" + Clip(slug, WordMax) + "”. It may be misspelt, or no longer be there."}
	for _, other := range similar {
		t.Similar = append(t.Similar, Similar{other, DatasetPath(other)})
	}
	s.SendTrouble(w, r, http.StatusNotFound, t)
}

// CatalogueFailed answers an error of the catalogue other than a bad query, and logs it.
func (s *Site) CatalogueFailed(w http.ResponseWriter, r *http.Request, err error) {
	status, t := http.StatusInternalServerError, Trouble{
		Heading: "Something broke on our side",
		Words:   "The page could not be made. What went wrong is in our log; trying again in a moment may help.",
	}
	if f, ok := errors.AsType[*fault.Error](err); ok && f.Kind == fault.Unavailable {
		status = http.StatusServiceUnavailable
		t.Heading, t.Words = "The catalogue is away for a moment", "A part of it is being restarted. Please try again in a few seconds."
		wait := max(1, int(math.Ceil(f.RetryAfter.Seconds())))
		w.Header().Set("Retry-After", strconv.Itoa(wait))
	}
	// Two signs of a client that left: the error of the catalogue, and the context. Neither is
	// worth a line in the log.
	if fault.KindOf(err) == fault.Cancelled || r.Context().Err() != nil {
		status = StatusClientGone
	} else {
		s.cfg.Log.ErrorContext(r.Context(), "cannot read the catalogue", "error", err)
	}
	s.SendTrouble(w, r, status, t)
}

// Log returns the log.
func (s *Site) Log() *slog.Logger { return s.cfg.Log }

// Version returns the version of the program; "" where pages do not show it.
func (s *Site) Version() string { return s.cfg.Version }

// PublicURL returns where clients reach the server.
func (s *Site) PublicURL() string { return s.cfg.PublicURL }
