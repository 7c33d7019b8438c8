package edge

import (
	"net/http"
	"net/netip"
	"strconv"
	"time"

	"vaak/internal/fault"
	"vaak/internal/ratelimit"
)

// LimitAddresses passes on perMinute requests a minute from each client address; 0 or less sets
// no limit. IPv6 clients count by the /64 of their address, because one customer owns all of it.
// Requests without an address count together.
//
// Every answer has the headers of [RateHeaders]. Refusals are of kind RateLimited and say when
// to try again. LimitAddresses is for endpoints that need no key.
func LimitAddresses(clients *Clients, limiter *ratelimit.Limiter, perMinute int, refuse Refuse) Middleware {
	if perMinute <= 0 {
		return func(next http.Handler) http.Handler { return next }
	}
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			now := time.Now()
			d := limiter.Take(scopeOf(clients.Address(r)), now, perMinute)
			RateHeaders(w.Header(), d, now)
			if !d.Allowed {
				refuse(w, r, tooManyRequests(d))
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}

// scopeOf returns the key under which an address is counted: the 4 bytes of an IPv4 address, the
// first 8 bytes of an IPv6 address, "" for the zero Addr.
func scopeOf(a netip.Addr) string {
	switch {
	case !a.IsValid():
		return ""
	case a.Is4():
		b := a.As4()
		return string(b[:])
	default: // of a different length than an IPv4 address, so the two never meet
		b := a.As16()
		return string(b[:8])
	}
}

func tooManyRequests(d ratelimit.Decision) error {
	err := fault.New(fault.RateLimited, fault.CodeRateLimited, "",
		"too many requests from this address: the limit is %d a minute; try again in %d s",
		d.Limit, wholeSeconds(d.RetryAfter)/time.Second)
	err.RetryAfter = d.RetryAfter
	return err
}

// RateHeaders sets the headers about the requests per minute of a client, as of now:
//
//   - x-ratelimit-limit-requests: how many are allowed,
//   - x-ratelimit-remaining-requests: how many more would pass,
//   - x-ratelimit-reset-requests: until all of them would, in whole seconds
//     rounded up, such as "0s", "59s" or "1m0s",
//   - x-ratelimit-reset: when that will be, in Unix seconds, rounded up.
//
// Where there is no limit it sets none of them.
func RateHeaders(h http.Header, d ratelimit.Decision, now time.Time) {
	if d.Limit < 0 {
		return
	}
	// Rounded up, as the durations are: in the second below, the last requests still count.
	back := now.Add(d.Reset)
	unix := back.Unix()
	if back.Nanosecond() > 0 {
		unix++
	}
	h.Set("X-Ratelimit-Limit-Requests", strconv.Itoa(d.Limit))
	h.Set("X-Ratelimit-Remaining-Requests", strconv.Itoa(d.Remaining))
	h.Set("X-Ratelimit-Reset-Requests", wholeSeconds(d.Reset).String())
	h.Set("X-Ratelimit-Reset", strconv.FormatInt(unix, 10))
}

// wholeSeconds rounds up, so that a client that waits this long does not come too early.
func wholeSeconds(d time.Duration) time.Duration {
	return (d + time.Second - 1).Truncate(time.Second)
}
