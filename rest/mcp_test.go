package rest

import (
	"io"
	"net/http"
	"testing"

	"vaak/edge"
	"vaak/rest/frame"
)

// agents is a handler that lets pages of one origin call, and tells what it
// knows of a request.
type agents struct{ http.Handler }

func (agents) Guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Origin") == "https://evil.test" {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		w.Header().Set("Access-Control-Allow-Origin", "echo")
		if r.Method == http.MethodOptions {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// Refuse refuses as no other part does.
func (agents) Refuse(w http.ResponseWriter, r *http.Request, err error) {
	w.Header().Set("X-Refused", "by the agents")
	frame.Refuse(w, r, err)
}

func newAgents() agents {
	return agents{http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		scope, located := edge.ClientScope(r.Context())
		_, keyed := edge.Caller(r.Context())
		if located == keyed || located && scope == "" {
			w.WriteHeader(http.StatusTeapot)
		}
		_, _ = io.WriteString(w, r.Method)
	})}
}

func TestAgentsAreGuarded(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Config{SpeechMCP: newAgents(), CatalogueMCP: newAgents(), PublicRate: 1000})
	for _, tt := range []struct {
		method, path, key, origin string
		status                    int
	}{
		{"POST", "/v1/mcp", testKey, "", 200},
		{"DELETE", "/v1/mcp", testKey, "", 200},
		{"OPTIONS", "/v1/mcp", "", "", 204},
		{"POST", "/v1/mcp", "", "", 401},
		{"DELETE", "/v1/mcp", "", "", 401},
		{"POST", "/v1/mcp", testKey, "https://evil.test", 403},
		{"POST", "/v1/mcp", "", "https://evil.test", 403},
		{"OPTIONS", "/v1/mcp", "", "https://evil.test", 403},
		{"GET", "/v1/mcp", testKey, "", 405},
		{"POST", "/v1/mcp/", testKey, "", 404},
		{"POST", "/api/catalogue/mcp", "", "", 200},
		{"DELETE", "/api/catalogue/mcp", "", "", 200},
		{"OPTIONS", "/api/catalogue/mcp", "", "", 204},
		{"POST", "/api/catalogue/mcp", "", "https://evil.test", 403},
		{"PUT", "/api/catalogue/mcp", "", "", 405},
	} {
		w := do(h, request(tt.method, tt.path, "{}", "xi-api-key", tt.key, "Origin", tt.origin))
		if w.Code != tt.status {
			t.Errorf("%s %s, key %q, origin %q = %d %s, want %d", tt.method, tt.path, tt.key, tt.origin, w.Code, w.Body, tt.status)
		}
		if read := w.Header().Get("Access-Control-Allow-Origin") == "echo"; read != (tt.status <= 401) {
			t.Errorf("%s %s, key %q, origin %q: a page may read it: %t", tt.method, tt.path, tt.key, tt.origin, read)
		}
	}
}

// TestAgentsRefuse: what stops before the agents is refused by them.
func TestAgentsRefuse(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Config{SpeechMCP: newAgents()})
	for _, key := range []string{"", "sk_live_bad"} {
		if w := do(h, request("POST", "/v1/mcp", "{}", "xi-api-key", key)); w.Code != 401 || w.Header().Get("X-Refused") == "" {
			t.Errorf("key %q = %d, %v", key, w.Code, w.Header())
		}
	}
	if w := do(h, request("POST", "/v1/audio/speech", "{}")); w.Header().Get("WWW-Authenticate") != "Bearer" || w.Header().Get("X-Refused") != "" {
		t.Errorf("another route = %v", w.Header())
	}
}

func TestAgentsShareThePublicRate(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Config{CatalogueMCP: newAgents(), PublicRate: 2})
	for i, want := range []int{200, 200, 429} {
		w := do(h, request("POST", "/api/catalogue/mcp", "{}"))
		if (want == 429) != (w.Header().Get("X-Refused") != "") {
			t.Errorf("request %d was refused by another", i+1)
		}
		if w.Code != want || (want == 429) != (w.Header().Get("Retry-After") != "") {
			t.Errorf("request %d = %d, Retry-After %q, want %d", i+1, w.Code, w.Header().Get("Retry-After"), want)
		}
	}
}
