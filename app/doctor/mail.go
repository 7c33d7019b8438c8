package doctor

import (
	"context"
	"time"

	"vaak/app"
	"vaak/app/deployment"
	"vaak/enquiry"
	"vaak/enquiry/smtp"
	"vaak/internal/checkup"
)

// mailLimit is how long a mail server may take to greet and let sign in.
const mailLimit = 8 * time.Second

// mail greets the mail server and signs in, over TLS, as for a mail. It sends none.
func (p *Patient) mail(ctx context.Context) checkup.Finding {
	if p.Mail.Server == "" && p.Mail.Policy == enquiry.MailedLink {
		return checkup.Warn("Name a mail server with --smtp, or set another consent_policy.", app.Unmailable)
	}
	if p.Mail.Server == "" {
		return checkup.Good("no mail server: mails become files in %s", p.Place.In(deployment.Mail))
	}
	relay, err := smtp.New(smtp.Config{URL: p.Mail.Server, AllowPlaintext: p.Mail.Plaintext, DialTimeout: mailLimit / 2, Timeout: mailLimit})
	if err != nil {
		return checkup.Fail("Write --smtp as the line says.", "%v", err)
	}
	began := time.Now()
	if err := relay.Probe(ctx); err != nil {
		return checkup.Fail("See that the server runs at that host and port, speaks TLS as --smtp says (smtp:// is STARTTLS, smtps:// is TLS from the first byte) and knows the user.",
			"%s: %v", relay.Addr(), err)
	}
	return checkup.Good("%s takes mails, asked in %d ms; none was sent", relay.Addr(), time.Since(began).Milliseconds())
}
