package egress

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"vaak/webhook"
)

func newClient(t testing.TB, allow ...string) *Client {
	t.Helper()
	c, err := New(allow)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// TestCheck: which addresses an endpoint may have.
func TestCheck(t *testing.T) {
	t.Parallel()
	usual, allowed := newClient(t), newClient(t, "hooks.internal", "10.1.0.0/16", "::1")
	for _, tt := range []struct {
		address        string
		usual, allowed bool
	}{
		{"https://example.org/hook?x=1", true, true},
		{"https://example.org:8443", true, true},
		{"https://93.184.216.34/", true, true},
		{"http://example.org/", false, false},
		{"https://127.0.0.1/", false, false},
		{"https://[::1]/", false, true},
		{"http://[::1]:8080/", false, true},
		{"https://10.1.2.3/", false, true},
		{"http://10.1.2.3/", false, true},
		{"https://10.2.2.3/", false, false},
		{"https://[::ffff:10.1.2.3]/", false, true},
		{"https://169.254.169.254/latest", false, false},
		{"https://localhost/", false, false},
		{"https://x.localhost/", false, false},
		{"http://Hooks.Internal/", false, true},
		{"https://user@example.org/", false, false},
		{"https://example.org/#x", false, false},
		{"https://example.org:0/", false, false},
		{"https://example.org:99999/", false, false},
		{"ftp://example.org/", false, false},
		{"https:example.org", false, false},
		{"example.org", false, false},
		{"https://", false, false},
		{"https://exa mple.org/", false, false},
		{"", false, false},
	} {
		if err := usual.Check(tt.address); (err == nil) != tt.usual {
			t.Errorf("Check(%q) = %v", tt.address, err)
		}
		if err := allowed.Check(tt.address); (err == nil) != tt.allowed {
			t.Errorf("Check(%q) with allowed hosts = %v", tt.address, err)
		}
	}
	for _, bad := range []string{"", "a b", "http://x", "10.0.0.0/33", "x:80", "-x", "fe80::1%eth0"} {
		if _, err := New([]string{bad}); err == nil {
			t.Errorf("New(%q) succeeds", bad)
		}
	}
}

// TestPost: what is answered, what is not read, where no connection goes.
func TestPost(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		switch r.URL.Path {
		case "/echo":
			_, _ = w.Write(append([]byte(r.Header.Get("webhook-id")+" "+r.Method+" "), body...))
		case "/redirect":
			http.Redirect(w, r, "/echo", http.StatusFound)
		case "/later":
			w.Header().Set("Retry-After", "120")
			w.WriteHeader(http.StatusServiceUnavailable)
		case "/endless":
			for r.Context().Err() == nil {
				if _, err := w.Write(make([]byte, 1<<16)); err != nil {
					return
				}
			}
		case "/binary":
			_, _ = w.Write([]byte("a\x00\xffb\x1b[1m\nc"))
		case "/silent":
			<-r.Context().Done()
		case "/broken":
			panic(http.ErrAbortHandler)
		}
	}))
	t.Cleanup(server.Close)
	u, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	c := newClient(t, "127.0.0.1")
	post := func(c *Client, address string) (webhook.Answer, error) {
		limit := time.Minute // against hanging
		if strings.HasSuffix(address, "/silent") {
			limit = 100 * time.Millisecond
		}
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		defer cancel()
		return c.Post(ctx, webhook.Request{URL: address, Headers: map[string]string{"webhook-id": "msg_1"}, Body: "body"})
	}
	for path, want := range map[string]webhook.Answer{
		"/echo":     {Status: 200, Body: "msg_1 POST body"},
		"/redirect": {Status: 302},
		"/later":    {Status: 503, RetryAfter: 2 * time.Minute},
		"/binary":   {Status: 200, Body: "ab[1m\nc"},
		"/endless":  {Status: 200},
	} {
		if got, err := post(c, server.URL+path); err != nil || got != want {
			t.Errorf("%s: %+v, %v, want %+v", path, got, err, want)
		}
	}
	for path, want := range map[string]string{"/silent": "in time", "/broken": "closed the connection"} {
		if _, err := post(c, server.URL+path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want an error with %q", path, err, want)
		}
	}
	// The name is public by its looks, and resolves to this machine: only the dial can see that.
	named := newClient(t)
	named.hosts = map[string]bool{}
	conn, err := named.dial(t.Context(), "tcp", "localhost:"+u.Port())
	if err == nil {
		_ = conn.Close()
	}
	if err == nil || reason(err) != errPrivate {
		t.Errorf("a connection to localhost: %v, want %v", err, errPrivate)
	}
	for address, want := range map[string]string{
		server.URL + "/echo":                "refused",
		"https://no-such-host.invalid/":     "cannot be resolved",
		"https://169.254.169.254/meta-data": "refused",
	} {
		if _, err := post(named, address); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "127.0.0.1:") {
			t.Errorf("%s: %v, want an error with %q", address, err, want)
		}
	}
}

// FuzzCheck: no address makes a request to a private one, and nothing panics.
func FuzzCheck(f *testing.F) {
	for _, a := range []string{"https://example.org", "https://[::1]", "https://0x7f000001/", "https://127.1/", "http://10.0.0.1", "https://a@b/"} {
		f.Add(a)
	}
	c := newClient(f)
	f.Fuzz(func(t *testing.T, address string) {
		if c.Check(address) != nil {
			return
		}
		u, err := url.Parse(address)
		if err != nil || u.Scheme != "https" || u.Hostname() == "" || u.User != nil {
			t.Errorf("Check takes %q", address)
		}
	})
}
