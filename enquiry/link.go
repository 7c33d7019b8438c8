package enquiry

import (
	"cmp"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// mailsLinks reports whether links can be mailed to people.
func (s *Service) mailsLinks() bool { return s.cfg.MailsLinks && s.cfg.PublicURL != "" }

// formURL returns the address of the public form with the draft's intent and dataset, or "". It
// contains nothing that was typed, because addresses are kept in logs and histories.
func (s *Service) formURL(d Draft) string {
	if s.cfg.PublicURL == "" {
		return ""
	}
	query := url.Values{"intent": {string(d.Intent)}}
	if d.Dataset != "" {
		query.Set("dataset", d.Dataset)
	}
	return s.cfg.PublicURL + FormPath + "?" + query.Encode()
}

// linkMail returns the mail that takes a link to the person. Its text is sealed.
func (s *Service) linkMail(d Draft, token string, p Pending) Mail {
	a := s.cfg.Addresses
	m := a.mail("", "link_"+lettersOf(p.Digest), WithLink, p.Asked)
	m.To, m.ReplyTo = d.Email, a.Operator
	m.Subject = "Do you want to send this enquiry to " + s.site() + "?"
	// Sealed under the id of the mail: whoever can read the database could otherwise use the
	// link, and a sealed text cannot be moved to another mail.
	m.Text = s.keys.mail.Seal([]byte(s.linkText(d, token, p.Expires)), m.ID)
	return m
}

// site returns the host name of the public pages.
func (s *Service) site() string {
	u, err := url.Parse(s.cfg.PublicURL)
	if err != nil {
		return s.cfg.PublicURL
	}
	return cmp.Or(u.Host, s.cfg.PublicURL)
}

// linkText returns the text of the mail with a link. The mail goes to an address that nobody has
// confirmed, because a program says so. So it contains nothing that was typed: nobody can
// use it to mail their own words to strangers. The page behind the link shows everything.
func (s *Service) linkText(d Draft, token string, expires time.Time) string {
	var b strings.Builder
	fmt.Fprintf(&b, "A program, such as an AI agent, has prepared an enquiry to %s in the name of this e-mail address.\n\nIt asks for: %s", s.cfg.PublicURL, meaning[d.Intent])
	if d.About != nil {
		fmt.Fprintf(&b, ", dataset %s\n%s", d.About.Slug, d.About.URL)
	}
	fmt.Fprintf(&b, "\n\nNothing has been sent. This page shows all of it:\n\n%s%s%s\n\n", s.cfg.PublicURL, ConfirmPath, token)
	fmt.Fprintf(&b, "It is sent only if you tick the box there and press Send, until %s. "+
		"The link is yours alone: whoever has it can send the enquiry, so do not give it to a program.\n\n", expires.UTC().Format("2 January 2006, 15:04 MST"))
	fmt.Fprintf(&b, "If you did not ask for this, do nothing. Then nothing is sent, and what was prepared is deleted. "+
		"Questions, or too many such mails: write to %s.\n", s.cfg.Addresses.Operator)
	return b.String()
}

// Reveal returns a mail with its text unsealed. It returns false if the text was sealed with a
// secret that this server does not have.
func (s *Service) Reveal(m Mail) (Mail, bool) {
	if m.Kind != WithLink {
		return m, true
	}
	text, ok := s.keys.mail.Open(m.Text, m.ID)
	m.Text = string(text)
	return m, ok
}
