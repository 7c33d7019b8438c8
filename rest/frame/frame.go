// Package frame holds what all operations over HTTP share: the list of routes, the table that
// turns errors into answers in each dialect, the description in OpenAPI, and answers that
// clients cache.
//
// # Bodies and answers without huma
//
// [Operate] declares an operation to huma, which generates its description and reads the
// parameters of the path and of the query. Handlers read bodies with package document, and write
// answers with net/http. Huma's error hook (huma.NewErrorWithContext) could bring the words, the
// status and the dialect of its errors into the contract. With typed bodies and outputs these
// cases would still change:
//
//   - A value of a wrong type is told only by huma's validation, which also checks lengths,
//     ranges and enumerations. The services check these, after they have normalized a value, with
//     codes such as text_too_long, in the same sentences for HTTP, sockets and agents. Without
//     validation the decoder stops at the first wrong value.
//   - Validation refuses null where the schema does not allow it. In this API null counts as
//     absent, and the schemas do not list it.
//   - A voice is a string or an object. Of a value that fits neither, validation says only that
//     it matches no schema.
//   - x-ignored-parameters names the keys of a body that change nothing, which a struct has lost.
//   - Huma ends an answer in JSON with a line feed, sends a long one without Content-Length, and
//     knows no conditions and ranges. Streams of audio write their own headers in any case.
//
// A body would also be decoded twice, into values for the validation and into the struct.
package frame

import (
	"net/http"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"vaak/account"
	"vaak/edge"
	"vaak/idempotency"
	"vaak/internal/ratelimit"
)

// Accounts finds callers, counts their requests and keeps records of them.
type Accounts interface {
	edge.Authenticator
	edge.Counter
	// Record keeps the record of a request to speak.
	Record(account.RequestRecord)
}

// Frame holds what the operations of all capabilities share: the routes, who may call,
// and how often.
type Frame struct {
	*Routes
	// Requests lets requests with an Idempotency-Key run once; nil ignores the header.
	Requests *idempotency.Service

	accounts Accounts
	clients  *edge.Clients

	limiter    *ratelimit.Limiter // counts all requests without a key
	publicRate int                // of one address, in requests per minute
	limited    [4]edge.Middleware // the limit of that rate, by the dialect of its refusal
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
func (f *Frame) Serve(path string, d Document) { f.serve(path, d.Serve) }

// ServeJSON serves a JSON document at a path, to anybody. It is encoded at the first request, so that
// the start of the program does not wait for it.
func (f *Frame) ServeJSON(path string, encode func() ([]byte, error)) {
	made := sync.OnceValues(func() (Document, error) {
		text, err := encode()
		return NewDocument("application/json", text), err
	})
	f.serve(path, func(w http.ResponseWriter, r *http.Request) {
		d, err := made()
		if err != nil {
			Refuse(w, r, err)
			return
		}
		d.Serve(w, r)
	})
}

func (f *Frame) serve(path string, h http.HandlerFunc) {
	f.Add(http.MethodGet, path, true, edge.Chain(h, edge.Public, f.limited[ShapeOf(path)]))
}
