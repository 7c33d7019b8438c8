// Package organisations keeps organisations, the terms that each is under, and plans.
package organisations

import (
	"context"

	"github.com/uptrace/bun"

	"vaak/account"
	"vaak/account/ledger"
	"vaak/store/database"
)

// Organisations keeps organisations and plans in a database.
type Organisations struct{ db *database.DB }

var (
	_ account.OrganisationStore = (*Organisations)(nil)
	_ account.PlanStore         = (*Organisations)(nil)
)

// New returns the organisations of a database.
func New(db *database.DB) *Organisations { return &Organisations{db} }

// TermsRow is the part of a row of organisations that holds its terms. Without a
// subscription the columns of one are null.
type TermsRow struct {
	Mode           string
	Plan           string
	SubPlan        string `bun:",nullzero"`
	SubExpiresAt   int64  `bun:",nullzero"`
	SubAnchorDay   int    `bun:",nullzero"`
	SubAutoRenew   int    // 0 or 1
	SubRenewalPlan string `bun:",nullzero"`
	SubFallsBackTo string `bun:",nullzero"`
}

// RowOfTerms is the inverse of [TermsRow.Terms].
func RowOfTerms(t ledger.Terms) TermsRow {
	row := TermsRow{Mode: string(t.Mode), Plan: t.Plan}
	if sub := t.Subscription; sub != nil {
		row.SubPlan, row.SubExpiresAt, row.SubAnchorDay = sub.Plan, database.Micros(sub.Expires), sub.AnchorDay
		row.SubRenewalPlan, row.SubFallsBackTo = sub.RenewalPlan, sub.FallsBackTo
		if sub.AutoRenew {
			row.SubAutoRenew = 1
		}
	}
	return row
}

// Terms returns the terms that the row holds.
func (r TermsRow) Terms() ledger.Terms {
	t := ledger.Terms{Mode: ledger.Mode(r.Mode), Plan: r.Plan}
	if r.SubPlan != "" {
		t.Subscription = &ledger.Subscription{
			Plan: r.SubPlan, Expires: database.Instant(r.SubExpiresAt), AutoRenew: r.SubAutoRenew != 0,
			RenewalPlan: r.SubRenewalPlan, FallsBackTo: r.SubFallsBackTo, AnchorDay: r.SubAnchorDay,
		}
	}
	return t
}

// row is a row of organisations.
type row struct {
	bun.BaseModel `bun:"table:organisations,alias:o"`

	ID   string `bun:",pk"`
	Name string
	TermsRow
	RequestCeiling int
	StreamCeiling  int
	CreatedAt      int64
}

func (r row) organisation() account.Organisation {
	return account.Organisation{
		ID: r.ID, Name: r.Name, Terms: r.Terms(), Created: database.Instant(r.CreatedAt),
		Ceilings: account.Ceilings{RequestsPerMinute: r.RequestCeiling, MaxStreams: r.StreamCeiling},
	}
}

// CreateOrganisation implements [account.OrganisationStore].
func (s *Organisations) CreateOrganisation(ctx context.Context, o account.Organisation) error {
	r := row{
		ID: o.ID, Name: o.Name, TermsRow: RowOfTerms(o.Terms), CreatedAt: database.Micros(o.Created),
		RequestCeiling: o.Ceilings.RequestsPerMinute, StreamCeiling: o.Ceilings.MaxStreams,
	}
	_, err := s.db.Execute(ctx, "insert organisation "+o.ID, func(tx *database.Tx) database.Statement {
		return tx.NewInsert().Model(&r).Returning("NULL")
	})
	return err
}

// Organisation implements [account.OrganisationStore].
func (s *Organisations) Organisation(ctx context.Context, id string) (account.Organisation, error) {
	var r row
	if err := s.db.Read.NewSelect().Model(&r).Where("o.id = ?", id).Scan(ctx); err != nil {
		return account.Organisation{}, s.db.Fail(ctx, err, "select organisation %s", id)
	}
	return r.organisation(), nil
}

// Organisations implements [account.OrganisationStore].
func (s *Organisations) Organisations(ctx context.Context) ([]account.Organisation, error) {
	var rows []row
	err := s.db.Read.NewSelect().Model(&rows).Order("o.created_at", "o.id").Scan(ctx)
	all := make([]account.Organisation, len(rows))
	for i, r := range rows {
		all[i] = r.organisation()
	}
	return all, s.db.Fail(ctx, err, "select organisations")
}

// RenameOrganisation implements [account.OrganisationStore].
func (s *Organisations) RenameOrganisation(ctx context.Context, id, name string) error {
	return s.db.Transact(ctx, func(ctx context.Context, tx *database.Tx) error {
		err := tx.ExecuteOne(ctx, tx.NewUpdate().Model((*row)(nil)).Set("name = ?", name).Where("id = ?", id))
		return tx.Fail(ctx, err, "rename organisation %s", id)
	})
}

// SetCeilings implements [account.OrganisationStore].
func (s *Organisations) SetCeilings(ctx context.Context, id string, c account.Ceilings) error {
	return s.db.Transact(ctx, func(ctx context.Context, tx *database.Tx) error {
		err := tx.ExecuteOne(ctx, tx.NewUpdate().Model((*row)(nil)).
			Set("request_ceiling = ?", c.RequestsPerMinute).Set("stream_ceiling = ?", c.MaxStreams).Where("id = ?", id))
		if err != nil {
			return tx.Fail(ctx, err, "set ceilings of %s", id)
		}
		return tx.Changed(ctx, database.Change{Topic: database.Topic(account.TopicOrganisation), ID: id})
	})
}
