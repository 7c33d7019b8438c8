package edge

import (
	"context"
	"net/http"
	"time"

	"vaak/internal/telemetry"
)

// Observer watches requests. [*telemetry.Telemetry] is the one of the product.
type Observer interface {
	// Begin is called before a request is served. It returns the context in which to serve it,
	// which may be ctx itself, and the id of the trace that the request is part of, or "".
	Begin(ctx context.Context, r *http.Request) (_ context.Context, traceID string)
	// End is called with that context when the request was answered.
	End(ctx context.Context, a telemetry.Answer)
}

// Observe tells an observer of every request; nil observes nothing. It belongs directly inside
// [Access], because it reads the status and size that Access records.
func Observe(o Observer) Middleware {
	return func(next http.Handler) http.Handler {
		if o == nil {
			return next
		}
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			start := time.Now()
			given := r.Context()
			ctx, trace := o.Begin(given, r)
			// The exchange is in the context that came in. The new one may be that of a span.
			x := From(given)
			x.TraceID = trace
			defer func() { // deferred, because a panic may break off the answer
				o.End(ctx, answerOf(w, r, x, time.Since(start)))
			}()
			if ctx != given {
				r = r.WithContext(ctx)
			}
			next.ServeHTTP(w, r)
		})
	}
}

func answerOf(w http.ResponseWriter, r *http.Request, x *Exchange, took time.Duration) telemetry.Answer {
	a := telemetry.Answer{
		Method:    r.Method,
		Route:     x.Route,
		Status:    http.StatusOK,
		Took:      took,
		RequestID: x.ID,
		OrgID:     x.Caller.OrgID,
		KeyID:     x.Caller.KeyID,
	}
	if rec, ok := w.(*recorder); ok {
		a.Status = rec.sent()
	}
	if x.Err != nil {
		a.Code = codeOf(x.Err)
	}
	return a
}
