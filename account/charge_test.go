package account_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"vaak/account"
	"vaak/account/accounttest"
	"vaak/account/backlog"
	"vaak/account/ledger"
)

func openBacklog(t testing.TB, dir string, maxBytes int64) *backlog.Backlog {
	t.Helper()
	b, err := backlog.Open(backlog.Config{Dir: dir, MaxBytes: maxBytes})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// kept runs a test in a synctest bubble, with a store and a service that has a backlog.
func kept(t *testing.T, test func(t *testing.T, db *accounttest.Store, svc *account.Service, dir string)) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(24*time.Hour - 5*time.Minute) // it is just before midnight
		db, dir := accounttest.New(nil), filepath.Join(t.TempDir(), "charges")
		svc := newService(t, account.Config{Store: db, Backlog: openBacklog(t, dir, 0)})
		svc.Start(t.Context())
		test(t, db, svc, dir)
	})
}

// onDisk counts the charges below a directory.
func onDisk(t testing.TB, dir string) int {
	t.Helper()
	found, err := backlog.Inspect(dir)
	if err != nil || found.Damaged > 0 {
		t.Fatalf("Inspect = %+v, %v", found, err)
	}
	return found.Charges
}

// TestBacklog takes the store away while holds are open: each charge is on disk within a
// second, before its answer ends, and is posted once when the store is back, on the day
// on which it was spoken.
func TestBacklog(t *testing.T) {
	t.Parallel()
	for name, away := range map[string]func(*accounttest.Store) func(){
		"fails": func(db *accounttest.Store) func() {
			db.Fail(errDisk, accounttest.Opens, accounttest.Pings, accounttest.Leases)
			return func() { db.Fail(nil, accounttest.Opens, accounttest.Pings, accounttest.Leases) }
		},
		"hangs": func(db *accounttest.Store) func() {
			return db.Hang(accounttest.Opens, accounttest.Pings, accounttest.Leases)
		},
		"writes and does not tell": func(db *accounttest.Store) func() {
			db.Fail(errDisk, accounttest.Answers)
			return func() { db.Fail(nil, accounttest.Answers) }
		},
	} {
		for _, plan := range []string{"free", "unlimited"} {
			for _, delivered := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s on %s, delivered %v", name, plan, delivered), func(t *testing.T) {
					kept(t, func(t *testing.T, db *accounttest.Store, svc *account.Service, dir string) {
						_, _, c := newKey(t, svc, plan)
						day, later := time.Now().UTC().Format(time.DateOnly), time.Now().AddDate(0, 0, 9).UTC().Format(time.DateOnly)
						holds := []*account.Hold{reserve(t, svc, c, 100), reserve(t, svc, c, 100)}
						back := away(db)
						for i, h := range holds {
							under(t, "Commit", time.Second, func() {
								if err := h.Commit(t.Context(), account.Receipt{Characters: 40, Delivered: delivered}); err != nil {
									t.Errorf("Commit: %v", err)
								}
							})
							if got := onDisk(t, dir); got != i+1 {
								t.Errorf("%d charges are on disk when Commit returns, want %d", got, i+1)
							}
						}
						if got := svc.Stats().Waiting; got.Charges != 2 || got.Characters != 80 {
							t.Errorf("Stats().Waiting = %+v, want 2 charges of 80 characters", got)
						}
						time.Sleep(10 * time.Minute)
						back()
						time.Sleep(account.Lease)
						if got := onDisk(t, dir); got != 0 || svc.Stats().Waiting.Charges != 0 {
							t.Errorf("%d charges are on disk when the store is back, want none", got)
						}
						_, days, err := svc.Daily(t.Context(), c.OrgID, account.DailyQuery{From: day, To: later, By: account.ByKey})
						if err != nil || len(days) != 1 || days[0].Day != day || days[0].Characters != 80 || days[0].Requests != 2 {
							t.Errorf("Daily = %+v, %v, want 80 characters in 2 requests on %s", days, err, day)
						}
						if plan == "free" && balance(t, svc, c) != 10_000-80 {
							t.Errorf("balance = %d, want %d", balance(t, svc, c), 10_000-80)
						}
						sound(t, svc)
					})
				})
			}
		}
	}
}

// TestBacklogOutlivesService closes a service while the store is away. The next service with the
// same directory posts the charges on disk, once.
func TestBacklogOutlivesService(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		db, dir := accounttest.New(nil), t.TempDir()
		first := openBacklog(t, dir, 0)
		svc := newService(t, account.Config{Store: db, Backlog: first})
		_, _, metered := newKey(t, svc, "free")
		_, _, counted := newKey(t, svc, "unlimited")
		callers := []account.Caller{metered, counted}
		var holds []*account.Hold
		for _, c := range callers {
			holds = append(holds, reserve(t, svc, c, 50))
		}
		db.Fail(errDisk, accounttest.Answers) // all is written, and nobody knows
		for _, h := range holds {
			if err := h.Commit(t.Context(), account.Receipt{Characters: 30, Delivered: true}); err != nil {
				t.Errorf("Commit: %v", err)
			}
		}
		if err := errors.Join(svc.Close(t.Context()), first.Close()); err != nil {
			t.Errorf("Close: %v", err)
		}
		db.Fail(nil, accounttest.Answers)
		next := newService(t, account.Config{Store: db, Backlog: openBacklog(t, dir, 0)})
		for range 2 {
			if err := next.FollowUp(t.Context()); err != nil {
				t.Errorf("FollowUp: %v", err)
			}
		}
		if got := onDisk(t, dir); got != 0 {
			t.Errorf("%d charges are on disk, want none", got)
		}
		for _, c := range callers {
			if got := usage(t, next, c, ledger.PeriodOf(time.Now())); got.Characters != 30 || got.Requests != 1 {
				t.Errorf("usage on %s = %+v, want 30 characters in 1 request", c.Plan, got)
			}
		}
		sound(t, next)
	})
}

// TestBacklogFull fills the backlog. New holds are refused, the charges of holds that run are
// stored, and holds are given again when the store is back.
func TestBacklogFull(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		db, dir := accounttest.New(nil), t.TempDir()
		svc := newService(t, account.Config{Store: db, Backlog: openBacklog(t, dir, 1)}) // of which there is none
		_, _, c := newKey(t, svc, "unlimited")
		_, err := svc.Reserve(t.Context(), c, 1)
		wantAway(t, "Reserve without room for its charge", err)
		if !errors.Is(err, backlog.ErrFull) {
			t.Errorf("Reserve = %v, want ErrFull as its cause", err)
		}
		if h, err := svc.Reserve(t.Context(), account.Local, 1); err != nil || h.Commit(t.Context(), account.Receipt{Characters: 1}) != nil {
			t.Errorf("Reserve for the local caller: %v", err)
		}
	})
}

// TestBacklogStale has a charge wait for longer than ids are kept. It may have been posted
// before, so it is not posted, and counts as lost.
func TestBacklogStale(t *testing.T) {
	kept(t, func(t *testing.T, db *accounttest.Store, svc *account.Service, dir string) {
		_, _, c := newKey(t, svc, "unlimited")
		other := filepath.Join(dir, "..", "other")
		left := openBacklog(t, other, 0)
		for _, at := range []time.Duration{-6, -8} {
			if err := left.Append(backlog.Charge{
				ID: fmt.Sprint("hold", at), Org: c.OrgID, Key: c.KeyID, Counted: true, Characters: 20, Voice: "v", Language: "en",
				At: time.Now().Add(at * 24 * time.Hour),
			}); err != nil {
				t.Fatal(err)
			}
		}
		if err := left.Close(); err != nil {
			t.Fatal(err)
		}
		paths, err := filepath.Glob(filepath.Join(other, "*"))
		if err != nil || len(paths) != 1 || os.Rename(paths[0], filepath.Join(dir, filepath.Base(paths[0]))) != nil {
			t.Fatalf("move %v: %v", paths, err)
		}
		time.Sleep(10 * time.Second)
		if got := svc.Stats(); got.Charged != 20 || got.LostCharges != 1 || got.Waiting.Charges != 0 {
			t.Errorf("Stats = %+v, want 20 charged, 1 lost, none waiting", got)
		}
	})
}

// TestBacklogUnposted has a charge that cannot be posted. It stays on disk, where a person can
// look at it, and other charges are posted.
func TestBacklogUnposted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		db, dir := accounttest.New(nil), t.TempDir()
		left := openBacklog(t, dir, 0)
		svc := newService(t, account.Config{Store: db, Backlog: openBacklog(t, dir, 0)})
		_, _, c := newKey(t, svc, "unlimited")
		for _, org := range []string{"org_bbbbbbbbbbbbbbbb", c.OrgID} {
			err := left.Append(backlog.Charge{ID: "hold_" + org, Org: org, Key: c.KeyID, Counted: true, Characters: 20, At: time.Now()})
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := left.Close(); err != nil {
			t.Fatal(err)
		}
		if err := svc.FollowUp(context.Background()); err != nil {
			t.Errorf("FollowUp: %v", err)
		}
		if got := usage(t, svc, c, ledger.PeriodOf(time.Now())); got.Characters != 20 || got.Requests != 1 {
			t.Errorf("usage = %+v, want 20 characters in 1 request", got)
		}
		if got := onDisk(t, dir); got != 1 {
			t.Errorf("%d charges are on disk, want the one of an organisation that is not there", got)
		}
	})
}
