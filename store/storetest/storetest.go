// Package storetest has the tests that every store must pass. Each implementation runs them.
package storetest

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vaak/account"
	"vaak/account/ledger"
	"vaak/internal/fault"
)

// Opened is one store under test, empty and migrated.
type Opened struct {
	Accounts account.Store
	// Again opens the same data a second time, as another process would. The cleanup of the
	// test closes it. Nil for a store that only one process may open.
	Again func(t *testing.T) account.Store
	// Close closes Accounts, but no store that Again returned.
	Close func() error
}

// Run runs the suite. Each test calls open once for a store of its own.
func Run(t *testing.T, open func(t *testing.T) Opened) {
	for _, tt := range []struct {
		name string
		run  func(t *testing.T, o Opened)
	}{
		{"Plans", testPlans},
		{"Organisations", testOrganisations},
		{"Rename", testRename},
		{"Ceilings", testCeilings},
		{"Keys", testKeys},
		{"TouchKeys", testTouchKeys},
		{"Credential", testCredential},
		{"CredentialOfSubscription", testCredentialTerms},
		{"Revocation", testRevocation},
		{"Post", testPost},
		{"PostAdvanceCharge", testAdvanceCharge},
		{"PostIsAllOrNothing", testPostAtomic},
		{"PostWithoutBook", testPostWithoutBook},
		{"PostSourceTwice", testSourceTwice},
		{"PostInParallel", testPostParallel},
		{"PostCappedKey", testCappedKey},
		{"PostTerms", testPostTerms},
		{"LapsedHolds", testLapsedHolds},
		{"Advances", testAdvances},
		{"Overdue", testOverdue},
		{"PruneHolds", testPruneHolds},
		{"Book", testBook},
		{"Audit", testAudit},
		{"Count", testCount},
		{"ChargeUnkept", testChargeUnkept},
		{"AuditCharges", testAuditCharges},
		{"Usage", testUsage},
		{"Sums", testSums},
		{"Daily", testDaily},
		{"DailySums", testDailySums},
		{"Requests", requestsOf(testRequests)},
		{"RequestPages", requestsOf(testRequestPages)},
		{"RequestFilters", requestsOf(testRequestFilters)},
		{"Outcomes", requestsOf(testOutcomes)},
		{"Watch", testWatch},
		{"WatchOthers", testWatchOthers},
		{"SeenByOthers", testSeenByOthers},
		{"Reopened", testReopened},
		{"OddText", testOddText},
		{"NUL", testNUL},
		{"Order", testOrder},
		{"Cancelled", testCancelled},
		{"Closed", testClosed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.run(t, open(t))
		})
	}
}

// created is an instant with microseconds, the finest that a store keeps.
var created = time.Date(2026, 2, 28, 23, 59, 59, 999_999_000, time.UTC)

func organisation(n int) account.Organisation {
	return account.Organisation{ID: id("org_", n), Name: fmt.Sprintf("Organisation %d", n), Created: created,
		Terms: ledger.Terms{Mode: ledger.Lots, Plan: "unlimited"}, Ceilings: account.NoCeilings}
}

func key(n int, orgID string) account.Key {
	hash := sha256.Sum256([]byte(id("secret", n)))
	return account.Key{
		ID: id("key_", n), OrgID: orgID, Label: "label", Hash: hash[:], LastFour: "wxyz", MonthlyCap: ledger.Unlimited,
		Created: created.Add(time.Duration(n) * time.Microsecond),
	}
}

// id returns prefix and n as 16 lower-case letters.
func id(prefix string, n int) string {
	digits := fmt.Sprintf("%016d", n)
	return prefix + strings.Map(func(r rune) rune { return 'a' + r - '0' }, digits)
}

// seed adds organisation 1 with n keys, numbered from 1.
func seed(t *testing.T, s account.Store, n int) (account.Organisation, []account.Key) {
	t.Helper()
	o := organisation(1)
	check(t, "CreateOrganisation", s.CreateOrganisation(t.Context(), o))
	keys := make([]account.Key, n)
	for i := range keys {
		keys[i] = key(i+1, o.ID)
		check(t, "CreateKey", s.CreateKey(t.Context(), keys[i]))
	}
	return o, keys
}

func check(t *testing.T, what string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

// wantKind reports a test error when err is not of a kind; "" is success.
func wantKind(t *testing.T, what string, err error, want fault.Kind) {
	t.Helper()
	if got := fault.KindOf(err); got != want {
		t.Errorf("%s: kind = %q, want %q; error: %v", what, got, want, err)
	}
}

func same[T any](t *testing.T, what string, got, want T) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s: -want +got\n%s", what, d)
	}
}
