package store

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"vaak/account"
)

// lockWait is how long a transaction of SQLite waits for the lock of another
// process, unless its context ends first.
const lockWait = 5 * time.Second

// transaction writes: all of it or nothing.
type transaction struct {
	bun.IDB           // writes at once
	conn    *sql.Conn // on which it runs
	tx      *sql.Tx   // nil on a pipe
	pipe    *pipe     // of a posting on PostgreSQL, else nil
	store   *Store
	news    []news // told when it is committed
	// changes are what the keyring must not hold any more, be it that only the
	// answer of the commit was lost.
	changes []account.Change
}

// transact runs f in one transaction. Errors of f are returned as they are.
func (s *Store) transact(ctx context.Context, f func(ctx context.Context, tx *transaction) error) error {
	inner := ctx
	if !s.postgres() {
		// A context that can end costs the driver a goroutine a statement, and
		// there is nothing to wait for once the lock is taken.
		inner = context.WithoutCancel(ctx)
	}
	tx, done, err := s.begin(ctx, inner)
	if err != nil {
		return s.fail(ctx, err, "begin")
	}
	defer done()
	if err := f(inner, tx); err != nil {
		_ = tx.tx.Rollback() // why it is rolled back tells more
		return err
	}
	if err := ctx.Err(); err != nil {
		_ = tx.tx.Rollback() // likewise
		return s.fail(ctx, err, "commit")
	}
	err = tx.tx.Commit()
	if s.keyring != nil {
		s.keyring.evict(tx.changes...)
	}
	if err != nil {
		return s.fail(ctx, err, "commit")
	}
	s.watchers.tell(tx.news)
	return nil
}

// begin waits for a connection, and on SQLite for the lock, until ctx ends.
// The transaction itself lives under inner.
func (s *Store) begin(ctx, inner context.Context) (tx *transaction, done func(), err error) {
	conn, err := s.write.Conn(ctx)
	if err != nil {
		return nil, nil, err
	}
	done = func() { _ = conn.Close() } // gives it back to the pool
	wait, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	for {
		begun, err := conn.BeginTx(inner, nil)
		if err == nil {
			return &transaction{IDB: begun, conn: conn.Conn, tx: begun.Tx, store: s}, done, nil
		}
		if s.postgres() || !busy(err) || wait.Err() != nil {
			done()
			return nil, nil, cmp.Or(ctx.Err(), err)
		}
	}
}

// snapshot runs f on one state of the database, which it cannot change.
func (s *Store) snapshot(ctx context.Context, f func(tx bun.Tx) error) error {
	var opts *sql.TxOptions // SQLite's are snapshots without a word
	if s.postgres() {
		opts = &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true}
	}
	tx, err := s.read.BeginTx(ctx, opts)
	if err != nil {
		return s.fail(ctx, err, "begin")
	}
	err = f(tx)
	_ = tx.Rollback() // there is nothing to keep
	return err
}

// exec executes a statement with ? for its values.
func (tx *transaction) exec(ctx context.Context, query string, args ...any) error {
	_, err := tx.ExecContext(ctx, query, args...)
	return err
}

// exec executes one statement in a transaction of its own and returns how many
// rows it changed. What says what it does.
func (s *Store) exec(ctx context.Context, what, query string, args ...any) (rows int, err error) {
	err = s.transact(ctx, func(ctx context.Context, tx *transaction) error {
		res, err := tx.ExecContext(ctx, query, args...)
		if err == nil {
			var n int64
			n, err = res.RowsAffected()
			rows = int(n)
		}
		return s.fail(ctx, err, "%s", what)
	})
	return rows, err
}

// changed tells every process of changes of accounts when the transaction is
// committed.
func (tx *transaction) changed(ctx context.Context, changes ...account.Change) error {
	tx.changes = append(tx.changes, changes...)
	topics := map[topic][]string{}
	for _, c := range changes {
		topics[topic(c.Topic)] = append(topics[topic(c.Topic)], c.ID)
	}
	for _, t := range sorted(topics) { // the order in which rows are locked
		if _, err := tx.raise(ctx, t, topics[t]...); err != nil {
			return err
		}
	}
	return nil
}

// raise gives a topic its next version and tells every process of it, with ids
// of what changed, when the transaction is committed. From here on the
// transaction has the topic for itself, so versions are committed in their order.
func (tx *transaction) raise(ctx context.Context, t topic, ids ...string) (version int64, err error) {
	n := news{topic: t, ids: ids}
	err = tx.QueryRowContext(ctx, `INSERT INTO versions (topic, version) VALUES (?, 1)
		ON CONFLICT (topic) DO UPDATE SET version = versions.version + 1 RETURNING version`, t).Scan(&n.version)
	if err != nil {
		return 0, tx.store.fail(ctx, err, "raise the version of %s", t)
	}
	if !tx.store.postgres() {
		tx.news = append(tx.news, n)
		return n.version, nil
	}
	return n.version, tx.store.fail(ctx, tx.notify(ctx, n), "notify of %s", t)
}

func sorted[K cmp.Ordered, V any](m map[K]V) []K {
	keys := make([]K, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
