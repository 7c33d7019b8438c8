package database

import (
	"cmp"
	"context"
	"database/sql"
	"reflect"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"vaak/internal/pause"
	"vaak/store/jobs"
)

// lockWait is how long a transaction of SQLite waits for the lock of another
// process, unless its context ends first.
const lockWait = 5 * time.Second

// Tx is a transaction that writes. Its statements run at once, but for those that go
// to its Batch.
type Tx struct {
	bun.IDB
	Batch *Batch // of [DB.Batched] on PostgreSQL, else nil

	conn    *sql.Conn // on which it runs
	tx      *sql.Tx   // nil on a batch
	db      *DB
	news    []news   // to tell the watchers of this process after the commit
	changes []Change // for [DB.OnChange]
}

// Statement is an insert, update or delete of bun's query builder.
type Statement interface {
	Exec(ctx context.Context, dest ...any) (sql.Result, error)
}

// Transact runs f in one transaction and commits it. When f returns an error, nothing
// is written, and Transact returns that error as it is.
func (db *DB) Transact(ctx context.Context, f func(ctx context.Context, tx *Tx) error) error {
	inner := ctx
	if !db.Postgres() {
		// The driver starts a goroutine for each statement whose context can end, and
		// once the lock is taken there is nothing left to wait for.
		inner = context.WithoutCancel(ctx)
	}
	tx, done, err := db.begin(ctx, inner)
	if err != nil {
		return db.Fail(ctx, err, "begin")
	}
	defer done()
	if err := f(inner, tx); err != nil {
		_ = tx.tx.Rollback() // err says more than a failed rollback could
		return err
	}
	// On SQLite the statements ran without ctx, so its end shows only here.
	if err := ctx.Err(); err != nil {
		_ = tx.tx.Rollback() // likewise
		return db.Fail(ctx, err, "commit")
	}
	err = tx.tx.Commit()
	// Also after an error: the commit may have happened, and only its answer be lost.
	db.changed(tx.changes)
	if len(tx.news) > 0 {
		db.bell.ring() // likewise
	}
	if err != nil {
		return db.Fail(ctx, err, "commit")
	}
	db.feed.watchers.tell(tx.news) // after the commit: a watcher reads what it hears of
	return nil
}

// begin waits for a connection, and on SQLite for the lock, until ctx ends. The
// transaction itself has the context inner, and done returns its connection.
func (db *DB) begin(ctx, inner context.Context) (tx *Tx, done func(), err error) {
	conn, err := db.Write.Conn(ctx)
	if err != nil {
		return nil, nil, err
	}
	done = func() { _ = conn.Close() } // returns it to the pool
	wait, cancel := pause.Within(ctx, lockWait)
	defer cancel()
	// SQLite waits for busyTimeout in a call that no context can end. So that timeout is
	// short, and the wait is a loop of short ones.
	for {
		begun, err := conn.BeginTx(inner, nil)
		if err == nil {
			return &Tx{IDB: begun, conn: conn.Conn, tx: begun.Tx, db: db}, done, nil
		}
		if db.Postgres() || !Busy(err) || wait.Err() != nil {
			done()
			return nil, nil, cmp.Or(ctx.Err(), err)
		}
	}
}

// Snapshot runs f on one state of the database, which f cannot change.
func (db *DB) Snapshot(ctx context.Context, f func(tx bun.Tx) error) error {
	var opts *sql.TxOptions // on SQLite every transaction that reads is a snapshot
	if db.Postgres() {
		opts = &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true}
	}
	tx, err := db.Read.BeginTx(ctx, opts)
	if err != nil {
		return db.Fail(ctx, err, "begin")
	}
	err = f(tx)
	_ = tx.Rollback() // it has written nothing
	return err
}

// Fail is [DB.Fail].
func (tx *Tx) Fail(ctx context.Context, err error, format string, args ...any) error {
	return tx.db.Fail(ctx, err, format, args...)
}

// Execute executes a statement and returns how many rows it changed. Its error is that
// of the driver.
func (tx *Tx) Execute(ctx context.Context, st Statement) (rows int, err error) {
	res, err := st.Exec(ctx)
	if err != nil {
		return 0, err
	}
	n, err := res.RowsAffected()
	return int(n), err
}

// ExecuteOne is Execute for a statement on one row: its error is [sql.ErrNoRows] when
// that row does not exist.
func (tx *Tx) ExecuteOne(ctx context.Context, st Statement) error {
	n, err := tx.Execute(ctx, st)
	if err == nil && n == 0 {
		err = sql.ErrNoRows
	}
	return err
}

// Execute executes one statement in a transaction of its own and returns how many rows
// it changed. What names the action, for the error text.
func (db *DB) Execute(ctx context.Context, what string, st func(tx *Tx) Statement) (rows int, err error) {
	err = db.Transact(ctx, func(ctx context.Context, tx *Tx) (err error) {
		rows, err = tx.Execute(ctx, st(tx))
		return db.Fail(ctx, err, "%s", what)
	})
	return rows, err
}

// Insert inserts rows, if there are any; on a batch it runs with what is sent next. SQLite
// keeps the statement compiled, and runs it for each row. Conflict is what to do with a row
// that exists already, as it follows ON CONFLICT in SQL; "" is to fail.
func Insert[R any](ctx context.Context, tx *Tx, what string, rows []R, conflict string) error {
	if len(rows) == 0 {
		return nil
	}
	if tx.Batch != nil {
		tx.Batch.insert(what, tx.db.Write.Table(reflect.TypeFor[R]()), reflect.ValueOf(rows), conflict)
		return nil
	}
	if !tx.db.Postgres() {
		made := insertion{tx.db.Write.Table(reflect.TypeFor[R]()), conflict}
		return tx.Fail(ctx, tx.insert(ctx, made, reflect.ValueOf(rows)), "write %s", what)
	}
	q := tx.NewInsert().Model(&rows).Returning("NULL")
	if conflict != "" {
		q = q.On("CONFLICT " + conflict)
	}
	_, err := q.Exec(ctx)
	return tx.Fail(ctx, err, "write %s", what)
}

// insert inserts rows into SQLite.
func (tx *Tx) insert(ctx context.Context, i insertion, rows reflect.Value) error {
	text := tx.db.texts.of(i, i.one)
	for n := range rows.Len() {
		args, err := valuesOf(i.table, rows.Index(n))
		if err != nil {
			return err
		}
		if _, err := tx.tx.ExecContext(ctx, text, args...); err != nil {
			return err
		}
	}
	return nil
}

// pruneBatch is how many rows one statement of [DB.Prune] deletes. Each is a
// transaction, and between two of them others can write.
const pruneBatch = 1000

// Prune runs a statement that deletes up to limit rows until none are left, and returns
// how many it deleted.
func (db *DB) Prune(ctx context.Context, what string, st func(tx *Tx, limit int) Statement) (n int, err error) {
	for {
		deleted, err := db.Execute(ctx, what, func(tx *Tx) Statement { return st(tx, pruneBatch) })
		n += deleted
		if err != nil || deleted < pruneBatch { // a batch that is not full was the last
			return n, err
		}
	}
}

// Enqueue queues jobs with the data of the transaction.
func (tx *Tx) Enqueue(ctx context.Context, all ...jobs.Job) error {
	return tx.Fail(ctx, tx.db.queue.InsertTx(ctx, tx.conn, tx.tx, all...), "queue jobs")
}

// enqueueAtOnce is how many jobs are written in one transaction.
const enqueueAtOnce = 1000

// Enqueue writes jobs that belong to no other change, in transactions of a thousand.
// After an error it can be tried again: each job was written or not, and Unique of a
// job says what happens to one that was.
func (db *DB) Enqueue(ctx context.Context, all ...jobs.Job) error {
	for batch := range slices.Chunk(all, enqueueAtOnce) {
		err := db.Transact(ctx, func(ctx context.Context, tx *Tx) error { return tx.Enqueue(ctx, batch...) })
		if err != nil {
			return err
		}
	}
	return nil
}

// Sorted returns the keys of a map in order. Rows are locked in that order, so that two
// transactions never wait for each other.
func Sorted[K cmp.Ordered, V any](m map[K]V) []K {
	keys := make([]K, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// DB returns the database that the transaction changes.
func (tx *Tx) DB() *DB { return tx.db }
