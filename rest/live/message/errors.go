package message

import (
	"errors"
	"time"

	"github.com/gorilla/websocket"

	"vaak/internal/fault"
)

// Codes of errors that only sockets have.
const (
	// CodeUpgradeRequired says that a request was not a WebSocket handshake.
	CodeUpgradeRequired = "upgrade_required"

	// CodeSessionTime says that a socket was open for as long as its token allows.
	CodeSessionTime = "session_time_exceeded"

	CodeStopping   = "server_stopping"
	CodeClientGone = "client_closed_request"
)

// CloseCodes maps kinds of errors to close codes. Kinds that are not in it close with 1011.
var CloseCodes = map[fault.Kind]int{
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
	fault.Stopping:        websocket.CloseGoingAway,
}

var (
	ErrInternal = &fault.Error{Kind: fault.Internal, Code: fault.CodeInternal, Msg: "internal error"}
	ErrStopping = &fault.Error{Kind: fault.Stopping, Code: CodeStopping, Msg: "the server is stopping; connect again"}
)

// Trouble returns the fault that a client may see of an error, and its close code.
func Trouble(err error) (*fault.Error, int) {
	f, ok := errors.AsType[*fault.Error](err)
	// What is not a fault may hold anything, so the client never sees it.
	if !ok || f.Kind == fault.Internal {
		return ErrInternal, websocket.CloseInternalServerErr
	}
	code, ok := CloseCodes[f.Kind]
	if !ok {
		code = websocket.CloseInternalServerErr
	}
	return f, code
}

// Bad returns the error of a message that is refused, of code invalid_message.
func Bad(format string, args ...any) error {
	return fault.New(fault.Invalid, fault.CodeInvalidMessage, "", format, args...)
}

// TimedOut returns the error of a socket or context without a message for too long.
func TimedOut(idle time.Duration) error {
	return fault.New(fault.Idle, fault.CodeInputTimeout, "", "nothing came for %g s", idle.Seconds())
}
