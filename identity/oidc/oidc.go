// Package oidc lets people sign in with an OpenID Connect provider: it is the client of the
// authorization code flow with PKCE (OpenID Connect Core 1.0, RFC 6749, RFC 7636).
package oidc

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"

	"vaak/internal/fault"
	"vaak/internal/flight"
)

// Codes of what is refused.
const (
	CodeUnavailable = "identity_provider_unavailable"
	CodeRefused     = "sign_in_refused"
)

// Config is what a provider needs. Addresses are https, or http on this machine.
type Config struct {
	Issuer       string // exactly as the provider writes it
	ClientID     string
	ClientSecret string // "" of a public client
	RedirectURL  string // of the page that calls [Provider.Finish]
	// HTTPClient reaches the provider; nil is one of its own. Its timeout becomes 10 s
	// at most, and it follows no redirects.
	HTTPClient *http.Client
	Now        func() time.Time // nil is time.Now
}

// Provider is an identity provider. It is safe for concurrent use.
type Provider struct {
	config Config
	client *http.Client
	asking flight.Group[string, *discovered] // under ""

	mu     sync.Mutex
	known  *discovered
	landed landed
}

// discovered is the cached configuration of the provider.
type discovered struct {
	authURL, tokenURL string
	algorithms        []string
	inForm            bool // the provider takes the client secret only in the form
	keys              oidc.KeySet
}

// Flight is what the session of a browser stores while its person is at the provider.
type Flight struct {
	State    string `json:"state"`
	Nonce    string `json:"nonce"`
	Verifier string `json:"verifier"`
}

// New returns a provider. It does not connect: the configuration of the provider is read at
// the first use, and again until that succeeds, so that a server can start while its
// provider is away. New fails when ctx has ended, and does not keep it.
func New(ctx context.Context, c Config) (*Provider, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := checkURL(c.Issuer); err != nil {
		return nil, fmt.Errorf("issuer of the identity provider: %w", err)
	}
	if err := checkURL(c.RedirectURL); err != nil {
		return nil, fmt.Errorf("address to return to from the identity provider: %w", err)
	}
	if c.ClientID == "" {
		return nil, errors.New("the identity provider needs a client id")
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	return &Provider{config: c, client: bounded(c.HTTPClient)}, nil
}

// checkURL says what is wrong with an address.
func checkURL(s string) error {
	u, err := url.Parse(s)
	switch {
	case err != nil:
		return errors.New("it is not an address")
	case u.Host == "" || u.User != nil || u.Fragment != "":
		return fmt.Errorf("%.200q is not an address such as https://id.example.org", s)
	case u.Scheme == "https" || u.Scheme == "http" && isLoopback(u.Hostname()):
		return nil
	}
	return fmt.Errorf("%.200q must begin with https", s)
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Begin returns the address at the provider to redirect a browser to, and what its session
// has to store until the browser comes back. It is Unavailable while the provider is away.
func (p *Provider) Begin(ctx context.Context) (string, Flight, error) {
	d, err := p.discover(ctx)
	if err != nil {
		return "", Flight{}, err
	}
	u, err := url.Parse(d.authURL) // was checked
	if err != nil {
		return "", Flight{}, away(err)
	}
	f := Flight{State: random(), Nonce: random(), Verifier: random()}
	challenge := sha256.Sum256([]byte(f.Verifier))
	q := u.Query()
	for k, v := range map[string]string{
		"response_type": "code", "scope": oidc.ScopeOpenID + " email", "client_id": p.config.ClientID, "redirect_uri": p.config.RedirectURL,
		"state": f.State, "nonce": f.Nonce,
		"code_challenge": base64.RawURLEncoding.EncodeToString(challenge[:]), "code_challenge_method": "S256",
	} {
		q.Set(k, v)
	}
	u.RawQuery = q.Encode()
	return u.String(), f, nil
}

// random returns 256 random bits in 43 characters, which PKCE takes as a verifier.
func random() string {
	var b [32]byte
	rand.Read(b[:]) // never fails: see crypto/rand
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// discover returns the configuration of the provider. Calls at the same time share one
// question.
func (p *Provider) discover(ctx context.Context) (*discovered, error) {
	if d := p.learned(); d != nil {
		return d, nil
	}
	asked := p.asking.Go("", func() (*discovered, error) {
		if d := p.learned(); d != nil { // an earlier question has ended since
			return d, nil
		}
		d, err := p.ask(context.WithoutCancel(ctx)) // others wait for it too; the client has a timeout
		if err == nil {
			p.mu.Lock()
			p.known = d
			p.mu.Unlock()
		}
		return d, err
	})
	select {
	case <-asked.Done():
		d, err := asked.Value()
		if err != nil {
			return nil, away(err)
		}
		return d, nil
	case <-ctx.Done():
		return nil, cancelled()
	}
}

// learned returns the configuration of the provider if it is known.
func (p *Provider) learned() *discovered {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.known
}

// ask reads the provider's configuration (OpenID Connect Discovery 1.0).
func (p *Provider) ask(ctx context.Context) (*discovered, error) {
	ctx = oidc.ClientContext(ctx, p.client)
	provider, err := oidc.NewProvider(ctx, p.config.Issuer)
	if err != nil {
		return nil, err
	}
	var more struct {
		JWKS       string   `json:"jwks_uri"`
		Algorithms []string `json:"id_token_signing_alg_values_supported"`
		Methods    []string `json:"token_endpoint_auth_methods_supported"`
	}
	if err := provider.Claims(&more); err != nil {
		return nil, err
	}
	endpoint := provider.Endpoint()
	lasting := oidc.ClientContext(context.Background(), p.client) // the keys outlive who asks first
	for _, s := range []string{endpoint.AuthURL, endpoint.TokenURL, more.JWKS} {
		if err := checkURL(s); err != nil {
			return nil, fmt.Errorf("configuration of the provider: %w", err)
		}
	}
	d := &discovered{authURL: endpoint.AuthURL, tokenURL: endpoint.TokenURL, keys: oidc.NewRemoteKeySet(lasting, more.JWKS)}
	for _, a := range more.Algorithms {
		if strings.Contains(algorithms, " "+a+" ") {
			d.algorithms = append(d.algorithms, a)
		}
	}
	methods := " " + strings.Join(more.Methods, " ") + " "
	d.inForm = strings.Contains(methods, " client_secret_post ") && !strings.Contains(methods, " client_secret_basic ")
	return d, nil
}

// algorithms are the signatures that are accepted. All of them need a private key to sign, so
// that nothing that can verify a token can make one.
const algorithms = " RS256 RS384 RS512 ES256 ES384 ES512 PS256 PS384 PS512 EdDSA "

// away is the error of a provider that does not answer.
func away(err error) error {
	return fault.Down(CodeUnavailable, 10*time.Second, err, "the identity provider cannot be reached; try again, or sign in with a password")
}

func cancelled() error {
	return fault.New(fault.Cancelled, "cancelled", "", "the caller went away while the identity provider was asked")
}
