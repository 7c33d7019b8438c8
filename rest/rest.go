// Package rest serves both services over HTTP and describes them in OpenAPI.
//
// Every operation is declared once, to huma, which binds its parameters and
// generates the description; its handler is an ordinary net/http one that
// returns an error. One table turns errors into answers, and one list of routes
// knows every path, so that unknown paths and wrong methods are answered in the
// same shape as everything else.
package rest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"vaak/account"
	"vaak/catalogue"
	"vaak/croissant"
	"vaak/dictionary"
	"vaak/edge"
	"vaak/internal/ratelimit"
	"vaak/rest/ws"
	"vaak/speech"
	"vaak/voice"
)

// Accounts knows callers, counts what they do and tells them of it.
// [*account.Service] is the one of the product.
type Accounts interface {
	edge.Authenticator
	edge.Counter
	Sessions
	Reports
}

// Sessions are what callers run.
type Sessions interface {
	// Admit gives a stream slot.
	Admit(ctx context.Context, caller account.Caller) (*account.Slot, error)
	// Session returns a context that ends when the caller's key is revoked.
	Session(ctx context.Context, caller account.Caller) (_ context.Context, stop func())
	// Record keeps what became of a request to speak.
	Record(account.RequestRecord)
}

// Reports tell organisations how they stand.
type Reports interface {
	Report(ctx context.Context, orgID string) (account.Report, error)
	Daily(ctx context.Context, orgID string, q account.DailyQuery) (account.DailyQuery, []account.DailyUsage, error)
	Keys(ctx context.Context, orgID string) ([]account.Key, error)
}

// Speaker speaks. [*speech.Service] is the one of the product.
type Speaker interface {
	Speak(ctx context.Context, caller account.Caller, req speech.Request, w io.Writer) (speech.Result, error)
	Read(ctx context.Context, req speech.Request) (speech.Reading, error)
	Preview(ctx context.Context, id voice.ID) (speech.Preview, error)
	Health() speech.Health
}

// Document is an answer that never changes.
type Document struct {
	Path, ContentType string
	Body              []byte
}

// Config says what a handler serves.
type Config struct {
	Accounts Accounts // required
	// Speech serves speech; nil leaves it out.
	Speech Speaker
	// Voices finds the voices that requests name, as Speech does; nil knows the roster
	// and the built-in aliases.
	Voices *voice.Directory
	// Clips serves the links to what was spoken; nil leaves their address out, as
	// does a nil Speech.
	Clips Clips
	// Dictionaries are the pronunciation dictionaries that a request may use and its
	// caller may change; nil leaves their routes out, and every id names none.
	Dictionaries *dictionary.Service
	// Catalogue serves the catalogue; nil leaves it out. One of the two is required.
	Catalogue catalogue.Reader
	// Croissant has the documents of its datasets; required with Catalogue.
	Croissant *croissant.Service
	// Enquiries takes what people ask of the catalogue; nil leaves the endpoint out,
	// as does a nil Catalogue. It is described either way.
	Enquiries Enquiries
	// SpeechMCP serves POST and DELETE /v1/mcp to callers with a key, CatalogueMCP
	// those of /api/catalogue/mcp to anybody; nil leaves the address out.
	SpeechMCP, CatalogueMCP Agents
	// Documents are served as they are at their paths, to anybody.
	Documents []Document
	// Live serves live speech, by paths as patterns of [http.ServeMux] without a
	// method. Requests come with a key, counted and recorded; the handlers take
	// slots and refuse by [Refuse] or [RefuseElevenLabs]. nil is none.
	Live map[string]http.Handler
	// Pages are mounted at their patterns; nil leaves them out.
	Pages Pages
	// Clients tells the addresses of clients, by which requests without a key are
	// counted; nil trusts no proxy.
	Clients *edge.Clients
	// PublicRate is how many requests a minute an address may send to the JSON
	// endpoints that need no key; 0 or less sets no limit.
	PublicRate int
	// Version of the program, as /health tells it; "" is "dev".
	Version string
	// Logger takes the access log; nil discards it.
	Logger *slog.Logger
	// Observer is told of every request; nil is nobody.
	Observer edge.Observer
	// ReaderPause is how long a client may stop reading an answer before its
	// connection is broken; 0 is 120 s.
	ReaderPause time.Duration
}

// api holds what the handlers work with.
type api struct {
	Config
	languages, voices document
	audioVoices       document // as clients of local servers ask for them
	audioModels       document
	settings          document
	voice             map[voice.ID]document
	models            modelDocuments
	description       document // of HTTP
	live              document // of the sockets

	catalogueDescription document           // of the catalogue alone
	limited              [4]edge.Middleware // of requests without a key, by dialect of the refusal
	limiter              *ratelimit.Limiter // of all of them
}

// New returns the handler of the whole public listener.
func New(cfg Config) (http.Handler, error) {
	if cfg.Accounts == nil || cfg.Speech == nil && cfg.Catalogue == nil {
		return nil, errors.New("rest needs Accounts, and Speech or Catalogue")
	}
	if cfg.Catalogue != nil && cfg.Croissant == nil {
		return nil, errors.New("rest needs Croissant with Catalogue")
	}
	if cfg.Clients == nil {
		cfg.Clients = edge.NewClients(nil)
	}
	if cfg.Version == "" {
		cfg.Version = "dev"
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.ReaderPause == 0 {
		cfg.ReaderPause = 120 * time.Second
	}
	a := &api{Config: cfg}
	a.limit()
	if err := a.prepare(); err != nil {
		return nil, err
	}
	routes := newRoutes()
	if err := a.describe(routes); err != nil {
		return nil, err
	}
	a.mount(routes)
	return edge.Chain(routes.handler(),
		edge.Identify,
		edge.Access(cfg.Logger, cfg.ReaderPause),
		edge.Observe(cfg.Observer),
		edge.Recover(func(w http.ResponseWriter, r *http.Request, err error) { shapeOf(r.URL.Path).refuse(w, r, err) }),
		edge.Secure,
		aliases,
	), nil
}

// limit makes what counts requests without a key: one count for all dialects.
func (a *api) limit() {
	a.limiter = ratelimit.NewLimiter(ratelimit.DefaultScopes)
	for d := range a.limited {
		a.limited[d] = a.limitedBy(dialect(d).refuse)
	}
}

// limitedBy counts requests without a key with all others, and refuses in a way
// of its own.
func (a *api) limitedBy(refuse edge.Refuse) edge.Middleware {
	return edge.LimitAddresses(a.Clients, a.limiter, a.PublicRate, refuse)
}

// describe declares the operations, so that they are served, and renders their
// descriptions.
func (a *api) describe(routes *routes) error {
	desc := newDescription(&adapter{routes: routes, api: a}, about(a.Speech != nil), a.Speech != nil)
	a.register(desc, parts{a.Speech != nil, a.Clips != nil, a.Dictionaries != nil, a.Catalogue != nil})
	text, err := encodeDescription(desc)
	if err != nil {
		return err
	}
	a.description = newDocument("application/json", text)
	if a.Catalogue != nil {
		if text, err = CatalogueOpenAPI(); err != nil {
			return err
		}
		a.catalogueDescription = newDocument("application/json", text)
	}
	if text, err = ws.AsyncAPI(); err == nil {
		a.live = newDocument("application/json", text)
	}
	return err
}

// OpenAPI returns the description of both services (OpenAPI 3.1.0, JSON, indented,
// ending in a newline). It is the same on every machine, and the same as what
// GET /openapi.json answers where everything is served.
func OpenAPI() ([]byte, error) { return describe(true) }

// CatalogueOpenAPI returns the description of the catalogue alone, as
// GET /api/catalogue/openapi.json answers it.
func CatalogueOpenAPI() ([]byte, error) { return describe(false) }

func describe(speech bool) ([]byte, error) {
	a := &api{}
	a.limit()
	desc := newDescription(&adapter{routes: newRoutes(), api: a}, about(speech), speech)
	a.register(desc, parts{speech, true, true, true})
	return encodeDescription(desc)
}

// prepare renders the answers that never change.
func (a *api) prepare() error {
	var err error
	if a.voices, a.voice, err = a.voiceDocuments(); err != nil {
		return fmt.Errorf("render voices: %w", err)
	}
	if a.audioVoices, a.audioModels, err = a.audioLists(); err != nil {
		return fmt.Errorf("render the lists of audio: %w", err)
	}
	if a.languages, err = languageDocument(); err != nil {
		return fmt.Errorf("render languages: %w", err)
	}
	if a.settings, err = render(defaultSettings); err != nil {
		return fmt.Errorf("render settings: %w", err)
	}
	if a.models, err = renderModels(); err != nil {
		return fmt.Errorf("render models: %w", err)
	}
	return nil
}

// mount adds what is not part of the description.
func (a *api) mount(routes *routes) {
	for path, d := range a.descriptions() {
		routes.add(http.MethodGet, path, true, edge.Chain(http.HandlerFunc(d.serve), edge.Public, a.limited[shapeOf(path)]))
	}
	a.mountMCP(routes)
	if routes.paths[dictionaryPath] != nil {
		for path, says := range dictionaryInstead {
			routes.teach(path, says)
		}
	}
	for path, h := range a.Live {
		d := native
		if strings.HasPrefix(path, elevenLabsSpeech) {
			d, h = elevenLabs, repeatID(h)
		}
		routes.add(http.MethodGet, path, false, edge.Chain(h, a.keyed(d, ws.Traced(d.refuse), true)...))
	}
	if a.Pages != nil {
		a.mountPages(routes)
	}
}

// descriptions are the documents that describe what is served.
func (a *api) descriptions() map[string]document {
	all := map[string]document{"/openapi.json": a.description}
	if a.Speech != nil {
		all["/asyncapi.json"] = a.live
	}
	if a.Catalogue != nil {
		all["/api/catalogue/openapi.json"] = a.catalogueDescription
	}
	for _, d := range a.Documents {
		all[d.Path] = newDocument(d.ContentType, d.Body)
	}
	return all
}
