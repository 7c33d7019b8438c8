// Package page is the frame of the console: which routes there are and who may ask for
// them, the sessions of browsers, forms, and the frame around every page.
//
// A capability of the console is a [Section]: routes, and the templates and scripts that
// its pages need. A handler gets a [Visit], which is one request that was let in. It
// answers with [Visit.Show] or [Visit.Done], or returns an error, for which the frame
// makes a page.
package page

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/alexedwards/scs/v2"

	"vaak/account"
	"vaak/edge"
	"vaak/identity"
	"vaak/internal/ui"
)

// Section is a capability of the console.
type Section struct {
	Routes []Route
	// Files holds the templates and scripts of the section. NAME.html is the template of
	// the page NAME, so a name belongs to one section of the console. Templates whose
	// names begin with _ belong to all pages of the section. Scripts (.js) are served
	// under the addresses that the template function asset returns.
	Files fs.FS
}

// Config is what a [Site] serves.
type Config struct {
	Identity *identity.Service     // required
	Sessions identity.SessionStore // required
	Accounts *account.Service      // required
	// URL is where people reach the console, such as https://console.example.org, without
	// a slash at the end; required. With https, cookies are marked as secure.
	URL      string
	Sections []Section
	// Menu returns the links beside a page; nil shows none.
	Menu     func(*Visit) []Menu
	Clients  *edge.Clients // tells the addresses of clients; required
	Version  string        // of the program
	Logger   *slog.Logger  // required
	Observer edge.Observer // watches every request; nil watches none
}

// Site serves the pages. It is safe for concurrent use.
type Site struct {
	cfg       Config
	kit       *ui.Kit
	templates *templates
	sessions  *scs.SessionManager
	guard     *http.CrossOriginProtection
	host      string // of the URL
	once      *onces // forms that were sent
	routes    []Route
	handler   http.Handler
}

// readerPause is how long a browser may stop reading an answer.
const readerPause = 2 * time.Minute

// New returns the site. The error says which setting or template is wrong.
func New(cfg Config) (*Site, error) {
	if cfg.Identity == nil || cfg.Sessions == nil || cfg.Accounts == nil || cfg.Clients == nil || cfg.Logger == nil {
		return nil, errors.New("the pages need Identity, Sessions, Accounts, Clients and Logger")
	}
	u, err := url.Parse(cfg.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("the address of the console %.100q is no http or https address", cfg.URL)
	}
	s := &Site{cfg: cfg, kit: ui.NewKit(staticPrefix), sessions: newSessions(cfg.Sessions, cfg.URL), host: u.Host, once: newOnces()}
	if s.guard, err = newGuard(u); err != nil {
		return nil, err
	}
	if s.templates, err = newTemplates(s.kit, cfg.Sections); err != nil {
		return nil, err
	}
	for _, section := range cfg.Sections {
		s.routes = slices.Concat(s.routes, section.Routes)
	}
	// The first middleware of a chain is the outermost one. A request for another host is
	// refused before its session is loaded, and the page of a panic or of a forged form
	// is rendered while the session is there.
	pages := edge.Chain(s.mux(), s.ownHost, remember, s.sessions.LoadAndSave, edge.Recover(s.refuse), s.sameOrigin)
	s.handler = edge.Chain(s.split(pages),
		edge.Identify,
		edge.Access(cfg.Logger, readerPause),
		edge.Observe(cfg.Observer),
		edge.Secure,
		s.shut,
		edge.Locate(cfg.Clients),
	)
	return s, nil
}

// ServeHTTP answers a request.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// secure reports whether people reach the console over TLS.
func secure(address string) bool { return strings.HasPrefix(address, "https:") }
