package main

import (
	"context"
	"time"

	"vaak/account"
	"vaak/app/usage"
)

type orgCommand struct {
	Create orgCreateCommand `cmd:"" help:"Create an organisation and print its id."`
	List   orgListCommand   `cmd:"" help:"List organisations: id, name, plan in force."`
	Show   orgShowCommand   `cmd:"" help:"Show how an organisation stands: plan, subscription, limits, use, balance, lots. One name and value a line."`
	Limit  orgLimitCommand  `cmd:"" help:"Set limits over all keys of an organisation, beside those of each key."`
}

type orgCreateCommand struct {
	storeFlags
	jsonFlag
	Name string `arg:"" help:"Name of the organisation."`
	Plan string `help:"Its plan; see vaak plan list. Default: ${defaultPlan}." default:"${defaultPlan}" placeholder:"ID"`
}

// Run prints the id.
func (c orgCreateCommand) Run(ctx context.Context, s streams) error {
	return c.accounts(ctx, s, c.place().Open, func(a *account.Service) error {
		org, err := a.CreateOrganisation(ctx, c.Name, c.Plan)
		if err != nil {
			return err
		}
		return c.made(s, member{"id", org.ID})
	})
}

type orgListCommand struct {
	storeFlags
	jsonFlag
}

// Run prints a line for each, oldest first.
func (c orgListCommand) Run(ctx context.Context, s streams) error {
	return c.accounts(ctx, s, c.place().Existing, func(a *account.Service) error {
		orgs, err := a.Organisations(ctx)
		if err != nil {
			return err
		}
		var rows [][]any
		for _, o := range orgs {
			rows = append(rows, []any{o.ID, o.Name, o.Terms.At(time.Now()).PlanID()})
		}
		return c.table(s, []string{"id", "name", "plan"}, rows)
	})
}

type orgShowCommand struct {
	storeFlags
	jsonFlag
	ID string `arg:"" help:"Id of the organisation; see vaak org list."`
}

// Run prints the report: a name and a value a line, then the lots.
func (c orgShowCommand) Run(ctx context.Context, s streams) error {
	return c.accounts(ctx, s, c.place().Existing, func(a *account.Service) error {
		r, err := a.Report(ctx, c.ID)
		if err != nil {
			return err
		}
		o, b := r.Organisation, r.Balance
		rows := [][]any{
			{"id", o.ID}, {"name", o.Name}, {"created", o.Created},
			{"plan", r.Plan.ID}, {"plan_characters", r.Plan.MonthlyCharacters},
			{"key_rpm", r.Plan.RequestsPerMinute}, {"key_streams", r.Plan.MaxStreams},
			{"organisation_rpm", o.Ceilings.RequestsPerMinute}, {"organisation_streams", o.Ceilings.MaxStreams},
		}
		rows = append(rows, termsRows(o.Terms)...)
		rows = append(rows, []any{"month", r.Period}, []any{"characters_used", r.Characters}, []any{"resets", r.Resets},
			[]any{"characters_remaining", b.Remaining}, []any{"characters_granted", b.Granted})
		if b.Next != nil {
			rows = append(rows, []any{"next_expiry", b.Next.At}, []any{"next_expiry_characters", b.Next.Amount})
		}
		if c.JSON {
			var lots [][]any
			for _, l := range b.Lots {
				lots = append(lots, lotRow(l))
			}
			return c.record(s, append(rows, []any{"lots", objects(lotColumns, lots)}))
		}
		for _, l := range b.Lots {
			rows = append(rows, append([]any{"lot"}, lotRow(l)...))
		}
		return c.record(s, rows)
	})
}

type orgLimitCommand struct {
	storeFlags
	ID      string `arg:"" help:"Id of the organisation; see vaak org list."`
	RPM     *limit `help:"Requests a minute over all its keys; unlimited (-1) is none. Default: stays as it is." name:"rpm" placeholder:"N"`
	Streams *limit `help:"Streams at once over all its keys; unlimited (-1) is none. Default: stays as it is." placeholder:"N"`
}

// Run sets what was given.
func (c orgLimitCommand) Run(ctx context.Context, s streams) error {
	if c.RPM == nil && c.Streams == nil {
		return usage.Errorf("say which limit: --rpm N, --streams N or both; unlimited takes one away")
	}
	return c.accounts(ctx, s, c.place().Existing, func(a *account.Service) error {
		o, err := a.Organisation(ctx, c.ID)
		if err != nil {
			return err
		}
		// Both limits are set together, so the one that was not named is read first and
		// kept.
		ceilings := o.Ceilings
		if c.RPM != nil {
			ceilings.RequestsPerMinute = int(*c.RPM)
		}
		if c.Streams != nil {
			ceilings.MaxStreams = int(*c.Streams)
		}
		return a.SetCeilings(ctx, c.ID, ceilings)
	})
}
