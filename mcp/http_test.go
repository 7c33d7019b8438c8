package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"vaak/account"
	"vaak/mcp"
	"vaak/speech"
)

func TestHTTPRefusals(t *testing.T) {
	t.Parallel()
	s := newServer(t, mcp.Config{PublicURL: "https://speech.example.org", Origins: []string{"https://app.example.org"}})
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
		{"foreign host", header("Host", "evil.example"), listRequest, 403, "host_not_allowed"},
		{"foreign host and origin", header("Host", "evil.example", "Origin", "http://evil.example"), listRequest, 403, "host_not_allowed"},
		{"content type", header("Content-Type", "text/plain"), listRequest, 415, "unsupported_media_type"},
		{"no content type", header("Content-Type", ""), listRequest, 200, ""},
		{"not JSON", nil, `{`, 400, "-32700"},
		{"not UTF-8", nil, "{\"jsonrpc\":\"2.0\",\"id\":\"\xff\"}", 400, "-32700"},
		{"a key twice", nil, `{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`, 400, "-32700"},
		{"a batch", nil, `[` + listRequest + `]`, 400, "-32700"},
		{"unknown protocol version", header("Mcp-Protocol-Version", "1999-01-01"), listRequest, 400, "text"},
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
	s := newServer(t, mcp.Config{})
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

func TestHTTPMethods(t *testing.T) {
	t.Parallel()
	url := serve(t, newServer(t, mcp.Config{})).URL
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
		if resp.StatusCode != http.StatusMethodNotAllowed || resp.Header.Get("Allow") != "POST" ||
			resp.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s = %d, Allow %q, Content-Type %q; want a 405 in JSON", method, resp.StatusCode,
				resp.Header.Get("Allow"), resp.Header.Get("Content-Type"))
		}
	}
}

// TestNoCallerNoService mounts the handler without the middleware.
func TestNoCallerNoService(t *testing.T) {
	t.Parallel()
	s := newServer(t, mcp.Config{})
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(listRequest)))
	if got := errorCode(w.Body.Bytes()); w.Code != http.StatusUnauthorized || got != "missing_api_key" || w.Header().Get("WWW-Authenticate") != "Bearer" {
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
