package console

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"vaak/identity"
)

const (
	appBack   = "https://app.example.com/back"
	challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM" // of RFC 7636, appendix B
)

// application registers one and returns the address to which it sends people.
func (w *world) application(t *testing.T, change ...string) string {
	t.Helper()
	c, err := w.OAuth.Register(t.Context(), identity.Client{Scope: t.Name()}, []byte(`{"client_name":"Evil <b>\"App\"","redirect_uris":["`+appBack+`"]}`))
	if err != nil {
		t.Fatal(err)
	}
	q := encoded("client_id", c.ID, "redirect_uri", appBack, "response_type", "code", "code_challenge", challenge,
		"code_challenge_method", "S256", "resource", api+"/v1/mcp", "state", "st")
	for i := 0; i+1 < len(change); i += 2 {
		q.Set(change[i], change[i+1])
	}
	return "/oauth/authorize?" + q.Encode()
}

// field returns the value of a field of a page.
func field(t *testing.T, body, name string) string {
	t.Helper()
	m := regexp.MustCompile(`name="` + name + `" value="([^"]*)"`).FindStringSubmatch(body)
	if m == nil {
		t.Fatalf("no field %s in\n%.3000s", name, body)
	}
	return m[1]
}

// TestConsent asks a person, and sends what they answer to the application.
func TestConsent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, connects(t))
	at := w.application(t)
	rec := w.as(t, identity.Person{}).get(at)
	if to := rec.Header().Get("Location"); rec.Code != http.StatusSeeOther || to != "/signin?to="+url.QueryEscape(at) {
		t.Errorf("who is not signed in: %d to %s", rec.Code, to)
	}
	b := w.as(t, w.member)
	rec = b.get(at)
	body := rec.Body.String()
	if rec.Code != http.StatusOK {
		t.Fatalf("%d %s", rec.Code, body)
	}
	has(t, body, "Evil &lt;b&gt;&#34;App&#34;", "Nobody has checked the name", "<strong>app.example.com</strong>", "Acme", `value="speech" checked`, `value="usage:read" checked`)
	lacks(t, body, "<b>")
	for _, want := range []string{"frame-ancestors 'none'", "form-action 'self' https://app.example.com"} {
		if got := rec.Header().Get("Content-Security-Policy"); !strings.Contains(got, want) {
			t.Errorf("Content-Security-Policy %s, want %s", got, want)
		}
	}
	sealed, once := field(t, body, "request"), field(t, body, "once")
	allow := []string{"request", sealed, "once", once, "org", w.acme.ID, "scope", "speech", "answer", "allow"}
	form := strings.NewReader(encoded(allow...).Encode())
	if rec := b.do(http.MethodPost, "/oauth/authorize", form, "Content-Type", "application/x-www-form-urlencoded", "Origin", "https://app.example.com", "Sec-Fetch-Site", "cross-site"); rec.Code != http.StatusForbidden {
		t.Errorf("a form of another site: %d", rec.Code)
	}
	if rec := w.as(t, w.another).post("/oauth/authorize", allow...); rec.Code != http.StatusForbidden || rec.Header().Get("Location") != "" {
		t.Errorf("a form of somebody else: %d to %s", rec.Code, rec.Header().Get("Location"))
	}
	for name, change := range map[string][]string{
		"more scopes":           {"request", sealed, "org", w.acme.ID, "scope", "catalogue:read", "answer", "allow"},
		"no scope":              {"request", sealed, "org", w.acme.ID, "answer", "allow"},
		"another organisation":  {"request", sealed, "org", w.other.ID, "scope", "speech", "answer", "allow"},
		"a limit in words":      {"request", sealed, "org", w.acme.ID, "scope", "speech", "cap", "many", "answer", "allow"},
		"neither yes nor no":    {"request", sealed, "org", w.acme.ID, "scope", "speech"},
		"a question of nobody":  {"request", "AAAA", "org", w.acme.ID, "scope", "speech", "answer", "allow"},
		"without the question":  {"org", w.acme.ID, "scope", "speech", "answer", "allow"},
		"a limit of nothing":    {"request", sealed, "org", w.acme.ID, "scope", "speech", "cap", "0", "answer", "allow"},
		"a scope and one other": {"request", sealed, "org", w.acme.ID, "scope", "speech", "scope", "admin", "answer", "allow"},
	} {
		if rec := b.post("/oauth/authorize", change...); rec.Code < 400 || rec.Code >= 500 || rec.Header().Get("Location") != "" {
			t.Errorf("%s: %d to %q", name, rec.Code, rec.Header().Get("Location"))
		}
	}
	rec = b.post("/oauth/authorize", allow...)
	to, err := url.Parse(rec.Header().Get("Location"))
	if err != nil || rec.Code != http.StatusSeeOther || !strings.HasPrefix(to.String(), appBack+"?") || to.Query().Get("code") == "" || to.Query().Get("state") != "st" || to.Query().Get("iss") != api {
		t.Fatalf("allowed: %d to %s", rec.Code, to)
	}
	if rec := b.post("/oauth/authorize", allow...); rec.Code == http.StatusSeeOther {
		t.Errorf("the same form again: %d to %s", rec.Code, rec.Header().Get("Location"))
	}
	deny := b.get(at).Body.String()
	rec = b.post("/oauth/authorize", "request", field(t, deny, "request"), "answer", "deny")
	if to := rec.Header().Get("Location"); !strings.Contains(to, "error=access_denied") || strings.Contains(to, "code=") {
		t.Errorf("denied: %s", to)
	}
	has(t, shown(t, b.get("/o/"+w.acme.ID+"/applications"), http.StatusOK), "No application is connected yet", api+"/v1/mcp")
}

// TestConsentRefused: a request that is not good sends nobody anywhere without a click, and one
// whose address of return is not known, not even then.
func TestConsentRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, connects(t))
	b := w.as(t, w.member)
	rec := b.get(w.application(t, "scope", "everything"))
	body := shown(t, rec, http.StatusBadRequest)
	has(t, body, "Nothing was allowed", "Tell the application at app.example.com", appBack+"?error=invalid_scope&amp;error_description=")
	body = shown(t, b.get(w.application(t, "redirect_uri", "https://evil.example.com/")), http.StatusBadRequest)
	has(t, body, "is not one that the application has named")
	lacks(t, body, `href="https://evil`)
	shown(t, b.get(w.application(t, "client_id", "app_aaaaaaaaaaaaaaaaaaaaaaaaaa")), http.StatusBadRequest)
}
