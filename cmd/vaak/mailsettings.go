package main

import (
	"cmp"
	"fmt"
	"time"

	"vaak/app"
	"vaak/app/usage"
	"vaak/enquiry"
	"vaak/enquiry/smtp"
)

// mailSettings holds the settings of the file for enquiries.
type mailSettings struct {
	Mail struct {
		Operator string `toml:"operator"` // who answers enquiries; "" is devAddress, and not enough for a relay
		From     string `toml:"from"`     // who mails are from; "" is the operator
	} `toml:"mail"`
	// EnquiryAcknowledge sends a receipt to the person who enquires.
	EnquiryAcknowledge bool `toml:"enquiry_acknowledge"`
	// ConsentPolicy is what counts as consent over an agent; "" is ElicitationOrLink.
	ConsentPolicy enquiry.Policy `toml:"consent_policy"`
}

// devAddress is the operator's address where no mail server takes mails.
const devAddress = "enquiries@localhost"

func (m mailSettings) check() error {
	if p := m.ConsentPolicy; p != "" && p != enquiry.ElicitationOrLink && p != enquiry.MailedLink && p != enquiry.AllowAttested {
		return fmt.Errorf("consent_policy %q: there are %s, %s and %s", string(p), enquiry.ElicitationOrLink, enquiry.MailedLink, enquiry.AllowAttested)
	}
	for name, a := range map[string]string{"operator": m.Mail.Operator, "from": m.Mail.From} {
		if a == "" {
			continue
		}
		if err := enquiry.CheckOwnAddress(a); err != nil {
			return fmt.Errorf("mail, %s: %q %w", name, a, err)
		}
	}
	return nil
}

// mail returns what the file says of mails.
func (m mailSettings) mail() app.Mail {
	operator := cmp.Or(m.Mail.Operator, devAddress)
	return app.Mail{
		Addresses: enquiry.Addresses{Operator: operator, From: cmp.Or(m.Mail.From, operator), Acknowledge: m.EnquiryAcknowledge},
		Policy:    m.ConsentPolicy,
	}
}

// minKeepEnquiries is the shortest time that enquiries are kept. It is longer than their mails
// are tried.
const minKeepEnquiries = 72 * time.Hour

// keepFlag says how long enquiries are kept.
type keepFlag struct {
	KeepEnquiries time.Duration `help:"How long enquiries are kept; then what persons typed is deleted. The form says so. At least 72h. Default: ${default}, which is two years." default:"17520h"`
}

// mailFlags configure how enquiries are delivered.
type mailFlags struct {
	keepFlag
	SMTP               string `help:"Server that takes mails: smtp://USER:PASSWORD@HOST:PORT, or smtps:// for TLS from the first byte. The environment (VAAK_SMTP) keeps a password out of the list of processes, and VAAK_SMTP_FILE names a file with the value. Default: each mail becomes a file in the directory mail of the data directory." name:"smtp" placeholder:"URL" secret:""`
	SMTPAllowPlaintext bool   `help:"Send mails, and the password, also without TLS: for tests on one machine." name:"smtp-allow-plaintext"`
}

// check refuses settings that do not go together. No message holds the password.
func (f mailFlags) check(file *configFile) error {
	if f.KeepEnquiries < minKeepEnquiries {
		return usage.Errorf("--keep-enquiries %s is under %s; mails are tried for two days", f.KeepEnquiries, minKeepEnquiries)
	}
	if f.SMTP == "" {
		return nil
	}
	if _, err := smtp.New(smtp.Config{URL: f.SMTP, AllowPlaintext: f.SMTPAllowPlaintext}); err != nil {
		return usage.Errorf("--smtp: %w", err)
	}
	// A mail server does not take mails from the address that stands in for the operator.
	if file.Mail.Operator == "" {
		return usage.Errorf("--smtp needs to know who answers enquiries; the file that --config names says it in two lines, such as [mail] and operator = \"sales@example.org\"")
	}
	return nil
}

// mail returns what the flags and the file say as the application takes it.
func (f mailFlags) mail(file *configFile) app.Mail {
	m := file.mail()
	m.Server, m.Plaintext, m.Keep = f.SMTP, f.SMTPAllowPlaintext, f.KeepEnquiries
	return m
}
