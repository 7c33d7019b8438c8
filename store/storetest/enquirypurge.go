package storetest

import (
	"fmt"
	"testing"
	"time"

	"vaak/enquiry"
	"vaak/internal/fault"
)

// purge purges, and checks how many enquiries were purgeable before and were purged.
func purge(t *testing.T, e Enquiries, before time.Time, want int) {
	t.Helper()
	count := func(want int) {
		t.Helper()
		if got, err := e.Purgeable(t.Context(), before); got != want || err != nil {
			t.Errorf("Purgeable(%v) = %d, %v, want %d", before, got, err, want)
		}
	}
	count(want)
	defer count(0)
	if got, err := e.Purge(t.Context(), before); got != want || err != nil {
		t.Errorf("Purge(%v) = %d, %v, want %d", before, got, err, want)
	}
}

// purged returns what is left of a submission that was purged at an instant. Its queued mails
// have failed.
func purged(s enquiry.Submission, at time.Time) enquiry.Submission {
	s.Enquiry.Form = enquiry.Form{Intent: s.Enquiry.Intent, Dataset: s.Enquiry.Dataset}
	s.Enquiry.Purged, s.Entry.Shown = true, ""
	s.Mails = append([]enquiry.Mail(nil), s.Mails...)
	for i := range s.Mails {
		m := &s.Mails[i]
		m.To, m.ReplyTo, m.Text, m.Problem = "", "", "", ""
		if m.State == enquiry.Queued {
			m.State, m.Problem, m.Changed = enquiry.Failed, "purged", at
		}
	}
	return s
}

func testPurge(t *testing.T, o OpenedEnquiries) {
	ctx, e := t.Context(), o.Enquiries
	p, waits := pending(1), pending(2)
	waits.Expires = created.Add(10 * time.Hour)
	putPending(t, e, p)
	putPending(t, e, waits)
	check(t, "Note", e.Note(ctx, enquiry.Entry{Outcome: enquiry.OutcomeDeclined, Content: "declined"}))
	old := submission(1)
	old.Burn = waits.Digest
	old = submit(t, e, old)
	check(t, "MailFailed", e.MailFailed(ctx, old.Mails[0].ID, created, "550 ana@example.org is unknown", true))
	old.Mails[0].State, old.Mails[0].Attempts = enquiry.Failed, 1
	r, m, entry := release(1, old.Enquiry.ID)
	check(t, "PutRelease", e.PutRelease(ctx, r, m, entry))
	m.Changed, entry.At, entry.Enquiry = created, created, old.Enquiry.ID
	old.Mails = append(old.Mails, m)

	old.Entry.Enquiry = old.Enquiry.ID
	limit := o.Clock.Advance(5 * time.Hour)
	later := submit(t, e, submission(2))
	kept := pending(3)
	kept.Expires = limit
	putPending(t, e, kept)
	check(t, "Note", e.Note(ctx, enquiry.Entry{Outcome: enquiry.OutcomeDeclined, Content: "later"}))
	now := o.Clock.Advance(time.Minute)

	purge(t, e, created, 0) // nothing is from before it
	wantEnquiry(t, e, later.Enquiry, later.Mails, []enquiry.Entry{later.Entry})
	for _, want := range []int{1, 0} { // the second time nothing is left to purge
		purge(t, e, limit, want)
		left := purged(old, now)
		wantEnquiry(t, e, left.Enquiry, left.Mails, []enquiry.Entry{left.Entry, entry})
		r.Licence, r.Expires = "", now
		wantReleases(t, e, old.Enquiry.ID, r)
		if ok, err := e.TakeDownload(ctx, r.ID, enquiry.Entry{Outcome: enquiry.OutcomeAccepted}); ok || err != nil {
			t.Errorf("TakeDownload = %v, %v, want none left", ok, err)
		}
		wantEnquiry(t, e, later.Enquiry, later.Mails, []enquiry.Entry{later.Entry})
		wantNoPending(t, e, waits.Digest) // it was sent as the purged enquiry
		entries, err := e.Entries(ctx, "", 10)
		check(t, "Entries", err)
		if len(entries) != 2 || !entries[0].At.Equal(limit) || !entries[1].At.Equal(limit) {
			t.Errorf("entries of no enquiry = %v, want the two from later", entries)
		}
		for content, want := range map[string]bool{"declined": false, "later": true} {
			if got, err := e.WasDeclined(ctx, content); got != want || err != nil {
				t.Errorf("WasDeclined(%q) = %v, %v, want %v", content, got, err, want)
			}
		}
		o.Clock.Advance(time.Minute)
	}
	purge(t, e, o.Clock.Now().Add(1000*time.Hour), 1)
	wantPurgedEverywhere(t, e, later.Enquiry.ID)
}

// testPurgeOne checks that PurgeOne purges a recent enquiry, and no other.
func testPurgeOne(t *testing.T, o OpenedEnquiries) {
	e := o.Enquiries
	one, other := submit(t, e, submission(1)), submit(t, e, submission(2))
	for _, want := range []bool{true, false} {
		if got, err := e.PurgeOne(t.Context(), one.Enquiry.ID); got != want || err != nil {
			t.Errorf("PurgeOne = %v, %v, want %v", got, err, want)
		}
	}
	for _, id := range []string{"", "enq_none", "\x00", "\xff"} {
		if got, err := e.PurgeOne(t.Context(), id); got || err != nil {
			t.Errorf("PurgeOne(%q) = %v, %v, want none", id, got, err)
		}
	}
	wantPurgedEverywhere(t, e, one.Enquiry.ID)
	wantEnquiry(t, e, other.Enquiry, other.Mails, []enquiry.Entry{other.Entry})
}

// wantPurgedEverywhere checks that no field which may hold a person's text has one any more.
func wantPurgedEverywhere(t *testing.T, e Enquiries, ids ...string) {
	t.Helper()
	for _, id := range ids {
		found, ok, err := e.Enquiry(t.Context(), id)
		check(t, "Enquiry", err)
		mails, err := e.Mails(t.Context(), id)
		check(t, "Mails", err)
		entries, err := e.Entries(t.Context(), id, 100)
		check(t, "Entries", err)
		if !ok || !found.Purged || found.Name+found.Email+found.Company+found.Message+found.Agent != "" {
			t.Errorf("Enquiry(%q) = %+v, %v, want it purged", id, found, ok)
		}
		for _, m := range mails {
			if m.To+m.ReplyTo+m.Text != "" || m.State == enquiry.Queued {
				t.Errorf("a mail is %+v, want it purged", m)
			}
			if _, ok, err := e.Mail(t.Context(), m.ID); ok || err != nil {
				t.Errorf("Mail(%q) = %v, %v, want none any more", m.ID, ok, err)
			}
		}
		for _, entry := range entries {
			if entry.Shown != "" {
				t.Errorf("an entry shows %q, want nothing", entry.Shown)
			}
		}
	}
}

// testPurgeHour checks that a purged enquiry still counts toward limits, and is still
// recognised when it is repeated.
func testPurgeHour(t *testing.T, o OpenedEnquiries) {
	e, l := o.Enquiries, enquiry.Limits{Sender: 1, Client: 9, All: 9}
	first := from(1, "a", "x", l)
	first.Burn = "burn"
	first = submit(t, e, first)
	now := o.Clock.Advance(time.Minute)
	purge(t, e, now, 1)
	left := purged(first, now)
	again := from(1, "a", "x", l)
	entries := wantRepeated(t, o, again, left, left.Entry)
	other := from(2, "a", "x", l)
	other.Burn = "burn"
	wantRepeated(t, o, other, left, entries...)
	wantFull(t, o, from(3, "a", "y", l), enquiry.SenderScope)
	wantFull(t, o, from(3, "b", "x", enquiry.Limits{Sender: 1, Client: 1, All: 9}), enquiry.ClientScope)
	o.Clock.Advance(time.Hour)
	submit(t, e, from(3, "a", "x", l))
	purge(t, e, o.Clock.Now(), 0)
	wantFull(t, o, from(4, "a", "y", l), enquiry.SenderScope)
	o.Clock.Advance(time.Hour)
	purge(t, e, o.Clock.Now(), 1)
	list, err := e.Enquiries(t.Context(), enquiry.ListQuery{Limit: 10})
	check(t, "Enquiries", err)
	if len(list) != 2 || !list[0].Purged || !list[1].Purged {
		t.Errorf("Enquiries = %v, want two that are purged", list)
	}
}

// testPurgedAlone checks that no call gives a purged enquiry texts again.
func testPurgedAlone(t *testing.T, o OpenedEnquiries) {
	ctx, e := t.Context(), o.Enquiries
	s := submit(t, e, submission(1))
	now := o.Clock.Advance(time.Minute)
	purge(t, e, now, 1)
	s = purged(s, now)
	if done, err := e.RetryMail(ctx, s.Mails[0].ID, enquiry.Entry{Outcome: enquiry.OutcomeRetried}); done || err != nil {
		t.Errorf("RetryMail = %v, %v, want false", done, err)
	}
	r, m, entry := release(1, s.Enquiry.ID)
	wantKind(t, "PutRelease", e.PutRelease(ctx, r, m, entry), fault.NotFound)
	check(t, "MailFailed", e.MailFailed(ctx, s.Mails[0].ID, now, "550 ana@example.org", true))
	wantEnquiry(t, e, s.Enquiry, s.Mails, []enquiry.Entry{s.Entry})
	check(t, "MailSent", e.MailSent(ctx, s.Mails[0].ID, now)) // it was being delivered during the purge
	s.Mails[0].State, s.Mails[0].Attempts = enquiry.Delivered, 1
	wantEnquiry(t, e, s.Enquiry, s.Mails, []enquiry.Entry{s.Entry})
	wantPurgedEverywhere(t, e, s.Enquiry.ID)
	check(t, "Note", e.Note(ctx, enquiry.Entry{Outcome: enquiry.OutcomeAsked, Enquiry: s.Enquiry.ID, Shown: "words"}))
	wantPurgedEverywhere(t, e, s.Enquiry.ID)
}

// testPurgeUnsent checks that a purge, whatever its limit, deletes links that have expired, and
// the texts of questions that were not sent within 48 hours.
func testPurgeUnsent(t *testing.T, o OpenedEnquiries) {
	ctx, e := t.Context(), o.Enquiries
	long, short := pending(1), pending(2)
	long.Expires = created.Add(72 * time.Hour)
	asked := enquiry.Entry{Outcome: enquiry.OutcomeAsked, State: "question", Shown: "words", At: created, Times: 1}
	other := asked
	other.State, other.Shown, other.Outcome = "other", "other words", enquiry.OutcomeDeclined
	putPending(t, e, long)
	putPending(t, e, short)
	check(t, "Note", e.Note(ctx, asked))
	check(t, "Note", e.Note(ctx, other))
	s := submission(1)
	s.Burn = asked.State
	s = submit(t, e, s)
	asked.Enquiry = s.Enquiry.ID
	want := func() {
		t.Helper()
		purge(t, e, created.Add(-time.Hour), 0)
		wantEnquiry(t, e, s.Enquiry, s.Mails, []enquiry.Entry{asked, s.Entry})
		wantPending(t, e, long)
		wantNoPending(t, e, short.Digest)
		got, err := e.Entries(ctx, "", 1)
		check(t, "Entries", err)
		same(t, "Entries", got, []enquiry.Entry{other})
	}
	o.Clock.Advance(48*time.Hour - time.Microsecond)
	want()
	o.Clock.Advance(time.Microsecond)
	other.Shown = ""
	want()
}

func testListEnquiries(t *testing.T, o OpenedEnquiries) {
	ctx, e := t.Context(), o.Enquiries
	var want []enquiry.Summary // the newest first
	for n := range 6 {
		if n%2 == 0 { // two of each instant: the higher id is first
			o.Clock.Advance(time.Minute)
		}
		s := submit(t, e, submission(n))
		want = append([]enquiry.Summary{{Enquiry: s.Enquiry, Waiting: 2}}, want...)
	}
	check(t, "MailSent", e.MailSent(ctx, submission(5).Mails[0].ID, created))
	want[0].Waiting, want[0].Delivered = 1, 1
	for _, m := range submission(4).Mails {
		check(t, "MailFailed", e.MailFailed(ctx, m.ID, created, "no", true))
	}
	want[1].Waiting, want[1].Failed = 0, 2
	for n := range 2 {
		r, m, entry := release(n, want[2].ID)
		check(t, "PutRelease", e.PutRelease(ctx, r, m, entry))
	}
	want[2].Waiting, want[2].Released = 4, true
	for _, tt := range []struct {
		q    enquiry.ListQuery
		want []enquiry.Summary
	}{
		{enquiry.ListQuery{Limit: 100}, want},
		{enquiry.ListQuery{Limit: 5000}, want},
		{enquiry.ListQuery{Limit: 3}, want[:3]},
		{enquiry.ListQuery{Limit: 0}, want[:1]},
		{enquiry.ListQuery{Limit: -1}, want[:1]},
		{enquiry.ListQuery{Limit: 9, Before: o.Clock.Now().Add(time.Microsecond)}, want},
		{enquiry.ListQuery{Limit: 9, Before: o.Clock.Now()}, want[2:]},
		{enquiry.ListQuery{Limit: 3, Before: want[2].Received}, want[4:]},
		{enquiry.ListQuery{Limit: 9, Before: created}, nil},
		// Within one instant, the cursor is the id.
		{enquiry.ListQuery{Limit: 9, Before: want[2].Received, BeforeID: want[2].ID}, want[3:]},
		{enquiry.ListQuery{Limit: 1, Before: want[0].Received, BeforeID: want[0].ID}, want[1:2]},
		{enquiry.ListQuery{Limit: 9, Before: want[3].Received, BeforeID: want[3].ID}, want[4:]},
		{enquiry.ListQuery{Limit: 9, Before: want[3].Received, BeforeID: "zzz"}, want[2:]},
	} {
		got, err := e.Enquiries(ctx, tt.q)
		check(t, "Enquiries", err)
		same(t, fmt.Sprintf("Enquiries(%+v)", tt.q), got, tt.want)
	}
}
