package books

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"vaak/account/ledger"
	"vaak/store/database"
	"vaak/store/organisations"
)

// bookRow is the part of a row of organisations that belongs to its book.
type bookRow struct {
	bun.BaseModel `bun:"table:organisations,alias:o"`

	ID string `bun:",pk"`
	organisations.TermsRow
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
		ID: l.ID, OrgID: orgID, Kind: string(l.Kind), Source: l.Source, ExpiresAt: database.Micros(l.Expires), CreatedAt: database.Micros(l.Created),
		Granted: l.Granted, Remaining: l.Remaining, Held: l.Held, Charged: l.Charged, Expired: l.Expired,
	}
}

func (r lotRow) lot() ledger.Lot {
	return ledger.Lot{
		ID: r.ID, Kind: ledger.LotKind(r.Kind), Source: r.Source, Expires: database.Instant(r.ExpiresAt), Created: database.Instant(r.CreatedAt),
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
	Ahead     int64  // of an advance; else -1
}

// rowOfHold returns the row of a hold. One that has ended draws on no lot any more.
func rowOfHold(orgID string, h ledger.Hold, now time.Time) (holdRow, error) {
	r := holdRow{
		ID: h.ID, OrgID: orgID, KeyID: h.KeyID, State: string(h.State), Amount: h.Amount, Charged: h.Charged,
		Draws: "[]", LeaseAt: database.Micros(h.Lease), CreatedAt: database.Micros(h.Created), Day: h.Day, Ahead: -1,
	}
	if h.Advance {
		r.Ahead = h.Ahead
	}
	if h.State != ledger.Held {
		r.EndedAt = database.Micros(now)
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
		Lease: database.Instant(r.LeaseAt), Created: database.Instant(r.CreatedAt), Day: r.Day,
	}
	if r.Ahead >= 0 {
		h.Advance, h.Ahead = true, r.Ahead
	}
	if r.Draws == "[]" {
		return h, nil
	}
	if err := json.Unmarshal([]byte(r.Draws), &h.Draws); err != nil {
		return h, fmt.Errorf("draws of hold %s: %w", r.ID, err)
	}
	return h, nil
}
