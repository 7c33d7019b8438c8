package frame

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"vaak/edge"
	"vaak/idempotency"
	"vaak/internal/fault"
	"vaak/rest/openai"
)

// Kinds of errors that only HTTP has.
const (
	preconditionFailed  fault.Kind = "precondition_failed"
	rangeNotSatisfiable fault.Kind = "range_not_satisfiable"
)

// Codes of errors that only HTTP has.
const (
	CodeMethodNotAllowed    = "method_not_allowed"
	codePreconditionFailed  = "precondition_failed"
	CodeRangeNotSatisfiable = "range_not_satisfiable"
	codeClientGone          = "client_closed_request"
)

// statusClientGone is the status in the log of a request whose client left before the answer, as
// nginx has it.
const statusClientGone = 499

// row says how a kind of error is answered.
type row struct {
	status int
	typ    string // the type of the error in the OpenAI dialect
	retry  time.Duration
}

// table is the one place where an error becomes an answer.
var table = map[fault.Kind]row{
	fault.Invalid:         {status: http.StatusBadRequest, typ: "invalid_request_error"},
	fault.Unprocessable:   {status: http.StatusUnprocessableEntity, typ: "invalid_request_error"},
	fault.Unauthenticated: {status: http.StatusUnauthorized, typ: "authentication_error"},
	fault.NotFound:        {status: http.StatusNotFound, typ: "invalid_request_error"},
	fault.Conflict:        {status: http.StatusConflict, typ: "invalid_request_error"},
	fault.TooLarge:        {status: http.StatusRequestEntityTooLarge, typ: "invalid_request_error"},
	fault.Unsupported:     {status: http.StatusUnsupportedMediaType, typ: "invalid_request_error"},
	fault.QuotaExceeded:   {status: http.StatusPaymentRequired, typ: "insufficient_quota"},
	fault.RateLimited:     {status: http.StatusTooManyRequests, typ: "rate_limit_exceeded", retry: time.Second},
	fault.TooManyStreams:  {status: http.StatusTooManyRequests, typ: "rate_limit_exceeded", retry: 500 * time.Millisecond},
	fault.Unavailable:     {status: http.StatusServiceUnavailable, typ: "server_error", retry: time.Second},
	fault.Cancelled:       {status: statusClientGone, typ: "invalid_request_error"},
	fault.Idle:            {status: http.StatusRequestTimeout, typ: "invalid_request_error"},
	fault.Internal:        {status: http.StatusInternalServerError, typ: "server_error"},
	fault.Forbidden:       {status: http.StatusForbidden, typ: "invalid_request_error"},
	fault.Stopping:        {status: http.StatusServiceUnavailable, typ: "server_error", retry: time.Second},
	fault.NotAllowed:      {status: http.StatusMethodNotAllowed, typ: "invalid_request_error"},
	preconditionFailed:    {status: http.StatusPreconditionFailed, typ: "invalid_request_error"},
	rangeNotSatisfiable:   {status: http.StatusRequestedRangeNotSatisfiable, typ: "invalid_request_error"},
}

// maxRetryAfter is the longest wait that an answer asks for, because some clients wait as long
// as they are told, however long that is.
const maxRetryAfter = 60 * time.Second

// longestWait returns the longest wait that a dialect asks for. People send
// enquiries, and they may be told to come back later.
func (d dialect) longestWait() time.Duration {
	if d == InEnquiry {
		return time.Hour
	}
	return maxRetryAfter
}

// internal replaces every error that a caller must not see.
var internal = &fault.Error{Kind: fault.Internal, Code: fault.CodeInternal, Msg: "internal error"}

// dialect is a family of error bodies.
type dialect int

const (
	// Native is the shape of everything but the dialect routes.
	Native dialect = iota
	// ElevenLabs answers a bad parameter with 422 and a list of details, as clients of that
	// service expect. Everything else is as in Native.
	ElevenLabs
	// InCatalogue answers as the contract of the catalogue says: see [CatalogueError].
	InCatalogue
	// InEnquiry answers 400 with the sentence as the error, and may ask for a wait of an
	// hour. Everything else is as in InCatalogue.
	InEnquiry
)

// ErrorBody is the body of errors in the native shape. It says the same twice, in detail as the
// ElevenLabs dialect has it and in error as the OpenAI dialect does, so that clients of both
// find the sentence. It is an error itself, because huma requires that.
type ErrorBody struct {
	Detail detail       `json:"detail"`
	Err    openai.Error `json:"error"`
	status int
}

// Error returns the sentence.
func (e *ErrorBody) Error() string { return e.Err.Message }

// GetStatus returns the HTTP status.
func (e *ErrorBody) GetStatus() int { return e.status }

type detail struct {
	Status  string `json:"status" doc:"Stable, for programs." example:"invalid_parameter"`
	Message string `json:"message" doc:"What is wrong, what is allowed and what was sent, in a sentence." example:"speed 1.9 is outside 0.7 to 1.5"`
}

// answerTo returns the answer to an error in the native shape.
func answerTo(err error) *ErrorBody {
	f := Public(err)
	how := table[f.Kind]
	return &ErrorBody{Detail: detail{f.Code, f.Msg}, Err: errorOf(f), status: how.status}
}

// ownBody is an error with its own body in the ElevenLabs dialect, which answers it with 422.
// first is the error in the form of the OpenAI dialect.
type ownBody interface {
	error
	Body(first openai.Error) any
}

// answer returns the status and the body for an error. h holds the headers that say when to try
// again, which some bodies repeat.
func (d dialect) answer(err error, h http.Header) (int, any) {
	a := answerTo(err)
	if d == InEnquiry && a.status == http.StatusBadRequest {
		return a.status, enquiryErrorOf(err)
	}
	if d == InCatalogue || d == InEnquiry {
		return a.status, catalogueErrorOf(err, h)
	}
	if d != ElevenLabs {
		return a.status, a
	}
	if own, ok := errors.AsType[ownBody](err); ok {
		return http.StatusUnprocessableEntity, own.Body(a.Err)
	}
	// Only a parameter. A body that is no JSON stays 400 in this dialect too.
	if a.Err.Code == fault.CodeInvalidParameter || a.Err.Code == fault.CodeScript || a.Err.Code == idempotency.CodeReused {
		return http.StatusUnprocessableEntity, validationOf(err, a.Err)
	}
	return a.status, a
}

// Public returns the fault that a caller may see of an error: the error itself if it is a fault,
// else "internal error".
func Public(err error) *fault.Error {
	f, ok := errors.AsType[*fault.Error](err)
	// A kind without a row is a fault of the program, and its sentence may not be for callers.
	if !ok || f.Kind == fault.Internal || table[f.Kind].status == 0 {
		return internal
	}
	return f
}

// errorOf returns a fault in the form of the OpenAI dialect.
func errorOf(f *fault.Error) openai.Error {
	e := openai.Error{Message: f.Msg, Type: table[f.Kind].typ, Code: f.Code}
	if f.Field != "" {
		e.Param = &f.Field
	}
	return e
}

// Refuse answers a request with an error and leaves the error to the access log.
func (d dialect) Refuse(w http.ResponseWriter, r *http.Request, err error) {
	edge.Note(r.Context(), err)
	h := w.Header()
	// Before the body, because bodies of the catalogue repeat Retry-After.
	errorHeaders(h, Public(err), d.longestWait())
	status, body := d.answer(err, h)
	text, merr := json.Marshal(body)
	if merr != nil {
		panic(merr) // cannot be: the body holds strings
	}
	if d == ElevenLabs {
		DialectHeaders(h, edge.From(r.Context()), true)
	}
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Length", strconv.Itoa(len(text)))
	w.WriteHeader(status)
	_, _ = w.Write(text) // a client that left needs no answer
}

// errorHeaders sets the headers that say whether and when to try again; no wait is over longest.
// It removes headers about the body of success that a handler may have set before it failed.
func errorHeaders(h http.Header, f *fault.Error, longest time.Duration) {
	for _, name := range []string{"ETag", "Last-Modified", "Accept-Ranges", "Content-Disposition"} {
		h.Del(name)
	}
	switch f.Kind {
	case fault.Unauthenticated:
		if h.Get("WWW-Authenticate") == "" { // some routes have set a longer challenge
			h.Set("WWW-Authenticate", "Bearer")
		}
	case fault.QuotaExceeded:
		// The official clients of OpenAI obey this header. More characters do not come by waiting.
		h.Set("X-Should-Retry", "false")
	}
	wait := table[f.Kind].retry
	if f.RetryAfter > 0 {
		wait = f.RetryAfter
	}
	if wait == 0 {
		return
	}
	// Seconds are rounded up, so that nobody comes back too early. The milliseconds are at least 1,
	// because 0 would mean no wait.
	wait = min(wait, longest)
	h.Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
	h.Set("Retry-After-Ms", strconv.FormatInt(max(1, wait.Milliseconds()), 10))
}

// adoptErrors gives errors that huma makes itself the shape of the API. Huma's constructors are
// package-level variables, so this is done once for the whole program.
var adoptErrors = sync.OnceFunc(func() {
	huma.NewError = func(status int, msg string, errs ...error) huma.StatusError {
		return answerTo(humaFault(status, msg, errs))
	}
	huma.NewErrorWithContext = func(c huma.Context, status int, msg string, errs ...error) huma.StatusError {
		err := humaFault(status, msg, errs)
		edge.Note(c.Context(), err)
		return answerTo(err)
	}
})

// humaFault turns an error of huma into a fault: a parameter of the path or the query is not
// what it must be.
func humaFault(status int, msg string, errs []error) error {
	for _, err := range errs {
		if f, ok := errors.AsType[*fault.Error](err); ok {
			return f
		}
		if d, ok := err.(*huma.ErrorDetail); ok {
			// Huma writes "query.limit" or "path.id"; our errors name the parameter alone.
			_, field, _ := strings.Cut(d.Location, ".")
			return fault.BadParameter(field, "%s: %s", field, d.Message)
		}
	}
	if status >= http.StatusInternalServerError {
		return errors.Join(append(errs, errors.New(msg))...)
	}
	return fault.New(fault.Invalid, fault.CodeInvalidParameter, "", "%s", msg)
}

// Gone returns the real reason of an error whose context has ended: the caller's key was
// revoked, or the client left. It returns every other error as it is.
func Gone(ctx context.Context, err error) error {
	// An error with a kind of its own has a reason of its own. Of a context that has ended, library
	// code knows only "context canceled", which would be logged as an internal error.
	if kind := fault.KindOf(err); ctx.Err() == nil || kind != fault.Internal && kind != fault.Cancelled {
		return err
	}
	if cause, ok := errors.AsType[*fault.Error](context.Cause(ctx)); ok {
		return cause
	}
	return ClientGone(err)
}

// ClientGone returns the error of a request whose client left, which err shows.
func ClientGone(err error) error {
	return &fault.Error{Kind: fault.Cancelled, Code: codeClientGone, Msg: "the client went away", Err: err}
}

// ErrorObject returns an error in the form that events of a stream have.
func ErrorObject(err error) openai.Error { return errorOf(Public(err)) }

// RefusePlainly answers with an error as a sentence of plain text, where a person reads it.
func RefusePlainly(w http.ResponseWriter, r *http.Request, err error) {
	edge.Note(r.Context(), err)
	f := Public(err)
	h := w.Header()
	errorHeaders(h, f, maxRetryAfter)
	text := f.Msg + "\n"
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Length", strconv.Itoa(len(text)))
	w.WriteHeader(table[f.Kind].status)
	_, _ = w.Write([]byte(text)) // a client that left needs no answer
}
