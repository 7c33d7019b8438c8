package account_test

import (
	"sync"
	"testing"
	"time"

	"vaak/account"
	"vaak/account/ledger"
)

// TestChargedOnce runs requests again under the same name, in one process and in two: the
// characters of each are charged once, and the use is counted once.
func TestChargedOnce(t *testing.T) {
	t.Parallel()
	path := tempPath(t)
	services := []*account.Service{
		newService(t, account.Config{Store: openSQLite(t, path, nil)}),
		newService(t, account.Config{Store: openSQLite(t, path, nil)}),
	}
	for _, plan := range []string{"free", "unlimited"} {
		_, _, c := newKey(t, services[0], plan)
		spoken := func() (requests, characters int64) {
			used, err := services[0].Usage(t.Context(), c.OrgID, ledger.PeriodOf(time.Now()))
			if err != nil {
				t.Fatal(err)
			}
			for _, u := range used {
				requests, characters = requests+u.Requests, characters+u.Characters
			}
			return requests, characters
		}
		for i := range 3 { // one after the other
			ctx := account.ChargedOnce(t.Context(), plan+" one", false)
			for range 2 { // two holds of one request are two charges
				if err := speak(ctx, services[i%2], c, 100, time.Second); err != nil {
					t.Fatal(err)
				}
			}
		}
		if n, chars := spoken(); n != 2 || chars != 200 {
			t.Errorf("%s: %d requests, %d characters, want 2 of 100 each", plan, n, chars)
		}
		var all sync.WaitGroup
		for i := range 20 { // at once
			all.Go(func() {
				if err := speak(account.ChargedOnce(t.Context(), plan+" two", false), services[i%2], c, 50, time.Second); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if n, chars := spoken(); n != 3 || chars != 250 {
			t.Errorf("%s: %d requests, %d characters, want 3 and 250", plan, n, chars)
		}
		// Paid: nothing is kept aside, so more passes than the balance has.
		if err := speak(account.ChargedOnce(t.Context(), plan+" three", true), services[0], c, 1_000_000, time.Second); err != nil {
			t.Errorf("%s: paid before: %v", plan, err)
		}
		if n, chars := spoken(); n != 3 || chars != 250 {
			t.Errorf("%s: what was paid before was charged: %d requests, %d characters", plan, n, chars)
		}
		if err := speak(t.Context(), services[1], c, 10, time.Second); err != nil {
			t.Error(err)
		}
		if plan == "free" {
			if got := balance(t, services[0], c); got != 10_000-260 {
				t.Errorf("balance = %d, want %d", got, 10_000-260)
			}
		}
	}
	sound(t, services[0])
}
