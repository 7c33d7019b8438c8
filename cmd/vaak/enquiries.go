package main

import (
	"context"
	"log/slog"
	"path/filepath"
	"time"

	"vaak/catalogue"
	"vaak/enquiry"
	"vaak/enquiry/smtp"
	"vaak/internal/seal"
	"vaak/store"
	"vaak/store/jobs"
)

// mailDir is where mails are without a relay, in the data directory.
const mailDir = "mail"

// Measures of what is done for enquiries.
const (
	// mailTimeout is for one attempt, of which the relay takes a minute at most. It is
	// also how long a job is left to a process that was killed.
	mailTimeout = 90 * time.Second
	// mailJobs is how often the job of a mail is worked, of which only enquiry.Attempts
	// may fail: others were broken off with their process.
	mailJobs = 100
	// mailsAtOnce is how many connections a server has to its mail server.
	mailsAtOnce = 4

	purgeEvery   = 24 * time.Hour
	purgeTimeout = 10 * time.Minute
)

// mailbox is what takes enquiries, delivers their mails, and has their samples; empty
// where there is no catalogue.
type mailbox struct {
	service *enquiry.Service
	desk    *enquiry.Desk
	post    *enquiry.Post // the mails of enquiries
	links   *enquiry.Post // the mails that take links to people
}

// enquiries is what they are made of.
type enquiries struct {
	db        *store.Store
	datasets  catalogue.Reader
	secret    *seal.Secret
	addresses enquiry.Addresses
	publicURL string
	policy    enquiry.Policy
	keep      time.Duration
	links     bool // a mail server takes mails, so links can be mailed to people
	log       *slog.Logger
}

// unmailable is what is said where the consent policy takes nothing but a mailed link,
// and no mail server takes mails.
const unmailable = "agents cannot send enquiries: consent_policy mailed_link needs a mail server, and --smtp names none"

func (e enquiries) service() (*enquiry.Service, error) {
	if e.policy == enquiry.MailedLink && !e.links {
		e.log.Warn(unmailable)
	}
	return enquiry.New(enquiry.Config{
		Store: e.db.Enquiries(), Catalogue: e.datasets, Secret: e.secret, Addresses: e.addresses,
		PublicURL: e.publicURL, Policy: e.policy, MailsLinks: e.links, Keep: e.keep, Log: e.log,
	})
}

func (e enquiries) desk() (*enquiry.Desk, error) {
	return enquiry.NewDesk(enquiry.DeskConfig{
		Records: e.db.Enquiries(), Catalogue: e.datasets, Secret: e.secret, Addresses: e.addresses, PublicURL: e.publicURL,
	})
}

// openEnquiries opens what takes enquiries and delivers them. The address is "" where
// no client can follow links.
func (a *application) openEnquiries(c serveCommand, file *configFile, publicURL string) error {
	secret, err := c.openSecret(c.DataDir)
	if err != nil {
		return err
	}
	addresses, err := c.mailFlags.addresses(file)
	if err != nil {
		return err
	}
	sender, err := c.mailFlags.sender(c.DataDir, a.log)
	if err != nil {
		return err
	}
	parts := enquiries{
		db: a.store, datasets: a.catalogue, secret: secret, addresses: addresses,
		publicURL: publicURL, policy: file.ConsentPolicy, keep: c.KeepEnquiries, links: c.SMTP != "", log: a.log,
	}
	if a.mailbox.service, err = parts.service(); err != nil {
		return err
	}
	if a.mailbox.desk, err = parts.desk(); err != nil {
		return err
	}
	a.mailbox.post = &enquiry.Post{Outbox: a.store.Enquiries(), Sender: sender, Log: a.log}
	a.mailbox.links = &enquiry.Post{Outbox: a.store.Enquiries().LinkMails(), Sender: sender, Reveal: a.mailbox.service.Reveal, Log: a.log}
	if c.SMTP == "" {
		a.mailbox.links.Sender = noRelay{}
	}
	return nil
}

// noRelay refuses mails with a link where no mail server takes them. Written to files as
// others are, their links would be there for any program on this machine.
type noRelay struct{}

// Send refuses a mail.
func (noRelay) Send(context.Context, enquiry.Mail) error {
	return &enquiry.Refusal{Stage: "a mail with a link, as no mail server is named,"}
}

// relay returns the mail server that the flag names.
func (f mailFlags) relay() (*smtp.Relay, error) {
	return smtp.New(smtp.Config{URL: f.SMTP, AllowPlaintext: f.SMTPAllowPlaintext})
}

// sender returns what mails are handed to.
func (f mailFlags) sender(dataDir string, log *slog.Logger) (enquiry.Sender, error) {
	if f.SMTP != "" {
		relay, err := f.relay()
		if err != nil {
			return nil, err
		}
		log.Info("mails are sent", "server", relay.Addr())
		return relay, nil
	}
	dir := filepath.Join(dataDir, mailDir)
	log.Info("mails are not sent but written to files: name a mail server with --smtp", "directory", dir)
	return smtp.NewFolder(dir)
}

// jobs deliver mails.
func (m mailbox) jobs() []jobs.Handler {
	if m.post == nil {
		return nil
	}
	handler := func(kind string, post *enquiry.Post) jobs.Handler {
		return jobs.Handler{
			Kind: kind, Lane: enquiry.MailLane, AtOnce: mailsAtOnce, Work: post.Deliver,
			Timeout: mailTimeout, Attempts: mailJobs, Backoff: enquiry.Backoff,
		}
	}
	return []jobs.Handler{handler(enquiry.JobMail, m.post), handler(enquiry.JobLink, m.links)}
}

// purgeJobs purge what is older than keep: once for all processes, and in any of them,
// of whatever services, since any may be the one that makes the jobs of periods.
func purgeJobs(db *store.Store, keep time.Duration) []jobs.Handler {
	return []jobs.Handler{{Kind: "enquiry.purge", Every: purgeEvery, Timeout: purgeTimeout, Work: func(ctx context.Context, _ []byte) error {
		_, err := db.Enquiries().Purge(ctx, time.Now().Add(-keep))
		return err
	}}}
}
