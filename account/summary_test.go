package account_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vaak/account"
	"vaak/account/accounttest"
	"vaak/account/ledger"
	"vaak/internal/fault"
)

// testSummaries compares the lines of a list with what each organisation tells of itself.
func testSummaries(t *testing.T, svc *account.Service, c *clock) {
	ctx := t.Context()
	if got, err := svc.Summaries(ctx, nil); len(got) != 0 || err != nil {
		t.Errorf("Summaries of none = %+v, %v", got, err)
	}
	var want []account.Summary
	for i, plan := range []string{"free", "unlimited", "growth"} {
		_, first, caller := newKey(t, svc, plan)
		addKey(t, svc, caller.OrgID, account.KeyRequest{Label: "expires", Expires: c.now().Add(time.Minute)})
		if i > 0 {
			addKey(t, svc, caller.OrgID, account.KeyRequest{Label: "second"})
		}
		console, err := svc.Console(ctx, caller.OrgID)
		if err != nil {
			t.Fatal(err)
		}
		for _, who := range []account.Caller{caller, console} {
			if err := speak(ctx, svc, who, 10+i, time.Second); err != nil {
				t.Fatal(err)
			}
		}
		if i == 2 {
			if err := svc.RevokeKey(ctx, first.ID); err != nil {
				t.Fatal(err)
			}
		}
		c.add(time.Second) // the organisations have an order
		want = append(want, account.Summary{Keys: []int{1, 2, 1}[i]})
	}
	c.add(2 * time.Minute)
	all, err := svc.Organisations(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for i, o := range all {
		if want[i].Report, err = svc.Report(ctx, o.ID); err != nil || want[i].Characters != int64(2*(10+i)) {
			t.Fatalf("Report = %+v, %v", want[i].Report, err)
		}
	}
	got, err := svc.Summaries(ctx, append(all, account.Organisation{ID: "org_aaaaaaaaaaaaaaaa"}))
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Errorf("Summaries: %v, -want +got\n%s", err, d)
	}
}

// TestMostKeys fills an organisation with keys; those that have ended do not count.
func TestMostKeys(t *testing.T) {
	t.Parallel()
	db := accounttest.New(nil)
	svc := newService(t, account.Config{Store: db})
	_, k, c := newKey(t, svc, "free")
	if _, err := svc.Console(t.Context(), c.OrgID); err != nil { // it is no key
		t.Fatal(err)
	}
	for i := range account.MaxKeys {
		hash := bytes.Repeat([]byte{byte(i), byte(i >> 8)}, 16)
		key := account.Key{ID: fmt.Sprintf("key_%d", i), OrgID: c.OrgID, Label: "many", Hash: hash, MonthlyCap: ledger.Unlimited}
		if i == 0 {
			key.Revoked = time.Now()
		}
		if err := db.CreateKey(t.Context(), key); err != nil {
			t.Fatal(err)
		}
	}
	_, _, err := svc.CreateKey(t.Context(), c.OrgID, account.KeyRequest{Label: "one more"})
	wantFault(t, "one more key", err, fault.Conflict, account.CodeTooManyKeys)
	newKey(t, svc, "growth") // of another organisation
	if err := svc.RevokeKey(t.Context(), k.ID); err != nil {
		t.Fatal(err)
	}
	addKey(t, svc, c.OrgID, account.KeyRequest{Label: "in its place"})
}
