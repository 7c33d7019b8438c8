package database

import (
	"context"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"
)

// Instant is the time that a column holds, in Unix microseconds; 0 is no time.
func Instant(micros int64) time.Time {
	if micros == 0 {
		return time.Time{}
	}
	return time.UnixMicro(micros).UTC()
}

// Micros is the inverse of Instant.
func Micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

// MostAhead bounds how far ahead of this machine's clock the clock of the database is
// followed. Beyond that one of the two is wrong. A wrong clock that goes forward grants
// months, expires lots and renews subscriptions, and none of that is undone when it
// comes back.
const MostAhead = time.Hour

// serverClock is the clock of PostgreSQL in Unix microseconds. It moves on within a
// transaction, unlike now().
const serverClock = "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint"

// clock tells the time of a [DB], which embeds it.
type clock struct{ db *DB }

// Clock is an expression for the present in Unix microseconds. On PostgreSQL it is the
// clock of the server, which all processes share, up to [MostAhead]; else it is that of
// this machine.
func (c *clock) Clock() schema.QueryAppender {
	expr, value := c.ClockText()
	return bun.SafeQuery(expr, value)
}

// ClockText is the text of Clock, and the value for its ?.
func (c *clock) ClockText() (expr string, value int64) {
	if c.ServerClock() {
		// The bound is computed here, so a server whose clock is wrong cannot move it.
		return "least(" + serverClock + ", ?)", c.Local().Add(MostAhead).UnixMicro()
	}
	return "?", c.Local().UnixMicro()
}

// ServerClock reports whether the clock is that of PostgreSQL.
func (c *clock) ServerClock() bool { return c.db.Postgres() && c.db.Now == nil }

// Local reads the clock of this machine, or of the test.
func (c *clock) Local() time.Time {
	if c.db.Now != nil {
		return c.db.Now()
	}
	return time.Now()
}

// Present reads the clock, to the microsecond.
func (c *clock) Present(ctx context.Context, q bun.IDB) (now time.Time, err error) {
	if !c.ServerClock() {
		return Instant(c.Local().UnixMicro()), nil
	}
	var at int64
	err = q.NewSelect().ColumnExpr("?", c.Clock()).Scan(ctx, &at)
	return Instant(at), c.db.Fail(ctx, err, "read the clock")
}

// Ahead measures how far the clock of the database is ahead of this machine's.
func (c *clock) Ahead(ctx context.Context) (time.Duration, error) {
	if !c.db.Postgres() {
		return 0, nil // SQLite has no clock of its own
	}
	ahead, _, err := ServerAhead(ctx, c.db.Read)
	return ahead, c.db.Fail(ctx, err, "read the clock")
}

// ServerAhead measures how far the clock of PostgreSQL is ahead of this machine's, give
// or take half of trip, the time that the question took.
func ServerAhead(ctx context.Context, q Querier) (ahead, trip time.Duration, err error) {
	var at int64
	began := time.Now()
	err = q.QueryRowContext(ctx, "SELECT "+serverClock).Scan(&at)
	// The server reads its clock at some moment of the trip; the middle is wrong by half of
	// it at most.
	trip = time.Since(began)
	return time.UnixMicro(at).Sub(began.Add(trip / 2)), trip, err
}
