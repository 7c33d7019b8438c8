package edge

import (
	"net/http"
	"net/netip"
	"strconv"
	"time"

	"vaak/internal/fault"
	"vaak/internal/ratelimit"
)

// LimitAddresses lets perMinute requests a minute of each client address
// through to next; 0 or less lets all through. An IPv6 client counts by the
// /64 of its address, because one customer has all of that. Requests without
// an address count together.
//
// Every answer carries the headers of [RateHeaders]. What is refused is of kind
// RateLimited and says when to try again. It is for endpoints that need no key.
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

// scopeOf returns under what an address is counted: the 4 bytes of an IPv4
// address, the first 8 of an IPv6 one, none for the zero Addr.
func scopeOf(a netip.Addr) string {
	switch {
	case !a.IsValid():
		return ""
	case a.Is4():
		b := a.As4()
		return string(b[:])
	default:
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

// RateHeaders sets what a client may know of its requests a minute, as they
// stood at now:
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

// wholeSeconds rounds up, so that whoever waits so long does not come early.
func wholeSeconds(d time.Duration) time.Duration {
	return (d + time.Second - 1).Truncate(time.Second)
}
