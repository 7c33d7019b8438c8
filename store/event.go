package store

import (
	"context"
	"math"
	"time"

	"vaak/identity"
)

// maxEvents is how many events a page has at most.
const maxEvents = 500

// AddEvent implements [identity.EventStore].
func (i *Identity) AddEvent(ctx context.Context, e identity.Event) error {
	if err := checkTexts(e.Actor, e.OrgID, e.Action, e.Target, e.Outcome, e.Address); err != nil {
		return err
	}
	_, err := i.store.exec(ctx, "insert an event", `INSERT INTO events (at, actor, org_id, action, target, outcome, address)
		VALUES (?, ?, ?, ?, ?, ?, ?)`, micros(e.At), e.Actor, e.OrgID, e.Action, e.Target, e.Outcome, e.Address)
	return err
}

// Events implements [identity.EventStore]. A limit outside 1 to 500 is the nearest of
// these.
func (i *Identity) Events(ctx context.Context, q identity.EventQuery) ([]identity.Logged, error) {
	if q.Before <= 0 {
		q.Before = math.MaxInt64
	}
	which, args := "seq < ?", []any{q.Before}
	if q.OrgID != "" {
		if !names(q.OrgID) {
			return nil, nil
		}
		which += " AND org_id = ?"
		args = append(args, q.OrgID)
	}
	args = append(args, min(max(q.Limit, 1), maxEvents))
	all, err := collect(ctx, i.store.read, scanEvent, `SELECT seq, at, actor, org_id, action, target, outcome, address
		FROM events WHERE `+which+" ORDER BY seq DESC LIMIT ?", args...)
	return all, i.store.fail(ctx, err, "select events")
}

// PruneEvents implements [identity.EventStore]. It looks at the events with the lowest
// numbers alone, as no index has their times.
func (i *Identity) PruneEvents(ctx context.Context, before time.Time) (int, error) {
	return i.store.prune(ctx, "delete events",
		"DELETE FROM events WHERE at < ? AND seq IN (SELECT seq FROM events ORDER BY seq LIMIT ?)", before)
}

func scanEvent(r row) (e identity.Logged, err error) {
	var at int64
	err = r.Scan(&e.Seq, &at, &e.Actor, &e.OrgID, &e.Action, &e.Target, &e.Outcome, &e.Address)
	e.At = instant(at)
	return e, err
}
