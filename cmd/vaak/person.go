package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"vaak/app"
	"vaak/app/deployment"
	"vaak/app/usage"
	"vaak/console/page"
	"vaak/identity"
	"vaak/internal/fault"
)

type personCommand struct {
	List     personListCommand     `cmd:"" help:"List who may sign in to the console: id, e-mail address, name, role, organisation, state (invited, active, disabled)."`
	Reinvite personReinviteCommand `cmd:"" help:"Print a new link for a person who has lost the password, the codes or the link. What they signed in with is removed, and they are signed out."`
}

// people runs do with the identity service, with the rights of the machine's operator. An
// error that the domain calls invalid is a wrong use of the command.
func (f storeFlags) people(ctx context.Context, s streams, secret secretFlag, do func(*identity.Service) error) error {
	log := logger(s, slog.LevelWarn)
	db, err := f.place().Existing(ctx, log)
	if err != nil {
		return err
	}
	seal, err := secret.in(f.place()).ExistingSecret()
	if err != nil {
		return errors.Join(err, db.Close())
	}
	svc, err := identity.New(identity.Config{Store: db.Identity(), Secret: seal, SetupFile: f.place().In(deployment.Setup), Log: log})
	if err == nil {
		err = do(svc)
	}
	if fault.KindOf(err) == fault.Invalid {
		err = usage.Error{Err: err}
	}
	return errors.Join(err, db.Close())
}

type personListCommand struct {
	storeFlags
	jsonFlag
}

// Run prints a line for each, by e-mail address.
func (c personListCommand) Run(ctx context.Context, s streams) error {
	db, err := c.place().Existing(ctx, logger(s, slog.LevelWarn))
	if err != nil {
		return err
	}
	all, err := db.Identity().People(ctx)
	if err == nil {
		var rows [][]any
		for _, p := range all {
			rows = append(rows, []any{p.ID, p.Email, p.Name, p.Role, p.OrgID, personState(p)})
		}
		err = c.table(s, []string{"id", "email", "name", "role", "organisation", "state"}, rows)
	}
	return errors.Join(err, db.Close())
}

func personState(p identity.Person) string {
	switch {
	case !p.Active():
		return "disabled"
	case p.Ready():
		return "active"
	}
	return "invited"
}

type personReinviteCommand struct {
	storeFlags
	jsonFlag
	secretFlag
	ConsoleURL string `help:"Address of the console, with which the link begins. Default: http://${consoleDefault}, a console on this machine." name:"console-url" placeholder:"URL"`
	Person     string `arg:"" name:"person" help:"E-mail address of the person, or id; see vaak person list."`
}

// Run prints the link. Nobody can print it again, since only its digest is kept.
func (c personReinviteCommand) Run(ctx context.Context, s streams) error {
	if err := (consoleFlags{ConsoleURL: c.ConsoleURL}).check(); err != nil {
		return err
	}
	return c.people(ctx, s, c.secretFlag, func(people *identity.Service) error {
		p, err := people.Find(ctx, c.Person)
		if err != nil {
			return err
		}
		token, err := people.Reinvite(ctx, identity.Machine(), identity.Client{}, p.ID)
		if err != nil {
			return err
		}
		if c.ConsoleURL == "" {
			_, err = fmt.Fprintf(s.err, "The link is for a console at http://%s on this machine; --console-url names another.\n", app.ConsoleDefault)
		}
		return errors.Join(err, c.made(s, member{"link", page.InvitationLink(cmp.Or(strings.TrimRight(c.ConsoleURL, "/"), "http://"+app.ConsoleDefault), token)}))
	})
}
