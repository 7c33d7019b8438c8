package identity

import (
	"context"
	"errors"
	"time"

	"vaak/internal/fault"
)

// Bounds of a page of events.
const (
	DefaultEvents = 100
	MaxEvents     = 500
)

// noteTime is how long an event may take to be added.
const noteTime = 5 * time.Second

// KeepEvents is how long events are kept.
const KeepEvents = 365 * 24 * time.Hour

// journal adds and reads events.
type journal struct{ *base }

// Note adds the event of what a client did, or was refused with err. It sets the time, the
// outcome and the address of e. Mistakes in a form are no events. Nor are refusals by a
// limit: a client can cause as many of them as it likes, and would fill the disk.
func (j *journal) Note(ctx context.Context, from Client, e Event, err error) {
	switch fault.KindOf(err) {
	case fault.Invalid, fault.TooLarge, fault.RateLimited, fault.Cancelled:
		return
	}
	j.add(ctx, from, e, err)
}

// add adds an event, also when the caller has gone away. When the store fails, it logs the
// event without the address: what the event describes has happened already.
func (j *journal) add(ctx context.Context, from Client, e Event, err error) {
	e.Outcome, e.Address = outcome(err), ""
	if from.Address.IsValid() {
		e.Address = from.Address.String()
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), noteTime)
	defer cancel()
	e.At = j.now()
	if err := j.store.AddEvent(ctx, e); err != nil {
		j.log.ErrorContext(ctx, "event not kept", "action", e.Action, "actor", e.Actor, "organisation", e.OrgID,
			"target", e.Target, "outcome", e.Outcome, "error", err)
	}
}

// note adds the event of what was done to a person, or refused with err.
func (j *journal) note(ctx context.Context, from Client, actor, action string, p Person, err error) {
	j.Note(ctx, from, Event{Actor: actor, OrgID: p.OrgID, Action: action, Target: p.ID}, err)
}

// target returns the person that an event is about: p, or a person with only the id when
// the store has returned none.
func target(p Person, id string) Person {
	if p.ID == "" && isID(id) {
		p.ID = id
	}
	return p
}

// outcome is the outcome of an event that ended with err.
func outcome(err error) string {
	if err == nil {
		return OutcomeDone
	}
	if e, ok := errors.AsType[*fault.Error](err); ok {
		return e.Code
	}
	return fault.CodeInternal
}

// Events returns a page of events, the latest first. A Limit of 0 is [DefaultEvents].
func (j *journal) Events(ctx context.Context, q EventQuery) ([]Logged, error) {
	if q.Limit == 0 {
		q.Limit = DefaultEvents
	}
	if q.Limit < 1 || q.Limit > MaxEvents {
		return nil, fault.BadParameter("limit", "limit %d is outside 1 to %d", q.Limit, MaxEvents)
	}
	if q.Before < 0 {
		return nil, fault.BadParameter("before", "before %d is below 0; it is the number of an event, or 0", q.Before)
	}
	return j.store.Events(ctx, q)
}
