package edge

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"vaak/account"
	"vaak/internal/fault"
)

// Counter counts requests to the minute of a caller. An error of kind
// RateLimited says that the minute is spent.
type Counter interface {
	Enter(ctx context.Context, c account.Caller) (account.Allowance, error)
}

// Enter counts every request of a [Caller] to its minute, whatever becomes of it
// later, and refuses those over the limit. Every answer tells how the caller
// stands: see [RateHeaders] and [StreamHeaders].
func Enter(accounts Counter, refuse Refuse) Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			caller, _ := Caller(r.Context())
			allowance, err := accounts.Enter(r.Context(), caller)
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

// StreamHeaders sets what a client may know of its streams:
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

// NoStreams says that no stream can start just now.
func NoStreams(h http.Header) {
	if h.Get("X-Ratelimit-Limit-Concurrent") != "" {
		h.Set("X-Ratelimit-Remaining-Concurrent", "0")
	}
}

// GiveBack releases the slot of a request that is refused after all, and takes it out
// of what the headers say of the streams of its key.
func GiveBack(h http.Header, slot *account.Slot) {
	slot.Release()
	if slot == nil {
		return
	}
	a := slot.Allowance
	a.Running--
	StreamHeaders(h, a)
}

// Admitter gives stream slots.
type Admitter interface {
	Admit(ctx context.Context, c account.Caller) (*account.Slot, error)
}

// Admit takes a stream slot for the [Caller] of a request and tells how its key
// then stands.
func Admit(w http.ResponseWriter, r *http.Request, accounts Admitter) (*account.Slot, error) {
	caller, _ := Caller(r.Context())
	slot, err := accounts.Admit(r.Context(), caller)
	switch {
	case err == nil && slot != nil:
		StreamHeaders(w.Header(), slot.Allowance)
	case fault.KindOf(err) == fault.TooManyStreams:
		NoStreams(w.Header())
	}
	return slot, err
}
