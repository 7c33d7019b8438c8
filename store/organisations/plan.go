package organisations

import (
	"context"

	"github.com/uptrace/bun"

	"vaak/account"
	"vaak/account/ledger"
	"vaak/store/database"
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

// SetPlan implements [account.PlanStore].
func (s *Organisations) SetPlan(ctx context.Context, p ledger.Plan) error {
	r := planRow{
		ID: p.ID, Name: p.Name, MonthlyCharacters: p.MonthlyCharacters,
		RequestsPerMinute: p.RequestsPerMinute, MaxStreams: p.MaxStreams,
	}
	return s.db.Transact(ctx, func(ctx context.Context, tx *database.Tx) error {
		_, err := tx.Execute(ctx, tx.NewInsert().Model(&r).On("CONFLICT (id) DO UPDATE").Returning("NULL"))
		if err != nil {
			return tx.Fail(ctx, err, "set plan %s", p.ID)
		}
		return tx.Changed(ctx, database.Change{Topic: database.Topic(account.TopicPlan), ID: p.ID})
	})
}

// Plans implements [account.PlanStore]. A plan without a bound is the largest.
func (s *Organisations) Plans(ctx context.Context) ([]ledger.Plan, error) {
	var rows []planRow
	err := s.db.Read.NewSelect().Model(&rows).
		OrderExpr("p.monthly_characters < 0, p.monthly_characters, p.id").Scan(ctx)
	plans := make([]ledger.Plan, len(rows))
	for i, r := range rows {
		plans[i] = ledger.Plan{
			ID: r.ID, Name: r.Name, MonthlyCharacters: r.MonthlyCharacters,
			RequestsPerMinute: r.RequestsPerMinute, MaxStreams: r.MaxStreams,
		}
	}
	return plans, s.db.Fail(ctx, err, "select plans")
}
