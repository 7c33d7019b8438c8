package store

import (
	"context"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"
)

// instant is the time of a row, in Unix microseconds; 0 is no time.
func instant(micros int64) time.Time {
	if micros == 0 {
		return time.Time{}
	}
	return time.UnixMicro(micros).UTC()
}

// micros is the inverse of instant.
func micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

// milliseconds is the time that a column of whole milliseconds holds.
func milliseconds(n int64) time.Duration { return time.Duration(n) * time.Millisecond }

// MostAhead is how far the clock of the database is followed ahead of this machine's.
// Further on, one of the two is wrong; and what a wrong one grants, ends and renews
// when it goes forward is not undone when it comes back.
const MostAhead = time.Hour

// clock is an expression for the present in microseconds: on PostgreSQL its
// clock, which all processes share, up to MostAhead; else that of this machine. The
// server's clock moves on within a transaction.
func (s *Store) clock() schema.QueryAppender {
	expr, value := s.clockText()
	return bun.SafeQuery(expr, value)
}

// clockText is the text of clock, and its value.
func (s *Store) clockText() (expr string, value int64) {
	if s.remote() {
		return "least(" + serverClock + ", ?)", s.local().Add(MostAhead).UnixMicro()
	}
	return "?", s.local().UnixMicro()
}

const serverClock = "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint"

// Ahead measures how far the clock of the database is ahead of this machine's.
func (s *Store) Ahead(ctx context.Context) (time.Duration, error) {
	if !s.postgres() {
		return 0, nil // it has no other
	}
	ahead, _, err := serverAhead(ctx, s.read)
	return ahead, s.fail(ctx, err, "read the clock")
}

// serverAhead measures it to half the time that the question took.
func serverAhead(ctx context.Context, q querier) (ahead, trip time.Duration, err error) {
	var at int64
	began := time.Now()
	err = q.QueryRowContext(ctx, "SELECT "+serverClock).Scan(&at)
	trip = time.Since(began)
	return time.UnixMicro(at).Sub(began.Add(trip / 2)), trip, err
}

// remote reports whether the clock is that of PostgreSQL.
func (s *Store) remote() bool { return s.postgres() && s.now == nil }

// local is the clock of this machine, or of the test.
func (s *Store) local() time.Time {
	if s.now != nil {
		return s.now()
	}
	return time.Now()
}

// present asks the clock.
func (s *Store) present(ctx context.Context, q bun.IDB) (now time.Time, err error) {
	if !s.remote() {
		return instant(s.local().UnixMicro()), nil
	}
	var at int64
	err = q.QueryRowContext(ctx, "SELECT ?", s.clock()).Scan(&at)
	return instant(at), s.fail(ctx, err, "read the clock")
}
