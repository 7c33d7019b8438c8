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

// clock is an expression for the present in microseconds: on PostgreSQL its
// clock, which all processes share, else that of this machine. The server's
// clock moves on within a transaction.
func (s *Store) clock() schema.QueryAppender {
	if s.remote() {
		return bun.SafeQuery(serverClock)
	}
	return bun.SafeQuery("?", s.local().UnixMicro())
}

const serverClock = "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint"

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
