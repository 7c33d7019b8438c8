// Package edge is what every transport does to a request before a service sees
// it: it gives it an id, logs it, survives its panics, knows its caller, counts
// it and checks its body.
//
// Its middlewares are ordinary net/http ones and know no service: an error is
// written by the [Refuse] function of the transport, which owns the shapes of
// error bodies. They belong in this order, outermost first:
//
//	Identify → Access → Observe → Recover → Secure → (routing) → Authenticate → Enter → Body
//
// On routes that need no key LimitAddresses stands where Authenticate does.
//
// What they learn of a request is kept in one [Exchange] in its context.
package edge

import (
	"context"
	"net/http"
	"net/netip"

	"vaak/account"
)

// Middleware wraps a handler in another.
type Middleware func(http.Handler) http.Handler

// Refuse answers a request with an error: a status, headers and a body in the
// shape of the service that was asked.
type Refuse func(w http.ResponseWriter, r *http.Request, err error)

// Exchange is what is known of one request and its answer. It belongs to the
// goroutine that serves the request.
type Exchange struct {
	ID      string         // as in x-request-id
	TraceID string         // of the trace it is part of, or ""
	Route   string         // the pattern that matched, or ""
	Caller  account.Caller // zero on public routes
	Address netip.Addr     // of the client, where [Locate] stands; else zero
	Err     error          // why the request was refused or the answer broke off
}

type exchangeKey struct{}

// From returns the exchange of a request that passed through [Identify], or an
// empty one that nobody reads.
func From(ctx context.Context) *Exchange {
	if x, ok := ctx.Value(exchangeKey{}).(*Exchange); ok {
		return x
	}
	return &Exchange{}
}

// RequestID returns the id of the request, or "".
func RequestID(ctx context.Context) string { return From(ctx).ID }

// Caller returns who the request acts for; ok is false when no key was checked.
func Caller(ctx context.Context) (c account.Caller, ok bool) {
	c = From(ctx).Caller
	return c, c != account.Caller{}
}

// Note keeps err for the access log. The first one stays.
func Note(ctx context.Context, err error) {
	if x := From(ctx); x.Err == nil {
		x.Err = err
	}
}

// Chain wraps h in middlewares, the first outermost.
func Chain(h http.Handler, ms ...Middleware) http.Handler {
	for i := len(ms) - 1; i >= 0; i-- {
		h = ms[i](h)
	}
	return h
}
