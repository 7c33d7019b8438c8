// Package rest serves both services over HTTP and describes them in OpenAPI.
//
// Each capability has a package below, which declares and serves its operations with package
// frame. This package puts them together. Every operation is declared once, to huma, which
// generates the description. Its handler is an ordinary net/http handler that returns an error.
// One table turns errors into answers. One list of routes knows every path, so that unknown
// paths and wrong methods are answered in the same shape as everything else.
package rest

import (
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"vaak/catalogue"
	"vaak/catalogue/export"
	"vaak/croissant/badge"
	"vaak/croissant/publish"
	"vaak/dictionary"
	"vaak/edge"
	"vaak/idempotency"
	"vaak/oauth"
	"vaak/rest/dictionaries"
	"vaak/rest/enquiries"
	"vaak/rest/frame"
	"vaak/rest/live"
	"vaak/rest/live/asyncapi"
	restspeech "vaak/rest/speech"
	"vaak/rest/usage"
	"vaak/rest/voices"
	"vaak/speech"
	"vaak/token"
	"vaak/voice"
	"vaak/webhook"
)

// Accounts finds callers by their keys, counts and limits what they do, and reports their usage.
// [*account.Service] is the one of the product.
type Accounts interface {
	frame.Accounts
	restspeech.Accounts
	usage.Reports
}

// Speaker speaks. [*speech.Service] is the one of the product.
type Speaker interface {
	restspeech.Speaker
	voices.Previews
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
	Clips restspeech.Clips
	// Dictionaries are the pronunciation dictionaries that a request may use and its
	// caller may change; nil leaves their routes out, and every id names none.
	Dictionaries *dictionary.Service
	// Webhooks are the addresses to which events of the caller's organisation go; nil leaves their
	// routes out.
	Webhooks *webhook.Service
	// Catalogue serves the catalogue; nil leaves it out. One of the two is required.
	Catalogue catalogue.Reader
	// Croissant has the documents of its datasets; required with Catalogue.
	Croissant *publish.Service
	// Reports makes the addresses of reports on documents of others; nil leaves them out.
	Reports *badge.Links
	// Exports has the records in the formats of others; nil leaves their addresses out. They
	// are described either way.
	Exports *export.Service
	// Enquiries takes what people ask of the catalogue; nil leaves the endpoint out,
	// as does a nil Catalogue. It is described either way.
	Enquiries enquiries.Enquiries
	// SpeechMCP serves POST and DELETE /v1/mcp to callers with a key, CatalogueMCP
	// those of /api/catalogue/mcp to anybody; nil leaves the address out.
	SpeechMCP, CatalogueMCP Agents
	// OAuth gives access tokens for the endpoints for agents; nil gives none, and only keys are
	// good.
	OAuth *oauth.Service
	// Documents are served as they are at their paths, to anybody.
	Documents []Document
	// Requests lets requests with an Idempotency-Key run once; nil ignores the header.
	Requests *idempotency.Service
	// Tokens makes single-use tokens and finds the callers of the sockets that come with one;
	// nil leaves their addresses out, and takes none. They are described either way.
	Tokens *token.Service
	// Live serves live speech, by paths as patterns of [http.ServeMux] without a
	// method. Requests come with a key, counted and recorded; the handlers take
	// slots and refuse by [frame.Refuse] or [frame.RefuseElevenLabs]. nil is none.
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
	// Observer watches every request; nil watches none.
	Observer edge.Observer
	// ReaderPause is how long a client may stop reading an answer before its
	// connection is broken; 0 is 120 s.
	ReaderPause time.Duration
}

// server is what New makes of a Config.
type server struct {
	Config
	*frame.Frame
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
	s := &server{cfg, frame.New(cfg.Accounts, cfg.Clients, cfg.PublicRate)}
	s.Frame.Requests = cfg.Requests
	if err := s.mount(); err != nil {
		return nil, err
	}
	return edge.Chain(s.Handler(),
		edge.Identify,
		edge.Access(cfg.Logger, cfg.ReaderPause),
		edge.Observe(cfg.Observer),
		edge.Recover(func(w http.ResponseWriter, r *http.Request, err error) { frame.ShapeOf(r.URL.Path).Refuse(w, r, err) }),
		edge.Secure,
		frame.Aliases,
	), nil
}

// mount adds the routes of everything that is configured.
func (s *server) mount() error {
	desc := s.Describe(about(s.Speech != nil), tags(s.Speech != nil), s.Speech != nil)
	if err := s.register(desc, parts{s.Speech != nil, s.Clips != nil, s.Dictionaries != nil, s.Webhooks != nil, s.Catalogue != nil}); err != nil {
		return err
	}
	s.mountDescriptions(desc)
	s.mountMCP()
	if s.Speech != nil && s.Dictionaries != nil {
		for path, says := range dictionaries.Instead {
			s.Teach(path, says)
		}
	}
	for path, h := range s.Live {
		s.mountLive(path, h)
	}
	if s.Pages != nil {
		s.mountPages()
	}
	return nil
}

// mountLive serves a socket. Its path says in which dialect a handshake is refused.
func (s *server) mountLive(path string, h http.Handler) {
	d := frame.Native
	if strings.HasPrefix(path, frame.ElevenLabsSpeech) {
		d, h = frame.ElevenLabs, frame.RepeatID(h)
	}
	refuse := live.Traced(d.Refuse)
	authenticate := edge.Authenticate(s.Accounts, refuse)
	if s.Tokens != nil {
		authenticate = live.Authenticate(s.Tokens, authenticate, refuse)
	}
	s.Add(http.MethodGet, path, false, edge.Chain(h, s.KeyedBy(authenticate, d, refuse)...))
}

// mountDescriptions serves the documents that describe what is served, and those of
// Config.
func (s *server) mountDescriptions(desc huma.API) {
	s.ServeJSON("/openapi.json", func() ([]byte, error) { return frame.EncodeDescription(desc) })
	if s.Speech != nil {
		s.ServeJSON("/asyncapi.json", asyncapi.Document)
	}
	if s.Catalogue != nil {
		s.ServeJSON("/api/catalogue/openapi.json", CatalogueOpenAPI)
	}
	for _, d := range s.Documents {
		s.Serve(d.Path, frame.NewDocument(d.ContentType, d.Body))
	}
}

// OpenAPI returns the description of both services (OpenAPI 3.1.0, JSON, indented,
// ending in a newline). It is the same on every machine, and the same as what
// GET /openapi.json answers where everything is served.
func OpenAPI() ([]byte, error) { return describe(true) }

// CatalogueOpenAPI returns the description of the catalogue alone, as
// GET /api/catalogue/openapi.json answers it.
func CatalogueOpenAPI() ([]byte, error) { return describe(false) }

// describe returns the description of both services, or of the catalogue alone.
func describe(speech bool) ([]byte, error) {
	s := &server{Frame: frame.New(nil, edge.NewClients(nil), 0)}
	desc := s.Describe(about(speech), tags(speech), speech)
	if err := s.register(desc, parts{speech, true, true, true, true}); err != nil {
		return nil, err
	}
	return frame.EncodeDescription(desc)
}
