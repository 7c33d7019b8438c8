// Package frame holds what all operations over HTTP share: the list of routes, the table
// that turns errors into answers, in each dialect, the description in OpenAPI, and answers
// that callers keep and ask for again.
package frame

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"vaak/account"
	"vaak/edge"
	"vaak/internal/ratelimit"
)

// Accounts knows callers, counts their requests and keeps what became of them.
type Accounts interface {
	edge.Authenticator
	edge.Counter
	// Record keeps what became of a request to speak.
	Record(account.RequestRecord)
}

// Frame holds what the operations of all capabilities share: the routes, who may call,
// and how often.
type Frame struct {
	*Routes

	accounts Accounts
	clients  *edge.Clients

	limiter    *ratelimit.Limiter // of all requests without a key
	publicRate int                // of an address, in requests a minute
	limited    [4]edge.Middleware // the same limit, by the dialect of its refusal
}

// New returns a frame without routes. An address may send publicRate requests a
// minute without a key; 0 or less sets no limit.
func New(accounts Accounts, clients *edge.Clients, publicRate int) *Frame {
	f := &Frame{
		accounts: accounts, clients: clients, Routes: newRoutes(),
		limiter: ratelimit.NewLimiter(ratelimit.DefaultScopes), publicRate: publicRate,
	}
	for d := range f.limited {
		f.limited[d] = f.LimitedBy(dialect(d).Refuse)
	}
	return f
}

// LimitedBy limits requests without a key, in one count with all others, and refuses in
// a way of its own.
func (f *Frame) LimitedBy(refuse edge.Refuse) edge.Middleware {
	return edge.LimitAddresses(f.clients, f.limiter, f.publicRate, refuse)
}

// Describe returns the API to which operations are declared with [Operate]: they are
// served by the frame's routes, and described in a document about info.
func (f *Frame) Describe(info *huma.Info, tags []*huma.Tag, keyed bool) huma.API {
	return newDescription(&adapter{f}, info, tags, keyed)
}

// Serve serves a document at a path, to anybody.
func (f *Frame) Serve(path string, d Document) {
	f.Add(http.MethodGet, path, true, edge.Chain(http.HandlerFunc(d.Serve), edge.Public, f.limited[ShapeOf(path)]))
}
