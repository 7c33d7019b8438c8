package console

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"vaak/catalogue"
	"vaak/console/page"
	"vaak/enquiry"
	"vaak/identity"
	"vaak/webhook"
)

// hostile are names that try to be something else.
var hostile = []string{
	"<script>alert(1)</script>",
	`"><img src=x onerror=alert(1)>`,
	"Acme \u202Egnp.exe",
	strings.Repeat("क", 200),
}

// harmless checks that a page shows a hostile name as text, and nothing of it works.
func harmless(t testing.TB, body, name string) {
	t.Helper()
	_, content, _ := strings.Cut(body, `<div class="page">`) // what is around it is the layout's
	lacks(t, content, "<script>alert", "<img src=x", "\u202E")
	switch {
	case strings.Contains(name, "\u202E"):
		has(t, content, "⟨U&#43;202E⟩gnp.exe")
	case strings.Contains(name, "<script>"):
		has(t, content, "&lt;script&gt;alert(1)&lt;/script&gt;")
	case strings.Contains(name, "<img"):
		has(t, content, "&lt;img src=x")
	default:
		has(t, content, name)
	}
}

// operated is a world with one of everything that operators look after, and the paths
// that lead there.
func operated(t *testing.T) (w *world, fill func(path string) string) {
	t.Helper()
	w = newWorld(t, strict)
	d := w.put(t, full("hi-cc"))
	id := w.ask(t, enquiry.Form{Intent: enquiry.Sample, Dataset: d.Slug})
	address := "https://example.org/hook"
	e, _, err := w.Webhooks.Create(t.Context(), webhook.Operator, webhook.Draft{URL: &address})
	if err != nil {
		t.Fatal(err)
	}
	sent, err := w.Webhooks.Test(t.Context(), webhook.Operator, e.ID)
	if err != nil {
		t.Fatal(err)
	}
	return w, strings.NewReplacer("{webhook}", e.ID, "{delivery}", sent.ID,
		"{org}", w.acme.ID, "{plan}", "growth", "{person}", w.member.ID, "{slug}", d.Slug,
		"{id}", id, "{mail}", w.enquiries.Letters[0].ID).Replace
}

// Of what belongs to operators members and strangers learn and change nothing.
func TestOperatorsOnly(t *testing.T) {
	t.Parallel()
	w, fill := operated(t)
	before := w.state(t)
	n := 0
	for _, r := range w.routes {
		if r.Who != page.Operators {
			continue
		}
		n++
		path := fill(r.Path)
		if strings.Contains(path, "{") {
			t.Errorf("%s leads nowhere", path)
		}
		ask := func(b *browser) int {
			if r.Method == http.MethodPost {
				return b.post(path, "name", "x", "plan", "growth", "to", "suspended", "sure", "yes", "characters", "5", "rpm", "1", "streams", "1", "role", "operator").Code
			}
			return b.get(path).Code
		}
		if got := ask(w.as(t, w.member)); got != http.StatusNotFound {
			t.Errorf("%s %s of a member = %d, want 404", r.Method, path, got)
		}
		if got := ask(w.as(t, identity.Person{})); got != http.StatusSeeOther {
			t.Errorf("%s %s of nobody = %d, want 303 to where they sign in", r.Method, path, got)
		}
	}
	if n < 25 {
		t.Errorf("%d routes are for operators, want all", n)
	}
	if after := w.state(t); after != before {
		t.Errorf("what was refused changed\n%s\nto\n%s", before, after)
	}
}

func TestLookingChangesNothing(t *testing.T) {
	t.Parallel()
	w, fill := operated(t)
	before := w.state(t)
	b := w.as(t, w.operator)
	for _, r := range w.routes {
		if r.Who != page.Operators {
			continue
		}
		for _, query := range []string{"", "?name=x&to=retired&sure=yes&role=operator"} {
			rec := b.get(fill(r.Path) + query)
			if hasGet(w, r.Path) {
				shown(t, rec, http.StatusOK)
			} else if r.Again == nil {
				shown(t, rec, http.StatusMethodNotAllowed)
			} else if to := rec.Header().Get("Location"); rec.Code != http.StatusSeeOther || !strings.HasPrefix(fill(r.Path), to+"/") {
				t.Errorf("GET %s: status %d to %q, want 303 to a page above", fill(r.Path), rec.Code, to)
			}
		}
	}
	if after := w.state(t); after != before {
		t.Errorf("looking changed\n%s\nto\n%s", before, after)
	}
}

func hasGet(w *world, path string) bool {
	for _, r := range w.routes {
		if r.Path == path && r.Method == http.MethodGet {
			return true
		}
	}
	return false
}

// state is what operators can change, as text.
func (w *world) state(t testing.TB) string {
	t.Helper()
	var b strings.Builder
	orgs, err := w.accounts.Organisations(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range orgs {
		r, err := w.accounts.Report(t.Context(), o.ID)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(&b, o, r.Plan, len(r.Balance.Lots))
	}
	plans, err := w.accounts.Plans(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(&b, plans)
	people, err := w.people.People(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(&b, people)
	fmt.Fprintln(&b, w.events(t))
	w.Catalogue.All(func(e catalogue.Entry) bool {
		fmt.Fprintln(&b, e.Brief.Slug, e.Status)
		return true
	})
	fmt.Fprintln(&b, w.enquiries.Sent, w.enquiries.Letters, w.enquiries.Given, w.enquiries.Journal)
	return b.String()
}

// events returns what was noted, the newest first: actor, organisation, action, target
// and outcome.
func (w *world) events(t testing.TB) (out []string) {
	t.Helper()
	all, err := w.people.Events(t.Context(), identity.EventQuery{Limit: 500})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		out = append(out, strings.Join([]string{e.Actor, e.OrgID, e.Action, e.Target, e.Outcome}, " "))
	}
	return out
}

// notedLast checks what was noted last.
func (w *world) notedLast(t testing.TB, org, action, target, outcome string) {
	t.Helper()
	want := strings.Join([]string{w.operator.ID, org, action, target, outcome}, " ")
	if all := w.events(t); len(all) == 0 || all[0] != want {
		t.Errorf("noted %q, want %q first", all, want)
	}
}

func TestPagesOfLists(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.as(t, w.operator)
	for _, path := range []string{"/organisations", "/people", "/datasets"} {
		for _, bad := range []string{"0", "-1", "x", "99999999999999999999"} {
			has(t, shown(t, b.get(path+"?page="+bad), http.StatusBadRequest), "is not a whole number from 1 up")
		}
		shown(t, b.get(path+"?page=7"), http.StatusOK)
	}
}
