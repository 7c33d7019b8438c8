package account_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"vaak/account"
	"vaak/internal/fault"
)

// gate is a store whose writes of usage wait until they are let through. It
// has no other methods.
type gate struct {
	account.Store
	let chan struct{}

	mu     sync.Mutex
	writes [][]account.KeyUsage
}

func (g *gate) AddUsage(ctx context.Context, records []account.KeyUsage) error {
	select {
	case <-g.let:
	case <-ctx.Done():
		return fault.Down(fault.CodeStoreUnavailable, time.Second, ctx.Err(), "too slow")
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.writes = append(g.writes, records)
	return nil
}

var caller = account.Caller{OrgID: "org_aaaaaaaaaaaaaaaa", KeyID: "key_aaaaaaaaaaaaaaaa", Plan: account.PlanUnlimited}

// TestGroupCommit checks that what comes during a write goes out with the
// next one, and that Close waits for both.
func TestGroupCommit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := &gate{let: make(chan struct{})}
		svc, err := account.New(account.Config{Store: g, Now: func() time.Time { return noon }})
		if err != nil {
			t.Fatal(err)
		}
		commit := func() {
			if err := speak(context.Background(), svc, caller, 3, time.Second); err != nil {
				t.Errorf("speak: %v", err)
			}
		}
		go commit()
		synctest.Wait() // the writer stands at the gate
		for range 50 {
			go commit()
		}
		synctest.Wait()
		closed := make(chan error)
		go func() { closed <- svc.Close(context.Background()) }()
		synctest.Wait()
		wantFault(t, "after Close", speak(context.Background(), svc, caller, 1, 0), fault.Unavailable, fault.CodeStoreUnavailable)
		select {
		case <-closed:
			t.Error("Close returned before the receipts were written")
		default:
		}
		close(g.let)
		if err := <-closed; err != nil {
			t.Errorf("Close: %v", err)
		}
		if err := svc.Close(context.Background()); err != nil {
			t.Errorf("Close again: %v", err)
		}
		if len(g.writes) != 2 {
			t.Fatalf("%d writes, want 2: %v", len(g.writes), g.writes)
		}
		for i, n := range []int64{1, 50} {
			want := account.KeyUsage{
				KeyID: caller.KeyID, Period: "2026-02",
				Requests: n, Characters: 3 * n, Audio: time.Duration(n) * time.Second,
			}
			if got := g.writes[i]; len(got) != 1 || got[0] != want {
				t.Errorf("write %d = %+v, want %+v", i, got, want)
			}
		}
	})
}

// TestSlowStore checks that a store which hangs is given up after WriteTimeout
// and that Close keeps to its context meanwhile.
func TestSlowStore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := &gate{let: make(chan struct{})}
		svc, err := account.New(account.Config{Store: g})
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		failed := make(chan error)
		go func() { failed <- speak(context.Background(), svc, caller, 1, 0) }()
		synctest.Wait()
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if err := svc.Close(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Close = %v, want a deadline exceeded", err)
		}
		if got := time.Since(start); got != time.Second {
			t.Errorf("Close took %v, want 1s", got)
		}
		wantFault(t, "Commit", <-failed, fault.Unavailable, fault.CodeStoreUnavailable)
		if got := time.Since(start); got != account.WriteTimeout {
			t.Errorf("Commit took %v, want %v", got, account.WriteTimeout)
		}
	})
}
