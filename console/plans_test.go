package console

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"vaak/account"
	"vaak/account/ledger"
)

func planOf(t testing.TB, w *world, id string) (found ledger.Plan) {
	t.Helper()
	plans, err := w.accounts.Plans(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range plans {
		if p.ID == id {
			found = p
		}
	}
	return found
}

func TestPlans(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.as(t, w.operator)
	if err := w.accounts.Subscribe(t.Context(), w.other.ID, account.SubscriptionRequest{Plan: "growth", Expires: time.Now().Add(time.Hour), FallsBackTo: "starter"}); err != nil {
		t.Fatal(err)
	}
	has(t, shown(t, b.get("/plans"), http.StatusOK), "2,000,000", "unlimited", `href="/plans/scale"`)
	has(t, shown(t, b.get("/plans/growth"), http.StatusOK), "in force for 1 organisation.", `href="/organisations/`+w.other.ID+`"`, `value="2,000,000"`)
	has(t, shown(t, b.get("/plans/starter"), http.StatusOK), "Nobody is on it; 1 organisation may change to it when a subscription renews or ends. A change holds")
	has(t, shown(t, b.get("/plans/unlimited"), http.StatusOK), "in force for 1 organisation.", `value="unlimited"`)
	scale := shown(t, b.get("/plans/scale"), http.StatusOK)
	has(t, scale, "Nobody is on it.</p>")
	lacks(t, scale, "A change holds")
	shown(t, b.get("/plans/gold"), http.StatusNotFound)

	moved(t, b.post("/plans", "plan", "gold", "name", hostile[0], "characters", "unlimited", "rpm", "-1", "streams", "7"), "/plans")
	w.notedLast(t, "", "plan.set", "gold", "done")
	if got, want := planOf(t, w, "gold"), (ledger.Plan{ID: "gold", Name: hostile[0], MonthlyCharacters: -1, RequestsPerMinute: -1, MaxStreams: 7}); got != want {
		t.Errorf("the plan is %+v, want %+v", got, want)
	}
	for _, path := range []string{"/plans", "/plans/gold", "/organisations", "/organisations/" + w.acme.ID} {
		harmless(t, shown(t, b.get(path), http.StatusOK), hostile[0])
	}
	moved(t, b.post("/plans/growth", "name", "Grown", "characters", "3,000,000", "rpm", "5", "streams", "UNLIMITED", "plan", "free"), "/plans")
	w.notedLast(t, "", "plan.set", "growth", "done")
	if got, want := planOf(t, w, "growth"), (ledger.Plan{ID: "growth", Name: "Grown", MonthlyCharacters: 3_000_000, RequestsPerMinute: 5, MaxStreams: -1}); got != want {
		t.Errorf("the plan is %+v, want %+v", got, want)
	}
}

func TestPlanRefusals(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	before := w.state(t)
	for _, tt := range []struct {
		path   string
		fields []string
		status int
		want   []string
	}{
		{"/plans", []string{"plan", "growth", "characters", "5", "rpm", "5", "streams", "5"}, 409, []string{"There is a plan &#34;growth&#34; already", `name="plan" value="growth"`, `aria-invalid="true"`}},
		{"/plans", []string{"plan", "Gold!", "characters", "5", "rpm", "5", "streams", "5"}, 400, []string{"Plan id &#34;Gold!&#34; is not"}},
		{"/plans", []string{"plan", strings.Repeat("g", 65), "characters", "5", "rpm", "5", "streams", "5"}, 400, []string{"is not 1 to 64"}},
		{"/plans", []string{"plan", "gold", "rpm", "5", "streams", "5"}, 400, []string{"Characters is missing: a whole number is needed, or the word unlimited.", `name="plan" value="gold"`}},
		{"/plans", []string{"plan", "gold", "characters", "-2", "rpm", "5", "streams", "5"}, 400, []string{"Characters -2 is outside"}},
		{"/plans/growth", []string{"characters", "5", "rpm", "none", "streams", "5"}, 400, []string{"Requests a minute &#34;none&#34; is not a whole number", `value="none"`}},
		{"/plans/growth", []string{"name", strings.Repeat("x", 201), "characters", "5", "rpm", "5", "streams", "5"}, 400, []string{"201 characters"}},
		{"/plans/growth", []string{"characters", "5", "rpm", "5", "streams", "1000001"}, 400, []string{"Streams 1000001 is outside"}},
		{"/plans/gold", []string{"characters", "5", "rpm", "5", "streams", "5"}, 404, []string{"Nothing here"}},
	} {
		has(t, shown(t, w.as(t, w.operator).post(tt.path, tt.fields...), tt.status), tt.want...)
	}
	if after := w.state(t); after != before {
		t.Errorf("what was refused changed\n%s\nto\n%s", before, after)
	}
}
