package edge

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"time"

	"vaak/account"
	"vaak/internal/fault"
	"vaak/internal/telemetry"
)

// Access writes one log line for each request. It also gives each write of the answer its own
// deadline: a client may pause for at most patience between two reads, however long the whole
// answer takes. With a patience of 0 there is no deadline.
//
// The line names the method, route, status, bytes of the body, duration, caller, request id and
// trace id. A refusal adds its stable code, an error of the server the whole error. Apart from
// the request id, which a caller may choose, the line holds nothing that a caller wrote: methods
// that HTTP does not have, and paths that match no route, are logged as [telemetry.Other],
// because people who mistype put keys, tokens and addresses into paths.
func Access(log *slog.Logger, patience time.Duration) Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			start := time.Now()
			rec := &recorder{ResponseWriter: w, control: http.NewResponseController(w), patience: patience}
			aborted := true // until next returns: a panic on the way skips the last line
			defer func() {
				logExchange(log, r, rec, time.Since(start), aborted)
			}()
			next.ServeHTTP(rec, r)
			if !rec.wrote() {
				rec.extend() // the server is about to write an empty 200
			}
			aborted = false
		})
	}
}

func logExchange(log *slog.Logger, r *http.Request, rec *recorder, took time.Duration, aborted bool) {
	x := From(r.Context())
	kind := fault.KindOf(x.Err)
	level := slog.LevelInfo
	switch kind {
	case fault.Internal:
		level = slog.LevelError
	case fault.Unavailable:
		level = slog.LevelWarn
	}
	// Asked first, so that a server that logs only warnings does not pay for the attributes.
	if !log.Enabled(r.Context(), level) {
		return
	}
	var room [12]slog.Attr // on the stack: every request comes through here
	attrs := append(room[:0],
		slog.String("method", telemetry.KnownMethod(r.Method)),
		slog.String("route", cmp.Or(x.Route, telemetry.Other)),
		slog.Int("status", rec.sent()),
		slog.Int64("bytes", rec.sentBytes()),
		slog.Duration("took", took),
		slog.String("request_id", x.ID))
	if x.TraceID != "" {
		attrs = append(attrs, slog.String("trace_id", x.TraceID))
	}
	if x.Caller != (account.Caller{}) {
		attrs = append(attrs, slog.String("org", x.Caller.OrgID), slog.String("key", x.Caller.KeyID))
	}
	if aborted {
		attrs = append(attrs, slog.Bool("aborted", true))
	}
	attrs = appendError(attrs, x.Err, kind)
	// The request may be over, and its log line is still wanted.
	log.LogAttrs(context.WithoutCancel(r.Context()), level, "request", attrs...)
}

// appendError adds the reason to a log line. Of a refusal that is only the code, because the
// sentence quotes what the caller sent; of an error of the server it is the whole error.
func appendError(attrs []slog.Attr, err error, kind fault.Kind) []slog.Attr {
	if err == nil {
		return attrs
	}
	attrs = append(attrs, slog.String("code", codeOf(err)))
	if kind == fault.Internal || kind == fault.Unavailable {
		attrs = append(attrs, slog.String("error", err.Error()))
	}
	return attrs
}

// recorder remembers the status and size of an answer, and moves the write deadline with each
// write.
type recorder struct {
	http.ResponseWriter
	control  *http.ResponseController
	patience time.Duration
	status   int // 0 = nothing written yet
	bytes    int64
	taken    *counted // the connection, after a handler has taken it over
}

// WriteHeader sends the status.
func (r *recorder) WriteHeader(status int) {
	if status >= 200 && r.status == 0 { // 1xx come before the answer
		r.status = status
	}
	r.extend()
	r.ResponseWriter.WriteHeader(status)
}

// maxWrite is how many bytes are written under one deadline. Without this bound one long write
// to a slow client would pass its deadline, although the client keeps reading.
const maxWrite = 64 << 10

// Write sends a piece of the body.
func (r *recorder) Write(p []byte) (int, error) {
	if r.status == 0 {
		r.status = http.StatusOK
	}
	// At least one round, because a write of nothing still sends the header.
	written := 0
	for {
		r.extend()
		n, err := r.ResponseWriter.Write(p[written:min(written+maxWrite, len(p))])
		written += n
		r.bytes += int64(n)
		if err != nil || written >= len(p) {
			return written, err
		}
	}
}

// FlushError sends what is buffered; see [http.ResponseController.Flush].
func (r *recorder) FlushError() error {
	if r.status == 0 {
		// Nothing was written before, so this sends the header, with 200 as net/http does. After a
		// write the deadline of that write still holds.
		r.status = http.StatusOK
		r.extend()
	}
	return r.control.Flush()
}

// Flush sends what is buffered.
func (r *recorder) Flush() {
	_ = r.FlushError() // [http.Flusher] returns no error; the next write returns it
}

// Unwrap lets [http.ResponseController] find the connection.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

func (r *recorder) wrote() bool { return r.status != 0 }

func (r *recorder) sent() int {
	if r.status == 0 {
		return http.StatusOK
	}
	return r.status
}

func (r *recorder) sentBytes() int64 {
	if r.taken != nil {
		return r.bytes + r.taken.bytes.Load()
	}
	return r.bytes
}

func (r *recorder) extend() {
	if r.patience > 0 {
		// The error says that the writer has no deadlines, as in tests. It then waits for ever.
		_ = r.control.SetWriteDeadline(time.Now().Add(r.patience))
	}
}
