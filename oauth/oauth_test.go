package oauth_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vaak/account"
	"vaak/account/ledger"
	"vaak/edge"
	"vaak/identity"
	"vaak/internal/fault"
	"vaak/internal/seal"
	"vaak/oauth"
	"vaak/rest/frame"
	restoauth "vaak/rest/oauth"
	"vaak/store"
	"vaak/store/database/databasetest"
)

// Addresses of the tests.
const (
	issuer   = "https://speech.example.org"
	speechAt = issuer + "/v1/mcp"
	otherAt  = issuer + "/api/catalogue/mcp"
	back     = "https://app.example.com/callback"
	local    = "http://127.0.0.1:9999/callback"
	document = "https://client.example.com/about/client.json"
)

// verifier and challenge are a pair of S256.
var (
	verifier  = strings.Repeat("v", 43)
	challenge = func() string {
		sum := sha256.Sum256([]byte(verifier))
		return base64.RawURLEncoding.EncodeToString(sum[:])
	}()
)

// world is the service on a database, with its endpoints.
type world struct {
	*oauth.Service
	t         *testing.T
	db        *store.Store
	accounts  *account.Service
	people    *identity.Service
	http      http.Handler
	now       time.Time         // by the clock of the service
	documents map[string]string // what is at addresses

	org, elsewhere   account.Organisation
	member, stranger identity.Person
	app              oauth.Client
}

func newWorld(t *testing.T, dsn string) *world {
	t.Helper()
	w := &world{t: t, now: time.Now(), documents: map[string]string{}}
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	var err error
	w.db, err = store.Open(t.Context(), store.Config{DSN: dsn})
	check(err)
	t.Cleanup(func() { _ = w.db.Close() })
	check(w.db.Migrate(t.Context()))
	w.accounts, err = account.New(account.Config{Store: w.db})
	check(err)
	t.Cleanup(func() { _ = w.accounts.Close(context.Background()) })
	secret := seal.New(bytes.Repeat([]byte("s"), seal.MinBytes))
	w.people, err = identity.New(identity.Config{Store: w.db.Identity(), Secret: secret, SetupFile: filepath.Join(t.TempDir(), "setup")})
	check(err)
	w.org, err = w.accounts.CreateOrganisation(t.Context(), "Acme", "")
	check(err)
	w.elsewhere, err = w.accounts.CreateOrganisation(t.Context(), "Other", "")
	check(err)
	w.member = identity.Person{ID: "usr_mmmmmmmmmmmmmmmm", Email: "m@example.org", Name: "Mia", Role: identity.Member, OrgID: w.org.ID, Created: w.now}
	w.stranger = identity.Person{ID: "usr_ssssssssssssssss", Email: "s@example.org", Name: "Sam", Role: identity.Member, OrgID: w.elsewhere.ID, Created: w.now}
	check(w.db.Identity().CreatePerson(t.Context(), w.member))
	check(w.db.Identity().CreatePerson(t.Context(), w.stranger))
	w.Service, err = oauth.New(oauth.Config{
		Store: w.db.OAuth(), Accounts: w.accounts, People: w.people, Secret: secret, Issuer: issuer, Console: "https://console.example.org",
		Resources: []oauth.Resource{
			{Title: "Speech", URL: speechAt, Scopes: []string{oauth.Speech, oauth.VoicesRead, oauth.DictionariesRead, oauth.DictionariesWrite, oauth.UsageRead}},
			{Title: "Catalogue", URL: otherAt, Scopes: []string{oauth.CatalogueRead, oauth.EnquiriesWrite}},
		},
		Now: func() time.Time { return w.now },
		Fetch: func(_ context.Context, address string, most int) ([]byte, error) {
			body, ok := w.documents[address]
			if !ok {
				return nil, errors.New("no such host")
			}
			return []byte(body)[:min(len(body), most+1)], nil
		},
	})
	check(err)
	f := frame.New(nil, edge.NewClients(nil), 0)
	restoauth.Mount(f, w.Service, edge.Locate(edge.NewClients(nil)))
	w.http = edge.Chain(f.Handler(), edge.Identify)
	w.app, err = w.Register(t.Context(), identity.Client{Scope: "tests"}, []byte(`{"client_name":"App","redirect_uris":["`+back+`","http://127.0.0.1/callback"]}`))
	check(err)
	w.documents[document] = `{"client_id":"` + document + `","client_name":"Known","redirect_uris":["` + back + `"],"token_endpoint_auth_method":"none"}`
	return w
}

// said writes an answer as a line: the status, and the error with its sentence.
func said(status int, body []byte) string {
	var e struct {
		Error       string `json:"error"`
		Description string `json:"error_description"`
	}
	_ = json.Unmarshal(body, &e)
	return strings.TrimSpace(fmt.Sprintf("%d %s: %s", status, e.Error, e.Description))
}

// send posts to an endpoint.
func (w *world) send(path, kind, body string, header ...string) (string, []byte) {
	w.t.Helper()
	r := httptest.NewRequestWithContext(w.t.Context(), http.MethodPost, path, strings.NewReader(body))
	r.Header.Set("Content-Type", kind)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	rec := httptest.NewRecorder()
	w.http.ServeHTTP(rec, r)
	got, _ := io.ReadAll(rec.Result().Body)
	return said(rec.Code, got), got
}

// token posts a form to the endpoint of tokens; change replaces parameters, and "" removes one.
func (w *world) token(form url.Values, change ...string) string {
	w.t.Helper()
	line, body := w.send("/oauth/token", "application/x-www-form-urlencoded", changed(form, change...).Encode())
	if strings.Contains(string(body), "vat_") {
		return "issued " + string(body)
	}
	return line
}

func changed(v url.Values, change ...string) url.Values {
	out := url.Values{}
	for name, all := range v {
		out[name] = append([]string{}, all...)
	}
	for i := 0; i+1 < len(change); i += 2 {
		if out.Set(change[i], change[i+1]); change[i+1] == "" {
			out.Del(change[i])
		}
	}
	return out
}

// query is a good request.
func (w *world) query(change ...string) url.Values {
	return changed(url.Values{
		"client_id": {w.app.ID}, "redirect_uri": {back}, "response_type": {"code"}, "state": {"st"}, "scope": {"speech voices:read"},
		"code_challenge": {challenge}, "code_challenge_method": {"S256"}, "resource": {speechAt},
	}, change...)
}

// code has a person allow a request, and returns the code and the form that exchanges it.
func (w *world) code(change ...string) (string, url.Values) {
	w.t.Helper()
	asked, err := w.Ask(w.t.Context(), w.query(change...))
	if err != nil {
		w.t.Fatal(err)
	}
	to, err := w.Approve(w.t.Context(), identity.Client{}, w.member, asked, oauth.Approval{OrgID: w.org.ID, Scopes: asked.Scopes, MonthlyCap: ledger.Unlimited})
	if err != nil {
		w.t.Fatal(err)
	}
	u, err := url.Parse(to)
	if err != nil || u.Query().Get("iss") != issuer || u.Query().Get("state") != asked.State || !strings.HasPrefix(to, asked.Redirect+"?") {
		w.t.Fatalf("the answer goes to %s (%v)", to, err)
	}
	code := u.Query().Get("code")
	return code, url.Values{
		"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {asked.Redirect}, "client_id": {asked.Client.ID},
		"code_verifier": {verifier}, "resource": {asked.Resource.URL},
	}
}

// pair is an answer with tokens.
type pair struct {
	Access  string `json:"access_token"`
	Type    string `json:"token_type"`
	Expires int    `json:"expires_in"`
	Refresh string `json:"refresh_token"`
	Scope   string `json:"scope"`
}

// issued exchanges a form for tokens, which has to succeed.
func (w *world) issued(form url.Values, change ...string) (p pair) {
	w.t.Helper()
	line := w.token(form, change...)
	body, ok := strings.CutPrefix(line, "issued ")
	if !ok || json.Unmarshal([]byte(body), &p) != nil {
		w.t.Fatalf("no tokens: %s", line)
	}
	return p
}

// connected connects the application.
func (w *world) connected(change ...string) pair {
	w.t.Helper()
	_, form := w.code(change...)
	return w.issued(form)
}

func (w *world) refreshForm(p pair, change ...string) url.Values {
	return changed(url.Values{"grant_type": {"refresh_token"}, "refresh_token": {p.Refresh}, "client_id": {w.app.ID}}, change...)
}

// live counts the grants that have not ended.
func (w *world) live() int {
	w.t.Helper()
	grants, err := w.Grants(w.t.Context(), w.org.ID)
	if err != nil {
		w.t.Fatal(err)
	}
	return len(grants)
}

// enter presents an access token at an endpoint.
func (w *world) enter(token, resource string) string {
	_, scopes, err := w.Authenticate(w.t.Context(), token, resource)
	if err != nil {
		f, ok := errors.AsType[*fault.Error](err)
		if !ok {
			return err.Error()
		}
		return f.Code + ": " + f.Msg
	}
	return "in: " + strings.Join(scopes, " ")
}

// eachDatabase runs a test on each database.
func eachDatabase(t *testing.T, test func(t *testing.T, w *world)) {
	t.Parallel()
	for name, dsn := range map[string]func(*testing.T) string{
		"SQLite":     func(*testing.T) string { return "sqlite::memory:" },
		"PostgreSQL": func(t *testing.T) string { return databasetest.Postgres(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, newWorld(t, dsn(t)))
		})
	}
}

// TestFlow connects an application, renews its tokens and disconnects it.
func TestFlow(t *testing.T) {
	eachDatabase(t, func(t *testing.T, w *world) {
		p := w.connected()
		if p.Type != "Bearer" || p.Expires != 3600 || p.Scope != "speech voices:read" || !strings.HasPrefix(p.Refresh, "vrt_") {
			t.Errorf("tokens = %+v", p)
		}
		caller, scopes, err := w.Authenticate(t.Context(), p.Access, speechAt)
		if err != nil || caller.OrgID != w.org.ID || strings.Join(scopes, " ") != "speech voices:read" {
			t.Fatalf("Authenticate = %+v, %v, %v", caller, scopes, err)
		}
		grants, err := w.Grants(t.Context(), w.org.ID)
		if err != nil || len(grants) != 1 || grants[0].Name != "App" || grants[0].KeyID != caller.KeyID || grants[0].PersonID != w.member.ID {
			t.Fatalf("Grants = %+v, %v", grants, err)
		}
		keys, err := w.accounts.Keys(t.Context(), w.org.ID)
		if err != nil || len(keys) != 1 || !keys[0].Application() || keys[0].Label != "App" || keys[0].Display != "application" {
			t.Errorf("keys = %+v, %v", keys, err)
		}
		w.now = w.now.Add(2 * time.Hour)
		if got := w.enter(p.Access, speechAt); !strings.HasPrefix(got, "invalid_token") {
			t.Errorf("a token of two hours ago: %s", got)
		}
		next := w.issued(w.refreshForm(p))
		if got := w.enter(next.Access, speechAt); got != "in: speech voices:read" {
			t.Errorf("the next token: %s", got)
		}
		less := w.issued(w.refreshForm(next, "scope", "voices:read"))
		if got := w.enter(less.Access, speechAt); got != "in: voices:read" || less.Scope != "voices:read" {
			t.Errorf("a token of less: %s, %+v", got, less)
		}
		if more := w.issued(w.refreshForm(less)); more.Scope != "speech voices:read" {
			t.Errorf("the next one has %s, want all that was allowed", more.Scope)
		} else {
			less = more
		}
		session, stop := w.accounts.Session(t.Context(), caller)
		defer stop()
		if _, err := w.Disconnect(t.Context(), identity.Client{}, w.member, w.org.ID, grants[0].ID); err != nil {
			t.Fatal(err)
		}
		<-session.Done() // what runs with the application ends
		if got := w.enter(less.Access, speechAt); !strings.HasPrefix(got, "invalid_token") || w.live() != 0 {
			t.Errorf("after it was disconnected: %s, %d grants", got, w.live())
		}
		events, err := w.people.Events(t.Context(), identity.EventQuery{})
		var actions []string
		for _, e := range events {
			actions = append(actions, e.Action)
		}
		if got := strings.Join(actions, " "); err != nil || got != "application.disconnect application.connect application.allow" {
			t.Errorf("events = %s, %v", got, err)
		}
	})
}

// TestKeyRevoked: an operator may revoke the key of an application, as any. The application has to be
// connected anew.
func TestKeyRevoked(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "sqlite::memory:")
	p := w.connected()
	keys, err := w.accounts.Keys(t.Context(), w.org.ID)
	if err != nil || w.accounts.RevokeKey(t.Context(), keys[0].ID) != nil {
		t.Fatal(err)
	}
	if got := w.token(w.refreshForm(p)); !strings.HasPrefix(got, "400 invalid_grant") || w.live() != 0 {
		t.Errorf("refreshed with a revoked key: %s, %d grants", got, w.live())
	}
	p = w.connected()
	keys, err = w.accounts.Keys(t.Context(), w.org.ID)
	if err != nil || w.accounts.RevokeKey(t.Context(), keys[1].ID) != nil {
		t.Fatal(err)
	}
	if again := w.connected(); w.enter(again.Access, speechAt) != "in: speech voices:read" || w.enter(p.Access, speechAt) == "in: speech voices:read" {
		t.Error("an application whose key was revoked is not connected anew")
	}
	// With a good key, it goes on with it, and may do what was allowed last.
	next := w.connected("scope", "usage:read")
	if got := w.enter(next.Access, speechAt); got != "in: usage:read" || w.live() != 1 {
		t.Errorf("after another sign-in: %s, %d grants", got, w.live())
	}
}

// TestSweep ends what did not come back, and forgets applications that nobody used.
func TestSweep(t *testing.T) {
	eachDatabase(t, func(t *testing.T, w *world) {
		p := w.connected()
		unused, err := w.Register(t.Context(), identity.Client{Scope: "tests"}, []byte(`{"redirect_uris":["`+back+`"]}`))
		if err != nil {
			t.Fatal(err)
		}
		sweep := func(after time.Duration) {
			t.Helper()
			w.now = w.now.Add(after)
			if err := oauth.Sweep(t.Context(), w.db.OAuth(), w.accounts, w.now); err != nil {
				t.Fatal(err)
			}
		}
		known := func(id string) bool {
			_, err := w.db.OAuth().Client(t.Context(), id)
			return err == nil
		}
		sweep(25 * time.Hour)
		if known(unused.ID) || !known(w.app.ID) || w.live() != 1 {
			t.Errorf("after a day: unused %v, used %v, grants %d", known(unused.ID), known(w.app.ID), w.live())
		}
		p = w.issued(w.refreshForm(p))
		sweep(oauth.RefreshLife + time.Hour)
		keys, err := w.accounts.Keys(t.Context(), w.org.ID)
		if err != nil || len(keys) != 1 || keys[0].Revoked.IsZero() || w.live() != 0 {
			t.Errorf("after a month: keys %+v, grants %d, %v", keys, w.live(), err)
		}
		sweep(90 * 24 * time.Hour)
		if known(w.app.ID) {
			t.Error("the application is known after a season")
		}
		if got := w.token(w.refreshForm(p)); !strings.HasPrefix(got, "401 invalid_client") {
			t.Errorf("a forgotten application: %s", got)
		}
	})
}

// TestAtOnce sends a code, and a refresh token, several times at once: at most one is answered.
func TestAtOnce(t *testing.T) {
	eachDatabase(t, func(t *testing.T, w *world) {
		together := func(form url.Values) (good int) {
			answers := make(chan string)
			for range 8 {
				go func() { answers <- w.token(form) }()
			}
			for range 8 {
				switch a := <-answers; {
				case strings.HasPrefix(a, "issued"):
					good++
				case !strings.HasPrefix(a, "400 invalid_grant") && !strings.HasPrefix(a, "503"):
					t.Errorf("answered %s", a)
				}
			}
			return good
		}
		_, form := w.code()
		if good := together(form); good > 1 || w.live() > 0 {
			t.Errorf("a code gave tokens %d times, and %d grants are left; want at most once, and none", good, w.live())
		}
		if good := together(w.refreshForm(w.connected())); good > 1 || w.live() > 0 {
			t.Errorf("a refresh token gave tokens %d times, and %d grants are left; want at most once, and none", good, w.live())
		}
		keys, err := w.accounts.Keys(t.Context(), w.org.ID)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range keys {
			if k.Valid(w.now.Add(time.Minute)) {
				t.Errorf("key %s is good and belongs to nothing", k.ID)
			}
		}
	})
}

// TestMetadata reads the documents that say where everything is.
func TestMetadata(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "sqlite::memory:")
	for path, want := range map[string][]string{
		"/.well-known/oauth-authorization-server": {`"issuer":"https://speech.example.org"`, `"authorization_endpoint":"https://console.example.org/oauth/authorize"`,
			`"code_challenge_methods_supported":["S256"]`, `"authorization_response_iss_parameter_supported":true`, `"client_id_metadata_document_supported":true`},
		"/.well-known/oauth-protected-resource/v1/mcp":            {`"resource":"https://speech.example.org/v1/mcp"`, `"authorization_servers":["https://speech.example.org"]`, `"usage:read"`},
		"/.well-known/oauth-protected-resource/api/catalogue/mcp": {`"resource":"https://speech.example.org/api/catalogue/mcp"`, `"scopes_supported":["catalogue:read","enquiries:write"]`},
	} {
		rec := httptest.NewRecorder()
		w.http.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, path, nil))
		for _, part := range want {
			if rec.Code != http.StatusOK || !strings.Contains(rec.Body.String(), part) || rec.Header().Get("Access-Control-Allow-Origin") != "*" {
				t.Errorf("%s: %d, lacks %s in %s", path, rec.Code, part, rec.Body)
			}
		}
	}
}
