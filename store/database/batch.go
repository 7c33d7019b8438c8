package database

// This file talks to pgx itself, since bun has no batches. Statements of a batch are
// prepared, with $1, $2 and so on where bun's builder would write values. A posting
// that sends two batches takes two round trips to PostgreSQL where single statements
// would take nine.

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"
)

// Query is a statement with ? for its values, and what to do with each row that it
// returns. It runs alone or in a [Batch], from the same text.
type Query struct {
	What string // it is about, for errors
	SQL  string
	Args []any
	Read func(scan func(to ...any) error) error // one row; nil when nothing is returned
}

// List is a value of a [Query] that stands for a whole condition: "id ?" becomes
// "id IN ('a', 'b')" or, in a batch, "id = ANY ($1)". So there the length of the list makes no
// other text, which would have to be prepared again.
type List []string

// Run runs a query alone. SQLite keeps it compiled.
func (q Query) Run(ctx context.Context, db bun.IDB) error {
	if on := compiling(db); on != nil && q.short() {
		text, args, err := q.compiled()
		if err != nil {
			return err
		}
		rows, err := on.QueryContext(ctx, text, args...)
		if err != nil {
			return err
		}
		return ScanAll(rows, func(rows *sql.Rows) error { return q.Read(rows.Scan) })
	}
	args := make([]any, len(q.Args))
	for i, arg := range q.Args {
		if list, ok := arg.(List); ok {
			arg = bun.SafeQuery("IN (?)", bun.List([]string(list)))
		}
		args[i] = arg
	}
	rows, err := db.QueryContext(ctx, q.SQL, args...)
	if err != nil {
		return err
	}
	return ScanAll(rows, func(rows *sql.Rows) error { return q.Read(rows.Scan) })
}

// maxList is the longest list whose values SQLite gets as parameters, of which a statement has
// 32,766 at most.
const maxList = 256

// short reports whether all lists are short enough for parameters.
func (q Query) short() bool {
	return !slices.ContainsFunc(q.Args, func(arg any) bool { list, _ := arg.(List); return len(list) > maxList })
}

// compiled returns the text of a query with a ? for each value, and the values. The last value
// of a list is repeated until there are 1, 2, 4, 8 or so on, so that there are few texts.
func (q Query) compiled() (text string, args []any, err error) {
	parts := strings.Split(q.SQL, "?")
	for i, arg := range q.Args {
		list, ok := arg.(List)
		if !ok {
			args, parts[i] = append(args, arg), parts[i]+"?"
			continue
		}
		n := 0
		for size := 1; n < len(list); size *= 2 {
			for ; n < size; n++ {
				args = append(args, list[min(n, len(list)-1)])
			}
		}
		parts[i] += "IN (" + strings.TrimSuffix(strings.Repeat("?,", n), ",") + ")"
	}
	return strings.Join(parts, ""), args, refuseNUL(args)
}

// parameters returns the text of a query with a parameter in place of each value.
func (q Query) parameters(gen schema.QueryGen) string {
	args := make([]any, len(q.Args))
	for i, arg := range q.Args {
		args[i] = bun.Safe("$" + strconv.Itoa(i+1))
		if _, list := arg.(List); list {
			args[i] = bun.Safe("= ANY ($" + strconv.Itoa(i+1) + ")")
		}
	}
	return gen.FormatQuery(q.SQL, args...)
}

// receive reads what the query returned.
func (q Query) receive(conn *pgx.Conn, r *pgconn.ResultReader) error {
	if q.Read == nil {
		_, err := r.Close()
		return err
	}
	rows := pgx.RowsFromResultReader(conn.TypeMap(), r)
	defer rows.Close()
	for rows.Next() {
		if err := q.Read(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

// Batch is a connection of PostgreSQL that gets many statements in one round trip. Each
// statement is prepared at its first use on the connection, so the server parses and
// plans it once. When a statement fails, the server does not run those after it.
type Batch struct {
	conn  *sql.Conn
	gen   schema.QueryGen
	texts *texts
	next  []Query // not sent yet
}

// rollbackTimeout bounds a rollback whose context may have ended.
const rollbackTimeout = time.Second

// planOnce lets the server keep one plan of a prepared statement for all values. The
// plan must seek in an index even when the tables were almost empty as it was made.
const planOnce = `SELECT set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_seqscan', 'off', true),
	set_config('jit', 'off', true)`

// Batched runs f in one transaction, as [DB.Transact] does, and on PostgreSQL gives it
// a Batch. The transaction begins with the first that f sends, and what f has queued at
// its end is sent together with the commit.
func (db *DB) Batched(ctx context.Context, f func(ctx context.Context, tx *Tx) error) error {
	if !db.Postgres() {
		return db.Transact(ctx, f) // calling SQLite is no round trip
	}
	conn, err := db.Write.Conn(ctx)
	if err != nil {
		return db.Fail(ctx, err, "begin")
	}
	defer conn.Close() // returns it to the pool
	b := &Batch{conn: conn.Conn, gen: db.Write.QueryGen(), texts: &db.texts}
	// Not sent yet: they go with the first queries of f, in the same round trip.
	b.Queue(Query{What: "begin", SQL: "BEGIN"})
	b.Queue(Query{What: "plan", SQL: planOnce})
	tx := &Tx{IDB: conn, conn: conn.Conn, Batch: b, db: db}
	err = f(ctx, tx)
	if err == nil {
		b.Queue(Query{What: "commit", SQL: "COMMIT"})
		err = db.Fail(ctx, b.Send(ctx), "post")
		// Also after an error: the commit may have happened, and only its answer be lost.
		db.changed(tx.changes)
	}
	if err != nil {
		b.rollback(ctx)
	}
	return err
}

// Queue adds a query to those that the next Send sends.
func (b *Batch) Queue(q Query) { b.next = append(b.next, q) }

// Send runs what was queued.
func (b *Batch) Send(ctx context.Context) error {
	queries := b.next
	b.next = nil
	return b.raw(func(conn *pgx.Conn) error {
		batch := &pgconn.Batch{}
		// All are bound before the first is sent, so that an error here sends none.
		for _, q := range queries {
			if err := b.bind(ctx, conn, batch, q); err != nil {
				return fmt.Errorf("%s: %w", q.What, err)
			}
		}
		results := conn.PgConn().ExecBatch(ctx, batch)
		for _, q := range queries {
			if !results.NextResult() {
				break // Close returns why
			}
			if err := q.receive(conn, results.ResultReader()); err != nil {
				_ = results.Close() // would say the same
				return fmt.Errorf("%s: %w", q.What, err)
			}
		}
		return results.Close()
	})
}

func (b *Batch) raw(f func(*pgx.Conn) error) error {
	return b.conn.Raw(func(c any) error { return f(c.(*stdlib.Conn).Conn()) })
}

// rollback ends a transaction that has begun. When that fails, the pool drops the
// connection, and with it the server drops the transaction.
func (b *Batch) rollback(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackTimeout)
	defer cancel()
	_ = b.raw(func(conn *pgx.Conn) error { // the caller has the error that matters
		// TxStatus is the last byte that the server sent: I idle, T in a transaction, E in a
		// failed one.
		if conn.PgConn().TxStatus() == 'I' && !conn.IsClosed() {
			return nil // idle: nothing was sent, or it has ended
		}
		if _, err := conn.Exec(ctx, "ROLLBACK"); err != nil {
			return driver.ErrBadConn
		}
		return nil
	})
}

// bind adds a query with its values to a batch, and prepares it when this connection
// has not run it before.
func (b *Batch) bind(ctx context.Context, conn *pgx.Conn, batch *pgconn.Batch, q Query) error {
	// The text is the name as well, so pgx finds a statement that this connection has
	// prepared before.
	query := b.texts.of(q.SQL, func() string { return q.parameters(b.gen) })
	st, err := conn.Prepare(ctx, query, query)
	if err != nil {
		return err
	}
	args := slices.Clone(q.Args)
	for i, arg := range args {
		if list, ok := arg.(List); ok {
			args[i] = []string(list) // the type that pgx knows
		}
	}
	var values pgx.ExtendedQueryBuilder
	if err := values.Build(conn.TypeMap(), st, args); err != nil {
		return err
	}
	batch.ExecStatement(st, values.ParamValues, values.ParamFormats, values.ResultFormats)
	return nil
}

// texts caches texts of statements.
type texts struct{ made sync.Map }

// of returns the text for key, and makes it at the first call.
func (t *texts) of(key any, text func() string) string {
	if made, ok := t.made.Load(key); ok {
		return made.(string)
	}
	made, _ := t.made.LoadOrStore(key, text())
	return made.(string)
}

// insertion is what the text of an insert is made from.
type insertion struct {
	table    *schema.Table
	conflict string
}

// text takes an array for each column, so that one prepared statement inserts any
// number of rows. All columns of the tables that are posted to are text or bigint.
func (i insertion) text() string {
	var names, arrays []string
	for _, f := range i.table.Fields {
		names = append(names, string(f.SQLName))
		if f.IndirectType.Kind() == reflect.String {
			arrays = append(arrays, "?::text[]")
		} else {
			arrays = append(arrays, "?::bigint[]")
		}
	}
	text := "INSERT INTO " + string(i.table.SQLName) + " AS " + string(i.table.SQLAlias) + " (" + strings.Join(names, ", ") +
		") SELECT * FROM unnest(" + strings.Join(arrays, ", ") + ")"
	if i.conflict != "" {
		text += " ON CONFLICT " + i.conflict
	}
	return text
}

// one is a text for SQLite that inserts one row.
func (i insertion) one() string {
	names := make([]string, len(i.table.Fields))
	for n, f := range i.table.Fields {
		names[n] = string(f.SQLName)
	}
	text := "INSERT INTO " + string(i.table.SQLName) + " AS " + string(i.table.SQLAlias) + " (" + strings.Join(names, ", ") +
		") VALUES (?" + strings.Repeat(", ?", len(names)-1) + ")"
	if i.conflict != "" {
		text += " ON CONFLICT " + i.conflict
	}
	return text
}

// valuesOf returns the values of one row, with nil for those that are null.
func valuesOf(t *schema.Table, row reflect.Value) ([]any, error) {
	args := make([]any, len(t.Fields))
	for i, f := range t.Fields {
		if v := row.FieldByIndex(f.Index); !f.NullZero || !v.IsZero() {
			args[i] = v.Interface()
		}
	}
	return args, refuseNUL(args)
}

// insert queues a statement that inserts rows of a table.
func (b *Batch) insert(what string, t *schema.Table, rows reflect.Value, conflict string) {
	args := make([]any, len(t.Fields))
	for i, f := range t.Fields {
		args[i] = column(f, rows)
	}
	made := insertion{t, conflict}
	b.Queue(Query{What: what, SQL: b.texts.of(made, made.text), Args: args})
}

// column returns the values of one column, with nil for those that are null.
func column(f *schema.Field, rows reflect.Value) any {
	if f.IndirectType.Kind() == reflect.String {
		return values(f, rows, reflect.Value.String)
	}
	return values(f, rows, reflect.Value.Int)
}

func values[V comparable](f *schema.Field, rows reflect.Value, value func(reflect.Value) V) any {
	all := make([]V, rows.Len())
	for i := range all {
		all[i] = value(rows.Index(i).FieldByIndex(f.Index))
	}
	if !f.NullZero {
		return all
	}
	// The zero value stands for NULL here, which an array has only of pointers.
	var zero V
	nullable := make([]*V, len(all))
	for i := range all {
		if all[i] != zero {
			nullable[i] = &all[i]
		}
	}
	return nullable
}
