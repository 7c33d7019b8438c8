package webhooks

import (
	"context"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"vaak/store/database"
	"vaak/store/jobs"
	"vaak/webhook"
)

// eventRow is a row of webhook_events.
type eventRow struct {
	bun.BaseModel `bun:"table:webhook_events,alias:v"`

	ID        string `bun:",pk"`
	Type      string
	Subject   string
	Owner     string
	At        int64
	CreatedAt int64
	Body      string
}

// deliveryRow is a row of webhook_deliveries.
type deliveryRow struct {
	bun.BaseModel `bun:"table:webhook_deliveries,alias:d"`

	N            int64 `bun:",pk,autoincrement"`
	ID           string
	EndpointID   string
	EventID      string
	Subject      string
	State        string
	Replayed     int // 0 or 1
	Attempts     int
	NextAt       int64
	ClaimedUntil int64
	CreatedAt    int64
	ChangedAt    int64
	Status       int
	Problem      string
	Response     string
	TookUs       int64
}

func (r deliveryRow) delivery(e webhook.Event) webhook.Delivery {
	return webhook.Delivery{
		N: r.N, ID: r.ID, Endpoint: r.EndpointID, Event: e, Outcome: webhook.Outcome(r.State), Replayed: r.Replayed != 0,
		Attempts: r.Attempts, Next: database.Instant(r.NextAt), Created: database.Instant(r.CreatedAt), Changed: database.Instant(r.ChangedAt),
		Last: webhook.Attempt{Status: r.Status, Problem: r.Problem, Response: r.Response, Took: time.Duration(r.TookUs) * time.Microsecond},
	}
}

// Emit writes an event in the transaction of what has happened, with a delivery to each endpoint that
// wants it. An event that nobody wants is not written.
func Emit(ctx context.Context, tx *database.Tx, e webhook.Event) error {
	owners := []string{webhook.Operator}
	if e.Owner != webhook.Operator {
		owners = append(owners, e.Owner)
	}
	q := tx.NewSelect().Where("e.owner IN (?)", bun.List(owners)).Where("e.state = ?", string(webhook.Enabled)).Order("e.n")
	if tx.DB().Postgres() {
		q = q.For("KEY SHARE") // see keep
	}
	all, err := database.All(ctx, q, endpointRow.endpoint)
	if err != nil {
		return tx.Fail(ctx, err, "look for webhook endpoints")
	}
	_, err = emitTo(ctx, tx, e, all)
	return err
}

// keep makes PostgreSQL keep the endpoints that a query has found until the end of the transaction. A
// delete between the query and the insert of a delivery would make the insert fail, and with it what
// has happened. Changes of endpoints do not wait for it.
const keep = " FOR KEY SHARE"

// emitTo writes an event for those of some endpoints that want it, and returns its deliveries.
func emitTo(ctx context.Context, tx *database.Tx, e webhook.Event, endpoints []webhook.Endpoint) ([]webhook.Delivery, error) {
	var to []string
	for _, p := range endpoints {
		if p.Wants(e.Type) {
			to = append(to, p.ID)
		}
	}
	if len(to) == 0 {
		return nil, nil
	}
	now, err := tx.DB().Present(ctx, tx)
	if err != nil {
		return nil, err
	}
	r := eventRow{
		ID: e.ID, Type: string(e.Type), Subject: e.Subject, Owner: e.Owner, At: database.Micros(e.At),
		CreatedAt: database.Micros(now), Body: e.Body,
	}
	n, err := tx.Execute(ctx, tx.NewInsert().Model(&r).On("CONFLICT (id) DO NOTHING").Returning("NULL"))
	if err != nil || n == 0 { // 0: an event that happens once was written before
		return nil, tx.Fail(ctx, err, "write a webhook event")
	}
	return queue(ctx, tx, e, now, false, to...)
}

// queue writes deliveries of an event, each with its job.
func queue(ctx context.Context, tx *database.Tx, e webhook.Event, now time.Time, replayed bool, endpoints ...string) ([]webhook.Delivery, error) {
	made, work := make([]webhook.Delivery, len(endpoints)), make([]jobs.Job, len(endpoints))
	for i, id := range endpoints {
		r := deliveryRow{
			ID: webhook.NewDeliveryID(), EndpointID: id, EventID: e.ID, Subject: e.Subject, State: string(webhook.Waiting),
			NextAt: database.Micros(now), CreatedAt: database.Micros(now), ChangedAt: database.Micros(now),
		}
		if replayed {
			r.Replayed = 1
		}
		if _, err := tx.NewInsert().Model(&r).Returning("n").Exec(ctx); err != nil {
			return nil, tx.Fail(ctx, err, "write a webhook delivery")
		}
		made[i], work[i] = r.delivery(e), deliverJob(r.N, time.Time{})
	}
	return made, tx.Enqueue(ctx, work...)
}

func deliverJob(n int64, at time.Time) jobs.Job {
	return jobs.Job{Kind: webhook.JobDeliver, Args: webhook.DeliverArgs{Delivery: n}, Lane: webhook.Lane, At: at}
}

// SendTo implements [webhook.Store]. It is NotFound when there is no such endpoint.
func (s *Webhooks) SendTo(ctx context.Context, endpoint string, e webhook.Event) (d webhook.Delivery, err error) {
	err = s.db.Transact(ctx, func(ctx context.Context, tx *database.Tx) error {
		p, ok, err := lockEndpoint(ctx, tx, endpoint)
		if err != nil {
			return err
		}
		p.Types = nil
		var made []webhook.Delivery
		if ok {
			if made, err = emitTo(ctx, tx, e, []webhook.Endpoint{p}); err != nil {
				return err
			}
		}
		if len(made) == 0 {
			return notEnabled()
		}
		d = made[0]
		return nil
	})
	return d, err
}

// expiringAtOnce is how many lots are looked at together.
const expiringAtOnce = 200

// expiringRow is a lot that expires soon.
type expiringRow struct {
	bun.BaseModel `bun:"table:lots,alias:l"`

	ID        string
	OrgID     string
	Kind      string
	ExpiresAt int64
	Remaining int64
}

// TellExpiring writes an event for each endpoint and each lot that expires within the days that the
// endpoint says. A lot is told to an endpoint once. It may be called as often as one likes.
func (s *Webhooks) TellExpiring(ctx context.Context) error {
	all, err := database.All(ctx, s.db.Read.NewSelect().Where("e.state = ?", string(webhook.Enabled)).Order("e.n"), endpointRow.endpoint)
	if err != nil {
		return s.db.Fail(ctx, err, "list webhook endpoints")
	}
	now, err := s.db.Present(ctx, s.db.Read)
	if err != nil {
		return err
	}
	for _, e := range all {
		if !e.Wants(webhook.LotExpiring) {
			continue
		}
		if err := s.tellExpiring(ctx, e, now); err != nil {
			return s.db.Fail(ctx, err, "look for lots that expire")
		}
	}
	return nil
}

func (s *Webhooks) tellExpiring(ctx context.Context, e webhook.Endpoint, now time.Time) error {
	var last expiringRow
	for {
		var lots []expiringRow
		q := s.db.Read.NewSelect().Model(&lots).Column("id", "org_id", "kind", "expires_at", "remaining").
			Where("l.is_open").Where("l.remaining > 0").Where("l.expires_at > ?", database.Micros(now)).
			Where("l.expires_at <= ?", database.Micros(now.AddDate(0, 0, e.NoticeDays))).
			Where("(l.expires_at, l.id) > (?, ?)", last.ExpiresAt, last.ID).
			Order("l.expires_at", "l.id").Limit(expiringAtOnce)
		if e.Owner != webhook.Operator {
			q = q.Where("l.org_id = ?", e.Owner)
		}
		if err := q.Scan(ctx); err != nil || len(lots) == 0 {
			return err
		}
		last = lots[len(lots)-1]
		if err := s.writeExpiring(ctx, e, lots, now); err != nil {
			return err
		}
		if len(lots) < expiringAtOnce {
			return nil
		}
	}
}

// writeExpiring writes those of some lots that an endpoint was not told of.
func (s *Webhooks) writeExpiring(ctx context.Context, to webhook.Endpoint, lots []expiringRow, now time.Time) error {
	events := make([]webhook.Event, len(lots))
	ids := make([]string, len(lots))
	for i, l := range lots {
		events[i] = webhook.NewEvent(webhook.LotExpiring, l.OrgID, "lot/"+l.ID, now, webhook.Expiring{
			Org: l.OrgID, Lot: l.ID, Source: l.Kind, Remaining: l.Remaining, Expires: database.Instant(l.ExpiresAt), NoticeDays: to.NoticeDays,
		}).Once(to.ID, l.ID)
		ids[i] = events[i].ID
	}
	var told []string
	if err := s.db.Read.NewSelect().Model((*eventRow)(nil)).Column("id").Where("v.id IN (?)", bun.List(ids)).Scan(ctx, &told); err != nil {
		return err
	}
	events = slices.DeleteFunc(events, func(e webhook.Event) bool { return slices.Contains(told, e.ID) })
	if len(events) == 0 {
		return nil
	}
	return s.db.Transact(ctx, func(ctx context.Context, tx *database.Tx) error {
		// As it is now: it may have been disabled or deleted since it was read.
		e, ok, err := lockEndpoint(ctx, tx, to.ID)
		if err != nil || !ok {
			return err
		}
		for _, event := range events {
			if _, err := emitTo(ctx, tx, event, []webhook.Endpoint{e}); err != nil {
				return err
			}
		}
		return nil
	})
}
