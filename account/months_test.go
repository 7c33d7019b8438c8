package account_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"vaak/account"
	"vaak/account/accounttest"
)

// TestTwoYears steps 24 months of resets, renewals and lapsing holds by the
// fake clock, without anything that runs beside.
func TestTwoYears(t *testing.T) {
	bubble(t, false, func(t *testing.T, db *accounttest.Store, svc *account.Service) {
		ctx := t.Context()
		_, _, c := newKey(t, svc, "free")
		end := time.Date(2000, 1, 31, 12, 0, 0, 0, time.UTC) // bubbles begin with 2000
		if err := svc.Subscribe(ctx, c.OrgID, account.SubscriptionRequest{Plan: "starter", Expires: end, AutoRenew: true}); err != nil {
			t.Fatal(err)
		}
		for month := range 24 {
			if err := speak(ctx, svc, c, 400, time.Second); err != nil {
				t.Fatal(err)
			}
			dying := newService(t, account.Config{Store: db})
			reserve(t, dying, c, 100) // and is not heard of again
			got := report(t, svc, c)
			if got.Characters != 400 || got.Balance.Remaining != 99_500 || got.Plan.ID != "starter" {
				t.Errorf("month %d: %d of %s spent and %d left, want 400 and 99500", month, got.Characters, got.Plan.ID, got.Balance.Remaining)
			}
			time.Sleep(account.Lease)
			if got := balance(t, svc, c); got != 99_600 {
				t.Errorf("month %d: balance after the lapse = %d, want 99600", month, got)
			}
			time.Sleep(time.Until(got.Resets) - time.Microsecond)
			if got := balance(t, svc, c); got != 99_600 {
				t.Errorf("month %d: balance 1 µs before its end = %d, want 99600", month, got)
			}
			next := time.Date(2000, time.Month(month+2), min(31, time.Date(2000, time.Month(month+3), 0, 0, 0, 0, 0, time.UTC).Day()), 12, 0, 0, 0, time.UTC)
			if got := report(t, svc, c).Organisation.Terms.Subscription; got == nil || !got.Expires.Equal(next) {
				t.Errorf("month %d: window %+v, want it to end %v", month, got, next)
			}
			time.Sleep(time.Microsecond)
		}
		if a := sound(t, svc); a.Charged != 24*400 || a.OpenHolds > 2 {
			t.Errorf("Audit = %+v, want 9600 charged", a)
		}
		if n, err := svc.Sweep(ctx); err != nil || n > 1 {
			t.Errorf("Sweep = %d, %v", n, err)
		}
	})
}

// TestSecretsAreNotLogged looks for the secret in everything that is logged.
func TestSecretsAreNotLogged(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		db := accounttest.New(nil)
		svc := newService(t, account.Config{Store: db, Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
		secret, k, c := newKey(t, svc, "free")
		db.Fail(errDisk, accounttest.Opens)
		wantAway(t, "speak", speak(t.Context(), svc, c, 10, 0))
		db.Fail(nil, accounttest.Opens)
		if err := svc.RevokeKey(t.Context(), k.ID); err != nil {
			t.Fatal(err)
		}
		if err := svc.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := log.String(); !strings.Contains(got, k.ID) || strings.Contains(got, account.SecretPrefix) || strings.Contains(got, secret[8:53]) {
			t.Errorf("the log does not name key %s, or holds its secret:\n%s", k.ID, got)
		}
	})
}
