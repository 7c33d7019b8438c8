package speech

import (
	"context"
	"errors"
	"io"
	"time"

	"vaak/account"
	"vaak/edge"
	"vaak/internal/fault"
	"vaak/mcp/tool"
	"vaak/mcp/transport"
	"vaak/speech"
)

// metered is a speaker within the caller's limits: it takes a stream slot, stops when the key is
// revoked, and keeps a record of the call.
type metered struct {
	Speaker
	accounts Accounts
}

// Speak speaks.
func (m metered) Speak(ctx context.Context, caller account.Caller, req speech.Request, w io.Writer) (speech.Result, error) {
	began := time.Now()
	res, err := m.speak(ctx, caller, req, w)
	m.record(ctx, caller, began, res, err)
	return res, err
}

// refused records a call that ended before anything could be spoken.
func (m metered) refused(ctx context.Context, caller account.Caller, err error) {
	m.record(ctx, caller, time.Now(), speech.Result{}, err)
}

func (m metered) record(ctx context.Context, caller account.Caller, began time.Time, res speech.Result, err error) {
	x := edge.From(ctx)
	m.accounts.Record(account.RequestRecord{
		ID: x.ID, At: began, OrgID: caller.OrgID, KeyID: caller.KeyID, Route: x.Route,
		Voice: string(res.Voice), Language: string(res.Language), Engine: res.Engine,
		Characters: int64(res.Charged), FirstAudio: res.FirstAudio, Audio: res.Duration,
		Status: transport.Statuses[endOf(ctx, err)], Code: codeOf(ctx, err),
	})
}

func (m metered) speak(ctx context.Context, caller account.Caller, req speech.Request, w io.Writer) (speech.Result, error) {
	slot, err := m.accounts.Admit(ctx, caller)
	if err != nil {
		return speech.Result{}, err
	}
	defer slot.Release()
	ctx, stop := m.accounts.Session(ctx, caller)
	defer stop()
	res, err := m.Speaker.Speak(ctx, caller, req, w)
	if cause, ok := errors.AsType[*fault.Error](context.Cause(ctx)); ok && fault.KindOf(err) == fault.Internal {
		err = cause // the key was revoked
	}
	return res, err
}

// endOf returns the kind of error with which a call ended.
func endOf(ctx context.Context, err error) fault.Kind {
	kind := fault.KindOf(err)
	switch {
	case errors.Is(err, errOverCap):
		return fault.TooLarge
	case kind != fault.Internal:
		return kind
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fault.Unavailable
	case ctx.Err() != nil:
		return fault.Cancelled
	default:
		return fault.Internal
	}
}

// codeOf returns the stable code of an error with which a call ended, "" without an error.
func codeOf(ctx context.Context, err error) string {
	if f, ok := errors.AsType[*fault.Error](err); ok {
		return f.Code
	}
	switch endOf(ctx, err) {
	case "":
		return ""
	case fault.TooLarge:
		return tool.CodeAudioTooLarge
	case fault.Unavailable:
		return tool.CodeTimeout
	case fault.Cancelled:
		return tool.CodeCancelled
	default:
		return fault.CodeInternal
	}
}
