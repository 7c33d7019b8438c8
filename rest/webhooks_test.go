package rest

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"vaak/internal/seal"
	"vaak/rest/webhooks"
	"vaak/webhook"
	"vaak/webhook/egress"
	"vaak/webhook/webhooktest"
)

// newWebhooks returns webhooks in memory.
func newWebhooks(t testing.TB) *webhook.Service {
	t.Helper()
	addresses, err := egress.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(addresses.Close)
	s, err := webhook.New(webhook.Config{Store: &webhooktest.Memory{}, Secret: seal.New(bytes.Repeat([]byte{1}, seal.MinBytes)), Addresses: addresses})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// makeWebhook makes an endpoint and a delivery, and returns their ids.
func makeWebhook(t *testing.T, h http.Handler) (endpoint, delivery string) {
	t.Helper()
	call := func(path, body string) string {
		r := httptest.NewRequest("POST", webhooks.EndpointsPath+path, strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer "+testKey)
		r.Header.Set("Content-Type", "application/json")
		return answered[struct{ ID string }](t, do(h, r)).ID
	}
	endpoint = call("", `{"url":"https://example.org/hook"}`)
	return endpoint, call("/"+endpoint+"/test", "")
}
