package account_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vaak/account"
	"vaak/account/accounttest"
	"vaak/account/ledger"
	"vaak/internal/fault"
)

// written records requests and returns when they are stored.
func written(t *testing.T, svc *account.Service, orgID string, records ...account.RequestRecord) {
	t.Helper()
	for _, r := range records {
		svc.Record(r)
	}
	for range 200 {
		got, err := svc.Requests(t.Context(), orgID, account.RequestQuery{Limit: account.MaxRequests})
		if err != nil {
			t.Fatal(err)
		}
		if len(got) >= len(records) {
			return
		}
		<-time.After(100 * time.Millisecond)
	}
	t.Fatal("request records were not kept within 20 s")
}

// testRequests checks that records of the console have ConsoleKey, and that no internal id is
// returned.
func testRequests(t *testing.T, svc *account.Service, clk *clock) {
	ctx := t.Context()
	_, k, c := newKey(t, svc, "free")
	con := console(t, svc, c.OrgID)
	at := clk.now().UTC().Truncate(time.Microsecond)
	records := []account.RequestRecord{
		{ID: "1", At: at, OrgID: c.OrgID, KeyID: k.ID, Status: 200},
		{ID: "2", At: at, OrgID: c.OrgID, KeyID: con.KeyID, Status: 429, Code: "rate_limited"},
		{ID: "3", At: at, OrgID: c.OrgID, KeyID: "key_console_" + c.OrgID[len("org_"):], Status: 200},
	}
	written(t, svc, c.OrgID, records...)
	for _, tt := range []struct {
		q    account.RequestQuery
		want string // ids
	}{
		{account.RequestQuery{}, "321"}, {account.RequestQuery{Key: k.ID}, "1"}, {account.RequestQuery{Key: account.ConsoleKey}, "32"},
		{account.RequestQuery{Failed: true}, "2"}, {account.RequestQuery{Code: "rate_limited"}, "2"}, {account.RequestQuery{Key: k.ID, Failed: true}, ""},
		{account.RequestQuery{Key: "'; --"}, ""}, {account.RequestQuery{Key: "key_\x00"}, ""}, {account.RequestQuery{Code: "a b"}, ""}, {account.RequestQuery{Code: "\x00"}, ""},
		{account.RequestQuery{ID: "2"}, "2"}, {account.RequestQuery{ID: "2", Failed: true}, "2"}, {account.RequestQuery{ID: "1", Failed: true}, ""},
		{account.RequestQuery{ID: "2", Key: account.ConsoleKey}, "2"}, {account.RequestQuery{ID: "2", Key: k.ID}, ""},
		{account.RequestQuery{ID: strings.Repeat("2", 300)}, ""}, {account.RequestQuery{ID: "\x00"}, ""},
		{account.RequestQuery{Key: "key_console_" + c.OrgID[len("org_"):]}, ""},
	} {
		tt.q.Limit = 10
		got, err := svc.Requests(ctx, c.OrgID, tt.q)
		ids := ""
		for _, r := range got {
			ids += r.ID
			if r.KeyID != k.ID && r.KeyID != account.ConsoleKey {
				t.Errorf("Requests(%+v) tells of key %s", tt.q, r.KeyID)
			}
		}
		if ids != tt.want || err != nil {
			t.Errorf("Requests(%+v) = %q, %v, want %q", tt.q, ids, err, tt.want)
		}
	}
	for _, n := range []int{-1, 0, account.MaxRequests + 1} {
		_, err := svc.Requests(ctx, c.OrgID, account.RequestQuery{Limit: n})
		wantFault(t, fmt.Sprint("Requests with limit ", n), err, fault.Invalid, fault.CodeInvalidParameter)
	}
	_, err := svc.Requests(ctx, "org_aaaaaaaaaaaaaaaa", account.RequestQuery{Limit: 1})
	wantFault(t, "Requests of nobody", err, fault.NotFound, fault.CodeNotFound)
}

// testRecent sums up how requests of a day went.
func testRecent(t *testing.T, svc *account.Service, clk *clock) {
	ctx := t.Context()
	_, _, c := newKey(t, svc, "free")
	got, err := svc.Recent(ctx, c.OrgID)
	if d := cmp.Diff(account.Pulse{}, got); d != "" || err != nil {
		t.Errorf("Recent of no requests: %v, -want +got\n%s", err, d)
	}
	now := clk.now().UTC().Truncate(time.Microsecond)
	records := []account.RequestRecord{{At: now.Add(-25 * time.Hour), OrgID: c.OrgID, Code: "old", Status: 500}}
	for n := range 100 { // first audio after 1 to 100 ms
		records = append(records, account.RequestRecord{
			At: now.Add(-time.Duration(n) * time.Minute), OrgID: c.OrgID, KeyID: c.KeyID, FirstAudio: time.Duration(100-n) * time.Millisecond, Status: 200,
		})
	}
	for n, code := range []string{"b", "a", "a", "c", "b"} {
		records = append(records, account.RequestRecord{At: now.Add(-time.Duration(n+1) * time.Hour), OrgID: c.OrgID, KeyID: c.KeyID, Status: 400, Code: code})
	}
	written(t, svc, c.OrgID, records...)
	got, err = svc.Recent(ctx, c.OrgID)
	if d := cmp.Diff(account.Pulse{
		Since: now.Add(-5 * time.Hour), Requests: 105, Succeeded: 100,
		FirstAudio: account.Percentiles{P50: 50 * time.Millisecond, P90: 90 * time.Millisecond, P99: 99 * time.Millisecond},
		Failures:   []account.CodeCount{{Code: "a", Requests: 2}, {Code: "b", Requests: 2}, {Code: "c", Requests: 1}},
	}, got); d != "" || err != nil {
		t.Errorf("Recent: %v, -want +got\n%s", err, d)
	}
	_, err = svc.Recent(ctx, "org_aaaaaaaaaaaaaaaa")
	wantFault(t, "Recent of nobody", err, fault.NotFound, fault.CodeNotFound)
}

// TestConsoleAway checks that Console and the calls that read are Unavailable while the store is
// away, and do not claim that something is missing.
func TestConsoleAway(t *testing.T) {
	bubble(t, false, func(t *testing.T, db *accounttest.Store, svc *account.Service) {
		ctx := t.Context()
		_, k, c := newKey(t, svc, "free")
		db.Fail(accounttest.Away(errDisk), accounttest.Reads)
		_, err := svc.Console(ctx, c.OrgID)
		wantAway(t, "Console", err)
		_, err = svc.KeyOf(ctx, c.OrgID, k.ID)
		wantAway(t, "KeyOf", err)
		wantAway(t, "RevokeKeyOf", second(svc.RevokeKeyOf(ctx, c.OrgID, k.ID)))
		_, err = svc.Requests(ctx, c.OrgID, account.RequestQuery{Limit: 1})
		wantAway(t, "Requests", err)
		_, err = svc.Recent(ctx, c.OrgID)
		wantAway(t, "Recent", err)
		_, err = svc.Streams(ctx, c.OrgID)
		wantAway(t, "Streams", err)
		db.Fail(nil, accounttest.Reads)
		db.Fail(accounttest.Away(errDisk), accounttest.Opens)
		_, err = svc.Console(ctx, c.OrgID)
		wantAway(t, "the first Console when nothing can be written", err)
		db.Fail(nil, accounttest.Opens)
		if got, err := svc.Usage(ctx, c.OrgID, ledger.PeriodOf(time.Now())); len(got) > 0 || err != nil {
			t.Errorf("Usage = %v, %v, want none", got, err)
		}
		console(t, svc, c.OrgID)
	})
}
