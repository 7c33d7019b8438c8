package console

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alexedwards/scs/v2"

	"vaak/account"
	"vaak/account/accounttest"
	"vaak/catalogue"
	"vaak/catalogue/cataloguetest"
	"vaak/console/page"
	"vaak/console/system"
	"vaak/dictionary"
	"vaak/dictionary/dictionarytest"
	"vaak/engine"
	"vaak/engine/enginetest"
	"vaak/enquiry"
	"vaak/enquiry/enquirytest"
	"vaak/identity"
	"vaak/identity/identitytest"
	"vaak/internal/seal"
	"vaak/oauth"
	"vaak/speech"
	"vaak/store"
	"vaak/webhook"
	"vaak/webhook/egress"
	"vaak/webhook/webhooktest"
)

// site is where the console of the tests is, and api where its services are.
const (
	site = "http://console.test"
	api  = "http://speech.test"
)

// world is a console with real services on stores in memory, two organisations with a
// member each, and an operator.
type world struct {
	*page.Site
	Config
	routes    []page.Route
	sessions  *scs.SessionManager // as the site has them
	people    *identitytest.Memory
	books     *accounttest.Store
	accounts  *account.Service
	datasets  *cataloguetest.Memory
	enquiries *enquirytest.Memory
	hooks     *webhooktest.Memory
	secret    *seal.Secret
	system    system.State
	empty     bool      // nobody has set the console up
	now       time.Time // by the clock of identity, which stands still

	acme, other               account.Organisation
	operator, member, another identity.Person
}

// newWorld returns one; change may alter the configuration before it is used.
func newWorld(t testing.TB, change ...func(*world, *Config)) *world {
	t.Helper()
	w := &world{
		now: time.Now(), people: &identitytest.Memory{}, books: accounttest.New(nil), datasets: &cataloguetest.Memory{},
		enquiries: &enquirytest.Memory{}, hooks: &webhooktest.Memory{}, secret: seal.New(bytes.Repeat([]byte("s"), seal.MinBytes)),
	}
	cfg := Config{
		Sessions: w.people, URL: site, API: api, Version: "v1", Logger: slog.New(slog.NewTextHandler(t.Output(), nil)),
		System: func(context.Context) system.State { return w.system },
	}
	var err error
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	cfg.Identity, err = identity.New(identity.Config{
		Store: w.people, Secret: w.secret, SetupFile: filepath.Join(t.TempDir(), "setup"), Log: cfg.Logger,
		Now: func() time.Time { return w.now },
	})
	check(err)
	w.accounts, err = account.New(account.Config{Store: w.books})
	check(err)
	t.Cleanup(func() {
		if err := w.accounts.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	cfg.Accounts = w.accounts
	dictionaries, err := dictionary.New(dictionary.Config{Store: &dictionarytest.Memory{}})
	check(err)
	t.Cleanup(dictionaries.Close)
	cfg.Dictionaries = dictionaries
	cfg.Speech, err = speech.New(speech.Config{Engines: engine.Set{&enginetest.Tone{}}, Ledger: w.accounts, PreviewDir: t.TempDir()})
	check(err)
	cfg.Catalogue, err = catalogue.New(t.Context(), catalogue.Config{Store: w.datasets, Files: w.datasets, PublicURL: api})
	check(err)
	cfg.Desk, err = enquiry.NewDesk(enquiry.DeskConfig{
		Records: w.enquiries, Catalogue: cfg.Catalogue, Secret: w.secret, PublicURL: api,
		Addresses: enquiry.Addresses{From: "vaak@example.org", Operator: "desk@example.org"},
	})
	check(err)
	addresses, err := egress.New(nil)
	check(err)
	cfg.Webhooks, err = webhook.New(webhook.Config{Store: w.hooks, Secret: w.secret, Addresses: addresses})
	check(err)
	for _, f := range change {
		f(w, &cfg)
	}
	w.Site, err = New(cfg)
	check(err)
	w.Config, w.sessions = cfg, sessions(w.people)
	for _, s := range cfg.sections() {
		w.routes = slices.Concat(w.routes, s.Routes)
	}
	w.acme, err = w.accounts.CreateOrganisation(t.Context(), "Acme", "")
	check(err)
	w.other, err = w.accounts.CreateOrganisation(t.Context(), "Other", "")
	check(err)
	if w.empty {
		return w
	}
	w.operator = w.add(t, identity.Person{Email: "op@example.org", Name: "Olga Operator", Role: identity.Operator})
	w.member = w.add(t, identity.Person{Email: "mia@acme.test", Name: "Mia Member", Role: identity.Member, OrgID: w.acme.ID})
	w.another = w.add(t, identity.Person{Email: "ann@other.test", Name: "Ann Other", Role: identity.Member, OrgID: w.other.ID})
	return w
}

// connects lets people of a world connect applications.
func connects(t testing.TB) func(*world, *Config) {
	return func(w *world, cfg *Config) {
		t.Helper()
		db, err := store.Open(t.Context(), store.Config{DSN: "sqlite::memory:"})
		if err == nil {
			t.Cleanup(func() { _ = db.Close() })
			err = db.Migrate(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
		cfg.OAuth, err = oauth.New(oauth.Config{
			Store: db.OAuth(), Accounts: w.accounts, People: cfg.Identity, Secret: w.secret, Issuer: api, Console: site,
			Resources: []oauth.Resource{{Title: "Vaak speech", URL: api + "/v1/mcp", Scopes: []string{oauth.Speech, oauth.UsageRead}}},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// add adds a person, whose id follows from the address.
func (w *world) add(t testing.TB, p identity.Person) identity.Person {
	t.Helper()
	p.ID = "usr_" + strings.Map(func(r rune) rune {
		if r < 'a' || r > 'z' {
			return 'x'
		}
		return r
	}, (p.Email + "aaaaaaaaaaaaaaaa")[:16])
	if err := w.people.CreatePerson(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	return p
}

// sessions has the sessions of a site at an address without TLS, to sign people in without
// their passwords. What is kept is a stored format, so tests may rely on it.
func sessions(store identity.SessionStore) *scs.SessionManager {
	m := scs.New()
	m.Store, m.HashTokenInStore, m.Cookie.Name, m.Lifetime = kept{store}, true, "vaak_console", 12*time.Hour
	return m
}

// kept is a store as scs uses it.
type kept struct{ identity.SessionStore }

func (k kept) Find(token string) ([]byte, bool, error) { return k.Session(context.Background(), token) }

func (k kept) Commit(token string, data []byte, expires time.Time) error {
	return k.PutSession(context.Background(), token, data, expires)
}

func (k kept) Delete(token string) error { return k.DeleteSession(context.Background(), token) }

// browser sends requests with the cookie of a session.
type browser struct {
	t      testing.TB
	h      http.Handler
	cookie *http.Cookie // nil: not signed in
}

// as returns the browser of somebody who is signed in; nobody is who has no id.
func (w *world) as(t testing.TB, p identity.Person) *browser {
	t.Helper()
	b := &browser{t: t, h: w.Site}
	if p.ID == "" {
		return b
	}
	p, err := w.people.Person(t.Context(), p.ID) // as they are by now
	if err != nil {
		t.Fatal(err)
	}
	ctx, err := w.sessions.Load(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	w.sessions.Put(ctx, "person", p.ID)
	w.sessions.Put(ctx, "epoch", p.Epoch)
	token, _, err := w.sessions.Commit(ctx)
	if err != nil {
		t.Fatal(err)
	}
	b.cookie = &http.Cookie{Name: w.sessions.Cookie.Name, Value: token}
	return b
}

// do sends a request; headers are names and values in turn.
func (b *browser) do(method, path string, body io.Reader, headers ...string) *httptest.ResponseRecorder {
	b.t.Helper()
	r := httptest.NewRequestWithContext(b.t.Context(), method, site+path, body)
	for i := 0; i+1 < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
		}
		r.Header.Set(headers[i], headers[i+1])
	}
	if b.cookie != nil {
		r.AddCookie(b.cookie)
	}
	rec := httptest.NewRecorder()
	b.h.ServeHTTP(rec, r)
	for _, c := range rec.Result().Cookies() { // as a browser keeps it
		if b.cookie = c; c.MaxAge < 0 || c.Value == "" {
			b.cookie = nil
		}
	}
	return rec
}

// get asks for a page.
func (b *browser) get(path string, headers ...string) *httptest.ResponseRecorder {
	b.t.Helper()
	return b.do(http.MethodGet, path, nil, headers...)
}

// post sends a form from a page of the console; fields are names and values in turn.
func (b *browser) post(path string, fields ...string) *httptest.ResponseRecorder {
	b.t.Helper()
	return b.do(http.MethodPost, path, strings.NewReader(encoded(fields...).Encode()),
		"Content-Type", "application/x-www-form-urlencoded", "Origin", site)
}

// upload sends a form with a file in it.
func (b *browser) upload(path, field, name, content string, fields ...string) *httptest.ResponseRecorder {
	b.t.Helper()
	var body bytes.Buffer
	m := multipart.NewWriter(&body)
	part, err := m.CreateFormFile(field, name)
	if err == nil {
		_, err = io.WriteString(part, content)
	}
	for i := 0; err == nil && i+1 < len(fields); i += 2 {
		err = m.WriteField(fields[i], fields[i+1])
	}
	if err != nil {
		b.t.Fatal(err)
	}
	if err := m.Close(); err != nil {
		b.t.Fatal(err)
	}
	return b.do(http.MethodPost, path, &body, "Content-Type", m.FormDataContentType(), "Origin", site)
}

func encoded(fields ...string) url.Values {
	out := url.Values{}
	for i := 0; i+1 < len(fields); i += 2 {
		out.Add(fields[i], fields[i+1])
	}
	return out
}

// shown checks that an answer is a page with a status, and returns its text.
func shown(t testing.TB, rec *httptest.ResponseRecorder, status int) string {
	t.Helper()
	if rec.Code != status {
		t.Fatalf("status %d, want %d:\n%.2000s", rec.Code, status, rec.Body)
	}
	if got := rec.Header().Get("Content-Type"); !strings.HasPrefix(got, "text/html") {
		t.Errorf("Content-Type %q, want a page", got)
	}
	if got := rec.Header().Get("Content-Security-Policy"); got != page.Policy {
		t.Errorf("Content-Security-Policy %q, want %q", got, page.Policy)
	}
	return rec.Body.String()
}

// moved checks that an answer redirects to a path.
func moved(t testing.TB, rec *httptest.ResponseRecorder, path string) {
	t.Helper()
	if rec.Code != http.StatusSeeOther || rec.Header().Get("Location") != path {
		t.Fatalf("status %d to %q, want 303 to %q:\n%.2000s", rec.Code, rec.Header().Get("Location"), path, rec.Body)
	}
}

// has checks that a page holds texts.
func has(t testing.TB, body string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(body, want) {
			t.Errorf("the page lacks %q:\n%.6000s", want, body)
		}
	}
}

// lacks checks that a page does not hold texts.
func lacks(t testing.TB, body string, unwanted ...string) {
	t.Helper()
	for _, s := range unwanted {
		if strings.Contains(body, s) {
			t.Errorf("the page holds %q:\n%.6000s", s, body)
		}
	}
}
