package console

import (
	"html"
	"net/http"
	"regexp"
	"testing"

	"vaak/webhook"
)

var hookSecretShape = regexp.MustCompile(`whsec_[0-9A-Za-z+/]{43}=`)

// TestWebhooks takes a member, and an operator, through all that can be done with an endpoint.
func TestWebhooks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, of := range []struct {
		name  string
		b     *browser
		at    string
		owner string
		other string // a type that the form offers
	}{
		{"member", w.as(t, w.member), "/o/" + w.acme.ID + "/webhooks", w.acme.ID, "lot.expiring"},
		{"operator", w.as(t, w.operator), "/webhooks", webhook.Operator, "dataset.published"},
	} {
		b := of.b
		has(t, shown(t, b.get(of.at), http.StatusOK), "There is no endpoint yet", of.other)
		made := shown(t, b.post(of.at, "url", "https://example.org/hook", "description", "Billing <b>", "thresholds", "80, 100 %", "notice_days", "3", "type", of.other), http.StatusOK)
		secret := hookSecretShape.FindString(html.UnescapeString(made))
		if secret == "" {
			t.Fatalf("%s: no secret is shown: %s", of.name, made)
		}
		all, err := w.Webhooks.Endpoints(t.Context(), of.owner)
		if err != nil || len(all) != 1 {
			t.Fatalf("%s: %d endpoints, %v", of.name, len(all), err)
		}
		e := all[0]
		if len(e.Types) != 1 || string(e.Types[0]) != of.other || len(e.Thresholds) != 2 || e.NoticeDays != 3 {
			t.Errorf("%s: made %+v", of.name, e)
		}
		one := of.at + "/" + e.ID
		again := shown(t, b.get(of.at), http.StatusOK)
		lacks(t, html.UnescapeString(again), secret)
		has(t, again, "https://example.org/hook", "Billing &lt;b&gt;", "enabled")

		moved(t, b.post(one+"/test"), one)
		has(t, shown(t, b.get(one), http.StatusOK), "A test event is queued", "webhook.test", "waiting")
		w.hooks.End(webhook.Failed, webhook.Attempt{Status: 500, Problem: "the endpoint did not answer <i>", Response: "<script>no</script>"})
		failed := shown(t, b.get(one+"?show=failed"), http.StatusOK)
		has(t, failed, "Send all that failed again", "the endpoint did not answer &lt;i&gt;", "500")
		list, err := w.Webhooks.Deliveries(t.Context(), of.owner, e.ID, webhook.Query{Limit: 1})
		if err != nil || len(list) != 1 {
			t.Fatal(list, err)
		}
		delivery := one + "/deliveries/" + list[0].ID
		has(t, shown(t, b.get(delivery), http.StatusOK), "&lt;script&gt;no", list[0].Event.ID, "endpoint_id", "Send again")
		moved(t, b.post(delivery+"/replay"), one)
		has(t, shown(t, b.get(one), http.StatusOK), "queued again", "sent again")
		has(t, shown(t, b.post(one+"/deliveries/whd_aaaaaaaaaaaaaaaa/replay"), http.StatusNotFound), "no delivery")

		rotated := shown(t, b.post(one+"/rotate", "overlap_hours", "24"), http.StatusOK)
		if next := hookSecretShape.FindString(html.UnescapeString(rotated)); next == "" || next == secret {
			t.Errorf("%s: rotated to %q", of.name, next)
		}
		has(t, rotated, "The secret before signs, too, until")
		has(t, shown(t, b.post(one+"/rotate", "overlap_hours", "169"), http.StatusBadRequest), "outside 0 to 168")

		has(t, shown(t, b.post(one, "url", "http://example.org/", "description", "kept"), http.StatusBadRequest), "https", `value="kept"`)
		moved(t, b.post(one, "url", "https://example.org/other", "thresholds", "5"), one)
		has(t, shown(t, b.get(one), http.StatusOK), "https://example.org/other")
		moved(t, b.post(one+"/enable", "enabled", "no"), one)
		has(t, shown(t, b.get(one), http.StatusOK), "disabled", "Enable")
		shown(t, b.post(one+"/test"), http.StatusConflict)
		moved(t, b.post(one+"/enable", "enabled", "yes"), one)

		has(t, shown(t, b.post(one+"/delete"), http.StatusBadRequest), "othing was done: tick the box")
		moved(t, b.post(one+"/delete", "sure", "yes"), of.at)
		shown(t, b.get(one), http.StatusNotFound)
		if of.owner == webhook.Operator {
			shown(t, w.as(t, w.member).get(of.at), http.StatusNotFound)
		} else {
			shown(t, w.as(t, w.another).get(of.at), http.StatusNotFound)
		}
	}
}

// TestWebhookStopped: the pages say why an endpoint gets nothing.
func TestWebhookStopped(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	address := "https://example.org/"
	e, _, err := w.Webhooks.Create(t.Context(), w.acme.ID, webhook.Draft{URL: &address})
	if err != nil {
		t.Fatal(err)
	}
	for state, want := range map[webhook.State]string{webhook.Failing: "Every attempt of five days failed", webhook.Gone: "answered 410"} {
		if _, _, err := w.hooks.ChangeEndpoint(t.Context(), e.ID, func(e *webhook.Endpoint) error { e.State, e.Stopped = state, w.now; return nil }); err != nil {
			t.Fatal(err)
		}
		b := w.as(t, w.member)
		has(t, shown(t, b.get("/o/"+w.acme.ID+"/webhooks/"+e.ID), http.StatusOK), want, "Enable")
		has(t, shown(t, b.get("/o/"+w.acme.ID+"/webhooks"), http.StatusOK), "stopped: it")
	}
}
