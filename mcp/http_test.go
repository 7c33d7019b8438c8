package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"vaak/account"
	"vaak/audio"
	"vaak/croissant/publish"
	"vaak/edge"
	"vaak/mcp"
	"vaak/rest/frame"
	"vaak/speech"
)

// shapes are the errors of the product.
var shapes = map[mcp.Service]edge.Refuse{mcp.Speech: frame.Refuse, mcp.Catalogue: frame.RefuseCatalogue}

// TestOneShapeOfErrors asks both services for what they refuse before the protocol
// sees it: each answers in its own shape alone. The "error" of the
// catalogue is a word, that of speech an object.
func TestOneShapeOfErrors(t *testing.T) {
	t.Parallel()
	s, err := mcp.New(mcp.Config{
		Speech: drone{}, Accounts: &ledger{}, Formats: []audio.Codec{audio.WAV},
		Catalogue: published(t), Croissant: publish.New(published(t), "https://x.test"), Refuse: shapes,
	})
	if err != nil {
		t.Fatal(err)
	}
	for service, text := range map[mcp.Service]bool{mcp.Speech: false, mcp.Catalogue: true} {
		for _, tt := range []struct {
			method, header, value, body string
			status                      int
		}{
			{"GET", "", "", "", 405},
			{"DELETE", "", "", "", 405},
			{"POST", "Origin", "https://evil.test", listRequest, 403},
			{"POST", "Content-Type", "text/plain", listRequest, 415},
			{"POST", "Content-Type", "application/json", strings.Repeat(" ", 1<<20+1), 413},
		} {
			r := httptest.NewRequestWithContext(t.Context(), tt.method, "/", strings.NewReader(tt.body))
			r.Header.Set("xi-api-key", "alpha")
			if tt.header != "" {
				r.Header.Set(tt.header, tt.value)
			}
			w := httptest.NewRecorder()
			edge.Chain(s.Handler(service), edge.Identify, edge.Authenticate(keys{}, s.Handler(service).Refuse)).ServeHTTP(w, r)
			var m struct{ Error any }
			if err := json.Unmarshal(w.Body.Bytes(), &m); err != nil {
				t.Errorf("%s: %s = %d %s, want JSON", service, tt.method, w.Code, w.Body)
			}
			if _, is := m.Error.(string); w.Code != tt.status || is != text || w.Header().Get("Content-Type") != "application/json" {
				t.Errorf("%s: %s with %s %q = %d %s, want %d in the shape of the service", service, tt.method, tt.header, tt.value, w.Code, w.Body, tt.status)
			}
		}
	}
}

func TestHTTPRefusals(t *testing.T) {
	t.Parallel()
	s := newServer(t, mcp.Config{PublicURL: "https://speech.example.org", Origins: []string{"https://app.example.org"}, Refuse: shapes})
	url := serve(t, s).URL
	header := func(pairs ...string) http.Header {
		h := http.Header{}
		for i := 0; i < len(pairs); i += 2 {
			h.Set(pairs[i], pairs[i+1])
		}
		return h
	}
	for _, tt := range []struct {
		name   string
		header http.Header
		body   string
		status int
		code   string // of the error body; "" is a result
	}{
		{"no origin", nil, listRequest, 200, ""},
		{"origin of the same host", header("Origin", url), listRequest, 200, ""},
		{"origin of the public address", header("Origin", "https://Speech.example.org"), listRequest, 200, ""},
		{"origin on the list", header("Origin", "https://app.example.org"), listRequest, 200, ""},
		{"origin on the list by http", header("Origin", "http://app.example.org"), listRequest, 403, "origin_not_allowed"},
		{"foreign origin", header("Origin", "https://evil.example"), listRequest, 403, "origin_not_allowed"},
		{"opaque origin", header("Origin", "null"), listRequest, 403, "origin_not_allowed"},
		{"public host", header("Host", "speech.example.org"), listRequest, 200, ""},
		{"host of an allowed origin", header("Host", "app.example.org"), listRequest, 200, ""},
		{"foreign host", header("Host", "evil.example"), listRequest, 403, "host_not_allowed"},
		{"foreign host and origin", header("Host", "evil.example", "Origin", "http://evil.example"), listRequest, 403, "host_not_allowed"},
		{"content type", header("Content-Type", "text/plain"), listRequest, 415, "unsupported_media_type"},
		{"no content type", header("Content-Type", ""), listRequest, 200, ""},
		{"not JSON", nil, `{`, 400, "-32700"},
		{"not UTF-8", nil, "{\"jsonrpc\":\"2.0\",\"id\":\"\xff\"}", 400, "-32700"},
		{"a key twice", nil, `{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`, 400, "-32700"},
		{"a batch", nil, `[` + listRequest + `]`, 400, "-32600"},
		{"no params", nil, `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":null}`, 200, "-32601"},
		{"unknown protocol version", header("Mcp-Protocol-Version", "1999-01-01"), listRequest, 400, "-32600"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			resp, body := post(t, url, tt.body, tt.header)
			if resp.StatusCode != tt.status {
				t.Errorf("status = %d, want %d: %s", resp.StatusCode, tt.status, body)
			}
			if got := errorCode(body); got != tt.code {
				t.Errorf("code = %q, want %q: %s", got, tt.code, body)
			}
		})
	}
}

// TestLargeBody goes without a network, over which the refusal and the rest of
// the body would race.
func TestLargeBody(t *testing.T) {
	t.Parallel()
	s := newServer(t, mcp.Config{Refuse: shapes})
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(`{"pad":"`+strings.Repeat("x", 1<<20)+`"}`))
	r.Header.Set("xi-api-key", "alpha")
	w := httptest.NewRecorder()
	mount(s).ServeHTTP(w, r)
	if got := errorCode(w.Body.Bytes()); w.Code != http.StatusRequestEntityTooLarge || got != "body_too_large" {
		t.Errorf("answer = %d %s, want 413 body_too_large", w.Code, w.Body)
	}
}

// errorCode finds the code in any of the shapes of error, "" in a result.
func errorCode(body []byte) string {
	var m struct {
		Detail struct{ Status string }
		Error  struct{ Code any }
	}
	if json.Unmarshal(body, &m) != nil {
		return "text"
	}
	switch code := m.Error.Code.(type) {
	case string:
		if code != m.Detail.Status {
			return "two codes: " + code + " and " + m.Detail.Status
		}
		return code
	case float64:
		b, _ := json.Marshal(code) // a number is always encoded
		return string(b)
	}
	return ""
}

// TestSessionsOfTheProduct sets up connections with two keys, uses and ends
// them, and revokes a key in between.
func TestSessionsOfTheProduct(t *testing.T) {
	t.Parallel()
	s := newServer(t, mcp.Config{Sessions: true})
	var revoked atomic.Bool
	url := serveWith(t, s, revocable{&revoked})
	begin := func(key string) string {
		resp, body := post(t, url, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`,
			http.Header{"Authorization": {"Bearer " + key}})
		id := resp.Header.Get("Mcp-Session-Id")
		if resp.StatusCode != http.StatusOK || id == "" {
			t.Fatalf("initialize = %d %s, session %q", resp.StatusCode, body, id)
		}
		return id
	}
	status := func(key, session string) int {
		resp, _ := post(t, url, listRequest, http.Header{"Authorization": {"Bearer " + key}, "Mcp-Session-Id": {session}})
		return resp.StatusCode
	}
	alpha, beta := begin("alpha"), begin("beta")
	for _, tt := range []struct {
		key, session string
		revoked      bool
		want         int
	}{
		{"alpha", alpha, false, 200},
		{"beta", alpha, false, 404},
		{"alpha", beta, false, 404},
		{"alpha", "forged", false, 404},
		{"beta", beta, false, 200},
		{"beta", beta, true, 401},
		{"alpha", beta, true, 404},
		{"alpha", alpha, true, 200},
	} {
		revoked.Store(tt.revoked)
		if got := status(tt.key, tt.session); got != tt.want {
			t.Errorf("key %s, session of alpha: %t, key beta revoked: %t = %d, want %d", tt.key, tt.session == alpha, tt.revoked, got, tt.want)
		}
	}
}

func TestHTTPMethods(t *testing.T) {
	t.Parallel()
	url := serve(t, newServer(t, mcp.Config{Refuse: shapes})).URL
	for _, method := range []string{"GET", "DELETE", "PUT", "PATCH", "HEAD"} {
		req, err := http.NewRequestWithContext(t.Context(), method, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("xi-api-key", "alpha")
		req.Close = true
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusMethodNotAllowed || resp.Header.Get("Allow") != "POST, OPTIONS" ||
			resp.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s = %d, Allow %q, Content-Type %q; want a 405 in JSON", method, resp.StatusCode,
				resp.Header.Get("Allow"), resp.Header.Get("Content-Type"))
		}
	}
}

// TestSessionMethods asks, with sessions, which methods there are: those of
// version 2026-07-28 have nothing to end.
func TestSessionMethods(t *testing.T) {
	t.Parallel()
	url := serve(t, newServer(t, mcp.Config{Sessions: true, Refuse: shapes})).URL
	for _, tt := range []struct {
		method, version, allow string
		status                 int
	}{
		{"GET", "2025-11-25", "DELETE, POST, OPTIONS", 405},
		{"DELETE", "2025-11-25", "", 400}, // names no session
		{"GET", "2026-07-28", "POST, OPTIONS", 405},
		{"DELETE", "2026-07-28", "POST, OPTIONS", 405},
	} {
		req, err := http.NewRequestWithContext(t.Context(), tt.method, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header = http.Header{"Xi-Api-Key": {"alpha"}, "Mcp-Protocol-Version": {tt.version}}
		req.Close = true
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != tt.status || resp.Header.Get("Allow") != tt.allow || !strings.Contains(string(body), tt.allow) {
			t.Errorf("%s of %s = %d, Allow %q, %s (%v); want %d, %q", tt.method, tt.version, resp.StatusCode, resp.Header.Get("Allow"), body, err, tt.status, tt.allow)
		}
	}
}

// revocable knows the keys that keys knows, but for "beta" once it is revoked.
type revocable struct{ beta *atomic.Bool }

func (k revocable) Authenticate(ctx context.Context, secret string) (account.Caller, error) {
	if secret == "beta" && k.beta.Load() {
		secret = "revoked"
	}
	return keys{}.Authenticate(ctx, secret)
}

func serveWith(t *testing.T, s *mcp.Server, k edge.Authenticator) string {
	t.Helper()
	srv := httptest.NewServer(edge.Chain(s.Handler(mcp.Speech), edge.Identify, edge.Authenticate(k, func(w http.ResponseWriter, _ *http.Request, err error) {
		http.Error(w, err.Error(), http.StatusUnauthorized)
	})))
	t.Cleanup(srv.Close)
	return srv.URL
}

// TestNoCallerNoService mounts the handler without the middleware.
func TestNoCallerNoService(t *testing.T) {
	t.Parallel()
	s := newServer(t, mcp.Config{Refuse: shapes})
	w := httptest.NewRecorder()
	s.Handler(mcp.Speech).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(listRequest)))
	if got := errorCode(w.Body.Bytes()); w.Code != http.StatusUnauthorized || got != "missing_api_key" || w.Header().Get("WWW-Authenticate") != `Bearer realm="vaak"` {
		t.Errorf("answer = %d %s, want 401 missing_api_key", w.Code, w.Body)
	}
}

func TestCallerReachesTheService(t *testing.T) {
	t.Parallel()
	got := make(chan account.Caller, 1)
	url := serve(t, newServer(t, mcp.Config{Speech: drone{before: func(_ context.Context, c account.Caller, _ speech.Request) error {
		got <- c
		return nil
	}}})).URL
	post(t, url, request(1, "synthesize_speech", map[string]any{"text": "x"}), http.Header{"Authorization": {"Bearer beta"}})
	if c := <-got; c.KeyID != "key_beta" {
		t.Errorf("caller = %+v, want key_beta", c)
	}
}

// TestClientsDoNotCancelEachOther sends a cancellation of request 1 with one
// key while request 1 of another key is being served.
func TestClientsDoNotCancelEachOther(t *testing.T) {
	t.Parallel()
	started, release := make(chan struct{}), make(chan struct{})
	url := serve(t, newServer(t, mcp.Config{Speech: drone{before: func(ctx context.Context, _ account.Caller, _ speech.Request) error {
		close(started)
		select {
		case <-release:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}}})).URL
	type reply struct {
		body []byte
		err  error
	}
	done := make(chan reply, 1)
	go func() {
		_, body, err := tryPost(t.Context(), url, request(1, "synthesize_speech", map[string]any{"text": "x"}), nil)
		done <- reply{body, err}
	}()
	<-started
	for _, method := range []string{`notifications/cancelled`, `notifications/c\u0061ncelled`} {
		resp, body := post(t, url, `{"jsonrpc":"2.0","method":"`+method+`","params":{"requestId":1}}`, http.Header{"Authorization": {"Bearer beta"}})
		if resp.StatusCode != http.StatusAccepted {
			t.Errorf("cancellation = %d %s, want 202", resp.StatusCode, body)
		}
	}
	close(release)
	r := <-done
	if r.err != nil {
		t.Fatal(r.err)
	}
	if res := decodeResult(t, r.body); res.IsError {
		t.Errorf("the call of another client was cancelled: %+v", res)
	}
}

func TestDisconnectStopsSpeaking(t *testing.T) {
	t.Parallel()
	started, stopped := make(chan struct{}), make(chan struct{})
	url := serve(t, newServer(t, mcp.Config{Speech: drone{before: func(ctx context.Context, _ account.Caller, _ speech.Request) error {
		close(started)
		<-ctx.Done()
		close(stopped)
		return context.Cause(ctx)
	}}})).URL
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-started
		cancel()
	}()
	if _, _, err := tryPost(ctx, url, request(1, "synthesize_speech", map[string]any{"text": "x"}), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("post = %v, want %v", err, context.Canceled)
	}
	<-stopped
}

// TestListeningEnds asks for notices of changes, of which there are none: the
// answer ends at once and holds no connection.
func TestListeningEnds(t *testing.T) {
	t.Parallel()
	url := serve(t, newServer(t, mcp.Config{})).URL
	resp, body := post(t, url, `{"jsonrpc":"2.0","id":10,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},`+
		`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`,
		http.Header{"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"subscriptions/listen"}})
	if resp.StatusCode != http.StatusOK || !strings.Contains(string(body), `"id":10`) {
		t.Errorf("subscriptions/listen = %d %s", resp.StatusCode, body)
	}
}
