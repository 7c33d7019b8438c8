package enquiry

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"vaak/catalogue"
	"vaak/internal/fault"
	"vaak/internal/seal"
)

// DeskConfig configures a [Desk].
type DeskConfig struct {
	Records Records          // required
	Now     func() time.Time // nil means time.Now
	// Needed to release samples: set all of them or none.
	Catalogue catalogue.Reader
	Secret    *seal.Secret // the same on every server
	Addresses Addresses
	PublicURL string
}

// Desk is where operators work on enquiries and where released samples are downloaded. Safe
// for concurrent use.
type Desk struct {
	cfg   DeskConfig
	links *seal.Key // nil if the desk cannot release samples
	keys  keys
}

// NewDesk returns a desk.
func NewDesk(cfg DeskConfig) (*Desk, error) {
	if cfg.Records == nil {
		return nil, errors.New("a desk needs Records")
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	cfg.PublicURL = strings.TrimRight(cfg.PublicURL, "/")
	d := &Desk{cfg: cfg}
	if cfg.Secret == nil {
		return d, nil
	}
	if cfg.Catalogue == nil {
		return nil, errors.New("a desk that releases samples needs a catalogue")
	}
	d.links, d.keys = cfg.Secret.For("sample link"), newKeys(cfg.Secret)
	return d, cfg.Addresses.check()
}

// File is everything that is known about an enquiry.
type File struct {
	Enquiry  Enquiry
	Mails    []Mail
	Journal  []Entry // the oldest first
	Cut      bool    // older entries than those in Journal exist
	Releases []Release
}

// maxEntries is how many entries of a journal are returned at most.
const maxEntries = 1000

// List lists enquiries, the newest first.
func (d *Desk) List(ctx context.Context, q ListQuery) ([]Summary, error) {
	if q.Limit < 1 || q.Limit > 1000 {
		return nil, fault.BadParameter("limit", "limit %d is outside 1 to 1000", q.Limit)
	}
	return d.cfg.Records.Enquiries(ctx, q)
}

// Journal returns the entries that belong to no enquiry, the newest first: refusals, questions
// that were not answered with yes, links.
func (d *Desk) Journal(ctx context.Context, limit int) ([]Entry, error) {
	if limit < 1 || limit > maxEntries {
		return nil, fault.BadParameter("limit", "limit %d is outside 1 to %d", limit, maxEntries)
	}
	return d.cfg.Records.Entries(ctx, "", limit)
}

// Show returns everything that is known about an enquiry. The error is of kind NotFound if
// there is none.
func (d *Desk) Show(ctx context.Context, id string) (f File, err error) {
	if f.Enquiry, err = d.enquiry(ctx, id); err != nil {
		return File{}, err
	}
	if f.Mails, err = d.cfg.Records.Mails(ctx, id); err != nil {
		return File{}, err
	}
	if f.Journal, err = d.cfg.Records.Entries(ctx, id, maxEntries+1); err != nil {
		return File{}, err
	}
	// One more entry than is shown was read, to know whether there are more.
	if f.Cut = len(f.Journal) > maxEntries; f.Cut {
		f.Journal = f.Journal[:maxEntries]
	}
	slices.Reverse(f.Journal)
	f.Releases, err = d.cfg.Records.Releases(ctx, id)
	return f, err
}

func (d *Desk) enquiry(ctx context.Context, id string) (Enquiry, error) {
	e, found, err := d.cfg.Records.Enquiry(ctx, id)
	if err == nil && !found {
		err = fault.New(fault.NotFound, fault.CodeNotFound, "id", "there is no enquiry %s; vaak enquiry list has all", quoted(id))
	}
	return e, err
}

// Retry queues a failed mail again. The error is of kind NotFound if the mail has not failed.
func (d *Desk) Retry(ctx context.Context, mail string) error {
	done, err := d.cfg.Records.RetryMail(ctx, mail, Entry{At: d.cfg.Now(), Outcome: OutcomeRetried, Times: 1})
	if err == nil && !done {
		err = fault.New(fault.NotFound, fault.CodeNotFound, "mail", "there is no failed mail %s; vaak enquiry show has the mails of an enquiry", quoted(mail))
	}
	return err
}

// Purge deletes the personal data of enquiries from before a time, and of questions that were
// never sent; see [Records]. It returns the number of enquiries.
func (d *Desk) Purge(ctx context.Context, before time.Time) (int, error) {
	if err := d.past(before); err != nil {
		return 0, err
	}
	return d.cfg.Records.Purge(ctx, before)
}

// Purgeable counts the enquiries that Purge would change.
func (d *Desk) Purgeable(ctx context.Context, before time.Time) (int, error) {
	if err := d.past(before); err != nil {
		return 0, err
	}
	return d.cfg.Records.Purgeable(ctx, before)
}

func (d *Desk) past(before time.Time) error {
	if before.After(d.cfg.Now()) {
		return fault.BadParameter("before", "before %s is in the future", before.Format(time.RFC3339))
	}
	return nil
}

// PurgeOne deletes the personal data of one enquiry, for example because the person asks for
// it. The error is of kind NotFound if there is none. A second purge changes nothing.
func (d *Desk) PurgeOne(ctx context.Context, id string) error {
	if _, err := d.enquiry(ctx, id); err != nil {
		return err
	}
	_, err := d.cfg.Records.PurgeOne(ctx, id)
	return err
}
