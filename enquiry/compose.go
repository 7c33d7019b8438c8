package enquiry

import (
	"cmp"
	"fmt"
	"strings"
	"time"
)

// compose returns the mails of a new enquiry. What the person typed is in no header, except
// for the address that replies go to. The receipt has nothing of it at all, because it goes
// to an address that nobody has confirmed: otherwise anybody could mail any text to anyone.
func (s *Service) compose(e Enquiry, now time.Time) []Mail {
	a := s.cfg.Addresses
	to := a.mail(e.ID, e.ID, ToOperator, now)
	// The address was checked, so it cannot end the header line.
	to.To, to.ReplyTo = a.Operator, e.Email
	to.Subject = "Enquiry " + e.ID + ": " + string(e.Intent)
	if e.About != nil {
		to.Subject += ", " + e.About.Slug
	}
	to.Text = s.operatorText(e)
	// Without it no mail goes to an address that anybody may have typed.
	if !a.Acknowledge {
		return []Mail{to}
	}
	receipt := a.mail(e.ID, e.ID, ToPerson, now)
	receipt.To, receipt.ReplyTo = e.Email, a.Operator
	receipt.Subject = "We have your enquiry " + e.ID
	receipt.Text = s.receiptText(e)
	return []Mail{to, receipt}
}

// mail returns a mail about an enquiry or a release, still without recipient and text.
func (a Addresses) mail(enquiry, about string, kind MailKind, now time.Time) Mail {
	_, domain, _ := cutLast(a.From)
	id := mailID(about, kind)
	return Mail{
		ID: id, Enquiry: enquiry, Kind: kind, MessageID: id + "@" + domain,
		Date: now.UTC().Truncate(time.Second), From: a.From, State: Queued, Changed: now,
	}
}

// Words returns in words how a person consented, or "" for an unknown method.
func (m Method) Words() string { return consented[m] }

// consented describes the methods for operators.
var consented = map[Method]string{
	ByREST:        "attested by the program that sent it; nobody else was asked",
	ByPage:        "given on the form of the site by whoever filled it in",
	ByHost:        "attested by the agent's host, which says that the person was shown the whole enquiry and said yes",
	ByMail:        "given by somebody who reads the mail of this address: on a page that showed the whole enquiry, and whose link was mailed there alone",
	ByAgent:       "attested by the agent itself",
	ByElicitation: "attested by the agent's host, which says that the person was shown the whole enquiry and said yes",
	ByLink:        "given on a page that showed the whole enquiry; an older version gave the link to the agent, so it is not known who pressed Send",
}

// operatorText returns the text of the mail to the operator.
func (s *Service) operatorText(e Enquiry) string {
	var b strings.Builder
	for _, f := range fields(e.Draft) {
		fmt.Fprintf(&b, "%s: %s\n", f.name, f.value)
	}
	if e.About != nil {
		fmt.Fprintf(&b, "Page: %s\n", e.About.URL)
	}
	fmt.Fprintf(&b, "Consent: %s\nEnquiry: %s\n\n", consented[e.Method], e.ID)
	if e.Message == "" {
		b.WriteString("There is no message.\n")
	} else {
		b.WriteString("Message:\n" + quotedLines(e.Message))
	}
	b.WriteString("\nWhat stands after these names and after > is what the person typed; nothing of it was checked but its form. A reply to this mail goes to the person.\n")
	if e.Intent == Sample {
		fmt.Fprintf(&b, "\nTo release the sample bundle, with the --data-dir, --database, --objects, --secret and --config of the server where it has them:\nvaak enquiry release %s --public-url %s\n",
			e.ID, cmp.Or(s.cfg.PublicURL, "URL"))
	}
	return b.String()
}

// receiptText returns the text of the receipt for the person.
func (s *Service) receiptText(e Enquiry) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Your enquiry has come: %s", meaning[e.Intent])
	if e.About != nil {
		fmt.Fprintf(&b, ", dataset %s\n%s", e.About.Slug, e.About.URL)
	}
	fmt.Fprintf(&b, "\n\n%s\n\nEnquiry: %s\n\nWe keep it for %s at most. If you did not send it, reply to this mail and we delete it.\n",
		next[e.Intent], e.ID, Period(s.cfg.Keep))
	return b.String()
}
