package app

import (
	"context"
	"fmt"

	"vaak/account"
	"vaak/internal/fault"
	"vaak/lang"
	"vaak/token"
	"vaak/web/demo"
)

// demonstrationName is the organisation that the page of the demonstration is charged to. The
// operator may give it another plan or other ceilings.
const demonstrationName = "demonstration"

// demonstrationCeilings are what it begins with.
var demonstrationCeilings = account.Ceilings{RequestsPerMinute: 600, MaxStreams: 20}

// How long a token of the page waits for its socket, and how long that stays open, in seconds. The
// page opens the socket at once, and the longest line is spoken in half a minute.
const (
	demonstrationExpiry  = 30
	demonstrationSession = 60
)

// demonstration makes the tokens of the page.
type demonstration struct {
	accounts *account.Service
	tokens   *token.Service
	orgID    string
}

var _ demo.Tokens = (*demonstration)(nil)

// openDemonstration finds the organisation of the page, or creates it.
func (a *application) openDemonstration(ctx context.Context) (*demonstration, error) {
	d := &demonstration{accounts: a.accounts, tokens: a.tokens}
	for {
		there, err := a.accounts.Organisations(ctx)
		if err != nil {
			return nil, err
		}
		for _, o := range there {
			if o.Name == demonstrationName {
				d.orgID = o.ID
				return d, nil
			}
		}
		o, err := a.accounts.CreateOrganisation(ctx, demonstrationName, "")
		switch {
		case fault.KindOf(err) == fault.Conflict:
			continue // another server has just created it
		case err != nil:
			return nil, fmt.Errorf("organisation of the demonstration: %w", err)
		}
		d.orgID = o.ID
		return d, a.accounts.SetCeilings(ctx, o.ID, demonstrationCeilings)
	}
}

// Token makes a token. Its characters are charged like those that the organisation speaks in the
// console.
func (d *demonstration) Token(ctx context.Context, language lang.Code, characters int) (string, error) {
	caller, err := d.accounts.Console(ctx, d.orgID)
	if err != nil {
		return "", err
	}
	limits := token.Limits{Language: string(language), MaxCharacters: characters, MaxSession: demonstrationSession}
	secret, _, err := d.tokens.Make(ctx, caller, limits, demonstrationExpiry)
	return secret, err
}
