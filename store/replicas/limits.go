package replicas

// This file calls functions of PostgreSQL that migration 0003 makes, for which bun has no
// builder. Each call is one of them, in one round trip.

import (
	"context"
	"database/sql"
	"errors"
	"math"
	"sync"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"vaak/account"
	"vaak/internal/pause"
	"vaak/internal/ratelimit"
	"vaak/store/database"
)

// sweepEvery is how often a process deletes counters that count no longer.
const sweepEvery = time.Minute

// Limits counts requests and streams for all processes that serve from a database of
// PostgreSQL. Streams without a limit are counted in this process only: a row that all
// processes see would cost a write and refuse nothing.
type Limits struct {
	db        *database.DB
	roster    *Roster
	pool      *bun.DB // a limit must not wait behind the work that it limits
	gather    gathering
	boundless *ratelimit.Slots // of scopes without a limit

	mu      sync.Mutex
	holders map[string][]string // scopes that a holder has in boundless
	swept   time.Time
}

var _ account.LimitStore = (*Limits)(nil)

// limitConns is how many connections count limits. Each call is short.
const limitConns = 4

// NewLimits returns the limits of a database of PostgreSQL.
func NewLimits(db *database.DB, roster *Roster) *Limits {
	return newLimits(db, roster, db.Pool(limitConns))
}

func newLimits(db *database.DB, roster *Roster, pool *bun.DB) *Limits {
	return &Limits{db: db, roster: roster, pool: pool, boundless: ratelimit.NewSlots(), holders: map[string][]string{}}
}

// TakeRequest implements [account.LimitStore]. No scope may be named twice. A call for
// scopes that another call is being counted for waits for it and shares the next query.
func (l *Limits) TakeRequest(ctx context.Context, scopes []account.Scope) ([]account.Standing, error) {
	r, index := l.gather.join(scopes, l.takeRequests)
	select {
	case <-r.done:
	case <-ctx.Done():
		return nil, l.db.Fail(ctx, ctx.Err(), "count a request")
	}
	if r.err != nil {
		return nil, l.db.Fail(ctx, r.err, "count a request")
	}
	// The rows end with the first request that was refused; those after it are refused alike.
	return r.standings[min(index, len(r.standings)-1)], nil
}

// takeRequests counts a number of requests one after the other and returns how each left
// the scopes. None passes after one that was refused, so the rows end with that one.
func (l *Limits) takeRequests(times int, scopes []account.Scope) (out [][]account.Standing, err error) {
	// The round is of many callers, so no one's context ends it.
	ctx, cancel := pause.Within(context.Background(), database.AnswerTimeout)
	defer cancel()
	ids, budgets := split(scopes)
	err = l.rows(ctx, func(scan func(...any) error) error {
		var call int
		var reset, retry int64 // microseconds
		var st account.Standing
		d := &st.Requests
		if err := scan(&call, &d.Allowed, &d.Remaining, &reset, &retry, &st.Streams); err != nil {
			return err
		}
		if call > len(out) { // calls are numbered from 1, each with one row for every scope
			out = append(out, make([]account.Standing, 0, len(scopes)))
		}
		scope := scopes[len(out[call-1])]
		d.Limit = max(scope.Limit, -1)
		d.Reset, d.RetryAfter = time.Duration(reset)*time.Microsecond, time.Duration(retry)*time.Microsecond
		st.Streams += l.boundless.Running(scope.ID)
		out[call-1] = append(out[call-1], st)
		return nil
	}, "SELECT * FROM take_requests(?, ?, ?, ?)", times, pgdialect.Array(ids), pgdialect.Array(budgets), l.now())
	if err == nil && len(out) == 0 {
		err = errors.New("no answer")
	}
	return out, err
}

// TakeSlot implements [account.LimitStore]. No scope may be named twice. When its answer
// is lost, the slots that it took become free after the lease.
func (l *Limits) TakeSlot(ctx context.Context, holder string, scopes []account.Scope, lease time.Duration) (taken []int, full int, err error) {
	var bounded []account.Scope
	var at []int // where a bounded scope stands in scopes
	var open []string
	for i, sc := range scopes {
		if sc.Limit < 0 {
			open = append(open, sc.ID)
			continue
		}
		bounded, at = append(bounded, sc), append(at, i)
	}
	full = -1
	taken = make([]int, len(scopes))
	if len(bounded) > 0 {
		counts, none, err := l.takeBounded(ctx, holder, bounded, lease)
		if err != nil {
			return nil, -1, l.db.Fail(ctx, err, "take a stream slot")
		}
		for i, n := range counts {
			taken[at[i]] = n
		}
		if none >= 0 {
			full = at[none]
		}
	}
	// After the bounded ones, which may refuse: then nothing is to be taken anywhere.
	if full < 0 {
		l.takeOpen(holder, open)
	}
	for i, sc := range scopes {
		if sc.Limit < 0 {
			taken[i] = l.boundless.Running(sc.ID)
		}
	}
	return taken, full, nil
}

// takeBounded takes slots of scopes that all have a limit: at all of them, or at none.
func (l *Limits) takeBounded(ctx context.Context, holder string, scopes []account.Scope, lease time.Duration) (taken []int, full int, err error) {
	ids, most := split(scopes)
	full = -1
	err = l.rows(ctx, func(scan func(...any) error) error {
		var had bool
		var n int
		if err := scan(&had, &n); err != nil {
			return err
		}
		if !had && full < 0 {
			full = len(taken) // the rows come in the order of the scopes
		}
		taken = append(taken, n)
		return nil
	}, "SELECT * FROM take_slot(?, ?, ?, ?, ?)", holder, pgdialect.Array(ids), pgdialect.Array(most), lease.Microseconds(), l.now())
	return taken, full, err
}

func (l *Limits) takeOpen(holder string, scopes []string) {
	if len(scopes) == 0 {
		return
	}
	for _, id := range scopes {
		l.boundless.Acquire(id, -1)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.holders[holder] = scopes
}

// Running implements [account.LimitStore]. No scope may be named twice.
func (l *Limits) Running(ctx context.Context, scopes []string) ([]int, error) {
	out, at := make([]int, len(scopes)), make(map[string]int, len(scopes))
	for i, id := range scopes {
		out[i], at[id] = l.boundless.Running(id), i
	}
	if len(scopes) == 0 {
		return out, nil
	}
	err := l.rows(ctx, func(scan func(...any) error) error {
		var id string
		var n int
		err := scan(&id, &n)
		out[at[id]] += n
		return err
	}, `SELECT scope, count(*) FROM stream_slots WHERE scope = ANY (?) AND until_at > coalesce(?, clock_us())
		GROUP BY scope`, pgdialect.Array(scopes), l.now())
	return out, l.db.Fail(ctx, err, "count streams")
}

// FreeSlot implements [account.LimitStore].
func (l *Limits) FreeSlot(ctx context.Context, holder string) error {
	// The local slots first: they are free even when the database does not answer.
	l.mu.Lock()
	for _, id := range l.holders[holder] {
		l.boundless.Release(id)
	}
	delete(l.holders, holder)
	l.mu.Unlock()
	return l.exec(ctx, "free a stream slot", "DELETE FROM stream_slots WHERE holder = ?", holder)
}

// RenewSlots implements [account.LimitStore].
func (l *Limits) RenewSlots(ctx context.Context, holders []string, lease time.Duration) error {
	return l.exec(ctx, "renew stream slots", "SELECT renew_slots(?, ?, ?)", pgdialect.Array(holders), lease.Microseconds(), l.now())
}

// Replicas implements [account.LimitStore]. It is called regularly, so once a minute it
// also deletes counters that are out of date.
func (l *Limits) Replicas(ctx context.Context) (int, error) {
	l.mu.Lock()
	due := time.Since(l.swept) > sweepEvery
	if due {
		l.swept = time.Now() // before the sweep, so that it is not repeated at each call while it fails
	}
	l.mu.Unlock()
	if due {
		if err := l.exec(ctx, "sweep limits", "SELECT sweep_limits(?)", l.now()); err != nil {
			return 1, err
		}
	}
	return l.roster.Replicas(ctx)
}

// now is the time that the functions get, in Unix microseconds; with nil they read the
// clock of the database.
func (l *Limits) now() any {
	if l.db.Now == nil {
		return nil
	}
	return l.db.Now().UnixMicro()
}

func (l *Limits) exec(ctx context.Context, doing, query string, args ...any) error {
	_, err := l.pool.ExecContext(ctx, query, args...)
	return l.db.Fail(ctx, err, "%s", doing)
}

// rows hands each row of a query to scanned.
func (l *Limits) rows(ctx context.Context, scanned func(scan func(...any) error) error, query string, args ...any) error {
	rows, err := l.pool.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	return database.ScanAll(rows, func(rows *sql.Rows) error { return scanned(rows.Scan) })
}

// split returns ids and limits. A limit of more than 32 bits is never reached, so it
// becomes the greatest of 32 bits.
func split(scopes []account.Scope) (ids []string, limits []int64) {
	for _, sc := range scopes {
		ids = append(ids, sc.ID)
		limits = append(limits, int64(max(-1, min(sc.Limit, math.MaxInt32))))
	}
	return ids, limits
}
