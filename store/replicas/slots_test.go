package replicas

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"vaak/account"
	"vaak/internal/fault"
	"vaak/internal/pause"
	"vaak/store/storetest/pgtest"
)

// slotModel is what stream_slots ought to hold: when each holder's lease ends,
// by scope.
type slotModel map[string]map[string]time.Time

func (m slotModel) running(scope string, now time.Time) (n int) {
	for _, until := range m[scope] {
		if until.After(now) {
			n++
		}
	}
	return n
}

// take returns what TakeSlot ought to.
func (m slotModel) take(holder string, scopes []account.Scope, until, now time.Time) (taken []int, full int) {
	full = -1
	for i, sc := range scopes {
		for h, ends := range m[sc.ID] {
			if sc.Limit >= 0 && !ends.After(now) {
				delete(m[sc.ID], h)
			}
		}
		if n := m.running(sc.ID, now); sc.Limit >= 0 && n >= sc.Limit && full < 0 {
			full = i
		}
	}
	for _, sc := range scopes {
		if full < 0 {
			if m[sc.ID] == nil {
				m[sc.ID] = map[string]time.Time{}
			}
			m[sc.ID][holder] = until
		}
		taken = append(taken, m.running(sc.ID, now))
	}
	return taken, full
}

// never is the end of a lease of a slot that is counted in the process alone.
var never = time.Unix(1<<40, 0)

// slotRun is one run of [TestSlotsModel]. The scope "open" has no limit.
type slotRun struct {
	l       *Limits
	model   slotModel
	clock   *manual
	holders []string
}

// TestSlotsModel: one caller after the other, limits that change, leases that
// end, are renewed or swept.
func TestSlotsModel(t *testing.T) {
	t.Parallel()
	s := processes(t, 1)[0]
	ctx := t.Context()
	rapid.Check(t, func(t *rapid.T) {
		if _, err := s.db.Write.ExecContext(ctx, "DELETE FROM stream_slots"); err != nil {
			t.Fatal(err)
		}
		r := &slotRun{model: slotModel{}, clock: newManual()}
		s.db.Now = r.clock.now
		r.l = newLimits(s.db, s.roster, s.db.Write)
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			r.clock.advance(time.Duration(rapid.Int64Range(0, 4000).Draw(t, "ms")) * time.Millisecond)
			switch rapid.SampledFrom([]string{"take", "take", "take", "free", "renew", "sweep"}).Draw(t, "step") {
			case "take":
				r.take(ctx, t)
			case "free":
				r.free(ctx, t)
			case "renew":
				r.renew(ctx, t)
			case "sweep":
				r.sweep(ctx, t)
			}
			r.check(ctx, t)
		}
	})
}

func (r *slotRun) take(ctx context.Context, t *rapid.T) {
	holder := fmt.Sprint("slot_", len(r.holders))
	r.holders = append(r.holders, holder)
	lease := drawLease(t)
	var scopes []account.Scope
	for _, id := range rapid.SampledFrom([][]string{{"a"}, {"a", "b"}, {"b", "a"}, {"b"}, {"open", "a"}, {"a", "open"}}).Draw(t, "scopes") {
		sc := account.Scope{ID: id, Limit: -1}
		if id != "open" {
			sc.Limit = rapid.IntRange(0, 4).Draw(t, "limit")
		}
		scopes = append(scopes, sc)
	}
	now := r.clock.now()
	want, wantFull := r.model.take(holder, scopes, now.Add(lease), now)
	if _, open := r.model["open"][holder]; open {
		r.model["open"][holder] = never
	}
	got, full, err := r.l.TakeSlot(ctx, holder, scopes, lease)
	if err != nil || full != wantFull || !slices.Equal(got, want) {
		t.Fatalf("TakeSlot(%v) = %v, %d, %v, want %v, %d", scopes, got, full, err, want, wantFull)
	}
}

func drawLease(t *rapid.T) time.Duration {
	return time.Duration(rapid.IntRange(1, 15).Draw(t, "lease")) * time.Second
}

func (r *slotRun) free(ctx context.Context, t *rapid.T) {
	if len(r.holders) == 0 {
		return
	}
	holder := rapid.SampledFrom(r.holders).Draw(t, "holder")
	if err := r.l.FreeSlot(ctx, holder); err != nil {
		t.Fatal(err)
	}
	for _, held := range r.model {
		delete(held, holder)
	}
}

func (r *slotRun) renew(ctx context.Context, t *rapid.T) {
	lease := drawLease(t)
	if err := r.l.RenewSlots(ctx, r.holders, lease); err != nil {
		t.Fatal(err)
	}
	for scope, held := range r.model {
		for h := range held {
			if scope != "open" {
				held[h] = r.clock.now().Add(lease)
			}
		}
	}
}

func (r *slotRun) sweep(ctx context.Context, t *rapid.T) {
	r.l.swept = time.Time{}
	if _, err := r.l.Replicas(ctx); err != nil {
		t.Fatal(err)
	}
	for _, held := range r.model {
		for h, ends := range held {
			if !ends.After(r.clock.now()) {
				delete(held, h)
			}
		}
	}
}

// check compares how many streams run everywhere.
func (r *slotRun) check(ctx context.Context, t *rapid.T) {
	ids := []string{"a", "b", "open"}
	var scopes []account.Scope
	var got, want []int
	for _, id := range ids {
		scopes = append(scopes, account.Scope{ID: id, Limit: -1})
		want = append(want, r.model.running(id, r.clock.now()))
	}
	standings, err := r.l.TakeRequest(ctx, scopes)
	if err != nil {
		t.Fatal(err)
	}
	for _, st := range standings {
		got = append(got, st.Streams)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("streams that run at %v (-want +got):\n%s", ids, diff)
	}
}

// TestSlotsWithoutDeadlock: everything at once, with leases that end at once,
// and scopes in any order.
func TestSlotsWithoutDeadlock(t *testing.T) {
	t.Parallel()
	stores := processes(t, 2)
	ctx := t.Context()
	ids := []string{"key_1", "key_2", "org_1", "org_2"}
	var wg sync.WaitGroup
	for g := range 12 {
		l := stores[g%2].Limits
		wg.Go(func() {
			var mine []string
			for i := range 60 {
				holder := fmt.Sprintf("slot_%d_%d", g, i)
				mine = append(mine, holder)
				scopes := []account.Scope{{ID: ids[(g+i)%4], Limit: 3}, {ID: ids[(g+i+1+i%3)%4], Limit: 3}}
				_, _, err := l.TakeSlot(ctx, holder, scopes, time.Duration(i%3)*time.Millisecond)
				err = errors.Join(err, l.RenewSlots(ctx, mine, time.Millisecond))
				_, requestErr := l.TakeRequest(ctx, scopes)
				err = errors.Join(err, requestErr, l.FreeSlot(ctx, mine[i/2]))
				if i%10 == 0 {
					err = errors.Join(err, l.exec(ctx, "sweep", "SELECT sweep_limits(clock_us() + 3600000000)"))
				}
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
}

// TestLimitsWait: a call that cannot be answered ends with its context.
func TestLimitsWait(t *testing.T) {
	t.Parallel()
	s := processes(t, 1)[0]
	l := s.Limits
	scopes := []account.Scope{{ID: "key_1", Limit: 5}}
	if _, err := l.TakeRequest(t.Context(), scopes); err != nil {
		t.Fatal(err)
	}
	tx, err := s.db.Write.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(t.Context(), "LOCK TABLE request_windows, stream_slots"); err != nil {
		t.Fatal(err)
	}
	wantUnavailable(t, l, 300*time.Millisecond)
}

// TestLimitsInOutage: without the database every call is refused in time, and
// works again when it is back.
func TestLimitsInOutage(t *testing.T) {
	t.Parallel()
	cluster := pgtest.Start(t)
	s := openProcess(t, cluster.NewDatabase(t))
	if err := cluster.Stop("immediate"); err != nil {
		t.Fatal(err)
	}
	wantUnavailable(t, s.Limits, 300*time.Millisecond)
	if err := cluster.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.TakeRequest(t.Context(), []account.Scope{{ID: "key_1", Limit: 5}}); err != nil {
		t.Errorf("TakeRequest after the database is back: %v", err)
	}
}

// wantUnavailable calls every method with a timeout.
func wantUnavailable(t *testing.T, l account.LimitStore, timeout time.Duration) {
	t.Helper()
	scopes := []account.Scope{{ID: "key_1", Limit: 5}}
	for name, call := range map[string]func(ctx context.Context) error{
		"TakeRequest": func(ctx context.Context) error {
			_, err := l.TakeRequest(ctx, scopes)
			return err
		},
		"TakeSlot": func(ctx context.Context) error {
			_, _, err := l.TakeSlot(ctx, "slot_1", scopes, time.Minute)
			return err
		},
		"FreeSlot":   func(ctx context.Context) error { return l.FreeSlot(ctx, "slot_1") },
		"RenewSlots": func(ctx context.Context) error { return l.RenewSlots(ctx, []string{"slot_1"}, time.Minute) },
		"Replicas": func(ctx context.Context) error {
			_, err := l.Replicas(ctx)
			return err
		},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), timeout)
		late, done := pause.Within(t.Context(), timeout+1500*time.Millisecond) // a server gives up after 2 s by itself
		err := call(ctx)
		cancel()
		if fault.KindOf(err) != fault.Unavailable {
			t.Errorf("%s: %v, want Unavailable", name, err)
		}
		if late.Err() != nil {
			t.Errorf("%s took more than a second over %v", name, timeout)
		}
		done()
	}
}

// TestSweepLimits: what counts no more goes, what counts stays.
func TestSweepLimits(t *testing.T) {
	t.Parallel()
	s := processes(t, 1)[0]
	clock := newManual()
	s.db.Now = clock.now
	l := s.Limits
	ctx := t.Context()
	begun := clock.now()
	for _, at := range []time.Duration{0, 62 * time.Second, 120 * time.Second, time.Hour} {
		clock.advance(begun.Add(at).Sub(clock.now()))
		if _, err := l.TakeRequest(ctx, []account.Scope{{ID: fmt.Sprint("key_", at), Limit: 5}}); err != nil {
			t.Fatal(err)
		}
	}
	clock.advance(begun.Add(122 * time.Second).Sub(clock.now())) // an hour was a mistake
	if _, err := l.Replicas(ctx); err != nil {
		t.Fatal(err)
	}
	var left []string
	if err := s.db.Read.NewRaw("SELECT scope FROM request_windows ORDER BY scope").Scan(ctx, &left); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"key_1m2s", "key_2m0s"}, left); diff != "" {
		t.Errorf("windows after a sweep (-want +got):\n%s", diff)
	}
}
