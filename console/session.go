package console

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

// What a session holds.
const (
	personKey  = "person"  // id of who is signed in
	epochKey   = "epoch"   // of the person when they signed in
	pendingKey = "pending" // id of who has given the password and owes a code
	passedKey  = "passed"  // their epoch when they gave it
	noticeKey  = "notice"  // shown on the next page
	backKey    = "back"    // where to go after signing in
	flightKey  = "flight"  // what the identity provider has to bring back
)

// sessionLife is how long somebody stays signed in.
const sessionLife = 12 * time.Hour

// waitLife is how long somebody may take between the steps of signing in.
const waitLife = 10 * time.Minute

// newSessions returns the sessions of browsers. Of their tokens only digests are kept.
func newSessions(cfg Config) *scs.SessionManager {
	m := scs.New()
	m.Store = stored{cfg.Sessions}
	m.Lifetime = sessionLife
	m.HashTokenInStore = true
	m.Cookie.Name = "vaak_console"
	m.Cookie.SameSite = http.SameSiteLaxMode
	m.Cookie.HttpOnly = true
	if strings.HasPrefix(cfg.URL, "https:") {
		m.Cookie.Name, m.Cookie.Secure = "__Host-vaak_console", true
	}
	m.ErrorFunc = func(w http.ResponseWriter, r *http.Request, err error) {
		edge.Note(r.Context(), err)
		loadedOf(r.Context()).lost = true
		status := http.StatusServiceUnavailable
		if fault.KindOf(err) == fault.Cancelled {
			status = statusClientGone
		}
		http.Error(w, "The console cannot reach its database just now. Try again in a moment.", status)
	}
	return m
}

// stored keeps sessions in the store.
type stored struct{ identity.SessionStore }

// loaded is what is known of the session that a request came with.
type loaded struct {
	token string // under which it is kept; "" where there was none
	lost  bool   // what became of it could not be kept, and that was answered
}

type loadedKey struct{}

// remember has the store tell the request which session it came with.
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

// storeTimeout bounds a question to the store by who has no context.
const storeTimeout = 5 * time.Second

func (s stored) FindCtx(ctx context.Context, token string) ([]byte, bool, error) {
	data, there, err := s.Session(ctx, token)
	if there {
		loadedOf(ctx).token = token
	}
	return data, there, err
}

// CommitCtx keeps a session. One that was there when the request came, and was ended
// meanwhile, stays so.
func (s stored) CommitCtx(ctx context.Context, token string, data []byte, expires time.Time) error {
	if loadedOf(ctx).token == token {
		return s.UpdateSession(ctx, token, data, expires)
	}
	return s.PutSession(ctx, token, data, expires)
}

func (s stored) DeleteCtx(ctx context.Context, token string) error {
	return s.DeleteSession(ctx, token)
}

func (s stored) Find(token string) ([]byte, bool, error) {
	ctx, cancel := context.WithTimeout(context.Background(), storeTimeout)
	defer cancel()
	return s.FindCtx(ctx, token)
}

func (s stored) Commit(token string, data []byte, expires time.Time) error {
	ctx, cancel := context.WithTimeout(context.Background(), storeTimeout)
	defer cancel()
	return s.CommitCtx(ctx, token, data, expires)
}

func (s stored) Delete(token string) error {
	ctx, cancel := context.WithTimeout(context.Background(), storeTimeout)
	defer cancel()
	return s.DeleteCtx(ctx, token)
}

// recognise finds out who is signed in. A session of somebody who is disabled, or of
// an epoch that has passed, is nobody's.
func (v *visit) recognise() error {
	ctx := v.r.Context()
	id := v.sessions.GetString(ctx, personKey)
	if id == "" {
		return nil
	}
	p, err := v.Identity.Person(ctx, id)
	switch {
	case fault.KindOf(err) == fault.NotFound:
		return v.sessions.Destroy(ctx)
	case err != nil:
		return err
	case !p.Active() || p.Epoch != v.sessions.GetInt64(ctx, epochKey):
		return v.sessions.Destroy(ctx)
	}
	v.person = p
	return nil
}

// signIn begins a session of a person, under a new token, and goes on to an address of
// this server.
func (v *visit) signIn(p identity.Person, to string) error {
	ctx := v.r.Context()
	if err := v.sessions.Clear(ctx); err != nil {
		return err
	}
	if err := v.sessions.RenewToken(ctx); err != nil {
		return fmt.Errorf("begin a session: %w", err)
	}
	v.sessions.SetDeadline(ctx, time.Now().Add(sessionLife).UTC())
	v.sessions.Put(ctx, personKey, p.ID)
	v.sessions.Put(ctx, epochKey, p.Epoch)
	v.person = p
	return v.done(inward(to), "")
}

// wait begins a session of somebody who has not signed in yet, for a little while, in
// place of any other.
func (v *visit) wait(to string, held map[string]any) error {
	ctx := v.r.Context()
	if err := v.sessions.Clear(ctx); err != nil {
		return err
	}
	if err := v.sessions.RenewToken(ctx); err != nil {
		return fmt.Errorf("begin a session: %w", err)
	}
	v.sessions.SetDeadline(ctx, time.Now().Add(waitLife).UTC())
	for key, value := range held {
		v.sessions.Put(ctx, key, value)
	}
	v.sessions.Put(ctx, backKey, inward(to))
	return nil
}

// still refuses what came of somebody who may not do it any more by the time that it
// was whole: who was signed out or disabled, or became somebody else.
func (v *visit) still() error {
	if v.person.ID == "" {
		return nil
	}
	ctx := v.r.Context()
	_, there, err := v.Sessions.Session(ctx, loadedOf(ctx).token)
	if err != nil {
		return err
	}
	p, err := v.Identity.Person(ctx, v.person.ID)
	if err != nil {
		return err
	}
	if !there || !p.Active() || p.Epoch != v.person.Epoch {
		return errSignIn
	}
	return nil
}

// refresh keeps the person's own session when all others end, as long as it had to go.
func (v *visit) refresh(p identity.Person) error {
	ctx := v.r.Context()
	ends := v.sessions.Deadline(ctx)
	if err := v.sessions.RenewToken(ctx); err != nil {
		return fmt.Errorf("renew a session: %w", err)
	}
	v.sessions.SetDeadline(ctx, ends)
	v.sessions.Put(ctx, epochKey, p.Epoch)
	v.person = p
	return nil
}

// maxInward is the longest address that is gone back to, in bytes.
const maxInward = 2 << 10

// inward returns an address of this server, or its index.
func inward(address string) string {
	u, err := url.Parse(address)
	if err != nil || len(address) > maxInward || u.Scheme != "" || u.Host != "" || !strings.HasPrefix(u.Path, "/") || strings.HasPrefix(u.Path, "//") || strings.Contains(address, "\\") {
		return "/"
	}
	return u.RequestURI()
}
