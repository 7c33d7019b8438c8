package console

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"vaak/identity"
)

func (w *world) event(t testing.TB, e identity.Event) {
	t.Helper()
	if e.At.IsZero() {
		e.At = time.Now()
	}
	if err := w.people.AddEvent(t.Context(), e); err != nil {
		t.Fatal(err)
	}
}

func TestAudit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.as(t, w.operator)
	has(t, shown(t, b.get("/audit"), http.StatusOK), "There is no event here")
	w.event(t, identity.Event{Actor: w.member.ID, OrgID: w.acme.ID, Action: "key.create", Target: "key_aaaaaaaaaaaaaaaa", Outcome: "done", Address: "192.0.2.7"})
	w.event(t, identity.Event{Action: "sign_in", Outcome: "sign_in_refused", Address: "2001:db8::1"})
	w.event(t, identity.Event{Actor: "usr_gone", OrgID: w.other.ID, Action: "new.kind", Target: hostile[0], Outcome: "done"})
	w.event(t, identity.Event{Actor: identity.Machine().ID, Action: "person.reinvite", Target: w.another.ID, Outcome: "done"})
	body := shown(t, b.get("/audit"), http.StatusOK)
	has(t, body, "Create a key", `href="/people/`+w.member.ID+`"`, "Mia Member", "192.0.2.7", `<span class="badge good">done</span>`, "Sign in", "Not known",
		`<span class="badge bad">sign_in_refused</span>`, "2001:db8::1", "<code>usr_gone</code>", "<code>new.kind</code>", "The owner of the machine", "Make a new link for a person")
	lacks(t, body, "data-copy")
	harmless(t, body, hostile[0])
	if strings.Index(body, "new.kind") > strings.Index(body, "Create a key") {
		t.Error("the oldest event stands first")
	}
	only := shown(t, b.get("/audit?org="+w.acme.ID), http.StatusOK)
	has(t, only, "Create a key", `value="`+w.acme.ID+`" selected`)
	lacks(t, only, "new.kind", "sign_in_refused")
	has(t, shown(t, b.get("/audit?org=%3Cscript%3E"), http.StatusOK), "There is no event of this organisation")
	for _, bad := range []string{"x", "0", "-5", "99999999999999999999"} {
		has(t, shown(t, b.get("/audit?before="+bad), http.StatusBadRequest), "is not the number of an event")
	}
}

func TestAuditPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.as(t, w.operator)
	for i := range 2*perPage + 5 {
		w.event(t, identity.Event{Actor: w.operator.ID, OrgID: w.acme.ID, Action: "key.create", Target: fmt.Sprintf("event-%03d.", i), Outcome: "done"})
	}
	next, seen := "/audit?org="+w.acme.ID, 0
	for n := range 3 {
		body := shown(t, b.get(next), http.StatusOK)
		for i := range 2*perPage + 5 {
			seen += strings.Count(body, fmt.Sprintf(">event-%03d.<", i))
		}
		if got := strings.Contains(body, "First page"); got != (n > 0) {
			t.Errorf("page %d links to the first: %t", n, got)
		}
		_, link, more := strings.Cut(body, `<a href="/audit?before=`)
		if more != (n < 2) {
			t.Fatalf("page %d links to older ones: %t", n, more)
		}
		address, _, _ := strings.Cut(link, `"`)
		next = "/audit?before=" + strings.ReplaceAll(address, "&amp;", "&")
	}
	if seen != 2*perPage+5 {
		t.Errorf("three pages showed %d events, want each once", seen)
	}
}

// perPage is how many events a page has.
const perPage = 100

// TestAuditLinks: what was acted on leads to its page.
func TestAuditLinks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.event(t, identity.Event{Actor: w.operator.ID, OrgID: w.acme.ID, Action: "person.invite", Target: w.member.ID, Outcome: "done"})
	has(t, shown(t, w.as(t, w.operator).get("/audit"), http.StatusOK), `<span class="note"><a href="/people/`+w.member.ID+`"><bdi>Mia Member</bdi></a></span>`)
}
