package main

import (
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vaak/app/usage"
)

// TestListenEverywhere: a server that listens on all addresses gives agents no links
// that nobody can follow, and says why; told its address, it does.
func TestListenEverywhere(t *testing.T) {
	t.Parallel()
	s := start(t, "--listen", "0.0.0.0:0")
	speak := map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call",
		"params": map[string]any{"name": "synthesize_speech", "arguments": map[string]any{"text": "Hi.", "language": "en"}}}
	check := func(delivery string, cards int) {
		t.Helper()
		a := s.ask(http.MethodPost, "/v1/mcp", s.key, speak)
		if a.status != http.StatusOK || !strings.Contains(a.body, `"delivery":"`+delivery+`"`) || strings.Contains(a.body, "://[::]") {
			t.Errorf("synthesize_speech = %d, want delivery %s and no dead link: %.500s", a.status, delivery, a.body)
		}
		for _, path := range []string{"/v1/mcp/server-card", "/api/catalogue/mcp/server.json", "/.well-known/mcp/catalog.json"} {
			if a := s.ask(http.MethodGet, path, "", nil); a.status != cards {
				t.Errorf("%s = %d, want %d", a.what, a.status, cards)
			}
		}
		if warned := strings.Count(s.log.String(), "--public-url"); warned > 1 || (warned == 0) != (cards == http.StatusOK) {
			t.Errorf("the log names --public-url %d times: %s", warned, s.log)
		}
	}
	check("inline", http.StatusNotFound)
	s.stop()
	s.serve("--listen", "0.0.0.0:0", "--public-url", "https://speech.example.org/")
	check("link", http.StatusOK)
	s.stop()
}

// TestOrigins: pages of the origins that the configuration file lists may open
// sockets and call as agents do, and no others.
func TestOrigins(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "vaak.toml")
	if err := os.WriteFile(file, []byte(`ws_origins = ["https://app.example.org", "https://other.example.org/"]`), 0o600); err != nil {
		t.Fatal(err)
	}
	s := start(t, "--config", file)
	for _, path := range []string{"/v1/mcp", "/api/catalogue/mcp"} {
		for origin, want := range map[string]int{
			"https://app.example.org": http.StatusNoContent, "https://other.example.org": http.StatusNoContent, "https://x.test": http.StatusForbidden,
		} {
			if a := s.fetch(http.MethodOptions, path, "Origin: "+origin, "Access-Control-Request-Method: POST"); a.status != want {
				t.Errorf("%s from %s = %d, want %d", a.what, origin, a.status, want)
			}
		}
	}
}

// TestCommandMCPPublicURL: an address that links cannot begin with is a wrong use, whatever
// is offered.
func TestCommandMCPPublicURL(t *testing.T) {
	t.Parallel()
	for _, c := range []mcpCommand{{Speech: true}, {Catalogue: true}, {All: true}} {
		c.PublicURL = "ftp://x/y?z"
		err := c.Run(context.Background(), streams{in: strings.NewReader(""), out: io.Discard, err: io.Discard}, &configFile{})
		if _, ok := err.(usage.Error); !ok || !strings.Contains(err.Error(), "--public-url") {
			t.Errorf("Run with %+v = %v, want a wrong use of --public-url", c, err)
		}
	}
}
