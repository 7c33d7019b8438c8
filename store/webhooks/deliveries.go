package webhooks

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"vaak/internal/fault"
	"vaak/store/database"
	"vaak/webhook"
)

// eventedRow is a delivery with its event.
type eventedRow struct {
	deliveryRow `bun:",extend"`
	VType       string
	VOwner      string
	VAt         int64
	VBody       string
}

func (r eventedRow) value() (webhook.Delivery, error) {
	return r.deliveryRow.delivery(webhook.Event{
		ID: r.EventID, Type: webhook.Type(r.VType), Subject: r.Subject, Owner: r.VOwner, At: database.Instant(r.VAt), Body: r.VBody,
	}), nil
}

// evented selects deliveries with their events.
func evented(db bun.IDB) *bun.SelectQuery {
	return db.NewSelect().ColumnExpr("d.*").ColumnExpr("v.type AS v_type").ColumnExpr("v.owner AS v_owner").
		ColumnExpr("v.at AS v_at").ColumnExpr("v.body AS v_body").Join("JOIN webhook_events AS v ON v.id = d.event_id")
}

func readDelivery(ctx context.Context, tx *database.Tx, where string, args ...any) (webhook.Delivery, bool, error) {
	d, ok, err := database.First(ctx, evented(tx).Where(where, args...), eventedRow.value)
	return d, ok, tx.Fail(ctx, err, "read a webhook delivery")
}

// Deliveries implements [webhook.Store].
func (s *Webhooks) Deliveries(ctx context.Context, endpoint string, q webhook.Query) ([]webhook.Delivery, error) {
	if !database.IsID(endpoint) || q.Limit < 1 || q.Before != "" && !database.IsID(q.Before) {
		return nil, nil
	}
	list := evented(s.db.Read).Where("d.endpoint_id = ?", endpoint)
	if q.Outcome != "" {
		list = list.Where("d.state = ?", string(q.Outcome))
	}
	if q.Before != "" {
		// A delivery that was deleted meanwhile ends the list: there is nothing older.
		list = list.Where("d.n < (?)", s.db.Read.NewSelect().TableExpr("webhook_deliveries AS b").ColumnExpr("b.n").
			Where("b.id = ?", q.Before).Where("b.endpoint_id = ?", endpoint))
	}
	all, err := database.All(ctx, list.Order("d.n DESC").Limit(int64(q.Limit)), eventedRow.value)
	return all, s.db.Fail(ctx, err, "list webhook deliveries")
}

// Delivery implements [webhook.Store].
func (s *Webhooks) Delivery(ctx context.Context, endpoint, id string) (webhook.Delivery, bool, error) {
	if !database.IsID(endpoint) || !database.IsID(id) {
		return webhook.Delivery{}, false, nil
	}
	d, ok, err := database.First(ctx, evented(s.db.Read).Where("d.id = ?", id).Where("d.endpoint_id = ?", endpoint), eventedRow.value)
	return d, ok, s.db.Fail(ctx, err, "read a webhook delivery")
}

// Replay implements [webhook.Store]. It is NotFound when the delivery was deleted meanwhile, and a
// Conflict when the endpoint was disabled.
func (s *Webhooks) Replay(ctx context.Context, of webhook.Delivery) (d webhook.Delivery, err error) {
	err = s.db.Transact(ctx, func(ctx context.Context, tx *database.Tx) error {
		if err := holdEnabled(ctx, tx, of.Endpoint); err != nil {
			return err
		}
		// An update that changes nothing locks the delivery, so that neither it nor its event is
		// pruned before the new one refers to the event.
		n, err := tx.Execute(ctx, tx.NewUpdate().Model((*deliveryRow)(nil)).Set("state = state").Where("id = ?", of.ID))
		if err == nil && n == 0 {
			return fault.New(fault.NotFound, webhook.CodeDeliveryNotFound, "", "the delivery was deleted meanwhile")
		}
		if err != nil {
			return tx.Fail(ctx, err, "hold a webhook delivery")
		}
		now, err := tx.DB().Present(ctx, tx)
		if err != nil {
			return err
		}
		made, err := queue(ctx, tx, of.Event, now, true, of.Endpoint)
		if err == nil {
			d = made[0]
		}
		return err
	})
	return d, err
}

// holdEnabled locks an endpoint that must be enabled.
func holdEnabled(ctx context.Context, tx *database.Tx, id string) error {
	e, found, err := lockEndpoint(ctx, tx, id)
	if err == nil && (!found || e.State != webhook.Enabled) {
		err = notEnabled()
	}
	return err
}

// ReplayFailed implements [webhook.Store].
func (s *Webhooks) ReplayFailed(ctx context.Context, endpoint string, since time.Time, most int) (n int, err error) {
	err = s.db.Transact(ctx, func(ctx context.Context, tx *database.Tx) error {
		n = 0
		if err := holdEnabled(ctx, tx, endpoint); err != nil {
			return err
		}
		later := tx.NewSelect().TableExpr("webhook_deliveries AS b").ColumnExpr("1").Where("b.event_id = d.event_id").
			Where("b.endpoint_id = d.endpoint_id").Where("(b.n > d.n OR b.state = ?)", string(webhook.Delivered))
		q := evented(tx).Where("d.endpoint_id = ?", endpoint).Where("d.state = ?", string(webhook.Failed)).
			Where("d.created_at >= ?", database.Micros(since)).Where("NOT EXISTS (?)", later).Order("d.n").Limit(int64(most))
		all, err := database.All(ctx, q, eventedRow.value)
		if err != nil {
			return tx.Fail(ctx, err, "list webhook deliveries that failed")
		}
		now, err := tx.DB().Present(ctx, tx)
		if err != nil {
			return err
		}
		for _, d := range all {
			if _, err := queue(ctx, tx, d.Event, now, true, endpoint); err != nil {
				return err
			}
		}
		n = len(all)
		return nil
	})
	return n, err
}
