package console

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"vaak/console/page"
	"vaak/identity"
)

// filled returns the path of a route with an organisation in it, and other names
// filled with what may be there.
func filled(path, org string) string {
	path = strings.TrimSuffix(path, "{$}")
	path = strings.Replace(path, "{org}", org, 1)
	return regexp.MustCompile(`\{[a-z]+\}`).ReplaceAllString(path, "aaaaaaaaaaaaaaaa")
}

// ask sends what a browser would to a route: nothing but the request itself.
func ask(b *browser, r page.Route, org string, headers ...string) (status int, to, body string) {
	b.t.Helper()
	headers = append([]string{"Origin", site, "Content-Type", "application/x-www-form-urlencoded"}, headers...)
	rec := b.do(r.Method, filled(r.Path, org), strings.NewReader(""), headers...)
	return rec.Code, rec.Header().Get("Location"), rec.Body.String()
}

// TestNobodyReachesWhatIsNotTheirs asks every route in every role: who may not see it
// is told that it is not there, and who is not signed in, to sign in.
func TestNobodyReachesWhatIsNotTheirs(t *testing.T) {
	t.Parallel()
	w := newWorld(t, connects(t))
	nobody := identity.Person{}
	for _, r := range w.routes {
		for _, as := range []identity.Person{nobody, w.member, w.another, w.operator} {
			for _, org := range []string{w.acme.ID, w.other.ID} {
				t.Run(fmt.Sprintf("%s %s as %s in %s", r.Method, r.Path, as.Name, org), func(t *testing.T) {
					status, to, body := ask(w.as(t, as), r, org)
					if status >= 500 {
						t.Fatalf("status %d: %.500s", status, body)
					}
					if r.Who == page.Anybody {
						return
					}
					if as.ID == "" {
						if path, _, _ := strings.Cut(to, "?"); status != http.StatusSeeOther || path != page.SignInPath {
							t.Errorf("status %d to %q, want 303 to %s", status, to, page.SignInPath)
						}
						return
					}
					hidden := r.Who == page.Operators && !as.Operates() || r.Who == page.Inside && !as.MayEnter(org)
					if told := strings.Contains(body, "There is no page at this address, or it is not for you."); told != hidden {
						t.Errorf("status %d, told that there is no such page: %v, want %v\n%.800s", status, told, hidden, body)
					}
					if hidden && (status != http.StatusNotFound || strings.Contains(body, "Other") && as.ID == w.member.ID) {
						t.Errorf("status %d, want 404 and no word of the organisation", status)
					}
				})
			}
		}
	}
}

// TestForgedForms sends every form as a page of another site would.
func TestForgedForms(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.as(t, w.operator)
	for _, r := range w.routes {
		if r.Method == http.MethodGet {
			continue
		}
		for _, headers := range [][]string{{"Origin", "https://evil.test"}, {"Origin", "null"}, {"Origin", "http://console.test.evil.test"}, {"Sec-Fetch-Site", "cross-site", "Origin", "https://evil.test"}, {"Sec-Fetch-Site", "same-site", "Origin", "http://other.console.test"}} {
			if status, _, body := ask(b, r, w.acme.ID, headers...); status != http.StatusForbidden || !strings.Contains(body, "page of another site") {
				t.Errorf("%s %s with %q: status %d, want 403", r.Method, r.Path, headers, status)
			}
		}
	}
	if status, _, _ := ask(b, page.Route{Method: http.MethodPost, Path: "/signout"}, "", "Sec-Fetch-Site", "same-origin"); status != http.StatusSeeOther {
		t.Errorf("a form of ours: status %d, want 303", status)
	}
}

// TestSessionsEnd has somebody disabled, changed and signed out: their session is
// nobody's from the next request on.
func TestSessionsEnd(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*identity.Person){
		"disabled":  func(p *identity.Person) { p.Disabled = p.Created.AddDate(1, 0, 0) },
		"new epoch": func(p *identity.Person) { p.Epoch++ },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			b := w.as(t, w.member)
			shown(t, b.get(page.SelfPath), http.StatusOK)
			if _, err := w.people.ChangePerson(t.Context(), w.member.ID, func(p *identity.Person) error { end(p); return nil }); err != nil {
				t.Fatal(err)
			}
			moved(t, b.get(page.SelfPath), page.SignInPath+"?to=%2Fme")
		})
	}
	w := newWorld(t)
	b := w.as(t, w.member)
	stolen := *b
	moved(t, b.post("/signout"), page.SignInPath)
	moved(t, b.get(page.SelfPath), page.SignInPath+"?to=%2Fme")
	moved(t, stolen.get(page.SelfPath), page.SignInPath+"?to=%2Fme")
	forged := *b
	forged.cookie = &http.Cookie{Name: w.sessions.Cookie.Name, Value: strings.Repeat("A", 43)}
	moved(t, forged.get(page.SelfPath), page.SignInPath+"?to=%2Fme")
}

// TestRoleCounts has a member's organisation changed while they are signed in.
func TestRoleCounts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.as(t, w.member)
	at := "/o/" + w.acme.ID + "/keys"
	shown(t, b.get(at), http.StatusOK)
	if _, err := w.people.ChangePerson(t.Context(), w.member.ID, func(p *identity.Person) error { p.OrgID = w.other.ID; return nil }); err != nil {
		t.Fatal(err)
	}
	shown(t, b.get(at), http.StatusNotFound)
}

func TestAddressesAndMethods(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.as(t, w.operator)
	shown(t, b.get("/nowhere"), http.StatusNotFound)
	shown(t, b.get("/o/"+w.acme.ID+"/"), http.StatusNotFound)
	shown(t, b.get("/o/org_aaaaaaaaaaaaaaaa/keys"), http.StatusNotFound)
	shown(t, b.get("/o/%00/keys"), http.StatusNotFound)
	rec := b.do(http.MethodDelete, "/o/"+w.acme.ID+"/keys", nil, "Origin", site)
	if shown(t, rec, http.StatusMethodNotAllowed); rec.Header().Get("Allow") != "GET, HEAD, POST" {
		t.Errorf("Allow: %q", rec.Header().Get("Allow"))
	}
	if rec := b.do(http.MethodHead, "/o/"+w.acme.ID+"/keys", nil); rec.Code != http.StatusOK || rec.Body.Len() != 0 {
		t.Errorf("HEAD: status %d and %d bytes", rec.Code, rec.Body.Len())
	}
	big := strings.NewReader("label=" + strings.Repeat("x", page.MaxForm))
	shown(t, b.do(http.MethodPost, "/o/"+w.acme.ID+"/keys", big, "Content-Type", "application/x-www-form-urlencoded", "Origin", site), http.StatusRequestEntityTooLarge)
	for _, body := range []string{"label=%zz", "label=%00", "label=%ff"} {
		shown(t, b.do(http.MethodPost, "/o/"+w.acme.ID+"/keys", strings.NewReader(body), "Content-Type", "application/x-www-form-urlencoded", "Origin", site), http.StatusBadRequest)
	}
}
