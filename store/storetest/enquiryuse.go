package storetest

import (
	"context"
	"strings"
	"testing"
	"time"

	"vaak/enquiry"
	"vaak/internal/fault"
)

// testEnquiryNames checks that texts which are no ids of enquiries find none.
func testEnquiryNames(t *testing.T, o OpenedEnquiries) {
	ctx, e := t.Context(), o.Enquiries
	s := submit(t, e, submission(1))
	putPending(t, e, pending(1))
	for _, name := range []string{
		"", " ", "enq_", "\x00", "\xff", "enq_\x00", s.Enquiry.ID + "\x00", s.Enquiry.ID + " ", strings.ToUpper(s.Enquiry.ID),
		s.Enquiry.ID[:10], "%", "_", "?", "'", "' OR 1=1 --", strings.Repeat("x", 1<<16),
	} {
		_, enquiryOK, err1 := e.Enquiry(ctx, name)
		_, mailOK, err2 := e.Mail(ctx, name)
		_, releaseOK, err3 := e.Release(ctx, name)
		_, pendingOK, err4 := e.Pending(ctx, name)
		mails, err5 := e.Mails(ctx, name)
		releases, err6 := e.Releases(ctx, name)
		taken, err7 := e.TakeDownload(ctx, name, enquiry.Entry{Outcome: enquiry.OutcomeAccepted})
		for _, err := range []error{err1, err2, err3, err4, err5, err6, err7} {
			check(t, "looking for "+name[:min(len(name), 20)], err)
		}
		if enquiryOK || mailOK || releaseOK || pendingOK || taken || len(mails)+len(releases) > 0 {
			t.Errorf("something is found by %.20q, want nothing", name)
		}
		if entries, err := e.Entries(ctx, name, 10); name != "" && (len(entries) > 0 || err != nil) {
			t.Errorf("Entries(%.20q) = %v, %v, want none", name, entries, err)
		}
	}
}

func testEnquiriesReopened(t *testing.T, o OpenedEnquiries) {
	if o.Again == nil {
		t.Skip("only one may open this store")
	}
	e := o.Enquiries
	p := pending(1)
	putPending(t, e, p)
	s := submission(1)
	s.Burn = p.Digest
	s = submit(t, e, s)
	r, m, entry := release(1, s.Enquiry.ID)
	check(t, "PutRelease", e.PutRelease(t.Context(), r, m, entry))
	m.Changed, entry.At, entry.Enquiry = created, created, s.Enquiry.ID
	check(t, "Close", o.Close())
	again := o.Again(t)
	wantEnquiry(t, again, s.Enquiry, append(s.Mails, m), []enquiry.Entry{s.Entry, entry})
	wantReleases(t, again, s.Enquiry.ID, r)
	p.Sent = s.Enquiry.ID
	wantPending(t, again, p)
	if full, err := again.FullFor(t.Context(), s.Sender, "", enquiry.Limits{Sender: 1, All: 9}); full != enquiry.SenderScope || err != nil {
		t.Errorf("FullFor = %q, %v, want %q", full, err, enquiry.SenderScope)
	}
}

// calls are all calls of a store.
func calls(e Enquiries, s enquiry.Submission) map[string]func(context.Context) error {
	r, m, entry := release(1, s.Enquiry.ID)
	return map[string]func(context.Context) error{
		"KeepEnquiry":  func(ctx context.Context) error { _, err := e.KeepEnquiry(ctx, s); return err },
		"FullFor":      func(ctx context.Context) error { _, err := e.FullFor(ctx, "a", "x", wide); return err },
		"Note":         func(ctx context.Context) error { return e.Note(ctx, entry) },
		"WasDeclined":  func(ctx context.Context) error { _, err := e.WasDeclined(ctx, "c"); return err },
		"WasCancelled": func(ctx context.Context) error { _, err := e.WasCancelled(ctx, "c"); return err },
		"PutQuestion":  func(ctx context.Context) error { _, err := e.PutQuestion(ctx, ask(pending(1))); return err },
		"link Mail":    func(ctx context.Context) error { _, _, err := e.LinkMails().Mail(ctx, m.ID); return err },
		"link Sent":    func(ctx context.Context) error { return e.LinkMails().MailSent(ctx, m.ID, created) },
		"link Failed":  func(ctx context.Context) error { return e.LinkMails().MailFailed(ctx, m.ID, created, "", true) },
		"Pending":      func(ctx context.Context) error { _, _, err := e.Pending(ctx, "digest"); return err },
		"Enquiry":      func(ctx context.Context) error { _, _, err := e.Enquiry(ctx, s.Enquiry.ID); return err },
		"Mail":         func(ctx context.Context) error { _, _, err := e.Mail(ctx, m.ID); return err },
		"MailSent":     func(ctx context.Context) error { return e.MailSent(ctx, m.ID, created) },
		"MailFailed":   func(ctx context.Context) error { return e.MailFailed(ctx, m.ID, created, "", true) },
		"Enquiries":    func(ctx context.Context) error { _, err := e.Enquiries(ctx, enquiry.ListQuery{Limit: 1}); return err },
		"Mails":        func(ctx context.Context) error { _, err := e.Mails(ctx, s.Enquiry.ID); return err },
		"Entries":      func(ctx context.Context) error { _, err := e.Entries(ctx, s.Enquiry.ID, 1); return err },
		"RetryMail":    func(ctx context.Context) error { _, err := e.RetryMail(ctx, m.ID, entry); return err },
		"PutRelease":   func(ctx context.Context) error { return e.PutRelease(ctx, r, m, entry) },
		"Releases":     func(ctx context.Context) error { _, err := e.Releases(ctx, s.Enquiry.ID); return err },
		"Release":      func(ctx context.Context) error { _, _, err := e.Release(ctx, r.ID); return err },
		"TakeDownload": func(ctx context.Context) error { _, err := e.TakeDownload(ctx, r.ID, entry); return err },
		"Purge":        func(ctx context.Context) error { _, err := e.Purge(ctx, created.Add(time.Hour)); return err },
		"Purgeable":    func(ctx context.Context) error { _, err := e.Purgeable(ctx, created); return err },
		"PurgeOne":     func(ctx context.Context) error { _, err := e.PurgeOne(ctx, s.Enquiry.ID); return err },
	}
}

func testEnquiriesCancelled(t *testing.T, o OpenedEnquiries) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := submit(t, o.Enquiries, submission(1))
	fresh := submission(2)
	for name, call := range calls(o.Enquiries, fresh) {
		wantKind(t, name, call(ctx), fault.Cancelled)
	}
	wantNoEnquiry(t, o.Enquiries, fresh)
	wantEnquiry(t, o.Enquiries, s.Enquiry, s.Mails, []enquiry.Entry{s.Entry})
	submit(t, o.Enquiries, fresh)
}

func testEnquiriesClosed(t *testing.T, o OpenedEnquiries) {
	check(t, "Close", o.Close())
	for name, call := range calls(o.Enquiries, submission(1)) {
		wantKind(t, name, call(t.Context()), fault.Unavailable)
	}
}
