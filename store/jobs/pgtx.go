package jobs

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

// errNotOurs is the error of an attempt to end the caller's transaction, or to begin one
// inside it.
var errNotOurs = errors.New("the transaction is its caller's: it is neither ended nor nested here")

// borrowedTx is the open transaction of a connection that belongs to database/sql. It runs
// statements, but only database/sql can end the transaction.
type borrowedTx struct {
	*connection
}

// connection is an alias of pgx.Conn. A field that embeds pgx.Conn by its own name would have
// the name of the method Conn.
type connection = pgx.Conn

var _ pgx.Tx = borrowedTx{}

// Begin implements pgx.Tx; it refuses.
func (borrowedTx) Begin(context.Context) (pgx.Tx, error) { return nil, errNotOurs }

// Commit implements pgx.Tx; it refuses.
func (borrowedTx) Commit(context.Context) error { return errNotOurs }

// Rollback implements pgx.Tx; it refuses.
func (borrowedTx) Rollback(context.Context) error { return errNotOurs }

// LargeObjects implements pgx.Tx; what it returns is of no use.
func (borrowedTx) LargeObjects() pgx.LargeObjects { return pgx.LargeObjects{} }

// Conn implements pgx.Tx.
func (tx borrowedTx) Conn() *pgx.Conn { return tx.connection }

// insideTx calls f with the transaction that is open on conn.
func insideTx(conn *sql.Conn, f func(pgx.Tx) error) error {
	if conn == nil {
		return errors.New("jobs on PostgreSQL need the connection of the transaction")
	}
	return conn.Raw(func(raw any) error {
		c, ok := raw.(*stdlib.Conn)
		if !ok {
			return fmt.Errorf("the connection is of driver %T, not of pgx", raw)
		}
		// T: in a transaction that has not failed. Outside of one, the jobs would be written
		// at once, whatever becomes of the data.
		if c.Conn().PgConn().TxStatus() != 'T' {
			return errors.New("no transaction is open on the connection")
		}
		return f(borrowedTx{c.Conn()})
	})
}
