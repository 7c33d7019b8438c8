package account_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"vaak/account"
	"vaak/account/accounttest"
	"vaak/account/ledger"
	"vaak/internal/fault"
)

// TestSessionEnds ends a session in every way that a key can end.
func TestSessionEnds(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		end    func(t *testing.T, svc *account.Service, db *accounttest.Store, id string)
		within time.Duration
	}{
		"revoked here": {func(t *testing.T, svc *account.Service, _ *accounttest.Store, id string) {
			if err := svc.RevokeKey(t.Context(), id); err != nil {
				t.Error(err)
			}
		}, time.Millisecond},
		"revoked elsewhere": {func(t *testing.T, _ *account.Service, db *accounttest.Store, id string) {
			if err := db.RevokeKey(t.Context(), id, time.Now()); err != nil {
				t.Error(err)
			}
		}, time.Millisecond},
		"anything may have changed": {func(t *testing.T, _ *account.Service, db *accounttest.Store, id string) {
			if err := db.RevokeQuietly(t.Context(), id, time.Now()); err != nil {
				t.Error(err)
			}
			for range 200 {
				db.Announce(account.Change{Topic: account.TopicKey})
			}
		}, time.Millisecond},
		"nobody says so": {func(t *testing.T, _ *account.Service, db *accounttest.Store, id string) {
			if err := db.RevokeQuietly(t.Context(), id, time.Now()); err != nil {
				t.Error(err)
			}
		}, 5 * time.Second},
		"expired": {func(t *testing.T, _ *account.Service, _ *accounttest.Store, _ string) {
			time.Sleep(time.Hour - time.Second)
		}, 6 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, true, func(t *testing.T, db *accounttest.Store, svc *account.Service) {
				_, _, other := newKey(t, svc, "free")
				_, k, c := addKey(t, svc, other.OrgID, account.KeyRequest{Label: "x", Expires: time.Now().Add(time.Hour)})
				ctx, stop := svc.Session(t.Context(), c)
				defer stop()
				gone, stopGone := svc.Session(t.Context(), c)
				stopGone()
				stays, stopStays := svc.Session(t.Context(), other)
				defer stopStays()
				local, stopLocal := svc.Session(t.Context(), account.Local)
				defer stopLocal()
				synctest.Wait()
				tt.end(t, svc, db, k.ID)
				begun := time.Now()
				select {
				case <-ctx.Done():
				case <-time.After(time.Minute):
				}
				if time.Since(begun) > tt.within {
					t.Errorf("the session ended after %v, want %v", time.Since(begun), tt.within)
				}
				wantFault(t, "cause", context.Cause(ctx), fault.Unauthenticated, fault.CodeInvalidKey)
				if err := context.Cause(gone); !errors.Is(err, context.Canceled) {
					t.Errorf("a session that was stopped ended for %v", err)
				}
				if stays.Err() != nil || local.Err() != nil {
					t.Error("a session of another key ended too")
				}
			})
		})
	}
}

// TestSessionsWhileAway keeps sessions while keys cannot be read, and does not
// let that keep leases from being renewed.
func TestSessionsWhileAway(t *testing.T) {
	bubble(t, true, func(t *testing.T, db *accounttest.Store, svc *account.Service) {
		_, _, c := newKey(t, svc, "free")
		var sessions []context.Context
		for i := range 20 {
			_, _, c := addKey(t, svc, c.OrgID, account.KeyRequest{Label: fmt.Sprint(i)})
			ctx, stop := svc.Session(t.Context(), c)
			defer stop()
			sessions = append(sessions, ctx)
		}
		h := reserve(t, svc, c, 100)
		back := db.Hang(accounttest.Reads)
		time.Sleep(3 * account.Lease)
		for _, ctx := range sessions {
			if ctx.Err() != nil {
				t.Fatal("a session ended because its key could not be read")
			}
		}
		back()
		if err := svc.Roll(t.Context(), c.OrgID); err != nil {
			t.Error(err)
		}
		if got := db.Holds(c.OrgID)[0].State; got != ledger.Held {
			t.Errorf("the hold is %s: its lease was not renewed", got)
		}
		h.Cancel()
	})
}

// TestLeases keeps a hold for long: renewed by a service that was started, and
// lapsing without.
func TestLeases(t *testing.T) {
	t.Parallel()
	for started, want := range map[bool]ledger.State{true: ledger.Held, false: ledger.Lapsed} {
		t.Run(fmt.Sprint("started ", started), func(t *testing.T) {
			bubble(t, started, func(t *testing.T, db *accounttest.Store, svc *account.Service) {
				secret, _, c := newKey(t, svc, "free")
				if _, err := svc.Enter(t.Context(), authenticate(t, svc, secret)); err != nil {
					t.Fatal(err)
				}
				h := reserve(t, svc, c, 100)
				time.Sleep(10 * time.Minute)
				if err := svc.Roll(t.Context(), c.OrgID); err != nil {
					t.Error(err)
				}
				if got := db.Holds(c.OrgID)[0].State; got != want {
					t.Errorf("hold is %s, want %s", got, want)
				}
				if err := h.Commit(t.Context(), account.Receipt{Characters: 90}); err != nil {
					t.Errorf("Commit: %v", err)
				}
				if got := balance(t, svc, c); got != 9_910 {
					t.Errorf("balance = %d, want 9910", got)
				}
				if err := svc.Close(t.Context()); err != nil {
					t.Error(err)
				}
				if keys, err := svc.Keys(t.Context(), c.OrgID); err != nil || keys[0].LastUsed.IsZero() {
					t.Errorf("Keys = %+v, %v, want the last use noted", keys, err)
				}
			})
		})
	}
}

// TestCloseWhileOpsWait closes a service while postings hang. Close returns in time, and every
// waiting caller gets an answer.
func TestCloseWhileOpsWait(t *testing.T) {
	for _, hang := range []accounttest.Op{accounttest.Opens, accounttest.Commits} {
		t.Run(string(hang), func(t *testing.T) {
			bubble(t, true, func(t *testing.T, db *accounttest.Store, svc *account.Service) {
				_, _, c := newKey(t, svc, "free")
				holds := make([]*account.Hold, 8)
				for i := range holds {
					holds[i] = reserve(t, svc, c, 10)
				}
				back := db.Hang(hang)
				var wg sync.WaitGroup
				for i, h := range holds {
					wg.Go(func() {
						err := h.Commit(t.Context(), account.Receipt{Characters: 10, Delivered: i%2 == 0})
						if err != nil && fault.KindOf(err) != fault.Unavailable {
							t.Errorf("Commit: %v", err)
						}
					})
					wg.Go(func() {
						if _, err := svc.Reserve(t.Context(), c, 10); err != nil {
							wantAway(t, "Reserve", err)
						}
					})
				}
				synctest.Wait()
				short, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				under(t, "Close", 1100*time.Millisecond, func() {
					if err := svc.Close(short); !errors.Is(err, context.DeadlineExceeded) {
						t.Errorf("Close while the store hangs = %v", err)
					}
				})
				_, err := svc.Reserve(t.Context(), c, 1)
				wantAway(t, "Reserve after Close", err)
				back()
				if err := svc.Close(t.Context()); err != nil {
					t.Errorf("Close when the store is back: %v", err)
				}
				wg.Wait()
				if got := svc.Stats(); got.Charged < 40 || got.LostCharges != 0 {
					t.Errorf("Stats = %+v, want what was delivered charged", got)
				}
				sound(t, svc)
			})
		})
	}
}

// TestCloseBounds closes a service whose store hangs for good. The writing that continues after
// Close ends.
func TestCloseBounds(t *testing.T) {
	bubble(t, true, func(t *testing.T, db *accounttest.Store, svc *account.Service) {
		_, _, c := newKey(t, svc, "free")
		h := reserve(t, svc, c, 10)
		back := db.Hang(accounttest.Opens, accounttest.Records, accounttest.Leases)
		defer back()
		if err := h.Commit(t.Context(), account.Receipt{Characters: 10, Delivered: true}); err != nil {
			t.Errorf("Commit: %v", err)
		}
		svc.Record(account.RequestRecord{ID: "a"})
		under(t, "Close", 3*account.WriteTimeout, func() {
			if err := svc.Close(t.Context()); err != nil {
				t.Errorf("Close: %v", err)
			}
		})
		if got := svc.Stats(); got.LostCharges != 1 || got.LostRequests != 1 {
			t.Errorf("Stats = %+v, want a charge and a record lost", got)
		}
		if err := h.Commit(t.Context(), account.Receipt{}); err == nil {
			t.Error("Commit again: no error")
		}
	})
}

// TestStartAndClose calls them in odd orders.
func TestStartAndClose(t *testing.T) {
	bubble(t, true, func(t *testing.T, _ *accounttest.Store, svc *account.Service) {
		svc.Start(t.Context())
		for range 2 {
			if err := svc.Close(t.Context()); err != nil {
				t.Errorf("Close: %v", err)
			}
		}
		svc.Start(t.Context())
		svc.Record(account.RequestRecord{})
		if got := svc.Stats().LostRequests; got != 1 {
			t.Errorf("%d records lost, want the one after Close", got)
		}
	})
}

func TestRecords(t *testing.T) {
	bubble(t, false, func(t *testing.T, db *accounttest.Store, svc *account.Service) {
		const n = 2_500
		for i := range n {
			svc.Record(account.RequestRecord{ID: fmt.Sprint(i), At: time.Now()})
		}
		time.Sleep(time.Second)
		if got := db.Recorded(); len(got) != n || got[0].ID != "0" || got[n-1].ID != fmt.Sprint(n-1) {
			t.Errorf("%d records are kept, want %d in their order", len(got), n)
		}
		if got := db.Calls(accounttest.Records); got != 3 {
			t.Errorf("%d writes, want 3", got)
		}
		db.Fail(errDisk, accounttest.Records)
		svc.Record(account.RequestRecord{ID: "lost"})
		time.Sleep(time.Second)
		db.Fail(nil, accounttest.Records)
		svc.Record(account.RequestRecord{ID: "kept", At: time.Now()})
		back := db.Hang(accounttest.Records)
		time.Sleep(time.Second)
		for range 20_010 {
			svc.Record(account.RequestRecord{ID: "many", At: time.Now()})
		}
		back()
		if err := svc.Close(t.Context()); err != nil {
			t.Error(err)
		}
		if got := svc.Stats().LostRequests; got != 1+10 {
			t.Errorf("%d records lost, want 11", got)
		}
		if got := len(db.Recorded()); got != n+1+20_000 {
			t.Errorf("%d records are kept, want %d", got, n+20_001)
		}
	})
}
