package main

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"vaak/voice"
)

// newToken is what the tests read of a token that was made.
type newToken struct {
	Token string
	ID    string `json:"token_id"`
}

// token makes a single-use token with a key.
func (s *server) token(key string, limits any) (n newToken) {
	s.t.Helper()
	a := s.ask(http.MethodPost, "/v1/audio/speech/tokens", key, limits)
	a.expect(s.t, http.StatusCreated, "")
	if err := json.Unmarshal([]byte(a.body), &n); err != nil || !strings.HasPrefix(n.Token, "sutkn_") {
		s.t.Fatalf("%s: %s, %v", a.what, a.body, err)
	}
	return n
}

// openTokens counts the open tokens of the organisation of a key, and checks that none is told.
func (s *server) openTokens(key string) int {
	s.t.Helper()
	a := s.ask(http.MethodGet, "/v1/audio/speech/tokens", key, nil)
	a.expect(s.t, http.StatusOK, "")
	if strings.Contains(a.body, "sutkn_") {
		s.t.Errorf("the list tells tokens: %s", a.body)
	}
	return strings.Count(a.body, `"token_id"`)
}

// present opens a socket with a token, as a page of an origin does; "" is no page.
func (s *server) present(kind, token, origin, more string) (*socket, answered) {
	s.t.Helper()
	d := websocket.Dialer{HandshakeTimeout: time.Minute}
	header := http.Header{}
	if origin != "" {
		header.Set("Origin", origin)
	}
	conn, resp, err := d.DialContext(s.t.Context(), s.address(kind, "en")+"&single_use_token="+token+more, header)
	a := answered{what: "present " + kind}
	if resp != nil {
		b := make([]byte, 4096)
		n, _ := resp.Body.Read(b)
		a.status, a.header, a.body = resp.StatusCode, resp.Header, string(b[:n])
	}
	if err != nil {
		return nil, a
	}
	s.t.Cleanup(func() { _ = conn.Close() })
	return &socket{Conn: conn, t: s.t, kind: kind}, a
}

// TestLengthyTokens opens sockets with single-use tokens. What is refused costs nothing and
// uses nothing up; what is spoken is charged to the key that made the token.
func TestLengthyTokens(t *testing.T) {
	slow(t)
	t.Parallel()
	onBoth(t, func(t *testing.T, s *server) {
		for _, kind := range kinds {
			s.takesTokens(kind)
		}
		s.limitsTokens()
		s.endsTokens()
		for _, secret := range []string{"sutkn_", "single_use_token"} {
			if strings.Contains(s.log.String(), secret) {
				t.Errorf("the log holds %s", secret)
			}
		}
		s.stop()
	})
}

const appOrigin = "https://app.example.org"

// takesTokens checks one socket with one token: every refusal, then the use, then the reuse.
func (s *server) takesTokens(kind string) {
	s.t.Helper()
	_, key := s.customer("Tokens "+kind, "starter")
	n := s.token(key, map[string]any{"origins": []string{appOrigin}, "lang": "en", "voice": string(voice.DefaultVoice().ID)})
	refused := func(token, origin, more string, status int, code string) {
		s.t.Helper()
		if c, a := s.present(kind, token, origin, more); c != nil || a.status != status || a.code() != code {
			s.t.Errorf("%s from %q with %q = %d %s, want %d %s", kind, origin, more, a.status, a.body, status, code)
		}
	}
	refused(n.Token, "https://evil.example", "", 403, "origin_not_allowed")
	refused(n.Token, "", "", 403, "origin_not_allowed")
	refused(n.Token, "http://app.example.org", "", 403, "origin_not_allowed")
	refused(n.Token+"a", appOrigin, "", 401, "invalid_token")
	refused(n.Token, appOrigin, "&single_use_token="+n.Token, 401, "invalid_token")
	bad := 422
	if kind == "native" {
		bad = 400
	}
	refused(n.Token, appOrigin, "&inactivity_timeout=soon", bad, "invalid_parameter")
	if a := s.ask(http.MethodPost, "/v1/audio/speech", n.Token, map[string]any{"input": "hello"}); a.status != 401 {
		s.t.Errorf("a token speaks over HTTP: %d %s", a.status, a.body)
	}
	if u := s.usage(key); u.Month.Used != 0 || s.openTokens(key) != 1 {
		s.t.Errorf("%s: refusals were charged %d, or used the token up", kind, u.Month.Used)
	}
	c, a := s.present(kind, n.Token, appOrigin, "")
	if c == nil {
		s.t.Fatalf("%s: %d %s", kind, a.status, a.body)
	}
	refused(n.Token, appOrigin, "", 401, "token_used") // also while the socket is open
	c.say("Hello there.")
	c.end()
	if got := c.listen(); !got.whole() || len(got.audio) == 0 {
		s.t.Errorf("%s ended with %s", kind, got)
	}
	refused(n.Token, appOrigin, "", 401, "token_used")
	soon(s.t, "the charge", func() bool { return s.usage(key).Month.Used == 12 })
	if n := s.openTokens(key); n != 0 {
		s.t.Errorf("%d tokens are open after the use", n)
	}
}

// limitsTokens checks the limits of what a token opens.
func (s *server) limitsTokens() {
	s.t.Helper()
	_, key := s.customer("Limits", "starter")
	for _, kind := range kinds {
		open := func(limits map[string]any) *socket {
			s.t.Helper()
			c, a := s.present(kind, s.token(key, limits).Token, "", "")
			if c == nil {
				s.t.Fatalf("%s %v: %d %s", kind, limits, a.status, a.body)
			}
			return c
		}
		c := open(map[string]any{"max_characters": 10})
		c.say("Hello you.")
		c.say("More")
		if kind == "multi" {
			c.send(object{"close_socket": true})
		}
		if got := c.listen(); got.code != "max_character_limit_exceeded" {
			s.t.Errorf("%s: 14 characters of 10 ended with %s", kind, got)
		}
		c = open(map[string]any{"max_session_seconds": 1})
		if got := c.listen(); got.code != "session_time_exceeded" || got.closed != websocket.ClosePolicyViolation {
			s.t.Errorf("%s: a session of a second ended with %s", kind, got)
		}
		n := s.token(key, map[string]any{"lang": "hi"})
		if c, a := s.present(kind, n.Token, "", ""); c != nil || a.status != 403 || a.code() != "not_allowed_by_token" {
			s.t.Errorf("%s in another language: %d %s", kind, a.status, a.body)
		}
	}
}

// endsTokens checks what ends a token before its use.
func (s *server) endsTokens() {
	s.t.Helper()
	org, key := s.customer("Ends", "starter")
	expiring := s.token(key, map[string]any{"expires_in_seconds": 10})
	revoked, doomed := s.token(key, nil), s.token(key, nil)
	other := s.vaak("key", "create", "--org", org, "--name", "other")
	s.ask(http.MethodDelete, "/v1/audio/speech/tokens/"+revoked.ID, s.key, nil).expect(s.t, 404, "not_found") // of another organisation
	s.ask(http.MethodDelete, "/v1/audio/speech/tokens/"+revoked.ID, other, nil).expect(s.t, 200, "")
	s.ask(http.MethodDelete, "/v1/audio/speech/tokens/"+revoked.ID, other, nil).expect(s.t, 404, "not_found")
	refused := func(what, token, code string) {
		s.t.Helper()
		for _, kind := range kinds {
			if c, a := s.present(kind, token, "", ""); c != nil || a.status != 401 || a.code() != code {
				s.t.Errorf("%s socket with a token %s = %d %s, want 401 %s", kind, what, a.status, a.body, code)
			}
		}
	}
	refused("that was revoked", revoked.Token, "invalid_token")
	soon(s.t, "the token expires", func() bool {
		// A handshake that is refused for another reason as long as the token is good.
		_, a := s.present("native", expiring.Token, "", "&speed=0")
		return a.code() == "token_expired"
	})
	refused("that has expired", expiring.Token, "token_expired")
	id, _, _ := strings.Cut(s.vaak("key", "list", "--org", org), "\t")
	s.vaak("key", "revoke", id)
	refused("of a revoked key", doomed.Token, "invalid_token")
	if u := s.usage(other); u.Month.Used != 0 {
		s.t.Errorf("refused handshakes were charged %d characters", u.Month.Used)
	}
	a := s.ask(http.MethodPost, "/v1/single-use-token/realtime_scribe", other, nil)
	if a.status != 422 || !strings.Contains(a.body, `"path"`) || !strings.Contains(a.body, "tts_websocket") {
		s.t.Errorf("another type of token = %d %s", a.status, a.body)
	}
}

// TestLengthyTokenOpensOneOfTwoServers presents each of some tokens to two servers at the same
// moment: one socket opens.
func TestLengthyTokenOpensOneOfTwoServers(t *testing.T) {
	slow(t)
	t.Parallel()
	f := startFleet(t, 2, 100)
	for range 20 {
		n := f.servers[0].token(f.servers[0].key, nil)
		var opened, used atomic.Int64
		var all sync.WaitGroup
		for i := range 6 {
			all.Go(func() {
				c, a := f.servers[i%2].present(kinds[i%3], n.Token, "", "")
				switch {
				case c != nil:
					opened.Add(1)
				case a.status == 401 && a.code() == "token_used":
					used.Add(1)
				default:
					t.Errorf("%d %s", a.status, a.body)
				}
			})
		}
		all.Wait()
		if opened.Load() != 1 || used.Load() != 5 {
			t.Fatalf("%d sockets opened, %d were refused, want 1 and 5", opened.Load(), used.Load())
		}
	}
}
