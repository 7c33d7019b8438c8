package oidc

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"vaak/identity"
	"vaak/internal/fault"
	"vaak/internal/needed"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const redirect = "https://console.example.org/sign-in/back"

// dial returns a client of a provider.
func (p *idp) dial() *Provider {
	p.t.Helper()
	transport := &http.Transport{}
	p.t.Cleanup(transport.CloseIdleConnections)
	c, err := New(p.t.Context(), Config{
		Issuer: p.url, ClientID: clientID, ClientSecret: clientSecret, RedirectURL: redirect, HTTPClient: &http.Client{Transport: transport},
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return c
}

// fly begins a flight, visits the provider, and returns the query with which the browser comes back.
func (p *idp) fly(c *Provider) (Flight, url.Values) {
	p.t.Helper()
	address, f, err := c.Begin(p.t.Context())
	if err != nil {
		p.t.Fatal(err)
	}
	b, err := json.Marshal(f) // as a session keeps it
	if err == nil {
		f = Flight{}
		err = json.Unmarshal(b, &f)
	}
	if err != nil {
		p.t.Fatal(err)
	}
	return f, p.authorize(address)
}

func TestFlow(t *testing.T) {
	t.Parallel()
	p := newIDP(t)
	c := p.dial()
	if asked, _ := p.counts(); asked != 0 {
		t.Error("New has asked the provider")
	}
	for range 3 {
		f, q := p.fly(c)
		got, err := c.Finish(t.Context(), f, q)
		if want := (identity.Vouched{Issuer: p.url, Subject: "42", Email: "a@example.org", EmailVerified: true}); err != nil || got != want {
			t.Errorf("Finish = %+v, %v; want %+v", got, err, want)
		}
		_, err = c.Finish(t.Context(), f, q)
		want(t, "the same flight again", err, fault.Unauthenticated)
	}
	if asked, exchanged := p.counts(); asked != 1 || exchanged != 3 {
		t.Errorf("the provider was asked %d times and for %d codes, want 1 and 3", asked, exchanged)
	}
	a, _ := p.fly(c)
	b, _ := p.fly(c)
	if a.State == b.State || a.Nonce == b.Nonce || a.Verifier == b.Verifier || a.State == a.Nonce {
		t.Errorf("flights %+v and %+v share something", a, b)
	}
}

// TestFinishRefuses checks queries of a browser that do not fit the flight.
func TestFinishRefuses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		spoil func(f *Flight, q url.Values)
		want  fault.Kind
	}{
		{"another state", func(_ *Flight, q url.Values) { q.Set("state", random()) }, fault.Unauthenticated},
		{"no state", func(_ *Flight, q url.Values) { q.Del("state") }, fault.Unauthenticated},
		{"two states", func(_ *Flight, q url.Values) { q.Add("state", q.Get("state")) }, fault.Unauthenticated},
		{"no flight", func(f *Flight, q url.Values) { *f = Flight{}; q.Set("state", "") }, fault.Unauthenticated},
		{"another nonce", func(f *Flight, _ url.Values) { f.Nonce = random() }, fault.Unauthenticated},
		{"another verifier", func(f *Flight, _ url.Values) { f.Verifier = random() }, fault.Unauthenticated},
		{"another issuer", func(_ *Flight, q url.Values) { q.Set("iss", "https://evil.example.org") }, fault.Unauthenticated},
		{"a made-up code", func(_ *Flight, q url.Values) { q.Set("code", "x") }, fault.Unauthenticated},
		{"no code", func(_ *Flight, q url.Values) { q.Del("code") }, fault.Unauthenticated},
		{"a long code", func(_ *Flight, q url.Values) { q.Set("code", strings.Repeat("x", 5000)) }, fault.Unauthenticated},
		{"denied", func(_ *Flight, q url.Values) { q.Set("error", "access_denied") }, fault.Unauthenticated},
		{"an error and markup", func(_ *Flight, q url.Values) { q.Set("error", "<script>") }, fault.Unauthenticated},
		{"two errors", func(_ *Flight, q url.Values) { q["error"] = []string{"a", "b"} }, fault.Unauthenticated},
		{"away", func(_ *Flight, q url.Values) { q.Set("error", "temporarily_unavailable") }, fault.Unavailable},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newIDP(t)
			c := p.dial()
			f, q := p.fly(c)
			tt.spoil(&f, q)
			v, err := c.Finish(t.Context(), f, q)
			want(t, "Finish", err, tt.want)
			if v != (identity.Vouched{}) || strings.Contains(err.Error(), "script") {
				t.Errorf("Finish = %+v, %v", v, err)
			}
		})
	}
}

// TestToken checks ID tokens, right and wrong ones.
func TestToken(t *testing.T) {
	t.Parallel()
	hour := func(n time.Duration) int64 { return time.Now().Add(n * time.Hour).Unix() }
	for _, tt := range []struct {
		name   string
		claims map[string]any
		good   bool
		check  func(v identity.Vouched) bool
	}{
		{"another audience", map[string]any{"aud": "somebody"}, false, nil},
		{"another issuer", map[string]any{"iss": "https://evil.example.org"}, false, nil},
		{"expired", map[string]any{"exp": hour(-1)}, false, nil},
		{"not yet", map[string]any{"nbf": hour(1)}, false, nil},
		{"no nonce", map[string]any{"nonce": nil}, false, nil},
		{"no subject", map[string]any{"sub": ""}, false, nil},
		{"for another party", map[string]any{"azp": "somebody"}, false, nil},
		{"two audiences", map[string]any{"aud": []string{clientID, "somebody"}}, false, nil},
		{"two audiences, for us", map[string]any{"aud": []string{clientID, "somebody"}, "azp": clientID}, true, nil},
		{"not verified", map[string]any{"email_verified": false}, true, func(v identity.Vouched) bool { return !v.EmailVerified && v.Email != "" }},
		{"verified, maybe", map[string]any{"email_verified": nil}, true, func(v identity.Vouched) bool { return !v.EmailVerified }},
		{"verified, as a string", map[string]any{"email_verified": "true"}, true, func(v identity.Vouched) bool { return v.EmailVerified }},
		{"verified, as a number", map[string]any{"email_verified": 1}, true, func(v identity.Vouched) bool { return !v.EmailVerified }},
		{"an address that is a list", map[string]any{"email": []string{"a"}}, false, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newIDP(t)
			p.claims = tt.claims
			c := p.dial()
			f, q := p.fly(c)
			v, err := c.Finish(t.Context(), f, q)
			switch {
			case !tt.good:
				want(t, "Finish", err, fault.Unauthenticated)
			case err != nil:
				t.Errorf("Finish: %v", err)
			case v.Subject != "42" || tt.check != nil && !tt.check(v):
				t.Errorf("Finish = %+v", v)
			}
		})
	}
}

// TestSignature checks that only signatures with the private key of the provider are accepted.
func TestSignature(t *testing.T) {
	t.Parallel()
	p := newIDP(t)
	c := p.dial()
	p.signer = testKeys()[1]
	f, q := p.fly(c)
	_, err := c.Finish(t.Context(), f, q)
	want(t, "another key", err, fault.Unauthenticated)
	p.signer = p.key
	for _, header := range []string{`{"alg":"none"}`, `{"alg":"HS256","kid":"1"}`} {
		p.token = func(w http.ResponseWriter, _ *http.Request) bool {
			claims, _ := json.Marshal(map[string]any{"iss": p.url, "sub": "42", "aud": clientID, "exp": time.Now().Add(time.Hour).Unix()})
			answer(w, http.StatusOK, map[string]string{"id_token": b64([]byte(header)) + "." + b64(claims) + "."})
			return true
		}
		f, q = p.fly(c)
		_, err = c.Finish(t.Context(), f, q)
		want(t, header, err, fault.Unauthenticated)
	}
}

// TestProviderFails checks that a provider with a faulty answer counts as away, and that nobody is
// signed in.
func TestProviderFails(t *testing.T) {
	t.Parallel()
	for name, token := range map[string]func(w http.ResponseWriter, r *http.Request) bool{
		"an error of its own": func(w http.ResponseWriter, _ *http.Request) bool { w.WriteHeader(http.StatusBadGateway); return true },
		"does not know us": func(w http.ResponseWriter, _ *http.Request) bool {
			answer(w, http.StatusUnauthorized, map[string]string{"error": "invalid_client"})
			return true
		},
		"no token": func(w http.ResponseWriter, _ *http.Request) bool {
			answer(w, http.StatusOK, map[string]string{})
			return true
		},
		"no JSON": func(w http.ResponseWriter, _ *http.Request) bool { _, _ = io.WriteString(w, "<html>"); return true },
		"two mebibytes": func(w http.ResponseWriter, _ *http.Request) bool {
			answer(w, http.StatusOK, map[string]string{"id_token": strings.Repeat("a", 2<<20)})
			return true
		},
		"sends elsewhere": func(w http.ResponseWriter, r *http.Request) bool {
			if r.URL.RawQuery != "" {
				return false // a client that follows would have its token here
			}
			http.Redirect(w, r, "/token?elsewhere", http.StatusTemporaryRedirect)
			return true
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newIDP(t)
			p.token = token
			c := p.dial()
			f, q := p.fly(c)
			_, err := c.Finish(t.Context(), f, q)
			want(t, "Finish", err, fault.Unavailable)
			if e, _ := errors.AsType[*fault.Error](err); e != nil && e.RetryAfter <= 0 {
				t.Error("it is not told when to try again")
			}
		})
	}
}

// TestSecretInForm checks a provider that accepts the client secret only in the form.
func TestSecretInForm(t *testing.T) {
	t.Parallel()
	p := newIDP(t)
	p.extra = map[string]any{"token_endpoint_auth_methods_supported": []string{"client_secret_post", "private_key_jwt"}}
	c := p.dial()
	f, q := p.fly(c)
	if v, err := c.Finish(t.Context(), f, q); err != nil || v.Subject != "42" {
		t.Errorf("Finish = %+v, %v", v, err)
	}
}

// TestConfiguration checks that a configuration is refused when it names another issuer, has an
// address without TLS, or lacks one.
func TestConfiguration(t *testing.T) {
	t.Parallel()
	for k, v := range map[string]string{
		"issuer": "https://id.example.org", "authorization_endpoint": "http://id.example.org/", "token_endpoint": "http://id.example.org/", "jwks_uri": "",
	} {
		p := newIDP(t)
		p.extra = map[string]any{k: v}
		_, _, err := p.dial().Begin(t.Context())
		want(t, "Begin with "+k+" "+v, err, fault.Unavailable)
	}
}

// TestAway checks a provider that is away at first and whose keys are away for a while later.
func TestAway(t *testing.T) {
	t.Parallel()
	p := newIDP(t)
	address := needed.Address(t)
	p.url = "http://" + address
	c := p.dial()
	for range 2 {
		_, _, err := c.Begin(t.Context())
		want(t, "Begin while it is away", err, fault.Unavailable)
		_, err = c.Finish(t.Context(), Flight{"a", "b", "c"}, url.Values{"state": {"a"}, "code": {"x"}})
		want(t, "Finish while it is away", err, fault.Unavailable)
	}
	listenAgain(t, address, p)
	p.mu.Lock()
	p.keysAway = true
	p.mu.Unlock()
	f, q := p.fly(c)
	_, err := c.Finish(t.Context(), f, q)
	want(t, "Finish while the keys are away", err, fault.Unavailable)
	p.mu.Lock()
	p.keysAway = false
	p.mu.Unlock()
	f, q = p.fly(c)
	if v, err := c.Finish(t.Context(), f, q); err != nil || v.Subject != "42" {
		t.Errorf("Finish when it is back = %+v, %v", v, err)
	}
}

// TestAtOnce checks that concurrent flights read the configuration of the provider once, and that
// of two concurrent requests with one flight one succeeds.
func TestAtOnce(t *testing.T) {
	t.Parallel()
	p := newIDP(t)
	c := p.dial()
	var all sync.WaitGroup
	p.mu.Lock() // it does not answer yet
	for range 8 {
		all.Go(func() {
			if _, _, err := c.Begin(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err := c.Begin(ctx)
	want(t, "Begin of somebody who went away", err, fault.Cancelled)
	p.mu.Unlock()
	all.Wait()
	f, q := p.fly(c)
	var in atomic.Int64
	for range 4 {
		all.Go(func() {
			if _, err := c.Finish(t.Context(), f, q); err == nil {
				in.Add(1)
			}
		})
	}
	all.Wait()
	if asked, exchanged := p.counts(); in.Load() != 1 || exchanged != 1 || asked != 1 {
		t.Errorf("one flight let %d in, with %d exchanges; it was asked %d times", in.Load(), exchanged, asked)
	}
}

func TestNew(t *testing.T) {
	t.Parallel()
	ok := Config{Issuer: "https://id.example.org/realm", ClientID: "a", RedirectURL: redirect}
	if _, err := New(t.Context(), ok); err != nil {
		t.Error(err)
	}
	for name, spoil := range map[string]func(c *Config){
		"no issuer": func(c *Config) { c.Issuer = "" }, "in the clear": func(c *Config) { c.Issuer = "http://id.example.org" },
		"a path": func(c *Config) { c.Issuer = "/realm" }, "a password in it": func(c *Config) { c.Issuer = "https://a:b@id.example.org" },
		"no client": func(c *Config) { c.ClientID = "" }, "no way back": func(c *Config) { c.RedirectURL = "" },
	} {
		c := ok
		spoil(&c)
		if _, err := New(t.Context(), c); err == nil {
			t.Errorf("%s: New takes it", name)
		}
	}
}
