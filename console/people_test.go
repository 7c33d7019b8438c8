package console

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"vaak/console/page"
	"vaak/identity"
)

var invitationShape = regexp.MustCompile(regexp.QuoteMeta(site) + `/invitation/([A-Za-z0-9_-]{43})`)

func TestInvite(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.as(t, w.operator)
	has(t, shown(t, b.get("/people"), http.StatusOK), "Mia Member", "mia@acme.test", `href="/organisations/`+w.acme.ID+`"`, "never")
	has(t, shown(t, b.get("/people?org="+w.acme.ID), http.StatusOK), `<details class="panel" id="invite" open>`, `value="`+w.acme.ID+`" selected`)

	made := shown(t, b.post("/people", "name", "Nils New", "email", "Nils@Acme.test", "role", "member", "organisation", w.acme.ID), http.StatusOK)
	found := invitationShape.FindStringSubmatch(made)
	if found == nil {
		t.Fatalf("there is no link on\n%s", made)
	}
	has(t, made, `data-copy="invitation-link"`, "for a week", `<span class="badge quiet">invited</span>`)
	lacks(t, made, `value="Nils New"`)
	invited, err := w.Identity.Invited(t.Context(), found[1])
	if err != nil || invited.Email != "nils@acme.test" || invited.OrgID != w.acme.ID || invited.Role != identity.Member {
		t.Fatalf("the link is for %+v, %v", invited, err)
	}
	w.notedLast(t, w.acme.ID, "person.invite", invited.ID, "done")
	again := shown(t, b.get("/people"), http.StatusOK)
	has(t, again, "Nils New")
	lacks(t, again, found[1])
	has(t, shown(t, b.get("/people/"+invited.ID), http.StatusOK), "Nils New", "nils@acme.test", "Acme")
}

func TestInviteRefusals(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	before, err := w.people.People(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, field, value string
		status             int
		want               string
	}{
		{"no name", "name", "", 400, "The name is empty"},
		{"a long name", "name", strings.Repeat("x", 201), 400, "201 characters"},
		{"a name that turns the text", "name", hostile[2], 400, "control character"},
		{"no address", "email", "nobody", 400, "not an e-mail address"},
		{"an address that is taken", "email", "MIA@acme.test", 409, "somebody with this e-mail address"},
		{"no such role", "role", "king", 400, "king"},
		{"no such organisation", "organisation", "org_aaaaaaaaaaaaaaaa", 400, "There is no organisation"},
		{"no id", "organisation", hostile[0], 400, "There is no organisation"},
		{"a member of nothing", "organisation", "", 400, "A member needs an organisation"},
		{"an operator of one", "role", "operator", 400, "An operator belongs to no organisation"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			fields := map[string]string{"name": "kept name", "email": "new@acme.test", "role": "member", "organisation": w.acme.ID}
			fields[tt.field] = tt.value
			body := shown(t, w.as(t, w.operator).post("/people", "name", fields["name"], "email", fields["email"], "role", fields["role"], "organisation", fields["organisation"]), tt.status)
			has(t, body, tt.want, `role="alert"`, `aria-invalid="true"`)
			lacks(t, body, "/invitation/")
			if tt.field != "name" {
				has(t, body, `value="kept name"`)
			}
		})
	}
	if after, err := w.people.People(t.Context()); err != nil || len(after) != len(before) {
		t.Errorf("what was refused made %d people of %d, %v", len(after), len(before), err)
	}
}

func TestPersonLife(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b, theirs := w.as(t, w.operator), w.as(t, w.member)
	at := "/people/" + w.member.ID
	person := func() identity.Person {
		p, err := w.people.Person(t.Context(), w.member.ID)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	if _, err := w.people.ChangePerson(t.Context(), w.member.ID, func(p *identity.Person) error {
		p.Proof.Password, p.Proof.Codes, p.SignedIn = "old", "sealed", time.Now().Add(-50*time.Hour)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	body := shown(t, b.get("/people"), http.StatusOK)
	has(t, body, `<span class="badge good">active</span>`, "2 days ago", "<td>on</td>")
	lacks(t, body, "sealed")

	link := shown(t, b.post(at+"/invitation"), http.StatusOK)
	if !invitationShape.MatchString(link) || person().Proof.Password != "" || person().HasCodes() {
		t.Errorf("a new link left %+v", person().Proof)
	}
	w.notedLast(t, w.acme.ID, "person.reinvite", w.member.ID, "done")
	lacks(t, shown(t, b.get(at), http.StatusOK), invitationShape.FindString(link))
	moved(t, theirs.get(page.SelfPath), "/signin?to=%2Fme")

	moved(t, b.post(at+"/disable"), at)
	w.notedLast(t, w.acme.ID, "person.disable", w.member.ID, "done")
	has(t, shown(t, b.get(at), http.StatusOK), `<span class="badge bad">disabled</span>`, "Enable", "gets no link")
	has(t, shown(t, b.post(at+"/invitation"), http.StatusConflict), "This person is disabled")
	moved(t, b.post(at+"/enable"), at)
	if !person().Active() {
		t.Error("enabled, the person is disabled")
	}

	for _, tt := range []struct {
		role, org, want string
		status          int
	}{
		{"king", w.acme.ID, "king", 400},
		{"member", "", "A member needs an organisation", 400},
		{"member", "org_none", "There is no organisation", 400},
		{"operator", w.acme.ID, "belongs to no organisation", 400},
	} {
		has(t, shown(t, b.post(at+"/role", "role", tt.role, "organisation", tt.org), tt.status), tt.want, `role="alert"`)
	}
	if p := person(); p.Role != identity.Member || p.OrgID != w.acme.ID {
		t.Errorf("what was refused left %+v", p)
	}
	moved(t, b.post(at+"/role", "role", "member", "organisation", w.other.ID), at)
	moved(t, b.post(at+"/role", "role", "operator", "organisation", ""), at)
	if p := person(); p.Role != identity.Operator || p.OrgID != "" {
		t.Errorf("the person is %+v, want an operator", p)
	}
}

func TestOwnAccountStays(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.as(t, w.operator)
	at := "/people/" + w.operator.ID
	body := shown(t, b.get(at), http.StatusOK)
	has(t, body, "This is you")
	lacks(t, body, "/disable", "/role", "/invitation")
	for _, action := range []string{"/disable", "/role", "/invitation"} {
		has(t, shown(t, b.post(at+action, "role", "member", "organisation", w.acme.ID), http.StatusConflict), "your own account")
	}
	shown(t, b.get(at), http.StatusOK)
	for _, path := range []string{"/people/usr_aaaaaaaaaaaaaaaa", "/people/%3Cscript%3E"} {
		shown(t, b.get(path), http.StatusNotFound)
		for _, action := range []string{"/disable", "/enable", "/role", "/invitation"} {
			shown(t, b.post(path+action, "role", "member", "organisation", w.acme.ID), http.StatusNotFound)
		}
	}
}

func TestPeopleAreFound(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.as(t, w.operator)
	for i := range 70 {
		w.add(t, identity.Person{Email: string([]byte{'a' + byte(i/26), 'a' + byte(i%26)}) + "zz@many.test", Name: "Many " + string([]byte{'A' + byte(i/26), 'A' + byte(i%26)}), Role: identity.Member, OrgID: w.acme.ID})
	}
	first := shown(t, b.get("/people"), http.StatusOK)
	has(t, first, "73 people", "aazz@many.test", `href="/people?page=2" rel="next"`)
	lacks(t, first, "crzz@many.test")
	has(t, shown(t, b.get("/people?page=2"), http.StatusOK), "crzz@many.test", `href="/people" rel="prev"`)
	found := shown(t, b.get("/people?q=MANY+B"), http.StatusOK)
	has(t, found, "26 of 73 people", "bczz@many.test")
	lacks(t, found, "aazz@many.test")
	has(t, shown(t, b.get("/people?q=nobody"), http.StatusOK), "Nobody has that in their name")
}

func TestHostilePeople(t *testing.T) {
	t.Parallel()
	for _, name := range hostile {
		w := newWorld(t)
		p := w.add(t, identity.Person{Email: "hostile@acme.test", Name: name, Role: identity.Member, OrgID: w.acme.ID})
		w.event(t, identity.Event{Actor: p.ID, Action: "sign_in", Outcome: "done"})
		b := w.as(t, w.operator)
		for _, path := range []string{"/people", "/people/" + p.ID, "/organisations/" + w.acme.ID, "/audit"} {
			harmless(t, shown(t, b.get(path), http.StatusOK), name)
		}
	}
}

// TestPeopleOnce: an invitation that is sent twice makes one person, and a link that is
// asked for twice is made once.
func TestPeopleOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.as(t, w.operator)
	once := func(path string) string {
		t.Helper()
		found := regexp.MustCompile(`<form method="post" action="` + regexp.QuoteMeta(path) + `"[^>]*><input type="hidden" name="once" value="([A-Z2-7]+)">`).FindStringSubmatch(shown(t, b.get(strings.TrimSuffix(path, "/invitation")), http.StatusOK))
		if found == nil {
			t.Fatalf("the form to %s is not taken once", path)
		}
		return found[1]
	}
	form := []string{"name", "Nils", "email", "nils@acme.test", "role", "member", "organisation", w.acme.ID, "once", once("/people")}
	shown(t, b.post("/people", form...), http.StatusOK)
	has(t, shown(t, b.post("/people", form...), http.StatusConflict), "sent already", `value="nils@acme.test"`)

	at := "/people/" + w.member.ID + "/invitation"
	same := once(at)
	link := invitationShape.FindStringSubmatch(shown(t, b.post(at, "once", same), http.StatusOK))
	again := shown(t, b.post(at, "once", same), http.StatusConflict)
	has(t, again, "sent already")
	lacks(t, again, "/invitation/")
	if _, err := w.Identity.Invited(t.Context(), link[1]); err != nil {
		t.Errorf("the link of the first is gone: %v", err)
	}
}

// TestAlone tells the first operator what a second is for, and nobody else.
func TestAlone(t *testing.T) {
	t.Parallel()
	w, token := fresh(t)
	const words = "You are the only one here so far."
	has(t, shown(t, setUp(t, w, token).get("/people"), http.StatusOK), words, `id="invite" open`, "1 person, by e-mail address")
	w = newWorld(t)
	lacks(t, shown(t, w.as(t, w.operator).get("/people"), http.StatusOK), words, `id="invite" open`)
}
