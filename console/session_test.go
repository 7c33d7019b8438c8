package console

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"vaak/console/page"
	"vaak/identity"
)

// held is the body of a form that does not go on until it is told to.
type held struct {
	reading chan struct{} // closed when somebody reads
	release chan struct{}
	text    io.Reader
	begun   bool
}

func newHeld(text string) *held {
	return &held{reading: make(chan struct{}), release: make(chan struct{}), text: strings.NewReader(text)}
}

func (h *held) Read(p []byte) (int, error) {
	if !h.begun {
		h.begun = true
		close(h.reading)
		<-h.release
	}
	return h.text.Read(p)
}

// TestEndedSessionsStay has a form arrive slowly, and its sender signed out, disabled or
// changed meanwhile: nothing is done, and the session does not come back.
func TestEndedSessionsStay(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*testing.T, *world, *browser){
		"signed out": func(_ *testing.T, _ *world, b *browser) { b.post("/signout") },
		"disabled": func(t *testing.T, w *world, _ *browser) {
			if _, err := w.Identity.SetDisabled(t.Context(), w.operator, identity.Client{}, w.member.ID, true); err != nil {
				t.Error(err)
			}
		},
		"signed out everywhere": func(t *testing.T, w *world, _ *browser) {
			if _, err := w.Identity.SignOutEverywhere(t.Context(), identity.Client{}, w.member.ID); err != nil {
				t.Error(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			b, at := w.as(t, w.member), "/o/"+w.acme.ID+"/keys"
			slow, body := *b, newHeld("label=late")
			answered := make(chan int)
			go func() {
				answered <- slow.do(http.MethodPost, at, body, "Content-Type", "application/x-www-form-urlencoded", "Origin", site).Code
			}()
			<-body.reading
			again := *b
			end(t, w, b)
			close(body.release)
			if status := <-answered; status != http.StatusSeeOther {
				t.Errorf("the form that was held: status %d, want 303 to the page to sign in", status)
			}
			moved(t, again.get(page.SelfPath), "/signin?to=%2Fme")
			if keys, err := w.accounts.Keys(t.Context(), w.acme.ID); err != nil || len(keys) != 0 {
				t.Errorf("it made %d keys, %v", len(keys), err)
			}
		})
	}
}

// ends is when the session of a browser does.
func (w *world) ends(t *testing.T, b *browser) time.Time {
	t.Helper()
	ctx, err := w.sessions.Load(t.Context(), b.cookie.Value)
	if err != nil {
		t.Fatal(err)
	}
	return w.sessions.Deadline(ctx)
}

// TestSessionsAreNotProlonged has somebody renew their session as often as they can: it
// ends when it was to end.
func TestSessionsAreNotProlonged(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.as(t, w.member)
	soon := time.Now().Add(time.Minute).UTC().Truncate(time.Second)
	ctx, err := w.sessions.Load(t.Context(), b.cookie.Value)
	if err != nil {
		t.Fatal(err)
	}
	w.sessions.SetDeadline(ctx, soon)
	if _, _, err := w.sessions.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	before := b.cookie.Value
	moved(t, b.post("/me/signout-everywhere"), page.SelfPath)
	if b.cookie.Value == before {
		t.Error("the session has the same token after all others ended")
	}
	if got := w.ends(t, b); !got.Equal(soon) {
		t.Errorf("the session ends at %v, want %v", got, soon)
	}
}

// TestSessionsAreOnePerson has somebody with the session of one person sign in as
// another who has one-time codes: what is left is nobody's, whatever epochs come to.
func TestSessionsAreOnePerson(t *testing.T) {
	t.Parallel()
	w, token := fresh(t)
	owner := setUp(t, w, token)
	offered := shown(t, owner.get("/me/codes"), http.StatusOK)
	turnOn(t, w, owner, secretOf.FindStringSubmatch(offered)[1])
	operator, err := w.people.PersonByEmail(t.Context(), "olga@example.org")
	if err != nil {
		t.Fatal(err)
	}
	victim := w.add(t, identity.Person{Email: "vic@example.org", Name: "Vic", Role: identity.Operator, Epoch: operator.Epoch - 1})
	stolen := w.as(t, victim)
	moved(t, stolen.post(page.SignInPath, "email", "olga@example.org", "password", phrase), "/signin/code")
	moved(t, stolen.get(page.SelfPath), "/signin?to=%2Fme")
	if _, err := w.Identity.SignOutEverywhere(t.Context(), identity.Client{}, victim.ID); err != nil {
		t.Fatal(err)
	}
	moved(t, stolen.get(page.SelfPath), "/signin?to=%2Fme")
}

// TestOtherNames asks by the name of another host, which may be made to lead here.
func TestOtherNames(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.as(t, w.operator)
	for host, want := range map[string]int{
		"console.test": http.StatusOK, "CONSOLE.test": http.StatusOK, "localhost:8082": http.StatusOK, "127.0.0.1:1": http.StatusOK, "[::1]:8082": http.StatusOK,
		"evil.test": http.StatusMisdirectedRequest, "console.test.evil.test": http.StatusMisdirectedRequest, "127.0.0.1.evil.test": http.StatusMisdirectedRequest, "10.0.0.1": http.StatusMisdirectedRequest,
	} {
		rec := b.do(http.MethodGet, "/system", nil, "Host", host)
		if rec.Code != want {
			t.Errorf("by the name %s: status %d, want %d", host, rec.Code, want)
		}
		if rec.Header().Get("Cross-Origin-Resource-Policy") != "same-origin" {
			t.Errorf("by the name %s: Cross-Origin-Resource-Policy %q", host, rec.Header().Get("Cross-Origin-Resource-Policy"))
		}
	}
}

// TestStoreAway has no page pretend that somebody is not signed in while nobody knows.
func TestStoreAway(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.as(t, w.member)
	w.people.Fail(errors.New("gone"))
	rec := b.get(page.SelfPath)
	if rec.Code != http.StatusServiceUnavailable || strings.Contains(rec.Body.String(), "<") {
		t.Errorf("status %d, want 503 and a sentence alone: %.500s", rec.Code, rec.Body)
	}
	w.people.Fail(nil)
	shown(t, b.get(page.SelfPath), http.StatusOK)
}

// TestFormsAreTakenOnce sends a form twice, as a second click does.
func TestFormsAreTakenOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b, at := w.as(t, w.member), "/o/"+w.acme.ID+"/keys"
	shown(t, b.post(at, "label", "one", "once", "ABC"), http.StatusOK)
	has(t, shown(t, b.post(at, "label", "one", "once", "ABC"), http.StatusConflict), "sent already")
	shown(t, w.as(t, w.another).post("/o/"+w.other.ID+"/keys", "label", "theirs", "once", "ABC"), http.StatusOK)
	if keys, err := w.accounts.Keys(t.Context(), w.acme.ID); err != nil || len(keys) != 1 {
		t.Errorf("%d keys, %v; want one", len(keys), err)
	}
}
