package store

import (
	"context"
	"fmt"
	"reflect"
	"time"

	"github.com/uptrace/bun"

	"vaak/account"
	"vaak/account/ledger"
	"vaak/store/jobs"
)

// Post implements [account.LedgerStore]. PostgreSQL locks the organisations'
// rows; every writer of books does that first, so READ COMMITTED is enough.
// SQLite has one writer.
//
// PostgreSQL is asked twice: for all that turn needs, and to write all that came
// of it. SQLite is called a statement at a time, which costs it nothing more.
func (s *Store) Post(ctx context.Context, o account.Opening, turn func(time.Time, map[string]*ledger.Book) (account.Posting, error)) error {
	transact := s.transact
	if s.postgres() {
		transact = s.piped
	}
	return transact(ctx, func(ctx context.Context, tx *transaction) error {
		l := loader{store: s, db: tx, pipe: tx.pipe, open: o, lock: true}
		if err := l.load(ctx); err != nil {
			return err
		}
		books := l.books()
		posting, err := turn(l.now, books)
		if err != nil {
			return err
		}
		for _, u := range posting.Uses {
			if books[u.OrgID] == nil {
				return fmt.Errorf("use of %s, whose book is not open", u.OrgID)
			}
		}
		e := entries{now: l.now}
		for _, id := range sorted(books) {
			if err := e.add(l.records[id], books[id].Changes()); err != nil {
				return err
			}
		}
		if err := e.write(ctx, tx); err != nil {
			return err
		}
		return tx.finish(ctx, posting)
	})
}

// finish writes what a posting has beside the books.
func (tx *transaction) finish(ctx context.Context, p account.Posting) error {
	if err := tx.addUses(ctx, p.Uses); err != nil {
		return err
	}
	if err := tx.enqueue(ctx, p.Jobs); err != nil {
		return err
	}
	return tx.changed(ctx, p.Changed...)
}

// enqueue queues jobs with the data of the transaction.
func (tx *transaction) enqueue(ctx context.Context, todo []account.Job) error {
	queued := make([]jobs.Job, len(todo))
	for i, j := range todo {
		queued[i] = jobs.Job{Kind: j.Kind, Args: j.Args, At: j.At}
	}
	return tx.store.fail(ctx, tx.store.queue.InsertTx(ctx, tx.conn, tx.tx, queued...), "queue jobs")
}

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

// entries are the rows that a posting writes for its books.
type entries struct {
	now      time.Time
	books    []bookRow
	newLots  []lotRow
	lots     []lotRow
	newHolds []holdRow
	holds    []holdRow
	journal  []entryRow
}

// add adds the changes of one book. What is new is told from what was there, so
// that a lot or hold which somebody else has added is not overwritten.
func (e *entries) add(r *ledger.Record, c ledger.Changes) error {
	if c.Terms != nil || c.Month != nil {
		e.books = append(e.books, rowOfBook(r, c))
	}
	granted := map[string]bool{}
	for _, j := range c.Entries {
		granted[j.LotID] = granted[j.LotID] || j.Kind == ledger.Granted
		e.journal = append(e.journal, entryRow{
			OrgID: r.OrgID, Kind: string(j.Kind), LotID: j.LotID, HoldID: j.HoldID, Amount: j.Amount, At: micros(j.At),
		})
	}
	for _, l := range c.Lots {
		if granted[l.ID] {
			e.newLots = append(e.newLots, rowOfLot(r.OrgID, l))
		} else {
			e.lots = append(e.lots, rowOfLot(r.OrgID, l))
		}
	}
	return e.addHolds(r, c.Holds)
}

func (e *entries) addHolds(r *ledger.Record, holds []ledger.Hold) error {
	known := make(map[string]bool, len(r.Holds))
	for _, h := range r.Holds {
		known[h.ID] = true
	}
	for _, h := range holds {
		row, err := rowOfHold(r.OrgID, h, e.now)
		if err != nil {
			return err
		}
		if known[h.ID] {
			e.holds = append(e.holds, row)
		} else {
			e.newHolds = append(e.newHolds, row)
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
		ID: r.OrgID, termsRow: rowOfTerms(terms),
		GrantedPeriod: string(month.Period), GrantedCharacters: month.Granted,
	}
}

// write writes the rows, a statement for each sort of them.
func (e *entries) write(ctx context.Context, tx *transaction) error {
	for i := range e.books { // few: once a month, and when terms change
		_, err := tx.NewUpdate().Model(&e.books[i]).WherePK().Exec(ctx)
		if err != nil {
			return tx.store.fail(ctx, err, "update organisation %s", e.books[i].ID)
		}
	}
	if err := insert(ctx, tx, "new lots", e.newLots, ""); err != nil {
		return err
	}
	if err := insert(ctx, tx, "lots", e.lots, `(id) DO UPDATE SET remaining = excluded.remaining, held = excluded.held,
		charged = excluded.charged, expired = excluded.expired`); err != nil {
		return err
	}
	if err := insert(ctx, tx, "new holds", e.newHolds, ""); err != nil {
		return err
	}
	if err := insert(ctx, tx, "holds", e.holds, `(id) DO UPDATE SET state = excluded.state, amount = excluded.amount,
		charged = excluded.charged, draws = excluded.draws, lease_at = excluded.lease_at, ended_at = excluded.ended_at, day = excluded.day`); err != nil {
		return err
	}
	return insert(ctx, tx, "entries", e.journal, "")
}

// insert inserts rows, if there are any, in one statement; on a pipe with what
// is sent next. Conflict is what to do about those that are there already; "" is
// to fail.
func insert[R any](ctx context.Context, tx *transaction, what string, rows []R, conflict string) error {
	if len(rows) == 0 {
		return nil
	}
	if tx.pipe != nil {
		tx.pipe.insert(what, tx.store.write.Table(reflect.TypeFor[R]()), reflect.ValueOf(rows), conflict)
		return nil
	}
	q := tx.NewInsert().Model(&rows).Returning("NULL")
	if conflict != "" {
		q = q.On("CONFLICT " + conflict)
	}
	_, err := q.Exec(ctx)
	return tx.store.fail(ctx, err, "write %s", what)
}

// RenewHolds implements [account.LedgerStore]. On PostgreSQL it passes over
// holds that are being posted just now, whose lease that moves or ends; waiting
// for them while it holds others could be a deadlock.
func (s *Store) RenewHolds(ctx context.Context, ids []string, lease time.Duration) error {
	if len(ids) == 0 {
		return nil
	}
	which := bun.SafeQuery("?", bun.List(ids))
	if s.postgres() {
		which = bun.SafeQuery("SELECT id FROM holds WHERE id IN (?) FOR UPDATE SKIP LOCKED", bun.List(ids))
	}
	_, err := s.exec(ctx, "renew holds", "UPDATE holds SET lease_at = ? + ? WHERE id IN (?) AND state = 'held'", s.clock(), lease.Microseconds(), which)
	return err
}

// Overdue implements [account.LedgerStore].
func (s *Store) Overdue(ctx context.Context, limit int) (orgs []string, err error) {
	now, err := s.present(ctx, s.read)
	if err != nil {
		return nil, err
	}
	at := micros(now)
	err = s.read.NewRaw(`SELECT org_id FROM holds WHERE state = 'held' AND lease_at <= ?
		UNION SELECT org_id FROM lots WHERE is_open AND remaining > 0 AND expires_at IS NOT NULL AND expires_at <= ?
		UNION SELECT id FROM organisations WHERE sub_expires_at IS NOT NULL AND sub_expires_at <= ?
		ORDER BY 1 LIMIT ?`, at, at, at, limit).Scan(ctx, &orgs)
	return orgs, s.fail(ctx, err, "select overdue books")
}

// PruneHolds implements [account.LedgerStore].
func (s *Store) PruneHolds(ctx context.Context, before time.Time) (int, error) {
	return s.prune(ctx, "delete holds",
		"DELETE FROM holds WHERE id IN (SELECT id FROM holds WHERE ended_at IS NOT NULL AND ended_at < ? LIMIT ?)", before)
}

// pruneBatch is how many rows one statement deletes: others want to write, too.
const pruneBatch = 1000

// prune deletes batches until there is nothing left from before a time.
func (s *Store) prune(ctx context.Context, what, query string, before time.Time) (n int, err error) {
	for {
		deleted, err := s.exec(ctx, what, query, micros(before), pruneBatch)
		n += deleted
		if err != nil || deleted < pruneBatch {
			return n, err
		}
	}
}
