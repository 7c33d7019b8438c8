package download

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestGet fetches what a person has named, though it is on this machine, and follows redirects
// only where they may lead.
func TestGet(t *testing.T) {
	t.Parallel()
	secret := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the private server was asked") }))
	defer secret.Close()
	var server *httptest.Server
	server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/document":
			if r.Header.Get("Accept") != "application/ld+json" {
				t.Errorf("Accept is %q", r.Header.Get("Accept"))
			}
			_, _ = w.Write([]byte(strings.Repeat("a", 100)))
		case "/same":
			http.Redirect(w, r, server.URL+"/document", http.StatusFound)
		case "/inside":
			http.Redirect(w, r, secret.URL, http.StatusFound)
		case "/metadata":
			http.Redirect(w, r, "http://169.254.169.254/latest", http.StatusFound)
		case "/file":
			http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		default:
			http.NotFound(w, r)
		}
	}))
	defer server.Close()
	get := func(address string, most int) (string, error) {
		body, err := Get(t.Context(), address, most, Options{Accept: "application/ld+json"})
		return string(body), err
	}
	for _, path := range []string{"/document", "/same"} {
		if body, err := get(server.URL+path, 1000); err != nil || len(body) != 100 {
			t.Errorf("%s: %d bytes, %v", path, len(body), err)
		}
	}
	if body, err := get(server.URL+"/document", 10); err != nil || len(body) != 11 {
		t.Errorf("of a document that is too long: %d bytes, %v; want one more than allowed", len(body), err)
	}
	for path, want := range map[string]string{
		"/inside": "private network", "/metadata": "private network", "/file": "not of the web", "/loop": "redirects", "/none": "404",
	} {
		if _, err := get(server.URL+path, 1000); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want an error with %q", path, err, want)
		}
	}
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(server.URL, "http://"))
	for _, address := range []string{"file:///etc/passwd", "http://", "http://user:key@127.0.0.1:" + port + "/document", "/document", "ftp://127.0.0.1/"} {
		if _, err := get(address, 1000); err == nil {
			t.Errorf("Get(%q) succeeds, want an error", address)
		}
	}
}

// TestStranger: of an address that a stranger has chosen nothing private is asked, whatever its name
// resolves to, and no redirect is followed.
func TestStranger(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the private server was asked") }))
	defer server.Close()
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(server.URL, "http://"))
	for _, address := range []string{server.URL, "http://localhost:" + port, "http://[::ffff:127.0.0.1]:" + port, "http://0.0.0.0:" + port} {
		if _, err := Get(t.Context(), address, 10, Options{Stranger: true}); err == nil || !strings.Contains(err.Error(), "private network") {
			t.Errorf("Get(%s) = %v, want an error about a private network", address, err)
		}
	}
	f := &fetcher{asked: "client.example.com:443", stranger: true}
	r, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://client.example.com/other", nil)
	if err := f.redirect(r, []*http.Request{r}); err == nil {
		t.Error("a redirect is followed")
	}
}

// TestNamed: a private host that redirects from http to https is still the one that was named.
func TestNamed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		asked, address string
		want           bool
	}{
		{"host.internal:80", "host.internal:80", true},
		{"host.internal:80", "Host.Internal:443", true},
		{"[::1]:80", "[::1]:443", true},
		{"host.internal:80", "host.internal:8443", false},
		{"host.internal:80", "other.internal:443", false},
		{"host.internal:443", "host.internal:80", false},
		{"host.internal:8080", "host.internal:443", false},
	} {
		if got := (&fetcher{asked: tt.asked}).named(tt.address); got != tt.want {
			t.Errorf("of %s, named(%s) = %v, want %v", tt.asked, tt.address, got, tt.want)
		}
	}
}
