package app

import (
	"context"
	"log/slog"

	"vaak/app/deployment"
	"vaak/app/work"
	"vaak/catalogue"
	"vaak/enquiry"
	"vaak/enquiry/smtp"
	"vaak/internal/seal"
	"vaak/store"
	"vaak/store/jobs"
)

// mailbox holds the services of enquiries. It is empty without a catalogue.
type mailbox struct {
	service *enquiry.Service
	desk    *enquiry.Desk
	post    *enquiry.Post // the mails of enquiries
	links   *enquiry.Post // the mails that take links to people
}

// Enquiries holds what the services of enquiries need.
type Enquiries struct {
	Store     *store.Store
	Catalogue catalogue.Reader
	Secret    *seal.Secret
	PublicURL string // with which links begin
	Mail      Mail
	Logger    *slog.Logger
}

// Unmailable is the warning for a consent policy that needs mailed links where no mail
// server is configured.
const Unmailable = "agents cannot send enquiries: consent_policy mailed_link needs a mail server, and --smtp names none"

// Service returns the service that accepts enquiries.
func (e Enquiries) Service() (*enquiry.Service, error) {
	links := e.Mail.Server != "" // without a mail server no link reaches a person
	if e.Mail.Policy == enquiry.MailedLink && !links {
		e.Logger.Warn(Unmailable)
	}
	return enquiry.New(enquiry.Config{
		Store: e.Store.Enquiries(), Catalogue: e.Catalogue, Secret: e.Secret, Addresses: e.Mail.Addresses,
		PublicURL: e.PublicURL, Policy: e.Mail.Policy, MailsLinks: links, Keep: e.Mail.Keep, Log: e.Logger,
	})
}

// Desk returns the desk, with which operators read and answer enquiries.
func (e Enquiries) Desk() (*enquiry.Desk, error) {
	return enquiry.NewDesk(enquiry.DeskConfig{
		Records: e.Store.Enquiries(), Catalogue: e.Catalogue, Secret: e.Secret, Addresses: e.Mail.Addresses, PublicURL: e.PublicURL,
	})
}

// openEnquiries opens the services that accept and deliver enquiries. publicURL is "" if
// clients cannot follow links.
func (a *application) openEnquiries(publicURL string) error {
	secret, err := a.cfg.Place.OpenSecret()
	if err != nil {
		return err
	}
	sender, err := a.sender()
	if err != nil {
		return err
	}
	parts := Enquiries{Store: a.store, Catalogue: a.catalogue, Secret: secret, PublicURL: publicURL, Mail: a.cfg.Mail, Logger: a.log}
	if a.mailbox.service, err = parts.Service(); err != nil {
		return err
	}
	if a.mailbox.desk, err = parts.Desk(); err != nil {
		return err
	}
	a.mailbox.post = &enquiry.Post{Outbox: a.store.Enquiries(), Sender: sender, Log: a.log}
	a.mailbox.links = &enquiry.Post{Outbox: a.store.Enquiries().LinkMails(), Sender: sender, Reveal: a.mailbox.service.Reveal, Log: a.log}
	if a.cfg.Mail.Server == "" {
		a.mailbox.links.Sender = noRelay{}
	}
	return nil
}

// noRelay refuses mails with a link. It is the sender of such mails where no mail server is
// configured: other mails become files then, and any program on this machine could read a
// link from a file and consent in the person's name.
type noRelay struct{}

// Send returns the refusal.
func (noRelay) Send(context.Context, enquiry.Mail) error {
	return &enquiry.Refusal{Stage: "a mail with a link, as no mail server is named,"}
}

// sender returns the client of the mail server or, without a mail server, a folder in which
// mails become files.
func (a *application) sender() (enquiry.Sender, error) {
	if m := a.cfg.Mail; m.Server != "" {
		relay, err := smtp.New(smtp.Config{URL: m.Server, AllowPlaintext: m.Plaintext})
		if err != nil {
			return nil, err
		}
		a.log.Info("mails are sent", "server", relay.Addr())
		return relay, nil
	}
	dir := a.cfg.Place.In(deployment.Mail)
	a.log.Info("mails are not sent but written to files: name a mail server with --smtp", "directory", dir)
	return smtp.NewFolder(dir)
}

// jobs returns the jobs that deliver mails; nil without a catalogue.
func (m mailbox) jobs() []jobs.Handler {
	if m.post == nil {
		return nil
	}
	return work.Mails(m.post, m.links)
}
