package frame

import (
	"context"
	"maps"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"vaak/edge"
)

// adapter puts huma's operations on the list of routes. It enforces what an operation declares:
// with security the request needs a key, whose limits apply; with a request body the body is
// checked; an operation without security is public and limited by address.
type adapter struct {
	frame *Frame
}

// Handle serves an operation; it is called by huma.
func (a *adapter) Handle(op *huma.Operation, handle func(huma.Context)) {
	var h http.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handle(humago.NewContext(op, r, w))
	})
	// Huma describes the operation all the same.
	if op.Metadata[MetaAbsent] != nil {
		return
	}
	if direct, ok := op.Metadata[metaDirect].(http.Handler); ok {
		h = direct
	}
	public := len(op.Security) == 0 && op.Metadata[MetaGuard] == nil
	if op.Metadata[MetaRepeats] != nil {
		h = a.frame.repeatable(dialectOf(op), h)
	}
	// Outside of what may be repeated, because its headers belong to each request.
	if dialectOf(op) == ElevenLabs {
		h = RepeatID(h)
	}
	a.frame.Add(op.Method, op.Path, public, edge.Chain(h, a.before(op, public)...))
}

// before returns the middlewares of an operation, outermost first.
func (a *adapter) before(op *huma.Operation, public bool) (ms []edge.Middleware) {
	d := dialectOf(op)
	limit := int64(edge.MaxBody)
	switch {
	case public:
		ms = append(ms, edge.Public)
		if limited(op) {
			ms = append(ms, a.frame.limited[d])
		}
	case op.Metadata[MetaGuard] != nil:
		// No middleware for other origins: what needs a guard is not for scripts of any page.
		guard := op.Metadata[MetaGuard].(edge.Middleware)
		ms = append(ms, edge.Locate(a.frame.clients), a.frame.limited[d], guard)
	default:
		ms = append(ms, a.frame.Keyed(d, d.Refuse, speaks(op))...)
	}
	if most, ok := op.Metadata[MetaMaxBody].(int64); ok {
		limit = most
	}
	if op.RequestBody != nil {
		read := edge.Body
		if op.Metadata[MetaBytes] != nil {
			read = edge.Bytes
		}
		reading := read(limit, d.Refuse)
		if op.Metadata[MetaOptional] != nil {
			reading = unlessEmpty(reading)
		}
		ms = append(ms, reading)
	}
	return ms
}

// unlessEmpty leaves a middleware out for requests without a body.
func unlessEmpty(m edge.Middleware) edge.Middleware {
	return func(next http.Handler) http.Handler {
		with := m(next)
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.ContentLength == 0 { // -1 where the length is not known
				next.ServeHTTP(w, r)
				return
			}
			with.ServeHTTP(w, r)
		})
	}
}

// Keyed returns the middlewares of a request that needs a key. Requests that speak are recorded.
func (f *Frame) Keyed(d dialect, refuse edge.Refuse, speaks bool) []edge.Middleware {
	return f.known(edge.Authenticate(f.accounts, refuse), d, refuse, speaks)
}

// KeyedBy is [Frame.Keyed] for requests that speak, with a middleware of the caller's that
// finds whose request it is, as [edge.Authenticate] does.
func (f *Frame) KeyedBy(authenticate edge.Middleware, d dialect, refuse edge.Refuse) []edge.Middleware {
	return f.known(authenticate, d, refuse, true)
}

func (f *Frame) known(authenticate edge.Middleware, d dialect, refuse edge.Refuse, speaks bool) []edge.Middleware {
	ms := []edge.Middleware{authenticate}
	// Between the check of the key, because a record belongs to a caller, and the count, so that
	// requests over the limit are recorded too.
	if speaks {
		ms = append(ms, f.record(d))
	}
	return append(ms, edge.Enter(f.accounts, refuse))
}

// Properties of an operation that huma does not know, as keys of its metadata.
const (
	MetaSpeaks   = "speaks"   // the operation makes audio for its caller, and is recorded
	MetaFree     = "free"     // the operation is not limited by address
	MetaBytes    = "bytes"    // the body is any bytes, and is not checked
	MetaGuard    = "guard"    // an [edge.Middleware] that refuses web pages of other origins; it stands behind [edge.Locate] and the limit by address
	MetaMaxBody  = "maxbody"  // the most bytes of a body, an int64; [edge.MaxBody] when absent
	MetaOptional = "optional" // the body may be left out
	MetaRepeats  = "repeats"  // a request with an Idempotency-Key runs once
	MetaAbsent   = "absent"   // the operation is described and not served
	metaDirect   = "direct"   // an [http.Handler] that serves the operation in place of huma, which would read no input
	MetaDialect  = "dialect"  // the dialect of errors and headers; native when absent
)

// InElevenLabs is the metadata of operations that belong to that dialect.
func InElevenLabs() map[string]any { return map[string]any{MetaDialect: ElevenLabs} }

func dialectOf(op *huma.Operation) dialect {
	d, _ := op.Metadata[MetaDialect].(dialect)
	return d
}

func speaks(op *huma.Operation) bool { return op.Metadata[MetaSpeaks] != nil }

// limited reports whether requests to an operation are counted, by key or by
// address.
func limited(op *huma.Operation) bool { return op.Metadata[MetaFree] == nil }

// ServeHTTP is a part of huma's adapter interface. Requests come in through the routes instead.
func (a *adapter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.frame.mux.ServeHTTP(w, r)
}

// Operate declares an operation to huma and serves it with h.
func Operate[In any](desc huma.API, op huma.Operation, h Handler[In]) {
	// Huma checks nothing: edge.Body checks the size and edge.Arrive the time, and handlers
	// and services check values, in sentences of their own (see the package comment).
	op.MaxBodyBytes, op.BodyReadTimeout = -1, -1
	op.SkipValidateBody, op.SkipValidateParams = true, true
	// Before huma.Register, which writes the description from op.
	describeLimits(desc, &op)
	describeRepeats(desc, &op)
	var body huma.RequestBody
	if op.RequestBody != nil {
		body = *op.RequestBody
		// Huma changes the map in place.
		body.Content = maps.Clone(body.Content)
	}
	answer := func(w http.ResponseWriter, r *http.Request, in *In) {
		if err := h(w, r, in); err != nil {
			dialectOf(&op).Refuse(w, r, err)
		}
	}
	if none, ok := any(new(In)).(*NoInput); ok {
		op.Metadata = maps.Clone(op.Metadata)
		if op.Metadata == nil {
			op.Metadata = map[string]any{}
		}
		op.Metadata[metaDirect] = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { answer(w, r, any(none).(*In)) })
	}
	huma.Register(desc, op, func(_ context.Context, in *In) (*huma.StreamResponse, error) {
		return &huma.StreamResponse{Body: func(c huma.Context) {
			r, w := humago.Unwrap(c)
			answer(w, r, in)
		}}, nil
	})
	if op.RequestBody != nil {
		*op.RequestBody = body // which huma describes as required bytes, because In has a RawBody
	}
}

// NoInput is the input of an operation that has no parameters, or reads them by itself.
type NoInput struct{}
