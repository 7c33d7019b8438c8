package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"time"

	"vaak/app"
	"vaak/app/usage"
	"vaak/enquiry"
	"vaak/internal/fault"
	"vaak/store"
)

type enquiryCommand struct {
	List    enquiryListCommand    `cmd:"" help:"List enquiries, the newest first: id, when it came, intent, dataset, mails that wait, were delivered, failed, released or not, e-mail, name. What is deleted is a dash."`
	Show    enquiryShowCommand    `cmd:"" help:"Show all that is kept of an enquiry: what the person sent, its mails, releases and journal. One name and value a line."`
	Release enquiryReleaseCommand `cmd:"" help:"Let the person have the sample bundle of the dataset: queues a mail with a link, and prints the link."`
	Retry   enquiryRetryCommand   `cmd:"" help:"Queue a mail that failed once more."`
	Journal enquiryJournalCommand `cmd:"" help:"List what came to no enquiry, the newest first: refusals, limits, questions, links, declines. Time, outcome, code, consent, how often, request, key, agent, asked, answered; what the person was shown stands below."`
	Purge   enquiryPurgeCommand   `cmd:"" help:"Delete what persons typed in old enquiries, or in one, and print of how many. Id, intent, dataset and times stay."`
}

// desk runs do with the desk of a database. An error that the domain calls invalid is a wrong
// use of the command.
func (f storeFlags) desk(ctx context.Context, s streams, do func(*store.Store, *enquiry.Desk) error) error {
	db, err := f.place().Existing(ctx, logger(s, slog.LevelWarn))
	if err != nil {
		return err
	}
	desk, err := enquiry.NewDesk(enquiry.DeskConfig{Records: db.Enquiries()})
	if err == nil {
		err = do(db, desk)
	}
	return errors.Join(asUsage(err), db.Close())
}

// asUsage turns an error that the domain calls invalid into a wrong use of the command.
func asUsage(err error) error {
	if fault.KindOf(err) == fault.Invalid {
		return usage.Error{Err: err}
	}
	return err
}

type enquiryListCommand struct {
	storeFlags
	jsonFlag
	Limit  int     `help:"How many, 1 to 1000. Default: ${default}." default:"50" placeholder:"N"`
	Before instant `help:"Those received before that, such as 2025-01-31T00:00:00Z; the last line's time goes on from there. Default: now." placeholder:"TIME"`
}

// Run prints a line for each.
func (c enquiryListCommand) Run(ctx context.Context, s streams) error {
	return c.desk(ctx, s, func(_ *store.Store, d *enquiry.Desk) error {
		all, err := d.List(ctx, enquiry.ListQuery{Before: c.Before.Time, Limit: c.Limit})
		if err != nil {
			return err
		}
		var rows [][]any
		for _, e := range all {
			var released any = e.Released
			if !c.JSON {
				released = map[bool]string{true: "released"}[e.Released]
			}
			rows = append(rows, []any{
				e.ID, nanosecond(e.Received), string(e.Intent), slugOf(e.About), e.Waiting, e.Delivered, e.Failed, released, e.Email, e.Name,
			})
		}
		return c.table(s, []string{"id", "received", "intent", "dataset", "waiting", "delivered", "failed", "released", "email", "name"}, rows)
	})
}

func slugOf(d *enquiry.Dataset) string {
	if d == nil {
		return ""
	}
	return d.Slug
}

type enquiryShowCommand struct {
	storeFlags
	ID   string `arg:"" help:"Id of the enquiry; see vaak enquiry list."`
	JSON bool   `help:"Print it as JSON, with the texts of the mails." name:"json"`
}

// Run prints the enquiry. What a stranger typed is printed so that it does nothing to a
// terminal.
func (c enquiryShowCommand) Run(ctx context.Context, s streams) error {
	return c.desk(ctx, s, func(_ *store.Store, d *enquiry.Desk) error {
		f, err := d.Show(ctx, c.ID)
		if err != nil {
			return err
		}
		if c.JSON {
			return s.inertJSON(describe(f))
		}
		return s.lines(fileRows(f))
	})
}

type enquiryJournalCommand struct {
	storeFlags
	jsonFlag
	Limit int `help:"How many, 1 to 1000. Default: ${default}." default:"50" placeholder:"N"`
}

// Run prints a line for each entry, and below it the text that the person was shown.
func (c enquiryJournalCommand) Run(ctx context.Context, s streams) error {
	return c.desk(ctx, s, func(_ *store.Store, d *enquiry.Desk) error {
		all, err := d.Journal(ctx, c.Limit)
		if err != nil {
			return err
		}
		if c.JSON {
			list := []entryJSON{}
			for _, j := range all {
				list = append(list, describeEntry(j))
			}
			return s.inertJSON(list)
		}
		return s.lines(entryRows(all))
	})
}

type enquiryReleaseCommand struct {
	storeFlags
	jsonFlag
	secretFlag
	ID        string        `arg:"" help:"Id of the enquiry; see vaak enquiry list."`
	PublicURL string        `help:"Address that clients see, as of the server: the link begins with it. Required." name:"public-url" placeholder:"URL"`
	Licence   string        `help:"File with the text that the person has to accept, and that comes with the bundle: UTF-8, up to 64 KiB. Default: a note that names the evaluation licence of the dataset; one that names none needs the file." type:"existingfile" placeholder:"FILE"`
	For       time.Duration `help:"How long the link is good, up to 2160h. Default: ${default}." default:"168h"`
	Downloads int           `help:"How often it may be used, 1 to 100. Default: ${default}." default:"5" placeholder:"N"`
}

func (c enquiryReleaseCommand) check() error {
	if c.PublicURL == "" {
		return usage.Errorf("--public-url is needed, the address that clients of the server see: the link in the mail begins with it")
	}
	if c.For == 0 || c.Downloads == 0 {
		return usage.Errorf("--for and --downloads have to be more than 0")
	}
	return app.CheckPublicURL(c.PublicURL)
}

// Run prints the link. Its mail goes out when a server runs.
func (c enquiryReleaseCommand) Run(ctx context.Context, s streams, file *configFile) error {
	if err := c.check(); err != nil {
		return err
	}
	licence, err := readLicence(c.Licence)
	if err != nil {
		return err
	}
	return catalogueFlags{c.storeFlags, c.PublicURL}.with(ctx, s, c.place().Existing, func(parts catalogueParts) error {
		secret, err := c.secretFlag.in(c.place()).ExistingSecret()
		if err != nil {
			return err
		}
		mail, err := releaseMail(ctx, parts.db, c.ID, file)
		if err != nil {
			return err
		}
		desk, err := app.Enquiries{
			Store: parts.db, Catalogue: parts.Service, Secret: secret, PublicURL: strings.TrimRight(c.PublicURL, "/"), Mail: mail,
		}.Desk()
		if err != nil {
			return err
		}
		link, _, err := desk.Release(ctx, c.ID, enquiry.ReleaseTerms{Licence: licence, For: c.For, Downloads: c.Downloads})
		if err != nil {
			return err
		}
		return c.made(s, member{"link", link})
	})
}

// releaseMail returns the addresses of the file. Without an operator in it, the addresses
// are those of the enquiry's own mail to the operator, which a server wrote.
func releaseMail(ctx context.Context, db *store.Store, id string, file *configFile) (app.Mail, error) {
	mail := file.mail()
	if file.Mail.Operator != "" {
		return mail, nil
	}
	// Without a mail the placeholder address stays; an error is returned with it.
	sent, err := db.Enquiries().Mails(ctx, id)
	for _, m := range sent {
		if m.Kind == enquiry.ToOperator && m.To != "" {
			mail.Addresses.Operator, mail.Addresses.From = m.To, cmp.Or(file.Mail.From, m.From)
		}
	}
	return mail, err
}

// readLicence returns the text of a file; "" without one.
func readLicence(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("read the licence: %w", err)
	}
	defer f.Close() // read only
	// One byte more than allowed shows that the text is too long.
	text, err := io.ReadAll(io.LimitReader(f, enquiry.MaxLicence+1))
	if err != nil {
		return "", fmt.Errorf("read the licence: %w", err)
	}
	if len(text) > enquiry.MaxLicence || strings.TrimSpace(string(text)) == "" {
		return "", usage.Errorf("--licence %s is not a text of 1 to %d bytes", path, enquiry.MaxLicence)
	}
	return string(text), nil
}

type enquiryRetryCommand struct {
	storeFlags
	Mail string `arg:"" name:"mailid" help:"Id of the mail; see vaak enquiry show."`
}

// Run queues the mail.
func (c enquiryRetryCommand) Run(ctx context.Context, s streams) error {
	return c.desk(ctx, s, func(_ *store.Store, d *enquiry.Desk) error { return d.Retry(ctx, c.Mail) })
}

type enquiryPurgeCommand struct {
	storeFlags
	jsonFlag
	keepFlag
	ID     string  `arg:"" optional:"" name:"id" help:"Of the one whose person asks for it, however new it is. Default: all old ones."`
	Before instant `help:"Those received before that, such as 2025-01-31T00:00:00Z. Default: --keep-enquiries ago." placeholder:"TIME"`
	DryRun bool    `help:"Count them, and delete nothing."`
}

// Run prints how many enquiries were purged.
func (c enquiryPurgeCommand) Run(ctx context.Context, s streams) error {
	if c.ID != "" {
		return c.one(ctx, s)
	}
	before := c.Before.Time
	if before.IsZero() {
		if c.KeepEnquiries < minKeepEnquiries {
			return usage.Errorf("--keep-enquiries %s is under %s; --before says a time", c.KeepEnquiries, minKeepEnquiries)
		}
		before = time.Now().Add(-c.KeepEnquiries)
	}
	return c.desk(ctx, s, func(_ *store.Store, d *enquiry.Desk) error {
		purge := d.Purge
		if c.DryRun {
			purge = d.Purgeable
		}
		n, err := purge(ctx, before)
		if err != nil {
			return err
		}
		return c.made(s, member{"purged", n})
	})
}

// one purges one enquiry.
func (c enquiryPurgeCommand) one(ctx context.Context, s streams) error {
	if !c.Before.IsZero() || c.DryRun {
		return usage.Errorf("--before and --dry-run are for old enquiries; %s is purged whenever it came", inert(c.ID))
	}
	return c.desk(ctx, s, func(_ *store.Store, d *enquiry.Desk) error {
		if err := d.PurgeOne(ctx, c.ID); err != nil {
			return err
		}
		return c.made(s, member{"purged", 1})
	})
}
