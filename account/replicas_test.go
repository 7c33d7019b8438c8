package account_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"vaak/account"
	"vaak/account/accounttest"
	"vaak/account/ledger"
	"vaak/internal/fault"
)

// replicas runs a test in a synctest bubble with two services on one store, which both run and
// know of each other, and a caller with a balance of n characters.
func replicas(t *testing.T, n int64, test func(t *testing.T, db *accounttest.Store, a, b *account.Service, c account.Caller)) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		db, limits := accounttest.New(nil), accounttest.NewLimits(nil)
		limits.SetReplicas(2)
		var both [2]*account.Service
		for i := range both {
			both[i] = newService(t, account.Config{Store: db, Limits: limits})
			both[i].Start(t.Context())
		}
		if err := both[0].SetPlan(t.Context(), ledger.Plan{ID: "bare", RequestsPerMinute: -1, MaxStreams: -1}); err != nil {
			t.Fatal(err)
		}
		_, _, c := newKey(t, both[0], "bare")
		if _, err := both[0].Grant(t.Context(), c.OrgID, account.GrantRequest{Characters: n}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		test(t, db, both[0], both[1], c)
	})
}

// TestLastCharacters spends a balance of 100 characters over two replicas, in turn and with
// requests of many sizes: all 100 can be spent, and no more.
func TestLastCharacters(t *testing.T) {
	for seed := range uint64(20) {
		t.Run("", func(t *testing.T) {
			replicas(t, 100, func(t *testing.T, db *accounttest.Store, a, b *account.Service, c account.Caller) {
				r := rand.New(rand.NewPCG(seed, 1))
				db.Slow(time.Duration(r.IntN(100))*time.Millisecond, accounttest.Commits)
				for left := 100; left > 0; {
					svc := []*account.Service{a, b}[r.IntN(2)]
					n := 1 + r.IntN(min(left, 40))
					h := reserve(t, svc, c, n)
					if r.IntN(3) == 0 {
						h.Cancel()
						time.Sleep(time.Second) // it is posted without anybody who waits
						continue
					}
					spoken := r.IntN(n + 1)
					if err := h.Commit(t.Context(), account.Receipt{Characters: spoken}); err != nil {
						t.Fatalf("Commit: %v", err)
					}
					left -= spoken
					for _, svc := range []*account.Service{a, b} {
						if got := balance(t, svc, c); got != int64(left) {
							t.Fatalf("the balance is %d, want %d", got, left)
						}
					}
				}
				for _, svc := range []*account.Service{a, b} {
					begun := time.Now()
					_, err := svc.Reserve(t.Context(), c, 1)
					wantFault(t, "Reserve of nothing", err, fault.QuotaExceeded, fault.CodeInsufficientQuota)
					if took := time.Since(begun); took > time.Second {
						t.Errorf("it took %v to refuse", took)
					}
				}
				if s := sound(t, a); s.Charged != 100 || s.WrittenOff != 0 {
					t.Errorf("Audit = %+v, want 100 charged", s)
				}
			})
		})
	}
}

// TestRecall has one replica take ahead what another then needs: the other gets it.
func TestRecall(t *testing.T) {
	replicas(t, 10_000, func(t *testing.T, _ *accounttest.Store, a, b *account.Service, c account.Caller) {
		h := reserve(t, a, c, 1_000)
		if got := balance(t, b, c); got != 9_000 {
			t.Errorf("the other replica has a balance of %d, want 9000", got)
		}
		under(t, "Reserve of all that is left", 500*time.Millisecond, func() { reserve(t, b, c, 9_000).Cancel() })
		_, err := b.Reserve(t.Context(), c, 9_001)
		wantFault(t, "Reserve of more", err, fault.QuotaExceeded, fault.CodeInsufficientQuota)
		h.Cancel()
		synctest.Wait()
		under(t, "Reserve of all", 500*time.Millisecond, func() { reserve(t, b, c, 10_000).Cancel() })
	})
}

// TestRecallOfAll tells of advances without saying whose are needed: all are returned.
func TestRecallOfAll(t *testing.T) {
	replicas(t, 16_000, func(t *testing.T, db *accounttest.Store, a, _ *account.Service, c account.Caller) {
		h := reserve(t, a, c, 1_000)
		db.Announce(account.Change{Topic: account.TopicAdvance})
		synctest.Wait()
		for _, kept := range db.Holds(c.OrgID) {
			if kept.State == ledger.Held && (kept.Amount != 1_000 || kept.Ahead != 0) {
				t.Errorf("after the recall the books have %+v", kept)
			}
		}
		h.Cancel()
	})
}

// TestRecallOfTheDead has a replica take characters ahead and never answer. Who needs them is
// told to try again, and gets them when the lease has run out.
func TestRecallOfTheDead(t *testing.T) {
	replicas(t, 10_000, func(t *testing.T, db *accounttest.Store, a, _ *account.Service, c account.Caller) {
		dead := newService(t, account.Config{Store: db}) // it is never started
		reserve(t, dead, c, 1_000)
		begun := time.Now()
		_, err := a.Reserve(t.Context(), c, 9_000)
		wantAway(t, "Reserve of what the dead has", err)
		if took := time.Since(begun); took < time.Second || took > 3*time.Second {
			t.Errorf("Reserve took %v, want 2 s", took)
		}
		reserve(t, a, c, 7_000).Cancel()
		time.Sleep(account.Lease)
		reserve(t, a, c, 10_000).Cancel()
	})
}

// TestDrain closes a replica that has characters ahead: others have them at once.
func TestDrain(t *testing.T) {
	replicas(t, 10_000, func(t *testing.T, db *accounttest.Store, a, b *account.Service, c account.Caller) {
		if err := speak(t.Context(), a, c, 100, 0); err != nil {
			t.Fatal(err)
		}
		if err := a.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Errorf("Close: %v", err)
		}
		for _, h := range db.Holds(c.OrgID) {
			if h.State == ledger.Held {
				t.Errorf("after Close the books have %+v", h)
			}
		}
		_, err := a.Reserve(t.Context(), c, 1)
		wantAway(t, "Reserve after Close", err)
		under(t, "Reserve of all", 100*time.Millisecond, func() { reserve(t, b, c, 9_900).Cancel() })
	})
}

// TestReservedAhead counts postings: a hold that fits into what is ahead needs none.
func TestReservedAhead(t *testing.T) {
	replicas(t, 1_000_000, func(t *testing.T, db *accounttest.Store, a, _ *account.Service, c account.Caller) {
		if err := speak(t.Context(), a, c, 100, 0); err != nil {
			t.Fatal(err)
		}
		before := db.Calls(accounttest.Opens)
		var holds []*account.Hold
		for range 20 {
			h := reserve(t, a, c, 1_000)
			if err := h.Extend(t.Context(), 500); err != nil {
				t.Errorf("Extend: %v", err)
			}
			holds = append(holds, h)
		}
		if got := db.Calls(accounttest.Opens) - before; got != 0 {
			t.Errorf("20 holds needed %d postings, want none", got)
		}
		// While one posting waits for its commit, all other charges come.
		db.Slow(10*time.Millisecond, accounttest.Commits)
		var wg sync.WaitGroup
		for _, h := range holds {
			wg.Go(func() {
				if err := h.Commit(t.Context(), account.Receipt{Characters: 1_200}); err != nil {
					t.Errorf("Commit: %v", err)
				}
			})
		}
		wg.Wait()
		if got := db.Calls(accounttest.Opens) - before; got > 3 {
			t.Errorf("20 charges at once needed %d postings", got)
		}
		if got := balance(t, a, c); got != 1_000_000-100-20*1_200 {
			t.Errorf("balance = %d", got)
		}
	})
}

// TestAheadExpires has characters that are ahead expire. A hold that had some keeps them, and
// later holds get none of them.
func TestAheadExpires(t *testing.T) {
	replicas(t, 10_000, func(t *testing.T, db *accounttest.Store, a, _ *account.Service, c account.Caller) {
		soon := account.GrantRequest{Characters: 500, Kind: ledger.Promo, Expires: time.Now().Add(5 * time.Second)}
		if _, err := a.Grant(t.Context(), c.OrgID, soon); err != nil {
			t.Fatal(err)
		}
		h := reserve(t, a, c, 100)
		late := reserve(t, a, c, 50)
		time.Sleep(5 * time.Second)
		if got := balance(t, a, c); got != 10_000 {
			t.Errorf("balance after the end of the lot = %d, want 10000", got)
		}
		next := reserve(t, a, c, 200)
		if err := late.Extend(t.Context(), 25); err != nil {
			t.Errorf("Extend: %v", err)
		}
		for h, n := range map[*account.Hold]int{h: 100, late: 75, next: 200} {
			if err := h.Commit(t.Context(), account.Receipt{Characters: n}); err != nil {
				t.Errorf("Commit: %v", err)
			}
		}
		if got := balance(t, a, c); got != 10_000-25-200 {
			t.Errorf("balance = %d, want %d", got, 10_000-25-200)
		}
		sums := map[ledger.EntryKind]int64{}
		for _, e := range db.Entries(c.OrgID) {
			sums[e.Kind] += e.Amount
		}
		if sums[ledger.Expired] != 350 || sums[ledger.Charged] != 375 {
			t.Errorf("the journal sums to %v, want 350 expired and 375 charged", sums)
		}
		sound(t, a)
	})
}

// TestAheadCapped spends the cap of a key over two replicas, to the character, on plans with
// and without a bound.
func TestAheadCapped(t *testing.T) {
	for _, plan := range []string{"bare", "unlimited"} {
		t.Run(plan, func(t *testing.T) {
			replicas(t, 10_000, func(t *testing.T, _ *accounttest.Store, a, b *account.Service, c account.Caller) {
				if err := a.Subscribe(t.Context(), c.OrgID, account.SubscriptionRequest{Plan: plan}); err != nil {
					t.Fatal(err)
				}
				_, _, capped := addKey(t, a, c.OrgID, account.KeyRequest{Label: "capped", MonthlyCap: 100})
				if err := speak(t.Context(), a, c, 10, 0); err != nil { // has characters ahead, but none of the key
					t.Fatal(err)
				}
				for _, svc := range []*account.Service{a, b, a, b} {
					if err := speak(t.Context(), svc, capped, 24, 0); err != nil {
						t.Errorf("speak within the cap: %v", err)
					}
				}
				for _, svc := range []*account.Service{a, b} {
					_, err := svc.Reserve(t.Context(), capped, 5)
					wantFault(t, "Reserve over the cap", err, fault.QuotaExceeded, fault.CodeInsufficientQuota)
				}
				reserve(t, a, capped, 4).Cancel()
				synctest.Wait()
				reserve(t, b, capped, 4).Cancel()
				sound(t, a)
			})
		})
	}
}

// TestPlanChangedAhead changes the plan while characters are ahead: those of requests that run
// are charged, and later requests follow the new plan.
func TestPlanChangedAhead(t *testing.T) {
	replicas(t, 10_000, func(t *testing.T, _ *accounttest.Store, a, _ *account.Service, c account.Caller) {
		h := reserve(t, a, c, 100)
		if err := a.Subscribe(t.Context(), c.OrgID, account.SubscriptionRequest{Plan: "unlimited"}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if err := speak(t.Context(), a, c, 50, 0); err != nil { // by the caller of before
			t.Fatal(err)
		}
		if err := h.Commit(t.Context(), account.Receipt{Characters: 100}); err != nil {
			t.Errorf("Commit: %v", err)
		}
		if err := a.Subscribe(t.Context(), c.OrgID, account.SubscriptionRequest{Plan: "bare"}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if got := balance(t, a, c); got != 9_900 {
			t.Errorf("balance = %d, want 9900", got)
		}
		reserve(t, a, c, 9_900).Cancel()
		sound(t, a)
	})
}

// TestClockJump has the clock of the store jump over the lease while a request runs, and another
// replica spend everything: what the request has spoken is written off, and no more starts.
func TestClockJump(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		clk := &clock{at: time.Now()}
		db := accounttest.New(clk.now)
		a, b := newService(t, account.Config{Store: db}), newService(t, account.Config{Store: db})
		_, _, c := newKey(t, a, "free")
		h := reserve(t, a, c, 100)
		clk.add(2 * account.Lease)
		if err := speak(t.Context(), b, c, 10_000, 0); err != nil {
			t.Fatalf("speak what has lapsed: %v", err)
		}
		if err := h.Commit(t.Context(), account.Receipt{Characters: 100}); err != nil {
			t.Errorf("Commit: %v", err)
		}
		if s := sound(t, a); s.Charged != 10_000 || s.WrittenOff != 100 {
			t.Errorf("Audit = %+v, want 10000 charged and 100 written off", s)
		}
		_, err := a.Reserve(t.Context(), c, 1)
		wantFault(t, "Reserve of nothing", err, fault.QuotaExceeded, fault.CodeInsufficientQuota)
	})
}

// TestCapAfterIdle asks for characters of a key with a cap while a posting returns its idle
// advance. The cap holds on a plan without a bound, too.
func TestCapAfterIdle(t *testing.T) {
	replicas(t, 10_000, func(t *testing.T, db *accounttest.Store, a, _ *account.Service, c account.Caller) {
		if err := a.Subscribe(t.Context(), c.OrgID, account.SubscriptionRequest{Plan: "unlimited"}); err != nil {
			t.Fatal(err)
		}
		_, _, capped := addKey(t, a, c.OrgID, account.KeyRequest{Label: "capped", MonthlyCap: 100})
		if err := speak(t.Context(), a, capped, 24, 0); err != nil {
			t.Fatal(err)
		}
		time.Sleep(9_900 * time.Millisecond)
		db.Slow(time.Second, accounttest.Opens)
		time.Sleep(600 * time.Millisecond) // now the posting that returns the advance has begun
		_, err := a.Reserve(t.Context(), capped, 77)
		wantFault(t, "Reserve over the cap", err, fault.QuotaExceeded, fault.CodeInsufficientQuota)
		reserve(t, a, capped, 76).Cancel()
	})
}

// TestExtendNothing refuses to extend a hold of no characters, as often as it is asked.
func TestExtendNothing(t *testing.T) {
	replicas(t, 100, func(t *testing.T, _ *accounttest.Store, a, _ *account.Service, c account.Caller) {
		h := reserve(t, a, c, 0)
		for range 2 {
			wantFault(t, "Extend", h.Extend(t.Context(), 200), fault.QuotaExceeded, fault.CodeInsufficientQuota)
		}
		if err := h.Extend(t.Context(), 100); err != nil {
			t.Errorf("Extend by the balance: %v", err)
		}
		if err := h.Commit(t.Context(), account.Receipt{Characters: 100}); err != nil {
			t.Errorf("Commit: %v", err)
		}
		if got := balance(t, a, c); got != 0 {
			t.Errorf("balance = %d, want 0", got)
		}
		sound(t, a)
	})
}

// TestKeyRefused has the store refuse a key, as one does that was restored to the time before
// the key. The other keys of the organisation still speak.
func TestKeyRefused(t *testing.T) {
	replicas(t, 10_000, func(t *testing.T, _ *accounttest.Store, a, _ *account.Service, c account.Caller) {
		refused := c
		refused.KeyID = "key_zzzzzzzzzzzzzzzz"
		for range 3 {
			if err := speak(t.Context(), a, refused, 10, 0); err == nil {
				t.Error("speak for a key that the store refuses: no error")
			}
			if err := speak(t.Context(), a, c, 10, 0); err != nil {
				t.Errorf("speak for another key: %v", err)
			}
			time.Sleep(time.Minute)
		}
		sound(t, a)
	})
}

// TestKeysForgotten has keys with a cap come and go while another is used all the time.
func TestKeysForgotten(t *testing.T) {
	replicas(t, 10_000, func(t *testing.T, _ *accounttest.Store, a, _ *account.Service, c account.Caller) {
		for range 10 {
			_, _, capped := addKey(t, a, c.OrgID, account.KeyRequest{Label: "capped", MonthlyCap: 100})
			for _, c := range []account.Caller{c, capped} {
				if err := speak(t.Context(), a, c, 1, 0); err != nil {
					t.Fatal(err)
				}
			}
			time.Sleep(9 * time.Second)
		}
		if got := a.Purses(); got > 4 {
			t.Errorf("the service remembers %d advances", got)
		}
	})
}

// TestAheadOfManyKeys speaks with many keys that have a cap: together they have no more ahead
// than one.
func TestAheadOfManyKeys(t *testing.T) {
	replicas(t, 16_000, func(t *testing.T, db *accounttest.Store, a, _ *account.Service, c account.Caller) {
		for range 10 {
			_, _, capped := addKey(t, a, c.OrgID, account.KeyRequest{Label: "capped", MonthlyCap: 100_000})
			if err := speak(t.Context(), a, capped, 10, 0); err != nil {
				t.Fatal(err)
			}
		}
		var ahead int64
		for _, h := range db.Holds(c.OrgID) {
			if h.State == ledger.Held {
				ahead += h.Ahead
			}
		}
		if ahead < 500 || ahead > 1_000 {
			t.Errorf("%d characters are ahead, want at most a sixteenth of 16000, and not much less", ahead)
		}
		time.Sleep(time.Minute)
		if got := a.Purses(); got != 0 {
			t.Errorf("the service remembers %d advances after they were returned", got)
		}
	})
}

// TestTendedWhileHanging has the store hang for long: what tends advances does not pile up.
func TestTendedWhileHanging(t *testing.T) {
	replicas(t, 10_000, func(t *testing.T, db *accounttest.Store, a, _ *account.Service, c account.Caller) {
		if err := speak(t.Context(), a, c, 10, 0); err != nil {
			t.Fatal(err)
		}
		back := db.HangDeaf(accounttest.Opens)
		time.Sleep(10 * time.Minute)
		if got := a.Waiting(); got > 1 {
			t.Errorf("%d operations wait", got)
		}
		back()
		time.Sleep(time.Minute)
		reserve(t, a, c, 9_990).Cancel()
	})
}
