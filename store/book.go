package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"vaak/account"
	"vaak/account/ledger"
)

// bookRow is what a row of organisations says of its book.
type bookRow struct {
	bun.BaseModel `bun:"table:organisations,alias:o"`

	ID string `bun:",pk"`
	termsRow
	GrantedPeriod     string
	GrantedCharacters int64
}

// lotRow is a row of lots.
type lotRow struct {
	bun.BaseModel `bun:"table:lots,alias:l"`

	ID        string `bun:",pk"`
	OrgID     string
	Kind      string
	Source    string
	ExpiresAt int64 `bun:",nullzero"`
	CreatedAt int64
	Granted   int64
	Remaining int64
	Held      int64
	Charged   int64
	Expired   int64
}

func rowOfLot(orgID string, l ledger.Lot) lotRow {
	return lotRow{
		ID: l.ID, OrgID: orgID, Kind: string(l.Kind), Source: l.Source, ExpiresAt: micros(l.Expires), CreatedAt: micros(l.Created),
		Granted: l.Granted, Remaining: l.Remaining, Held: l.Held, Charged: l.Charged, Expired: l.Expired,
	}
}

func (r lotRow) lot() ledger.Lot {
	return ledger.Lot{
		ID: r.ID, Kind: ledger.LotKind(r.Kind), Source: r.Source, Expires: instant(r.ExpiresAt), Created: instant(r.CreatedAt),
		Granted: r.Granted, Remaining: r.Remaining, Held: r.Held, Charged: r.Charged, Expired: r.Expired,
	}
}

// holdRow is a row of holds.
type holdRow struct {
	bun.BaseModel `bun:"table:holds,alias:h"`

	ID        string `bun:",pk"`
	OrgID     string
	KeyID     string
	State     string
	Amount    int64
	Charged   int64
	Draws     string // JSON; see the migration
	LeaseAt   int64
	CreatedAt int64
	EndedAt   int64  `bun:",nullzero"`
	Day       string `bun:",nullzero"`
}

func rowOfHold(orgID string, h ledger.Hold, now time.Time) (holdRow, error) {
	r := holdRow{
		ID: h.ID, OrgID: orgID, KeyID: h.KeyID, State: string(h.State), Amount: h.Amount, Charged: h.Charged,
		Draws: "[]", LeaseAt: micros(h.Lease), CreatedAt: micros(h.Created), Day: h.Day,
	}
	if h.State != ledger.Held {
		r.EndedAt = micros(now)
		return r, nil
	}
	if len(h.Draws) == 0 {
		return r, nil
	}
	draws, err := json.Marshal(h.Draws)
	r.Draws = string(draws)
	return r, err
}

func (r holdRow) hold() (ledger.Hold, error) {
	h := ledger.Hold{
		ID: r.ID, KeyID: r.KeyID, State: ledger.State(r.State), Amount: r.Amount, Charged: r.Charged,
		Lease: instant(r.LeaseAt), Created: instant(r.CreatedAt), Day: r.Day,
	}
	if r.Draws == "[]" {
		return h, nil
	}
	if err := json.Unmarshal([]byte(r.Draws), &h.Draws); err != nil {
		return h, fmt.Errorf("draws of hold %s: %w", r.ID, err)
	}
	return h, nil
}

// Book implements [account.LedgerStore].
func (s *Store) Book(ctx context.Context, orgID string) (*ledger.Book, time.Time, error) {
	books, now, err := s.Books(ctx, []string{orgID})
	if err != nil {
		return nil, time.Time{}, err
	}
	if books[orgID] == nil {
		return nil, time.Time{}, s.fail(ctx, sql.ErrNoRows, "open the book of %s", orgID)
	}
	return books[orgID], now, nil
}

// Books implements [account.LedgerStore].
func (s *Store) Books(ctx context.Context, orgIDs []string) (map[string]*ledger.Book, time.Time, error) {
	l := loader{store: s, open: account.Opening{Orgs: orgIDs}, spent: true}
	err := s.snapshot(ctx, func(tx bun.Tx) error {
		l.db = tx
		return l.load(ctx)
	})
	if err != nil {
		return nil, time.Time{}, err
	}
	return l.books(), l.now, nil
}
