package main

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/gorilla/websocket"
)

// TestDemonstration speaks with the tokens of the page, and looks at who pays. Without --demo
// there is no page.
func TestDemonstration(t *testing.T) {
	t.Parallel()
	s := start(t, "--demo")
	const form = "application/x-www-form-urlencoded"
	if a := s.ask(http.MethodGet, "/demo", "", nil); a.status != 200 || !strings.Contains(a.body, "हिन्दी") {
		t.Fatalf("GET /demo = %d", a.status)
	}
	token := func() string {
		t.Helper()
		a := s.sends("/demo/token", form, "language=hi")
		var made struct{ Token string }
		if err := json.Unmarshal([]byte(a.body), &made); err != nil || a.status != 200 || !strings.HasPrefix(made.Token, "sutkn_") {
			t.Fatalf("%s = %d %s, %v", a.what, a.status, a.body, err)
		}
		return made.Token
	}
	dial := func(query string) (*websocket.Conn, int) {
		address := "ws" + strings.TrimPrefix(s.public, "http") + "/v1/audio/speech/stream-input?" + query
		conn, answer, err := websocket.DefaultDialer.DialContext(t.Context(), address, nil)
		if err != nil {
			return nil, answer.StatusCode
		}
		t.Cleanup(func() { _ = conn.Close() })
		return conn, answer.StatusCode
	}
	// final speaks a text and returns the last message.
	final := func(conn *websocket.Conn, text string) (last map[string]any) {
		for _, m := range []object{{"text": text}, {"text": ""}} {
			if err := conn.WriteJSON(m); err != nil {
				t.Fatal(err)
			}
		}
		for {
			kind, b, err := conn.ReadMessage()
			if err != nil {
				return last
			}
			if kind == websocket.TextMessage {
				last = nil
				if err := json.Unmarshal(b, &last); err != nil {
					t.Fatalf("%s: %v", b, err)
				}
			}
		}
	}
	good := url.Values{"lang": {"hi"}, "words": {"true"}, "single_use_token": {token()}}.Encode()
	conn, status := dial(good)
	if conn == nil {
		t.Fatalf("the token of the page opens no socket: %d", status)
	}
	if done := final(conn, "नमस्ते।"); done["type"] != "done" || done["characters"] != 7.0 {
		t.Errorf("the socket ends with %v, want done with 7 characters", done)
	}
	if conn, status := dial(good); conn != nil || status != 401 {
		t.Errorf("the token opens a second socket: %d", status)
	}
	if conn, status := dial("lang=en&single_use_token=" + token()); conn != nil {
		t.Errorf("a token for Hindi speaks English: %d", status)
	}
	conn, _ = dial("lang=hi&single_use_token=" + token())
	if last := final(conn, strings.Repeat("नमस्ते ", 100)); last["type"] != "error" {
		t.Errorf("700 characters end with %v, want an error", last)
	}
	for _, a := range []answered{
		s.sends("/demo/token", form, "language=xx"),
		s.sends("/demo/token", form, "language=hi", "Origin: https://evil.test", "Sec-Fetch-Site: cross-site"),
		s.sends("/demo/token", "application/json", `{"language":"hi"}`),
	} {
		if a.status < 400 || a.status >= 500 || strings.Contains(a.body, "sutkn_") {
			t.Errorf("%s = %d %s, want a refusal", a.what, a.status, a.body)
		}
	}
	for line := range strings.Lines(s.inProcess("", "org", "list")) {
		if id, rest, _ := strings.Cut(line, "\t"); strings.HasPrefix(rest, "demonstration\t") {
			if used := s.usage(s.inProcess("", "key", "create", "--org", id, "--name", "look")).Month.Used; used < 7 {
				t.Errorf("the organisation of the page has used %d characters, want 7 or more", used)
			}
			if used := s.usage(s.key).Month.Used; used != 0 {
				t.Errorf("another organisation was charged %d characters", used)
			}
			return
		}
	}
	t.Error("there is no organisation for the page")
}

// TestNoDemonstration: the page is off by default.
func TestNoDemonstration(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, a := range []answered{s.ask(http.MethodGet, "/demo", "", nil), s.sends("/demo/token", "application/x-www-form-urlencoded", "language=hi")} {
		if a.status != 404 {
			t.Errorf("%s = %d, want 404", a.what, a.status)
		}
	}
	if a := s.ask(http.MethodGet, "/", "", nil); strings.Contains(a.body, "/demo") {
		t.Error("the index leads to a page that is not there")
	}
	s.stop()
}
