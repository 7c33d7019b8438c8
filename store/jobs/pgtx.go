package jobs

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

// errNotOurs is returned to who tries to end or nest the caller's transaction.
var errNotOurs = errors.New("the transaction is its caller's: it is neither ended nor nested here")

// borrowedTx is the open transaction of a connection whose owner is
// database/sql: statements go through, the transaction cannot be ended.
type borrowedTx struct {
	*connection
}

// connection is pgx.Conn by a name that leaves that of the method Conn free.
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
		if c.Conn().PgConn().TxStatus() != 'T' {
			return errors.New("no transaction is open on the connection")
		}
		return f(borrowedTx{c.Conn()})
	})
}
