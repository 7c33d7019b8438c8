package people

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"vaak/identity"
	"vaak/store/database"
)

// maxEvents is how many events a page has at most.
const maxEvents = 500

// eventRow is a row of events. The database numbers them in the order in which they are
// added.
type eventRow struct {
	bun.BaseModel `bun:"table:events,alias:e"`

	At      int64
	Actor   string
	OrgID   string
	Action  string
	Target  string
	Outcome string
	Address string
}

// numberedRow is a row of events with its number.
type numberedRow struct {
	Seq int64
	eventRow
}

// AddEvent implements [identity.EventStore].
func (s *People) AddEvent(ctx context.Context, e identity.Event) error {
	if err := database.CheckTexts(e.Actor, e.OrgID, e.Action, e.Target, e.Outcome, e.Address); err != nil {
		return err
	}
	r := eventRow{At: database.Micros(e.At), Actor: e.Actor, OrgID: e.OrgID, Action: e.Action, Target: e.Target, Outcome: e.Outcome, Address: e.Address}
	_, err := s.db.Execute(ctx, "insert an event", func(tx *database.Tx) database.Statement {
		return tx.NewInsert().Model(&r).Returning("NULL")
	})
	return err
}

// Events implements [identity.EventStore]. A limit outside 1 to 500 is the nearest of
// these.
func (s *People) Events(ctx context.Context, q identity.EventQuery) ([]identity.Logged, error) {
	page := s.db.Read.NewSelect().Model((*eventRow)(nil)).ColumnExpr("e.*")
	if q.Before > 0 {
		page = page.Where("e.seq < ?", q.Before)
	}
	if q.OrgID != "" {
		if !database.IsID(q.OrgID) {
			return nil, nil
		}
		page = page.Where("e.org_id = ?", q.OrgID)
	}
	var rows []numberedRow
	err := page.Order("e.seq DESC").Limit(int64(min(max(q.Limit, 1), maxEvents))).Scan(ctx, &rows)
	var all []identity.Logged
	for _, r := range rows {
		all = append(all, identity.Logged{Seq: r.Seq, Event: identity.Event{
			At: database.Instant(r.At), Actor: r.Actor, OrgID: r.OrgID, Action: r.Action, Target: r.Target, Outcome: r.Outcome, Address: r.Address,
		}})
	}
	return all, s.db.Fail(ctx, err, "select events")
}

// PruneEvents implements [identity.EventStore]. No index has their times, so it only looks
// at the events with the lowest numbers.
func (s *People) PruneEvents(ctx context.Context, before time.Time) (int, error) {
	return s.db.Prune(ctx, "delete events", func(tx *database.Tx, limit int) database.Statement {
		first := tx.NewSelect().Model((*eventRow)(nil)).Column("seq").Order("seq").Limit(int64(limit))
		return tx.NewDelete().Model((*eventRow)(nil)).Where("at < ?", database.Micros(before)).Where("seq IN (?)", first)
	})
}
