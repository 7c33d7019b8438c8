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
	"vaak/internal/fault"
	"vaak/rest/openai"
)

// Kinds of HTTP alone.
const (
	preconditionFailed  fault.Kind = "precondition_failed"
	rangeNotSatisfiable fault.Kind = "range_not_satisfiable"
)

// Codes of HTTP alone.
const (
	CodeMethodNotAllowed    = "method_not_allowed"
	codePreconditionFailed  = "precondition_failed"
	CodeRangeNotSatisfiable = "range_not_satisfiable"
	codeClientGone          = "client_closed_request"
)

// statusClientGone is what the log shows of a request whose caller left before
// it was answered.
const statusClientGone = 499

// row is how a kind of error is answered.
type row struct {
	status int
	typ    string // of the OpenAI dialect
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

// maxRetryAfter is the longest wait that is asked for: some clients obey any.
const maxRetryAfter = 60 * time.Second

// longestWait returns the longest wait that a dialect asks for. People send
// enquiries, and they may be told to come back later.
func (d dialect) longestWait() time.Duration {
	if d == InEnquiry {
		return time.Hour
	}
	return maxRetryAfter
}

// internal stands for every error that is none of the caller's business.
var internal = &fault.Error{Kind: fault.Internal, Code: fault.CodeInternal, Msg: "internal error"}

// dialect is a family of error bodies.
type dialect int

const (
	// Native is the shape of everything but the dialect routes.
	Native dialect = iota
	// ElevenLabs answers a bad parameter with 422 and a list of details, as its
	// clients expect; all else is as in native.
	ElevenLabs
	// InCatalogue answers as the catalogue's contract has it: see catalogueError.
	InCatalogue
	// InEnquiry answers 400 with the sentence as the error, and may ask for a wait
	// of an hour; all else is as in inCatalogue.
	InEnquiry
)

// ErrorBody is the body of every error: the same in the words of both
// dialects. It is an error itself, because huma wants one.
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
	return &ErrorBody{Detail: detail{f.Code, f.Msg}, Err: ErrorOf(f), status: how.status}
}

// ownBody is an error that has a body of its own in the ElevenLabs dialect, where it is
// answered with 422. first is the error as the OpenAI dialect tells it.
type ownBody interface {
	error
	Body(first openai.Error) any
}

// answer returns the status and the body of an error; h says when to try again.
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
	if a.Err.Code == fault.CodeInvalidParameter {
		return http.StatusUnprocessableEntity, validationOf(err, a.Err)
	}
	return a.status, a
}

// Public returns what a caller may know of an error.
func Public(err error) *fault.Error {
	f, ok := errors.AsType[*fault.Error](err)
	if !ok || f.Kind == fault.Internal || table[f.Kind].status == 0 {
		return internal
	}
	return f
}

func ErrorOf(f *fault.Error) openai.Error {
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

// errorHeaders tells clients whether and when to try again, and takes back what
// a handler may have said of the body that is not sent. No wait is over longest.
func errorHeaders(h http.Header, f *fault.Error, longest time.Duration) {
	for _, name := range []string{"ETag", "Last-Modified", "Accept-Ranges", "Content-Disposition"} {
		h.Del(name)
	}
	switch f.Kind {
	case fault.Unauthenticated:
		if h.Get("WWW-Authenticate") == "" { // some routes say more
			h.Set("WWW-Authenticate", "Bearer")
		}
	case fault.QuotaExceeded:
		h.Set("X-Should-Retry", "false")
	}
	wait := table[f.Kind].retry
	if wait == 0 {
		return
	}
	if f.RetryAfter > 0 {
		wait = f.RetryAfter
	}
	wait = min(wait, longest)
	h.Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
	h.Set("Retry-After-Ms", strconv.FormatInt(max(1, wait.Milliseconds()), 10))
}

// adoptErrors gives the errors that huma itself makes the shape of the API. The
// constructors are package-level variables of huma, so this is done once.
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

// humaFault says in our words what huma has to say: that a parameter of the
// path or the query is not what it must be.
func humaFault(status int, msg string, errs []error) error {
	for _, err := range errs {
		if f, ok := errors.AsType[*fault.Error](err); ok {
			return f
		}
		if d, ok := err.(*huma.ErrorDetail); ok {
			_, field, _ := strings.Cut(d.Location, ".")
			return fault.BadParameter(field, "%s: %s", field, d.Message)
		}
	}
	if status >= http.StatusInternalServerError {
		return errors.Join(append(errs, errors.New(msg))...)
	}
	return fault.New(fault.Invalid, fault.CodeInvalidParameter, "", "%s", msg)
}

// Gone returns err, or what it really is when its context has ended: that the
// caller's key was revoked, or that the client left.
func Gone(ctx context.Context, err error) error {
	if kind := fault.KindOf(err); ctx.Err() == nil || kind != fault.Internal && kind != fault.Cancelled {
		return err
	}
	if cause, ok := errors.AsType[*fault.Error](context.Cause(ctx)); ok {
		return cause
	}
	return ClientGone(err)
}

func ClientGone(err error) error {
	return &fault.Error{Kind: fault.Cancelled, Code: codeClientGone, Msg: "the client went away", Err: err}
}

// ErrorObject returns an error as an event of a stream carries it.
func ErrorObject(err error) openai.Error { return ErrorOf(Public(err)) }

// RefusePlainly answers a person with an error: a sentence of plain text.
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
