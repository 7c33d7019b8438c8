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

var errDisk = accounttest.Away(errors.New("disk full"))

// TestAwayAndBack takes the store away in several ways: each Reserve is refused
// in under a second, and when it is back the next one finds out. One that can be read
// may be slow only, so it is waited for, as long as a posting may take.
func TestAwayAndBack(t *testing.T) {
	t.Parallel()
	readable := map[string]bool{"hangs": true, "hangs at commit": true, "hangs and is deaf": true}
	for name, away := range map[string]func(*accounttest.Store) (back func()){
		"fails": func(db *accounttest.Store) func() {
			db.Fail(errDisk, accounttest.Opens, accounttest.Pings)
			return func() { db.Fail(nil, accounttest.Opens, accounttest.Pings) }
		},
		"fails to commit": func(db *accounttest.Store) func() {
			db.Fail(errDisk, accounttest.Commits)
			return func() { db.Fail(nil, accounttest.Commits) }
		},
		"fails with an odd probe": func(db *accounttest.Store) func() {
			db.Fail(errDisk, accounttest.Opens)
			db.Fail(errors.New("odd"), accounttest.Pings)
			return func() { db.Fail(nil, accounttest.Opens, accounttest.Pings) }
		},
		"hangs": func(db *accounttest.Store) func() { return db.Hang(accounttest.Opens) },
		"hangs wholly": func(db *accounttest.Store) func() {
			return db.Hang(accounttest.Opens, accounttest.Pings, accounttest.Reads)
		},
		"hangs at commit": func(db *accounttest.Store) func() { return db.Hang(accounttest.Commits) },
		"hangs and is deaf": func(db *accounttest.Store) func() {
			return db.HangDeaf(accounttest.Opens)
		},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, true, func(t *testing.T, db *accounttest.Store, svc *account.Service) {
				ctx := t.Context()
				_, _, c := newKey(t, svc, "free")
				back := away(db)
				for i := range 8 {
					limit := time.Second
					switch {
					case name == "hangs and is deaf" && i == 0:
						limit = 2*account.WriteTimeout + time.Second
					case name == "hangs and is deaf": // nothing was written for long enough
					case readable[name]:
						limit = account.WriteTimeout + time.Second
					}
					under(t, "Reserve", limit, func() {
						_, err := svc.Reserve(ctx, c, 10)
						wantAway(t, "Reserve", err)
					})
					time.Sleep(700 * time.Millisecond)
				}
				if h, err := svc.Reserve(ctx, account.Local, 1); err != nil || h.Commit(ctx, account.Receipt{Characters: 1}) != nil {
					t.Errorf("Reserve for the local caller: %v", err)
				}
				back()
				synctest.Wait()
				if err := speak(ctx, svc, c, 7, time.Second); err != nil {
					t.Errorf("speak when the store is back: %v", err)
				}
				time.Sleep(time.Second) // what came late is given back
				if got := balance(t, svc, c); got != 10_000-7 {
					t.Errorf("balance = %d, want all but 7 of 10000", got)
				}
				if !svc.Stats().StoreUp {
					t.Error("Stats().StoreUp = false")
				}
				sound(t, svc)
			})
		})
	}
}

// TestDelivered commits what the listener has while the store is away: it is
// charged once when that is back, however long it was away.
func TestDelivered(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name      string
		plan      string
		away      time.Duration
		hangs     bool
		charged   int64
		lost      int64
		remaining int64
	}{
		{"10 s", "free", 10 * time.Second, false, 40, 0, 9_960},
		{"29 s", "free", 29 * time.Second, false, 40, 0, 9_960},
		{"an hour", "free", time.Hour, false, 40, 0, 9_960},
		{"hung for 10 s", "free", 10 * time.Second, true, 40, 0, 9_960},
		{"unlimited", "unlimited", 10 * time.Second, false, 40, 0, -1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, true, func(t *testing.T, db *accounttest.Store, svc *account.Service) {
				_, _, c := newKey(t, svc, tt.plan)
				h := reserve(t, svc, c, 100)
				db.Fail(errDisk, accounttest.Opens, accounttest.Pings, accounttest.Leases)
				back := func() { db.Fail(nil, accounttest.Opens, accounttest.Pings, accounttest.Leases) }
				if tt.hangs {
					back = db.Hang(accounttest.Opens, accounttest.Pings, accounttest.Leases)
				}
				limit := time.Second
				if tt.hangs { // it may be merely slow, until a posting has failed
					limit = account.WriteTimeout + time.Second
				}
				under(t, "Commit", limit, func() {
					if err := h.Commit(t.Context(), account.Receipt{Characters: 40, Delivered: true}); err != nil {
						t.Errorf("Commit of what was delivered: %v", err)
					}
				})
				h.Cancel()
				time.Sleep(tt.away)
				back()
				time.Sleep(2 * time.Second)
				if got := svc.Stats(); got.Charged != tt.charged || got.LostCharges != tt.lost || got.LateCharges != 1 || got.OpenHolds != 0 {
					t.Errorf("Stats = %+v, want %d charged, %d lost, 1 late, no open hold", got, tt.charged, tt.lost)
				}
				time.Sleep(account.Lease)
				if _, err := svc.Sweep(t.Context()); err != nil {
					t.Errorf("Sweep: %v", err)
				}
				if got := balance(t, svc, c); got != tt.remaining {
					t.Errorf("balance = %d, want %d", got, tt.remaining)
				}
				if got := usage(t, svc, c, ledger.PeriodOf(time.Now())).Characters; got != tt.charged {
					t.Errorf("usage = %d characters, want %d", got, tt.charged)
				}
				sound(t, svc)
			})
		})
	}
}

// TestNotDelivered commits what the listener does not have yet: a Commit that
// fails has charged nothing, then and later, and gives the hold back.
func TestNotDelivered(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		away    func(*accounttest.Store) func()
		lasts   time.Duration
		charged int64
	}{
		{"fails", func(db *accounttest.Store) func() {
			db.Fail(errDisk, accounttest.Opens)
			return func() { db.Fail(nil, accounttest.Opens) }
		}, 5 * time.Second, 0},
		{"hangs before it begins", func(db *accounttest.Store) func() { return db.Hang(accounttest.Opens) }, 1500 * time.Millisecond, 0},
		{"hangs for long", func(db *accounttest.Store) func() { return db.Hang(accounttest.Opens) }, 8 * time.Second, 0},
		{"hangs at its end", func(db *accounttest.Store) func() { return db.Hang(accounttest.Commits) }, 1500 * time.Millisecond, 40},
		{"hangs at its end for long", func(db *accounttest.Store) func() { return db.Hang(accounttest.Commits) }, 8 * time.Second, 40},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, true, func(t *testing.T, db *accounttest.Store, svc *account.Service) {
				_, _, c := newKey(t, svc, "free")
				h := reserve(t, svc, c, 100)
				back := tt.away(db)
				time.AfterFunc(tt.lasts, back)
				err := h.Commit(t.Context(), account.Receipt{Characters: 40})
				if (err == nil) != (tt.charged > 0) {
					t.Errorf("Commit = %v", err)
				}
				if err != nil {
					wantAway(t, "Commit", err)
				}
				time.Sleep(tt.lasts + 2*time.Second)
				if got := svc.Stats().Charged; got != tt.charged {
					t.Errorf("Stats().Charged = %d, want %d", got, tt.charged)
				}
				if got := balance(t, svc, c); got != 10_000-tt.charged {
					t.Errorf("balance = %d, want %d", got, 10_000-tt.charged)
				}
				wantUnused(t, db, c)
				sound(t, svc)
			})
		})
	}
}

// TestOutcomeUnknown has the store write charges and lose its answer. A refused charge is not
// charged, and an acknowledged one is charged once, on metered and other plans.
func TestOutcomeUnknown(t *testing.T) {
	t.Parallel()
	for name, away := range map[string]func(*accounttest.Store) func(){
		"fails": func(db *accounttest.Store) func() {
			db.Fail(errDisk, accounttest.Answers)
			return func() { db.Fail(nil, accounttest.Answers) }
		},
		"hangs": func(db *accounttest.Store) func() { return db.Hang(accounttest.Answers) },
	} {
		for _, plan := range []string{"free", "unlimited"} {
			for _, delivered := range []bool{false, true} {
				for _, lasts := range []time.Duration{500 * time.Millisecond, 5 * time.Second, time.Minute} {
					t.Run(fmt.Sprintf("%s for %v on %s, delivered %v", name, lasts, plan, delivered), func(t *testing.T) {
						bubble(t, true, func(t *testing.T, db *accounttest.Store, svc *account.Service) {
							_, _, c := newKey(t, svc, plan)
							first, second := reserve(t, svc, c, 100), reserve(t, svc, c, 100)
							time.AfterFunc(lasts, away(db))
							acknowledged, requests := int64(0), int64(0)
							for _, h := range []*account.Hold{first, second} {
								err := h.Commit(t.Context(), account.Receipt{Characters: 40, Delivered: delivered})
								if err == nil {
									acknowledged += 40
									requests++
								} else {
									wantAway(t, "Commit", err)
								}
								h.Cancel()
							}
							time.Sleep(lasts + account.Lease)
							got := usage(t, svc, c, ledger.PeriodOf(time.Now()))
							if got.Characters != acknowledged || got.Requests != requests {
								t.Errorf("%d characters in %d requests are charged, %d in %d were acknowledged", got.Characters, got.Requests, acknowledged, requests)
							}
							if want := 10_000 - acknowledged; plan == "free" && balance(t, svc, c) != want {
								t.Errorf("balance = %d, want %d", balance(t, svc, c), want)
							}
							if delivered && acknowledged != 80 {
								t.Errorf("%d characters of what was delivered were acknowledged, want 80", acknowledged)
							}
							sound(t, svc)
						})
					})
				}
			}
		}
	}
}

// wantUnused checks that the books keep nothing for a request.
func wantUnused(t *testing.T, db *accounttest.Store, c account.Caller) {
	t.Helper()
	for _, h := range db.Holds(c.OrgID) {
		if h.State == ledger.Held && h.Ahead < h.Amount {
			t.Errorf("hold %+v keeps characters for a request", h)
		}
	}
}

// TestReserveUnknown has the store write an advance and lose its answer. Nothing of it is kept for
// the request as soon as the store is back, before the lease ends.
func TestReserveUnknown(t *testing.T) {
	bubble(t, true, func(t *testing.T, db *accounttest.Store, svc *account.Service) {
		_, _, c := newKey(t, svc, "free")
		db.Fail(errDisk, accounttest.Answers)
		_, err := svc.Reserve(t.Context(), c, 100)
		wantAway(t, "Reserve", err)
		db.Fail(nil, accounttest.Answers)
		time.Sleep(3 * time.Second)
		wantUnused(t, db, c)
		sound(t, svc)
	})
}

// rude is a store that hangs and then returns an error that is no *fault.Error.
type rude struct {
	*accounttest.Store
	mu   sync.Mutex
	rude bool
}

func (r *rude) be(rude bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.rude = rude
}

func (r *rude) Post(ctx context.Context, o account.Opening, turn func(time.Time, map[string]*ledger.Book) (account.Posting, error)) error {
	r.mu.Lock()
	rude := r.rude
	r.mu.Unlock()
	if rude {
		<-ctx.Done()
		return ctx.Err()
	}
	return r.Store.Post(ctx, o, turn)
}

// TestRudeStore checks that a posting whose time ran out counts as an outage,
// whatever the store calls it, and that its operations are not tried one by one.
func TestRudeStore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		db := &rude{Store: accounttest.New(nil)}
		svc := newService(t, account.Config{Store: db})
		_, _, c := newKey(t, svc, "free")
		db.be(true)
		var wg sync.WaitGroup
		for range 30 {
			wg.Go(func() {
				_, err := svc.Reserve(t.Context(), c, 1)
				wantAway(t, "Reserve", err)
			})
		}
		wg.Wait()
		under(t, "Close", 2*account.WriteTimeout+time.Millisecond, func() {
			if err := svc.Close(t.Context()); err != nil {
				t.Errorf("Close: %v", err)
			}
		})
	})
}

// TestProbesAreShared lets many ask for a store that is away: one probe answers
// them all.
func TestProbesAreShared(t *testing.T) {
	bubble(t, false, func(t *testing.T, db *accounttest.Store, svc *account.Service) {
		_, _, c := newKey(t, svc, "free")
		db.Fail(errDisk, accounttest.Opens)
		back := db.Hang(accounttest.Pings)
		_, err := svc.Reserve(t.Context(), c, 1)
		wantAway(t, "Reserve", err)
		var wg sync.WaitGroup
		for range 50 {
			wg.Go(func() {
				under(t, "Reserve", time.Second, func() {
					_, err := svc.Reserve(t.Context(), c, 1)
					wantAway(t, "Reserve beside others", err)
				})
			})
		}
		wg.Wait()
		if got := db.Calls(accounttest.Pings); got > 2 {
			t.Errorf("%d probes for 50 who ask at once, want at most 2", got)
		}
		back()
		db.Fail(nil, accounttest.Opens)
		if err := speak(t.Context(), svc, c, 1, 0); err != nil {
			t.Errorf("speak when it is back: %v", err)
		}
	})
}

// TestReadsWhileAway makes calls that only read while the store is away.
func TestReadsWhileAway(t *testing.T) {
	bubble(t, false, func(t *testing.T, db *accounttest.Store, svc *account.Service) {
		secret, _, c := newKey(t, svc, "free")
		db.Fail(errDisk, accounttest.Reads)
		_, err := svc.Authenticate(t.Context(), secret)
		wantAway(t, "Authenticate", err)
		_, err = svc.Authenticate(t.Context(), "nonsense")
		wantFault(t, "a malformed key needs no store", err, fault.Unauthenticated, fault.CodeInvalidKey)
		_, err = svc.Report(t.Context(), c.OrgID)
		wantAway(t, "Report", err)
		_, err = svc.Sweep(t.Context())
		wantAway(t, "Sweep", err)
	})
}
