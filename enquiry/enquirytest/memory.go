// Package enquirytest has a store of enquiries in memory, for tests of other packages.
package enquirytest

import (
	"context"
	"slices"
	"sync"
	"time"

	"vaak/enquiry"
)

// Memory implements [enquiry.Store], [enquiry.Outbox] and [enquiry.Records]. Its zero value is
// empty. Its fields may be read while no method runs.
type Memory struct {
	Now func() time.Time // nil means time.Now

	mu        sync.Mutex
	Sent      []enquiry.Submission // in the order in which they came
	Questions []enquiry.Pending
	Letters   []enquiry.Mail
	Links     []LinkMail // mails with a link, in the order in which they came
	Journal   []enquiry.Entry
	Given     []enquiry.Release
}

func (m *Memory) now() time.Time {
	if m.Now != nil {
		return m.Now()
	}
	return time.Now()
}

// window is the time over which limits count.
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
	qs, now := questions(m.Questions), m.now()
	if before := qs.mailed(q.Pending, now); before != nil {
		asked := enquiry.Asked{There: before}
		for _, l := range m.Links {
			if l.Digest == before.Digest {
				asked.State = l.State
			}
		}
		return asked, nil
	}
	if full := qs.full(q.Pending.Client, now, func(enquiry.Pending) bool { return true }, q.Limits.Client, q.Limits.All); full != "" {
		return enquiry.Asked{Full: full}, nil
	}
	if q.Pending.Recipient != "" {
		full := qs.full(q.Pending.Client, now, func(p enquiry.Pending) bool { return p.Recipient != "" }, q.Links.Client, q.Links.All)
		if qs.mailedTo(q.Pending.Recipient, now) >= q.Links.Address {
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

// questions are all questions that were put to people.
type questions []enquiry.Pending

// full returns the limit that has no room for another question of a client. It counts the
// questions of the last hour for which counts is true.
func (qs questions) full(client string, now time.Time, counts func(enquiry.Pending) bool, mostByClient, most int) enquiry.Scope {
	var byClient, all int
	for _, there := range qs {
		if now.Sub(there.Asked) < window && counts(there) {
			all++
			if there.Client != "" && there.Client == client {
				byClient++
			}
		}
	}
	return scope(false, byClient >= mostByClient && client != "", all >= most)
}

// mailedTo counts the links that were mailed to an address in the last day.
func (qs questions) mailedTo(recipient string, now time.Time) (n int) {
	for _, there := range qs {
		if there.Recipient == recipient && now.Sub(there.Asked) < 24*window {
			n++
		}
	}
	return n
}

// mailed returns the question with the same content that was mailed to the same person and
// still waits, or nil.
func (qs questions) mailed(p enquiry.Pending, now time.Time) (before *enquiry.Pending) {
	for _, there := range qs {
		if p.Recipient != "" && there.Recipient == p.Recipient && there.Whole == p.Whole && waits(there, now) {
			before = &there
		}
	}
	return before
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
