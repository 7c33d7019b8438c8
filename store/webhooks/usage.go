package webhooks

import (
	"context"
	"slices"

	"github.com/uptrace/bun"

	"vaak/account/ledger"
	"vaak/store/database"
	"vaak/webhook"
)

// Watch is the endpoints that want events of the books which a posting opens.
type Watch struct{ endpoints []webhook.Endpoint }

// Query returns the query that fills a watch for organisations. Every posting runs it, so it reads as
// little as it can.
func (w *Watch) Query(db *database.DB, orgs []string) database.Query {
	owners := append(slices.Clone(orgs), webhook.Operator)
	query := "SELECT id, owner, types, thresholds FROM webhook_endpoints WHERE watches = 1 AND owner ?"
	if db.Postgres() {
		query += keep
	}
	return database.Query{What: "webhook endpoints", SQL: query,
		Args: []any{database.List(owners)}, Read: func(scan func(...any) error) error {
			r := endpointRow{State: string(webhook.Enabled), Secrets: "null"}
			if err := scan(&r.ID, &r.Owner, &r.Types, &r.Thresholds); err != nil {
				return err
			}
			e, err := r.endpoint()
			w.endpoints = append(w.endpoints, e)
			return err
		}}
}

// Any reports whether any endpoint wants events of an organisation.
func (w *Watch) Any(org string) bool { return len(w.of(org)) > 0 }

func (w *Watch) of(org string) (all []webhook.Endpoint) {
	for _, e := range w.endpoints {
		if e.Owner == org || e.Owner == webhook.Operator {
			all = append(all, e)
		}
	}
	return all
}

// usageRow is a row of webhook_usage.
type usageRow struct {
	bun.BaseModel `bun:"table:webhook_usage,alias:u"`

	OrgID   string `bun:",pk"`
	Used    int64
	Percent int
}

// Turn is what a posting did to the book of an organisation.
type Turn struct {
	Org     string
	Entries []ledger.Entry // at least one
	// Charged is what was ever charged to the lots that are not spent, with those that this posting
	// has spent; Left is what remains or is held in all lots. Both are as the posting leaves them.
	Charged, Left int64
	Unlimited     bool // the plan counts and never refuses
}

// Tell writes the events that a turn makes for the endpoints of a watch, in the transaction of the
// posting. The first turn of an organisation under a watch begins with what was charged to the
// lots that are not spent, as nothing else is known of the time before.
func (w *Watch) Tell(ctx context.Context, tx *database.Tx, t Turn) error {
	endpoints := w.of(t.Org)
	if len(endpoints) == 0 {
		return nil
	}
	m, known, err := database.First(ctx, tx.NewSelect().Where("u.org_id = ?", t.Org), func(r usageRow) (usageRow, error) { return r, nil })
	if err != nil {
		return tx.Fail(ctx, err, "read the use of %s", t.Org)
	}
	left := t.Left // before the turn
	var charged int64
	for _, e := range t.Entries {
		switch e.Kind {
		case ledger.Granted:
			left -= e.Amount
		case ledger.Charged:
			left += e.Amount
			charged += e.Amount
		case ledger.Expired:
			left += e.Amount
		}
	}
	if !known {
		m = usageRow{OrgID: t.Org, Used: max(t.Charged-charged, 0)}
		m.Percent = percent(m.Used, left)
	}
	for _, e := range t.Entries {
		switch e.Kind {
		case ledger.Granted:
			left += e.Amount
			m.Used, m.Percent = 0, 0
		case ledger.Charged:
			left -= e.Amount
			m.Used += e.Amount
			if t.Unlimited {
				continue
			}
			if err := tellThresholds(ctx, tx, endpoints, &m, left, e); err != nil {
				return err
			}
		case ledger.Expired:
			left -= e.Amount
			event := webhook.NewEvent(webhook.LotExpired, t.Org, "lot/"+e.LotID, e.At, webhook.Expired{
				Org: t.Org, Lot: e.LotID, Characters: e.Amount, At: e.At,
			})
			if _, err := emitTo(ctx, tx, event, endpoints); err != nil {
				return err
			}
		}
	}
	_, err = tx.NewInsert().Model(&m).On("CONFLICT (org_id) DO UPDATE").Set("used = excluded.used").Set("percent = excluded.percent").
		Returning("NULL").Exec(ctx)
	return tx.Fail(ctx, err, "write the use of %s", t.Org)
}

// percent returns the share of what an organisation had that is used, rounded down.
func percent(used, left int64) int {
	if left = max(left, 0); used <= 0 {
		return 0
	}
	return int(100 * used / (used + left))
}

// tellThresholds writes an event for each threshold that a charge has reached, the lowest first, for the
// endpoints that have it.
func tellThresholds(ctx context.Context, tx *database.Tx, endpoints []webhook.Endpoint, m *usageRow, left int64, e ledger.Entry) error {
	before, now := m.Percent, percent(m.Used, left)
	m.Percent = max(before, now)
	for at := before + 1; at <= now; at++ {
		var to []webhook.Endpoint
		for _, p := range endpoints {
			if slices.Contains(p.Thresholds, at) {
				to = append(to, p)
			}
		}
		if len(to) == 0 {
			continue
		}
		event := webhook.NewEvent(webhook.ThresholdReached, m.OrgID, "organisation/"+m.OrgID, e.At, webhook.Threshold{
			Org: m.OrgID, Percent: at, Used: m.Used, Remaining: max(left, 0),
		})
		if _, err := emitTo(ctx, tx, event, to); err != nil {
			return err
		}
	}
	return nil
}

// forgetUsage deletes the counts of organisations that no endpoint but a new one watches: they were
// not kept while nobody watched.
func forgetUsage(ctx context.Context, tx *database.Tx, except string) error {
	others := tx.NewSelect().Model((*endpointRow)(nil)).ColumnExpr("1").Where("e.watches = 1").Where("e.id <> ?", except).
		Where("e.owner = u.org_id OR e.owner = ?", webhook.Operator)
	_, err := tx.NewDelete().Model((*usageRow)(nil)).Where("NOT EXISTS (?)", others).Exec(ctx)
	return tx.Fail(ctx, err, "forget the use of organisations")
}
