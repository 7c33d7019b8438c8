package storetest

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"vaak/enquiry"
)

// wantMail checks a mail, by its id.
func wantMail(t *testing.T, e Enquiries, want enquiry.Mail) {
	t.Helper()
	got, ok, err := e.Mail(t.Context(), want.ID)
	check(t, "Mail", err)
	if !ok {
		t.Fatalf("Mail(%q) = none, want one", want.ID)
	}
	same(t, "Mail", got, want)
}

func testMails(t *testing.T, o OpenedEnquiries) {
	ctx, e := t.Context(), o.Enquiries
	s := submit(t, e, submission(1))
	m, other := s.Mails[0], s.Mails[1]
	at := func(n int) time.Time { return created.Add(time.Duration(n) * time.Minute) }
	check(t, "MailFailed", e.MailFailed(ctx, m.ID, at(1), "451 later", false))
	m.Attempts, m.Problem, m.Changed = 1, "451 later", at(1)
	wantMail(t, e, m)
	check(t, "MailFailed", e.MailFailed(ctx, m.ID, at(2), "451 again", false))
	check(t, "MailSent", e.MailSent(ctx, m.ID, at(3)))
	m.State, m.Attempts, m.Problem, m.Changed = enquiry.Delivered, 3, "451 again", at(3)
	wantMail(t, e, m)
	check(t, "MailFailed", e.MailFailed(ctx, m.ID, at(4), "too late", true))
	wantMail(t, e, m) // a delivered mail stays delivered
	check(t, "MailSent", e.MailSent(ctx, m.ID, at(5)))
	m.Attempts, m.Changed = 4, at(5)
	wantMail(t, e, m)

	wantMail(t, e, other)
	check(t, "MailFailed", e.MailFailed(ctx, other.ID, at(1), "554 no", true))
	other.State, other.Attempts, other.Problem, other.Changed = enquiry.Failed, 1, "554 no", at(1)
	wantMail(t, e, other)
	check(t, "MailFailed", e.MailFailed(ctx, other.ID, at(2), "451", false))
	wantMail(t, e, other)
	check(t, "MailSent", e.MailSent(ctx, other.ID, at(3)))
	other.State, other.Attempts, other.Changed = enquiry.Delivered, 2, at(3)
	wantMail(t, e, other)
	wantEnquiry(t, e, s.Enquiry, []enquiry.Mail{m, other}, []enquiry.Entry{s.Entry})
	check(t, "MailSent of none", e.MailSent(ctx, "mail_none", at(1)))
	check(t, "MailFailed of none", e.MailFailed(ctx, "mail_none", at(1), "", true))
}

// testProblems checks that the answer of a mail server is stored in part, whatever it holds.
func testProblems(t *testing.T, o OpenedEnquiries) {
	e, s := o.Enquiries, submit(t, o.Enquiries, submission(1))
	for _, tt := range []struct{ why, want string }{
		{"", ""}, {"451 \u2028 it's ?", "451 \u2028 it's ?"}, {"a\x00b", "ab"}, {"a\xffb", "ab"}, {"\x00", ""},
		{strings.Repeat("x", 1000), strings.Repeat("x", 500)}, {"x" + strings.Repeat("भ", 1000), "x" + strings.Repeat("भ", 166)},
	} {
		check(t, "MailFailed", e.MailFailed(t.Context(), s.Mails[0].ID, created, tt.why, false))
		got, _, err := e.Mail(t.Context(), s.Mails[0].ID)
		check(t, "Mail", err)
		if got.Problem != tt.want || !utf8.ValidString(got.Problem) {
			t.Errorf("the problem %.20q is kept as %q, want %q", tt.why, got.Problem, tt.want)
		}
	}
}

func testRetryMail(t *testing.T, o OpenedEnquiries) {
	ctx, e := t.Context(), o.Enquiries
	s := submit(t, e, submission(1))
	m, entries := s.Mails[0], []enquiry.Entry{s.Entry}
	retried := enquiry.Entry{Outcome: enquiry.OutcomeRetried, Times: 1}
	retry := func(want bool) {
		t.Helper()
		if got, err := e.RetryMail(ctx, m.ID, retried); got != want || err != nil {
			t.Errorf("RetryMail of a mail that is %s = %v, %v, want %v", m.State, got, err, want)
		}
		if want {
			m.State, m.Attempts, m.Changed = enquiry.Queued, 0, o.Clock.Now()
			entry := retried
			entry.At, entry.Enquiry = o.Clock.Now(), s.Enquiry.ID
			entries = append(entries, entry)
		}
		wantEnquiry(t, e, s.Enquiry, []enquiry.Mail{m, s.Mails[1]}, entries)
	}
	retry(false)
	for range 2 {
		at := o.Clock.Advance(time.Minute)
		check(t, "MailFailed", e.MailFailed(ctx, m.ID, at, "554", true))
		m.State, m.Attempts, m.Problem, m.Changed = enquiry.Failed, 1, "554", at
		o.Clock.Advance(time.Minute)
		retry(true)
		retry(false) // it waits now
	}
	// A job for each time it was queued, since no engine works jobs here.
	wantJobs(t, o, m.ID, m.ID, m.ID, s.Mails[1].ID)
	check(t, "MailSent", e.MailSent(ctx, m.ID, created))
	m.State, m.Attempts, m.Changed = enquiry.Delivered, 1, created
	retry(false)
	for _, none := range []string{"mail_none", "", "\x00", "\xff"} {
		if got, err := e.RetryMail(ctx, none, retried); got || err != nil {
			t.Errorf("RetryMail(%q) = %v, %v, want false", none, got, err)
		}
	}
}
