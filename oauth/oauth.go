// Package oauth lets people connect applications to their organisation with the sign-in of the
// console, as OAuth 2.1 says: an application that calls the tools for agents gets tokens and
// needs no API key.
//
// An application is known by a document at its own address, or it registers itself
// ([Service.Register]). It sends a person to the console, where [Service.Ask] checks what it
// asks for and [Service.Approve] records what the person allows. The application exchanges the
// code for tokens ([Service.Exchange]), renews them ([Service.Refresh]), and calls with them
// ([Service.Authenticate]).
//
// What a person allows is a [Grant]. A grant has a key of the organisation without a secret
// ([account.Service.CreateApplication]), so it is limited, counted and charged as any key, and
// to end one is to revoke that key.
//
// Only public clients exist, so every exchange is protected by PKCE with S256 (RFC 7636). A
// token is good for one resource (RFC 8707). Of codes and tokens only digests are kept.
//
// Errors that a client may act on are *fault.Error whose code is that of the protocol.
package oauth

import (
	"context"
	"errors"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"time"

	"vaak/account"
	"vaak/identity"
	"vaak/internal/fault"
	"vaak/internal/flight"
	"vaak/internal/ratelimit"
	"vaak/internal/recent"
	"vaak/internal/seal"
)

// How long things are good.
const (
	CodeLife    = time.Minute
	AccessLife  = time.Hour
	RefreshLife = 30 * 24 * time.Hour // from the last renewal
	consentLife = 10 * time.Minute    // for a person to decide
)

// MaxGrants is how many applications a person may have connected at a time.
const MaxGrants = 100

// Codes of errors, as RFC 6749, 6750, 7591 and 8707 have them.
const (
	CodeInvalidRequest  = "invalid_request"
	CodeInvalidClient   = "invalid_client"
	CodeInvalidGrant    = "invalid_grant"
	CodeUnauthorized    = "unauthorized_client"
	CodeGrantType       = "unsupported_grant_type"
	CodeResponseType    = "unsupported_response_type"
	CodeInvalidScope    = "invalid_scope"
	CodeInvalidTarget   = "invalid_target"
	CodeAccessDenied    = "access_denied"
	CodeInvalidRedirect = "invalid_redirect_uri"
	CodeInvalidMetadata = "invalid_client_metadata"
	CodeTemporarily     = "temporarily_unavailable"
	CodeInvalidToken    = "invalid_token"
	CodeTooManyGrants   = "too_many_applications"
	CodeNoSuchGrant     = "application_not_found"
	CodeConsentExpired  = "consent_expired"
)

// Grant is what a person has allowed an application.
type Grant struct {
	ID       string // "grant_" and 16 lower-case base32 characters
	ClientID string
	Name     string // of the application
	PersonID string
	OrgID    string
	KeyID    string // under which it is counted and charged
	Resource string // address of the endpoint
	Scopes   []string
	// MonthlyCap is how many characters a month it may speak; ledger.Unlimited is no limit.
	MonthlyCap int64
	Created    time.Time
	Expires    time.Time // of its newest refresh token
	Ended      time.Time // zero while it is good
}

// Code is a code that is waiting to be exchanged, or was.
type Code struct {
	Hash    []byte
	Allowed Allowed
	GrantID string // made of it; "" before
	Expires time.Time
}

// Allowed is what a person has allowed, as it is kept with the code.
type Allowed struct {
	ClientID, Name, Redirect, Challenge, Resource string
	PersonID, OrgID                               string
	Scopes                                        []string
	MonthlyCap                                    int64
}

// Token is a token as it is kept.
type Token struct {
	Hash    []byte
	GrantID string
	Refresh bool
	Scopes  []string // of an access token
	Expires time.Time
	Used    time.Time // when a refresh token was exchanged; zero before
}

// Store keeps clients, codes, grants and tokens. Its errors are as [identity.Store] says.
type Store interface {
	// AddClient adds a client, unless there are most already: then it returns false.
	AddClient(ctx context.Context, c Client, most int) (bool, error)
	// Client returns the one with an id.
	Client(ctx context.Context, id string) (Client, error)
	// UseClient notes that somebody was asked for a client. One that is not kept is no error.
	UseClient(ctx context.Context, id string, at time.Time) error
	// AddCode adds a code.
	AddCode(ctx context.Context, c Code) error
	// Code returns the one with a hash.
	Code(ctx context.Context, hash []byte) (Code, error)
	// Exchange turns a code into a grant with tokens: a new one, or one that is there, whose scopes
	// and expiry change. It returns false, and writes nothing, when the code was exchanged before,
	// and is a Conflict when the grant has ended.
	Exchange(ctx context.Context, hash []byte, g Grant, tokens []Token) (bool, error)
	// Rotate marks a refresh token as used and adds others in its place. It returns false, and
	// writes nothing, when the token was used before or its grant has ended.
	Rotate(ctx context.Context, hash []byte, at, expires time.Time, tokens []Token) (bool, error)
	// Token returns the one with a hash, and its grant.
	Token(ctx context.Context, hash []byte) (Token, Grant, error)
	// DeleteToken deletes a token; one that does not exist is no error.
	DeleteToken(ctx context.Context, hash []byte) error
	// Grant returns the one with an id.
	Grant(ctx context.Context, id string) (Grant, error)
	// Grants returns those of an organisation that have not ended, the newest first.
	Grants(ctx context.Context, orgID string) ([]Grant, error)
	// PersonGrants counts those of a person that have not ended.
	PersonGrants(ctx context.Context, personID string) (int, error)
	// EndGrant ends a grant and deletes its tokens. It returns false when it had ended.
	EndGrant(ctx context.Context, id string, at time.Time) (bool, error)
	// Lapsed returns up to limit grants that have not ended and expired before a time.
	Lapsed(ctx context.Context, before time.Time, limit int) ([]Grant, error)
	// Prune deletes tokens and codes that expired before a time, and clients without a grant
	// that nobody was asked for: never, and added before unused, or last before old.
	Prune(ctx context.Context, expired, unused, old time.Time) (int, error)
}

// Accounts makes and revokes the keys of grants.
type Accounts interface {
	CreateApplication(ctx context.Context, orgID string, r account.KeyRequest) (account.Key, error)
	Application(ctx context.Context, keyID string) (account.Caller, error)
	RevokeKey(ctx context.Context, keyID string) error
}

// People finds people, and writes down what was done in their name.
type People interface {
	Person(ctx context.Context, id string) (identity.Person, error)
	Note(ctx context.Context, from identity.Client, e identity.Event, err error)
}

// Fetch returns what is at an https address: at most most+1 bytes. It must reach nothing but the
// public internet, whatever the name resolves to, and follow no redirect.
type Fetch func(ctx context.Context, address string, most int) ([]byte, error)

// Config is what a [Service] needs.
type Config struct {
	Store    Store
	Accounts Accounts
	People   People
	Secret   *seal.Secret // seals what a page of consent carries
	// Issuer is the address of the services, without a slash at the end. The endpoints of the
	// protocol are below it.
	Issuer string
	// Console is the address of the console, where people are asked.
	Console   string
	Resources []Resource
	Fetch     Fetch            // of documents about clients; nil knows only clients that register
	Now       func() time.Time // nil is time.Now
	Log       *slog.Logger     // nil discards
}

// Service answers the questions of the protocol. It is safe for concurrent use, and several
// processes may share a store.
type Service struct {
	cfg       Config
	consent   *seal.Key
	documents *recent.Memory[string, kept]
	fetching  *flight.Bounded[string, fetched]
	limiter   *ratelimit.Limiter
}

// New returns a service. All fields but Fetch, Now and Log are needed.
func New(cfg Config) (*Service, error) {
	if cfg.Store == nil || cfg.Accounts == nil || cfg.People == nil || cfg.Secret == nil || len(cfg.Resources) == 0 {
		return nil, errors.New("oauth needs Store, Accounts, People, Secret and Resources")
	}
	for _, address := range []string{cfg.Issuer, cfg.Console} {
		if u, err := url.Parse(address); err != nil || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || strings.HasSuffix(address, "/") {
			return nil, errors.New("oauth needs the addresses of the services and of the console")
		}
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	return &Service{
		cfg: cfg, consent: cfg.Secret.For("consent to applications"),
		documents: recent.New[string, kept](maxDocuments, nil),
		fetching:  flight.NewBounded[string, fetched](maxFetches, maxWaiting),
		limiter:   ratelimit.NewLimiter(maxClients),
	}, nil
}

// now is the present in the resolution that stores keep.
func (s *Service) now() time.Time { return s.cfg.Now().UTC().Truncate(time.Microsecond) }

// Issuer returns the name of the authorization server (RFC 8414).
func (s *Service) Issuer() string { return s.cfg.Issuer }

// AuthorizePath is where the console asks people.
const AuthorizePath = "/oauth/authorize"

// AuthorizeURL returns the address at which people are asked.
func (s *Service) AuthorizeURL() string { return s.cfg.Console + AuthorizePath }

// Resources returns the endpoints that tokens can be for.
func (s *Service) Resources() []Resource { return slices.Clone(s.cfg.Resources) }

// resource returns the endpoint with an address.
func (s *Service) resource(address string) (Resource, bool) {
	i := slices.IndexFunc(s.cfg.Resources, func(r Resource) bool { return r.URL == address })
	if i < 0 {
		return Resource{}, false
	}
	return s.cfg.Resources[i], true
}

// refuse returns an error of the protocol.
func refuse(code, format string, args ...any) *fault.Error {
	kind := fault.Invalid
	switch code {
	case CodeInvalidClient, CodeInvalidToken:
		kind = fault.Unauthenticated
	case CodeTemporarily:
		kind = fault.Unavailable
	}
	return fault.New(kind, code, "", format, args...)
}
