package account_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"vaak/account"
	"vaak/account/accounttest"
	"vaak/account/ledger"
	"vaak/internal/fault"
	"vaak/store"
	"vaak/store/storetest/pgtest"
)

// console returns the caller of the console of an organisation.
func console(t testing.TB, svc *account.Service, orgID string) account.Caller {
	t.Helper()
	c, err := svc.Console(t.Context(), orgID)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// testConsole checks that speech in the console is charged to the organisation, under a key that
// no list shows, on a metered plan and on another.
func testConsole(t *testing.T, svc *account.Service, _ *clock) {
	for _, plan := range []string{"free", "unlimited"} {
		ctx := t.Context()
		_, k, c := newKey(t, svc, plan)
		con := console(t, svc, c.OrgID)
		want := c
		want.KeyID = account.ConsoleKey
		if con != want || console(t, svc, c.OrgID) != want {
			t.Errorf("Console on %s = %+v, want %+v", plan, con, want)
		}
		for caller, n := range map[account.Caller]int{c: 100, con: 30} {
			if _, err := svc.Enter(ctx, caller); err != nil {
				t.Error(err)
			}
			h := reserve(t, svc, caller, n)
			if err := h.Extend(ctx, 5); err != nil {
				t.Error(err)
			}
			if err := h.Commit(ctx, account.Receipt{Characters: n + 1, Audio: time.Second, Voice: "sv_a", Language: "en", Delivered: true}); err != nil {
				t.Error(err)
			}
			reserve(t, svc, caller, n).Cancel()
		}
		if err := speak(ctx, svc, c, 0, 0); err != nil { // and waits for what Cancel gave back
			t.Error(err)
		}
		if got, want := balance(t, svc, c), map[string]int64{"free": 10_000 - 132, "unlimited": -1}[plan]; got != want {
			t.Errorf("balance on %s = %d, want %d", plan, got, want)
		}
		used, err := svc.Usage(ctx, c.OrgID, "2026-02")
		if d := cmp.Diff([]account.KeyUsage{
			{KeyID: account.ConsoleKey, Period: "2026-02", Requests: 1, Characters: 31, Audio: time.Second},
			{KeyID: k.ID, Period: "2026-02", Requests: 2, Characters: 101, Audio: time.Second},
		}, used); d != "" || err != nil {
			t.Errorf("Usage: %v, -want +got\n%s", err, d)
		}
		_, days, err := svc.Daily(ctx, c.OrgID, account.DailyQuery{})
		if len(days) != 2 || days[0].Group != account.ConsoleKey || days[1].Group != k.ID || err != nil {
			t.Errorf("Daily = %+v, %v, want the console and then the key", days, err)
		}
		for _, by := range []account.Grouping{account.ByVoice, account.ByLanguage} {
			_, days, err := svc.Daily(ctx, c.OrgID, account.DailyQuery{By: by})
			var requests, characters int64
			for _, d := range days {
				requests, characters = requests+d.Requests, characters+d.Characters
			}
			if requests != 3 || characters != 132 || err != nil {
				t.Errorf("Daily by %s = %+v, %v, want 3 requests and 132 characters of the console and the key", by, days, err)
			}
		}
		keys, err := svc.Keys(ctx, c.OrgID)
		if len(keys) != 1 || keys[0].ID != k.ID || err != nil {
			t.Errorf("Keys = %+v, %v, want the one that was made", keys, err)
		}
		if got := report(t, svc, c).Characters; got != 132 {
			t.Errorf("Report counts %d characters, want 132", got)
		}
	}
	sound(t, svc)
	for _, id := range []string{"", "org_", "org_aaaaaaaaaaaaaaaa", "org_aaaaaaaaaaaaaaa\x00", "key_aaaaaaaaaaaaaaaa"} {
		_, err := svc.Console(t.Context(), id)
		wantFault(t, "Console of "+id, err, fault.NotFound, fault.CodeNotFound)
	}
}

// testConsoles checks that the consoles of two organisations are separate, and that no caller can
// name one or get a secret for it.
func testConsoles(t *testing.T, svc *account.Service, _ *clock) {
	ctx := t.Context()
	_, _, a := newKey(t, svc, "free")
	_, _, b := newKey(t, svc, "starter")
	one, two := console(t, svc, a.OrgID), console(t, svc, b.OrgID)
	if err := speak(ctx, svc, one, 1_000, 0); err != nil {
		t.Fatal(err)
	}
	if got := balance(t, svc, b); got != 100_000 {
		t.Errorf("balance of the other = %d, want all of it", got)
	}
	if got, err := svc.Usage(ctx, b.OrgID, "2026-02"); len(got) > 0 || err != nil {
		t.Errorf("Usage of the other = %v, %v, want none", got, err)
	}
	for range 2 {
		if _, err := svc.Admit(ctx, one); err != nil {
			t.Fatal(err)
		}
	}
	_, err := svc.Admit(ctx, one)
	wantFault(t, "a third stream", err, fault.TooManyStreams, fault.CodeTooManyStreams)
	if !strings.Contains(err.Error(), "the console may run 2 streams") {
		t.Errorf("a third stream: %q does not say that it is the console's", err)
	}
	for what, c := range map[string]account.Caller{"the key beside": a, "the other console": two} {
		if _, err := svc.Admit(ctx, c); err != nil {
			t.Errorf("a stream of %s: %v", what, err)
		}
	}
	for range 10 {
		if _, err := svc.Enter(ctx, one); err != nil {
			t.Fatal(err)
		}
	}
	_, err = svc.Enter(ctx, one)
	wantFault(t, "an eleventh request", err, fault.RateLimited, fault.CodeRateLimited)
	if _, err := svc.Enter(ctx, two); err != nil {
		t.Errorf("a request of the other console: %v", err)
	}
	_, err = svc.Reserve(ctx, one, 9_001)
	wantFault(t, "more than is left", err, fault.QuotaExceeded, fault.CodeInsufficientQuota)

	inner := "key_console_" + strings.TrimPrefix(a.OrgID, "org_")
	for _, id := range []string{account.ConsoleKey, inner} {
		wantFault(t, "RevokeKey "+id, svc.RevokeKey(ctx, id), fault.NotFound, fault.CodeNotFound)
		wantFault(t, "RevokeKeyOf "+id, second(svc.RevokeKeyOf(ctx, a.OrgID, id)), fault.NotFound, fault.CodeNotFound)
		_, err := svc.KeyOf(ctx, a.OrgID, id)
		wantFault(t, "KeyOf "+id, err, fault.NotFound, fault.CodeNotFound)
		_, err = svc.Authenticate(ctx, id)
		wantFault(t, "Authenticate "+id, err, fault.Unauthenticated, fault.CodeInvalidKey)
	}
	_, err = svc.Authenticate(ctx, "console:"+a.OrgID)
	wantFault(t, "what the hash is made of", err, fault.Unauthenticated, fault.CodeInvalidKey)
	console(t, svc, a.OrgID) // is still there
}

// testConsolePlan checks that a change of the plan or the ceilings takes effect with the next call.
func testConsolePlan(t *testing.T, svc *account.Service, clk *clock) {
	ctx := t.Context()
	_, _, c := newKey(t, svc, "free")
	want := account.Caller{OrgID: c.OrgID, KeyID: account.ConsoleKey, Plan: "free", Metered: true, Requests: 10, Streams: 2}
	check := func(what string) {
		t.Helper()
		if d := cmp.Diff(want, console(t, svc, c.OrgID)); d != "" {
			t.Errorf("%s: -want +got\n%s", what, d)
		}
	}
	check("on free")
	if err := svc.SetCeilings(ctx, c.OrgID, account.Ceilings{RequestsPerMinute: 5, MaxStreams: 1}); err != nil {
		t.Fatal(err)
	}
	want.OrgRequests, want.OrgStreams = 5, 1
	check("with ceilings")
	if err := svc.SetPlan(ctx, ledger.Plan{ID: "free", Name: "Free", MonthlyCharacters: 7, RequestsPerMinute: 3, MaxStreams: ledger.Unlimited}); err != nil {
		t.Fatal(err)
	}
	want.Requests, want.Streams = 3, 0
	check("with another plan")
	if err := svc.Subscribe(ctx, c.OrgID, account.SubscriptionRequest{Plan: "unlimited", Expires: clk.now().Add(time.Hour)}); err != nil {
		t.Fatal(err)
	}
	want.Plan, want.Metered, want.Requests = "unlimited", false, 0
	check("with a subscription")
	clk.add(2 * time.Hour)
	want.Plan, want.Metered, want.Requests = "free", true, 3
	check("after it")
}

func testKeyOf(t *testing.T, svc *account.Service, _ *clock) {
	ctx := t.Context()
	secret, k, c := newKey(t, svc, "free")
	_, _, other := newKey(t, svc, "starter")
	got, err := svc.KeyOf(ctx, c.OrgID, k.ID)
	if d := cmp.Diff(k, got); d != "" || err != nil {
		t.Errorf("KeyOf: %v, -want +got\n%s", err, d)
	}
	for _, tt := range [][2]string{
		{other.OrgID, k.ID}, {"", k.ID}, {"org_aaaaaaaaaaaaaaaa", k.ID}, {c.OrgID, ""}, {c.OrgID, "key_aaaaaaaaaaaaaaaa"}, {c.OrgID, "key_\x00"}, {c.OrgID, c.OrgID},
	} {
		_, err := svc.KeyOf(ctx, tt[0], tt[1])
		wantFault(t, fmt.Sprintf("KeyOf(%q)", tt), err, fault.NotFound, fault.CodeNotFound)
		wantFault(t, fmt.Sprintf("RevokeKeyOf(%q)", tt), second(svc.RevokeKeyOf(ctx, tt[0], tt[1])), fault.NotFound, fault.CodeNotFound)
	}
	authenticate(t, svc, secret) // none of them has revoked it
	if got, err := svc.RevokeKeyOf(ctx, c.OrgID, k.ID); got.ID != k.ID || err != nil {
		t.Fatal(err)
	}
	_, err = svc.Authenticate(ctx, secret)
	wantFault(t, "a key that was revoked", err, fault.Unauthenticated, fault.CodeInvalidKey)
}

// TestConsoleAtOnce has two processes ask for the console of an organisation concurrently, many
// times. All calls succeed.
func TestConsoleAtOnce(t *testing.T) {
	t.Parallel()
	for name, dsn := range map[string]func(*testing.T) string{
		"SQLite":     func(t *testing.T) string { return "sqlite:" + tempPath(t) },
		"PostgreSQL": func(t *testing.T) string { return pgtest.DSN(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dsn := dsn(t)
			var processes [2]*account.Service
			for i := range processes {
				s, err := store.Open(t.Context(), store.Config{DSN: dsn})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = s.Close() }) // after the service
				if err := s.Migrate(t.Context()); err != nil {
					t.Fatal(err)
				}
				processes[i] = newService(t, account.Config{Store: s, Limits: s.Limits(), Lanes: s.Lanes()})
			}
			for n := range 5 {
				consolesAtOnce(t, processes, fmt.Sprint("Organisation ", n))
			}
		})
	}
}

func consolesAtOnce(t *testing.T, processes [2]*account.Service, name string) {
	t.Helper()
	o, err := processes[0].CreateOrganisation(t.Context(), name, "free")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for n := range 16 {
		all.Go(func() {
			c, err := processes[n%2].Console(t.Context(), o.ID)
			if err != nil || c.KeyID != account.ConsoleKey || c.OrgID != o.ID {
				t.Errorf("Console = %+v, %v", c, err)
				return
			}
			if err := speak(t.Context(), processes[n%2], c, 10, 0); err != nil {
				t.Errorf("speak in the console: %v", err)
			}
		})
	}
	all.Wait()
	if err := processes[0].Subscribe(t.Context(), o.ID, account.SubscriptionRequest{Plan: "starter"}); err != nil {
		t.Fatal(err)
	}
	if got := console(t, processes[0], o.ID).Plan; got != "starter" {
		t.Errorf("plan of the console = %s after it was set to starter", got)
	}
	used, err := processes[0].Usage(t.Context(), o.ID, ledger.PeriodOf(time.Now()))
	if len(used) != 1 || used[0].KeyID != account.ConsoleKey || used[0].Characters != 160 || err != nil {
		t.Errorf("Usage = %+v, %v, want 160 characters of the console", used, err)
	}
}

// TestStreams counts running streams by key and in all, in one process and in all processes that
// share the limits.
func TestStreams(t *testing.T) {
	twice(t, func(t *testing.T, svc *account.Service, limits *accounttest.Limits) {
		ctx := t.Context()
		_, a, first := newKey(t, svc, "starter")
		_, b, second := addKey(t, svc, first.OrgID, account.KeyRequest{Label: "second"})
		_, _, other := newKey(t, svc, "free")
		con := console(t, svc, first.OrgID)
		want := func(what string, use account.StreamUse) {
			t.Helper()
			got, err := svc.Streams(ctx, first.OrgID)
			if d := cmp.Diff(use, got); d != "" || err != nil {
				t.Errorf("Streams %s: %v, -want +got\n%s", what, err, d)
			}
		}
		want("at first", account.StreamUse{Limit: -1, KeyLimit: 5, ByKey: map[string]int{}})
		if err := svc.SetCeilings(ctx, first.OrgID, account.Ceilings{RequestsPerMinute: -1, MaxStreams: 9}); err != nil {
			t.Fatal(err)
		}
		var slots []*account.Slot
		for _, c := range []account.Caller{first, first, second, con, other} {
			got, err := admit(t, svc, c, 1)
			if err != nil {
				t.Fatal(err)
			}
			slots = append(slots, got...)
		}
		want("with four", account.StreamUse{Running: 4, Limit: 9, KeyLimit: 5, ByKey: map[string]int{a.ID: 2, b.ID: 1, account.ConsoleKey: 1}})
		slots[0].Release()
		slots[3].Release()
		want("after two", account.StreamUse{Running: 2, Limit: 9, KeyLimit: 5, ByKey: map[string]int{a.ID: 1, b.ID: 1}})
		limits.Fail(errDisk)
		want("while the shared limits are away", account.StreamUse{Running: 2, Limit: 9, KeyLimit: 5, ByKey: map[string]int{a.ID: 1, b.ID: 1}})
		limits.Fail(nil)
		for _, s := range slots {
			s.Release()
		}
		_, err := svc.Streams(ctx, "org_aaaaaaaaaaaaaaaa")
		wantFault(t, "Streams of nobody", err, fault.NotFound, fault.CodeNotFound)
	})
}

// TestStreamsOfOthers checks that streams of another process are counted where limits are shared.
func TestStreamsOfOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		db, limits := accounttest.New(nil), accounttest.NewLimits(nil)
		here := newService(t, account.Config{Store: db, Limits: limits})
		there := newService(t, account.Config{Store: db, Limits: limits})
		_, k, c := newKey(t, here, "free")
		slot, err := there.Admit(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		defer slot.Release()
		got, err := here.Streams(t.Context(), c.OrgID)
		if got.Running != 1 || got.ByKey[k.ID] != 1 || err != nil {
			t.Errorf("Streams = %+v, %v, want the one of the other process", got, err)
		}
	})
}
