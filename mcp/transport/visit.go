package transport

import (
	"context"
	"net/http"

	"github.com/mark3labs/mcp-go/server"
)

// visit is what the protocol library is told of the session of one message. It
// is the library's manager of session ids, by request: what is right about an
// id was decided before the library is asked.
type visit struct {
	id      string               // "" is none
	session *session             // nil for none, or one that is not known yet
	peer    server.ClientSession // as the library knows it, once it does
	version string               // of the protocol, as the header names it
}

// Generate returns the id of the session that is being set up, "" for none.
func (v *visit) Generate() string { return v.id }

// Validate takes any id: those that are not good do not come as far.
func (v *visit) Validate(string) (terminated bool, _ error) { return false, nil }

// Terminate lets the library forget a session.
func (v *visit) Terminate(string) (notAllowed bool, _ error) { return false, nil }

type visitKey struct{}

func withVisit(ctx context.Context, v *visit) context.Context {
	return context.WithValue(ctx, visitKey{}, v)
}

// visitOf returns the visit of a message; outside of one, a visit of no session.
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
