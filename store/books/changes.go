package books

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"vaak/account/ledger"
	"vaak/store/database"
	"vaak/store/organisations"
)

// entryRow is a row of ledger_entries.
type entryRow struct {
	bun.BaseModel `bun:"table:ledger_entries"`

	OrgID  string
	Kind   string
	LotID  string `bun:",nullzero"`
	HoldID string `bun:",nullzero"`
	Amount int64
	At     int64
}

// changes are the rows that a posting writes for its books.
type changes struct {
	now      time.Time
	books    []bookRow
	newLots  []lotRow
	lots     []lotRow
	newHolds []holdRow
	holds    []holdRow
	journal  []entryRow
}

// add adds the changes of one book. New lots and holds are inserted and fail when they
// exist: another process may have added one with the same id, which must not be
// overwritten.
func (c *changes) add(r *ledger.Record, of ledger.Changes) error {
	if of.Terms != nil || of.Month != nil {
		c.books = append(c.books, rowOfBook(r, of))
	}
	granted := map[string]bool{} // lots that have their first entry in this posting
	for _, e := range of.Entries {
		granted[e.LotID] = granted[e.LotID] || e.Kind == ledger.Granted
		c.journal = append(c.journal, entryRow{
			OrgID: r.OrgID, Kind: string(e.Kind), LotID: e.LotID, HoldID: e.HoldID, Amount: e.Amount, At: database.Micros(e.At),
		})
	}
	for _, l := range of.Lots {
		if granted[l.ID] {
			c.newLots = append(c.newLots, rowOfLot(r.OrgID, l))
		} else {
			c.lots = append(c.lots, rowOfLot(r.OrgID, l))
		}
	}
	return c.addHolds(r, of.Holds)
}

func (c *changes) addHolds(r *ledger.Record, holds []ledger.Hold) error {
	known := make(map[string]bool, len(r.Holds))
	for _, h := range r.Holds {
		known[h.ID] = true
	}
	for _, h := range holds {
		row, err := rowOfHold(r.OrgID, h, c.now)
		if err != nil {
			return err
		}
		if known[h.ID] {
			c.holds = append(c.holds, row)
		} else {
			c.newHolds = append(c.newHolds, row)
		}
	}
	return nil
}

func rowOfBook(r *ledger.Record, c ledger.Changes) bookRow {
	terms, month := r.Terms, r.Month
	if c.Terms != nil {
		terms = *c.Terms
	}
	if c.Month != nil {
		month = *c.Month
	}
	return bookRow{
		ID: r.OrgID, TermsRow: organisations.RowOfTerms(terms),
		GrantedPeriod: string(month.Period), GrantedCharacters: month.Granted,
	}
}

// write writes the rows, with one statement for each table and kind of change.
func (c *changes) write(ctx context.Context, tx *database.Tx) error {
	for i := range c.books { // few: once a month, and when terms change
		_, err := tx.NewUpdate().Model(&c.books[i]).WherePK().Exec(ctx)
		if err != nil {
			return tx.Fail(ctx, err, "update organisation %s", c.books[i].ID)
		}
	}
	if err := database.Insert(ctx, tx, "new lots", c.newLots, ""); err != nil {
		return err
	}
	// A lot that exists differs only in where its characters are. What was granted, by
	// which source and until when, never changes.
	if err := database.Insert(ctx, tx, "lots", c.lots, `(id) DO UPDATE SET remaining = excluded.remaining, held = excluded.held,
		charged = excluded.charged, expired = excluded.expired`); err != nil {
		return err
	}
	if err := database.Insert(ctx, tx, "new holds", c.newHolds, ""); err != nil {
		return err
	}
	if err := database.Insert(ctx, tx, "holds", c.holds, `(id) DO UPDATE SET state = excluded.state, amount = excluded.amount,
		charged = excluded.charged, draws = excluded.draws, lease_at = excluded.lease_at, ended_at = excluded.ended_at, day = excluded.day,
		ahead = excluded.ahead`); err != nil {
		return err
	}
	return database.Insert(ctx, tx, "entries", c.journal, "")
}
