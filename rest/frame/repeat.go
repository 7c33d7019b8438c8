package frame

import (
	"bytes"
	"context"
	"crypto/sha256"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"vaak/account"
	"vaak/edge"
	"vaak/idempotency"
)

// The headers of repeated requests.
const (
	headerKey      = "Idempotency-Key"
	headerReplayed = "Idempotent-Replayed"
)

// keptHeaders are the headers of an answer that a repeat gets again. Others are about the
// exchange, such as ids, limits and times.
var keptHeaders = []string{
	"Cache-Control", "Character-Cost", "Content-Type", "X-Accel-Buffering", "X-Engine", "X-Enquiry-Id", "X-Fallback-Voice",
	"X-Ignored-Parameters", "X-Language", "X-Notice", "X-Voice-Id",
}

// noticeAgain is what a repeat is told whose answer was too large to keep.
const noticeAgain = "the first answer was too large to keep; this one was made again, and is not charged"

// repeatable lets requests to an operation that come with an Idempotency-Key run once; see
// package idempotency. It belongs inside the middleware that reads the body.
func (f *Frame) repeatable(d dialect, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		keys, sent := r.Header[headerKey]
		if f.Requests == nil || !sent {
			next.ServeHTTP(w, r)
			return
		}
		key := strings.Join(keys, ", ") // two keys are none: the comma and space are refused
		err := idempotency.CheckKey(key)
		var body []byte
		if err == nil {
			body, err = io.ReadAll(r.Body)
		}
		if err != nil {
			d.Refuse(w, r, InHeader(err))
			return
		}
		answer, run, err := f.Requests.Take(r.Context(), requestOf(r, key, body))
		switch {
		case err != nil:
			d.Refuse(w, r, InHeader(err))
		case run != nil:
			f.runOnce(next, w, r, body, run)
		case answer.Bodied:
			replay(w, r, answer)
		default:
			w.Header().Set(headerReplayed, "true")
			w.Header().Add("X-Notice", noticeAgain)
			ctx := account.ChargedOnce(r.Context(), "", true)
			next.ServeHTTP(&unlessRefused{w}, withBody(r.WithContext(ctx), body))
		}
	})
}

// requestOf names a request. Its scope is the organisation and the route; a client without a
// key has a scope of its own, by its address.
func requestOf(r *http.Request, key string, body []byte) idempotency.Request {
	x := edge.From(r.Context())
	owner := x.Caller.OrgID
	if owner == "" {
		owner = "address " + x.Address.String()
	}
	digest := sha256.New()
	for _, part := range []string{r.Method, r.URL.EscapedPath(), r.URL.RawQuery} {
		_, _ = io.WriteString(digest, part+"\x00") // a digest takes everything
	}
	_, _ = digest.Write(body) // likewise
	return idempotency.Request{
		Scope: owner + " " + r.Method + " " + x.Route, Org: x.Caller.OrgID, Key: key, Digest: [sha256.Size]byte(digest.Sum(nil)),
	}
}

// withBody returns a request whose body was read before.
func withBody(r *http.Request, body []byte) *http.Request {
	r.Body = io.NopCloser(bytes.NewReader(body))
	return r
}

// runOnce runs a request and keeps its answer, if that is whole and a success.
func (f *Frame) runOnce(next http.Handler, w http.ResponseWriter, r *http.Request, body []byte, run *idempotency.Run) {
	ctx, stop := run.Context(account.ChargedOnce(r.Context(), run.Operation, false))
	defer stop()
	c := &capture{ResponseWriter: w, client: r.Context()}
	// After a panic: the answer broke off, and what was spoken may be charged.
	defer run.Drop(false)
	next.ServeHTTP(c, withBody(r.WithContext(ctx), body))
	switch failed := edge.From(ctx).Err != nil; {
	case c.status < 200 || c.status > 299:
		run.Drop(true)
	case failed: // in the middle of a stream
		run.Drop(false)
	default:
		run.Keep(c.answer(run))
	}
}

// replay sends a kept answer.
func replay(w http.ResponseWriter, r *http.Request, a *idempotency.Answer) {
	h := w.Header()
	for name, values := range a.Header {
		h[name] = values
	}
	h.Set(headerReplayed, "true")
	h.Set("Content-Length", strconv.Itoa(len(a.Body)))
	w.WriteHeader(a.Status)
	if _, err := w.Write(a.Body); err != nil {
		edge.Note(r.Context(), ClientGone(err))
	}
}

// capture passes an answer on to the client and remembers it. When the client has left, the
// answer is still made, for the repeat that will ask for it.
type capture struct {
	http.ResponseWriter
	client context.Context // of the request

	status int // 0: nothing was written
	header map[string][]string
	body   bytes.Buffer
	size   int64
	gone   bool // the client does not read any more
}

// WriteHeader sends the status.
func (c *capture) WriteHeader(status int) {
	if status >= 200 && c.status == 0 {
		c.status, c.header = status, map[string][]string{}
		for _, name := range keptHeaders {
			if values := c.Header()[name]; len(values) > 0 {
				c.header[name] = values
			}
		}
	}
	c.ResponseWriter.WriteHeader(status)
}

// Write sends a piece of the body.
func (c *capture) Write(p []byte) (int, error) {
	if c.status == 0 {
		c.WriteHeader(http.StatusOK)
	}
	if c.size += int64(len(p)); c.size <= idempotency.MaxBody {
		c.body.Write(p)
	} else {
		c.body = bytes.Buffer{}
	}
	if !c.left() {
		_, err := c.ResponseWriter.Write(p)
		c.gone = err != nil
	}
	return len(p), nil
}

// left reports whether the client has left.
func (c *capture) left() bool { return c.gone || c.client.Err() != nil }

// FlushError sends what is buffered; see [http.ResponseController.Flush].
func (c *capture) FlushError() error {
	if c.status == 0 {
		c.WriteHeader(http.StatusOK)
	}
	if !c.left() {
		c.gone = http.NewResponseController(c.ResponseWriter).Flush() != nil
	}
	return nil
}

// Unwrap lets [http.ResponseController] find the connection.
func (c *capture) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// answer returns what is kept of the answer.
func (c *capture) answer(run *idempotency.Run) idempotency.Answer {
	// What became known at the end is a trailer in the first answer, and a header in the kept one.
	for name, values := range c.Header() {
		if name, ok := strings.CutPrefix(name, http.TrailerPrefix); ok {
			c.header[http.CanonicalHeaderKey(name)] = values
		}
	}
	a := idempotency.Answer{Status: c.status, Header: c.header}
	if c.size <= idempotency.MaxBody && run.Fits(c.size) {
		a.Body, a.Bodied = c.body.Bytes(), true
	}
	return a
}

// unlessRefused takes the header of a repeat away from an answer that is an error.
type unlessRefused struct{ http.ResponseWriter }

// WriteHeader sends the status.
func (u *unlessRefused) WriteHeader(status int) {
	if status >= http.StatusBadRequest {
		u.Header().Del(headerReplayed)
	}
	u.ResponseWriter.WriteHeader(status)
}

// Unwrap lets [http.ResponseController] find the connection.
func (u *unlessRefused) Unwrap() http.ResponseWriter { return u.ResponseWriter }

// describeRepeats describes the header of requests to an operation that may be repeated, and
// that of its answers.
func describeRepeats(desc huma.API, op *huma.Operation) {
	if op.Metadata[MetaRepeats] == nil {
		return
	}
	least, most := 1, idempotency.MaxKey
	op.Parameters = append(op.Parameters, &huma.Param{
		Name: headerKey, In: "header",
		Description: "Names the request, for repeats: within 24 hours a repeat with the same key gets the answer of the first request, which is charged once. " +
			"The same key with another request is refused (422 `idempotency_key_reuse`). A repeat waits for a first request that still runs, and after 30 s is told to come again (409 `idempotency_in_progress`). " +
			"Refusals and failures are not kept.",
		Schema: &huma.Schema{Type: "string", MinLength: &least, MaxLength: &most, Pattern: "^[!-~]+$", Examples: []any{"8e03978e-40d5-43dd-bc93-6894a57f9324"}},
	})
	for _, status := range []string{"200", "201", "202"} {
		if good := op.Responses[status]; good != nil && good.Headers != nil {
			good.Headers["idempotent-replayed"] = HeaderOf("string", "true for the answer to a repeat; else absent.")
		}
	}
	reused := Refusal(SchemaOf[ErrorBody](desc), "The Idempotency-Key came with another request before (`idempotency_key_reuse`).")
	progress := &huma.Response{Ref: "#/components/responses/409"}
	if dialectOf(op) == InEnquiry {
		reused, progress = CatalogueProblem(desc, http.StatusUnprocessableEntity), CatalogueProblem(desc, http.StatusConflict)
	}
	if op.Responses["422"] == nil {
		op.Responses["422"] = reused
	}
	if op.Responses["409"] == nil {
		op.Responses["409"] = progress
	}
}
