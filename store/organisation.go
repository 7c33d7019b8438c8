package store

import (
	"context"
	"database/sql"

	"github.com/uptrace/bun"

	"vaak/account"
	"vaak/account/ledger"
)

// termsRow are the terms in a row of organisations. Without a subscription
// its columns are null.
type termsRow struct {
	Mode           string
	Plan           string
	SubPlan        string `bun:",nullzero"`
	SubExpiresAt   int64  `bun:",nullzero"`
	SubAnchorDay   int    `bun:",nullzero"`
	SubAutoRenew   int    // 0 or 1
	SubRenewalPlan string `bun:",nullzero"`
	SubFallsBackTo string `bun:",nullzero"`
}

func rowOfTerms(t ledger.Terms) termsRow {
	row := termsRow{Mode: string(t.Mode), Plan: t.Plan}
	if sub := t.Subscription; sub != nil {
		row.SubPlan, row.SubExpiresAt, row.SubAnchorDay = sub.Plan, micros(sub.Expires), sub.AnchorDay
		row.SubRenewalPlan, row.SubFallsBackTo = sub.RenewalPlan, sub.FallsBackTo
		if sub.AutoRenew {
			row.SubAutoRenew = 1
		}
	}
	return row
}

func (r termsRow) terms() ledger.Terms {
	t := ledger.Terms{Mode: ledger.Mode(r.Mode), Plan: r.Plan}
	if r.SubPlan != "" {
		t.Subscription = &ledger.Subscription{
			Plan: r.SubPlan, Expires: instant(r.SubExpiresAt), AutoRenew: r.SubAutoRenew != 0,
			RenewalPlan: r.SubRenewalPlan, FallsBackTo: r.SubFallsBackTo, AnchorDay: r.SubAnchorDay,
		}
	}
	return t
}

// organisationRow is a row of organisations.
type organisationRow struct {
	bun.BaseModel `bun:"table:organisations,alias:o"`

	ID   string `bun:",pk"`
	Name string
	termsRow
	RequestCeiling int
	StreamCeiling  int
	CreatedAt      int64
}

func (r organisationRow) organisation() account.Organisation {
	return account.Organisation{
		ID: r.ID, Name: r.Name, Terms: r.terms(), Created: instant(r.CreatedAt),
		Ceilings: account.Ceilings{RequestsPerMinute: r.RequestCeiling, MaxStreams: r.StreamCeiling},
	}
}

// CreateOrganisation implements [account.OrganisationStore].
func (s *Store) CreateOrganisation(ctx context.Context, o account.Organisation) error {
	row := organisationRow{
		ID: o.ID, Name: o.Name, termsRow: rowOfTerms(o.Terms), CreatedAt: micros(o.Created),
		RequestCeiling: o.Ceilings.RequestsPerMinute, StreamCeiling: o.Ceilings.MaxStreams,
	}
	return s.transact(ctx, func(ctx context.Context, tx *transaction) error {
		_, err := tx.NewInsert().Model(&row).Returning("NULL").Exec(ctx)
		return s.fail(ctx, err, "insert organisation %s", o.ID)
	})
}

// Organisation implements [account.OrganisationStore].
func (s *Store) Organisation(ctx context.Context, id string) (account.Organisation, error) {
	var row organisationRow
	err := s.read.NewSelect().Model(&row).Where("o.id = ?", id).Scan(ctx)
	if err != nil {
		return account.Organisation{}, s.fail(ctx, err, "select organisation %s", id)
	}
	return row.organisation(), nil
}

// Organisations implements [account.OrganisationStore].
func (s *Store) Organisations(ctx context.Context) ([]account.Organisation, error) {
	var rows []organisationRow
	err := s.read.NewSelect().Model(&rows).Order("o.created_at", "o.id").Scan(ctx)
	all := make([]account.Organisation, len(rows))
	for i, r := range rows {
		all[i] = r.organisation()
	}
	return all, s.fail(ctx, err, "select organisations")
}

// RenameOrganisation implements [account.OrganisationStore].
func (s *Store) RenameOrganisation(ctx context.Context, id, name string) error {
	n, err := s.exec(ctx, "rename an organisation", "UPDATE organisations SET name = ? WHERE id = ?", name, id)
	if err == nil && n == 0 {
		err = s.fail(ctx, sql.ErrNoRows, "rename organisation %s", id)
	}
	return err
}

// SetCeilings implements [account.OrganisationStore].
func (s *Store) SetCeilings(ctx context.Context, id string, c account.Ceilings) error {
	return s.transact(ctx, func(ctx context.Context, tx *transaction) error {
		res, err := tx.ExecContext(ctx, "UPDATE organisations SET request_ceiling = ?, stream_ceiling = ? WHERE id = ?",
			c.RequestsPerMinute, c.MaxStreams, id)
		if err == nil {
			err = someRow(res)
		}
		if err != nil {
			return s.fail(ctx, err, "set ceilings of %s", id)
		}
		return tx.changed(ctx, account.Change{Topic: account.TopicOrganisation, ID: id})
	})
}

// someRow returns [sql.ErrNoRows] when a statement found nothing to change.
func someRow(res sql.Result) error {
	n, err := res.RowsAffected()
	if err == nil && n == 0 {
		err = sql.ErrNoRows
	}
	return err
}
