package oauth

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"vaak/account"
	"vaak/identity"
	"vaak/internal/document"
	"vaak/internal/fault"
	"vaak/internal/ids"
)

// Limits of what applications say of themselves.
const (
	MaxRegistration = 16 << 10 // bytes of a registration
	maxName         = 100      // code points of a name
	maxRedirects    = 10
	maxAddress      = 500    // bytes of an address
	maxRegistered   = 10_000 // clients that registered and are kept
	registrations   = 30     // a minute of one address
	maxClients      = 1 << 12
)

// How long clients are kept.
const (
	unusedLife = 24 * time.Hour      // of a client that nobody was ever asked for
	idleLife   = 90 * 24 * time.Hour // of one without a grant, since somebody was asked for it
)

// Client is an application.
type Client struct {
	ID        string // "app_" and 26 base32 characters, or the address of its document
	Name      string
	URI       string // of its home page; "" is none
	Redirects []string
	Created   time.Time
	Used      time.Time // when somebody was last asked for it; zero: never
}

// Documented reports whether the client is known by a document at its own address, so that its
// host is known. A client that registered itself may call itself anything.
func (c Client) Documented() bool { return !strings.HasPrefix(c.ID, clientPrefix) }

// metadata is what an application says of itself (RFC 7591, section 2). Other members are ignored.
type metadata struct {
	ClientID      string   `json:"client_id"`
	Name          string   `json:"client_name"`
	URI           string   `json:"client_uri"`
	Redirects     []string `json:"redirect_uris"`
	GrantTypes    []string `json:"grant_types"`
	ResponseTypes []string `json:"response_types"`
	AuthMethod    string   `json:"token_endpoint_auth_method"`
	Secret        string   `json:"client_secret"`
}

// read reads metadata in JSON, and checks all of it but the id and the way to authenticate.
func read(body []byte) (m metadata, err error) {
	if err := document.Check("the metadata of the client", body); err != nil {
		return m, refuse(CodeInvalidMetadata, "%s", err)
	}
	if err := json.Unmarshal(body, &m); err != nil {
		return m, refuse(CodeInvalidMetadata, "the metadata of the client is no object of RFC 7591: a member has the wrong type")
	}
	if len(m.Redirects) < 1 || len(m.Redirects) > maxRedirects {
		return m, refuse(CodeInvalidRedirect, "redirect_uris has %d addresses; allowed: 1 to %d", len(m.Redirects), maxRedirects)
	}
	for _, r := range m.Redirects {
		if why := badRedirect(r); why != "" {
			return m, refuse(CodeInvalidRedirect, "redirect_uris has %.100q, which %s", r, why)
		}
	}
	if why := badName(m.Name); why != "" {
		return m, refuse(CodeInvalidMetadata, "client_name %.60q %s", m.Name, why)
	}
	if m.URI != "" && !webAddress(m.URI) {
		return m, refuse(CodeInvalidMetadata, "client_uri %.100q is no https address of at most %d bytes", m.URI, maxAddress)
	}
	for _, g := range m.GrantTypes {
		if g != grantCode && g != grantRefresh {
			return m, refuse(CodeInvalidMetadata, "grant_types has %.60q; allowed: %s, %s", g, grantCode, grantRefresh)
		}
	}
	if len(m.GrantTypes) > 0 && !slices.Contains(m.GrantTypes, grantCode) {
		return m, refuse(CodeInvalidMetadata, "grant_types lacks %s, the only way to get a token", grantCode)
	}
	for _, r := range m.ResponseTypes {
		if r != "code" {
			return m, refuse(CodeInvalidMetadata, "response_types has %.60q; allowed: code", r)
		}
	}
	return m, nil
}

// badName says what is wrong with the name of an application; "" is nothing.
func badName(name string) string {
	switch n := utf8.RuneCountInString(name); {
	case n > maxName:
		return "is too long"
	case strings.Contains(name, account.SecretPrefix):
		return "holds an API key"
	case strings.TrimSpace(name) != name:
		return "begins or ends with a space"
	case strings.ContainsFunc(name, func(r rune) bool {
		// The two joiners are letters' company in Indian scripts. Other characters of format could
		// reorder what a person reads.
		return r != '\u200c' && r != '\u200d' && unicode.In(r, unicode.C, unicode.Zl, unicode.Zp)
	}):
		return "holds a character that cannot be seen"
	}
	return ""
}

// Register adds an application that says who it is. It gets no secret: whatever way to
// authenticate it asks for, it is told none.
func (s *Service) Register(ctx context.Context, from identity.Client, body []byte) (Client, error) {
	if d := s.limiter.Take(from.Scope, s.cfg.Now(), registrations); !d.Allowed {
		e := fault.New(fault.RateLimited, fault.CodeRateLimited, "", "%d applications a minute may register from one address, and did", registrations)
		e.RetryAfter = d.RetryAfter
		return Client{}, e
	}
	if len(body) > MaxRegistration {
		return Client{}, refuse(CodeInvalidMetadata, "the registration is over %d bytes", MaxRegistration)
	}
	m, err := read(body)
	if err != nil {
		return Client{}, err
	}
	if m.Name == "" {
		m.Name = "An application without a name"
	}
	if !slices.Contains([]string{"", "none", "client_secret_basic", "client_secret_post"}, m.AuthMethod) {
		return Client{}, refuse(CodeInvalidMetadata, "token_endpoint_auth_method %.60q is not served; allowed: none", m.AuthMethod)
	}
	c := Client{ID: ids.New(clientPrefix, clientBytes), Name: m.Name, URI: m.URI, Redirects: m.Redirects, Created: s.now()}
	added, err := s.cfg.Store.AddClient(ctx, c, maxRegistered)
	switch {
	case err != nil:
		return Client{}, err
	case !added:
		e := refuse(CodeTemporarily, "%d applications are registered, which is the most; try again tomorrow, when those that nobody uses are gone", maxRegistered)
		e.RetryAfter = time.Hour
		return Client{}, e
	}
	s.cfg.Log.InfoContext(ctx, "application registered", "client", c.ID)
	return c, nil
}

// client returns the application with an id.
func (s *Service) client(ctx context.Context, id string) (Client, error) {
	switch {
	case ids.Is(clientPrefix, clientBytes, id):
		c, err := s.cfg.Store.Client(ctx, id)
		if fault.KindOf(err) == fault.NotFound {
			return Client{}, refuse(CodeInvalidClient, "the application %s is not registered here, or was forgotten: register it again", id)
		}
		return c, err
	case strings.HasPrefix(id, "https://"):
		return s.documented(ctx, id)
	}
	return Client{}, refuse(CodeInvalidClient, "client_id %.100q is neither the id of a registered application nor the https address of a document about one", id)
}
