package main

import (
	"context"

	"vaak/account"
	"vaak/account/ledger"
)

type planCommand struct {
	List planListCommand `cmd:"" help:"List plans, the smallest first: id, name, characters a month, requests a minute, streams; -1 is unlimited."`
	Set  planSetCommand  `cmd:"" help:"Add a plan, or change it for all who are on it."`
}

type planListCommand struct {
	storeFlags
	jsonFlag
}

// Run prints a line for each plan.
func (c planListCommand) Run(ctx context.Context, s streams) error {
	return c.accounts(ctx, s, c.place().Existing, func(a *account.Service) error {
		plans, err := a.Plans(ctx)
		if err != nil {
			return err
		}
		var rows [][]any
		for _, p := range plans {
			rows = append(rows, []any{p.ID, p.Name, p.MonthlyCharacters, p.RequestsPerMinute, p.MaxStreams})
		}
		return c.table(s, []string{"id", "name", "characters", "rpm", "streams"}, rows)
	})
}

type planSetCommand struct {
	storeFlags
	ID         string `arg:"" help:"Id of the plan: 1 to 64 of a-z, 0-9, _ and -."`
	Name       string `help:"Its name. Default: the one it has, else the id." placeholder:"N"`
	Characters limit  `help:"Characters that it grants each UTC month; unlimited (-1) counts and never refuses." required:"" placeholder:"N"`
	RPM        limit  `help:"Requests a minute of each key; unlimited (-1) is none." name:"rpm" required:"" placeholder:"N"`
	Streams    limit  `help:"Streams at once of each key; unlimited (-1) is none." required:"" placeholder:"N"`
}

// Run sets the plan.
func (c planSetCommand) Run(ctx context.Context, s streams) error {
	return c.accounts(ctx, s, c.place().Open, func(a *account.Service) error {
		p := ledger.Plan{
			ID: c.ID, Name: c.Name, MonthlyCharacters: int64(c.Characters),
			RequestsPerMinute: int(c.RPM), MaxStreams: int(c.Streams),
		}
		if p.Name == "" {
			plans, err := a.Plans(ctx)
			if err != nil {
				return err
			}
			for _, old := range plans {
				if old.ID == p.ID {
					p.Name = old.Name
				}
			}
		}
		return a.SetPlan(ctx, p)
	})
}
