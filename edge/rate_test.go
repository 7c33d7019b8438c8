package edge

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"vaak/internal/fault"
	"vaak/internal/ratelimit"
)

func TestRateHeaders(t *testing.T) {
	t.Parallel()
	at := func(s int64, ns int64) time.Time { return time.Unix(s, ns) }
	for _, tt := range []struct {
		name  string
		d     ratelimit.Decision
		now   time.Time
		limit string
		left  string
		reset string
		unix  string
	}{
		{"unused", ratelimit.Decision{Allowed: true, Limit: 60, Remaining: 60}, at(100, 0), "60", "60", "0s", "100"},
		{"unused, within a second", ratelimit.Decision{Allowed: true, Limit: 60, Remaining: 60}, at(100, 1), "60", "60", "0s", "101"},
		{"a nanosecond", ratelimit.Decision{Allowed: true, Limit: 60, Remaining: 59, Reset: 1}, at(100, 999_999_999), "60", "59", "1s", "101"},
		{"a second", ratelimit.Decision{Allowed: true, Limit: 60, Remaining: 59, Reset: time.Second}, at(100, 0), "60", "59", "1s", "101"},
		{"rounded up", ratelimit.Decision{Limit: 2, Reset: 58*time.Second + 1}, at(100, 0), "2", "0", "59s", "159"},
		{"a minute", ratelimit.Decision{Limit: 2, Reset: time.Minute}, at(100, 0), "2", "0", "1m0s", "160"},
		{"rounded up to a minute", ratelimit.Decision{Limit: 2, Reset: time.Minute - 1}, at(100, 0), "2", "0", "1m0s", "160"},
		{"the longest", ratelimit.Decision{Limit: 2, Reset: ratelimit.MaxWait}, at(100, 0), "2", "0", "1m0s", "160"},
		{"within a second", ratelimit.Decision{Limit: 2, Reset: 59500 * time.Millisecond}, at(100, 500_000_000), "2", "0", "1m0s", "160"},
		{"nothing allowed", ratelimit.Decision{RetryAfter: ratelimit.MaxWait}, at(100, 0), "0", "0", "0s", "100"},
		{"unlimited", ratelimit.Decision{Allowed: true, Limit: -1, Remaining: -1}, at(100, 0), "", "", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := http.Header{"X-Ratelimit-Limit-Concurrent": {"5"}}
			RateHeaders(got, tt.d, tt.now)
			want := http.Header{"X-Ratelimit-Limit-Concurrent": {"5"}}
			if tt.limit != "" {
				want.Set("x-ratelimit-limit-requests", tt.limit)
				want.Set("x-ratelimit-remaining-requests", tt.left)
				want.Set("x-ratelimit-reset-requests", tt.reset)
				want.Set("x-ratelimit-reset", tt.unix)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("RateHeaders(%+v) (-want +got):\n%s", tt.d, diff)
			}
		})
	}
}

// TestRateHeadersReplace: what an inner limit says stands once.
func TestRateHeadersReplace(t *testing.T) {
	t.Parallel()
	h := http.Header{}
	RateHeaders(h, ratelimit.Decision{Limit: 600, Remaining: 599}, time.Unix(1, 0))
	RateHeaders(h, ratelimit.Decision{Limit: 60, Remaining: 59}, time.Unix(1, 0))
	if got := h.Values("x-ratelimit-limit-requests"); !slices.Equal(got, []string{"60"}) {
		t.Errorf("x-ratelimit-limit-requests = %q, want the last one alone", got)
	}
}

func TestExposedRateHeaders(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"x-ratelimit-limit-requests", "x-ratelimit-remaining-requests", "x-ratelimit-reset-requests", "x-ratelimit-reset",
		"x-ratelimit-limit-concurrent", "x-ratelimit-remaining-concurrent",
	} {
		if !slices.Contains(ExposedHeaders, name) {
			t.Errorf("%s is not exposed", name)
		}
	}
	h := http.Header{}
	RateHeaders(h, ratelimit.Decision{Limit: 1}, time.Unix(1, 0))
	for name := range h {
		if !slices.Contains(ExposedHeaders, strings.ToLower(name)) {
			t.Errorf("%s is sent and not exposed", name)
		}
	}
}

// limited is a server with a limit for each address; it notes the last refusal.
type limited struct {
	http.Handler
	served  atomic.Int64
	refusal error
}

func newLimited(perMinute int, l *ratelimit.Limiter) *limited {
	s := &limited{}
	refuse := func(w http.ResponseWriter, r *http.Request, err error) {
		s.refusal = err
		w.WriteHeader(http.StatusTeapot)
	}
	s.Handler = LimitAddresses(NewClients(proxies), l, perMinute, refuse)(http.HandlerFunc(
		func(http.ResponseWriter, *http.Request) { s.served.Add(1) }))
	return s
}

func TestLimitAddresses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newLimited(2, ratelimit.NewLimiter(10))
		began := time.Now()
		send := func(wantCode int, wantLeft, wantReset string) *httptest.ResponseRecorder {
			t.Helper()
			w := serve(s, request("198.51.100.1:1"))
			got := []string{w.Header().Get("x-ratelimit-limit-requests"), w.Header().Get("x-ratelimit-remaining-requests"), w.Header().Get("x-ratelimit-reset-requests")}
			if want := []string{"2", wantLeft, wantReset}; w.Code != wantCode || !slices.Equal(got, want) {
				t.Errorf("after %v: %d %q, want %d %q", time.Since(began), w.Code, got, wantCode, want)
			}
			return w
		}
		send(200, "1", "1m0s")
		time.Sleep(20500 * time.Millisecond) // in the bubble's time, as below
		send(200, "0", "1m0s")
		time.Sleep(9 * time.Second)
		w := send(418, "0", "51s")
		if got, want := w.Header().Get("x-ratelimit-reset"), strconv.FormatInt(began.Unix()+81, 10); got != want {
			t.Errorf("x-ratelimit-reset = %s, want %s", got, want)
		}
		f, ok := errors.AsType[*fault.Error](s.refusal)
		want := &fault.Error{Kind: fault.RateLimited, Code: fault.CodeRateLimited, RetryAfter: 31500 * time.Millisecond,
			Msg: "too many requests from this address: the limit is 2 a minute; try again in 32 s"}
		if !ok || *f != *want {
			t.Errorf("refusal = %+v, want %+v", s.refusal, want)
		}
		time.Sleep(f.RetryAfter - time.Nanosecond)
		send(418, "0", "20s")
		time.Sleep(time.Nanosecond)
		send(200, "0", "1m0s")
		if n := s.served.Load(); n != 3 {
			t.Errorf("%d requests were served, want 3", n)
		}
	})
}

func TestLimitAddressesOff(t *testing.T) {
	t.Parallel()
	for _, perMinute := range []int{0, -1} {
		s := newLimited(perMinute, nil)
		for range 100 {
			if w := serve(s, request("198.51.100.1:1")); w.Code != 200 || len(w.Header()) != 0 {
				t.Fatalf("limit %d: %d %v, want 200 without headers", perMinute, w.Code, w.Header())
			}
		}
	}
}

// TestLimitAddressesTogether: which requests share a budget of one.
func TestLimitAddressesTogether(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		one, two *http.Request
		together bool
	}{
		{"same address, other port", request("198.51.100.1:1"), request("198.51.100.1:2"), true},
		{"other address", request("198.51.100.1:1"), request("198.51.100.2:1"), false},
		{"IPv4 and IPv4-mapped", request("198.51.100.1:1"), request("[::ffff:198.51.100.1]:1"), true},
		{"IPv4-mapped are not one /64", request("[::ffff:198.51.100.2]:1"), request("[::ffff:198.51.100.1]:1"), false},
		{"IPv6 of one /64", request("[2001:db8:0:1::1]:1"), request("[2001:db8:0:1:ffff:ffff:ffff:ffff]:1"), true},
		{"IPv6 of neighbouring /64s", request("[2001:db8:0:1::1]:1"), request("[2001:db8:0:2::1]:1"), false},
		{"zones of one address", request("[fe70::1%a]:1"), request("[fe70::1%b]:1"), true},
		{"through a proxy and directly", request("10.0.0.1:1", "198.51.100.1"), request("198.51.100.1:1"), true},
		{"two clients of one proxy", request("10.0.0.1:1", "198.51.100.1"), request("10.0.0.1:1", "198.51.100.2"), false},
		{"one client that spoofs", request("10.0.0.1:1", "1.1.1.1, 198.51.100.1"), request("10.0.0.1:1", "2.2.2.2, 198.51.100.1"), true},
		{"one client that spoofs directly", request("198.51.100.1:1", "1.1.1.1"), request("198.51.100.1:1", "2.2.2.2"), true},
		{"no address", request("@"), request(""), true},
		{"no address and one", request("@"), request("0.0.0.0:1"), false},
		{"IPv4 and IPv6 of the same bytes", request("32.1.13.184:1"), request("[2001:db8::]:1"), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newLimited(1, ratelimit.NewLimiter(10))
			if w := serve(s, tt.one); w.Code != 200 {
				t.Fatalf("first request: %d, want 200", w.Code)
			}
			if w := serve(s, tt.two); (w.Code != 200) != tt.together {
				t.Errorf("second request: %d, want refused = %v", w.Code, tt.together)
			}
		})
	}
}

func TestLimitAddressesConcurrently(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const budget = 50
		var served atomic.Int64
		h := LimitAddresses(NewClients(nil), ratelimit.NewLimiter(10), budget, func(http.ResponseWriter, *http.Request, error) {})(
			http.HandlerFunc(func(http.ResponseWriter, *http.Request) { served.Add(1) }))
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for range budget {
					serve(h, request("198.51.100.1:1"))
				}
			})
		}
		wg.Wait()
		if n := served.Load(); n != budget {
			t.Errorf("%d requests were served at once, want %d", n, budget)
		}
	})
}

func BenchmarkLimitAddresses(b *testing.B) {
	h := LimitAddresses(NewClients([]netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}), ratelimit.NewLimiter(10), 1<<30, plainly)(
		http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	r, w := request("10.0.0.1:1234", "198.51.100.1"), httptest.NewRecorder()
	b.ReportAllocs()
	for b.Loop() {
		h.ServeHTTP(w, r)
	}
}
