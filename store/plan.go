package store

import (
	"context"

	"github.com/uptrace/bun"

	"vaak/account"
	"vaak/account/ledger"
)

// planRow is a row of plans.
type planRow struct {
	bun.BaseModel `bun:"table:plans,alias:p"`

	ID                string `bun:",pk"`
	Name              string
	MonthlyCharacters int64
	RequestsPerMinute int
	MaxStreams        int
}

func (r planRow) plan() ledger.Plan { // the same fields in the same order
	return ledger.Plan{
		ID: r.ID, Name: r.Name, MonthlyCharacters: r.MonthlyCharacters,
		RequestsPerMinute: r.RequestsPerMinute, MaxStreams: r.MaxStreams,
	}
}

// SetPlan implements [account.PlanStore].
func (s *Store) SetPlan(ctx context.Context, p ledger.Plan) error {
	return s.transact(ctx, func(ctx context.Context, tx *transaction) error {
		err := tx.exec(ctx, `INSERT INTO plans (id, name, monthly_characters, requests_per_minute, max_streams)
			VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET
				name = excluded.name,
				monthly_characters = excluded.monthly_characters,
				requests_per_minute = excluded.requests_per_minute,
				max_streams = excluded.max_streams`,
			p.ID, p.Name, p.MonthlyCharacters, p.RequestsPerMinute, p.MaxStreams)
		if err != nil {
			return s.fail(ctx, err, "set plan %s", p.ID)
		}
		return tx.changed(ctx, account.Change{Topic: account.TopicPlan, ID: p.ID})
	})
}

// Plans implements [account.PlanStore]. A plan without a bound is the largest.
func (s *Store) Plans(ctx context.Context) ([]ledger.Plan, error) {
	var rows []planRow
	err := s.read.NewSelect().Model(&rows).
		OrderExpr("p.monthly_characters < 0, p.monthly_characters, p.id").Scan(ctx)
	plans := make([]ledger.Plan, len(rows))
	for i, r := range rows {
		plans[i] = r.plan()
	}
	return plans, s.fail(ctx, err, "select plans")
}
