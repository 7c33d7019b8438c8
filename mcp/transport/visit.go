package transport

import (
	"context"
	"net/http"

	"github.com/mark3labs/mcp-go/server"
)

// visit is what the protocol library learns of the session of one message. It implements the
// library's manager of session ids for one request. The transport has checked the id before the
// library asks.
type visit struct {
	id      string               // "" without a session
	session *session             // nil without a session, and before it is set up
	peer    server.ClientSession // the library's session, once it has one
	version string               // of the protocol, as the header names it
}

// Generate returns the id of the session that is being set up, "" if none is.
func (v *visit) Generate() string { return v.id }

// Validate accepts any id, because the transport has refused invalid ones.
func (v *visit) Validate(string) (terminated bool, _ error) { return false, nil }

// Terminate lets the library forget a session.
func (v *visit) Terminate(string) (notAllowed bool, _ error) { return false, nil }

type visitKey struct{}

func withVisit(ctx context.Context, v *visit) context.Context {
	return context.WithValue(ctx, visitKey{}, v)
}

// visitOf returns the visit of a message. Outside of a message it returns a visit without a
// session.
func visitOf(ctx context.Context) *visit {
	if v, ok := ctx.Value(visitKey{}).(*visit); ok {
		return v
	}
	return &visit{}
}

// resolver finds the visit of a request.
type resolver struct{}

// ResolveSessionIdManager returns the visit; r is nil outside of requests.
func (resolver) ResolveSessionIdManager(r *http.Request) server.SessionIdManager {
	if r == nil {
		return &visit{}
	}
	return visitOf(r.Context())
}
