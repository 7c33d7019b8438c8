package account_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vaak/account"
	"vaak/internal/fault"
)

func TestSlots(t *testing.T) {
	t.Parallel()
	ctx, svc := t.Context(), newService(t, openStore(t, ":memory:"))
	a, b := account.Caller{OrgID: "o", KeyID: "a"}, account.Caller{OrgID: "o", KeyID: "b"}
	var slots []*account.Slot
	for _, c := range []account.Caller{a, a, b, account.Local} {
		s, err := svc.Admit(ctx, c)
		if err != nil {
			t.Fatal(err)
		}
		slots = append(slots, s)
	}
	if got := [2]int{svc.Running("a"), svc.Running("b")}; got != [2]int{2, 1} {
		t.Errorf("Running = %v, want [2 1]", got)
	}
	slots[0].Release()
	slots[0].Release()
	if got := svc.Running("a"); got != 1 {
		t.Errorf("Running after a slot was released twice = %d, want 1", got)
	}
	var wg sync.WaitGroup
	for _, s := range slots {
		wg.Go(s.Release)
		wg.Go(s.Release)
	}
	wg.Wait()
	if got := svc.Running("a") + svc.Running("b") + svc.Running(account.Local.KeyID); got != 0 {
		t.Errorf("Running after all were released = %d, want 0", got)
	}
	if _, err := svc.Admit(ctx, account.Caller{}); fault.KindOf(err) != fault.Internal {
		t.Errorf("Admit of nobody = %v, want an internal error", err)
	}
	(*account.Slot)(nil).Release()
}

func TestCommit(t *testing.T) {
	t.Parallel()
	ctx, svc := t.Context(), newService(t, openStore(t, tempPath(t)))
	_, _, c := newKey(t, svc)
	hold := func() *account.Hold {
		h, err := svc.Reserve(ctx, c, 10)
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	h := hold()
	for _, r := range []account.Receipt{{Characters: 11}, {Characters: -1}, {Audio: -1}} {
		if err := h.Commit(ctx, r); fault.KindOf(err) != fault.Internal {
			t.Errorf("Commit(%+v) = %v, want an internal error", r, err)
		}
	}
	if err := h.Commit(ctx, account.Receipt{Characters: 7, Audio: 1500*time.Millisecond + 600*time.Microsecond}); err != nil {
		t.Errorf("Commit: %v", err)
	}
	h.Cancel()
	if err := h.Commit(ctx, account.Receipt{Characters: 7}); fault.KindOf(err) != fault.Internal {
		t.Errorf("second Commit = %v, want an internal error", err)
	}
	h = hold()
	h.Cancel()
	h.Cancel()
	if err := h.Commit(ctx, account.Receipt{}); fault.KindOf(err) != fault.Internal {
		t.Errorf("Commit after Cancel = %v, want an internal error", err)
	}
	gone, cancel := context.WithCancel(ctx)
	cancel()
	if err := hold().Commit(gone, account.Receipt{}); err != nil {
		t.Errorf("Commit for a caller who left: %v", err)
	}
	(*account.Hold)(nil).Cancel()

	want := account.KeyUsage{KeyID: c.KeyID, Period: "2026-02", Requests: 2, Characters: 7, Audio: 1501 * time.Millisecond}
	if got := usage(t, svc, c, "2026-02"); got != want {
		t.Errorf("Usage = %+v, want %+v", got, want)
	}
}

func TestReserveRefuses(t *testing.T) {
	t.Parallel()
	ctx, svc := t.Context(), newService(t, openStore(t, ":memory:"))
	if _, err := svc.Reserve(ctx, account.Local, -1); fault.KindOf(err) != fault.Internal {
		t.Errorf("Reserve(-1) = %v, want an internal error", err)
	}
	if _, err := svc.Reserve(ctx, account.Caller{}, 1); fault.KindOf(err) != fault.Internal {
		t.Errorf("Reserve for nobody = %v, want an internal error", err)
	}
}

// TestLocal speaks for the local caller without a store that works.
func TestLocal(t *testing.T) {
	t.Parallel()
	db := openStore(t, ":memory:")
	svc := newService(t, db)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := speak(t.Context(), svc, account.Local, 10, time.Second); err != nil {
		t.Errorf("speak: %v", err)
	}
}

// TestCommitsInParallel checks that what several services on one database
// count at once adds up.
func TestCommitsInParallel(t *testing.T) {
	t.Parallel()
	ctx, path := t.Context(), tempPath(t)
	services := []*account.Service{newService(t, openStore(t, path)), newService(t, openStore(t, path))}
	_, _, c := newKey(t, services[0])
	const workers, commits = 8, 200
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := range commits {
				if err := speak(ctx, services[w%2], c, i, time.Duration(i)*time.Millisecond); err != nil {
					t.Errorf("speak: %v", err)
					return
				}
			}
		})
	}
	wg.Wait()
	const each = commits * (commits - 1) / 2
	want := account.KeyUsage{
		KeyID: c.KeyID, Period: "2026-02",
		Requests: workers * commits, Characters: workers * each, Audio: workers * each * time.Millisecond,
	}
	if got := usage(t, services[1], c, "2026-02"); got != want {
		t.Errorf("Usage = %+v, want %+v", got, want)
	}
}

// TestMonths counts at the commit's month, in UTC wherever the clock stands.
func TestMonths(t *testing.T) {
	t.Parallel()
	var now atomic.Pointer[time.Time]
	svc := newServiceAt(t, openStore(t, tempPath(t)), func() time.Time { return *now.Load() })
	india := time.FixedZone("IST", 5*3600+1800)
	start := time.Date(2026, 3, 1, 5, 29, 59, 999_999_999, india) // the last instant of February in UTC
	now.Store(&start)
	_, _, c := newKey(t, svc)
	h, err := svc.Reserve(t.Context(), c, 5)
	if err != nil {
		t.Fatal(err)
	}
	if err := speak(t.Context(), svc, c, 3, 0); err != nil {
		t.Fatal(err)
	}
	later := start.Add(1)
	now.Store(&later)
	if err := h.Commit(t.Context(), account.Receipt{Characters: 5}); err != nil {
		t.Fatal(err)
	}
	for p, want := range map[account.Period]int64{"2026-01": 0, "2026-02": 3, "2026-03": 5} {
		if got := usage(t, svc, c, p).Characters; got != want {
			t.Errorf("characters of %s = %d, want %d", p, got, want)
		}
	}
}

// TestCommitSurvives reads with a second store what was committed, while the
// first is still open and so has tidied nothing.
func TestCommitSurvives(t *testing.T) {
	t.Parallel()
	path := tempPath(t)
	svc := newService(t, openStore(t, path))
	_, _, c := newKey(t, svc)
	if err := speak(t.Context(), svc, c, 12, time.Second); err != nil {
		t.Fatal(err)
	}
	want := account.KeyUsage{KeyID: c.KeyID, Period: "2026-02", Requests: 1, Characters: 12, Audio: time.Second}
	if got := usage(t, newService(t, openStore(t, path)), c, "2026-02"); got != want {
		t.Errorf("Usage = %+v, want %+v", got, want)
	}
}

// TestStoreFails takes the store away: nothing new is taken on until it is
// back, which the next request finds out.
func TestStoreFails(t *testing.T) {
	t.Parallel()
	ctx, db := t.Context(), &broken{Store: openStore(t, tempPath(t))}
	svc := newService(t, db)
	_, _, c := newKey(t, svc)
	db.fail(fault.Down(fault.CodeStoreUnavailable, time.Second, errors.New("disk full"), "the store is down"))

	wantFault(t, "Commit", speak(ctx, svc, c, 1, 0), fault.Unavailable, fault.CodeStoreUnavailable)
	_, err := svc.Reserve(ctx, c, 1)
	wantFault(t, "Reserve", err, fault.Unavailable, fault.CodeStoreUnavailable)
	if _, err := svc.Reserve(ctx, account.Local, 1); err != nil {
		t.Errorf("Reserve for the local caller: %v", err)
	}
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			_, err := svc.Reserve(ctx, c, 1)
			wantFault(t, "Reserve beside others", err, fault.Unavailable, fault.CodeStoreUnavailable)
		})
	}
	wg.Wait()

	db.fail(nil)
	before := db.pings.Load()
	for range 2 {
		if err := speak(ctx, svc, c, 2, 0); err != nil {
			t.Errorf("speak when the store is back: %v", err)
		}
	}
	if got := db.pings.Load() - before; got != 1 {
		t.Errorf("%d probes once the store was back, want 1", got)
	}
	if got := usage(t, svc, c, "2026-02"); got.Requests != 2 || got.Characters != 4 {
		t.Errorf("Usage = %+v, want 2 requests, 4 characters", got)
	}
}

// TestDefectStaysAlone checks that a receipt which the store refuses spoils no
// other, although they are written together.
func TestDefectStaysAlone(t *testing.T) {
	t.Parallel()
	ctx, svc := t.Context(), newService(t, openStore(t, tempPath(t)))
	_, _, c := newKey(t, svc)
	stranger := account.Caller{OrgID: c.OrgID, KeyID: "key_zzzzzzzzzzzzzzzz"}
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if err := speak(ctx, svc, c, 1, 0); err != nil {
				t.Errorf("speak: %v", err)
			}
		})
		wg.Go(func() {
			if err := speak(ctx, svc, stranger, 1, 0); err == nil {
				t.Error("speak for an unknown key: no error")
			}
		})
	}
	wg.Wait()
	if got := usage(t, svc, c, "2026-02"); got.Requests != 20 {
		t.Errorf("Usage = %+v, want 20 requests", got)
	}
}
