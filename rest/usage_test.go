package rest

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vaak/account"
	"vaak/account/ledger"
	"vaak/internal/fault"
	"vaak/voice"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden holds a JSON text, indented, against a golden file.
func golden(t *testing.T, name string, text []byte) {
	t.Helper()
	var got bytes.Buffer
	if err := json.Indent(&got, text, "", "  "); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	path := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("%s (-want +got)\n%s", path, diff)
	}
}

var (
	india  = time.FixedZone("IST", 5*3600+1800)
	march  = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	growth = ledger.Plan{ID: "growth", Name: "Growth", MonthlyCharacters: 2_000_000, RequestsPerMinute: 300, MaxStreams: 20}
)

// subscriber is an organisation with a subscription, a grant of its plan, a
// purchase that never expires and a promotion.
func subscriber() account.Report {
	return account.Report{
		Organisation: account.Organisation{
			ID: "org_aaaaaaaaaaaaaaaa", Name: "Acme", Created: time.Date(2026, 1, 2, 3, 4, 5, 999, time.UTC),
			Terms: ledger.Terms{Mode: ledger.Lots, Plan: "free", Subscription: &ledger.Subscription{
				Plan: "growth", Expires: time.Date(2026, 2, 15, 17, 30, 0, 123456000, india), AutoRenew: true, RenewalPlan: "scale", FallsBackTo: "free", AnchorDay: 15,
			}},
		},
		Plan: growth, Period: "2026-02", Characters: 500_100, Resets: march,
		Balance: ledger.Balance{
			Remaining: 1_600_400, Granted: 2_101_000, Next: &ledger.Expiry{At: time.Date(2026, 2, 20, 12, 0, 0, 0, time.UTC), Amount: 500},
			Lots: []ledger.Lot{
				{ID: "lot_b", Kind: ledger.Promo, Expires: time.Date(2026, 2, 20, 12, 0, 0, 0, time.UTC), Granted: 1000, Remaining: 500, Charged: 500},
				{ID: "lot_a", Kind: ledger.PlanGrant, Expires: march, Granted: 2_000_000, Remaining: 1_499_900, Held: 100, Charged: 500_000},
				{ID: "lot_c", Kind: ledger.Purchase, Granted: 100_000, Remaining: 100_000},
			},
		},
	}
}

func TestUsage(t *testing.T) {
	t.Parallel()
	lapsed := subscriber()
	lapsed.Organisation.Terms = ledger.Terms{Mode: ledger.Lots, Plan: "free"}
	lapsed.Plan = ledger.Plan{ID: "free", Name: "Free", MonthlyCharacters: 10_000, RequestsPerMinute: 10, MaxStreams: 2}
	lapsed.Balance = ledger.Balance{Remaining: 0, Granted: 10_000}
	same := subscriber()
	same.Organisation.Terms.Subscription.AutoRenew = false
	same.Organisation.Terms.Subscription.RenewalPlan = ""
	unlimited := subscriber()
	unlimited.Organisation.Terms = ledger.Terms{Mode: ledger.Lots, Plan: "unlimited"}
	unlimited.Plan = ledger.Plan{ID: "unlimited", Name: "Unlimited", MonthlyCharacters: -1, RequestsPerMinute: -1, MaxStreams: -1}
	unlimited.Balance = ledger.Balance{Remaining: -1, Granted: -1}
	wallet := subscriber()
	wallet.Organisation.Terms.Mode = ledger.Wallet
	allowance := subscriber()
	allowance.Organisation.Terms.Mode = ledger.Allowance
	for name, r := range map[string]account.Report{
		"subscriber": subscriber(), "same_plan": same, "lapsed": lapsed, "unlimited": unlimited, "wallet": wallet, "allowance": allowance,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHandler(t, Config{Accounts: accounts{report: r}})
			for path, file := range map[string]string{"/v1/usage": "usage_", "/v1/user/subscription": "subscription_", "/v1/user": "user_"} {
				w := do(h, request("GET", path, "", "Authorization", "Bearer "+testKey))
				if w.Code != 200 || w.Header().Get("Content-Type") != "application/json" || w.Header().Get("Cache-Control") != "no-store" {
					t.Fatalf("GET %s = %d %v", path, w.Code, w.Header())
				}
				golden(t, file+name, w.Body.Bytes())
			}
		})
	}
}

func TestUsageRefused(t *testing.T) {
	t.Parallel()
	down := fault.Down(fault.CodeStoreUnavailable, time.Second, nil, "the store is down")
	h := newHandler(t, Config{Accounts: accounts{down: down}})
	for _, path := range []string{"/v1/usage", "/v1/usage/daily", "/v1/user", "/v1/user/subscription"} {
		wantError(t, do(h, request("GET", path, "")), 401, "missing_api_key", "")
		wantError(t, do(h, request("GET", path, "", "xi-api-key", "sk_live_other")), 401, "invalid_api_key", "")
		w := do(h, request("GET", path, "", "xi-api-key", testKey))
		wantError(t, w, 503, "store_unavailable", "")
		if w.Header().Get("Retry-After") != "1" {
			t.Errorf("GET %s: Retry-After %q, want 1", path, w.Header().Get("Retry-After"))
		}
		if w := do(h, request("HEAD", "/v1"+path, "", "xi-api-key", testKey)); w.Code != 503 {
			t.Errorf("HEAD /v1%s = %d, want 503", path, w.Code)
		}
		wantError(t, do(h, request("POST", path, "{}", "xi-api-key", testKey)), 405, "method_not_allowed", "")
	}
}

func TestDailyUsage(t *testing.T) {
	t.Parallel()
	v := voice.DefaultVoice()
	for _, tt := range []struct {
		name, query string
		want        account.DailyQuery
		days        []account.DailyUsage
	}{
		{"key", "?by=key&from=2026-02-27&to=2026-03-01", account.DailyQuery{From: "2026-02-27", To: "2026-03-01", By: account.ByKey}, []account.DailyUsage{
			{Day: "2026-02-27", Group: "key_a", Requests: 2, Characters: 10, Audio: 1234 * time.Millisecond},
			{Day: "2026-02-27", Group: "key_gone", Requests: 1, Characters: 5},
			{Day: "2026-03-01", Group: "key_a", Requests: 1, Characters: 5_000_000_000, Audio: time.Hour},
		}},
		{"voice", "?by=voice", account.DailyQuery{By: account.ByVoice}, []account.DailyUsage{{Day: "2026-02-28", Group: string(v.ID), Requests: 1}, {Day: "2026-02-28", Group: "", Requests: 1}}},
		{"language", "?by=language", account.DailyQuery{By: account.ByLanguage}, []account.DailyUsage{{Day: "2026-02-28", Group: "hi", Requests: 1}}},
		{"none", "?by=language&by=key", account.DailyQuery{By: account.ByLanguage}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var asked account.DailyQuery
			h := newHandler(t, Config{Accounts: accounts{days: tt.days, asked: func(q account.DailyQuery) { asked = q }}})
			w := do(h, request("GET", "/v1/usage/daily"+tt.query, "", "xi-api-key", testKey))
			if w.Code != 200 {
				t.Fatalf("%d %s", w.Code, w.Body)
			}
			if diff := cmp.Diff(tt.want, asked); diff != "" {
				t.Errorf("query (-want +got)\n%s", diff)
			}
			golden(t, "daily_"+tt.name, []byte(strings.ReplaceAll(w.Body.String(), string(v.ID), "sv_default")))
		})
	}
	h := newHandler(t, Config{})
	wantError(t, do(h, request("GET", "/v1/usage/daily?by=colour", "", "xi-api-key", testKey)), 400, "invalid_parameter", "by")
}
