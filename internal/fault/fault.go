// Package fault defines the errors that a caller may act on.
//
// A domain package returns an [*Error] when the caller asked for something that is not possible.
// Every other error is internal: it is logged in full and answered as "internal error". Each
// transport has one table that maps a [Kind] to its own status.
package fault

import (
	"errors"
	"fmt"
	"time"
)

// Kind classifies an error by what its receiver can do about it.
type Kind string

// The kinds. The zero Kind means no error.
const (
	Invalid         Kind = "invalid"          // a value is malformed or out of range
	Unprocessable   Kind = "unprocessable"    // well formed, but refused by a rule of the product
	Unauthenticated Kind = "unauthenticated"  // no key, or not a valid one
	Forbidden       Kind = "forbidden"        // from a web page or host that is not allowed to ask
	NotFound        Kind = "not_found"        // does not exist, or not for this caller
	NotAllowed      Kind = "not_allowed"      // a method that the URL does not support
	Conflict        Kind = "conflict"         // exists already, or has changed meanwhile
	TooLarge        Kind = "too_large"        // the body exceeds its limit
	Unsupported     Kind = "unsupported"      // a content type that is not accepted
	QuotaExceeded   Kind = "quota_exceeded"   // the balance of characters is spent
	RateLimited     Kind = "rate_limited"     // the minute's requests are spent
	TooManyStreams  Kind = "too_many_streams" // all stream slots are taken
	Unavailable     Kind = "unavailable"      // a part of the server is down; retry later
	Cancelled       Kind = "cancelled"        // the caller left
	Idle            Kind = "idle"             // the caller sent nothing for too long
	Stopping        Kind = "stopping"         // the server is shutting down
	Internal        Kind = "internal"         // everything else
)

// Stable codes of the speech service, as they appear in error bodies.
const (
	CodeInvalidParameter  = "invalid_parameter"
	CodeInvalidBody       = "invalid_body"
	CodeTextTooLong       = "max_character_limit_exceeded"
	CodeScript            = "script_not_supported" // the text is in a script of no supported language
	CodeMissingKey        = "missing_api_key"
	CodeInvalidKey        = "invalid_api_key"
	CodeVoiceNotFound     = "voice_not_found"
	CodeClipNotFound      = "clip_not_found"
	CodeNotFound          = "not_found"
	CodeBodyTooLarge      = "body_too_large"
	CodeUnsupportedMedia  = "unsupported_media_type"
	CodeInsufficientQuota = "insufficient_quota"
	CodeRateLimited       = "rate_limit_exceeded"
	CodeTooManyStreams    = "too_many_concurrent_requests"
	CodeEngineUnavailable = "engine_unavailable"
	CodeStoreUnavailable  = "store_unavailable"
	CodeOverloaded        = "overloaded"
	CodeInputTimeout      = "input_timeout_exceeded"
	CodeInvalidMessage    = "invalid_message"
	CodeTooManyContexts   = "max_active_contexts"
	CodeOriginNotAllowed  = "origin_not_allowed"
	CodeInternal          = "internal_error"
)

// Error is an error that its receiver may act on.
type Error struct {
	Kind       Kind
	Code       string        // stable, for programs
	Field      string        // the parameter at fault, or ""
	Msg        string        // a sentence for a person: what is wrong, what is allowed, what was sent
	RetryAfter time.Duration // when a retry may succeed; 0 = unknown
	Err        error         // the cause; never shown to a caller
}

// New returns an error. field may be "".
func New(kind Kind, code, field, format string, args ...any) *Error {
	return &Error{Kind: kind, Code: code, Field: field, Msg: fmt.Sprintf(format, args...)}
}

// BadParameter returns an Invalid error about one parameter.
func BadParameter(field, format string, args ...any) *Error {
	return New(Invalid, CodeInvalidParameter, field, format, args...)
}

// Down returns an Unavailable error with a cause, and asks the caller to retry after a while.
func Down(code string, after time.Duration, err error, format string, args ...any) *Error {
	e := New(Unavailable, code, "", format, args...)
	e.RetryAfter, e.Err = after, err
	return e
}

// Error returns the sentence, followed by the cause if there is one.
func (e *Error) Error() string {
	if e.Err != nil {
		return e.Msg + ": " + e.Err.Error()
	}
	return e.Msg
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// KindOf returns the kind of err: "" for nil, Internal if err is not an [*Error].
func KindOf(err error) Kind {
	if err == nil {
		return ""
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return Internal
}
