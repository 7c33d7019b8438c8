package transport

import (
	"context"

	"vaak/account"
	"vaak/internal/fault"
)

// ErrInternal replaces every error that a client must not see.
var ErrInternal = fault.New(fault.Internal, fault.CodeInternal, "", "internal error")

// callerKey is the key of the caller in a context.
type callerKey struct{}

// withCaller returns a context with the caller of its calls.
func withCaller(ctx context.Context, c account.Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// Caller returns the caller of a call. It returns false for a call without a key.
func Caller(ctx context.Context) (account.Caller, bool) {
	c, ok := ctx.Value(callerKey{}).(account.Caller)
	return c, ok
}
