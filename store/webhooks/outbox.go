package webhooks

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"vaak/internal/fault"
	"vaak/store/database"
	"vaak/store/jobs"
	"vaak/webhook"
)

func notEnabled() error {
	return fault.New(fault.Conflict, webhook.CodeNotEnabled, "", "the webhook endpoint is not enabled or was deleted, so nothing is sent to it")
}

// Claim implements [webhook.Outbox]. Of the cases in which there is nothing to do now, each has its
// job: one that is not due was queued for its time; an earlier one queues the next when it ends; and
// a claim that ends without an outcome is found by [Webhooks.Requeue].
func (s *Webhooks) Claim(ctx context.Context, n int64, lasts time.Duration) (c *webhook.Claimed, err error) {
	err = s.db.Transact(ctx, func(ctx context.Context, tx *database.Tx) error {
		c = nil
		d, found, err := readDelivery(ctx, tx, "d.n = ?", n)
		if err != nil || !found || d.Outcome != webhook.Waiting {
			return err
		}
		if behind, err := waitsBehind(ctx, tx, d); err != nil || behind {
			return err
		}
		e, found, err := database.First(ctx, tx.NewSelect().Where("e.id = ?", d.Endpoint), endpointRow.endpoint)
		if err != nil || !found {
			return tx.Fail(ctx, err, "read a webhook endpoint")
		}
		now, err := tx.DB().Present(ctx, tx)
		if err != nil {
			return err
		}
		// The event was written while the endpoint was disabled.
		if e.State != webhook.Enabled {
			return drop(ctx, tx, d, now)
		}
		until := now.Add(lasts)
		taken, err := tx.Execute(ctx, tx.NewUpdate().Model((*deliveryRow)(nil)).Set("claimed_until = ?", database.Micros(until)).
			Where("n = ?", n).Where("state = ?", string(webhook.Waiting)).
			Where("next_at <= ?", database.Micros(now.Add(early))).Where("claimed_until <= ?", database.Micros(now)))
		if err != nil || taken == 0 {
			return tx.Fail(ctx, err, "claim a webhook delivery")
		}
		c = &webhook.Claimed{Delivery: d, Endpoint: e, Until: until}
		return nil
	})
	return c, err
}

// drop ends a delivery whose endpoint gets nothing any more.
func drop(ctx context.Context, tx *database.Tx, d webhook.Delivery, now time.Time) error {
	_, err := tx.NewUpdate().Model((*deliveryRow)(nil)).Set("state = ?", string(webhook.Failed)).Set("problem = ?", stopped).
		Set("changed_at = ?", database.Micros(now)).Where("n = ?", d.N).Where("state = ?", string(webhook.Waiting)).Exec(ctx)
	if err != nil {
		return tx.Fail(ctx, err, "end a webhook delivery")
	}
	return follow(ctx, tx, webhook.Settlement{Claimed: webhook.Claimed{Delivery: d}, Outcome: webhook.Failed})
}

// early is how much before its time a delivery is taken: clocks of servers may differ a little, and
// a job that came too early would not come again.
const early = 2 * time.Second

// waitsBehind reports whether an earlier delivery of the same endpoint and subject waits. That one
// queues a job for the next when it ends. So when this reports true, it has made sure that the
// earlier one has not ended: the lock on its row waits for a transaction that ends it, and one that
// comes later sees this delivery and queues its job.
func waitsBehind(ctx context.Context, tx *database.Tx, d webhook.Delivery) (bool, error) {
	for {
		var earlier []int64
		err := tx.NewSelect().Model((*deliveryRow)(nil)).Column("n").Where("d.endpoint_id = ?", d.Endpoint).Where("d.subject = ?", d.Event.Subject).
			Where("d.n < ?", d.N).Where("d.state = ?", string(webhook.Waiting)).Order("d.n").Limit(1).Scan(ctx, &earlier)
		if err != nil || len(earlier) == 0 {
			return false, tx.Fail(ctx, err, "look for earlier webhook deliveries")
		}
		if !tx.DB().Postgres() {
			return true, nil // it has one writer
		}
		var locked []int64
		err = tx.NewSelect().Model((*deliveryRow)(nil)).Column("n").Where("d.n = ?", earlier[0]).
			Where("d.state = ?", string(webhook.Waiting)).For("UPDATE").Scan(ctx, &locked)
		if err != nil || len(locked) > 0 {
			return err == nil, tx.Fail(ctx, err, "wait for an earlier webhook delivery")
		}
		// It ended meanwhile; there may be another.
	}
}

// Unclaim implements [webhook.Outbox].
func (s *Webhooks) Unclaim(ctx context.Context, c webhook.Claimed, wait time.Duration) error {
	return s.db.Transact(ctx, func(ctx context.Context, tx *database.Tx) error {
		now, err := tx.DB().Present(ctx, tx)
		if err != nil {
			return err
		}
		next := now.Add(wait)
		n, err := tx.Execute(ctx, claimed(tx, c).Set("claimed_until = 0").Set("next_at = ?", database.Micros(next)))
		if err != nil || n == 0 {
			return tx.Fail(ctx, err, "give a webhook delivery back")
		}
		return tx.Enqueue(ctx, deliverJob(c.Delivery.N, next))
	})
}

// claimed updates a delivery while a claim on it holds.
func claimed(tx *database.Tx, c webhook.Claimed) *bun.UpdateQuery {
	return tx.NewUpdate().Model((*deliveryRow)(nil)).Where("n = ?", c.Delivery.N).
		Where("state = ?", string(webhook.Waiting)).Where("claimed_until = ?", database.Micros(c.Until))
}

// Settle implements [webhook.Outbox]. An attempt whose claim has ended, since it took too long or the
// endpoint was disabled, changes nothing.
func (s *Webhooks) Settle(ctx context.Context, t webhook.Settlement) (state webhook.State, err error) {
	if err := database.CheckTexts(t.Attempt.Problem, t.Attempt.Response); err != nil {
		return "", err
	}
	d := t.Claimed.Delivery
	err = s.db.Transact(ctx, func(ctx context.Context, tx *database.Tx) error {
		state = t.Claimed.Endpoint.State
		// The endpoint's row first, and only where it changes: a disable, which changes both, locks in
		// the same order.
		var endpoint webhook.Endpoint
		if stops(t) {
			var found bool
			if endpoint, found, err = lockEndpoint(ctx, tx, d.Endpoint); err != nil || !found {
				return err
			}
		}
		n, err := tx.Execute(ctx, claimed(tx, t.Claimed).Set("state = ?", string(t.Outcome)).Set("attempts = attempts + 1").
			Set("next_at = ?", database.Micros(t.Next)).Set("claimed_until = 0").Set("changed_at = ?", database.Micros(t.At)).
			Set("status = ?", t.Attempt.Status).Set("problem = ?", t.Attempt.Problem).Set("response = ?", t.Attempt.Response).
			Set("took_us = ?", t.Attempt.Took.Microseconds()))
		if err != nil || n == 0 {
			return tx.Fail(ctx, err, "record an attempt of a webhook delivery")
		}
		if stops(t) {
			if err := mark(ctx, tx, endpoint, t); err != nil {
				return err
			}
			if state, err = stateOf(ctx, tx, d.Endpoint); err != nil {
				return err
			}
		}
		return follow(ctx, tx, t)
	})
	return state, err
}

// stops reports whether an attempt changes its endpoint: the first failure, one after which the
// endpoint may be disabled, or the first success after failures.
func stops(t webhook.Settlement) bool {
	since := t.Claimed.Endpoint.FailingSince
	if t.Outcome == webhook.Delivered {
		return !since.IsZero()
	}
	return t.Gone || since.IsZero() || t.At.Sub(since) >= webhook.FailingFor
}

// mark writes what an attempt says of its endpoint.
func mark(ctx context.Context, tx *database.Tx, e webhook.Endpoint, t webhook.Settlement) error {
	before := e.State
	switch {
	case before != webhook.Enabled:
		return nil
	case t.Outcome == webhook.Delivered:
		e.FailingSince = time.Time{}
	case t.Gone:
		e.State, e.Stopped = webhook.Gone, t.At
	case e.FailingSince.IsZero():
		e.FailingSince = t.At
	case t.At.Sub(e.FailingSince) >= webhook.FailingFor:
		e.State, e.Stopped = webhook.Failing, t.At
	}
	r := rowOf(e)
	if e.State != before {
		return putEndpoint(ctx, tx, e, before)
	}
	_, err := tx.NewUpdate().Model(&r).Column("failing_since").WherePK().Exec(ctx)
	return tx.Fail(ctx, err, "mark a webhook endpoint")
}

func stateOf(ctx context.Context, tx *database.Tx, id string) (state webhook.State, err error) {
	err = tx.NewSelect().Model((*endpointRow)(nil)).Column("state").Where("e.id = ?", id).Scan(ctx, &state)
	return state, tx.Fail(ctx, err, "read the state of a webhook endpoint")
}

// follow queues the next attempt or, at the end of a delivery, the next of its subject.
func follow(ctx context.Context, tx *database.Tx, t webhook.Settlement) error {
	d := t.Claimed.Delivery
	if t.Outcome == webhook.Waiting {
		return tx.Enqueue(ctx, deliverJob(d.N, t.Next))
	}
	var next []int64
	err := tx.NewSelect().Model((*deliveryRow)(nil)).Column("n").Where("d.endpoint_id = ?", d.Endpoint).Where("d.subject = ?", d.Event.Subject).
		Where("d.n > ?", d.N).Where("d.state = ?", string(webhook.Waiting)).Order("d.n").Limit(1).Scan(ctx, &next)
	if err != nil || len(next) == 0 {
		return tx.Fail(ctx, err, "look for the next webhook delivery")
	}
	return tx.Enqueue(ctx, deliverJob(next[0], time.Time{}))
}

const (
	// overdue is how long after its time a delivery that nobody has claimed gets another job.
	overdue = 30 * time.Second
	// requeueAtOnce is how many deliveries get another job in one transaction.
	requeueAtOnce = 1000
)

// Requeue queues jobs for deliveries that are overdue, the first of each endpoint and subject: those
// of servers that were killed, and those whose job was lost or discarded.
func (s *Webhooks) Requeue(ctx context.Context) error {
	now, err := s.db.Present(ctx, s.db.Read)
	if err != nil {
		return err
	}
	var late []int64
	earlier := s.db.Read.NewSelect().TableExpr("webhook_deliveries AS b").ColumnExpr("1").
		Where("b.endpoint_id = d.endpoint_id").Where("b.subject = d.subject").Where("b.n < d.n").Where("b.state = ?", string(webhook.Waiting))
	// A claim that has ended is overdue at once: it lasts longer than an attempt may take.
	err = s.db.Read.NewSelect().Model((*deliveryRow)(nil)).Column("n").Where("d.state = ?", string(webhook.Waiting)).
		Where("d.claimed_until <= ?", database.Micros(now)).
		Where("(d.claimed_until > 0 OR d.next_at <= ?)", database.Micros(now.Add(-overdue))).
		Where("NOT EXISTS (?)", earlier).Order("d.n").Limit(requeueAtOnce).Scan(ctx, &late)
	if err != nil {
		return s.db.Fail(ctx, err, "look for overdue webhook deliveries")
	}
	work := make([]jobs.Job, len(late))
	for i, n := range late {
		work[i] = deliverJob(n, time.Time{})
		work[i].Unique = fmt.Sprintf("overdue %d", n) // one such job at most, however often this runs
	}
	return s.db.Enqueue(ctx, work...)
}
