// Package console serves the pages, on a listener of their own, where people manage
// what an organisation has (keys, dictionaries, usage, a playground) and operators
// manage the service (organisations, plans, people, datasets, enquiries).
//
// A page is a handler and a template below pages. Handlers call the methods of the
// domain services that REST and MCP call; nothing is decided here but who may see
// what. Every route says who that is ([access]), and the addresses of what belongs to
// an organisation begin with /o/ and its id, so that the check is in one place.
//
// Forms work without scripts: they are posted, and answered with a redirect and a
// notice, or with the same page and what is wrong. Scripts of the pages are files of
// this server; nothing is loaded from elsewhere.
package console

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/alexedwards/scs/v2"

	"vaak/account"
	"vaak/catalogue"
	"vaak/croissant/publish"
	"vaak/dictionary"
	"vaak/edge"
	"vaak/enquiry"
	"vaak/identity"
	"vaak/identity/oidc"
	"vaak/internal/ratelimit"
	"vaak/internal/ui"
	"vaak/speech"
	"vaak/voice"
)

// Speech speaks, as [speech.Service] does.
type Speech interface {
	Speak(ctx context.Context, caller account.Caller, req speech.Request, w io.Writer) (speech.Result, error)
	Read(ctx context.Context, req speech.Request) (speech.Reading, error)
	Preview(ctx context.Context, id voice.ID) (speech.Preview, error)
	Health() speech.Health
}

// Vouching is an identity provider that vouches for people.
type Vouching interface {
	Begin(ctx context.Context) (address string, f oidc.Flight, err error)
	Finish(ctx context.Context, f oidc.Flight, answer url.Values) (identity.Vouched, error)
}

// Config is what a [Console] serves.
type Config struct {
	Identity *identity.Service     // required
	Sessions identity.SessionStore // required
	Accounts *account.Service      // required
	// URL is where people reach the console, such as https://console.example.org;
	// required. With https cookies are marked as secure.
	URL string
	// API is where clients reach the services, for examples of code; required.
	API string
	// Speech and Dictionaries are nil where speech does not run.
	Speech       Speech
	Dictionaries *dictionary.Service
	// Voices finds the voices that people name; nil knows the roster and the built-in
	// aliases.
	Voices *voice.Directory
	// Catalogue, Croissant, Enquiries and Desk are nil where the catalogue does not run.
	Catalogue *catalogue.Service
	Croissant *publish.Service
	Desk      *enquiry.Desk
	// Provider is nil without an identity provider; ProviderName is what the button
	// says.
	Provider     Vouching
	ProviderName string
	// System tells how the server does; required.
	System func(context.Context) System
	// KeepRequests is how long records of requests are kept; 0 says nothing of it.
	KeepRequests time.Duration
	// Clients tells the addresses of clients; nil trusts no proxy.
	Clients *edge.Clients
	Version string       // of the program
	Logger  *slog.Logger // nil discards
	// Observer is told of every request; nil is nobody.
	Observer edge.Observer
}

func (c *Config) check() error {
	if c.Identity == nil || c.Sessions == nil || c.Accounts == nil || c.System == nil {
		return errors.New("the console needs Identity, Sessions, Accounts and System")
	}
	if (c.Speech == nil) != (c.Dictionaries == nil) {
		return errors.New("the console needs Speech and Dictionaries together")
	}
	if c.Catalogue != nil && (c.Croissant == nil || c.Desk == nil) {
		return errors.New("the console needs Croissant and Desk with Catalogue")
	}
	u, err := url.Parse(c.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return fmt.Errorf("the address of the console %.100q is no http or https address", c.URL)
	}
	c.URL, c.API = strings.TrimRight(c.URL, "/"), strings.TrimRight(c.API, "/")
	if c.Clients == nil {
		c.Clients = edge.NewClients(nil)
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return nil
}

// Console serves the pages. It is safe for concurrent use.
type Console struct {
	Config
	kit      *ui.Kit
	pages    *templates
	sessions *scs.SessionManager
	guard    *http.CrossOriginProtection
	host     string             // of URL
	vouching *ratelimit.Limiter // of those who are sent to the provider
	once     *onces             // forms that were sent
	routes   []route
	handler  http.Handler
}

// readerPause is how long a browser may stop reading an answer.
const readerPause = 2 * time.Minute

// New returns the console.
func New(cfg Config) (*Console, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	c := &Console{Config: cfg, kit: ui.NewKit(staticPrefix), sessions: newSessions(cfg), vouching: ratelimit.NewLimiter(maxClients), once: newOnces()}
	u, err := url.Parse(cfg.URL) // was checked
	if err != nil {
		return nil, err
	}
	c.host = u.Host
	if c.guard, err = newGuard(cfg.URL); err != nil {
		return nil, err
	}
	if c.pages, err = newTemplates(c); err != nil {
		return nil, err
	}
	c.routes = c.all()
	c.handler = edge.Chain(c.split(edge.Chain(c.mux(), c.ownHost, remember, c.sessions.LoadAndSave, edge.Recover(c.refuse), c.sameOrigin)),
		edge.Identify,
		edge.Access(cfg.Logger, readerPause),
		edge.Observe(cfg.Observer),
		edge.Secure,
		c.shut,
		edge.Locate(cfg.Clients),
	)
	return c, nil
}

// ServeHTTP answers a request.
func (c *Console) ServeHTTP(w http.ResponseWriter, r *http.Request) { c.handler.ServeHTTP(w, r) }
