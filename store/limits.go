package store

import (
	"context"
	"errors"
	"math"
	"sync"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"vaak/account"
	"vaak/internal/ratelimit"
)

// sweepEvery is how often a process clears away limits that no longer count.
const sweepEvery = time.Minute

// limits implements [account.LimitStore] in PostgreSQL. What it does is in the
// functions of migration 0003: each call is one of them, in one round trip.
//
// Streams without a limit are not worth a row that all processes see: they are
// counted in this one alone.
type limits struct {
	store     *Store
	db        *bun.DB // of its own: a limit must not wait behind what it is to limit
	gather    gathering
	boundless *ratelimit.Slots // of scopes without a limit

	mu      sync.Mutex
	holders map[string][]string // scopes that a holder has in boundless
	swept   time.Time
}

// Limits counts requests and streams for all processes on the same data. It is
// nil with SQLite, where one process counts in memory.
func (s *Store) Limits() account.LimitStore {
	if s.limits == nil {
		return nil
	}
	return s.limits
}

// limitConns is how many connections count limits. Each call is short.
const limitConns = 4

func newLimits(s *Store, db *bun.DB) *limits {
	return &limits{store: s, db: db, boundless: ratelimit.NewSlots(), holders: map[string][]string{}}
}

// TakeRequest implements [account.LimitStore]. No scope may be there twice. It
// goes with the requests of the same scopes that come while another is asked.
func (l *limits) TakeRequest(ctx context.Context, scopes []account.Scope) ([]account.Standing, error) {
	r, place := l.gather.join(scopes, l.takeRequests)
	select {
	case <-r.done:
	case <-ctx.Done():
		return nil, l.store.fail(ctx, ctx.Err(), "count a request")
	}
	if r.err != nil {
		return nil, l.store.fail(ctx, r.err, "count a request")
	}
	return r.standings[min(place, len(r.standings)-1)], nil
}

// takeRequests counts so many requests one after the other and tells how each
// left the scopes. After one that was refused none passes, and none is told of.
func (l *limits) takeRequests(times int, scopes []account.Scope) (out [][]account.Standing, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), answerTimeout)
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
		if call > len(out) {
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

// TakeSlot implements [account.LimitStore]. No scope may be there twice. When
// its answer was lost, what it took is free again after the lease.
func (l *limits) TakeSlot(ctx context.Context, holder string, scopes []account.Scope, lease time.Duration) (taken []int, full int, err error) {
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
			return nil, -1, l.store.fail(ctx, err, "take a stream slot")
		}
		for i, n := range counts {
			taken[at[i]] = n
		}
		if none >= 0 {
			full = at[none]
		}
	}
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

// takeBounded takes slots of scopes that all have a limit.
func (l *limits) takeBounded(ctx context.Context, holder string, scopes []account.Scope, lease time.Duration) (taken []int, full int, err error) {
	ids, most := split(scopes)
	full = -1
	err = l.rows(ctx, func(scan func(...any) error) error {
		var had bool
		var n int
		if err := scan(&had, &n); err != nil {
			return err
		}
		if !had && full < 0 {
			full = len(taken)
		}
		taken = append(taken, n)
		return nil
	}, "SELECT * FROM take_slot(?, ?, ?, ?, ?)", holder, pgdialect.Array(ids), pgdialect.Array(most), lease.Microseconds(), l.now())
	return taken, full, err
}

func (l *limits) takeOpen(holder string, scopes []string) {
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

// Running implements [account.LimitStore]. No scope may be there twice.
func (l *limits) Running(ctx context.Context, scopes []string) ([]int, error) {
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
	return out, l.store.fail(ctx, err, "count streams")
}

// FreeSlot implements [account.LimitStore].
func (l *limits) FreeSlot(ctx context.Context, holder string) error {
	l.mu.Lock()
	for _, id := range l.holders[holder] {
		l.boundless.Release(id)
	}
	delete(l.holders, holder)
	l.mu.Unlock()
	return l.exec(ctx, "free a stream slot", "DELETE FROM stream_slots WHERE holder = ?", holder)
}

// RenewSlots implements [account.LimitStore].
func (l *limits) RenewSlots(ctx context.Context, holders []string, lease time.Duration) error {
	return l.exec(ctx, "renew stream slots", "SELECT renew_slots(?, ?, ?)", pgdialect.Array(holders), lease.Microseconds(), l.now())
}

// Replicas implements [account.LimitStore]. Being asked regularly, it also
// clears away what counts no more.
func (l *limits) Replicas(ctx context.Context) (int, error) {
	l.mu.Lock()
	due := time.Since(l.swept) > sweepEvery
	if due {
		l.swept = time.Now()
	}
	l.mu.Unlock()
	if due {
		if err := l.exec(ctx, "sweep limits", "SELECT sweep_limits(?)", l.now()); err != nil {
			return 1, err
		}
	}
	return l.store.Replicas(ctx)
}

// now is what the functions are told of the time, in Unix microseconds; nil
// leaves it to the database.
func (l *limits) now() any {
	if l.store.now == nil {
		return nil
	}
	return l.store.now().UnixMicro()
}

func (l *limits) exec(ctx context.Context, doing, query string, args ...any) error {
	_, err := l.db.ExecContext(ctx, query, args...)
	return l.store.fail(ctx, err, "%s", doing)
}

// rows hands each row of a query to scanned.
func (l *limits) rows(ctx context.Context, scanned func(scan func(...any) error) error, query string, args ...any) error {
	rows, err := l.db.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := scanned(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

// split returns ids and limits; a limit that passes 32 bits is as good as the
// greatest of them.
func split(scopes []account.Scope) (ids []string, limits []int64) {
	for _, sc := range scopes {
		ids = append(ids, sc.ID)
		limits = append(limits, int64(max(-1, min(sc.Limit, math.MaxInt32))))
	}
	return ids, limits
}
