package edge

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"
)

const (
	// BodyPatience is how long the body of a request may take to arrive.
	BodyPatience = 10 * time.Second
	// bodyGrace is how long the remainder of a body may take when nobody needs it any more:
	// after a refusal, or when the server stops. Without this bound net/http waits for ever,
	// because it reads the whole body before it takes the next request from the connection.
	bodyGrace = 500 * time.Millisecond
)

// Arrive bounds how long the body of a request may take to arrive: patience in all, and half a
// second after the answer begins or drains ends. Drains ends when the server stops. The read of
// a late body fails, and its connection is closed. Arrive belongs before every other middleware.
//
// Arrive owns the read deadline of the connection: a handler that sets its own deadline removes
// the bound.
func Arrive(drains context.Context, patience time.Duration) Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			// Nothing is to come. A chunked body has the length -1.
			if r.ContentLength == 0 || r.Body == nil || r.Body == http.NoBody {
				next.ServeHTTP(w, r)
				return
			}
			a := &arrival{ResponseWriter: w, body: r.Body, control: http.NewResponseController(w)}
			a.within(patience)
			// The deferred call is what AfterFunc returns: it takes the function back.
			defer context.AfterFunc(drains, func() { a.within(bodyGrace) })()
			r.Body = a
			next.ServeHTTP(a, r)
			a.within(bodyGrace) // net/http now reads what the handler has left of the body
		})
	}
}

// arrival is the body of a request while it arrives, and the writer of the answer to it.
type arrival struct {
	http.ResponseWriter
	body    io.ReadCloser
	control *http.ResponseController

	mu    sync.Mutex
	ended bool // the body has arrived, or its connection is lost
}

// within sets the time in which the rest of the body must arrive.
func (a *arrival) within(d time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	// After the end the deadline would hit the background read of net/http, see end.
	if !a.ended {
		// The error says that the connection has no deadlines, as in tests.
		_ = a.control.SetReadDeadline(time.Now().Add(d))
	}
}

// Read reads the body.
func (a *arrival) Read(p []byte) (int, error) {
	n, err := a.body.Read(p)
	if err != nil {
		a.end(errors.Is(err, io.EOF))
	}
	return n, err
}

// end notes that the body has arrived, or that its connection is lost. If the body has arrived,
// end removes the deadline: net/http reads in the background while a handler runs, and a
// deadline that passes then would end the context of a long answer.
func (a *arrival) end(whole bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if whole && !a.ended {
		// The zero time is no deadline.
		_ = a.control.SetReadDeadline(time.Time{})
	}
	a.ended = true
}

// Close closes the body.
func (a *arrival) Close() error { return a.body.Close() }

// WriteHeader sends the status.
func (a *arrival) WriteHeader(status int) {
	// Before the header is written: net/http first reads up to 256 KiB of a body that the handler
	// has left, and would wait for it. A 1xx, such as 100 Continue, asks for the body instead.
	if status >= http.StatusOK {
		a.within(bodyGrace)
	}
	a.ResponseWriter.WriteHeader(status)
}

// Write sends a piece of the answer.
func (a *arrival) Write(p []byte) (int, error) {
	a.within(bodyGrace)
	return a.ResponseWriter.Write(p)
}

// Unwrap lets [http.ResponseController] find the connection.
func (a *arrival) Unwrap() http.ResponseWriter { return a.ResponseWriter }
