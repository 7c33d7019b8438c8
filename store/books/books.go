// Package books keeps the books of organisations: lots, holds, the month, the journal.
// It opens them for a posting, writes what came of it, and adds them up for an audit.
package books

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"vaak/account"
	"vaak/account/ledger"
	"vaak/store/database"
	"vaak/store/jobs"
	"vaak/store/usage"
	"vaak/store/webhooks"
)

// Books keeps books in a database.
type Books struct{ db *database.DB }

var _ account.LedgerStore = (*Books)(nil)

// New returns the books of a database.
func New(db *database.DB) *Books { return &Books{db} }

// Book implements [account.LedgerStore].
func (b *Books) Book(ctx context.Context, orgID string) (*ledger.Book, time.Time, error) {
	books, now, err := b.Books(ctx, []string{orgID})
	if err != nil {
		return nil, time.Time{}, err
	}
	if books[orgID] == nil {
		return nil, time.Time{}, b.db.Fail(ctx, sql.ErrNoRows, "open the book of %s", orgID)
	}
	return books[orgID], now, nil
}

// Books implements [account.LedgerStore].
func (b *Books) Books(ctx context.Context, orgIDs []string) (map[string]*ledger.Book, time.Time, error) {
	l := loader{db: b.db, open: account.Opening{Orgs: orgIDs}, spent: true}
	err := b.db.Snapshot(ctx, func(tx bun.Tx) error { return l.load(ctx, tx, nil) })
	if err != nil {
		return nil, time.Time{}, err
	}
	return l.books(), l.now, nil
}

// Post implements [account.LedgerStore]. PostgreSQL locks the rows of the organisations.
// Every writer of books locks them first, so READ COMMITTED is enough. SQLite has one
// writer.
//
// PostgreSQL gets two batches: one reads all that turn needs, and one writes all that
// came of it.
func (b *Books) Post(ctx context.Context, o account.Opening, turn func(time.Time, map[string]*ledger.Book) (account.Posting, error)) error {
	return b.db.Batched(ctx, func(ctx context.Context, tx *database.Tx) error {
		watch := &webhooks.Watch{}
		l := loader{db: b.db, open: o, lock: true, watch: watch}
		if err := l.load(ctx, tx, tx.Batch); err != nil {
			return err
		}
		books := l.books()
		posting, err := turn(l.now, books)
		if err != nil {
			return err
		}
		// Only books that are open are locked, and the use of others would not be.
		for _, u := range posting.Uses {
			if books[u.OrgID] == nil {
				return fmt.Errorf("use of %s, whose book is not open", u.OrgID)
			}
		}
		// The order of ids is that in which every process writes, so that no two wait for
		// each other's rows.
		c := changes{now: l.now}
		var turns []webhooks.Turn
		for _, id := range database.Sorted(books) {
			changes := books[id].Changes()
			if err := c.add(l.records[id], changes); err != nil {
				return err
			}
			if len(changes.Entries) > 0 && watch.Any(id) {
				turns = append(turns, turnOf(books[id], changes.Entries))
			}
		}
		if err := c.write(ctx, tx); err != nil {
			return err
		}
		for _, t := range turns {
			if err := watch.Tell(ctx, tx, t); err != nil {
				return err
			}
		}
		return finish(ctx, tx, posting)
	})
}

// turnOf returns what a posting did to a book, for those who are told of it.
func turnOf(b *ledger.Book, entries []ledger.Entry) webhooks.Turn {
	t := webhooks.Turn{Org: b.OrgID(), Entries: entries, Unlimited: b.Plan().MonthlyCharacters < 0}
	t.Charged, t.Left = b.Standing()
	return t
}

// finish writes what a posting has beside the books. Changed is last: a transaction that
// has raised a topic keeps all others that raise it waiting until it ends.
func finish(ctx context.Context, tx *database.Tx, p account.Posting) error {
	if err := usage.Add(ctx, tx, p.Uses); err != nil {
		return err
	}
	queued := make([]jobs.Job, len(p.Jobs))
	for i, j := range p.Jobs {
		queued[i] = jobs.Job{Kind: j.Kind, Args: j.Args, At: j.At}
	}
	if err := tx.Enqueue(ctx, queued...); err != nil {
		return err
	}
	changed := make([]database.Change, len(p.Changed))
	for i, c := range p.Changed {
		changed[i] = database.Change{Topic: database.Topic(c.Topic), ID: c.ID}
	}
	return tx.Changed(ctx, changed...)
}

// Overdue implements [account.LedgerStore].
func (b *Books) Overdue(ctx context.Context, limit int) (orgs []string, err error) {
	if limit < 1 {
		return nil, nil
	}
	now, err := b.db.Present(ctx, b.db.Read)
	if err != nil {
		return nil, err
	}
	at := database.Micros(now)
	// Conditions with the column first, each of which an index serves.
	held := b.db.Read.NewSelect().Model((*holdRow)(nil)).Column("org_id").
		Where("state = 'held'").Where("lease_at <= ?", at)
	expired := b.db.Read.NewSelect().Model((*lotRow)(nil)).Column("org_id").
		Where("is_open").Where("remaining > 0").Where("expires_at IS NOT NULL").Where("expires_at <= ?", at)
	ended := b.db.Read.NewSelect().Model((*bookRow)(nil)).ColumnExpr("id AS org_id").
		Where("sub_expires_at IS NOT NULL").Where("sub_expires_at <= ?", at)
	err = b.db.Read.NewSelect().ColumnExpr("org_id").TableExpr("(?) AS overdue", held.Union(expired).Union(ended)).
		OrderExpr("org_id").Limit(int64(limit)).Scan(ctx, &orgs)
	return orgs, b.db.Fail(ctx, err, "select overdue books")
}

// PruneHolds implements [account.LedgerStore].
func (b *Books) PruneHolds(ctx context.Context, before time.Time) (int, error) {
	return b.db.Prune(ctx, "delete holds", func(tx *database.Tx, limit int) database.Statement {
		// Ended_at is set when a hold ends, whatever way, so holds that run are never old.
		old := tx.NewSelect().Model((*holdRow)(nil)).Column("id").
			Where("ended_at IS NOT NULL").Where("ended_at < ?", database.Micros(before)).Limit(int64(limit))
		return tx.NewDelete().Model((*holdRow)(nil)).Where("id IN (?)", old)
	})
}
