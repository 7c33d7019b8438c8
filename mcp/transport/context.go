package transport

import (
	"context"

	"vaak/account"
	"vaak/internal/fault"
)

// ErrInternal is what a client is told of a fault that it cannot act on.
var ErrInternal = fault.New(fault.Internal, fault.CodeInternal, "", "internal error")

// callerKey is where a transport leaves the caller for the handlers.
type callerKey struct{}

// WithCaller returns a context whose calls are made by c.
func WithCaller(ctx context.Context, c account.Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// Caller returns who makes a call; false is nobody, who may only do what needs
// no key.
func Caller(ctx context.Context) (account.Caller, bool) {
	c, ok := ctx.Value(callerKey{}).(account.Caller)
	return c, ok
}
