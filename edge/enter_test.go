package edge

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vaak/account"
	"vaak/internal/fault"
	"vaak/internal/ratelimit"
)

// counter counts whom it let in.
type counter struct {
	allowance account.Allowance
	err       error
	entered   []account.Caller
}

func (c *counter) Enter(_ context.Context, caller account.Caller) (account.Allowance, error) {
	c.entered = append(c.entered, caller)
	return c.allowance, c.err
}

func TestEnter(t *testing.T) {
	t.Parallel()
	limited := account.Allowance{Requests: ratelimit.Decision{Allowed: true, Limit: 60, Remaining: 9, Reset: time.Minute}, Streams: 5, Running: 7}
	unlimited := account.Allowance{Requests: ratelimit.Decision{Allowed: true, Limit: -1, Remaining: -1}, Streams: -1}
	headers := map[string]string{
		"X-Ratelimit-Limit-Requests": "60", "X-Ratelimit-Remaining-Requests": "9", "X-Ratelimit-Reset-Requests": "1m0s",
		"X-Ratelimit-Limit-Concurrent": "5", "X-Ratelimit-Remaining-Concurrent": "0",
	}
	for _, tt := range []struct {
		name   string
		c      counter
		passes bool
		want   map[string]string
	}{
		{"limited", counter{allowance: limited}, true, headers},
		{"unlimited", counter{allowance: unlimited}, true, map[string]string{}},
		{"minute spent", counter{allowance: limited, err: fault.New(fault.RateLimited, fault.CodeRateLimited, "", "spent")}, false, headers},
		{"limits away", counter{err: errors.New("boom")}, false, map[string]string{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			caller := account.Caller{OrgID: "org_a", KeyID: "key_a"}
			passed, refused := false, error(nil)
			h := Enter(&tt.c, func(_ http.ResponseWriter, _ *http.Request, err error) { refused = err })(
				http.HandlerFunc(func(http.ResponseWriter, *http.Request) { passed = true }))
			w := httptest.NewRecorder()
			Identify(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				From(r.Context()).Caller = caller
				h.ServeHTTP(w, r)
			})).ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
			if passed != tt.passes || !errors.Is(refused, tt.c.err) {
				t.Errorf("passed %t, refused with %v; want %t, %v", passed, refused, tt.passes, tt.c.err)
			}
			if diff := cmp.Diff([]account.Caller{caller}, tt.c.entered); diff != "" {
				t.Errorf("counted (-want +got)\n%s", diff)
			}
			got := map[string]string{}
			for name := range w.Header() {
				if name != requestIDHeader && name != "X-Ratelimit-Reset" {
					got[name] = w.Header().Get(name)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("headers (-want +got)\n%s", diff)
			}
		})
	}
}

func TestNoStreams(t *testing.T) {
	t.Parallel()
	h := http.Header{}
	noStreams(h)
	if len(h) != 0 {
		t.Errorf("noStreams without a limit = %v, want nothing", h)
	}
	StreamHeaders(h, account.Allowance{Streams: 5, Running: 1})
	if got := h.Get("x-ratelimit-remaining-concurrent"); got != "4" {
		t.Errorf("x-ratelimit-remaining-concurrent = %q, want 4", got)
	}
	noStreams(h)
	if got := h.Get("x-ratelimit-remaining-concurrent"); got != "0" {
		t.Errorf("x-ratelimit-remaining-concurrent = %q, want 0", got)
	}
	GiveBack(h, &account.Slot{Allowance: account.Allowance{Streams: 5, Running: 1}})
	if got := h.Get("x-ratelimit-remaining-concurrent"); got != "5" {
		t.Errorf("x-ratelimit-remaining-concurrent = %q, want 5 with the slot given back", got)
	}
	GiveBack(h, nil) // nothing was taken
	if got := h.Get("x-ratelimit-remaining-concurrent"); got != "5" {
		t.Errorf("x-ratelimit-remaining-concurrent = %q, want 5 still", got)
	}
}
