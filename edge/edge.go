// Package edge holds what every transport does with a request before a service sees it. It gives
// the request an id, logs it, recovers from panics, finds the caller, counts the request against
// the caller's limits and checks its body.
//
// Its middlewares are ordinary net/http middlewares and know no service. Errors are written by
// the [Refuse] function of the transport, which knows the form of its error bodies. The
// middlewares belong in this order, outermost first:
//
//	Identify → Access → Observe → Recover → Secure → (routing) → Authenticate → Enter → Body
//
// On routes that need no key LimitAddresses stands where Authenticate does.
//
// They share what they learn of a request in an [Exchange], which is in its context.
package edge

import (
	"context"
	"net/http"
	"net/netip"
	"slices"

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
	TraceID string         // of the trace that the request is part of, or ""
	Route   string         // the pattern that matched, or ""
	Caller  account.Caller // zero on public routes
	// Scopes are what a connected application may do; nil is everything, for a caller with a key.
	Scopes  []string
	Address netip.Addr // of the client, on routes behind [Locate]; else zero
	Err     error      // why the request was refused or the answer broke off
}

type exchangeKey struct{}

// From returns the exchange of a request that passed through [Identify]. For any other request
// it returns an empty exchange, which nobody reads.
func From(ctx context.Context) *Exchange {
	if x, ok := ctx.Value(exchangeKey{}).(*Exchange); ok {
		return x
	}
	return &Exchange{}
}

// May reports whether the caller may do what needs a scope.
func (x *Exchange) May(scope string) bool { return x.Scopes == nil || slices.Contains(x.Scopes, scope) }

// RequestID returns the id of the request, or "".
func RequestID(ctx context.Context) string { return From(ctx).ID }

// Caller returns the caller whose key the request has; ok is false when no key was checked.
func Caller(ctx context.Context) (c account.Caller, ok bool) {
	c = From(ctx).Caller
	return c, c != account.Caller{}
}

// Note keeps err for the access log. Only the first error of a request is kept.
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
