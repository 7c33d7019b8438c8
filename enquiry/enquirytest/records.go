package enquirytest

import (
	"cmp"
	"context"
	"slices"
	"time"

	"vaak/enquiry"
)

// Mail implements enquiry.Outbox.
func (m *Memory) Mail(_ context.Context, id string) (enquiry.Mail, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if l := m.letter(id); l != nil {
		return *l, true, nil
	}
	return enquiry.Mail{}, false, nil
}

func (m *Memory) letter(id string) *enquiry.Mail {
	for i := range m.Letters {
		if m.Letters[i].ID == id {
			return &m.Letters[i]
		}
	}
	return nil
}

// MailSent implements enquiry.Outbox.
func (m *Memory) MailSent(ctx context.Context, id string, at time.Time) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if l := m.letter(id); l != nil && ctx.Err() == nil {
		l.State, l.Changed, l.Attempts = enquiry.Delivered, at, l.Attempts+1
	}
	return ctx.Err()
}

// MailFailed implements enquiry.Outbox.
func (m *Memory) MailFailed(ctx context.Context, id string, at time.Time, why string, final bool) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if l := m.letter(id); l != nil && ctx.Err() == nil {
		l.Problem, l.Changed, l.Attempts = why, at, l.Attempts+1
		if final {
			l.State = enquiry.Failed
		}
	}
	return ctx.Err()
}

// Enquiries implements enquiry.Records.
func (m *Memory) Enquiries(_ context.Context, q enquiry.ListQuery) (out []enquiry.Summary, _ error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range m.Sent {
		e := s.Enquiry
		if q.Before.IsZero() || e.Received.Before(q.Before) || e.Received.Equal(q.Before) && e.ID < q.BeforeID {
			out = append(out, m.summary(e))
		}
	}
	slices.SortFunc(out, func(a, b enquiry.Summary) int { return cmp.Or(b.Received.Compare(a.Received), cmp.Compare(b.ID, a.ID)) })
	return out[:min(len(out), q.Limit)], nil
}

// summary returns an enquiry with the number of its mails by state.
func (m *Memory) summary(e enquiry.Enquiry) enquiry.Summary {
	s := enquiry.Summary{Enquiry: e}
	for _, l := range m.Letters {
		if l.Enquiry != e.ID {
			continue
		}
		switch l.State {
		case enquiry.Delivered:
			s.Delivered++
		case enquiry.Failed:
			s.Failed++
		default:
			s.Waiting++
		}
	}
	s.Released = slices.ContainsFunc(m.Given, func(r enquiry.Release) bool { return r.Enquiry == e.ID })
	return s
}

// Mails implements enquiry.Records.
func (m *Memory) Mails(_ context.Context, id string) (out []enquiry.Mail, _ error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, l := range m.Letters {
		if l.Enquiry == id {
			out = append(out, l)
		}
	}
	return out, nil
}

// Entries implements enquiry.Records.
func (m *Memory) Entries(_ context.Context, id string, limit int) (out []enquiry.Entry, _ error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, e := range m.Journal {
		if e.Enquiry == id {
			out = append(out, e)
		}
	}
	slices.Reverse(out)
	return out[:min(limit, len(out))], nil
}

// RetryMail implements enquiry.Records.
func (m *Memory) RetryMail(_ context.Context, id string, e enquiry.Entry) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	l := m.letter(id)
	if l == nil || l.State != enquiry.Failed {
		return false, nil
	}
	l.State, l.Attempts, l.Changed = enquiry.Queued, 0, e.At
	e.Enquiry = l.Enquiry
	m.add(e)
	return true, nil
}

// PutRelease implements enquiry.Records.
func (m *Memory) PutRelease(_ context.Context, r enquiry.Release, l enquiry.Mail, e enquiry.Entry) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.Given, m.Letters = append(m.Given, r), append(m.Letters, l)
	m.add(e)
	return nil
}

// Releases implements enquiry.Records.
func (m *Memory) Releases(_ context.Context, id string) (out []enquiry.Release, _ error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range m.Given {
		if r.Enquiry == id {
			out = append(out, r)
		}
	}
	return out, nil
}

// Release implements enquiry.Records.
func (m *Memory) Release(_ context.Context, id string) (enquiry.Release, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range m.Given {
		if r.ID == id {
			return r, true, nil
		}
	}
	return enquiry.Release{}, false, nil
}

// TakeDownload implements enquiry.Records.
func (m *Memory) TakeDownload(_ context.Context, id string, e enquiry.Entry) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range m.Given {
		if r := &m.Given[i]; r.ID == id && r.Downloads < r.Most && r.Expires.After(m.now()) {
			r.Downloads++
			m.add(e)
			return true, nil
		}
	}
	return false, nil
}

// Purge implements enquiry.Records. It purges enquiries and mails only.
func (m *Memory) Purge(_ context.Context, before time.Time) (int, error) {
	return m.purge(func(e enquiry.Enquiry) bool { return e.Received.Before(before) }), nil
}

// Purgeable implements enquiry.Records.
func (m *Memory) Purgeable(_ context.Context, before time.Time) (n int, _ error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range m.Sent {
		if !s.Enquiry.Purged && s.Enquiry.Received.Before(before) {
			n++
		}
	}
	return n, nil
}

// PurgeOne implements enquiry.Records.
func (m *Memory) PurgeOne(_ context.Context, id string) (bool, error) {
	return m.purge(func(e enquiry.Enquiry) bool { return e.ID == id }) > 0, nil
}

func (m *Memory) purge(which func(enquiry.Enquiry) bool) (n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range m.Sent {
		e := &m.Sent[i].Enquiry
		if e.Purged || !which(*e) {
			continue
		}
		n++
		e.Purged = true
		e.Form = enquiry.Form{Intent: e.Intent, Dataset: e.Dataset}
		for j := range m.Letters {
			if l := &m.Letters[j]; l.Enquiry == e.ID {
				l.To, l.ReplyTo, l.Text = "", "", ""
			}
		}
	}
	return n
}
