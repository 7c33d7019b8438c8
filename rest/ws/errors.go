package ws

import (
	"errors"
	"net/url"
	"unicode/utf8"

	"github.com/gorilla/websocket"

	"vaak/internal/fault"
	"vaak/rest/elevenlabs"
)

// Forbidden is the kind of the refusal of a page of a foreign origin: 403 in
// HTTP.
const Forbidden = fault.Forbidden

// Stopping is the kind of the error of a session that the end of the server cut
// short: 503 in the record of its request.
const Stopping fault.Kind = "stopping"

// Codes of sockets alone.
const (
	// CodeUpgradeRequired says that a request was not a WebSocket handshake.
	CodeUpgradeRequired = "upgrade_required"
	// CodeOriginNotAllowed says that pages of an origin may not open sockets.
	CodeOriginNotAllowed = "origin_not_allowed"

	codeStopping   = "server_stopping"
	codeClientGone = "client_closed_request"
)

// closeCodes is the one place where an error becomes a close code. Kinds that
// are not in it close with 1011.
var closeCodes = map[fault.Kind]int{
	fault.Invalid:         websocket.ClosePolicyViolation,
	fault.Unprocessable:   websocket.ClosePolicyViolation,
	fault.Unauthenticated: websocket.ClosePolicyViolation,
	fault.NotFound:        websocket.ClosePolicyViolation,
	fault.Conflict:        websocket.ClosePolicyViolation,
	fault.QuotaExceeded:   websocket.ClosePolicyViolation,
	fault.RateLimited:     websocket.ClosePolicyViolation,
	fault.TooManyStreams:  websocket.ClosePolicyViolation,
	fault.Idle:            websocket.ClosePolicyViolation,
	fault.TooLarge:        websocket.CloseMessageTooBig,
	fault.Unsupported:     websocket.CloseUnsupportedData,
	Stopping:              websocket.CloseGoingAway,
}

var (
	errInternal = &fault.Error{Kind: fault.Internal, Code: fault.CodeInternal, Msg: "internal error"}
	errStopping = &fault.Error{Kind: Stopping, Code: codeStopping, Msg: "the server is stopping; connect again"}
)

// trouble returns what a client may know of an error, with its close code.
func trouble(err error) (*fault.Error, int) {
	f, ok := errors.AsType[*fault.Error](err)
	if !ok || f.Kind == fault.Internal {
		return errInternal, websocket.CloseInternalServerErr
	}
	code, ok := closeCodes[f.Kind]
	if !ok {
		code = websocket.CloseInternalServerErr
	}
	return f, code
}

// isGone reports whether an error says that there is nobody to be told of it.
func isGone(err error) bool { return fault.KindOf(err) == fault.Cancelled }

// timeout reports whether a session has ended because nothing came.
func timeout(err error) bool { return fault.KindOf(err) == fault.Idle }

func gone(err error) error {
	return &fault.Error{Kind: fault.Cancelled, Code: codeClientGone, Msg: "the client went away", Err: err}
}

func badMessage(format string, args ...any) error {
	return fault.New(fault.Invalid, fault.CodeInvalidMessage, "", format, args...)
}

// asItIs is for the native socket.
func asItIs(err error, _ url.Values) error { return err }

// inDialect returns an error in the words of the ElevenLabs dialect.
func inDialect(err error, query url.Values) error {
	return elevenlabs.Rename(err, query.Get(elevenlabs.FieldFormat))
}

// maxReason is how long the reason of a close frame may be, in bytes (RFC 6455,
// section 5.5: 125 with the code).
const maxReason = 123

// reason cuts a sentence to fit a close frame.
func reason(s string) string {
	if len(s) <= maxReason {
		return s
	}
	n := maxReason
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
