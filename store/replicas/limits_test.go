package replicas

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"vaak/account"
	"vaak/internal/ratelimit"
	"vaak/store/database"
	"vaak/store/database/databasetest"
)

// process is one of several on a database.
type process struct {
	db *database.DB
	*Limits
}

func openProcess(t testing.TB, dsn string) process {
	t.Helper()
	db := databasetest.Open(t, dsn, nil)
	return process{db, NewLimits(db, NewRoster(db))}
}

// processes opens one database n times.
func processes(t testing.TB, n int) []process {
	t.Helper()
	dsn := databasetest.Postgres(t)
	out := make([]process, n)
	for i := range out {
		out[i] = openProcess(t, dsn)
	}
	return out
}

// manual is a clock that a test sets.
type manual struct{ micros atomic.Int64 }

func newManual() *manual {
	m := &manual{}
	m.micros.Store(1_700_000_000_250_000)
	return m
}

func (m *manual) now() time.Time           { return time.UnixMicro(m.micros.Load()) }
func (m *manual) advance(by time.Duration) { m.micros.Add(by.Microseconds()) }

// TestTakeRequestIsAWindow holds take_request against ratelimit.Window.
func TestTakeRequestIsAWindow(t *testing.T) {
	t.Parallel()
	l := processes(t, 1)[0]
	var runs atomic.Int64
	rapid.Check(t, func(t *rapid.T) {
		run := runs.Add(1)
		clock := newManual()
		l.db.Now = clock.now
		if rapid.IntRange(0, 9).Draw(t, "epoch") == 0 {
			clock.micros.Store(-500_000)
		}
		names := []string{fmt.Sprintf("key_%d", run), fmt.Sprintf("org_%d", run), fmt.Sprintf("a_%d", run)}
		windows := map[string]*ratelimit.Window{}
		for _, n := range names {
			windows[n] = new(ratelimit.Window)
		}
		for range rapid.IntRange(1, 25).Draw(t, "requests") {
			clock.advance(time.Duration(rapid.OneOf(
				rapid.Just(int64(0)), rapid.Int64Range(-3_000_000, 3_000_000), rapid.Int64Range(0, 70_000_000),
				rapid.SampledFrom([]int64{60_000_000, 61_000_000, 60_750_000, 59_999_999}),
			).Draw(t, "step")) * time.Microsecond)
			var scopes []account.Scope
			for _, n := range rapid.SampledFrom([][]int{{0}, {0, 1}, {1, 0}, {2}, {0, 1, 2}}).Draw(t, "scopes") {
				scopes = append(scopes, account.Scope{ID: names[n], Limit: rapid.IntRange(-1, 4).Draw(t, "budget")})
			}
			got, err := l.TakeRequest(t.Context(), scopes)
			if err != nil {
				t.Fatal(err)
			}
			want := takeAll(windows, scopes, clock.now())
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("TakeRequest(%v) at %v (-want +got):\n%s", scopes, clock.now(), diff)
			}
		}
	})
}

// takeAll counts a request in all windows or none.
func takeAll(windows map[string]*ratelimit.Window, scopes []account.Scope, now time.Time) []account.Standing {
	out := make([]account.Standing, len(scopes))
	pass := true
	for i, sc := range scopes {
		out[i].Requests = windows[sc.ID].Look(now, sc.Limit)
		pass = pass && out[i].Requests.Allowed
	}
	for i := 0; pass && i < len(scopes); i++ {
		out[i].Requests = windows[scopes[i].ID].Take(now, scopes[i].Limit)
	}
	return out
}

// hurry makes the clock of the limits run faster by a factor, and returns it.
func hurry(t *testing.T, p process, factor int64) func() time.Time {
	t.Helper()
	_, err := p.db.Write.DB.ExecContext(t.Context(), fmt.Sprintf(
		`CREATE OR REPLACE FUNCTION clock_us() RETURNS BIGINT LANGUAGE sql VOLATILE
		RETURN (extract(epoch FROM clock_timestamp()) * 1000000 - %d)::BIGINT * %d`, start, factor))
	if err != nil {
		t.Fatal(err)
	}
	return func() time.Time { return time.UnixMicro((time.Now().UnixMicro() - start) * factor) }
}

// start is when hurried clocks begin, in Unix microseconds.
const start = 1_700_000_000_000_000

// TestRateOfReplicas: three stores at once, on a clock that makes a minute of
// 0.6 s.
func TestRateOfReplicas(t *testing.T) {
	t.Parallel()
	const budget, clients = 20, 8
	stores := processes(t, 3)
	now := hurry(t, stores[0], 100)
	var mu sync.Mutex
	passed := map[string][]passage{}
	end := now().Add(4 * time.Minute)
	var wg sync.WaitGroup
	for _, s := range stores {
		for c := range clients {
			wg.Go(func() {
				scopes := []account.Scope{{ID: fmt.Sprint("key_", c%2), Limit: budget}, {ID: "org_1", Limit: budget * 3 / 2}}
				for now().Before(end) {
					p := passage{before: now()}
					got, err := s.TakeRequest(t.Context(), scopes)
					if err != nil {
						t.Error(err)
						return
					}
					p.after = now()
					if !got[0].Requests.Allowed || !got[1].Requests.Allowed {
						continue
					}
					mu.Lock()
					for _, sc := range scopes {
						passed[sc.ID] = append(passed[sc.ID], p)
					}
					mu.Unlock()
				}
			})
		}
	}
	wg.Wait()
	for id, most := range map[string]int{"key_0": budget, "key_1": budget, "org_1": budget * 3 / 2} {
		if got := mostInAMinute(passed[id]); got > most {
			t.Errorf("%s: %d requests passed within 60 s, want at most %d", id, got, most)
		}
		t.Logf("%s passed %d times", id, len(passed[id]))
	}
	if n := len(passed["org_1"]); n < 4*budget*3/2-budget {
		t.Errorf("the organisation passed %d times in 4 minutes, want nearly %d", n, 4*budget*3/2)
	}
}

// passage is when a request passed: at an instant between two.
type passage struct{ before, after time.Time }

// mostInAMinute returns how many passed for certain within some 60 s.
func mostInAMinute(all []passage) (most int) {
	for _, first := range all {
		n := 0
		for _, p := range all {
			if !p.before.Before(first.before) && !p.after.After(first.before.Add(time.Minute)) {
				n++
			}
		}
		most = max(most, n)
	}
	return most
}

// TestSlotsOfReplicas: 3 stores, 64 clients each, 5 slots; 100 times, or fewer
// where that takes long.
func TestSlotsOfReplicas(t *testing.T) {
	t.Parallel()
	const limit, clients, trials = 5, 64, 100
	stores := processes(t, 3)
	ctx := t.Context()
	begun := time.Now()
	for trial := range trials {
		if trial >= trials/10 && time.Since(begun) > 8*time.Second {
			t.Logf("%d trials", trial)
			break
		}
		scopes := []account.Scope{{ID: fmt.Sprint("key_", trial), Limit: limit}, {ID: fmt.Sprint("org_", trial), Limit: limit + trial%3 - 1}}
		least := min(scopes[0].Limit, scopes[1].Limit)
		var running, had atomic.Int64
		var wg sync.WaitGroup
		for r, s := range stores {
			for c := range clients {
				wg.Go(func() {
					holder := fmt.Sprintf("slot_%d_%d_%d", trial, r, c)
					taken, full, err := s.TakeSlot(ctx, holder, scopes, time.Minute)
					if err != nil {
						t.Error(err)
						return
					}
					if full >= 0 {
						return
					}
					had.Add(1)
					if n := running.Add(1); n > int64(least) || taken[0] > limit {
						t.Errorf("trial %d: %d streams run, %v taken, limit %v", trial, n, taken, scopes)
					}
					runtime.Gosched()
					running.Add(-1)
					if err := s.FreeSlot(ctx, holder); err != nil {
						t.Error(err)
					}
				})
			}
		}
		wg.Wait()
		if had.Load() < int64(least) {
			t.Errorf("trial %d: %d had a slot, want %d or more", trial, had.Load(), least)
		}
	}
	var left int
	if err := stores[0].db.Read.DB.QueryRowContext(ctx, "SELECT count(*) FROM stream_slots").Scan(&left); err != nil || left != 0 {
		t.Errorf("%d slots are taken after all, %v, want 0", left, err)
	}
}
