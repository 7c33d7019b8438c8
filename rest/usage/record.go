package usage

import (
	"encoding/json"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"vaak/account"
	"vaak/account/ledger"
	"vaak/rest/frame"
)

// usageRecord is the answer of GET /v1/usage.
type usageRecord struct {
	OrganisationID string                          `json:"organisation_id" example:"org_abcdefghijklmnop"`
	Mode           ledger.Mode                     `json:"mode" enum:"lots,wallet,allowance" doc:"How characters are accounted for: lots is the usual way; the others are older and show no lots."`
	Plan           usagePlan                       `json:"plan"`
	Subscription   frame.OrNull[usageSubscription] `json:"subscription" doc:"null without a window of time, and after one has lapsed."`
	Month          usageMonth                      `json:"month"`
	Balance        usageBalance                    `json:"balance"`
}

type usagePlan struct {
	ID                   string `json:"id" doc:"Of the plan in force." example:"growth"`
	Name                 string `json:"name"`
	MonthlyCharacters    int64  `json:"monthly_characters" doc:"Granted at the first use of a UTC month; -1 is unlimited."`
	RequestsPerMinute    int    `json:"requests_per_minute" doc:"Of each key; -1 is unlimited."`
	MaxConcurrentStreams int    `json:"max_concurrent_streams" doc:"Of each key; -1 is unlimited."`
}

type usageSubscription struct {
	PlanID        string  `json:"plan_id"`
	ExpiresAt     instant `json:"expires_at" doc:"When the window ends."`
	AutoRenew     bool    `json:"auto_renew" doc:"Whether another window of a month follows."`
	RenewalPlanID *string `json:"renewal_plan_id" nullable:"true" doc:"The plan of the windows that follow; null is the same plan."`
	FallsBackTo   string  `json:"falls_back_to" doc:"The plan when the window ends and is not renewed."`
}

type usageMonth struct {
	Period         ledger.Period `json:"period" doc:"UTC calendar month." example:"2026-02"`
	CharactersUsed int64         `json:"characters_used" doc:"By every key of the organisation this month; only what was spoken counts."`
	ResetsAt       instant       `json:"resets_at" doc:"The first instant of the next month."`
}

type usageBalance struct {
	CharactersRemaining int64                     `json:"characters_remaining" doc:"What can be spent now, the number that requests are checked against; -1 is unlimited."`
	TotalGranted        int64                     `json:"total_granted" doc:"By all lots that have not expired, spent or not; -1 is unlimited."`
	NextExpiry          frame.OrNull[usageExpiry] `json:"next_expiry" doc:"null when nothing expires."`
	Lots                []usageLot                `json:"lots" nullable:"false" doc:"Those with something left, in the order in which they are spent: the one that expires soonest first."`
}

type usageExpiry struct {
	At     instant `json:"at"`
	Amount int64   `json:"amount" doc:"The characters that are lost then, unless they are spent before."`
}

type usageLot struct {
	Kind      ledger.LotKind        `json:"kind" enum:"plan_grant,purchase,promo"`
	Remaining int64                 `json:"remaining"`
	ExpiresAt frame.OrNull[instant] `json:"expires_at" doc:"null: never."`
}

// usageOf returns a report in the form of the API. The older modes of accounts have sums only,
// and no lots.
func usageOf(r account.Report) usageRecord {
	terms := r.Organisation.Terms
	rec := usageRecord{
		OrganisationID: r.Organisation.ID,
		Mode:           terms.Mode,
		Plan: usagePlan{
			ID: r.Plan.ID, Name: r.Plan.Name, MonthlyCharacters: r.Plan.MonthlyCharacters,
			RequestsPerMinute: r.Plan.RequestsPerMinute, MaxConcurrentStreams: r.Plan.MaxStreams,
		},
		Month:   usageMonth{Period: r.Period, CharactersUsed: r.Characters, ResetsAt: instant(r.Resets)},
		Balance: usageBalance{CharactersRemaining: r.Balance.Remaining, TotalGranted: r.Balance.Granted, Lots: []usageLot{}},
	}
	if s := terms.Subscription; s != nil {
		rec.Subscription.Value = &usageSubscription{
			PlanID: s.Plan, ExpiresAt: instant(s.Expires), AutoRenew: s.AutoRenew, FallsBackTo: s.FallsBackTo,
		}
		if s.RenewalPlan != "" {
			rec.Subscription.Value.RenewalPlanID = &s.RenewalPlan
		}
	}
	if terms.Mode != ledger.Lots {
		return rec
	}
	if next := r.Balance.Next; next != nil {
		rec.Balance.NextExpiry.Value = &usageExpiry{instant(next.At), next.Amount}
	}
	for _, l := range r.Balance.Lots {
		lot := usageLot{Kind: l.Kind, Remaining: l.Remaining}
		if at := instant(l.Expires); !l.Expires.IsZero() {
			lot.ExpiresAt.Value = &at
		}
		rec.Balance.Lots = append(rec.Balance.Lots, lot)
	}
	return rec
}

// instant is a time as the API writes it: in UTC, to the second, with the offset
// +00:00, which more readers understand than Z.
type instant time.Time

// MarshalJSON writes it.
func (i instant) MarshalJSON() ([]byte, error) {
	return json.Marshal(time.Time(i).UTC().Format("2006-01-02T15:04:05-07:00"))
}

// Schema describes it.
func (instant) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: "string", Format: "date-time", Examples: []any{"2026-03-01T00:00:00+00:00"}}
}
