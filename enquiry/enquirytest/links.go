package enquirytest

import (
	"context"
	"regexp"
	"slices"
	"time"

	"vaak/enquiry"
)

// LinkMail is a mail with a link for a person.
type LinkMail struct {
	Digest string // of the token in the link
	enquiry.Mail
}

// linkMails implements [enquiry.Outbox] for mails with links.
type linkMails struct{ memory *Memory }

// LinkMails returns the outbox of mails with links.
func (m *Memory) LinkMails() enquiry.Outbox { return linkMails{m} }

// waits reports whether a question can still be answered.
func waits(p enquiry.Pending, now time.Time) bool { return p.Sent == "" && p.Expires.After(now) }

// Mail implements enquiry.Outbox.
func (l linkMails) Mail(_ context.Context, id string) (enquiry.Mail, bool, error) {
	m := l.memory
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, one := range m.Links {
		if one.ID != id {
			continue
		}
		usable := slices.ContainsFunc(m.Questions, func(p enquiry.Pending) bool { return p.Digest == one.Digest && waits(p, m.now()) })
		if usable {
			return one.Mail, true, nil
		}
	}
	return enquiry.Mail{}, false, nil
}

func (l linkMails) change(id string, f func(*enquiry.Mail)) error {
	m := l.memory
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range m.Links {
		if m.Links[i].ID == id {
			f(&m.Links[i].Mail)
		}
	}
	return nil
}

// MailSent implements enquiry.Outbox.
func (l linkMails) MailSent(_ context.Context, id string, at time.Time) error {
	return l.change(id, func(m *enquiry.Mail) {
		m.State, m.Text, m.Changed = enquiry.Delivered, "", at
		m.Attempts++
	})
}

// MailFailed implements enquiry.Outbox.
func (l linkMails) MailFailed(_ context.Context, id string, at time.Time, why string, final bool) error {
	return l.change(id, func(m *enquiry.Mail) {
		if m.State != enquiry.Queued {
			return
		}
		m.Problem, m.Changed = why, at
		m.Attempts++
		if final {
			m.State = enquiry.Failed
		}
	})
}

// link matches a link in the text of a mail.
var link = regexp.MustCompile(`\S+` + regexp.QuoteMeta(enquiry.ConfirmPath) + `\S+`)

// LastLink returns the link in the mail that was queued last, as a person reads it there, or "".
func (m *Memory) LastLink(s *enquiry.Service) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.Links) == 0 {
		return ""
	}
	open, _ := s.Reveal(m.Links[len(m.Links)-1].Mail)
	return link.FindString(open.Text)
}
