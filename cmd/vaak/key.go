package main

import (
	"context"
	"strings"
	"time"

	"vaak/account"
	"vaak/account/ledger"
	"vaak/app/usage"
)

type keyCommand struct {
	Create keyCreateCommand `cmd:"" help:"Create a key and print it, once: only its hash is kept."`
	List   keyListCommand   `cmd:"" help:"List an organisation's keys: id, label, what may be shown of it, when it was made, state (active, expired, revoked), last use, this UTC month's requests, characters and minutes of audio, expiry, cap (-1 is none)."`
	Revoke keyRevokeCommand `cmd:"" help:"Revoke a key; its next request is refused, and what runs with it ends."`
}

type keyCreateCommand struct {
	storeFlags
	jsonFlag
	Org     string  `help:"Id of the organisation; see vaak org list." required:"" placeholder:"ID"`
	Name    string  `help:"Label of the key. Default: key." default:"key" placeholder:"LABEL"`
	Expires instant `help:"When it stops being valid, such as 2027-01-31T00:00:00Z. Default: never." placeholder:"TIME"`
	Cap     limit   `help:"Characters that it may use in a UTC month. Default: unlimited." default:"unlimited" placeholder:"N"`
}

// Run prints the secret and nothing else; as JSON the id too.
func (c keyCreateCommand) Run(ctx context.Context, s streams) error {
	if c.Cap == 0 {
		return usage.Errorf("--cap 0: a key that may use nothing is no use; say 1 or more, or unlimited")
	}
	return c.accounts(ctx, s, c.place().Existing, func(a *account.Service) error {
		secret, key, err := a.CreateKey(ctx, c.Org, account.KeyRequest{Label: c.Name, Expires: c.Expires.Time, MonthlyCap: int64(c.Cap)})
		if err != nil {
			return err
		}
		if c.JSON {
			return c.made(s, member{"id", key.ID}, member{"key", secret})
		}
		return s.line(secret)
	})
}

type keyListCommand struct {
	storeFlags
	jsonFlag
	Org string `help:"Id of the organisation; see vaak org list." required:"" placeholder:"ID"`
}

// Run prints a line for each key, oldest first.
func (c keyListCommand) Run(ctx context.Context, s streams) error {
	return c.accounts(ctx, s, c.place().Existing, func(a *account.Service) error {
		now := time.Now()
		keys, err := a.Keys(ctx, c.Org)
		if err != nil {
			return err
		}
		months, err := a.Usage(ctx, c.Org, ledger.PeriodOf(now))
		if err != nil {
			return err
		}
		used := make(map[string]account.KeyUsage, len(months))
		for _, u := range months {
			used[u.KeyID] = u
		}
		var rows [][]any
		for _, k := range keys {
			u := used[k.ID]
			rows = append(rows, []any{k.ID, k.Label, k.Display, k.Created, keyState(k, now), k.LastUsed, u.Requests, u.Characters, decimal{u.Audio.Minutes(), 1}, k.Expires, k.MonthlyCap})
		}
		return c.table(s, []string{"id", "label", "display", "created", "state", "last_used", "requests", "characters", "minutes", "expires", "cap"}, rows)
	})
}

func keyState(k account.Key, now time.Time) string {
	switch {
	case !k.Revoked.IsZero():
		return "revoked"
	case !k.Valid(now):
		return "expired"
	}
	return "active"
}

type keyRevokeCommand struct {
	storeFlags
	ID string `arg:"" name:"keyid" help:"Id of the key; see vaak key list."`
}

// Run revokes the key; one that is revoked already is no error.
func (c keyRevokeCommand) Run(ctx context.Context, s streams) error {
	// The key itself was typed. The error does not repeat it, since it would end up in a
	// log.
	if strings.HasPrefix(c.ID, account.SecretPrefix) {
		return usage.Errorf("<keyid> is the id of a key, such as key_…, and not the key itself; vaak key list prints ids beside the last letters of their keys")
	}
	return c.accounts(ctx, s, c.place().Existing, func(a *account.Service) error {
		return a.RevokeKey(ctx, c.ID)
	})
}
