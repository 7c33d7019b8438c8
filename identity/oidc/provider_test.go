package oidc

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"maps"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"

	"vaak/internal/fault"
)

const (
	clientID     = "vaak console:1"
	clientSecret = "p%ss wörd+&="
)

// idp is a small identity provider.
type idp struct {
	t   *testing.T
	url string
	key *rsa.PrivateKey

	mu        sync.Mutex
	codes     map[string]url.Values // what each code was given for
	claims    map[string]any        // in place of those that are right
	signer    *rsa.PrivateKey
	token     func(w http.ResponseWriter, r *http.Request) bool // answers in its place
	extra     map[string]any                                    // of the configuration
	keysAway  bool
	asked     int // for the configuration
	exchanged int
}

func b64(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

var testKeys = sync.OnceValue(func() (keys [2]*rsa.PrivateKey) {
	for i := range keys {
		k, err := rsa.GenerateKey(rand.Reader, 2048)
		if err != nil {
			panic(err)
		}
		keys[i] = k
	}
	return keys
})

func newIDP(t *testing.T) *idp {
	t.Helper()
	p := &idp{t: t, key: testKeys()[0], codes: map[string]url.Values{}}
	p.signer = p.key
	s := httptest.NewServer(p)
	t.Cleanup(s.Close)
	p.url = s.URL
	return p
}

func (p *idp) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch r.URL.Path {
	case "/.well-known/openid-configuration":
		p.asked++
		answer(w, http.StatusOK, p.configuration())
	case "/keys":
		if p.keysAway {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		answer(w, http.StatusOK, map[string]any{"keys": []any{map[string]any{
			"kty": "RSA", "alg": "RS256", "use": "sig", "kid": "1", "n": b64(p.key.N.Bytes()), "e": b64(big.NewInt(int64(p.key.E)).Bytes()),
		}}})
	case "/token":
		p.exchanged++
		if p.token == nil || !p.token(w, r) {
			p.exchange(w, r)
		}
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

// counts returns how often the provider was asked for its configuration, and for a token.
func (p *idp) counts() (asked, exchanged int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked, p.exchanged
}

func (p *idp) configuration() map[string]any {
	c := map[string]any{
		"issuer": p.url, "authorization_endpoint": p.url + "/authorize?tenant=1", "token_endpoint": p.url + "/token", "jwks_uri": p.url + "/keys",
		"id_token_signing_alg_values_supported": []string{"RS256", "HS256", "none"},
	}
	maps.Copy(c, p.extra)
	return c
}

func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the client says what is missing
}

// authorize handles the visit of a browser, and returns the query with which the browser goes back.
func (p *idp) authorize(address string) url.Values {
	p.t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		p.t.Fatal(err)
	}
	q := u.Query()
	for k, want := range map[string]string{"tenant": "1", "response_type": "code", "scope": "openid email", "client_id": clientID, "redirect_uri": redirect, "code_challenge_method": "S256"} {
		if q.Get(k) != want {
			p.t.Errorf("%s = %q, want %q", k, q.Get(k), want)
		}
	}
	for _, k := range []string{"state", "nonce", "code_challenge"} {
		if len(q.Get(k)) != 43 {
			p.t.Errorf("%s = %q, want 43 characters", k, q.Get(k))
		}
	}
	code := random()
	p.mu.Lock()
	p.codes[code] = q
	p.mu.Unlock()
	return url.Values{"state": {q.Get("state")}, "code": {code}, "iss": {p.url}}
}

func (p *idp) exchange(w http.ResponseWriter, r *http.Request) {
	id, secret, ok := r.BasicAuth()
	id, _ = url.QueryUnescape(id)
	secret, _ = url.QueryUnescape(secret)
	if p.extra["token_endpoint_auth_methods_supported"] != nil {
		id, secret, ok = r.PostFormValue("client_id"), r.PostFormValue("client_secret"), r.Header.Get("Authorization") == ""
	}
	if !ok || id != clientID || secret != clientSecret {
		answer(w, http.StatusUnauthorized, map[string]string{"error": "invalid_client"})
		return
	}
	q, known := p.codes[r.PostFormValue("code")]
	delete(p.codes, r.PostFormValue("code"))
	challenge := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	if !known || r.PostFormValue("grant_type") != "authorization_code" || r.PostFormValue("redirect_uri") != redirect || q.Get("code_challenge") != b64(challenge[:]) {
		answer(w, http.StatusBadRequest, map[string]string{"error": "invalid_grant"})
		return
	}
	claims := map[string]any{
		"iss": p.url, "sub": "42", "aud": clientID, "nonce": q.Get("nonce"), "email": "a@example.org", "email_verified": true,
		"exp": time.Now().Add(time.Hour).Unix(), "iat": time.Now().Unix(),
	}
	maps.Copy(claims, p.claims)
	answer(w, http.StatusOK, map[string]any{"access_token": "x", "token_type": "Bearer", "id_token": p.sign(claims)})
}

func (p *idp) sign(claims map[string]any) string {
	body, err := json.Marshal(claims)
	if err != nil {
		p.t.Error(err)
	}
	text := b64([]byte(`{"alg":"RS256","kid":"1"}`)) + "." + b64(body)
	sum := sha256.Sum256([]byte(text))
	signature, err := rsa.SignPKCS1v15(rand.Reader, p.signer, crypto.SHA256, sum[:])
	if err != nil {
		p.t.Error(err)
	}
	return text + "." + b64(signature)
}

// want reports a test error when err is not of a kind.
func want(t *testing.T, what string, err error, kind fault.Kind) {
	t.Helper()
	if got := fault.KindOf(err); got != kind {
		t.Errorf("%s: %v, want %s", what, err, kind)
	}
	if e, ok := errors.AsType[*fault.Error](err); ok && (e.Msg == "" || e.Code == "") {
		t.Errorf("%s: %+v has no sentence or code", what, e)
	}
}

// listenAgain serves at an address whose earlier listener is closed.
func listenAgain(t *testing.T, address string, h http.Handler) {
	t.Helper()
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	s := &httptest.Server{Listener: l, Config: &http.Server{Handler: h}}
	s.Start()
	t.Cleanup(s.Close)
}
