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

// PutPending implements enquiry.Store.
func (m *Memory) PutPending(_ context.Context, p enquiry.Pending, l enquiry.Limits, e enquiry.Entry) (enquiry.Scope, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var byClient, all int
	for _, q := range m.Questions {
		if m.now().Sub(q.Asked) < window {
			all++
			if p.Client != "" && q.Client == p.Client {
				byClient++
			}
		}
	}
	if full := scope(false, byClient >= l.Client, all >= l.All); full != "" {
		return full, nil
	}
	m.Questions = append(m.Questions, p)
	m.add(e)
	return "", nil
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
