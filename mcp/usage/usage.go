// Package usage tells agents what the organisation of their key used and has left.
package usage

import (
	"context"
	"fmt"
	"strings"

	"vaak/account"
	"vaak/account/ledger"
	"vaak/mcp/tool"
)

// Reports returns what organisations used and have left. [*account.Service] is the one of the
// product.
type Reports interface {
	Report(ctx context.Context, orgID string) (account.Report, error)
}

// usageOutput is the structured result of get_usage: the members of GET /v1/usage that matter to an
// agent, under the same names. Members without a value are left out, where REST has null.
type usageOutput struct {
	Plan         usagePlan          `json:"plan"`
	Subscription *usageSubscription `json:"subscription,omitempty"`
	Month        usageMonth         `json:"month"`
	Balance      usageBalance       `json:"balance"`
}

type usagePlan struct {
	ID                   string `json:"id"`
	Name                 string `json:"name"`
	MonthlyCharacters    int64  `json:"monthly_characters"`
	RequestsPerMinute    int    `json:"requests_per_minute"`
	MaxConcurrentStreams int    `json:"max_concurrent_streams"`
}

type usageSubscription struct {
	PlanID    string `json:"plan_id"`
	ExpiresAt string `json:"expires_at"`
	AutoRenew bool   `json:"auto_renew"`
}

type usageMonth struct {
	Period         string `json:"period"`
	CharactersUsed int64  `json:"characters_used"`
	ResetsAt       string `json:"resets_at"`
}

type usageBalance struct {
	CharactersRemaining int64        `json:"characters_remaining"`
	TotalGranted        int64        `json:"total_granted"`
	NextExpiry          *usageExpiry `json:"next_expiry,omitempty"`
}

type usageExpiry struct {
	At     string `json:"at"`
	Amount int64  `json:"amount"`
}

// Offer returns the tool get_usage.
func Offer(reports Reports) tool.Offer { return tool.Offer{Tools: []tool.Entry{getUsage(reports)}} }

// getUsage is the tool get_usage.
func getUsage(reports Reports) tool.Entry {
	return tool.New(tool.Definition{
		Name:        "get_usage",
		Title:       "See what is left",
		Description: "Plan, month and balance of the key's organisation, in characters; -1 is unlimited. Free.",
		Hints:       tool.Hints{ReadOnly: true, Idempotent: true},
	}, func(ctx context.Context, c tool.Call, _ struct{}) (tool.Answer[usageOutput], error) {
		r, err := reports.Report(ctx, c.OrgID)
		if err != nil {
			return tool.Answer[usageOutput]{}, fmt.Errorf("report usage: %w", err)
		}
		out := usageOf(r)
		return tool.Answer[usageOutput]{Value: out, Text: out.text()}, nil
	})
}

// usageOf returns a report in the form of the tool.
func usageOf(r account.Report) usageOutput {
	out := usageOutput{
		Plan: usagePlan{
			ID: r.Plan.ID, Name: r.Plan.Name, MonthlyCharacters: r.Plan.MonthlyCharacters,
			RequestsPerMinute: r.Plan.RequestsPerMinute, MaxConcurrentStreams: r.Plan.MaxStreams,
		},
		Month:   usageMonth{Period: string(r.Period), CharactersUsed: r.Characters, ResetsAt: tool.Instant(r.Resets)},
		Balance: usageBalance{CharactersRemaining: r.Balance.Remaining, TotalGranted: r.Balance.Granted},
	}
	if s := r.Organisation.Terms.Subscription; s != nil {
		out.Subscription = &usageSubscription{PlanID: s.Plan, ExpiresAt: tool.Instant(s.Expires), AutoRenew: s.AutoRenew}
	}
	if next := r.Balance.Next; next != nil && r.Organisation.Terms.Mode == ledger.Lots {
		out.Balance.NextExpiry = &usageExpiry{tool.Instant(next.At), next.Amount}
	}
	return out
}

// text returns the result as a few lines of text.
func (o usageOutput) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s; %s used in %s, which ends at %s.\nPlan %s: %s a month, %s a minute, %s at once.",
		tool.Left(o.Balance.CharactersRemaining), tool.Plural(o.Month.CharactersUsed, "character"), o.Month.Period, o.Month.ResetsAt,
		o.Plan.Name, limit(o.Plan.MonthlyCharacters, "character"), limit(int64(o.Plan.RequestsPerMinute), "request"), limit(int64(o.Plan.MaxConcurrentStreams), "stream"))
	if s := o.Subscription; s != nil {
		verb := "ends"
		if s.AutoRenew {
			verb = "renews"
		}
		fmt.Fprintf(&b, "\nSubscription %s %s at %s.", s.PlanID, verb, s.ExpiresAt)
	}
	if next := o.Balance.NextExpiry; next != nil {
		fmt.Fprintf(&b, "\n%s expire at %s unless they are spent.", tool.Plural(next.Amount, "character"), next.At)
	}
	return b.String()
}

// limit says in words how many things are allowed.
func limit(n int64, thing string) string {
	if n == ledger.Unlimited {
		return "unlimited " + thing + "s"
	}
	return tool.Plural(n, thing)
}
