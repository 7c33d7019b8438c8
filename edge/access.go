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

// Access writes one log line for each request, and gives every write of the
// answer a deadline of its own: a reader may pause for at most patience between
// two reads, however long the whole answer takes. Zero patience sets no
// deadline.
//
// The line names the method, the route, the status, the bytes of the body, the
// duration, the caller, the request id and that of its trace if it has one. A refusal
// adds its stable code, a fault of the server the whole error. But for the request
// id, which a caller may choose, the line holds nothing that a caller wrote: a method
// that HTTP does not know, and the route of a path that matched none, are
// [telemetry.Other], since paths hold keys, tokens and addresses where people
// mistype them.
func Access(log *slog.Logger, patience time.Duration) Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			start := time.Now()
			rec := &recorder{ResponseWriter: w, control: http.NewResponseController(w), patience: patience}
			aborted := true
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
	if !log.Enabled(r.Context(), level) {
		return
	}
	var room [12]slog.Attr
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

// appendError says why: the code of a refusal, because its sentence quotes what
// the caller sent, and the whole of an error that is the server's.
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

// recorder remembers what was answered and moves the write deadline along.
type recorder struct {
	http.ResponseWriter
	control  *http.ResponseController
	patience time.Duration
	status   int // 0 = nothing written yet
	bytes    int64
	taken    *counted // the connection, once it was handed over
}

// WriteHeader sends the status.
func (r *recorder) WriteHeader(status int) {
	if status >= 200 && r.status == 0 {
		r.status = status
	}
	r.extend()
	r.ResponseWriter.WriteHeader(status)
}

// maxWrite is the most that is written under one deadline, in bytes, so that a
// slow reader of a long answer is not taken for one that has stopped.
const maxWrite = 64 << 10

// Write sends a piece of the body.
func (r *recorder) Write(p []byte) (int, error) {
	if r.status == 0 {
		r.status = http.StatusOK
	}
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
		r.status = http.StatusOK
		r.extend()
	}
	return r.control.Flush()
}

// Flush sends what is buffered.
func (r *recorder) Flush() {
	_ = r.FlushError() // as [http.Flusher] has it; the next write tells
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
		// A writer without deadlines, as in tests, waits for ever.
		_ = r.control.SetWriteDeadline(time.Now().Add(r.patience))
	}
}
