package main

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"vaak/store/storetest/pgtest"
)

// onBoth runs a test against a server on each database.
func onBoth(t *testing.T, test func(t *testing.T, s *server)) {
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		test(t, start(t))
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		t.Parallel()
		test(t, startOn(t, pgtest.DSN(t)))
	})
}

// customer makes an organisation on a plan and returns its id and a key.
func (s *server) customer(name, plan string) (org, key string) {
	s.t.Helper()
	org = s.vaak("org", "create", name, "--plan", plan)
	return org, s.vaak("key", "create", "--org", org, "--name", name+" key")
}

// TestLengthyLimits spends the minute, the streams and the characters of a key.
func TestLengthyLimits(t *testing.T) {
	slow(t)
	t.Parallel()
	t.Run("requests", func(t *testing.T) { t.Parallel(); onBoth(t, spendMinute) })
	t.Run("streams", func(t *testing.T) { t.Parallel(); onBoth(t, spendStreams) })
	t.Run("characters", func(t *testing.T) { t.Parallel(); onBoth(t, spendCharacters) })
}

// number returns a header that must be a whole number.
func (a answered) number(t *testing.T, name string) int {
	t.Helper()
	n, err := strconv.Atoi(a.header.Get(name))
	if err != nil {
		t.Errorf("%s: %s: %v", a.what, name, err)
	}
	return n
}

// spendMinute asks eleven times on the free plan, which has ten.
func spendMinute(t *testing.T, s *server) {
	org, key := s.customer("Minute", "free")
	for i := range 10 {
		// What is refused for another reason counts, too.
		a := s.ask(http.MethodPost, "/v1/audio/speech", key, map[string]any{"input": "", "speed": i})
		a.expect(t, http.StatusBadRequest, "invalid_parameter")
		if limit, left := a.number(t, "X-Ratelimit-Limit-Requests"), a.number(t, "X-Ratelimit-Remaining-Requests"); limit != 10 || left != 9-i {
			t.Errorf("request %d: %d of %d requests left, want %d of 10", i+1, left, limit, 9-i)
		}
	}
	for _, path := range []string{"/v1/usage", "/v1/user", "/v1/usage/daily"} {
		a := s.ask(http.MethodGet, path, key, nil)
		overMinute(t, a)
	}
	overMinute(t, s.say(key, "Hello."))
	a := s.ask(http.MethodPost, "/v1/mcp", key, listTools)
	a.expect(t, http.StatusOK, "") // a call is answered as one
	if !strings.Contains(string(a.body), `"code":"rate_limit_exceeded"`) {
		t.Errorf("%s = %s, want rate_limit_exceeded in it", a.what, a.body)
	}
	waitsMinute(t, a)
	// Each key has a minute of its own.
	other := s.vaak("key", "create", "--org", org, "--name", "other")
	s.ask(http.MethodGet, "/v1/usage", other, nil).expect(t, http.StatusOK, "")
}

func overMinute(t *testing.T, a answered) {
	t.Helper()
	a.expect(t, http.StatusTooManyRequests, "rate_limit_exceeded")
	waitsMinute(t, a)
}

func waitsMinute(t *testing.T, a answered) {
	t.Helper()
	wait, ms := a.number(t, "Retry-After"), a.number(t, "Retry-After-Ms")
	if wait < 1 || wait > 60 || ms > wait*1000 || ms <= (wait-1)*1000 {
		t.Errorf("%s: Retry-After %d and %d ms, want the same 1 to 60 s", a.what, wait, ms)
	}
	if left := a.number(t, "X-Ratelimit-Remaining-Requests"); left != 0 {
		t.Errorf("%s: %d requests left, want 0", a.what, left)
	}
	if back := a.number(t, "X-Ratelimit-Reset") - int(time.Now().Unix()); back < 1 || back > 121 {
		t.Errorf("%s: all requests are back in %d s, want 1 to 121", a.what, back)
	}
}

// spendStreams runs two streams on the free plan, which has two.
func spendStreams(t *testing.T, s *server) {
	org, key := s.customer("Streams", "free")
	s.vaak("lot", "grant", "--org", org, "--characters", "100000")
	streamer := *s
	streamer.key = key
	var streams []*http.Response
	for i := range 2 {
		resp, err := http.DefaultClient.Do(streamer.request(t.Context(), long(story)))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		a := answered{what: fmt.Sprintf("stream %d", i+1), status: resp.StatusCode, header: resp.Header}
		a.expect(t, http.StatusOK, "")
		if left := a.number(t, "X-Ratelimit-Remaining-Concurrent"); left != 1-i {
			t.Errorf("%s: %d more can start, want %d", a.what, left, 1-i)
		}
		streams = append(streams, resp)
	}
	a := s.say(key, "Hello.")
	a.expect(t, http.StatusTooManyRequests, "too_many_concurrent_requests")
	if wait, ms := a.number(t, "Retry-After"), a.number(t, "Retry-After-Ms"); wait != 1 || ms != 500 {
		t.Errorf("%s: Retry-After %d and %d ms, want 1 and 500", a.what, wait, ms)
	}
	if limit, left := a.number(t, "X-Ratelimit-Limit-Concurrent"), a.number(t, "X-Ratelimit-Remaining-Concurrent"); limit != 2 || left != 0 {
		t.Errorf("%s: %d of %d more can start, want 0 of 2", a.what, left, limit)
	}
	// What makes no audio needs no stream, and other keys have streams of their own.
	s.ask(http.MethodGet, "/v1/usage", key, nil).expect(t, http.StatusOK, "")
	s.say(s.vaak("key", "create", "--org", org, "--name", "other"), "Hello.").expect(t, http.StatusOK, "")

	_ = streams[0].Body.Close() // it breaks off
	if !eventually(func() bool { return strings.Contains(s.log.String(), `"code":"client_closed_request"`) }) {
		t.Fatal("the stream of a listener who left does not end")
	}
	s.say(key, "Hello.").expect(t, http.StatusOK, "")
}

// spendCharacters speaks to the last character of a balance.
func spendCharacters(t *testing.T, s *server) {
	s.vaak("plan", "set", "tiny", "--characters", "60", "--rpm", "1000", "--streams", "5")
	_, key := s.customer("Characters", "tiny")
	left := int64(60)
	for _, text := range []string{"नमस्ते!", "Hello 🙂", " "} {
		a := s.say(key, text)
		if a.status == http.StatusOK {
			left -= int64(a.number(t, "Character-Cost"))
		}
		if n := int64(len([]rune(text))); a.status == http.StatusOK && int64(a.number(t, "Character-Cost")) != n {
			t.Errorf("%q cost %s characters, want %d", text, a.header.Get("Character-Cost"), n)
		}
		if got := s.usage(key).Balance.Remaining; got != left {
			t.Errorf("after %q %d characters are left, want %d", text, got, left)
		}
	}
	words := strings.Repeat("word ", 20)
	overBalance(t, s.say(key, words[:left]+"s"))
	stream := s.ask(http.MethodPost, "/v1/audio/speech", key, map[string]any{"input": words[:left] + "s", "stream": true})
	overBalance(t, stream)
	if got := s.usage(key).Balance.Remaining; got != left {
		t.Errorf("after refusals %d characters are left, want %d", got, left)
	}
	s.say(key, words[:left]).expect(t, http.StatusOK, "")
	overBalance(t, s.say(key, "a"))
	if u := s.usage(key); u.Balance.Remaining != 0 || u.Month.Used != 60 || u.Balance.Granted != 60 {
		t.Errorf("when all is spent: %+v", u)
	}
}

func overBalance(t *testing.T, a answered) {
	t.Helper()
	a.expect(t, http.StatusPaymentRequired, "insufficient_quota")
	if again := a.header.Get("X-Should-Retry"); again != "false" || a.header.Get("Retry-After") != "" {
		t.Errorf("%s: X-Should-Retry %q, Retry-After %q; want false and none", a.what, again, a.header.Get("Retry-After"))
	}
}
