package storetest

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"vaak/enquiry"
)

// mailedAsk returns question n, from 1, that is mailed to a person, with limits that are not
// reached. Its link is valid for a day.
func mailedAsk(n int) enquiry.Ask {
	q := ask(pending(n))
	q.Pending.Recipient, q.Pending.Whole, q.Pending.Expires = fmt.Sprint("recipient ", n), fmt.Sprint("whole ", n), created.Add(24*time.Hour)
	q.Mail, q.Links = mail(100+n, "", enquiry.WithLink), enquiry.LinkLimits{Address: 1 << 30, Client: 1 << 30, All: 1 << 30}
	q.Entry.Outcome = enquiry.OutcomeMailed
	return q
}

func wantLinkMail(t *testing.T, e Enquiries, want enquiry.Mail) {
	t.Helper()
	got, ok, err := e.LinkMails().Mail(t.Context(), want.ID)
	check(t, "Mail", err)
	if !ok {
		t.Fatalf("Mail(%q) = none, want one", want.ID)
	}
	same(t, "Mail", got, want)
}

func wantNoLinkMail(t *testing.T, e Enquiries, id string) {
	t.Helper()
	if got, ok, err := e.LinkMails().Mail(t.Context(), id); ok || err != nil {
		t.Errorf("Mail(%q) = %+v, %v, %v, want none", id, got, ok, err)
	}
}

// testLinkMails checks mails with a link, from their job to their last state.
func testLinkMails(t *testing.T, o OpenedEnquiries) {
	ctx, e := t.Context(), o.Enquiries
	one, two, three := mailedAsk(1), mailedAsk(2), mailedAsk(3)
	for _, q := range []enquiry.Ask{one, two, three} {
		put(t, e, q)
		wantPending(t, e, q.Pending)
	}
	wantJobs(t, o, one.Mail.ID, two.Mail.ID, three.Mail.ID)
	for _, q := range []*enquiry.Ask{&one, &two} {
		q.Mail.Changed = created
		wantLinkMail(t, e, q.Mail)
	}
	if _, ok, err := e.Mail(ctx, one.Mail.ID); ok || err != nil {
		t.Errorf("a mail with a link is among those of enquiries: %v, %v", ok, err)
	}
	now := o.Clock.Advance(time.Minute)
	check(t, "MailFailed", e.LinkMails().MailFailed(ctx, one.Mail.ID, now, "451 later\x00", false))
	one.Mail.Attempts, one.Mail.Problem, one.Mail.Changed = 1, "451 later", now
	wantLinkMail(t, e, one.Mail)
	check(t, "MailSent", e.LinkMails().MailSent(ctx, one.Mail.ID, now))
	one.Mail.Attempts, one.Mail.State, one.Mail.Text = 2, enquiry.Delivered, ""
	wantLinkMail(t, e, one.Mail)
	check(t, "MailFailed", e.LinkMails().MailFailed(ctx, one.Mail.ID, now, "late", true)) // it was delivered
	wantLinkMail(t, e, one.Mail)
	check(t, "MailFailed", e.LinkMails().MailFailed(ctx, two.Mail.ID, now, "550 no", true))
	two.Mail.Attempts, two.Mail.State, two.Mail.Problem, two.Mail.Changed = 1, enquiry.Failed, "550 no", now
	wantLinkMail(t, e, two.Mail)

	s := submission(3)
	s.Burn = three.Pending.Digest
	submit(t, e, s)
	wantNoLinkMail(t, e, three.Mail.ID) // its enquiry was sent, so it is not mailed any more
	o.Clock.Advance(24*time.Hour - time.Minute)
	wantNoLinkMail(t, e, one.Mail.ID)
	for _, id := range []string{"", "other", "\x00", "\xff"} {
		wantNoLinkMail(t, e, id)
	}
}

// testMailedBefore mails the same question to the same person again.
func testMailedBefore(t *testing.T, o OpenedEnquiries) {
	e, first := o.Enquiries, mailedAsk(1)
	put(t, e, first)
	again := mailedAsk(2)
	again.Pending.Recipient, again.Pending.Whole = first.Pending.Recipient, first.Pending.Whole
	again.Limits, again.Links = enquiry.Limits{}, enquiry.LinkLimits{} // a repetition is recognised before limits are checked
	wantThere := func(state enquiry.MailState) {
		t.Helper()
		got, err := e.PutQuestion(t.Context(), again)
		check(t, "PutQuestion", err)
		same(t, "PutQuestion", got, enquiry.Asked{There: &first.Pending, State: state})
		wantNoPending(t, e, again.Pending.Digest)
		wantJobs(t, o, first.Mail.ID)
	}
	wantThere(enquiry.Queued)
	check(t, "MailFailed", e.LinkMails().MailFailed(t.Context(), first.Mail.ID, created, "no", true))
	wantThere(enquiry.Failed)
	for n, change := range map[int]func(*enquiry.Pending){
		3: func(p *enquiry.Pending) { p.Whole = "other words" }, 4: func(p *enquiry.Pending) { p.Recipient = "other person" },
	} {
		q := mailedAsk(n)
		q.Pending.Recipient, q.Pending.Whole = first.Pending.Recipient, first.Pending.Whole
		change(&q.Pending)
		put(t, e, q)
	}
	o.Clock.Advance(24 * time.Hour) // the link has expired
	q := mailedAsk(5)
	q.Pending.Recipient, q.Pending.Whole, q.Pending.Expires = first.Pending.Recipient, first.Pending.Whole, o.Clock.Now().Add(time.Hour)
	put(t, e, q)
	s := submission(5)
	s.Burn = q.Pending.Digest
	submit(t, e, s)
	q = mailedAsk(6) // the enquiry was sent
	q.Pending.Recipient, q.Pending.Whole, q.Pending.Expires = first.Pending.Recipient, first.Pending.Whole, o.Clock.Now().Add(time.Hour)
	put(t, e, q)
}

// testLinkMailLimits counts mails by address for a day, by client and in all for an hour.
func testLinkMailLimits(t *testing.T, o OpenedEnquiries) {
	e, n := o.Enquiries, 0
	l := enquiry.LinkLimits{Address: 2, Client: 3, All: 5}
	mailTo := func(recipient, client string, want enquiry.Scope) {
		t.Helper()
		n++
		q := mailedAsk(n)
		q.Pending.Recipient, q.Pending.Client, q.Links, q.Pending.Expires = recipient, client, l, o.Clock.Now().Add(24*time.Hour)
		got, err := e.PutQuestion(t.Context(), q)
		if got != (enquiry.Asked{Full: want, OfMail: want != ""}) || err != nil {
			t.Errorf("mail %d to %s by %q = %+v, %v, want %q", n, recipient, client, got, err, want)
		}
		if want != "" {
			wantNoPending(t, e, q.Pending.Digest)
			wantNoLinkMail(t, e, q.Mail.ID)
		}
	}
	for i := range 9 { // questions of hosts do not count
		q := ask(pending(1000 + i))
		q.Pending.Client = "x"
		put(t, e, q)
	}
	mailTo("a", "x", "")
	mailTo("a", "y", "")
	mailTo("a", "z", enquiry.SenderScope)
	mailTo("b", "x", "")
	mailTo("c", "x", "")
	mailTo("d", "x", enquiry.ClientScope)
	mailTo("d", "", "")
	mailTo("e", "", enquiry.AllScope)
	o.Clock.Advance(time.Hour)
	mailTo("d", "x", "")
	mailTo("a", "z", enquiry.SenderScope)
	o.Clock.Advance(23*time.Hour - time.Microsecond)
	mailTo("a", "z", enquiry.SenderScope)
	o.Clock.Advance(time.Microsecond)
	mailTo("a", "z", "")
}

// testLinkMailsAtOnce has many concurrent calls ask for mails to one address.
func testLinkMailsAtOnce(t *testing.T, o OpenedEnquiries) {
	e := o.Enquiries
	var asking sync.WaitGroup
	var mu sync.Mutex
	var put, full int
	for n := range 20 {
		asking.Go(func() {
			q := mailedAsk(n + 1)
			q.Pending.Recipient, q.Links.Address = "a", 5
			got, err := e.PutQuestion(t.Context(), q)
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			if got.Full == "" {
				put++
			} else {
				full++
			}
		})
	}
	asking.Wait()
	if jobs := o.Jobs(t); put != 5 || full != 15 || len(jobs) != 5 {
		t.Errorf("%d mails, %d refused, %d jobs; want 5, 15, 5", put, full, len(jobs))
	}
}

// testLinkMailsPurged checks that a mail is deleted with its link.
func testLinkMailsPurged(t *testing.T, o OpenedEnquiries) {
	e, sent, unsent := o.Enquiries, mailedAsk(1), mailedAsk(2)
	put(t, e, sent)
	put(t, e, unsent)
	s := submission(1)
	s.Burn = sent.Pending.Digest
	s = submit(t, e, s)
	if done, err := e.PurgeOne(t.Context(), s.Enquiry.ID); !done || err != nil {
		t.Errorf("PurgeOne = %v, %v", done, err)
	}
	wantNoPending(t, e, sent.Pending.Digest)
	o.Clock.Advance(24 * time.Hour)
	purge(t, e, created.Add(-time.Hour), 0)
	for _, q := range []enquiry.Ask{sent, unsent} { // both places are free again: nothing is left of them
		q.Pending.Expires = o.Clock.Now().Add(time.Hour)
		put(t, e, q)
		q.Mail.Changed = o.Clock.Now()
		wantLinkMail(t, e, q.Mail)
	}
	if jobs := o.Jobs(t); !slices.Contains(jobs, sent.Mail.ID) {
		t.Errorf("jobs are %q, want one of %s", jobs, sent.Mail.ID)
	}
}
