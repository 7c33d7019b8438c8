package storetest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"vaak/enquiry"
	"vaak/internal/fault"
)

// OpenedEnquiries are the enquiries of one store under test, empty and migrated.
type OpenedEnquiries struct {
	Enquiries Enquiries
	Clock     *Clock // of the store
	// Jobs returns the mail of each unfinished job.
	Jobs func(t *testing.T) []string
	// Again opens the same data a second time, as another process would, with the same clock.
	// The cleanup of the test closes it. Nil for a store that only one process may open.
	Again func(t *testing.T) Enquiries
	// Close closes the store of Enquiries, but no store that Again returned.
	Close func() error
}

// Enquiries is the part of a store that keeps enquiries.
type Enquiries interface {
	enquiry.Store
	enquiry.Outbox
	enquiry.Records
	LinkMails() enquiry.Outbox
}

// RunEnquiries runs the suite of enquiries. Each test calls open once for a store of
// its own.
func RunEnquiries(t *testing.T, open func(t *testing.T) OpenedEnquiries) {
	for _, tt := range []struct {
		name string
		run  func(t *testing.T, o OpenedEnquiries)
	}{
		{"Keep", testKeep},
		{"KeepBare", testKeepBare},
		{"KeepText", testKeepText},
		{"KeepNUL", testKeepNUL},
		{"KeepIsAllOrNothing", testKeepAtomic},
		{"RepeatedByID", testRepeatedByID},
		{"RepeatedByBurn", testRepeatedByBurn},
		{"QuestionsOfAnEnquiry", testQuestions},
		{"RepeatedAtOnce", testRepeatedAtOnce},
		{"Limits", testEnquiryLimits},
		{"LimitsAreAnHour", testLimitsHour},
		{"LimitsAreAWindow", testLimitsWindow},
		{"LimitsAtOnce", testLimitsAtOnce},
		{"Pending", testPending},
		{"PendingLimits", testPendingLimits},
		{"PendingSent", testPendingSent},
		{"LinkMails", testLinkMails},
		{"LinkMailsOfBefore", testMailedBefore},
		{"LinkMailLimits", testLinkMailLimits},
		{"LinkMailsAtOnce", testLinkMailsAtOnce},
		{"LinkMailsPurged", testLinkMailsPurged},
		{"Journal", testEnquiryJournal},
		{"Folds", testFolds},
		{"Declines", testDeclines},
		{"Cancels", testCancels},
		{"Mails", testMails},
		{"Problems", testProblems},
		{"RetryMail", testRetryMail},
		{"Releases", testReleases},
		{"Downloads", testDownloads},
		{"DownloadsAtOnce", testDownloadsAtOnce},
		{"ListEnquiries", testListEnquiries},
		{"Purge", testPurge},
		{"PurgeOne", testPurgeOne},
		{"PurgeUnsent", testPurgeUnsent},
		{"PurgeOfThisHour", testPurgeHour},
		{"PurgedIsLeftAlone", testPurgedAlone},
		{"NamesOfNothing", testEnquiryNames},
		{"EnquiriesReopened", testEnquiriesReopened},
		{"EnquiriesCancelled", testEnquiriesCancelled},
		{"EnquiriesClosed", testEnquiriesClosed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.run(t, open(t))
		})
	}
}

// wide are limits that these tests never reach.
var wide = enquiry.Limits{Sender: 1 << 30, Client: 1 << 30, All: 1 << 30}

// submission returns submission n, from 1, with every field set. Each has a sender and a
// client of its own.
func submission(n int) enquiry.Submission {
	about := &enquiry.Dataset{ID: id("ds_", n), Slug: "hi-cc", Title: "हिन्दी <b>", URL: "https://data.example.org/hi-cc"}
	e := enquiry.Enquiry{
		ID: id("enq_", n), Method: enquiry.ByREST,
		Draft: enquiry.Draft{About: about, Form: enquiry.Form{
			Name: "Ana Example", Email: fmt.Sprintf("ana+%d@example.org", n), Company: "Example & Söhne", Intent: enquiry.Sample,
			Dataset: "hi-cc", Message: "We need 40 hours.\nBy May.", Agent: "an agent/1.0",
		}},
	}
	return enquiry.Submission{
		Enquiry: e, Sender: fmt.Sprint("sender ", n), Client: fmt.Sprint("client ", n), Limits: wide,
		Mails: []enquiry.Mail{mail(2*n, e.ID, enquiry.ToOperator), mail(2*n+1, e.ID, enquiry.ToPerson)},
		Entry: enquiry.Entry{
			Outcome: enquiry.OutcomeSent, Code: "code", Method: enquiry.ByREST, Enquiry: e.ID, Content: fmt.Sprint("content ", n),
			Shown: "Send this? Ana Example", State: "state", Client: "client", Asked: created.Add(-time.Minute), Answered: created, Times: 1,
			Source: enquiry.Source{RequestID: "req_1", KeyID: "key_1", Agent: "agent \x00<\"", AgentVersion: "1.0", Protocol: "2025-06-18"},
		},
	}
}

func mail(n int, of string, kind enquiry.MailKind) enquiry.Mail {
	m := enquiry.Mail{
		ID: id("mail_", n), Enquiry: of, Kind: kind, MessageID: fmt.Sprintf("%d@example.org", n), Date: created,
		From: "site@example.org", To: "desk@example.org", Subject: "Enquiry", Text: "From Ana Example:\n\nज़रूरत है\n", State: enquiry.Queued,
	}
	if kind == enquiry.ToOperator {
		m.ReplyTo = "ana@example.org"
	}
	return m
}

// submit stores a submission that is new, and returns it as it is stored.
func submit(t *testing.T, e Enquiries, s enquiry.Submission) enquiry.Submission {
	t.Helper()
	kept, err := e.KeepEnquiry(t.Context(), s)
	check(t, "KeepEnquiry", err)
	if kept.Repeated || kept.Full != "" {
		t.Fatalf("KeepEnquiry = %+v, want it to be new", kept)
	}
	s.Enquiry = kept.Enquiry
	for i := range s.Mails {
		s.Mails[i].Changed = kept.Enquiry.Received
	}
	s.Entry.At = kept.Enquiry.Received
	return s
}

// submitBusy calls KeepEnquiry, again while the store is Unavailable.
func submitBusy(t *testing.T, e Enquiries, s enquiry.Submission) (enquiry.Kept, error) {
	for try := 1; ; try++ {
		kept, err := e.KeepEnquiry(t.Context(), s)
		if fault.KindOf(err) != fault.Unavailable || try == busyTries {
			return kept, err
		}
	}
}

// wantEnquiry checks an enquiry, its mails and its journal. The entries are given from the
// oldest to the latest.
func wantEnquiry(t *testing.T, e Enquiries, want enquiry.Enquiry, mails []enquiry.Mail, entries []enquiry.Entry) {
	t.Helper()
	got, ok, err := e.Enquiry(t.Context(), want.ID)
	check(t, "Enquiry", err)
	if !ok {
		t.Fatalf("Enquiry(%q) = none, want one", want.ID)
	}
	same(t, "Enquiry", got, want)
	gotMails, err := e.Mails(t.Context(), want.ID)
	check(t, "Mails", err)
	same(t, "Mails", gotMails, mails)
	gotEntries, err := e.Entries(t.Context(), want.ID, 100)
	check(t, "Entries", err)
	entries = slices.Clone(entries)
	slices.Reverse(entries)
	same(t, "Entries", gotEntries, entries)
}

// wantNoEnquiry checks that no enquiry has the id, and that no mail or entry belongs to it.
func wantNoEnquiry(t *testing.T, e Enquiries, s enquiry.Submission) {
	t.Helper()
	_, ok, err := e.Enquiry(t.Context(), s.Enquiry.ID)
	check(t, "Enquiry", err)
	mails, err := e.Mails(t.Context(), s.Enquiry.ID)
	check(t, "Mails", err)
	entries, err := e.Entries(t.Context(), s.Enquiry.ID, 10)
	check(t, "Entries", err)
	none, err := e.Entries(t.Context(), "", 10)
	check(t, "Entries of none", err)
	if ok || len(mails)+len(entries)+len(none) > 0 {
		t.Errorf("of %s there is an enquiry: %v, and %v, %v, %v; want nothing", s.Enquiry.ID, ok, mails, entries, none)
	}
	for _, m := range s.Mails {
		if _, ok, err := e.Mail(t.Context(), m.ID); ok || err != nil {
			t.Errorf("Mail(%q) = %v, %v, want none", m.ID, ok, err)
		}
	}
}

// wantJobs checks which mails have a job.
func wantJobs(t *testing.T, o OpenedEnquiries, want ...string) {
	t.Helper()
	got := o.Jobs(t)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("mails with a job = %q, want %q", got, want)
	}
}

func idsOf(mails []enquiry.Mail) (ids []string) {
	for _, m := range mails {
		ids = append(ids, m.ID)
	}
	return ids
}
