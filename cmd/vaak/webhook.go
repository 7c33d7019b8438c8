package main

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"vaak/app"
	"vaak/app/usage"
	"vaak/internal/seal"
	"vaak/webhook"
	"vaak/webhook/egress"
)

type webhookCommand struct {
	Create     webhookCreateCommand     `cmd:"" help:"Make an endpoint, an address that gets events, and print its id and its secret. The secret is not shown again."`
	List       webhookListCommand       `cmd:"" help:"List endpoints, the oldest first: id, state (enabled, disabled, gone, failing), since when it is not enabled, since when it fails, when it was made, address, types (all or some), description."`
	Show       webhookShowCommand       `cmd:"" help:"Show an endpoint, one name and value a line."`
	Change     webhookChangeCommand     `cmd:"" help:"Change an endpoint: what is not named stays as it is."`
	Delete     webhookDeleteCommand     `cmd:"" help:"Delete an endpoint with the record of its deliveries."`
	Rotate     webhookRotateCommand     `cmd:"" help:"Make a new secret for an endpoint and print it; the one before goes on signing for a while."`
	Test       webhookTestCommand       `cmd:"" help:"Queue an event of the type webhook.test for an endpoint and print the id of its delivery. A server that runs delivers it."`
	Deliveries webhookDeliveriesCommand `cmd:"" help:"List deliveries of an endpoint, the latest first: id, webhook-id, type, state (waiting, delivered, failed), attempts, status of the last answer, when it was made, when it changed, when it is tried next, problem."`
	Replay     webhookReplayCommand     `cmd:"" help:"Send an event again, or all that failed since a time, and print the id of the new delivery or how many there are."`
	Types      webhookTypesCommand      `cmd:"" help:"List the types of events: name, who may have it (everybody, operator), when it is sent."`
}

// webhookFlags say to which addresses events are sent.
type webhookFlags struct {
	WebhookAllow []string `help:"Hosts, addresses and networks to which webhooks may go although they are not public, also over http, such as hooks.internal,10.1.0.0/16. Default: none; events then go to public addresses over https alone." placeholder:"HOST,..."`
}

func (f webhookFlags) check() error {
	c, err := egress.New(f.WebhookAllow)
	if err != nil {
		return usage.Errorf("--webhook-allow: %v", err)
	}
	c.Close()
	return nil
}

// ownedFlags say whose endpoints a command is about.
type ownedFlags struct {
	storeFlags
	secretFlag
	Org string `help:"Id of the organisation whose endpoints are meant; see vaak org list. Default: those of the operator." placeholder:"ID"`
}

// webhooks runs do with the webhooks of a database. An error that the domain calls invalid is a wrong
// use of the command.
func (f ownedFlags) webhooks(ctx context.Context, s streams, allow []string, do func(*webhook.Service) error) error {
	return f.with(ctx, s, allow, func() (*seal.Secret, error) { return nil, nil }, do)
}

// sealing is webhooks for a command that makes a secret, which only the servers' secret can seal.
func (f ownedFlags) sealing(ctx context.Context, s streams, allow []string, do func(*webhook.Service) error) error {
	return f.with(ctx, s, allow, f.secretFlag.in(f.place()).ExistingSecret, do)
}

func (f ownedFlags) with(ctx context.Context, s streams, allow []string, secret func() (*seal.Secret, error), do func(*webhook.Service) error) error {
	db, err := f.place().Existing(ctx, logger(s, slog.LevelWarn))
	if err != nil {
		return err
	}
	sealedBy, err := secret()
	if err == nil {
		var service *webhook.Service
		if service, err = (app.Webhooks{Allow: allow}).Service(db, sealedBy); err == nil {
			err = do(service)
		}
	}
	return errors.Join(asUsage(err), db.Close())
}

// webhookDraftFlags are what an endpoint may be told.
type webhookDraftFlags struct {
	webhookFlags
	Types       []string `help:"Types of events that it gets; see vaak webhook types. Default: all that its owner may have." placeholder:"TYPE,..."`
	Thresholds  []int    `help:"Shares of use in percent that it is told of. Default: 50,80,100." placeholder:"N,..."`
	NoticeDays  *int     `help:"How many days before a lot expires it is told, 1 to 28. Default: 7." placeholder:"N"`
	Description *string  `help:"A line for people." placeholder:"TEXT"`
}

func (f webhookDraftFlags) draft() webhook.Draft {
	d := webhook.Draft{Description: f.Description, NoticeDays: f.NoticeDays}
	if f.Types != nil {
		types := make([]webhook.Type, len(f.Types))
		for i, t := range f.Types {
			types[i] = webhook.Type(t)
		}
		d.Types = &types
	}
	if f.Thresholds != nil {
		d.Thresholds = &f.Thresholds
	}
	return d
}

type webhookCreateCommand struct {
	ownedFlags
	jsonFlag
	webhookDraftFlags
	URL string `arg:"" name:"url" help:"The https address that gets the events."`
}

// Run prints the id and the secret.
func (c webhookCreateCommand) Run(ctx context.Context, s streams) error {
	if err := c.check(); err != nil {
		return err
	}
	return c.sealing(ctx, s, c.WebhookAllow, func(w *webhook.Service) error {
		d := c.draft()
		d.URL = &c.URL
		e, secret, err := w.Create(ctx, c.Org, d)
		if err != nil {
			return err
		}
		return c.made(s, member{"id", e.ID}, member{"secret", secret.String()})
	})
}

type webhookListCommand struct {
	ownedFlags
	jsonFlag
}

// Run prints a line for each.
func (c webhookListCommand) Run(ctx context.Context, s streams) error {
	return c.webhooks(ctx, s, nil, func(w *webhook.Service) error {
		all, err := w.Endpoints(ctx, c.Org)
		if err != nil {
			return err
		}
		var rows [][]any
		for _, e := range all {
			types := "all"
			if len(e.Types) > 0 {
				types = joinTypes(e.Types)
			}
			rows = append(rows, []any{e.ID, string(e.State), e.Stopped, e.FailingSince, e.Created, e.URL, types, e.Description})
		}
		return c.table(s, []string{"id", "state", "stopped", "failing_since", "created", "url", "types", "description"}, rows)
	})
}

func joinTypes(types []webhook.Type) string {
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = string(t)
	}
	return strings.Join(names, ",")
}

// endpointFlags name an endpoint.
type endpointFlags struct {
	ownedFlags
	ID string `arg:"" help:"Id of the endpoint; see vaak webhook list."`
}

type webhookShowCommand struct {
	endpointFlags
	jsonFlag
}

// Run prints a line for each property.
func (c webhookShowCommand) Run(ctx context.Context, s streams) error {
	return c.webhooks(ctx, s, nil, func(w *webhook.Service) error {
		e, err := w.Endpoint(ctx, c.Org, c.ID)
		if err != nil {
			return err
		}
		types := e.Types
		if len(types) == 0 {
			types = webhook.TypesFor(e.Owner)
		}
		var thresholds []string
		for _, n := range e.Thresholds {
			thresholds = append(thresholds, strconv.Itoa(n))
		}
		return c.record(s, [][]any{
			{"id", e.ID}, {"organisation", e.Owner}, {"url", e.URL}, {"description", e.Description}, {"types", joinTypes(types)},
			{"thresholds", strings.Join(thresholds, ",")}, {"notice_days", e.NoticeDays}, {"state", string(e.State)},
			{"stopped", e.Stopped}, {"failing_since", e.FailingSince}, {"created", e.Created}, {"changed", e.Changed}, {"secrets", len(e.Secrets)},
		})
	})
}

type webhookChangeCommand struct {
	endpointFlags
	webhookDraftFlags
	URL     *string `help:"Another address." name:"url" placeholder:"URL"`
	Enable  bool    `help:"Send events to it again." xor:"state"`
	Disable bool    `help:"Send no more events to it; what waits fails, and can be replayed later." xor:"state"`
}

// Run changes the endpoint.
func (c webhookChangeCommand) Run(ctx context.Context, s streams) error {
	if err := c.check(); err != nil {
		return err
	}
	return c.webhooks(ctx, s, c.WebhookAllow, func(w *webhook.Service) error {
		d := c.draft()
		d.URL = c.URL
		if c.Enable || c.Disable {
			d.Enabled = &c.Enable
		}
		_, err := w.Change(ctx, c.Org, c.ID, d)
		return err
	})
}

type webhookDeleteCommand struct{ endpointFlags }

// Run deletes the endpoint.
func (c webhookDeleteCommand) Run(ctx context.Context, s streams) error {
	return c.webhooks(ctx, s, nil, func(w *webhook.Service) error { return w.Delete(ctx, c.Org, c.ID) })
}

type webhookRotateCommand struct {
	endpointFlags
	jsonFlag
	Overlap time.Duration `help:"How long the secret before goes on signing, too, up to 168h; 0s ends it at once. Default: ${default}." default:"24h"`
}

// Run prints the new secret.
func (c webhookRotateCommand) Run(ctx context.Context, s streams) error {
	return c.sealing(ctx, s, nil, func(w *webhook.Service) error {
		_, secret, err := w.Rotate(ctx, c.Org, c.ID, c.Overlap)
		if err != nil {
			return err
		}
		return c.made(s, member{"secret", secret.String()})
	})
}

type webhookTestCommand struct {
	endpointFlags
	jsonFlag
}

// Run prints the id of the delivery.
func (c webhookTestCommand) Run(ctx context.Context, s streams) error {
	return c.webhooks(ctx, s, nil, func(w *webhook.Service) error {
		d, err := w.Test(ctx, c.Org, c.ID)
		if err != nil {
			return err
		}
		return c.made(s, member{"delivery", d.ID})
	})
}

type webhookDeliveriesCommand struct {
	endpointFlags
	jsonFlag
	State  string `help:"Those in one state: waiting, delivered, failed. Default: all." placeholder:"STATE"`
	Limit  int    `help:"How many, 1 to 100. Default: ${default}." default:"50" placeholder:"N"`
	Before string `help:"Those before the delivery with this id; the last line's id goes on from there. Default: the latest." placeholder:"ID"`
}

// Run prints a line for each.
func (c webhookDeliveriesCommand) Run(ctx context.Context, s streams) error {
	return c.webhooks(ctx, s, nil, func(w *webhook.Service) error {
		all, err := w.Deliveries(ctx, c.Org, c.ID, webhook.Query{Outcome: webhook.Outcome(c.State), Before: c.Before, Limit: c.Limit})
		if err != nil {
			return err
		}
		var rows [][]any
		for _, d := range all {
			next := d.Next
			if d.Outcome != webhook.Waiting {
				next = time.Time{}
			}
			rows = append(rows, []any{d.ID, d.Event.ID, string(d.Event.Type), string(d.Outcome), d.Attempts, d.Last.Status, d.Created, d.Changed, next, d.Last.Problem})
		}
		return c.table(s, []string{"id", "webhook_id", "type", "state", "attempts", "status", "created", "changed", "next", "problem"}, rows)
	})
}

type webhookReplayCommand struct {
	endpointFlags
	jsonFlag
	Delivery    string  `arg:"" optional:"" help:"Id of the delivery whose event is sent again; see vaak webhook deliveries."`
	FailedSince instant `help:"Send again what failed since then, such as 2027-01-31T00:00:00Z, in its order, 1000 at most." placeholder:"TIME"`
}

// Run prints the id of the new delivery, or how many there are.
func (c webhookReplayCommand) Run(ctx context.Context, s streams) error {
	if (c.Delivery == "") == c.FailedSince.IsZero() {
		return usage.Errorf("name a delivery, or --failed-since and a time, and not both")
	}
	return c.webhooks(ctx, s, nil, func(w *webhook.Service) error {
		if c.Delivery == "" {
			n, err := w.ReplayFailed(ctx, c.Org, c.ID, c.FailedSince.Time)
			if err != nil {
				return err
			}
			return c.made(s, member{"replayed", n})
		}
		d, err := w.Replay(ctx, c.Org, c.ID, c.Delivery)
		if err != nil {
			return err
		}
		return c.made(s, member{"delivery", d.ID})
	})
}

type webhookTypesCommand struct{ jsonFlag }

// Run prints a line for each.
func (c webhookTypesCommand) Run(_ context.Context, s streams) error {
	var rows [][]any
	for _, k := range webhook.Kinds() {
		who := "operator"
		if k.Owned {
			who = "everybody"
		}
		rows = append(rows, []any{string(k.Type), who, k.Doc})
	}
	return c.table(s, []string{"type", "for", "when"}, rows)
}
