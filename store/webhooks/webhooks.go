// Package webhooks keeps webhook endpoints, events, and the deliveries of events to endpoints.
//
// The packages of other aggregates write events with [Emit] in the transaction of what has changed.
package webhooks

import (
	"cmp"
	"context"
	"time"

	"github.com/uptrace/bun"

	"vaak/internal/fault"
	"vaak/store/database"
	"vaak/webhook"
)

// Webhooks keeps webhooks in a database. No error holds an address or a secret.
type Webhooks struct{ db *database.DB }

var (
	_ webhook.Store  = (*Webhooks)(nil)
	_ webhook.Outbox = (*Webhooks)(nil)
)

// New returns the webhooks of a database.
func New(db *database.DB) *Webhooks { return &Webhooks{db} }

// endpointRow is a row of webhook_endpoints. Types, thresholds and secrets are JSON.
type endpointRow struct {
	bun.BaseModel `bun:"table:webhook_endpoints,alias:e"`

	ID           string `bun:",pk"`
	Owner        string
	URL          string
	Description  string
	Types        string
	Thresholds   string
	NoticeDays   int
	State        string
	Watches      int // 0 or 1
	StoppedAt    int64
	FailingSince int64
	CreatedAt    int64
	ChangedAt    int64
	Secrets      string
}

func rowOf(e webhook.Endpoint) endpointRow {
	r := endpointRow{
		ID: e.ID, Owner: e.Owner, URL: e.URL, Description: e.Description,
		Types: database.EncodeJSON(e.Types), Thresholds: database.EncodeJSON(e.Thresholds), NoticeDays: e.NoticeDays,
		State: string(e.State), StoppedAt: database.Micros(e.Stopped), FailingSince: database.Micros(e.FailingSince),
		CreatedAt: database.Micros(e.Created), ChangedAt: database.Micros(e.Changed), Secrets: database.EncodeJSON(e.Secrets),
	}
	if e.Wants(webhook.ThresholdReached) || e.Wants(webhook.LotExpired) {
		r.Watches = 1
	}
	return r
}

func (r endpointRow) endpoint() (e webhook.Endpoint, err error) {
	e = webhook.Endpoint{
		ID: r.ID, Owner: r.Owner, URL: r.URL, Description: r.Description, NoticeDays: r.NoticeDays, State: webhook.State(r.State),
		Stopped: database.Instant(r.StoppedAt), FailingSince: database.Instant(r.FailingSince),
		Created: database.Instant(r.CreatedAt), Changed: database.Instant(r.ChangedAt),
	}
	for _, part := range []struct {
		text string
		into any
	}{{r.Types, &e.Types}, {r.Thresholds, &e.Thresholds}, {r.Secrets, &e.Secrets}} {
		if err := database.DecodeJSON(part.text, part.into, "a part of a webhook endpoint"); err != nil {
			return e, err
		}
	}
	return e, nil
}

// endpointLock is the key of an advisory lock of PostgreSQL: the letters "hook".
const endpointLock = 0x686f6f6b

// CreateEndpoint implements [webhook.Store].
func (s *Webhooks) CreateEndpoint(ctx context.Context, e webhook.Endpoint, most int) (made bool, err error) {
	if err := database.CheckTexts(e.URL, e.Description, e.Owner); err != nil {
		return false, err
	}
	err = s.db.Transact(ctx, func(ctx context.Context, tx *database.Tx) error {
		made = false
		if s.db.Postgres() {
			// Two at once would both count before either has inserted. SQLite has one writer. The
			// lock is a function of PostgreSQL, not a table for the builder.
			if _, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock(?)", endpointLock); err != nil {
				return tx.Fail(ctx, err, "wait for others who make webhook endpoints")
			}
		}
		if e.Owner != webhook.Operator {
			if there, err := tx.NewSelect().TableExpr("organisations").Where("id = ?", e.Owner).Exists(ctx); err != nil || !there {
				return cmp.Or(tx.Fail(ctx, err, "look for an organisation"), error(noOrganisation(e.Owner)))
			}
		}
		n, err := tx.NewSelect().Model((*endpointRow)(nil)).Where("e.owner = ?", e.Owner).Count(ctx)
		if err != nil || int(n) >= most {
			return tx.Fail(ctx, err, "count webhook endpoints")
		}
		r := rowOf(e)
		if _, err := tx.NewInsert().Model(&r).Returning("NULL").Exec(ctx); err != nil {
			return tx.Fail(ctx, err, "write a webhook endpoint")
		}
		made = true
		return forgetUsage(ctx, tx, e.ID)
	})
	return made && err == nil, err
}

func noOrganisation(id string) *fault.Error {
	return fault.New(fault.NotFound, "organisation_not_found", "org", "there is no organisation %.64q; vaak org list has all", id)
}

// Endpoint implements [webhook.Store].
func (s *Webhooks) Endpoint(ctx context.Context, id string) (webhook.Endpoint, bool, error) {
	if !database.IsID(id) {
		return webhook.Endpoint{}, false, nil
	}
	e, ok, err := database.First(ctx, s.db.Read.NewSelect().Where("e.id = ?", id), endpointRow.endpoint)
	return e, ok, s.db.Fail(ctx, err, "read a webhook endpoint")
}

// Endpoints implements [webhook.Store].
func (s *Webhooks) Endpoints(ctx context.Context, owner string) ([]webhook.Endpoint, error) {
	if owner != webhook.Operator && !database.IsID(owner) {
		return nil, nil
	}
	all, err := database.All(ctx, s.db.Read.NewSelect().Where("e.owner = ?", owner).Order("e.n"), endpointRow.endpoint)
	return all, s.db.Fail(ctx, err, "list webhook endpoints")
}

// ChangeEndpoint implements [webhook.Store].
func (s *Webhooks) ChangeEndpoint(ctx context.Context, id string, change func(*webhook.Endpoint) error) (e webhook.Endpoint, found bool, err error) {
	if !database.IsID(id) {
		return e, false, nil
	}
	err = s.db.Transact(ctx, func(ctx context.Context, tx *database.Tx) error {
		if e, found, err = lockEndpoint(ctx, tx, id); err != nil || !found {
			return err
		}
		before := e.State
		if err := change(&e); err != nil {
			return err
		}
		if err := database.CheckTexts(e.URL, e.Description); err != nil {
			return err
		}
		return putEndpoint(ctx, tx, e, before)
	})
	return e, found && err == nil, err
}

// lockEndpoint reads an endpoint that nobody else can change until the end of the transaction.
func lockEndpoint(ctx context.Context, tx *database.Tx, id string) (webhook.Endpoint, bool, error) {
	q := tx.NewSelect().Where("e.id = ?", id)
	if tx.DB().Postgres() {
		// Not UPDATE, which would wait for all who write events for the endpoint. SQLite has one
		// writer.
		q = q.For("NO KEY UPDATE")
	}
	e, ok, err := database.First(ctx, q, endpointRow.endpoint)
	return e, ok, tx.Fail(ctx, err, "read a webhook endpoint")
}

// stopped is the problem of deliveries that waited for an endpoint when it was disabled.
const stopped = "the endpoint was disabled before this was delivered"

// putEndpoint writes an endpoint that was in another state before, perhaps.
func putEndpoint(ctx context.Context, tx *database.Tx, e webhook.Endpoint, before webhook.State) error {
	r := rowOf(e)
	if _, err := tx.NewUpdate().Model(&r).WherePK().Exec(ctx); err != nil {
		return tx.Fail(ctx, err, "write a webhook endpoint")
	}
	if e.State != webhook.Enabled && before == webhook.Enabled {
		_, err := tx.NewUpdate().Model((*deliveryRow)(nil)).
			Set("state = ?", string(webhook.Failed)).Set("problem = ?", stopped).Set("changed_at = ?", tx.DB().Clock()).
			Where("endpoint_id = ?", e.ID).Where("state = ?", string(webhook.Waiting)).Exec(ctx)
		if err != nil {
			return tx.Fail(ctx, err, "end the deliveries of a webhook endpoint")
		}
	}
	if r.Watches == 0 {
		return nil
	}
	return forgetUsage(ctx, tx, e.ID)
}

// DeleteEndpoint implements [webhook.Store].
func (s *Webhooks) DeleteEndpoint(ctx context.Context, id string) (bool, error) {
	if !database.IsID(id) {
		return false, nil
	}
	n, err := s.db.Execute(ctx, "delete a webhook endpoint", func(tx *database.Tx) database.Statement {
		return tx.NewDelete().Model((*endpointRow)(nil)).Where("id = ?", id)
	})
	return n > 0, err
}

// Prune deletes deliveries that ended before a time, and events without deliveries from before it.
func (s *Webhooks) Prune(ctx context.Context, before time.Time) (int, error) {
	n, err := s.db.Prune(ctx, "delete webhook deliveries", func(tx *database.Tx, limit int) database.Statement {
		old := tx.NewSelect().Model((*deliveryRow)(nil)).Column("n").
			Where("d.changed_at < ?", database.Micros(before)).Where("d.state <> ?", string(webhook.Waiting)).Limit(int64(limit))
		return tx.NewDelete().Model((*deliveryRow)(nil)).Where("n IN (?)", old)
	})
	if err != nil {
		return n, err
	}
	_, err = s.db.Prune(ctx, "delete webhook events", func(tx *database.Tx, limit int) database.Statement {
		// An event and its deliveries are written in one transaction, so one without deliveries gets
		// none later, but for a replay, which locks its delivery.
		old := tx.NewSelect().Model((*eventRow)(nil)).Column("id").
			Where("v.created_at < ?", database.Micros(before)).
			Where("NOT EXISTS (?)", tx.NewSelect().Model((*deliveryRow)(nil)).ColumnExpr("1").Where("d.event_id = v.id")).Limit(int64(limit))
		return tx.NewDelete().Model((*eventRow)(nil)).Where("id IN (?)", old)
	})
	return n, err
}

// Standing is how webhooks stand.
type Standing struct {
	Waiting  int           // deliveries that wait
	Oldest   time.Duration // since the oldest of them was due first; 0 without any
	Disabled int           // endpoints that were disabled because they failed or are gone
}

// Standing counts what waits.
func (s *Webhooks) Standing(ctx context.Context) (st Standing, err error) {
	var oldest int64
	err = s.db.Read.NewSelect().Model((*deliveryRow)(nil)).ColumnExpr("count(*)").ColumnExpr("coalesce(min(d.created_at), 0)").
		Where("d.state = ?", string(webhook.Waiting)).Scan(ctx, &st.Waiting, &oldest)
	if err == nil {
		var n int64
		n, err = countOf(s.db.Read.NewSelect().Model((*endpointRow)(nil)).
			Where("e.state IN (?)", bun.List([]string{string(webhook.Gone), string(webhook.Failing)})).Count(ctx))
		st.Disabled = int(n)
	}
	if err != nil {
		return Standing{}, s.db.Fail(ctx, err, "count webhook deliveries")
	}
	if oldest > 0 {
		st.Oldest = max(s.db.Local().Sub(database.Instant(oldest)), 0)
	}
	return st, nil
}

func countOf[N int | int64](n N, err error) (int64, error) { return int64(n), err }
