package console

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"vaak/account"
	"vaak/account/accounttest"
	"vaak/account/ledger"
	"vaak/console/page"
)

func TestOrganisations(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.as(t, w.operator)
	if _, _, err := w.accounts.CreateKey(t.Context(), w.acme.ID, account.KeyRequest{Label: "one"}); err != nil {
		t.Fatal(err)
	}
	body := shown(t, b.get("/organisations"), http.StatusOK)
	has(t, body, `href="/o/`+w.acme.ID+`"`, `href="/organisations/`+w.other.ID+`"`, "unlimited", `<td class="figure">1</td>`)
	lacks(t, body, `role="search"`)

	rec := b.post("/organisations", "name", "Third", "plan", "growth")
	all, err := w.accounts.Organisations(t.Context())
	if err != nil || len(all) != 3 || all[2].Name != "Third" || all[2].Terms.Plan != "growth" {
		t.Fatalf("there are %+v, %v", all, err)
	}
	moved(t, rec, "/o/"+all[2].ID)
	has(t, shown(t, b.get("/o/"+all[2].ID), http.StatusOK), "The organisation Third is there.", "Say something")
	w.notedLast(t, all[2].ID, "organisation.create", all[2].ID, "done")
	has(t, shown(t, b.get("/organisations/"+all[2].ID), http.StatusOK), "Third", "Growth", "of 2,000,000 characters")
}

func TestOrganisationsAreFound(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.as(t, w.operator)
	for i := range 120 {
		if _, err := w.accounts.CreateOrganisation(t.Context(), fmt.Sprintf("Firm %03d", i), ""); err != nil {
			t.Fatal(err)
		}
	}
	before := w.books.Calls(accounttest.Reads)
	first := shown(t, b.get("/organisations"), http.StatusOK)
	if n := w.books.Calls(accounttest.Reads) - before; n > 6 {
		t.Errorf("a page asked %d times, once for each organisation", n)
	}
	has(t, first, "Firm 119", "Firm 070", "122 organisations", `role="search"`, `href="/organisations?page=2" rel="next"`)
	lacks(t, first, "Firm 069", "Previous<")
	last := shown(t, b.get("/organisations?page=3"), http.StatusOK)
	has(t, last, "Acme", "Firm 019", `href="/organisations?page=2" rel="prev"`, `<a href="/organisations">First page</a>`)
	lacks(t, last, "Firm 020", "Next<")

	found := shown(t, b.get("/organisations?q=fIRM+01"), http.StatusOK)
	has(t, found, "Firm 015", "10 of 122 organisations", `value="fIRM 01"`)
	lacks(t, found, "Firm 115", "Acme")
	has(t, shown(t, b.get("/organisations?q="+w.acme.ID), http.StatusOK), "Acme", "1 of 122")
	has(t, shown(t, b.get("/organisations?q=firm&page=2"), http.StatusOK), `href="/organisations?page=3&amp;q=firm" rel="next"`)
	has(t, shown(t, b.get("/organisations?q=%3Cscript%3Ealert"), http.StatusOK), "No organisation has that", "&lt;script&gt;")
}

func TestOrganisationRefusals(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	at := "/organisations/" + w.acme.ID
	future := "2999-01-31"
	for _, tt := range []struct {
		name, path string
		fields     []string
		status     int
		want       []string
	}{
		{"no name", "/organisations", []string{"name", " ", "plan", "growth"}, 400, []string{"Name is empty;", `value="growth" selected`}},
		{"a name that is taken", "/organisations", []string{"name", "Acme"}, 409, []string{"exists already", `value="Acme"`}},
		{"too long a name", "/organisations", []string{"name", strings.Repeat("x", 201)}, 400, []string{"201 characters"}},
		{"no such plan", "/organisations", []string{"name", "x", "plan", "gold"}, 400, []string{"Plan &#34;gold&#34; is not known"}},
		{"a plan that is not there", at + "/subscription", []string{"plan", "gold", "mode", "lots"}, 400, []string{"Plan &#34;gold&#34; is not known"}},
		{"a mode that is not there", at + "/subscription", []string{"plan", "free", "mode", "barter"}, 400, []string{"not one of lots, wallet, allowance"}},
		{"renewal without an end", at + "/subscription", []string{"plan", "free", "auto_renew", "yes"}, 400, []string{"The end is missing: only a window that ends can be renewed or fall back.", `value="yes" checked`}},
		{"another plan without renewal", at + "/subscription", []string{"plan", "free", "expires", future + "T00:00", "renewal_plan", "growth"}, 400, []string{"Renewed on &#34;growth&#34; needs “Renew by a month whenever it ends”.", `value="2999-01-31T00:00"`, `<option value="growth" selected`}},
		{"an end that was", at + "/subscription", []string{"plan", "free", "expires", "2001-01-01T00:00"}, 400, []string{"not in the future"}},
		{"no time", at + "/subscription", []string{"plan", "free", "expires", "soon"}, 400, []string{"The end &#34;soon&#34; is not a time", `id="expires" name="expires" type="datetime-local" step="1" value="soon"`}},
		{"no number", at + "/lots", []string{"characters", "many"}, 400, []string{"Characters &#34;many&#34; is not a whole number.", `value="many"`, `aria-invalid="true"`}},
		{"nothing", at + "/lots", []string{}, 400, []string{"outside 1 to"}},
		{"too much", at + "/lots", []string{"characters", "1000000000001", "expires", future}, 400, []string{"outside 1 to", `name="expires" type="date" value="2999-01-31"`, `type="datetime-local" step="1" value=""`}},
		{"a kind that is not there", at + "/lots", []string{"characters", "5", "kind", "gift"}, 400, []string{"not one of purchase, promo, plan_grant"}},
		{"a day that was", at + "/lots", []string{"characters", "5", "expires", "2001-01-01"}, 400, []string{"The day 2001-01-01 is over."}},
		{"no limit", at + "/ceilings", []string{"rpm", "", "streams", "3"}, 400, []string{"Requests a minute is missing: ", `value="3"`}},
		{"no such limit", at + "/ceilings", []string{"rpm", "0", "streams", "unlimited"}, 400, []string{"Requests a minute 0 is outside"}},
		{"a name that is another's", at + "/name", []string{"name", "Other"}, 409, []string{"exists already.", `name="name" required maxlength="200" autocomplete="off" value="Other" aria-invalid="true"`}},
		{"no such organisation", "/organisations/org_aaaaaaaaaaaaaaaa/lots", []string{"characters", "5"}, 404, []string{"Nothing here"}},
		{"no id", "/organisations/%3Cscript%3E/ceilings", []string{"rpm", "5", "streams", "5"}, 404, []string{"Nothing here"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			has(t, shown(t, w.as(t, w.operator).post(tt.path, tt.fields...), tt.status), tt.want...)
		})
	}
	t.Cleanup(func() {
		o, err := w.accounts.Organisation(t.Context(), w.acme.ID)
		if err == nil && (o.Terms.Plan != account.DefaultPlan || o.Ceilings != account.NoCeilings) {
			t.Errorf("what was refused left %+v", o)
		}
	})
}

func TestSubscription(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.as(t, w.operator)
	at := "/organisations/" + w.acme.ID
	moved(t, b.post(at+"/subscription", "plan", "growth", "mode", "lots", "expires", "2999-01-31T09:30:15", "auto_renew", "yes", "renewal_plan", "scale", "falls_back_to", "starter"), at)
	w.notedLast(t, w.acme.ID, "subscription.set", w.acme.ID, "done")
	r, err := w.accounts.Report(t.Context(), w.acme.ID)
	if err != nil {
		t.Fatal(err)
	}
	s := r.Organisation.Terms.Subscription
	if s == nil || s.Plan != "growth" || !s.AutoRenew || s.RenewalPlan != "scale" || s.FallsBackTo != "starter" || s.Expires.Format(page.SecondLayout) != "2999-01-31T09:30:15" {
		t.Fatalf("the subscription is %+v", s)
	}
	has(t, shown(t, b.get(at), http.StatusOK), "The plan and the subscription are set", "31 Jan 2999, 09:30:15", "renewed month by month on <bdi>Scale</bdi>",
		`value="2999-01-31T09:30:15"`, `value="yes" checked`, `<option value="starter" selected`, `<option value="scale" selected`)
	moved(t, b.post(at+"/subscription", "plan", "starter", "mode", "wallet"), at)
	if r, err = w.accounts.Report(t.Context(), w.acme.ID); err != nil || r.Organisation.Terms.Subscription != nil || r.Plan.ID != "starter" || r.Organisation.Terms.Mode != ledger.Wallet {
		t.Errorf("the terms are %+v, %v", r.Organisation.Terms, err)
	}
	has(t, shown(t, b.get(at), http.StatusOK), "until it is changed", `<option value="wallet" selected>`, "What is spent: Bought characters alone.")
}

func TestLotsAndCeilings(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.as(t, w.operator)
	at := "/organisations/" + w.acme.ID
	has(t, shown(t, b.get(at), http.StatusOK), "has no bound, and spends no lots", w.member.Email)
	moved(t, b.post(at+"/subscription", "plan", "free"), at)
	moved(t, b.post(at+"/lots", "characters", "1,234,567", "kind", "promo", "expires", "2999-12-31", "source", hostile[0]), at)
	r, err := w.accounts.Report(t.Context(), w.acme.ID)
	if err != nil || len(r.Balance.Lots) != 2 {
		t.Fatalf("the balance is %+v, %v", r.Balance, err)
	}
	var lot ledger.Lot
	for _, l := range r.Balance.Lots {
		if l.Kind == ledger.Promo {
			lot = l
		}
	}
	if lot.Granted != 1_234_567 || lot.Expires.Format("2006-01-02T15") != "3000-01-01T00" {
		t.Errorf("the lot is %+v", lot)
	}
	w.notedLast(t, w.acme.ID, "lot.grant", lot.ID, "done")
	body := shown(t, b.get(at), http.StatusOK)
	has(t, body, "1,234,567 characters are granted", lot.ID, "<td>"+page.LotKind(ledger.Promo)+"</td>", ">"+page.Month(r.Period)+"</bdi>", "Used in "+page.Month(r.Period), "1,244,567 of 1,244,567 characters")
	harmless(t, body, hostile[0])
	lacks(t, body, "plan:20", ">plan_grant<", "grant:")
	has(t, shown(t, b.post(at+"/lots", "characters", "5", "source", hostile[0]), http.StatusConflict), "was granted before")
	w.notedLast(t, w.acme.ID, "lot.grant", "", "already_granted")

	moved(t, b.post(at+"/ceilings", "rpm", "120", "streams", "Unlimited"), at)
	w.notedLast(t, w.acme.ID, "ceilings.set", w.acme.ID, "done")
	has(t, shown(t, b.get(at), http.StatusOK), `name="rpm" required autocomplete="off" value="120"`, `name="streams" required autocomplete="off" value="unlimited"`,
		w.member.Email, `href="/people/`+w.member.ID+`"`, `href="/o/`+w.acme.ID+`/keys"`)
	o, err := w.accounts.Organisation(t.Context(), w.acme.ID)
	if err != nil || o.Ceilings != (account.Ceilings{RequestsPerMinute: 120, MaxStreams: ledger.Unlimited}) {
		t.Errorf("the ceilings are %+v, %v", o.Ceilings, err)
	}
}

func TestHostileOrganisations(t *testing.T) {
	t.Parallel()
	for _, name := range hostile {
		w := newWorld(t)
		b := w.as(t, w.operator)
		rec := b.post("/organisations", "name", name)
		at := rec.Header().Get("Location")
		moved(t, rec, at)
		for _, path := range []string{"/organisations", strings.Replace(at, "/o/", "/organisations/", 1), "/plans/unlimited", "/people", "/audit"} {
			harmless(t, shown(t, b.get(path), http.StatusOK), name)
		}
	}
}

func TestFirstOrganisation(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	lacks(t, shown(t, w.as(t, w.operator).get("/organisations"), http.StatusOK), "Three steps")
	accounts, err := account.New(account.Config{Store: accounttest.New(nil)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = accounts.Close(context.WithoutCancel(t.Context())) })
	w = newWorld(t, func(_ *world, cfg *Config) { cfg.Accounts = accounts })
	has(t, shown(t, w.as(t, w.operator).get("/organisations"), http.StatusOK), "Three steps", "Create an organisation: ", "playground", "Make a key", "There is no organisation yet.", `class="panel" open`)
}

func TestRenameOrganisation(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.as(t, w.operator)
	at := "/organisations/" + w.acme.ID
	moved(t, b.post(at+"/name", "name", " Acme & Sons "), at)
	w.notedLast(t, w.acme.ID, "organisation.rename", w.acme.ID, "done")
	has(t, shown(t, b.get(at), http.StatusOK), "<h1><bdi>Acme &amp; Sons</bdi></h1>", "The organisation has its new name.")
	shown(t, w.as(t, w.member).post(at+"/name", "name", "Mine"), http.StatusNotFound)
	if o, err := w.accounts.Organisation(t.Context(), w.acme.ID); err != nil || o.Name != "Acme & Sons" {
		t.Errorf("the name is %q, %v", o.Name, err)
	}
}

// TestGrantedOnce sends the forms of operators twice, as a second click does.
func TestGrantedOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.as(t, w.operator)
	at := "/organisations/" + w.acme.ID
	moved(t, b.post(at+"/subscription", "plan", "free"), at)
	for _, tt := range []struct {
		page, path string
		fields     []string
	}{
		{at, at + "/lots", []string{"characters", "500"}},
		{at, at + "/subscription", []string{"plan", "free"}},
		{"/organisations", "/organisations", []string{"name", "Twice"}},
		{"/plans", "/plans", []string{"plan", "twice", "characters", "5", "rpm", "5", "streams", "5"}},
	} {
		form := formOnce.FindStringSubmatch(shown(t, b.get(tt.page), http.StatusOK))
		if form == nil {
			t.Fatalf("%s: the form can be sent twice", tt.page)
		}
		fields := append(tt.fields, "once", form[1])
		if rec := b.post(tt.path, fields...); rec.Code != http.StatusSeeOther {
			t.Fatalf("%s: status %d, want 303", tt.path, rec.Code)
		}
		has(t, shown(t, b.post(tt.path, fields...), http.StatusConflict), "nothing was done a second time")
	}
	for _, action := range []string{"subscription", "lots"} {
		has(t, shown(t, b.get(at), http.StatusOK), at+"/"+action+"\" class=\"form\">\n<input type=\"hidden\" name=\"once\"")
	}
	if r, err := w.accounts.Report(t.Context(), w.acme.ID); err != nil || len(r.Balance.Lots) != 2 {
		t.Errorf("there are %+v, %v, want the lot of the plan and one more", r.Balance.Lots, err)
	}
}
