package main

import (
	"context"

	"vaak/account"
	"vaak/account/ledger"
)

type lotCommand struct {
	Grant lotGrantCommand `cmd:"" help:"Grant an organisation characters and print the id of the lot."`
	List  lotListCommand  `cmd:"" help:"List lots with something left, as they are spent: id, kind, granted, remaining, held, charged, expiry. Empty on a plan without a bound, which spends none."`
}

type lotGrantCommand struct {
	storeFlags
	jsonFlag
	Org        string  `help:"Id of the organisation; see vaak org list." required:"" placeholder:"ID"`
	Characters number  `help:"How many, from 1 up." required:"" placeholder:"N"`
	Kind       string  `help:"Where they come from: purchase, promo or plan_grant." enum:"purchase,promo,plan_grant" default:"purchase"`
	Expires    instant `help:"When what is left is lost, such as 2027-01-31T00:00:00Z. Default: never." placeholder:"TIME"`
	Source     string  `help:"What they are for, such as an invoice number; a second grant of the same is refused." placeholder:"TEXT"`
}

// Run grants and prints the id.
func (c lotGrantCommand) Run(ctx context.Context, s streams) error {
	return c.accounts(ctx, s, c.place().Existing, func(a *account.Service) error {
		lot, err := a.Grant(ctx, c.Org, account.GrantRequest{
			Characters: int64(c.Characters), Kind: ledger.LotKind(c.Kind), Expires: c.Expires.Time, Source: c.Source,
		})
		if err != nil {
			return err
		}
		return c.made(s, member{"id", lot.ID})
	})
}

type lotListCommand struct {
	storeFlags
	jsonFlag
	Org string `help:"Id of the organisation; see vaak org list." required:"" placeholder:"ID"`
}

// Run prints a line for each lot.
func (c lotListCommand) Run(ctx context.Context, s streams) error {
	return c.accounts(ctx, s, c.place().Existing, func(a *account.Service) error {
		r, err := a.Report(ctx, c.Org)
		if err != nil {
			return err
		}
		var rows [][]any
		for _, l := range r.Balance.Lots {
			rows = append(rows, lotRow(l))
		}
		return c.table(s, lotColumns, rows)
	})
}

// lotColumns are the names of the values of [lotRow].
var lotColumns = []string{"id", "kind", "granted", "remaining", "held", "charged", "expires"}

func lotRow(l ledger.Lot) []any {
	return []any{l.ID, l.Kind, l.Granted, l.Remaining, l.Held, l.Charged, l.Expires}
}
