package storetest

import (
	"testing"
	"time"

	"vaak/account"
)

// OpenedLimits are limits under test with empty counters, and their clock.
type OpenedLimits struct {
	Limits account.LimitStore
	Clock  *Clock
}

// RunLimits checks the number of streams that limits report to the processes that share them.
func RunLimits(t *testing.T, open func(t *testing.T) OpenedLimits) {
	t.Run("Running", func(t *testing.T) {
		t.Parallel()
		testRunning(t, open(t))
	})
}

func testRunning(t *testing.T, o OpenedLimits) {
	ctx, l := t.Context(), o.Limits
	running := func(what string, want ...int) {
		t.Helper()
		got, err := l.Running(ctx, []string{"key_a", "org_a", "key_b", "nobody"})
		check(t, "Running", err)
		same(t, "Running "+what, got, want)
	}
	take := func(holder string, lease time.Duration, scopes ...account.Scope) {
		t.Helper()
		if _, full, err := l.TakeSlot(ctx, holder, scopes, lease); full >= 0 || err != nil {
			t.Fatalf("TakeSlot(%s) = %d, %v", holder, full, err)
		}
	}
	none, err := l.Running(ctx, nil)
	if err != nil || len(none) > 0 {
		t.Errorf("Running of no scopes = %v, %v", none, err)
	}
	running("at first", 0, 0, 0, 0)
	take("slot_1", time.Hour, account.Scope{ID: "key_a", Limit: 2}, account.Scope{ID: "org_a", Limit: 9})
	take("slot_2", time.Minute, account.Scope{ID: "key_a", Limit: 2}, account.Scope{ID: "org_a", Limit: 9})
	take("slot_3", time.Hour, account.Scope{ID: "key_b", Limit: -1}, account.Scope{ID: "org_a", Limit: 9})
	running("with three", 2, 3, 1, 0)
	if _, full, err := l.TakeSlot(ctx, "slot_4", []account.Scope{{ID: "key_a", Limit: 2}, {ID: "org_a", Limit: 9}}, time.Hour); full != 0 || err != nil {
		t.Errorf("TakeSlot of a full key = %d, %v, want it refused", full, err)
	}
	running("after a refusal", 2, 3, 1, 0)
	o.Clock.Advance(time.Minute)
	running("after a lease", 1, 2, 1, 0)
	check(t, "FreeSlot", l.FreeSlot(ctx, "slot_3"))
	running("after one was given back", 1, 1, 0, 0)
}
