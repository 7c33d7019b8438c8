// Package elevenlabs holds the forms of the ElevenLabs dialect that several packages share: names
// of audio formats, audio with its timing, accounts, and errors in the dialect's words. It holds
// pure functions and no handlers.
package elevenlabs

import (
	"vaak/account"
	"vaak/account/ledger"
)

// Standing says how many characters an organisation has and has used. Many of its fields are
// about things that this service does not sell; clients refuse a record without them.
type Standing struct {
	Tier           string `json:"tier" doc:"Id of the plan in force." example:"growth"`
	CharacterCount int64  `json:"character_count" doc:"How many of the characters of character_limit are spent, or held for requests that run."`
	CharacterLimit int64  `json:"character_limit" doc:"How many characters were granted and have not expired. 1000000000000 stands for no limit; character_count is then what was used this month."`
	// MaxCreditLimitExtension may be the word "unlimited" elsewhere; here it is 0.
	MaxCreditLimitExtension       int64  `json:"max_credit_limit_extension" doc:"Always 0: what is spent is spent."`
	CanExtendCharacterLimit       bool   `json:"can_extend_character_limit"`
	AllowedToExtendCharacterLimit bool   `json:"allowed_to_extend_character_limit"`
	NextCharacterCountResetUnix   int64  `json:"next_character_count_reset_unix" doc:"When characters expire next, in Unix seconds; without any that do, the first instant of next month, UTC."`
	VoiceSlotsUsed                int    `json:"voice_slots_used"`
	ProfessionalSlotsUsed         int    `json:"professional_voice_slots_used"`
	ProfessionalSlotsUsedHere     int    `json:"professional_voice_slots_used_in_workspace"`
	VoiceLimit                    int    `json:"voice_limit" doc:"Always 0: callers cannot add voices. All of GET /v1/voices may be used."`
	VoiceAddEditCounter           int    `json:"voice_add_edit_counter"`
	ProfessionalVoiceLimit        int    `json:"professional_voice_limit"`
	CanExtendVoiceLimit           bool   `json:"can_extend_voice_limit"`
	CanCloneInstantly             bool   `json:"can_use_instant_voice_cloning"`
	CanCloneProfessionally        bool   `json:"can_use_professional_voice_cloning"`
	Currency                      string `json:"currency" enum:"usd"`
	CurrentOverage                Price  `json:"current_overage"`
	Status                        string `json:"status" enum:"active,free" doc:"free on the plan that costs nothing, which subscriptions fall back to; else active."`
	BillingPeriod                 string `json:"billing_period" enum:"monthly_period"`
	CharacterRefreshPeriod        string `json:"character_refresh_period" enum:"monthly_period"`
}

// Price is an amount of money.
type Price struct {
	Amount   string `json:"amount" example:"0"`
	Currency string `json:"currency" enum:"usd"`
}

// Subscription is the answer of GET /v1/user/subscription.
type Subscription struct {
	Standing
	OpenInvoices    []Invoice `json:"open_invoices" nullable:"false" doc:"Always empty."`
	HasOpenInvoices bool      `json:"has_open_invoices"`
}

// Invoice is what Subscription.OpenInvoices would hold; there are none here.
type Invoice struct {
	AmountDueCents int64 `json:"amount_due_cents"`
}

// User is the answer of GET /v1/user.
type User struct {
	UserID               string   `json:"user_id" doc:"Id of the organisation: keys belong to it, not to persons."`
	WorkspaceID          string   `json:"workspace_id" doc:"Id of the organisation."`
	Subscription         Standing `json:"subscription"`
	IsNewUser            bool     `json:"is_new_user"`
	CanDelayPayment      bool     `json:"can_use_delayed_payment_methods"`
	IsOnboarded          bool     `json:"is_onboarding_completed"`
	IsChecklistCompleted bool     `json:"is_onboarding_checklist_completed"`
	CreatedAt            int64    `json:"created_at" doc:"When the organisation was made, in Unix seconds."`
	SeatType             string   `json:"seat_type" enum:"workspace_admin"`
}

// noLimit is the character limit of plans without a limit. It is a number, because clients
// calculate with it.
const noLimit = 1_000_000_000_000

const (
	currency = "usd"
	monthly  = "monthly_period"
)

// The states of a subscription.
const (
	statusActive = "active"
	statusFree   = "free"
)

// StandingOf returns how an organisation stands.
func StandingOf(r account.Report) Standing {
	p := Standing{
		Tier: r.Plan.ID, Status: statusOf(r),
		CharacterCount: r.Balance.Granted - r.Balance.Remaining, CharacterLimit: r.Balance.Granted,
		NextCharacterCountResetUnix: r.Resets.Unix(),
		Currency:                    currency, CurrentOverage: Price{Amount: "0", Currency: currency},
		BillingPeriod: monthly, CharacterRefreshPeriod: monthly,
	}
	if r.Balance.Remaining == ledger.Unlimited {
		p.CharacterCount, p.CharacterLimit = min(r.Characters, noLimit), noLimit
	}
	if next := r.Balance.Next; next != nil {
		p.NextCharacterCountResetUnix = next.At.Unix()
	}
	return p
}

// statusOf returns the status of a subscription. A plan without an end is active too, and only
// the free plan without a subscription, which is what a lapsed one falls back to, is free.
func statusOf(r account.Report) string {
	if r.Organisation.Terms.Subscription == nil && r.Plan.ID == account.PlanFree {
		return statusFree
	}
	return statusActive
}

// SubscriptionOf returns the subscription of an organisation.
func SubscriptionOf(r account.Report) Subscription {
	return Subscription{Standing: StandingOf(r), OpenInvoices: []Invoice{}}
}

// UserOf returns an organisation in the form that the dialect has for a person.
func UserOf(r account.Report) User {
	return User{
		UserID: r.Organisation.ID, WorkspaceID: r.Organisation.ID,
		Subscription: StandingOf(r),
		IsOnboarded:  true, IsChecklistCompleted: true,
		CreatedAt: r.Organisation.Created.Unix(), SeatType: "workspace_admin",
	}
}
