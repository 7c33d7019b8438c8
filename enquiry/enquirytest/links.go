package enquirytest

import (
	"context"
	"regexp"
	"slices"
	"time"

	"vaak/enquiry"
)

// LinkMail is a mail that takes a link to a person.
type LinkMail struct {
	Digest string // of the link
	enquiry.Mail
}

// linkMails implements [enquiry.Outbox].
type linkMails struct{ memory *Memory }

// LinkMails returns the mails that take links to people.
func (m *Memory) LinkMails() enquiry.Outbox { return linkMails{m} }

// waits reports whether the link of a mail can still be used.
func (m *Memory) waits(l LinkMail) bool {
	return slices.ContainsFunc(m.Questions, func(p enquiry.Pending) bool {
		return p.Digest == l.Digest && p.Sent == "" && p.Expires.After(m.now())
	})
}

// Mail implements enquiry.Outbox.
func (l linkMails) Mail(_ context.Context, id string) (enquiry.Mail, bool, error) {
	m := l.memory
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, one := range m.Links {
		if one.ID == id && m.waits(one) {
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

// link is a link in the text of a mail.
var link = regexp.MustCompile(`\S+` + regexp.QuoteMeta(enquiry.ConfirmPath) + `\S+`)

// LastLink is the link of the mail that was queued last, as a person reads it there; ""
// without one.
func (m *Memory) LastLink(s *enquiry.Service) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.Links) == 0 {
		return ""
	}
	open, _ := s.Reveal(m.Links[len(m.Links)-1].Mail)
	return link.FindString(open.Text)
}
