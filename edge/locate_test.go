package edge

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestLocate(t *testing.T) {
	t.Parallel()
	scope := func(remote string) (s string, ok bool) {
		h := Chain(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			s, ok = ClientScope(r.Context())
		}), Identify, Locate(NewClients(nil)))
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RemoteAddr = remote
		h.ServeHTTP(httptest.NewRecorder(), r)
		return s, ok
	}
	a, ok := scope("[2001:db8:1:2::3]:80")
	if b, _ := scope("[2001:db8:1:2:ffff::]:81"); !ok || a != b {
		t.Errorf("scopes of a /64 = %x and %x (%t), want the same", a, b, ok)
	}
	if b, ok := scope("192.0.2.1:80"); !ok || b == a {
		t.Errorf("scope of another client = %x (%t)", b, ok)
	}
	if b, ok := scope("nowhere"); ok {
		t.Errorf("scope of no address = %x", b)
	}
}
