package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/uptrace/bun/schema"
)

// rollbackTimeout bounds taking a transaction back whose context is over.
const rollbackTimeout = time.Second

// pipe is a connection of PostgreSQL to which statements go many at a time: they
// are gathered and cost one round trip together. Each is prepared at its first
// use on the connection, so that the server parses and plans it once. When one
// fails, those after it in the same trip are not run.
type pipe struct {
	conn    *sql.Conn
	texts   *texts
	waiting []question
}

// planOnce lets the server keep the plan of a prepared statement, for all of its
// values, and makes that plan seek in an index however small the tables were when
// it was made.
const planOnce = `SELECT set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_seqscan', 'off', true),
	set_config('jit', 'off', true)`

// piped runs f in one transaction on a pipe. The transaction begins with what f
// sends first, and ends with what it leaves for later.
func (s *Store) piped(ctx context.Context, f func(ctx context.Context, tx *transaction) error) error {
	conn, err := s.write.Conn(ctx)
	if err != nil {
		return s.fail(ctx, err, "begin")
	}
	defer conn.Close() // gives it back to the pool
	p := &pipe{conn: conn.Conn, texts: &s.texts}
	p.add(question{what: "begin", query: "BEGIN"})
	p.add(question{what: "plan", query: planOnce})
	tx := &transaction{IDB: conn, conn: conn.Conn, pipe: p, store: s}
	err = f(ctx, tx)
	if err == nil {
		p.add(question{what: "commit", query: "COMMIT"})
		err = s.fail(ctx, p.send(ctx), "post")
		s.keyring.evict(tx.changes...)
	}
	if err != nil {
		p.rollback(ctx)
	}
	return err
}

// add gathers a statement.
func (p *pipe) add(q question) { p.waiting = append(p.waiting, q) }

// send runs what was gathered.
func (p *pipe) send(ctx context.Context) error {
	all := p.waiting
	p.waiting = nil
	return p.raw(func(conn *pgx.Conn) error {
		batch := &pgconn.Batch{}
		for _, q := range all {
			if err := p.bind(ctx, conn, batch, q); err != nil {
				return fmt.Errorf("%s: %w", q.what, err)
			}
		}
		results := conn.PgConn().ExecBatch(ctx, batch)
		for _, q := range all {
			if !results.NextResult() {
				break
			}
			if err := q.receive(conn, results.ResultReader()); err != nil {
				_ = results.Close() // would say the same
				return fmt.Errorf("%s: %w", q.what, err)
			}
		}
		return results.Close()
	})
}

// receive reads what one statement returned.
func (q question) receive(conn *pgx.Conn, r *pgconn.ResultReader) error {
	if q.read == nil {
		_, err := r.Close()
		return err
	}
	rows := pgx.RowsFromResultReader(conn.TypeMap(), r)
	defer rows.Close()
	return q.read.all(rows)
}

func (p *pipe) raw(f func(*pgx.Conn) error) error {
	return p.conn.Raw(func(c any) error { return f(c.(*stdlib.Conn).Conn()) })
}

// rollback takes back what has begun. When that fails the pool drops the
// connection, and the server the transaction.
func (p *pipe) rollback(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackTimeout)
	defer cancel()
	_ = p.raw(func(conn *pgx.Conn) error { // why it is rolled back tells more
		if conn.PgConn().TxStatus() == 'I' && !conn.IsClosed() {
			return nil
		}
		if _, err := conn.Exec(ctx, "ROLLBACK"); err != nil {
			return driver.ErrBadConn
		}
		return nil
	})
}

// bind prepares a statement, if that has not been done, and adds it with its
// values to a batch.
func (p *pipe) bind(ctx context.Context, conn *pgx.Conn, batch *pgconn.Batch, q question) error {
	query := p.texts.of(q.query, func() string { return numbered(q.query) })
	st, err := conn.Prepare(ctx, query, query)
	if err != nil {
		return err
	}
	var values pgx.ExtendedQueryBuilder
	if err := values.Build(conn.TypeMap(), st, q.args); err != nil {
		return err
	}
	batch.ExecStatement(st, values.ParamValues, values.ParamFormats, values.ResultFormats)
	return nil
}

// numbered turns each ? into $1, $2 and so on, and a list of values into an
// array, so that its length makes no other statement.
func numbered(query string) string {
	var b strings.Builder
	parts := strings.Split(query, "?")
	for i, part := range parts[:len(parts)-1] {
		if head, list := strings.CutSuffix(part, "IN ("); list {
			part = head + "= ANY ("
		}
		b.WriteString(part + "$" + strconv.Itoa(i+1))
	}
	return b.String() + parts[len(parts)-1]
}

// texts keeps texts of statements that cost something to make.
type texts struct{ made sync.Map }

// of returns the text for key, which it makes once.
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

// text takes the rows as an array for each column.
func (i insertion) text() string {
	var names, types []string
	for _, f := range i.table.Fields {
		names = append(names, string(f.SQLName))
		if f.IndirectType.Kind() == reflect.String {
			types = append(types, "?::text[]")
		} else {
			types = append(types, "?::bigint[]")
		}
	}
	text := "INSERT INTO " + string(i.table.SQLName) + " AS " + string(i.table.SQLAlias) + " (" + strings.Join(names, ", ") +
		") SELECT * FROM unnest(" + strings.Join(types, ", ") + ")"
	if i.conflict != "" {
		text += " ON CONFLICT " + i.conflict
	}
	return text
}

// insert gathers a statement that inserts rows of a table.
func (p *pipe) insert(what string, t *schema.Table, rows reflect.Value, conflict string) {
	args := make([]any, len(t.Fields))
	for i, f := range t.Fields {
		args[i] = column(f, rows)
	}
	made := insertion{t, conflict}
	p.add(question{what: what, query: p.texts.of(made, made.text), args: args})
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
	var zero V
	some := make([]*V, len(all))
	for i := range all {
		if all[i] != zero {
			some[i] = &all[i]
		}
	}
	return some
}
