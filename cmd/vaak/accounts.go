package main

import (
	"context"
	"fmt"
	"time"

	"vaak/account"
)

type orgCommand struct {
	Create orgCreateCommand `cmd:"" help:"Create an organisation and print its id."`
	List   orgListCommand   `cmd:"" help:"List organisations: id, name, plan."`
}

type orgCreateCommand struct {
	storeFlags
	Name string `arg:"" help:"Name of the organisation."`
	Plan string `help:"Its plan." default:"unlimited"`
}

func (c orgCreateCommand) Run(ctx context.Context, s streams) error {
	return c.accounts(ctx, s, func(a *account.Service) error {
		org, err := a.CreateOrganisation(ctx, c.Name, c.Plan)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(s.out, org.ID)
		return err
	})
}

type orgListCommand struct {
	storeFlags
}

func (c orgListCommand) Run(ctx context.Context, s streams) error {
	return c.accounts(ctx, s, func(a *account.Service) error {
		orgs, err := a.Organisations(ctx)
		if err != nil {
			return err
		}
		for _, o := range orgs {
			if _, err := fmt.Fprintf(s.out, "%s\t%s\t%s\n", o.ID, o.Name, o.Plan); err != nil {
				return err
			}
		}
		return nil
	})
}

type keyCommand struct {
	Create keyCreateCommand `cmd:"" help:"Create a key and print it, once: only its hash is kept."`
	List   keyListCommand   `cmd:"" help:"List an organisation's keys: id, label, what may be shown of it, when it was made, state."`
	Revoke keyRevokeCommand `cmd:"" help:"Revoke a key; its next request is refused."`
}

type keyCreateCommand struct {
	storeFlags
	Org  string `help:"Id of the organisation." required:"" placeholder:"ID"`
	Name string `help:"Label of the key." default:"key" placeholder:"LABEL"`
}

func (c keyCreateCommand) Run(ctx context.Context, s streams) error {
	return c.accounts(ctx, s, func(a *account.Service) error {
		secret, _, err := a.CreateKey(ctx, c.Org, c.Name)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(s.out, secret)
		return err
	})
}

type keyListCommand struct {
	storeFlags
	Org string `help:"Id of the organisation." required:"" placeholder:"ID"`
}

func (c keyListCommand) Run(ctx context.Context, s streams) error {
	return c.accounts(ctx, s, func(a *account.Service) error {
		keys, err := a.Keys(ctx, c.Org)
		if err != nil {
			return err
		}
		for _, k := range keys {
			state := "active"
			if !k.Revoked.IsZero() {
				state = "revoked"
			}
			if _, err := fmt.Fprintf(s.out, "%s\t%s\t%s\t%s\t%s\n",
				k.ID, k.Label, k.Display, k.Created.Format(time.RFC3339), state); err != nil {
				return err
			}
		}
		return nil
	})
}

type keyRevokeCommand struct {
	storeFlags
	ID string `arg:"" name:"keyid" help:"Id of the key."`
}

func (c keyRevokeCommand) Run(ctx context.Context, s streams) error {
	return c.accounts(ctx, s, func(a *account.Service) error {
		return a.RevokeKey(ctx, c.ID)
	})
}
