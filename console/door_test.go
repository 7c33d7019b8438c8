package console

import (
	"context"
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"vaak/console/page"
	"vaak/console/signin"
	"vaak/identity"
	"vaak/identity/oidc"
	"vaak/internal/fault"
)

const phrase = "nine purple lighthouses hum"

// fresh is a console that nobody has set up.
func fresh(t *testing.T, change ...func(*world, *Config)) (*world, string) {
	t.Helper()
	w := newWorld(t, append(change, func(w *world, _ *Config) { w.empty = true })...)
	token, err := w.Identity.SetupToken(t.Context())
	if err != nil || token == "" {
		t.Fatalf("SetupToken() = %q, %v", token, err)
	}
	return w, token
}

// setUp sets a console up as its first operator would.
func setUp(t *testing.T, w *world, token string) *browser {
	t.Helper()
	b := w.as(t, identity.Person{})
	moved(t, b.get("/"), "/setup")
	shown(t, b.get("/setup"), http.StatusOK)
	moved(t, b.post("/setup", "token", token, "name", "Olga", "email", "Olga@Example.org", "password", phrase), "/")
	moved(t, b.get("/"), "/organisations")
	return b
}

func TestSetup(t *testing.T) {
	t.Parallel()
	w, token := fresh(t)
	nobody := w.as(t, identity.Person{})
	body := shown(t, nobody.post("/setup", "token", "wrong-token", "name", "Eve", "email", "eve@example.org", "password", phrase), http.StatusUnauthorized)
	has(t, body, `value="Eve"`, `value="eve@example.org"`, `role="alert"`)
	lacks(t, body, phrase)
	shown(t, nobody.post("/setup", "token", token, "name", "Eve", "email", "eve@example.org", "password", "short"), http.StatusBadRequest)
	b := setUp(t, w, token)
	has(t, shown(t, b.get(page.SelfPath), http.StatusOK), "olga@example.org", "operator")

	// The token is worth nothing any more, to nobody.
	for _, who := range []*browser{nobody, b} {
		shown(t, who.post("/setup", "token", token, "name", "Eve", "email", "eve@example.org", "password", phrase), http.StatusConflict)
		shown(t, who.get("/setup"), http.StatusNotFound)
	}
	people, err := w.people.People(t.Context())
	if err != nil || len(people) != 1 {
		t.Errorf("%d people, %v; want one", len(people), err)
	}
}

func TestSignIn(t *testing.T) {
	t.Parallel()
	w, token := fresh(t)
	setUp(t, w, token)
	b := w.as(t, identity.Person{})
	moved(t, b.get("/people?page=2"), "/signin?to=%2Fpeople%3Fpage%3D2")
	has(t, shown(t, b.get("/signin?to=%2Fpeople%3Fpage%3D2"), http.StatusOK), `name="to" value="/people?page=2"`)
	has(t, shown(t, b.get("/signin?to=https://evil.test/"), http.StatusOK), `name="to" value="/"`)
	wrong := shown(t, b.post(page.SignInPath, "email", "olga@example.org", "password", "not the one, sorry", "to", "/people?page=2"), http.StatusUnauthorized)
	has(t, wrong, `value="olga@example.org"`, `name="to" value="/people?page=2"`)
	unknown := shown(t, b.post(page.SignInPath, "email", "nobody@example.org", "password", "not the one, sorry", "to", "/people?page=2"), http.StatusUnauthorized)
	if strings.ReplaceAll(wrong, "olga@", "nobody@") != unknown {
		t.Error("the answer tells whether there is such a person")
	}
	moved(t, b.post(page.SignInPath, "email", " OLGA@example.org ", "password", phrase, "to", "/people?page=2"), "/people?page=2")
	moved(t, b.get(page.SignInPath), "/")
	c := w.as(t, identity.Person{})
	moved(t, c.post(page.SignInPath, "email", "olga@example.org", "password", phrase, "to", "//evil.test"), "/")
}

// TestCookies has the session's cookie out of reach of scripts and other sites, under
// https of plain connections and other hosts, and another after each sign-in.
func TestCookies(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{site: "vaak_console", "https://console.test": "__Host-vaak_console"} {
		w, token := fresh(t, func(_ *world, c *Config) { c.URL = address })
		b := w.as(t, identity.Person{})
		if cookies := b.get(page.SignInPath).Result().Cookies(); len(cookies) != 0 {
			t.Errorf("%s: a page that page.Anybody may see begins a session: %v", address, cookies)
		}
		rec := b.do(http.MethodPost, "/setup", strings.NewReader(encoded("token", token, "name", "O", "email", "o@example.org", "password", phrase).Encode()),
			"Content-Type", "application/x-www-form-urlencoded", "Origin", address)
		cookies := rec.Result().Cookies()
		if len(cookies) != 1 {
			t.Fatalf("%s: %d cookies, want 1: %d %.300s", address, len(cookies), rec.Code, rec.Body)
		}
		c := cookies[0]
		if c.Name != want || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Path != "/" || c.Domain != "" || c.Secure != strings.HasPrefix(address, "https") {
			t.Errorf("%s: cookie %+v", address, c)
		}
		if _, kept, err := w.people.Session(t.Context(), c.Value); err != nil || kept {
			t.Errorf("%s: the token is kept as it is (%v)", address, err)
		}
		planted := w.as(t, identity.Person{})
		planted.cookie = c
		planted.do(http.MethodPost, "/signout", nil, "Origin", address)
		if planted.cookie != nil && planted.cookie.Value == c.Value {
			t.Errorf("%s: a session goes on under its token after it ended", address)
		}
	}
}

// TestGuessing has somebody guess: they are told to wait, and others are not.
func TestGuessing(t *testing.T) {
	t.Parallel()
	w, token := fresh(t)
	setUp(t, w, token)
	b := w.as(t, identity.Person{})
	for range 40 {
		rec := b.post(page.SignInPath, "email", "olga@example.org", "password", "guess after guess")
		if rec.Code == http.StatusTooManyRequests {
			if rec.Header().Get("Retry-After") == "" {
				t.Errorf("no word of when: %v", rec.Header())
			}
			return
		}
		if rec.Code != http.StatusUnauthorized {
			t.Fatalf("status %d", rec.Code)
		}
	}
	t.Error("forty guesses in a moment were all heard")
}

// codeFor is what an app would show for a secret (RFC 6238), some steps from now.
func codeFor(t *testing.T, w *world, secret string, steps int64) string {
	t.Helper()
	key, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(strings.ReplaceAll(secret, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	mac := hmac.New(sha1.New, key)
	_ = binary.Write(mac, binary.BigEndian, w.now.Unix()/30+steps) // a hash does not fail
	sum := mac.Sum(nil)
	at := sum[len(sum)-1] & 15
	return fmt.Sprintf("%06d", binary.BigEndian.Uint32(sum[at:])&0x7fffffff%1_000_000)
}

// turnOn turns codes on with the code of the step before, so that the present one is
// still good.
func turnOn(t *testing.T, w *world, b *browser, secret string) {
	t.Helper()
	moved(t, b.post("/me/codes", "password", phrase, "code", codeFor(t, w, secret, -1)), page.SelfPath)
}

var secretOf = regexp.MustCompile(`<code id="secret">([A-Z2-7 ]+)</code>`)

func TestOneTimeCodes(t *testing.T) {
	t.Parallel()
	w, token := fresh(t)
	b := setUp(t, w, token)
	elsewhere := w.as(t, identity.Person{})
	moved(t, elsewhere.post(page.SignInPath, "email", "olga@example.org", "password", phrase), "/")

	offered := shown(t, b.get("/me/codes"), http.StatusOK)
	secret := secretOf.FindStringSubmatch(offered)[1]
	has(t, offered, "otpauth://totp/Vaak:olga%40example.org?secret="+strings.ReplaceAll(secret, " ", ""))
	again := shown(t, b.post("/me/codes", "code", "000000", "password", phrase), http.StatusUnprocessableEntity)
	if got := secretOf.FindStringSubmatch(again)[1]; got != secret {
		t.Fatalf("after a mistyped code the secret is another: %s, was %s", got, secret)
	}
	unproven := shown(t, b.post("/me/codes", "code", codeFor(t, w, secret, -1), "password", "not the password"), http.StatusUnprocessableEntity)
	has(t, unproven, `name="password" type="password" required maxlength="200" autocomplete="current-password" aria-invalid="true"`)
	shown(t, b.post("/me/codes", "code", codeFor(t, w, secret, -1)), http.StatusUnprocessableEntity)
	turnOn(t, w, b, secret)
	has(t, shown(t, b.get(page.SelfPath), http.StatusOK), "They are on")
	moved(t, elsewhere.get(page.SelfPath), "/signin?to=%2Fme")

	c := w.as(t, identity.Person{})
	moved(t, c.post(page.SignInPath, "email", "olga@example.org", "password", phrase, "to", "/people"), "/signin/code")
	moved(t, c.get(page.SelfPath), "/signin?to=%2Fme") // the password alone is not enough
	shown(t, c.post("/signin/code", "code", "12 34"), http.StatusUnauthorized)
	good := codeFor(t, w, secret, 0)
	moved(t, c.post("/signin/code", "code", good), "/people")
	replay := w.as(t, identity.Person{})
	moved(t, replay.post(page.SignInPath, "email", "olga@example.org", "password", phrase), "/signin/code")
	shown(t, replay.post("/signin/code", "code", good), http.StatusUnauthorized)

	shown(t, b.post("/me/codes/off", "password", "not the password"), http.StatusUnprocessableEntity)
	moved(t, b.post("/me/codes/off", "password", phrase), page.SelfPath)
	moved(t, w.as(t, identity.Person{}).post(page.SignInPath, "email", "olga@example.org", "password", phrase), "/")
}

func TestInvitation(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p, token, err := w.Identity.Invite(t.Context(), w.operator, identity.Client{}, identity.Draft{Email: "new@acme.test", Name: "Nia <b>", Role: identity.Member, OrgID: w.acme.ID})
	if err != nil {
		t.Fatal(err)
	}
	at := "/invitation/" + token
	b := w.as(t, identity.Person{})
	has(t, shown(t, b.get(at), http.StatusOK), "Nia &lt;b&gt;", "new@acme.test")
	has(t, shown(t, b.post(at, "password", phrase, "again", phrase+"!"), http.StatusBadRequest), "differ")
	moved(t, b.post(at, "password", phrase, "again", phrase), "/")
	moved(t, b.get("/"), "/o/"+w.acme.ID)
	for _, gone := range []string{at, at + "x", "/invitation/" + strings.Repeat("A", 43)} {
		shown(t, w.as(t, identity.Person{}).get(gone), http.StatusNotFound)
		shown(t, w.as(t, identity.Person{}).post(gone, "password", phrase, "again", phrase), http.StatusNotFound)
	}
	moved(t, b.post("/me/password", "old", phrase, "password", "another long phrase"), page.SelfPath)
	shown(t, b.post("/me/password", "old", phrase, "password", "yet another phrase"), http.StatusUnprocessableEntity)
	has(t, shown(t, b.get(page.SelfPath), http.StatusOK), p.Email)
	shown(t, w.as(t, identity.Person{}).post(page.SignInPath, "email", "new@acme.test", "password", phrase), http.StatusUnauthorized)
}

// provider vouches for whoever brings the state back.
type provider struct{ vouched identity.Vouched }

func (p provider) Begin(context.Context) (string, oidc.Flight, error) {
	return "https://id.test/auth?state=s1", oidc.Flight{State: "s1"}, nil
}

func (p provider) Finish(_ context.Context, f oidc.Flight, answer url.Values) (identity.Vouched, error) {
	if f.State == "" || f.State != answer.Get("state") {
		return identity.Vouched{}, fault.New(fault.Unauthenticated, "sign_in_refused", "", "begin again")
	}
	return p.vouched, nil
}

func TestProvider(t *testing.T) {
	t.Parallel()
	from := provider{identity.Vouched{Issuer: "https://id.test", Subject: "1", Email: "mia@acme.test", EmailVerified: true}}
	w := newWorld(t, func(_ *world, c *Config) { c.Provider, c.ProviderName = from, "Acme SSO" })
	b := w.as(t, identity.Person{})
	has(t, shown(t, b.get("/signin?to=/me"), http.StatusOK), "Sign in with Acme SSO", `href="/signin/provider?to=%2fme"`)
	here := []string{"Sec-Fetch-Site", "same-origin"}
	moved(t, b.get("/signin/provider?to=/me"), page.SignInPath) // nobody led there
	moved(t, b.get("/signin/provider?to=/me", "Sec-Fetch-Site", "cross-site"), page.SignInPath)
	if b.cookie != nil {
		t.Error("a page of another site began a session")
	}
	moved(t, b.get("/signin/provider?to=/me", here...), "https://id.test/auth?state=s1")
	stolen := w.as(t, identity.Person{})
	shown(t, stolen.get(signin.AnswerPath+"?state=s1"), http.StatusUnauthorized) // another browser's
	shown(t, b.get(signin.AnswerPath+"?state=s2"), http.StatusUnauthorized)
	shown(t, b.get(signin.AnswerPath+"?state=s1"), http.StatusUnauthorized) // what was begun serves once
	moved(t, b.get("/signin/provider?to=/me", "Referer", site+"/signin"), "https://id.test/auth?state=s1")
	moved(t, b.get(signin.AnswerPath+"?state=s1"), "/me")
	has(t, shown(t, b.get("/me"), http.StatusOK), "mia@acme.test")
}
