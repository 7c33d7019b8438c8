package page

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/alexedwards/scs/v2"

	"vaak/edge"
	"vaak/identity"
	"vaak/internal/fault"
)

// What the frame keeps in a session. Capabilities keep values under keys of their own.
const (
	personKey = "person" // id of who is signed in
	epochKey  = "epoch"  // of the person when they signed in
	noticeKey = "notice" // shown on the next page
	backKey   = "back"   // where to go after signing in
)

// sessionLife is how long somebody stays signed in.
const sessionLife = 12 * time.Hour

// waitLife is how long somebody may take between the steps of signing in.
const waitLife = 10 * time.Minute

// newSessions returns the sessions of browsers. The store gets digests of their tokens,
// never the tokens.
func newSessions(store identity.SessionStore, address string) *scs.SessionManager {
	m := scs.New()
	m.Store = sessionStore{store}
	m.Lifetime = sessionLife
	m.HashTokenInStore = true
	m.Cookie.Name = "vaak_console"
	// Not strict: people come by links of other sites, and the identity provider redirects them
	// here, and they must be recognised then. Forms of other sites are refused by the guard.
	m.Cookie.SameSite = http.SameSiteLaxMode
	m.Cookie.HttpOnly = true
	if secure(address) {
		// Browsers take a cookie with this prefix over TLS and from this very host only.
		m.Cookie.Name, m.Cookie.Secure = "__Host-vaak_console", true
	}
	m.ErrorFunc = func(w http.ResponseWriter, r *http.Request, err error) {
		edge.Note(r.Context(), err)
		loadedOf(r.Context()).lost = true
		status := http.StatusServiceUnavailable
		if fault.KindOf(err) == fault.Cancelled {
			status = StatusClientGone
		}
		http.Error(w, "The console cannot reach its database just now. Try again in a moment.", status)
	}
	return m
}

// sessionStore is the store of sessions as scs uses it.
type sessionStore struct{ identity.SessionStore }

// loaded is what a request knows of the session that it came with.
type loaded struct {
	token string // under which it is kept; "" where there was none
	lost  bool   // the session could not be saved, and the browser was told so
}

type loadedKey struct{}

// remember gives a request a place where the store notes the session that it came with.
func remember(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), loadedKey{}, &loaded{})))
	})
}

func loadedOf(ctx context.Context) *loaded {
	if l, ok := ctx.Value(loadedKey{}).(*loaded); ok {
		return l
	}
	return &loaded{}
}

// storeTimeout bounds the calls of scs that bring no context.
const storeTimeout = 5 * time.Second

func (s sessionStore) FindCtx(ctx context.Context, token string) ([]byte, bool, error) {
	data, there, err := s.Session(ctx, token)
	if there {
		loadedOf(ctx).token = token
	}
	return data, there, err
}

// CommitCtx saves a session. A session that the request came with is only updated, so one
// that ended meanwhile does not come back.
func (s sessionStore) CommitCtx(ctx context.Context, token string, data []byte, expires time.Time) error {
	if loadedOf(ctx).token == token {
		return s.UpdateSession(ctx, token, data, expires)
	}
	return s.PutSession(ctx, token, data, expires)
}

func (s sessionStore) DeleteCtx(ctx context.Context, token string) error {
	return s.DeleteSession(ctx, token)
}

func (s sessionStore) Find(token string) ([]byte, bool, error) {
	ctx, cancel := context.WithTimeout(context.Background(), storeTimeout)
	defer cancel()
	return s.FindCtx(ctx, token)
}

func (s sessionStore) Commit(token string, data []byte, expires time.Time) error {
	ctx, cancel := context.WithTimeout(context.Background(), storeTimeout)
	defer cancel()
	return s.CommitCtx(ctx, token, data, expires)
}

func (s sessionStore) Delete(token string) error {
	ctx, cancel := context.WithTimeout(context.Background(), storeTimeout)
	defer cancel()
	return s.DeleteCtx(ctx, token)
}

// recognise sets the person who is signed in. A session of a person who is disabled, or
// of an epoch that has passed, is nobody's and ends.
func (v *Visit) recognise() error {
	ctx := v.R.Context()
	id := v.site.sessions.GetString(ctx, personKey)
	if id == "" {
		return nil
	}
	p, err := v.site.cfg.Identity.Person(ctx, id)
	switch {
	case fault.KindOf(err) == fault.NotFound:
		return v.site.sessions.Destroy(ctx)
	case err != nil:
		// The store may be down. The session stays, because the person may still be who they were.
		return err
	case !p.Active() || p.Epoch != v.site.sessions.GetInt64(ctx, epochKey):
		return v.site.sessions.Destroy(ctx)
	}
	v.Person = p
	return nil
}

// still refuses a form whose sender lost the right to send it while it arrived: the
// person signed out, was disabled or got another epoch.
func (v *Visit) still() error {
	if v.Person.ID == "" {
		return nil
	}
	ctx := v.R.Context()
	// From the store and not from scs, which has the copy that it read at the beginning.
	_, there, err := v.site.cfg.Sessions.Session(ctx, loadedOf(ctx).token)
	if err != nil {
		return err
	}
	p, err := v.site.cfg.Identity.Person(ctx, v.Person.ID)
	if err != nil {
		return err
	}
	if !there || !p.Active() || p.Epoch != v.Person.Epoch {
		return errSignIn
	}
	return nil
}

// Session is what the server remembers of a browser between requests. Keys of
// capabilities must differ from each other and from those of the frame.
type Session struct{ v *Visit }

// Session returns the session of the browser that sent the request.
func (v *Visit) Session() Session { return Session{v} }

// String returns the text under a key, or "".
func (s Session) String(key string) string { return s.v.site.sessions.GetString(s.v.R.Context(), key) }

// Int64 returns the number under a key, or 0.
func (s Session) Int64(key string) int64 { return s.v.site.sessions.GetInt64(s.v.R.Context(), key) }

// Pop returns the text under a key, or "", and removes it.
func (s Session) Pop(key string) string { return s.v.site.sessions.PopString(s.v.R.Context(), key) }

// Put keeps a text or a number (int64) under a key.
func (s Session) Put(key string, value any) { s.v.site.sessions.Put(s.v.R.Context(), key, value) }

// Remove removes what is under a key.
func (s Session) Remove(key string) { s.v.site.sessions.Remove(s.v.R.Context(), key) }

// SignIn begins a session of a person and redirects to an address of this server.
func (s Session) SignIn(p identity.Person, to string) error {
	if err := s.begin(sessionLife); err != nil {
		return err
	}
	s.Put(personKey, p.ID)
	// recognise compares it at each request, so a new epoch of the person ends this session.
	s.Put(epochKey, p.Epoch)
	s.v.Person = p
	return s.v.Done(Inward(to), "")
}

// Await begins a session of somebody who has not signed in yet. It lasts ten minutes, has
// the values of held, and remembers where to go afterwards; see [Session.Back].
func (s Session) Await(to string, held map[string]any) error {
	if err := s.begin(waitLife); err != nil {
		return err
	}
	for key, value := range held {
		s.Put(key, value)
	}
	s.Put(backKey, Inward(to))
	return nil
}

// Back returns the address to go to after signing in, as [Session.Await] kept it.
func (s Session) Back() string { return s.String(backKey) }

// begin begins an empty session. Its token is new, so that a token that somebody planted
// in the browser is worth nothing (session fixation).
func (s Session) begin(life time.Duration) error {
	ctx, m := s.v.R.Context(), s.v.site.sessions
	if err := m.Clear(ctx); err != nil {
		return err
	}
	if err := m.RenewToken(ctx); err != nil {
		return fmt.Errorf("begin a session: %w", err)
	}
	m.SetDeadline(ctx, time.Now().Add(life).UTC())
	return nil
}

// Renew keeps the session of a person whose other sessions all end. It gets a new token
// and ends when it would have ended.
func (s Session) Renew(p identity.Person) error {
	ctx, m := s.v.R.Context(), s.v.site.sessions
	ends := m.Deadline(ctx) // RenewToken sets another one
	if err := m.RenewToken(ctx); err != nil {
		return fmt.Errorf("renew a session: %w", err)
	}
	m.SetDeadline(ctx, ends)
	s.Put(epochKey, p.Epoch)
	s.v.Person = p
	return nil
}

// End ends the session.
func (s Session) End() error { return s.v.site.sessions.Destroy(s.v.R.Context()) }

// maxInward is the longest address to go back to, in bytes.
const maxInward = 2 << 10

// Inward returns an address if it is one of this server, else the address of the index.
// So a link to the page to sign in cannot lead people to another site.
func Inward(address string) string {
	u, err := url.Parse(address)
	// Browsers take //host for another site, and read a backslash as a slash.
	if err != nil || len(address) > maxInward || u.Scheme != "" || u.Host != "" || !strings.HasPrefix(u.Path, "/") || strings.HasPrefix(u.Path, "//") || strings.Contains(address, "\\") {
		return "/"
	}
	return u.RequestURI()
}
