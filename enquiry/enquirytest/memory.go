// Package enquirytest has a store of enquiries in memory, for tests.
package enquirytest

import (
	"context"
	"slices"
	"sync"
	"time"

	"vaak/enquiry"
)

// Memory implements [enquiry.Store], [enquiry.Outbox] and [enquiry.Records]. The zero
// value is empty. What it holds may be read when nobody writes.
type Memory struct {
	Now func() time.Time // nil is time.Now

	mu        sync.Mutex
	Sent      []enquiry.Submission // in their order
	Questions []enquiry.Pending
	Letters   []enquiry.Mail
	Links     []LinkMail // mails with a link, in their order
	Journal   []enquiry.Entry
	Given     []enquiry.Release
}

func (m *Memory) now() time.Time {
	if m.Now != nil {
		return m.Now()
	}
	return time.Now()
}

// window is what limits count.
const window = time.Hour

func (m *Memory) full(senderDigest, client string, l enquiry.Limits) enquiry.Scope {
	var bySender, byClient, all int
	for _, s := range m.Sent {
		if m.now().Sub(s.Enquiry.Received) >= window {
			continue
		}
		all++
		if s.Sender == senderDigest {
			bySender++
		}
		if client != "" && s.Client == client {
			byClient++
		}
	}
	return scope(bySender >= l.Sender, byClient >= l.Client, all >= l.All)
}

func scope(bySender, byClient, all bool) enquiry.Scope {
	switch {
	case bySender:
		return enquiry.SenderScope
	case byClient:
		return enquiry.ClientScope
	case all:
		return enquiry.AllScope
	}
	return ""
}

// KeepEnquiry implements enquiry.Store.
func (m *Memory) KeepEnquiry(ctx context.Context, s enquiry.Submission) (enquiry.Kept, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return enquiry.Kept{}, err
	}
	for _, there := range m.Sent {
		if there.Enquiry.ID == s.Enquiry.ID || s.Burn != "" && there.Burn == s.Burn {
			s.Entry.Outcome, s.Entry.Enquiry = enquiry.OutcomeRepeated, there.Enquiry.ID
			s.Entry.Fold = "repeated " + there.Enquiry.ID + " " + s.Client + " " + m.now().UTC().Format("2006-01-02T15")
			m.add(s.Entry)
			return enquiry.Kept{Enquiry: there.Enquiry, Repeated: true}, nil
		}
	}
	if full := m.full(s.Sender, s.Client, s.Limits); full != "" {
		return enquiry.Kept{Full: full}, nil
	}
	s.Enquiry.Received = m.now()
	m.Sent = append(m.Sent, s)
	m.Letters = append(m.Letters, s.Mails...)
	m.add(s.Entry)
	for i := range m.Questions {
		if m.Questions[i].Digest == s.Burn {
			m.Questions[i].Sent = s.Enquiry.ID
		}
	}
	for i := range m.Journal {
		if e := &m.Journal[i]; s.Burn != "" && e.State == s.Burn {
			e.Enquiry = s.Enquiry.ID
		}
	}
	return enquiry.Kept{Enquiry: s.Enquiry}, nil
}

func (m *Memory) add(e enquiry.Entry) {
	e.At = m.now()
	for i := range m.Journal {
		if j := &m.Journal[i]; e.Fold != "" && j.Fold == e.Fold {
			j.Times, j.At = j.Times+e.Times, e.At
			return
		}
	}
	m.Journal = append(m.Journal, e)
}

// FullFor implements enquiry.Store.
func (m *Memory) FullFor(_ context.Context, senderDigest, client string, l enquiry.Limits) (enquiry.Scope, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.full(senderDigest, client, l), nil
}

// Note implements enquiry.Store.
func (m *Memory) Note(ctx context.Context, e enquiry.Entry) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.add(e)
	return ctx.Err()
}

// WasDeclined implements enquiry.Store.
func (m *Memory) WasDeclined(_ context.Context, content string) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.ContainsFunc(m.Journal, func(e enquiry.Entry) bool {
		return e.Outcome == enquiry.OutcomeDeclined && e.Content == content
	}), nil
}

// WasCancelled implements enquiry.Store.
func (m *Memory) WasCancelled(_ context.Context, question string) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.ContainsFunc(m.Journal, func(e enquiry.Entry) bool {
		return e.Outcome == enquiry.OutcomeCancelled && e.State == question
	}), nil
}

// PutQuestion implements enquiry.Store.
func (m *Memory) PutQuestion(_ context.Context, q enquiry.Ask) (enquiry.Asked, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if asked := m.mailedBefore(q.Pending); asked.There != nil {
		return asked, nil
	}
	if full := m.fullOfQuestions(q, func(enquiry.Pending) bool { return true }, q.Limits.Client, q.Limits.All); full != "" {
		return enquiry.Asked{Full: full}, nil
	}
	if q.Pending.Recipient != "" {
		full := m.fullOfQuestions(q, func(p enquiry.Pending) bool { return p.Recipient != "" }, q.Links.Client, q.Links.All)
		if m.mailedTo(q.Pending.Recipient) >= q.Links.Address {
			full = enquiry.SenderScope
		}
		if full != "" {
			return enquiry.Asked{Full: full, OfMail: true}, nil
		}
		m.Links = append(m.Links, LinkMail{q.Pending.Digest, q.Mail})
	}
	m.Questions = append(m.Questions, q.Pending)
	m.add(q.Entry)
	return enquiry.Asked{}, nil
}

// fullOfQuestions returns the limit without room of some questions of the last hour.
func (m *Memory) fullOfQuestions(q enquiry.Ask, counts func(enquiry.Pending) bool, mostByClient, most int) enquiry.Scope {
	var byClient, all int
	for _, there := range m.Questions {
		if m.now().Sub(there.Asked) < window && counts(there) {
			all++
			if there.Client != "" && there.Client == q.Pending.Client {
				byClient++
			}
		}
	}
	return scope(false, byClient >= mostByClient && q.Pending.Client != "", all >= most)
}

// mailedTo counts the links that were mailed to an address in a day.
func (m *Memory) mailedTo(recipient string) (n int) {
	for _, there := range m.Questions {
		if there.Recipient == recipient && m.now().Sub(there.Asked) < 24*window {
			n++
		}
	}
	return n
}

func (m *Memory) mailedBefore(p enquiry.Pending) (asked enquiry.Asked) {
	for _, there := range m.Questions {
		if p.Recipient != "" && there.Recipient == p.Recipient && there.Whole == p.Whole && there.Sent == "" && there.Expires.After(m.now()) {
			asked.There = &there
		}
	}
	for _, l := range m.Links {
		if asked.There != nil && l.Digest == asked.There.Digest {
			asked.State = l.State
		}
	}
	return asked
}

// Pending implements enquiry.Store.
func (m *Memory) Pending(_ context.Context, digest string) (enquiry.Pending, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, p := range m.Questions {
		if p.Digest == digest && p.Expires.After(m.now()) {
			return p, true, nil
		}
	}
	return enquiry.Pending{}, false, nil
}

// Enquiry implements enquiry.Store.
func (m *Memory) Enquiry(_ context.Context, id string) (enquiry.Enquiry, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range m.Sent {
		if s.Enquiry.ID == id {
			return s.Enquiry, true, nil
		}
	}
	return enquiry.Enquiry{}, false, nil
}
