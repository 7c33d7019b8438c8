package main

import (
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"vaak/voice"
)

// TestLengthyLiveLimits spends the streams, the minute and the characters of keys with
// sockets.
func TestLengthyLiveLimits(t *testing.T) {
	slow(t)
	t.Parallel()
	t.Run("streams", func(t *testing.T) { t.Parallel(); onBoth(t, liveStreams) })
	t.Run("requests", func(t *testing.T) { t.Parallel(); onBoth(t, liveMinute) })
	t.Run("characters", func(t *testing.T) { t.Parallel(); onBoth(t, liveCharacters) })
}

// mustDial opens a socket with a key.
func (s *server) mustDial(key, kind string) *socket {
	s.t.Helper()
	c, a := s.dial(key, kind, "")
	if c == nil {
		s.t.Fatalf("%s = %d %s", a.what, a.status, a.body)
	}
	return c
}

// liveStreams holds both streams of a key: a third is refused, and each way to
// let go of one makes room at once.
func liveStreams(t *testing.T, s *server) {
	s.vaak("plan", "set", "two", "--characters", "1000000000", "--rpm", "1000000", "--streams", "2")
	_, key := s.customer("Two", "two")
	held := s.mustDial(key, "native")
	partings := map[string]func(c *socket){
		"done":   func(c *socket) { c.say("Bye."); c.end(); c.listen() },
		"unsaid": func(c *socket) { c.end(); c.listen() },
		"close frame": func(c *socket) {
			c.say(story)
			c.flush()
			c.begun()
			_ = c.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(1000, ""), time.Now().Add(time.Second))
			c.listen()
		},
		"cancel": func(c *socket) {
			c.say(strings.Repeat(story, 30))
			c.flush()
			c.begun()
			switch c.kind {
			case "native", "single":
				c.send(object{"cancel": true})
			default:
				c.send(object{"context_id": "a", "close_context": true, "played_ms": 1}, object{"close_socket": true})
			}
			if c.kind == "single" { // which cannot be cancelled but by leaving
				_ = c.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(1000, ""), time.Now().Add(time.Second))
			}
			c.listen()
		},
		"bad frame": func(c *socket) { _ = c.WriteMessage(websocket.TextMessage, []byte("{")); c.listen() },
	}
	for what, part := range partings {
		for i := range 12 {
			kind := kinds[i%3]
			c := s.mustDial(key, kind)
			third, a := s.dial(key, kind, "")
			if third != nil {
				t.Fatalf("a third %s socket was opened", kind)
			}
			a.expectRefusal(t, http.StatusTooManyRequests, "too_many_concurrent_requests")
			if a.header.Get("Retry-After") != "1" {
				t.Errorf("%s: Retry-After %q, want 1", a.what, a.header.Get("Retry-After"))
			}
			part(c)
			next, a := s.dial(key, kind, "")
			if next == nil {
				t.Errorf("after %s on a %s socket (%s): %s = %d %s, want a slot at once", what, kind, &c.heard, a.what, a.status, a.body)
				continue
			}
			next.end()
			next.listen()
		}
	}
	for _, kind := range kinds { // who vanishes is noticed soon
		c := s.mustDial(key, kind)
		c.say(strings.Repeat(story, 30))
		c.flush()
		c.begun()
		_ = c.NetConn().(*net.TCPConn).SetLinger(0)
		_ = c.Close()
		began := time.Now()
		if !eventually(func() bool {
			next, _ := s.dial(key, kind, "")
			if next != nil {
				next.end()
				next.listen()
			}
			return next != nil
		}) {
			t.Errorf("a %s socket that was reset keeps its slot", kind)
		}
		t.Logf("%s: a slot %v after a reset", kind, time.Since(began).Round(time.Millisecond))
	}
	held.say("Still here.")
	held.end()
	if got := held.listen(); !got.whole() {
		t.Errorf("the other socket ended with %s", got)
	}
}

// expectRefusal checks a refused handshake.
func (a answered) expectRefusal(t testing.TB, status int, code string) {
	t.Helper()
	if a.status != status || !strings.Contains(a.body, fmt.Sprintf(`"code":%q`, code)) {
		t.Errorf("%s = %d %s, want %d %s", a.what, a.status, a.body, status, code)
	}
	if a.header.Get("X-Trace-Id") == "" || a.header.Get("X-Request-Id") == "" {
		t.Errorf("%s has no x-trace-id or no x-request-id: %v", a.what, a.header)
	}
}

// liveMinute: upgrades count to the minute, whatever becomes of them.
func liveMinute(t *testing.T, s *server) {
	_, key := s.customer("Minute", "free")
	for i := range 10 {
		kind := kinds[i%3]
		if i%2 == 0 {
			_, a := s.dial(key, kind, "&pronunciation_dictionary_id=none")
			a.expectRefusal(t, http.StatusNotFound, "pronunciation_dictionary_not_found")
			continue
		}
		c := s.mustDial(key, kind)
		c.end()
		c.listen()
	}
	for _, kind := range kinds {
		_, a := s.dial(key, kind, "")
		a.expectRefusal(t, http.StatusTooManyRequests, "rate_limit_exceeded")
		if wait := a.number(t, "Retry-After"); wait < 1 || wait > 60 {
			t.Errorf("%s: Retry-After %d, want 1 to 60", a.what, wait)
		}
	}
}

// liveCharacters spends what an organisation has in the middle of a session.
func liveCharacters(t *testing.T, s *server) {
	s.vaak("plan", "set", "none", "--characters", "0", "--rpm", "100000", "--streams", "100")
	for _, kind := range kinds {
		org, key := s.customer("Few "+kind, "none")
		s.vaak("lot", "grant", "--org", org, "--characters", "40")
		c := s.mustDial(key, kind)
		const first = "Thirty characters are in this."
		c.say(first)
		c.flush()
		c.begun()
		c.say(" And these are too many for it.")
		c.end()
		got := c.listen()
		// One context of many fails alone.
		if got.code != "insufficient_quota" || got.closed != websocket.ClosePolicyViolation && kind != "multi" {
			t.Errorf("%s: %s, want insufficient_quota and 1008", kind, got)
		}
		var u standing
		if !eventually(func() bool { u = s.usage(key); return u.Month.Used > 0 }) || u.Month.Used != int64(len(first)) || u.Balance.Remaining != 40-int64(len(first)) {
			t.Errorf("%s: %d characters were heard, and charged is %+v", kind, len(first), u)
		}
		spend := s.mustDial(key, kind)
		spend.say("Ten chars.")
		spend.end()
		if got := spend.listen(); !got.final || got.code != "" {
			t.Errorf("%s: the last ten characters: %s", kind, got)
		}
		_, a := s.dial(key, kind, "")
		a.expectRefusal(t, http.StatusPaymentRequired, "insufficient_quota")
		if a.header.Get("X-Should-Retry") != "false" {
			t.Errorf("%s: X-Should-Retry %q, want false", a.what, a.header.Get("X-Should-Retry"))
		}
	}
}

// TestLiveIsRecorded: what a socket spoke is charged and recorded as that of a
// request is, and no log or record has a text or a key in it.
func TestLiveIsRecorded(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.vaak("plan", "set", "large", "--characters", "1000000", "--rpm", "100000", "--streams", "100")
	org, key := s.customer("Recorded", "large")
	const text = whisper + " The lighthouse is dark."
	samples := map[string]int{}
	for _, kind := range kinds {
		c := s.mustDial(key, kind)
		c.say(text)
		c.end()
		got := c.listen()
		if !got.whole() {
			t.Fatalf("%s: %s", kind, got)
		}
		samples[kind] = len(got.audio) / 2
	}
	for _, name := range []string{"key", "api_key", "xi_api_key", "xi-api-key", "authorization"} {
		if c, a := s.dial("", "native", "&"+name+"="+key); c != nil || a.status != http.StatusUnauthorized {
			t.Errorf("a key in the query as %s = %d, want 401", name, a.status)
		}
	}
	if u := s.usage(key); u.Month.Used != int64(3*len(text)) {
		t.Errorf("used %d, want %d", u.Month.Used, 3*len(text))
	}
	if show := s.vaak("org", "show", org); !strings.Contains(show, fmt.Sprintf("characters_used\t%d", 3*len(text))) {
		t.Errorf("vaak org show lacks %d characters:\n%s", 3*len(text), show)
	}
	s.stop()
	quiet(t, s)
	if strings.Contains(s.log.String(), key[len("sk_live_"):]) {
		t.Error("the log holds a key that was sent in a query")
	}
	found := map[string]bool{}
	for _, r := range s.records() {
		if r.Status != http.StatusOK {
			continue
		}
		kind := "single"
		if strings.Contains(r.Route, "multi") {
			kind = "multi"
		} else if strings.Contains(r.Route, "/audio/") {
			kind = "native"
		}
		found[kind] = true
		audio := time.Duration(samples[kind]) * time.Second / 24000
		if r.Characters != int64(len(text)) || r.Voice != string(voice.DefaultVoice().ID) || r.Language != "en" ||
			r.FirstAudio <= 0 || r.FirstAudio > 10*time.Second || (r.Audio-audio).Abs() > 2*time.Millisecond || r.Code != "" {
			t.Errorf("the record of a %s socket is %+v, want %d characters and %v", kind, r, len(text), audio)
		}
	}
	if len(found) != 3 {
		t.Errorf("records are of %v", found)
	}
}
