package main

import (
	"context"

	"vaak/account"
	"vaak/account/ledger"
	"vaak/app/usage"
)

type subscriptionCommand struct {
	Set  subscriptionSetCommand  `cmd:"" help:"Set the plan of an organisation, for good or for a window of time."`
	Show subscriptionShowCommand `cmd:"" help:"Show the plan and the window of an organisation as they stand now. One name and value a line."`
}

type subscriptionSetCommand struct {
	storeFlags
	Org         string  `help:"Id of the organisation; see vaak org list." required:"" placeholder:"ID"`
	Plan        string  `help:"Id of the plan; see vaak plan list." required:"" placeholder:"ID"`
	Expires     instant `help:"When the window ends, such as 2027-01-31T00:00:00Z. Default: the plan holds until it is changed." placeholder:"TIME"`
	AutoRenew   bool    `help:"Begin another window of a month whenever one ends."`
	RenewalPlan string  `help:"Plan of the windows that follow. Default: the same." placeholder:"ID"`
	FallsBackTo string  `help:"Plan after a window that is not renewed. Default: free." placeholder:"ID"`
	Mode        string  `help:"How it pays: lots (the plan's characters and bought ones), wallet (bought ones alone) or allowance (the plan's alone). Default: as it does." placeholder:"MODE"`
}

// Run sets the terms.
func (c subscriptionSetCommand) Run(ctx context.Context, s streams) error {
	switch {
	case c.Expires.IsZero() && (c.AutoRenew || c.RenewalPlan != "" || c.FallsBackTo != ""):
		return usage.Errorf("--auto-renew, --renewal-plan and --falls-back-to need --expires: only a window that ends can be renewed or fall back")
	case c.RenewalPlan != "" && !c.AutoRenew:
		return usage.Errorf("--renewal-plan %s needs --auto-renew", c.RenewalPlan)
	}
	return c.accounts(ctx, s, c.place().Existing, func(a *account.Service) error {
		return a.Subscribe(ctx, c.Org, account.SubscriptionRequest{
			Plan: c.Plan, Mode: ledger.Mode(c.Mode), Expires: c.Expires.Time,
			AutoRenew: c.AutoRenew, RenewalPlan: c.RenewalPlan, FallsBackTo: c.FallsBackTo,
		})
	})
}

type subscriptionShowCommand struct {
	storeFlags
	jsonFlag
	Org string `help:"Id of the organisation; see vaak org list." required:"" placeholder:"ID"`
}

// Run prints the terms.
func (c subscriptionShowCommand) Run(ctx context.Context, s streams) error {
	return c.accounts(ctx, s, c.place().Existing, func(a *account.Service) error {
		r, err := a.Report(ctx, c.Org)
		if err != nil {
			return err
		}
		rows := [][]any{{"plan", r.Plan.ID}}
		return c.record(s, append(rows, termsRows(r.Organisation.Terms)...))
	})
}

// termsRows returns how an organisation pays and its window, if it has one.
func termsRows(t ledger.Terms) [][]any {
	rows := [][]any{{"mode", t.Mode}}
	sub := t.Subscription
	if sub == nil {
		return append(rows, []any{"subscription", ""})
	}
	renewal := sub.RenewalPlan
	if sub.AutoRenew && renewal == "" {
		renewal = sub.Plan
	}
	return append(rows, []any{"subscription", sub.Plan}, []any{"expires", sub.Expires}, []any{"auto_renew", sub.AutoRenew},
		[]any{"renewal_plan", renewal}, []any{"falls_back_to", sub.FallsBackTo})
}
