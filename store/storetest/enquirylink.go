package storetest

import (
	"fmt"
	"testing"
	"time"

	"vaak/enquiry"
)

// pending returns pending enquiry n, from 1, of a client of its own, which waits behind a link.
// It expires half an hour after the clock of the suite begins.
func pending(n int) enquiry.Pending {
	return enquiry.Pending{
		Digest: fmt.Sprint("digest ", n), Form: submission(n).Enquiry.Form, Content: fmt.Sprint("content ", n), Client: fmt.Sprint("client ", n),
		Source: enquiry.Source{RequestID: "req_1", KeyID: "key_1", Agent: "agent", AgentVersion: "2", Protocol: "2025-06-18"},
		Asked:  created.Add(-time.Second), Expires: created.Add(30 * time.Minute),
	}
}

var linked = enquiry.Entry{Outcome: enquiry.OutcomeLinked, State: "digest", Times: 1}

func putPending(t *testing.T, e Enquiries, p enquiry.Pending) {
	t.Helper()
	put(t, e, ask(p))
}

// ask returns a question that the host of an agent asks, with limits that are not reached.
func ask(p enquiry.Pending) enquiry.Ask {
	return enquiry.Ask{Pending: p, Entry: linked, Limits: wide}
}

func put(t *testing.T, e Enquiries, q enquiry.Ask) {
	t.Helper()
	asked, err := e.PutQuestion(t.Context(), q)
	if err != nil || asked != (enquiry.Asked{}) {
		t.Fatalf("PutQuestion = %+v, %v", asked, err)
	}
}

func wantPending(t *testing.T, e Enquiries, want enquiry.Pending) {
	t.Helper()
	got, ok, err := e.Pending(t.Context(), want.Digest)
	check(t, "Pending", err)
	if !ok {
		t.Fatalf("Pending(%q) = none, want one", want.Digest)
	}
	same(t, "Pending", got, want)
}

func wantNoPending(t *testing.T, e Enquiries, digest string) {
	t.Helper()
	if got, ok, err := e.Pending(t.Context(), digest); ok || err != nil || got.Digest != "" {
		t.Errorf("Pending(%q) = %v, %v, %v, want none", digest, got, ok, err)
	}
}

func testPending(t *testing.T, o OpenedEnquiries) {
	e, p := o.Enquiries, pending(1)
	putPending(t, e, p)
	bare := enquiry.Pending{Digest: "bare", Form: enquiry.Form{Name: "A", Email: "a@b", Intent: enquiry.Quote}, Content: "c", Asked: created, Expires: created.Add(time.Hour)}
	putPending(t, e, bare)
	wantPending(t, e, p)
	wantPending(t, e, bare)
	entries, err := e.Entries(t.Context(), "", 10)
	check(t, "Entries", err)
	entry := linked
	entry.At = o.Clock.Now()
	same(t, "Entries", entries, []enquiry.Entry{entry, entry})
	if _, err := e.PutQuestion(t.Context(), ask(p)); err == nil {
		t.Error("PutQuestion of a digest that is there is no error")
	}
	o.Clock.Advance(30*time.Minute - time.Microsecond)
	wantPending(t, e, p)
	o.Clock.Advance(time.Microsecond)
	wantNoPending(t, e, p.Digest)
	wantPending(t, e, bare)
	wantNoPending(t, e, "other")
}

func testPendingLimits(t *testing.T, o OpenedEnquiries) {
	e, n := o.Enquiries, 0
	put := func(client string, l enquiry.Limits, want enquiry.Scope) {
		t.Helper()
		n++
		p := pending(n)
		p.Client, p.Expires = client, o.Clock.Now().Add(time.Minute)
		before, err := e.Entries(t.Context(), "", 100)
		check(t, "Entries", err)
		q := ask(p)
		q.Limits = l
		asked, err := e.PutQuestion(t.Context(), q)
		if asked != (enquiry.Asked{Full: want}) || err != nil {
			t.Errorf("PutQuestion %d = %+v, %v, want %q", n, asked, err, want)
		}
		after, err := e.Entries(t.Context(), "", 100)
		check(t, "Entries", err)
		if want == "" {
			wantPending(t, e, p)
			return
		}
		wantNoPending(t, e, p.Digest)
		same(t, "Entries after a refusal", after, before)
	}
	l := enquiry.Limits{Sender: 0, Client: 2, All: 4}
	put("x", l, "")
	o.Clock.Advance(30 * time.Minute)
	put("x", l, "")
	put("x", l, enquiry.ClientScope)
	put("", l, "")
	put("", l, "")
	put("", l, enquiry.AllScope)
	put("y", l, enquiry.AllScope)
	put("x", l, enquiry.ClientScope)
	o.Clock.Advance(30*time.Minute - time.Microsecond) // the links have expired, and still count within the hour
	put("y", l, enquiry.AllScope)
	o.Clock.Advance(time.Microsecond)
	put("x", l, "")
	put("x", l, enquiry.ClientScope)
	o.Clock.Advance(2 * time.Hour)
	for range 2 {
		put("x", l, "")
	}
	put("x", l, enquiry.ClientScope)
	if full, err := e.FullFor(t.Context(), "s", "x", enquiry.Limits{Sender: 1, Client: 1, All: 1}); full != "" || err != nil {
		t.Errorf("FullFor = %q, %v, want room: what waits is no enquiry", full, err)
	}
}

// testPendingSent sends a pending enquiry twice.
func testPendingSent(t *testing.T, o OpenedEnquiries) {
	e, p, other := o.Enquiries, pending(1), pending(2)
	putPending(t, e, p)
	putPending(t, e, other)
	s := submission(1)
	s.Burn, s.Limits.Sender = p.Digest, 0
	wantSenderFull, err := e.KeepEnquiry(t.Context(), s)
	check(t, "KeepEnquiry", err)
	same(t, "KeepEnquiry", wantSenderFull, enquiry.Kept{Full: enquiry.SenderScope})
	wantPending(t, e, p) // it may be sent later
	s.Limits = wide
	first := submit(t, e, s)
	p.Sent = first.Enquiry.ID
	wantPending(t, e, p)
	wantPending(t, e, other)
	o.Clock.Advance(time.Minute)
	s.Enquiry.ID = id("enq_", 9)
	entries := wantRepeated(t, o, s, first, first.Entry)
	wantPending(t, e, p)
	o.Clock.Advance(time.Minute)
	same := submission(1) // another link to the same
	same.Burn = other.Digest
	wantRepeated(t, o, same, first, entries...)
	other.Sent = first.Enquiry.ID
	wantPending(t, e, other)
	o.Clock.Advance(time.Hour)
	wantNoPending(t, e, p.Digest)
}
