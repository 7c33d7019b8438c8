package account_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vaak/account"
	"vaak/account/accounttest"
	"vaak/account/ledger"
	"vaak/internal/fault"
)

// TestService runs what needs no fault and no bubble on the store in memory; see
// also TestServiceOnSQLite.
func TestService(t *testing.T) {
	t.Parallel()
	runSuite(t, func(_ *testing.T, now func() time.Time) account.Store { return accounttest.New(now) })
}

// runSuite checks the service on a kind of store, whose leases go by a clock.
func runSuite(t *testing.T, open func(t *testing.T, now func() time.Time) account.Store) {
	for name, test := range map[string]func(*testing.T, *account.Service, *clock){
		"organisations": testOrganisations, "names": testNames, "keys": testKeys, "authenticate": testAuthenticate,
		"commit": testCommit, "extend": testExtend, "lapse": testLapse, "months": testMonths, "parallel": testParallel,
		"last characters": testLastCharacters, "caps": testCaps, "grants": testGrants, "subscriptions": testSubscriptions,
		"defect": testDefect, "daily": testDaily, "plans": testPlans,
		"console": testConsole, "consoles": testConsoles, "console plan": testConsolePlan, "key of": testKeyOf,
		"requests": testRequests, "summaries": testSummaries, "recent": testRecent,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := &clock{at: noon}
			test(t, newService(t, account.Config{Store: open(t, c.now), Now: c.now}), c)
		})
	}
}

func testOrganisations(t *testing.T, svc *account.Service, _ *clock) {
	ctx := t.Context()
	want, err := svc.CreateOrganisation(ctx, "Example", "")
	if err != nil {
		t.Fatal(err)
	}
	if want.Terms != (ledger.Terms{Mode: ledger.Lots, Plan: account.DefaultPlan}) || want.Created.Nanosecond() != 123_456_000 {
		t.Errorf("CreateOrganisation = %+v, want lots on the default plan and a time in microseconds", want)
	}
	all, err := svc.Organisations(ctx)
	if d := cmp.Diff([]account.Organisation{want}, all); err != nil || d != "" {
		t.Errorf("Organisations: %v, -want +got\n%s", err, d)
	}
	_, err = svc.CreateOrganisation(ctx, "Example", "")
	wantFault(t, "same name", err, fault.Conflict, account.CodeOrganisationExists)
	former, err := svc.CreateOrganisation(ctx, "Former", "")
	if err != nil {
		t.Fatal(err)
	}
	wantFault(t, "Rename to the name of another", svc.Rename(ctx, former.ID, "Example"), fault.Conflict, account.CodeOrganisationExists)
	if err := svc.Rename(ctx, former.ID, "Latter"); err != nil {
		t.Errorf("Rename: %v", err)
	}
	if got, err := svc.Organisation(ctx, former.ID); got.Name != "Latter" || err != nil {
		t.Errorf("Organisation after Rename = %+v, %v", got, err)
	}
	_, err = svc.CreateOrganisation(ctx, "Other", "golden")
	wantFault(t, "unknown plan", err, fault.Invalid, fault.CodeInvalidParameter)
	if !strings.Contains(err.Error(), `"golden"`) || !strings.Contains(err.Error(), "available: free, starter, growth, scale, unlimited") {
		t.Errorf("unknown plan: %q does not say what was sent and what is available", err)
	}
	_, err = svc.Usage(ctx, want.ID, "February")
	wantFault(t, "no period", err, fault.Invalid, fault.CodeInvalidParameter)
	for _, id := range []string{"", "org_", "org_aaaaaaaaaaaaaaaa", "org_aaaaaaaaaaaaaaa\x00", "key_aaaaaaaaaaaaaaaa", "Example"} {
		for what, err := range map[string]error{
			"Organisation": second(svc.Organisation(ctx, id)), "Keys": second(svc.Keys(ctx, id)),
			"Usage": second(svc.Usage(ctx, id, "2026-02")), "Report": second(svc.Report(ctx, id)),
			"Grant":       second(svc.Grant(ctx, id, account.GrantRequest{Characters: 1})),
			"Subscribe":   svc.Subscribe(ctx, id, account.SubscriptionRequest{Plan: "free"}),
			"SetCeilings": svc.SetCeilings(ctx, id, account.NoCeilings),
			"Rename":      svc.Rename(ctx, id, "Another"), "Streams": second(svc.Streams(ctx, id)), "Recent": second(svc.Recent(ctx, id)),
			"Requests": second(svc.Requests(ctx, id, account.RequestQuery{Limit: 1})), "Console": second(svc.Console(ctx, id)),
		} {
			wantFault(t, what+" of "+id, err, fault.NotFound, fault.CodeNotFound)
		}
		_, _, err = svc.CreateKey(ctx, id, account.KeyRequest{Label: "label"})
		wantFault(t, "key of unknown id "+id, err, fault.NotFound, fault.CodeNotFound)
		if err := svc.Roll(ctx, id); err != nil {
			t.Errorf("Roll of an organisation that is not there: %v", err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func testNames(t *testing.T, svc *account.Service, _ *clock) {
	ctx := t.Context()
	o, err := svc.CreateOrganisation(ctx, strings.Repeat("भ", account.MaxName), "")
	if err != nil {
		t.Fatalf("a name of %d code points: %v", account.MaxName, err)
	}
	for what, sent := range map[string]string{
		"empty": "", "blank": " \u00a0 ", "too long": strings.Repeat("x", account.MaxName+1), "NUL": "a\x00b",
		"line feed": "a\nb", "C1 control": "a\u0085b", "invalid UTF-8": "a\xffb", "a secret": "my sk_live_abc",
	} {
		_, err := svc.CreateOrganisation(ctx, sent, "")
		wantFault(t, "CreateOrganisation, "+what, err, fault.Invalid, fault.CodeInvalidParameter)
		wantFault(t, "Rename, "+what, svc.Rename(ctx, o.ID, sent), fault.Invalid, fault.CodeInvalidParameter)
		_, _, err = svc.CreateKey(ctx, o.ID, account.KeyRequest{Label: sent})
		wantFault(t, "CreateKey, "+what, err, fault.Invalid, fault.CodeInvalidParameter)
	}
}

func testKeys(t *testing.T, svc *account.Service, c *clock) {
	ctx := t.Context()
	secret, want, caller := newKey(t, svc, "starter")
	if d := cmp.Diff(account.Caller{OrgID: want.OrgID, KeyID: want.ID, Plan: "starter", Metered: true, Requests: 60, Streams: 5}, caller); d != "" {
		t.Errorf("Authenticate: -want +got\n%s", d)
	}
	if want.Display != "sk_live_…"+secret[len(secret)-4:] {
		t.Errorf("Display = %q of a secret that ends in %q", want.Display, secret[len(secret)-4:])
	}
	got, err := svc.Keys(ctx, want.OrgID)
	if d := cmp.Diff([]account.Key{want}, got); err != nil || d != "" {
		t.Errorf("Keys: %v, -want +got\n%s", err, d)
	}
	for _, id := range []string{"", "key_aaaaaaaaaaaaaaaa", "key_'", "key_\x00", want.OrgID} {
		wantFault(t, "RevokeKey "+id, svc.RevokeKey(ctx, id), fault.NotFound, fault.CodeNotFound)
	}
	for _, r := range []account.KeyRequest{{Label: "x", Expires: c.now()}, {Label: "x", MonthlyCap: -2}, {Label: "x", MonthlyCap: account.MaxGrant + 1}} {
		_, _, err := svc.CreateKey(ctx, want.OrgID, r)
		wantFault(t, fmt.Sprintf("CreateKey(%+v)", r), err, fault.Invalid, fault.CodeInvalidParameter)
	}
	limited, _, _ := addKey(t, svc, want.OrgID, account.KeyRequest{Label: "for a day", Expires: c.now().Add(24 * time.Hour)})
	c.add(24*time.Hour - time.Microsecond)
	authenticate(t, svc, limited)
	c.add(time.Microsecond)
	_, err = svc.Authenticate(ctx, limited)
	wantFault(t, "a key that has expired", err, fault.Unauthenticated, fault.CodeInvalidKey)
}

func testAuthenticate(t *testing.T, svc *account.Service, _ *clock) {
	ctx := t.Context()
	secret, k, _ := newKey(t, svc, "unlimited")
	for name, sent := range map[string]string{
		"cut": secret[:len(secret)-1], "one more": secret + "0", "other case": strings.ToUpper(secret), "space": " " + secret,
		"prefix only": account.SecretPrefix, "NUL": "\x00", "invalid UTF-8": "\xff\xfe", "very long": strings.Repeat(secret, 10_000),
	} {
		_, err := svc.Authenticate(ctx, sent)
		wantFault(t, name, err, fault.Unauthenticated, fault.CodeInvalidKey)
		if len(sent) > 4 && strings.Contains(err.Error(), sent) {
			t.Errorf("%s: the error shows the key", name)
		}
	}
	_, err := svc.Authenticate(ctx, "")
	wantFault(t, "no key", err, fault.Unauthenticated, fault.CodeMissingKey)
	for range 2 {
		if err := svc.RevokeKey(ctx, k.ID); err != nil {
			t.Errorf("RevokeKey: %v", err)
		}
		_, err = svc.Authenticate(ctx, secret)
		wantFault(t, "revoked", err, fault.Unauthenticated, fault.CodeInvalidKey)
	}
}

func testCommit(t *testing.T, svc *account.Service, _ *clock) {
	for _, plan := range []string{"free", "unlimited"} {
		ctx := t.Context()
		_, _, c := newKey(t, svc, plan)
		h := reserve(t, svc, c, 10)
		for _, r := range []account.Receipt{{Characters: 11}, {Characters: -1}, {Audio: -1}} {
			if err := h.Commit(ctx, r); fault.KindOf(err) != fault.Internal {
				t.Errorf("Commit(%+v) = %v, want an internal error", r, err)
			}
		}
		gone, cancel := context.WithCancel(ctx)
		cancel()
		if err := h.Commit(gone, account.Receipt{Characters: 7, Audio: 1500*time.Millisecond + 600*time.Microsecond}); err != nil {
			t.Errorf("Commit for a caller who left: %v", err)
		}
		h.Cancel() // nothing
		if err := h.Commit(ctx, account.Receipt{Characters: 7}); fault.KindOf(err) != fault.Internal {
			t.Errorf("second Commit = %v, want an internal error", err)
		}
		h = reserve(t, svc, c, 10)
		h.Cancel()
		h.Cancel()
		for what, err := range map[string]error{"Commit": h.Commit(ctx, account.Receipt{}), "Extend": h.Extend(ctx, 1)} {
			if fault.KindOf(err) != fault.Internal {
				t.Errorf("%s after Cancel = %v, want an internal error", what, err)
			}
		}
		if err := speak(ctx, svc, c, 0, 0); err != nil { // and waits for what Cancel gave back
			t.Errorf("speak nothing: %v", err)
		}
		want := account.KeyUsage{KeyID: c.KeyID, Period: "2026-02", Requests: 2, Characters: 7, Audio: 1501 * time.Millisecond}
		if got := usage(t, svc, c, "2026-02"); got != want {
			t.Errorf("Usage = %+v, want %+v", got, want)
		}
		if got, want := balance(t, svc, c), map[string]int64{"free": 9_993, "unlimited": -1}[plan]; got != want {
			t.Errorf("balance on %s = %d, want %d", plan, got, want)
		}
		for _, n := range []int{-1, -1 << 62} {
			if _, err := svc.Reserve(ctx, c, n); fault.KindOf(err) != fault.Internal {
				t.Errorf("Reserve(%d) = %v, want an internal error", n, err)
			}
		}
	}
	if _, err := svc.Reserve(t.Context(), account.Caller{}, 1); fault.KindOf(err) != fault.Internal {
		t.Errorf("Reserve for nobody = %v, want an internal error", err)
	}
	(*account.Hold)(nil).Cancel()
	sound(t, svc)
}

func testExtend(t *testing.T, svc *account.Service, _ *clock) {
	ctx := t.Context()
	_, _, c := newKey(t, svc, "free")
	h := reserve(t, svc, c, 9_000)
	wantFault(t, "Extend over the balance", h.Extend(ctx, 1_001), fault.QuotaExceeded, fault.CodeInsufficientQuota)
	if h.Reserved() != 9_000 || balance(t, svc, c) != 1_000 {
		t.Errorf("after a refused Extend the hold has %d, and %d remain", h.Reserved(), balance(t, svc, c))
	}
	if err := h.Extend(ctx, 1_000); err != nil || h.Reserved() != 10_000 {
		t.Errorf("Extend by what remains: %v, %d reserved", err, h.Reserved())
	}
	if err := h.Extend(ctx, -1); fault.KindOf(err) != fault.Internal {
		t.Errorf("Extend(-1) = %v, want an internal error", err)
	}
	if err := h.Commit(ctx, account.Receipt{Characters: 9_500}); err != nil || balance(t, svc, c) != 500 {
		t.Errorf("Commit: %v, %d remain", err, balance(t, svc, c))
	}
	sound(t, svc)
}

// testLapse settles and extends holds whose advance has lapsed: the next posting takes their
// characters again.
func testLapse(t *testing.T, svc *account.Service, clk *clock) {
	ctx := t.Context()
	_, _, c := newKey(t, svc, "free")
	settled, extended, dead := reserve(t, svc, c, 4_000), reserve(t, svc, c, 3_000), reserve(t, svc, c, 1_000)
	clk.add(account.Lease)
	if n, err := svc.Sweep(ctx); err != nil || n != 1 {
		t.Errorf("Sweep = %d, %v, want one book", n, err)
	}
	if got := balance(t, svc, c); got != 10_000 {
		t.Errorf("balance after the lapse = %d, want all", got)
	}
	if err := extended.Extend(ctx, 500); err != nil {
		t.Errorf("Extend after a lapse: %v", err)
	}
	wantFault(t, "speak more than remains", speak(ctx, svc, c, 1_501, 0), fault.QuotaExceeded, fault.CodeInsufficientQuota)
	if err := settled.Commit(ctx, account.Receipt{Characters: 4_000}); err != nil {
		t.Errorf("Commit after a lapse: %v", err)
	}
	if err := extended.Commit(ctx, account.Receipt{Characters: 3_500}); err != nil {
		t.Errorf("Commit after Extend: %v", err)
	}
	dead.Cancel()
	if a := sound(t, svc); a.WrittenOff != 0 || a.Charged != 7_500 {
		t.Errorf("Audit = %+v, want nothing written off, 7500 charged", a)
	}
	if got := report(t, svc, c); got.Characters != 7_500 || got.Balance.Remaining != 2_500 {
		t.Errorf("Report = %+v, want 7500 characters of use and 2500 left", got)
	}
	clk.add(25 * time.Hour)
	if err := svc.Prune(ctx, time.Hour); err != nil {
		t.Errorf("Prune: %v", err)
	}
	sound(t, svc)
}

// testMonths counts at the commit's month, in UTC wherever the clock stands.
func testMonths(t *testing.T, svc *account.Service, clk *clock) {
	clk.set(time.Date(2026, 3, 1, 5, 29, 59, 999_999_000, time.FixedZone("IST", 5*3600+1800))) // February's last in UTC
	_, _, c := newKey(t, svc, "free")
	h := reserve(t, svc, c, 5)
	if err := speak(t.Context(), svc, c, 3, 0); err != nil {
		t.Fatal(err)
	}
	if got := balance(t, svc, c); got != 9_992 {
		t.Errorf("balance in February = %d, want 9992", got)
	}
	clk.add(time.Microsecond)
	if got := balance(t, svc, c); got != 10_000 {
		t.Errorf("balance in March = %d, want 10000", got)
	}
	if err := h.Commit(t.Context(), account.Receipt{Characters: 5}); err != nil {
		t.Fatal(err)
	}
	for p, want := range map[ledger.Period]int64{"2026-01": 0, "2026-02": 3, "2026-03": 5} {
		if got := usage(t, svc, c, p).Characters; got != want {
			t.Errorf("characters of %s = %d, want %d", p, got, want)
		}
	}
	if got := balance(t, svc, c); got != 10_000 { // held of February's lot, and charged to it
		t.Errorf("balance after the Commit = %d, want 10000", got)
	}
	sound(t, svc)
}

func testParallel(t *testing.T, svc *account.Service, _ *clock) {
	_, _, c := newKey(t, svc, "scale")
	const workers, commits = 4, 15
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for i := range commits {
				if err := speak(t.Context(), svc, c, i, time.Duration(i)*time.Millisecond); err != nil {
					t.Errorf("speak: %v", err)
					return
				}
			}
		})
	}
	wg.Wait()
	const each = commits * (commits - 1) / 2
	want := account.KeyUsage{KeyID: c.KeyID, Period: "2026-02", Requests: workers * commits, Characters: workers * each, Audio: workers * each * time.Millisecond}
	if got := usage(t, svc, c, "2026-02"); got != want {
		t.Errorf("Usage = %+v, want %+v", got, want)
	}
	sound(t, svc)
}

// testLastCharacters has many concurrent calls reserve characters that suffice for some of them.
func testLastCharacters(t *testing.T, svc *account.Service, _ *clock) {
	_, _, c := newKey(t, svc, "free")
	var mu sync.Mutex
	var got int
	var wg sync.WaitGroup
	for range 15 {
		wg.Go(func() {
			err := speak(t.Context(), svc, c, 999, 0)
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				got++
			} else {
				wantFault(t, "speak", err, fault.QuotaExceeded, fault.CodeInsufficientQuota)
			}
		})
	}
	wg.Wait()
	if got != 10 || balance(t, svc, c) != 10 {
		t.Errorf("%d of 15 spoke 999 of 10000 characters, and %d remain; want 10 and 10", got, balance(t, svc, c))
	}
	if n := svc.Stats().QuotaRefused; n != 5 {
		t.Errorf("Stats().QuotaRefused = %d, want 5", n)
	}
	if _, err := svc.Reserve(t.Context(), c, 11); fault.KindOf(err) != fault.QuotaExceeded {
		t.Errorf("Reserve(balance+1) = %v", err)
	}
	reserve(t, svc, c, 10).Cancel()
}

func testCaps(t *testing.T, svc *account.Service, clk *clock) {
	for _, plan := range []string{"free", "unlimited"} {
		ctx := t.Context()
		_, _, uncapped := newKey(t, svc, plan)
		_, _, c := addKey(t, svc, uncapped.OrgID, account.KeyRequest{Label: "capped", MonthlyCap: 100})
		h := reserve(t, svc, c, 60)
		_, err := svc.Reserve(ctx, c, 41)
		wantFault(t, "Reserve over the cap", err, fault.QuotaExceeded, fault.CodeInsufficientQuota)
		if err := h.Commit(ctx, account.Receipt{Characters: 50}); err != nil {
			t.Errorf("Commit: %v", err)
		}
		reserve(t, svc, c, 50).Cancel()
		reserve(t, svc, uncapped, 200).Cancel()
		clk.set(ledger.NextMonth(clk.now()))
		reserve(t, svc, c, 100).Cancel()
	}
	sound(t, svc)
}

func testGrants(t *testing.T, svc *account.Service, clk *clock) {
	ctx := t.Context()
	_, _, c := newKey(t, svc, "free")
	soon := clk.now().Add(time.Hour)
	for source, expires := range map[string]time.Time{"later": {}, "soon": soon} {
		lot, err := svc.Grant(ctx, c.OrgID, account.GrantRequest{Characters: 100, Source: source, Expires: expires})
		if err != nil || lot.Remaining != 100 || !lot.Expires.Equal(expires.Truncate(time.Microsecond)) {
			t.Errorf("Grant = %+v, %v", lot, err)
		}
	}
	_, err := svc.Grant(ctx, c.OrgID, account.GrantRequest{Characters: 100, Source: "soon"})
	wantFault(t, "the same source", err, fault.Conflict, "already_granted")
	for _, r := range []account.GrantRequest{{}, {Characters: -1}, {Characters: account.MaxGrant + 1}, {Characters: 1, Kind: "gift"}, {Characters: 1, Expires: clk.now()}, {Characters: 1, Source: "\x00"}} {
		_, err := svc.Grant(ctx, c.OrgID, r)
		wantFault(t, fmt.Sprintf("Grant(%+v)", r), err, fault.Invalid, fault.CodeInvalidParameter)
	}
	if err := speak(ctx, svc, c, 30, 0); err != nil {
		t.Fatal(err)
	}
	got := report(t, svc, c).Balance
	if got.Remaining != 10_170 || got.Granted != 10_200 || got.Next == nil || got.Next.Amount != 70 {
		t.Errorf("Balance = %+v, want 10170 of 10200, 70 of which expire next", got)
	}
	clk.set(soon)
	if got := balance(t, svc, c); got != 10_100 {
		t.Errorf("balance after an expiry = %d, want 10100", got)
	}
	sound(t, svc)
}

func testSubscriptions(t *testing.T, svc *account.Service, clk *clock) {
	ctx := t.Context()
	secret, _, c := newKey(t, svc, "free")
	end := clk.now().AddDate(0, 0, 1).Truncate(time.Microsecond)
	for what, r := range map[string]account.SubscriptionRequest{
		"plan": {}, "mode": {Plan: "free", Mode: "barter"}, "expires": {Plan: "free", AutoRenew: true},
		"renewal_plan": {Plan: "free", Expires: end, AutoRenew: true, RenewalPlan: "golden"}, "falls_back_to": {Plan: "free", Expires: end, FallsBackTo: "golden"},
	} {
		err := svc.Subscribe(ctx, c.OrgID, r)
		wantFault(t, what, err, fault.Invalid, fault.CodeInvalidParameter)
		if e, ok := err.(*fault.Error); !ok || e.Field != what {
			t.Errorf("Subscribe(%+v) = %v, want the field %s", r, err, what)
		}
	}
	if err := svc.Subscribe(ctx, c.OrgID, account.SubscriptionRequest{Plan: "starter", Expires: end}); err != nil {
		t.Fatal(err)
	}
	if got := authenticate(t, svc, secret); got.Plan != "starter" || got.Requests != 60 || balance(t, svc, c) != 100_000 {
		t.Errorf("Authenticate = %+v, with %d, want starter with 100000", got, balance(t, svc, c))
	}
	clk.set(end)
	if got := authenticate(t, svc, secret); got.Plan != "free" || report(t, svc, c).Organisation.Terms.Subscription != nil {
		t.Errorf("Authenticate after the lapse = %+v", got)
	}
	if err := svc.Subscribe(ctx, c.OrgID, account.SubscriptionRequest{Plan: "free", Mode: ledger.Wallet}); err != nil {
		t.Fatal(err)
	}
	_, err := svc.Grant(ctx, c.OrgID, account.GrantRequest{Characters: 5, Expires: end.AddDate(1, 0, 0)})
	wantFault(t, "a wallet's lot that expires", err, fault.Invalid, fault.CodeInvalidParameter)
	if err := svc.Subscribe(ctx, c.OrgID, account.SubscriptionRequest{Plan: "free", Mode: ledger.Allowance}); err != nil {
		t.Fatal(err)
	}
	_, err = svc.Grant(ctx, c.OrgID, account.GrantRequest{Characters: 5})
	wantFault(t, "a grant on allowance", err, fault.Unprocessable, fault.CodeInvalidParameter)
	sound(t, svc)
}

// testDefect checks that a receipt which the store refuses spoils no other,
// although they are written together.
func testDefect(t *testing.T, svc *account.Service, _ *clock) {
	_, _, c := newKey(t, svc, "free")
	stranger := c
	stranger.KeyID = "key_zzzzzzzzzzzzzzzz"
	var wg sync.WaitGroup
	for i := range 6 {
		wg.Go(func() {
			err := speak(t.Context(), svc, c, 1, 0)
			for range 20 { // a disk that is busy for a second is no defect
				if fault.KindOf(err) != fault.Unavailable {
					break
				}
				err = speak(t.Context(), svc, c, 1, 0)
			}
			if err != nil {
				t.Errorf("speak: %v", err)
			}
		})
		if i > 1 {
			continue
		}
		wg.Go(func() {
			if err := speak(t.Context(), svc, stranger, 1, 0); err == nil {
				t.Error("speak for an unknown key: no error")
			}
		})
	}
	wg.Wait()
	if got := usage(t, svc, c, "2026-02"); got.Requests != 6 {
		t.Errorf("Usage = %+v, want 6 requests", got)
	}
	sound(t, svc)
}

func testDaily(t *testing.T, svc *account.Service, clk *clock) {
	ctx := t.Context()
	_, _, c := newKey(t, svc, "free")
	for _, voice := range []string{"a", "b", "a"} {
		if err := reserve(t, svc, c, 10).Commit(ctx, account.Receipt{Characters: 10, Voice: voice, Language: "hi", Audio: time.Second}); err != nil {
			t.Fatal(err)
		}
	}
	q, got, err := svc.Daily(ctx, c.OrgID, account.DailyQuery{By: account.ByVoice})
	want := []account.DailyUsage{
		{Day: "2026-02-28", Group: "a", Requests: 2, Characters: 20, Audio: 2 * time.Second},
		{Day: "2026-02-28", Group: "b", Requests: 1, Characters: 10, Audio: time.Second},
	}
	if d := cmp.Diff(want, got); err != nil || d != "" || q != (account.DailyQuery{From: "2026-02-01", To: "2026-02-28", By: account.ByVoice}) {
		t.Errorf("Daily(%+v): %v, -want +got\n%s", q, err, d)
	}
	for _, q := range []account.DailyQuery{{From: "x"}, {To: "x"}, {By: "x"}, {From: "2026-02-02", To: "2026-02-01"}, {From: "2024-01-01", To: "2026-01-01"}} {
		_, _, err := svc.Daily(ctx, c.OrgID, q)
		wantFault(t, fmt.Sprintf("Daily(%+v)", q), err, fault.Invalid, fault.CodeInvalidParameter)
	}
}

func testPlans(t *testing.T, svc *account.Service, _ *clock) {
	ctx := t.Context()
	_, _, c := newKey(t, svc, "free")
	for _, p := range []ledger.Plan{{}, {ID: "A"}, {ID: "x", MonthlyCharacters: -2}, {ID: "x", RequestsPerMinute: 0, MaxStreams: 1}, {ID: "x", RequestsPerMinute: 1, MaxStreams: -2}} {
		wantFault(t, fmt.Sprintf("SetPlan(%+v)", p), svc.SetPlan(ctx, p), fault.Invalid, fault.CodeInvalidParameter)
	}
	balance(t, svc, c)
	reserve(t, svc, c, 10_000).Cancel()
	if err := svc.SetPlan(ctx, ledger.Plan{ID: "free", MonthlyCharacters: 10_500, RequestsPerMinute: 1, MaxStreams: 1}); err != nil {
		t.Fatal(err)
	}
	if err := speak(ctx, svc, c, 10_500, 0); err != nil {
		t.Errorf("speak what a larger plan adds: %v", err)
	}
}
