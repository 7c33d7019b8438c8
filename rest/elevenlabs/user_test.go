package elevenlabs_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"vaak/account"
	"vaak/account/ledger"
	"vaak/rest/elevenlabs"
)

var reset = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)

func report(plan string, sub *ledger.Subscription, b ledger.Balance) account.Report {
	return account.Report{
		Organisation: account.Organisation{ID: "org_a", Created: time.Unix(1_700_000_000, 5), Terms: ledger.Terms{Mode: ledger.Lots, Plan: plan, Subscription: sub}},
		Plan:         ledger.Plan{ID: plan}, Characters: 42, Resets: reset, Balance: b,
	}
}

func TestPlanOf(t *testing.T) {
	t.Parallel()
	window := ledger.Subscribe("free", reset)
	expiry := time.Date(2026, 2, 3, 4, 5, 6, 7, time.UTC)
	for _, tt := range []struct {
		name         string
		r            account.Report
		count, limit int64
		reset        int64
		status       string
	}{
		{"bought", report("growth", nil, ledger.Balance{Remaining: 70, Granted: 100}), 30, 100, reset.Unix(), "active"},
		{"expires sooner", report("growth", &window, ledger.Balance{Remaining: 70, Granted: 100, Next: &ledger.Expiry{At: expiry, Amount: 1}}), 30, 100, expiry.Unix(), "active"},
		{"all spent", report("growth", nil, ledger.Balance{Granted: 100}), 100, 100, reset.Unix(), "active"},
		{"nothing granted", report("growth", nil, ledger.Balance{}), 0, 0, reset.Unix(), "active"},
		{"unlimited", report("unlimited", nil, ledger.Balance{Remaining: -1, Granted: -1}), 42, 1_000_000_000_000, reset.Unix(), "active"},
		{"lapsed", report("free", nil, ledger.Balance{Remaining: 1, Granted: 1}), 0, 1, reset.Unix(), "free"},
		{"subscribed to what is free", report("free", &window, ledger.Balance{Remaining: 1, Granted: 1}), 0, 1, reset.Unix(), "active"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := elevenlabs.StandingOf(tt.r)
			if p.CharacterCount != tt.count || p.CharacterLimit != tt.limit || p.NextCharacterCountResetUnix != tt.reset || p.Status != tt.status || p.Tier != tt.r.Plan.ID {
				t.Errorf("StandingOf = %+v, want %d of %d until %d, %s", p, tt.count, tt.limit, tt.reset, tt.status)
			}
		})
	}
}

// required are the keys without which the official clients refuse a record, and
// those of the dialect's document.
var required = []string{
	"tier", "status", "character_count", "character_limit", "can_extend_character_limit", "allowed_to_extend_character_limit",
	"next_character_count_reset_unix", "billing_period", "character_refresh_period", "currency",
	"max_credit_limit_extension", "voice_slots_used", "professional_voice_slots_used", "professional_voice_slots_used_in_workspace",
	"voice_limit", "voice_add_edit_counter", "professional_voice_limit", "can_extend_voice_limit",
	"can_use_instant_voice_cloning", "can_use_professional_voice_cloning", "current_overage",
}

func TestRequiredKeys(t *testing.T) {
	t.Parallel()
	r := report("growth", nil, ledger.Balance{})
	keysOf := func(v any) map[string]json.RawMessage {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		var m map[string]json.RawMessage
		if err := json.Unmarshal(text, &m); err != nil {
			t.Fatal(err)
		}
		return m
	}
	check := func(what string, m map[string]json.RawMessage, want ...string) {
		for _, key := range want {
			if v, ok := m[key]; !ok || string(v) == "null" {
				t.Errorf("%s: %s is %s", what, key, v)
			}
		}
	}
	check("subscription", keysOf(elevenlabs.SubscriptionOf(r)), slices.Concat(required, []string{"open_invoices", "has_open_invoices"})...)
	user := keysOf(elevenlabs.UserOf(r))
	check("user", user, "user_id", "workspace_id", "subscription", "is_new_user", "can_use_delayed_payment_methods",
		"is_onboarding_completed", "is_onboarding_checklist_completed", "created_at", "seat_type")
	var of map[string]json.RawMessage
	if err := json.Unmarshal(user["subscription"], &of); err != nil {
		t.Fatal(err)
	}
	check("subscription of the user", of, required...)
	if string(user["created_at"]) != "1700000000" || string(user["workspace_id"]) != `"org_a"` {
		t.Errorf("user %v", user)
	}
}
