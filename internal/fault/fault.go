// Package fault holds the errors that a caller may act on.
//
// A domain package returns an [*Error] when the caller asked for something
// that cannot be had; every other error is an internal one, which is logged
// whole and answered as "internal error". Each transport has one table that
// turns a [Kind] into its own status.
package fault

import (
	"errors"
	"fmt"
	"time"
)

// Kind says what sort of thing went wrong, and so what a caller can do.
type Kind string

// The kinds. The zero Kind is no error.
const (
	Invalid         Kind = "invalid"          // a value is malformed or out of range
	Unprocessable   Kind = "unprocessable"    // well formed, and refused by a rule of the product
	Unauthenticated Kind = "unauthenticated"  // no key, or not a valid one
	Forbidden       Kind = "forbidden"        // a web page or a host that may not ask
	NotFound        Kind = "not_found"        // no such thing, or not for this caller
	NotAllowed      Kind = "not_allowed"      // a method that the address does not serve
	Conflict        Kind = "conflict"         // the thing is there already, or changed meanwhile
	TooLarge        Kind = "too_large"        // the body is over its cap
	Unsupported     Kind = "unsupported"      // a content type that is not taken
	QuotaExceeded   Kind = "quota_exceeded"   // the balance of characters is spent
	RateLimited     Kind = "rate_limited"     // the minute's requests are spent
	TooManyStreams  Kind = "too_many_streams" // all stream slots are taken
	Unavailable     Kind = "unavailable"      // a part of the server is down; try again
	Cancelled       Kind = "cancelled"        // the caller went away
	Idle            Kind = "idle"             // the caller said nothing for too long
	Stopping        Kind = "stopping"         // the end of the server cut it short
	Internal        Kind = "internal"         // everything else
)

// Stable codes of the speech service, as they stand in error bodies.
const (
	CodeInvalidParameter  = "invalid_parameter"
	CodeInvalidBody       = "invalid_body"
	CodeTextTooLong       = "max_character_limit_exceeded"
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
	RetryAfter time.Duration // when trying again may help; 0 = not known
	Err        error         // the cause, never shown to a caller
}

// New returns an error of a kind. Field may be "".
func New(kind Kind, code, field, format string, args ...any) *Error {
	return &Error{Kind: kind, Code: code, Field: field, Msg: fmt.Sprintf(format, args...)}
}

// BadParameter returns an Invalid error about one parameter.
func BadParameter(field, format string, args ...any) *Error {
	return New(Invalid, CodeInvalidParameter, field, format, args...)
}

// Down returns an Unavailable error that wraps its cause and asks the caller
// to try again after a while.
func Down(code string, after time.Duration, err error, format string, args ...any) *Error {
	e := New(Unavailable, code, "", format, args...)
	e.RetryAfter, e.Err = after, err
	return e
}

// Error returns the sentence, followed by the cause when there is one.
func (e *Error) Error() string {
	if e.Err != nil {
		return e.Msg + ": " + e.Err.Error()
	}
	return e.Msg
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// KindOf returns the kind of err: "" for nil, Internal for an error that is
// not an [*Error].
func KindOf(err error) Kind {
	if err == nil {
		return ""
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return Internal
}
