package transport

import (
	"encoding/json"
	"errors"
	"io"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"vaak/edge"
	"vaak/internal/fault"
)

// Statuses maps kinds of errors to HTTP statuses, as they are written in the records of calls.
var Statuses = map[fault.Kind]int{
	"":                    http.StatusOK,
	fault.Invalid:         http.StatusBadRequest,
	fault.Unprocessable:   http.StatusUnprocessableEntity,
	fault.Unauthenticated: http.StatusUnauthorized,
	fault.Forbidden:       http.StatusForbidden,
	fault.NotFound:        http.StatusNotFound,
	fault.NotAllowed:      http.StatusMethodNotAllowed,
	fault.Conflict:        http.StatusConflict,
	fault.TooLarge:        http.StatusRequestEntityTooLarge,
	fault.Unsupported:     http.StatusUnsupportedMediaType,
	fault.QuotaExceeded:   http.StatusPaymentRequired,
	fault.RateLimited:     http.StatusTooManyRequests,
	fault.TooManyStreams:  http.StatusTooManyRequests,
	fault.Unavailable:     http.StatusServiceUnavailable,
	fault.Cancelled:       statusClientGone,
	fault.Internal:        http.StatusInternalServerError,
}

// statusClientGone is the status in the record of a call whose caller left.
const statusClientGone = 499

// sentence refuses a request with a line of text, for a handler without a form of errors.
func sentence(w http.ResponseWriter, r *http.Request, err error) {
	edge.Note(r.Context(), err)
	f, ok := errors.AsType[*fault.Error](err)
	if !ok {
		f = ErrInternal
	}
	http.Error(w, f.Msg, Statuses[f.Kind])
}

// Refuse answers a request that fails before the protocol library sees it, in the error form of
// the service. The middlewares before the handler must refuse with it. It says in a header what
// is wrong with a key, because clients of the protocol read that header. It answers a call that
// is over a limit with an error of the protocol.
func (h *Handler) Refuse(w http.ResponseWriter, r *http.Request, err error) {
	f, ok := errors.AsType[*fault.Error](err)
	switch {
	case !ok:
	case f.Kind == fault.Unauthenticated:
		w.Header().Set("WWW-Authenticate", h.challenge(r, f))
	case f.Code == CodeInsufficientScope:
		w.Header().Set("WWW-Authenticate", h.challenge(r, f))
	case f.Kind == fault.RateLimited && r.Method == http.MethodPost:
		// The middlewares refuse before the body is read, and the answer needs the id in it.
		h.over(f).ServeHTTP(w, r)
		return
	case f.Code == fault.CodeInvalidBody:
		// The id is unknown where the body is no JSON, and null in the answer (JSON-RPC 2.0,
		// section 5).
		edge.Note(r.Context(), err)
		writeJSON(w, http.StatusBadRequest, newFailed(nil, wrongf(mcp.PARSE_ERROR, "%s", f.Msg)))
		return
	}
	h.refuse(w, r, err)
}

// CodeInsufficientScope is the code of the error of a connected application that may not do what
// it asks for.
const CodeInsufficientScope = "insufficient_scope"

// Insufficient returns that error, whose field is the scope that is needed.
func Insufficient(scope string) *fault.Error {
	return fault.New(fault.Forbidden, CodeInsufficientScope, scope, "the application needs the scope %s for this, which the person has not allowed it", scope)
}

// challenge returns the value of WWW-Authenticate for a request without a valid key (RFC 6750,
// section 3), with the address of the document that says where tokens come from (RFC 9728, section
// 5.1). To an application that may do too little it names the scopes to ask for: those that it has
// and the one that is missing, so that it loses none.
func (h *Handler) challenge(r *http.Request, f *fault.Error) string {
	c := `Bearer realm="vaak"`
	switch f.Code {
	case fault.CodeMissingKey:
	case CodeInsufficientScope:
		c += `, error="` + CodeInsufficientScope + `", error_description="` + f.Msg + `", scope="` + strings.Join(append(slices.Clone(edge.From(r.Context()).Scopes), f.Field), " ") + `"`
	default:
		c += `, error="invalid_token"`
	}
	if h.metadata != "" {
		c += `, resource_metadata="` + h.metadata + `"`
	}
	return c
}

// over answers a request that is over a limit: with busy if its message wants an answer, else
// in the error form of the service.
func (h *Handler) over(f *fault.Error) http.Handler {
	bare := func(w http.ResponseWriter, r *http.Request, _ error) { h.refuse(w, r, f) }
	return edge.Body(edge.MaxBody, bare)(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if m, wrong := sniff(body, r.Header); err == nil && wrong == nil && m.request() {
			busy(w, r, m, f)
			return
		}
		bare(w, r, nil)
	}))
}

// Errors for clients whose session does not exist, or who cannot listen.
var (
	errNoSession = fault.New(fault.NotFound, "session_not_found", "",
		"there is no such session of yours: it has ended, or was never begun here; begin another with initialize")
	errNoSessionNamed = fault.New(fault.Invalid, "session_missing", "",
		"no session was named; send its id as Mcp-Session-Id")
	errNoPlace = fault.New(fault.Unavailable, fault.CodeOverloaded, "",
		"as many clients listen as there are places; calls need no stream")
)

// Errors for requests of foreign hosts and origins.
var (
	errForeignHost   = fault.New(fault.Forbidden, "host_not_allowed", "", "the Host header names another server than this one")
	errForeignOrigin = fault.New(fault.Forbidden, "origin_not_allowed", "", "pages of this Origin may not call the server")
)

// busyCode is the error code of a call beyond a limit. JSON-RPC leaves its range to servers.
const busyCode = -32000

// How long a call is asked to wait.
const (
	minWait = time.Second
	maxWait = time.Minute // some clients wait as long as they are told
)

// tooMany returns the error of a call beyond the number that may run at the same time.
func (h *Handler) tooMany() *fault.Error {
	return fault.New(fault.TooManyStreams, fault.CodeTooManyStreams, "",
		"%d calls of yours are running, which is the most at once; try again when one has ended", h.places.most)
}

// busy refuses a call that is over a limit, with an answer to the call and status 200. With any
// other status some clients, the official one for Python among them, end the whole connection
// and all calls that run.
func busy(w http.ResponseWriter, r *http.Request, m message, f *fault.Error) {
	edge.Note(r.Context(), f)
	// Never 0, which a client would take for at once.
	wait := min(max(f.RetryAfter, minWait), maxWait)
	seconds := int(math.Ceil(wait.Seconds()))
	w.Header().Set("Retry-After", strconv.Itoa(seconds))
	w.Header().Set("Retry-After-Ms", strconv.FormatInt(wait.Milliseconds(), 10))
	wrong := mcp.NewJSONRPCErrorDetails(busyCode, f.Msg, map[string]any{"code": f.Code, "retryAfterSeconds": seconds})
	writeJSON(w, http.StatusOK, newFailed(m.ID, &wrong))
}

// deny refuses a message that does not follow the protocol. A request of a version before
// 2026-07-28 is answered with status 200, because its client learns only from the body what
// became of it.
func deny(w http.ResponseWriter, r *http.Request, m message, wrong *mcp.JSONRPCErrorDetails) {
	edge.Note(r.Context(), fault.New(fault.Invalid, fault.CodeInvalidBody, "", "%s", wrong.Message))
	status := http.StatusBadRequest
	switch {
	case m.modern && wrong.Code == mcp.METHOD_NOT_FOUND:
		// From version 2026-07-28 on the status tells the sort of error too: 404 for a method that
		// does not exist, 400 for everything else.
		status = http.StatusNotFound
	case !m.modern && m.request():
		status = http.StatusOK
	}
	writeJSON(w, status, newFailed(m.ID, wrong))
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // a client that left needs no answer
}
