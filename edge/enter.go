package edge

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"vaak/account"
	"vaak/internal/fault"
)

// Counter counts a request against the caller's requests per minute. An error of kind
// RateLimited says that none is left.
type Counter interface {
	Enter(ctx context.Context, c account.Caller) (account.Allowance, error)
}

// Enter counts every request of a [Caller] against its requests per minute, also requests that
// are refused later, and refuses requests over the limit. Every answer says what is left: see
// [RateHeaders] and [StreamHeaders].
func Enter(accounts Counter, refuse Refuse) Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			caller, _ := Caller(r.Context())
			allowance, err := accounts.Enter(r.Context(), caller)
			// After any other error, such as a store that is down, nothing is known about the
			// limits.
			if err == nil || fault.KindOf(err) == fault.RateLimited {
				RateHeaders(w.Header(), allowance.Requests, time.Now())
				StreamHeaders(w.Header(), allowance)
			}
			if err != nil {
				refuse(w, r, err)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}

// StreamHeaders sets the headers about the streams of a caller:
//
//   - x-ratelimit-limit-concurrent: how many may run at once,
//   - x-ratelimit-remaining-concurrent: how many more could start.
//
// Where there is no limit it sets neither.
func StreamHeaders(h http.Header, a account.Allowance) {
	if a.Streams < 0 {
		return
	}
	h.Set("X-Ratelimit-Limit-Concurrent", strconv.Itoa(a.Streams))
	h.Set("X-Ratelimit-Remaining-Concurrent", strconv.Itoa(max(0, a.Streams-a.Running)))
}

// noStreams sets the header that says that no stream can start now.
func noStreams(h http.Header) {
	if h.Get("X-Ratelimit-Limit-Concurrent") != "" {
		h.Set("X-Ratelimit-Remaining-Concurrent", "0")
	}
}

// GiveBack releases the stream slot of a request that is refused after all, and corrects the
// headers, which counted it.
func GiveBack(h http.Header, slot *account.Slot) {
	slot.Release()
	if slot == nil {
		return
	}
	// The allowance was read with the slot taken, so it counts the slot itself.
	a := slot.Allowance
	a.Running--
	StreamHeaders(h, a)
}

// Admitter gives stream slots.
type Admitter interface {
	Admit(ctx context.Context, c account.Caller) (*account.Slot, error)
}

// Admit takes a stream slot for the [Caller] of a request, and sets the headers that say how
// many streams are left to its key.
func Admit(w http.ResponseWriter, r *http.Request, accounts Admitter) (*account.Slot, error) {
	caller, _ := Caller(r.Context())
	slot, err := accounts.Admit(r.Context(), caller)
	switch {
	case err == nil && slot != nil:
		StreamHeaders(w.Header(), slot.Allowance)
	case fault.KindOf(err) == fault.TooManyStreams:
		noStreams(w.Header())
	}
	return slot, err
}
