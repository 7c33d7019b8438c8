package rest

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vaak/account"
	"vaak/edge"
	"vaak/internal/fault"
	"vaak/internal/ratelimit"
	"vaak/speech"
	"vaak/voice"
)

// limitsIn returns the headers that tell of limits, but for those that hang
// on the clock.
func limitsIn(h http.Header) map[string]string {
	got := map[string]string{}
	for name := range h {
		switch n := strings.ToLower(name); {
		case n == "x-ratelimit-reset":
		case strings.HasPrefix(n, "x-ratelimit-"), strings.HasPrefix(n, "retry-after"), n == "x-should-retry":
			got[n] = h.Get(name)
		}
	}
	return got
}

// TestRefusals: the three refusals can be told apart, and every answer to a key
// tells how it stands.
func TestRefusals(t *testing.T) {
	t.Parallel()
	standing := func(left int, running int) *account.Allowance {
		return &account.Allowance{
			Requests: ratelimit.Decision{Allowed: true, Limit: 60, Remaining: left, Reset: 58500 * time.Millisecond},
			Streams:  5, Running: running,
		}
	}
	usual := map[string]string{
		"x-ratelimit-limit-requests": "60", "x-ratelimit-remaining-requests": "7", "x-ratelimit-reset-requests": "59s",
		"x-ratelimit-limit-concurrent": "5", "x-ratelimit-remaining-concurrent": "3",
	}
	with := func(pairs ...string) map[string]string {
		m := map[string]string{}
		for k, v := range usual {
			m[k] = v
		}
		for i := 0; i < len(pairs); i += 2 {
			m[pairs[i]] = pairs[i+1]
		}
		return m
	}
	rateLimited := fault.New(fault.RateLimited, fault.CodeRateLimited, "", "this key may send 60 requests a minute, and has")
	rateLimited.RetryAfter = 41200 * time.Millisecond
	tooMany := fault.New(fault.TooManyStreams, fault.CodeTooManyStreams, "", "this key may run 5 streams at once, and does")
	spent := fault.New(fault.QuotaExceeded, fault.CodeInsufficientQuota, "", "this needs 5 characters and 0 remain")
	for _, tt := range []struct {
		name     string
		accounts accounts
		speak    error
		body     string
		status   int
		code     string
		typ      string
		want     map[string]string
	}{
		{"answered", accounts{allowance: standing(7, 2), slot: &account.Slot{Allowance: account.Allowance{Streams: 5, Running: 3}}}, nil, `{"input":"a"}`, 200, "", "", with("x-ratelimit-remaining-concurrent", "2")},
		{"bad parameter", accounts{allowance: standing(7, 2)}, nil, `{"input":5}`, 400, "invalid_parameter", "invalid_request_error", usual},
		{"bad body", accounts{allowance: standing(7, 2)}, nil, `{"input":`, 400, "invalid_body", "invalid_request_error", usual},
		{"minute spent", accounts{allowance: standing(0, 2), enter: rateLimited}, nil, `{"input":"a"}`, 429, "rate_limit_exceeded", "rate_limit_exceeded",
			with("x-ratelimit-remaining-requests", "0", "retry-after", "42", "retry-after-ms", "41200")},
		{"streams taken", accounts{allowance: standing(7, 4), admit: tooMany}, nil, `{"input":"a"}`, 429, "too_many_concurrent_requests", "rate_limit_exceeded",
			with("x-ratelimit-remaining-concurrent", "0", "retry-after", "1", "retry-after-ms", "500")},
		{"quota spent", accounts{allowance: standing(7, 2)}, spent, `{"input":"a"}`, 402, "insufficient_quota", "insufficient_quota", with("x-should-retry", "false")},
		{"quota spent, the slot given back", accounts{allowance: standing(7, 2), slot: &account.Slot{Allowance: account.Allowance{Streams: 5, Running: 3}}}, spent, `{"input":"a"}`,
			402, "insufficient_quota", "insufficient_quota", with("x-should-retry", "false")},
		{"nothing limited", accounts{}, nil, `{"input":"a"}`, 200, "", "", map[string]string{}},
		{"nothing limited, refused", accounts{}, spent, `{"input":"a"}`, 402, "insufficient_quota", "insufficient_quota", map[string]string{"x-should-retry": "false"}},
		{"nothing limited, streams taken", accounts{admit: tooMany}, nil, `{"input":"a"}`, 429, "too_many_concurrent_requests", "rate_limit_exceeded",
			map[string]string{"retry-after": "1", "retry-after-ms": "500"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := newHandler(t, Config{Accounts: tt.accounts, Speech: speaker{func(_ context.Context, _ speech.Request, w io.Writer) (speech.Result, error) {
				return speech.Result{Info: testInfo}, tt.speak
			}}})
			w := do(h, speak(tt.body))
			if tt.code == "" && w.Code != tt.status {
				t.Errorf("status %d, want %d", w.Code, tt.status)
			}
			if tt.code != "" {
				if f := wantError(t, w, tt.status, tt.code, map[bool]string{true: "input"}[tt.name == "bad parameter"]); f.Error.Type != tt.typ {
					t.Errorf("type %q, want %q", f.Error.Type, tt.typ)
				}
			}
			if diff := cmp.Diff(tt.want, limitsIn(w.Header())); diff != "" {
				t.Errorf("headers (-want +got)\n%s", diff)
			}
		})
	}
}

// TestEveryRequestCounts: whatever becomes of a request with a key, it counts to
// the minute of that key, and nothing else does.
func TestEveryRequestCounts(t *testing.T) {
	t.Parallel()
	say := agents{http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "mcp") })}
	for name, r := range map[string]func() *http.Request{
		"spoken":       func() *http.Request { return speak(`{"input":"a"}`) },
		"bad body":     func() *http.Request { return speak(`{`) },
		"not JSON":     func() *http.Request { return speak("x", "Content-Type", "text/plain") },
		"too large":    func() *http.Request { return speak(strings.Repeat(" ", 1<<20+1)) },
		"usage":        func() *http.Request { return request("GET", "/v1/usage", "", "xi-api-key", testKey) },
		"subscription": func() *http.Request { return request("GET", "/v1/user/subscription", "", "xi-api-key", testKey) },
		"user":         func() *http.Request { return request("GET", "/v1/user", "", "xi-api-key", testKey) },
		"bad query":    func() *http.Request { return request("GET", "/v1/usage/daily?by=colour", "", "xi-api-key", testKey) },
		"mcp":          func() *http.Request { return request("POST", "/v1/mcp", "{}", "xi-api-key", testKey) },
		"text, no audio": func() *http.Request {
			r := speak(`{"input":"a"}`)
			r.URL.Path = "/v1/audio/speech/preview-text"
			return r
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHandler(t, Config{Accounts: newKeyed(t, caller), SpeechMCP: say, PublicRate: 1000})
			do(h, request("GET", "/v1/voices", "", "xi-api-key", testKey))                // public
			do(h, request("PUT", "/v1/audio/speech", "", "xi-api-key", testKey))          // no such route
			do(h, request("POST", "/v1/audio/speech", "{}", "xi-api-key", "sk_live_bad")) // no valid key
			for i, want := range []string{"2", "1", "0"} {
				if got := do(h, r()).Header().Get("X-Ratelimit-Remaining-Requests"); got != want {
					t.Errorf("%s requests remain after %d, want %s", got, i+1, want)
				}
			}
			w := do(h, r())
			wantError(t, w, 429, "rate_limit_exceeded", "")
			if got := w.Header().Get("Retry-After"); got < "1" || len(got) > 2 {
				t.Errorf("Retry-After %q, want 1 to 60", got)
			}
			// Another route of the same key is refused as well.
			wantError(t, do(h, request("GET", "/v1/usage", "", "xi-api-key", testKey)), 429, "rate_limit_exceeded", "")
		})
	}
}

// TestSlotIsHeld checks that a slot is taken while audio is made, and given
// back however that ends.
func TestSlotIsHeld(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(w io.Writer) error{
		"well":              func(io.Writer) error { return nil },
		"refused":           func(io.Writer) error { return fault.BadParameter("lang", "no") },
		"after a byte":      func(w io.Writer) error { _, _ = io.WriteString(w, "x"); return io.ErrUnexpectedEOF },
		"in a panic":        func(io.Writer) error { panic("ouch") },
		"in a panic, begun": func(w io.Writer) error { _, _ = io.WriteString(w, "x"); panic("ouch") },
	} {
		k := newKeyed(t, account.Caller{OrgID: "org_a", KeyID: "key_a", Streams: 1})
		during := 0
		h := newHandler(t, Config{Accounts: k, Speech: speaker{func(_ context.Context, _ speech.Request, w io.Writer) (speech.Result, error) {
			during = k.Stats().Slots
			wantError(t, do(newHandler(t, Config{Accounts: k}), speak(`{"input":"b"}`)), 429, "too_many_concurrent_requests", "")
			return speech.Result{Info: testInfo}, end(w)
		}}})
		func() {
			defer func() { _ = recover() }() // a broken connection is a panic
			do(h, speak(`{"input":"a","stream":true}`))
		}()
		if after := k.Stats().Slots; during != 1 || after != 0 {
			t.Errorf("%s: %d slots while speaking and %d after, want 1 and 0", name, during, after)
		}
	}
}

// TestReadingTakesNoSlot: seeing how a text would be read makes no audio.
func TestReadingTakesNoSlot(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Config{Accounts: accounts{admit: fault.New(fault.TooManyStreams, fault.CodeTooManyStreams, "", "taken")}})
	r := speak(`{"input":"a"}`)
	r.URL.Path = "/v1/audio/speech/preview-text"
	if w := do(h, r); w.Code != 200 {
		t.Errorf("preview-text = %d %s", w.Code, w.Body)
	}
}

// from makes a request of an address, perhaps through proxies.
func from(remote, path string, forwarded ...string) *http.Request {
	r := httptest.NewRequest("GET", path, nil)
	r.RemoteAddr = remote
	if forwarded != nil {
		r.Header["X-Forwarded-For"] = forwarded
	}
	return r
}

func TestAddressesAreLimited(t *testing.T) {
	t.Parallel()
	media := "/v1/voices/" + string(voice.DefaultVoice().ID) + "/preview"
	clients := edge.NewClients([]netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")})
	h := newHandler(t, Config{Clients: clients, PublicRate: 7, Pages: pages{http.NotFoundHandler()}})
	for i, path := range []string{"/v1/voices", "/v1/languages", "/v1/models", "/v1/models/x", "/openapi.json", "/asyncapi.json", "/v1/voices/nobody"} {
		w := do(h, from("203.0.113.1:1", path))
		want := map[string]string{"x-ratelimit-limit-requests": "7", "x-ratelimit-remaining-requests": string(rune('6' - i))}
		got := limitsIn(w.Header())
		delete(got, "x-ratelimit-reset-requests")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: headers (-want +got)\n%s", path, diff)
		}
	}
	w := do(h, from("203.0.113.1:2", "/v1/voices"))
	wantError(t, w, 429, "rate_limit_exceeded", "")
	if w.Header().Get("Retry-After") == "" || w.Header().Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("headers of the refusal: %v", w.Header())
	}
	for _, path := range []string{"/health", media, "/docs"} {
		if w := do(h, from("203.0.113.1:1", path)); w.Code == 429 || len(limitsIn(w.Header())) != 0 {
			t.Errorf("%s is limited: %d %v", path, w.Code, w.Header())
		}
	}
	for name, tt := range map[string]struct {
		r       *http.Request
		limited bool
	}{
		"spoofed, no proxy":         {from("203.0.113.1:3", "/v1/voices", "198.51.100.7"), true},
		"spoofed, through a proxy":  {from("10.1.1.1:1", "/v1/voices", "198.51.100.7, 203.0.113.1"), true},
		"spoofed proxy":             {from("203.0.113.1:3", "/v1/voices", "198.51.100.7, 10.1.1.1"), true},
		"another address":           {from("203.0.113.2:1", "/v1/voices"), false},
		"another through the proxy": {from("10.1.1.1:1", "/v1/voices", "198.51.100.9"), false},
	} {
		if w := do(h, tt.r); (w.Code == 429) != tt.limited {
			t.Errorf("%s: status %d, want limited %t", name, w.Code, tt.limited)
		}
	}
	// A key is limited by its own minute.
	if w := do(h, speak(`{"input":"a"}`)); w.Code != 200 {
		t.Errorf("a request with a key = %d", w.Code)
	}
	if w := do(newHandler(t, Config{}), from("203.0.113.1:1", "/v1/voices")); len(limitsIn(w.Header())) != 0 {
		t.Errorf("headers without a limit: %v", w.Header())
	}
}
