package storetest

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"vaak/enquiry"
	"vaak/internal/fault"
)

func testKeep(t *testing.T, o OpenedEnquiries) {
	e, now := o.Enquiries, o.Clock.Now()
	s := submission(1)
	s.Burn, s.Enquiry.Received, s.Enquiry.Purged, s.Entry.At, s.Entry.Enquiry = "burn", now.Add(time.Hour), true, now.Add(time.Hour), "enq_other"
	s = submit(t, e, s)
	if !s.Enquiry.Received.Equal(now) || s.Enquiry.Purged {
		t.Errorf("KeepEnquiry: received %v, purged %v, want %v by the store's clock", s.Enquiry.Received, s.Enquiry.Purged, now)
	}
	s.Entry.Enquiry = s.Enquiry.ID
	wantEnquiry(t, e, s.Enquiry, s.Mails, []enquiry.Entry{s.Entry})
	for _, want := range s.Mails {
		got, ok, err := e.Mail(t.Context(), want.ID)
		check(t, "Mail", err)
		if !ok {
			t.Fatalf("Mail(%q) = none, want one", want.ID)
		}
		same(t, "Mail", got, want)
	}
	wantJobs(t, o, idsOf(s.Mails)...)
}

// testKeepBare stores a submission that has only the required fields.
func testKeepBare(t *testing.T, o OpenedEnquiries) {
	s := enquiry.Submission{
		Enquiry: enquiry.Enquiry{ID: "enq_bare", Method: enquiry.ByPage, Draft: enquiry.Draft{Form: enquiry.Form{
			Name: "A", Email: "a@b", Intent: enquiry.Question, Message: "?",
		}}},
		Sender: "s", Limits: enquiry.Limits{Sender: 1, Client: 0, All: 1},
		Entry: enquiry.Entry{Outcome: enquiry.OutcomeSent},
	}
	s = submit(t, o.Enquiries, s)
	s.Entry.Times, s.Entry.Enquiry = 1, s.Enquiry.ID
	wantEnquiry(t, o.Enquiries, s.Enquiry, nil, []enquiry.Entry{s.Entry})
	wantJobs(t, o)
}

// oddTexts are texts that must be stored unchanged.
var oddTexts = []string{
	`'; DROP TABLE enquiries; --`, `a?b ?0 ?x`, `"quoted" \ 'it''s'`, "भारत 🎙 ÄÖ", `\'; --`, "line\r\nline\t\x01\x7f", "\u2028\u2029\u0085",
	"\u202eRTL\u202c שלום مرحبا", "\ufeff\ufffd\U0010ffff", "e\u0301", `\u0000`, "$1 :name @x", `?!(bun: string contains a NUL byte (0x00))`,
	strings.Repeat("ज़", 3400) + "\n" + strings.Repeat("👩‍👩‍👧", 500), " \n ",
}

func testKeepText(t *testing.T, o OpenedEnquiries) {
	for i, text := range oddTexts {
		s := submission(i + 1)
		s.Enquiry.Form = enquiry.Form{Name: text, Email: text, Company: text, Intent: enquiry.Quote, Dataset: text, Message: text, Agent: text}
		s.Enquiry.About.Title, s.Entry.Shown, s.Entry.Code, s.Entry.Source = text, text, text, enquiry.Source{Agent: text}
		for j := range s.Mails {
			s.Mails[j].Text, s.Mails[j].To, s.Mails[j].ReplyTo = text, text, text
		}
		s = submit(t, o.Enquiries, s)
		wantEnquiry(t, o.Enquiries, s.Enquiry, s.Mails, []enquiry.Entry{s.Entry})
		p := pending(i + 1)
		p.Form = s.Enquiry.Form
		putPending(t, o.Enquiries, p)
		wantPending(t, o.Enquiries, p)
	}
}

// testKeepNUL checks that a text which one of the databases cannot store is refused, and that
// nothing of its submission is stored.
func testKeepNUL(t *testing.T, o OpenedEnquiries) {
	ctx, e := t.Context(), o.Enquiries
	for _, text := range []string{"a\x00b", "\x00", "a\xffb", "\xed\xa0\x80"} {
		for name, change := range map[string]func(s *enquiry.Submission){
			"name":    func(s *enquiry.Submission) { s.Enquiry.Name = text },
			"email":   func(s *enquiry.Submission) { s.Enquiry.Email = text },
			"company": func(s *enquiry.Submission) { s.Enquiry.Company = text },
			"agent":   func(s *enquiry.Submission) { s.Enquiry.Agent = text },
			"message": func(s *enquiry.Submission) { s.Enquiry.Message = text },
			"text":    func(s *enquiry.Submission) { s.Mails[1].Text = text },
		} {
			s := submission(1)
			change(&s)
			_, err := e.KeepEnquiry(ctx, s)
			wantKind(t, name, err, fault.Invalid)
			wantNoEnquiry(t, e, s)
		}
		p := pending(1)
		p.Form.Message = text
		_, err := e.PutQuestion(ctx, ask(p))
		wantKind(t, "PutQuestion", err, fault.Invalid)
		l := mailedAsk(1)
		l.Mail.Text = text
		_, err = e.PutQuestion(ctx, l)
		wantKind(t, "PutQuestion of a mail", err, fault.Invalid)
		wantNoPending(t, e, l.Pending.Digest)
	}
	wantKind(t, "Note", e.Note(ctx, enquiry.Entry{Outcome: enquiry.OutcomeAsked, Shown: "a\x00"}), fault.Invalid)
	wantJobs(t, o)
}

// testKeepAtomic checks that of a submission with a fault nothing is stored.
func testKeepAtomic(t *testing.T, o OpenedEnquiries) {
	e := o.Enquiries
	for name, change := range map[string]func(s *enquiry.Submission){
		"the same mail twice":   func(s *enquiry.Submission) { s.Mails[1].ID = s.Mails[0].ID },
		"a mail without an id":  func(s *enquiry.Submission) { s.Mails[1].ID = "" },
		"an entry of nothing":   func(s *enquiry.Submission) { s.Entry.Outcome = "" },
		"without consent":       func(s *enquiry.Submission) { s.Enquiry.Method = "" },
		"without a sender":      func(s *enquiry.Submission) { s.Sender = "" },
		"an id that is none":    func(s *enquiry.Submission) { s.Enquiry.ID = "enq_" },
		"an id of another kind": func(s *enquiry.Submission) { s.Enquiry.ID = "mail_x" },
	} {
		s := submission(1)
		s.Burn = "burn"
		change(&s)
		if kept, err := e.KeepEnquiry(t.Context(), s); err == nil {
			t.Errorf("%s: KeepEnquiry = %+v, want an error", name, kept)
		}
		wantNoEnquiry(t, e, s)
	}
	wantJobs(t, o)
	s := submission(1)
	s.Burn = "burn"
	submit(t, e, s)
}

// wantRepeated submits an enquiry again, and checks that only its entry is stored, folded
// with the entries of the same client and hour. It returns the entries after that.
func wantRepeated(t *testing.T, o OpenedEnquiries, s enquiry.Submission, of enquiry.Submission, entries ...enquiry.Entry) []enquiry.Entry {
	t.Helper()
	jobs := o.Jobs(t)
	kept, err := o.Enquiries.KeepEnquiry(t.Context(), s)
	check(t, "KeepEnquiry again", err)
	same(t, "KeepEnquiry again", kept, enquiry.Kept{Enquiry: of.Enquiry, Repeated: true})
	s.Entry.At, s.Entry.Outcome, s.Entry.Enquiry = o.Clock.Now(), enquiry.OutcomeRepeated, of.Enquiry.ID
	if of.Enquiry.Purged {
		s.Entry.Shown = ""
	}
	s.Entry.Fold = fmt.Sprintf("repeated %s %s %s", of.Enquiry.ID, s.Client, o.Clock.Now().Format("2006-01-02T15"))
	entries = slices.Clone(entries)
	if i := slices.IndexFunc(entries, func(e enquiry.Entry) bool { return e.Fold == s.Entry.Fold }); i >= 0 {
		at := s.Entry.At
		s.Entry = entries[i]
		s.Entry.At, s.Entry.Times = at, s.Entry.Times+1
		entries = slices.Delete(entries, i, i+1)
	}
	entries = append(entries, s.Entry)
	wantEnquiry(t, o.Enquiries, of.Enquiry, of.Mails, entries)
	wantJobs(t, o, jobs...)
	return entries
}

func testRepeatedByID(t *testing.T, o OpenedEnquiries) {
	e := o.Enquiries
	first := submit(t, e, submission(1))
	o.Clock.Advance(time.Hour)
	again := submission(1)
	again.Limits = enquiry.Limits{} // a repetition is recognised before limits are checked
	again.Enquiry.Message, again.Enquiry.Method, again.Sender, again.Client = "another", enquiry.ByMail, "other", "other"
	entries := wantRepeated(t, o, again, first, first.Entry)
	o.Clock.Advance(time.Second)
	again.Burn = "burn" // used up by the repetition, although nothing was sent
	entries = wantRepeated(t, o, again, first, entries...)
	o.Clock.Advance(time.Second) // the same hour: this entry is folded with the last
	entries = wantRepeated(t, o, again, first, entries...)
	if e := entries[len(entries)-1]; e.Times != 2 {
		t.Errorf("the second of an hour is %+v, want it folded", e)
	}
	later := submission(2)
	later.Burn = "burn"
	if entries = wantRepeated(t, o, later, first, entries...); len(entries) != 4 {
		t.Errorf("entries of two clients in two hours = %+v, want 4 with that of the first", entries)
	}
	if _, ok, err := e.Enquiry(t.Context(), later.Enquiry.ID); ok || err != nil {
		t.Errorf("Enquiry of what was burnt = %v, %v, want none", ok, err)
	}
	if full, err := e.FullFor(t.Context(), "other", "other", enquiry.Limits{Sender: 1, Client: 1, All: 1}); full != "" || err != nil {
		t.Errorf("FullFor after repetitions = %q, %v, want room: they do not count", full, err)
	}
}

func testRepeatedByBurn(t *testing.T, o OpenedEnquiries) {
	s := submission(1)
	s.Burn = "burn"
	first := submit(t, o.Enquiries, s)
	other := submission(2)
	other.Burn = "burn"
	entries := wantRepeated(t, o, other, first, first.Entry)
	other.Burn = "another"
	other = submit(t, o.Enquiries, other)
	both := other // its id is that of one enquiry, its burn that of an earlier one
	both.Burn = "burn"
	wantRepeated(t, o, both, first, entries...)
	wantEnquiry(t, o.Enquiries, other.Enquiry, other.Mails, []enquiry.Entry{other.Entry})
	for i := range 2 { // without a burn, nothing is recognised
		s := submission(3 + i)
		s.Burn = ""
		submit(t, o.Enquiries, s)
	}
}

// testQuestions checks that entries of a question belong to the enquiry that it led to.
func testQuestions(t *testing.T, o OpenedEnquiries) {
	ctx, e := t.Context(), o.Enquiries
	note := func(state string) enquiry.Entry {
		t.Helper()
		entry := enquiry.Entry{Outcome: enquiry.OutcomeAsked, State: state, Shown: "Send this?", Times: 1}
		check(t, "Note", e.Note(ctx, entry))
		entry.At = o.Clock.Now()
		return entry
	}
	asked, other, none := note("one"), note("two"), note("")
	o.Clock.Advance(time.Second)
	again := note("one")
	o.Clock.Advance(time.Second)
	s := submission(1)
	s.Burn, s.Entry.State = "one", "one"
	s = submit(t, e, s)
	asked.Enquiry, again.Enquiry = s.Enquiry.ID, s.Enquiry.ID
	entries := []enquiry.Entry{asked, again, s.Entry}
	wantEnquiry(t, e, s.Enquiry, s.Mails, entries)
	left, err := e.Entries(ctx, "", 10)
	check(t, "Entries", err)
	same(t, "Entries of none", left, []enquiry.Entry{none, other})

	now := o.Clock.Advance(time.Second)
	purge(t, e, now.Add(-time.Second), 0)
	purge(t, e, now, 1)
	s = purged(s, now)
	check(t, "Note", e.Note(ctx, enquiry.Entry{Outcome: enquiry.OutcomeAsked, State: "three", Shown: "Send this?"}))
	same := submission(1) // a purged enquiry gets no texts again
	same.Burn = "three"
	kept, err := e.KeepEnquiry(ctx, same)
	if err != nil || !kept.Repeated {
		t.Errorf("KeepEnquiry = %+v, %v, want it repeated", kept, err)
	}
	wantPurgedEverywhere(t, e, s.Enquiry.ID)
	got, err := e.Entries(ctx, s.Enquiry.ID, 10)
	check(t, "Entries", err)
	if len(got) != 5 {
		t.Errorf("%d entries, want 5: %v", len(got), got)
	}
}

// atOnce is how many concurrent calls a test makes.
const atOnce = 32

// stores returns the store twice: as two processes open it, or the same store if only one may.
func stores(t *testing.T, o OpenedEnquiries) [2]Enquiries {
	if o.Again == nil {
		return [2]Enquiries{o.Enquiries, o.Enquiries}
	}
	return [2]Enquiries{o.Enquiries, o.Again(t)}
}

// testRepeatedAtOnce checks that many concurrent calls with one submission store one enquiry.
func testRepeatedAtOnce(t *testing.T, o OpenedEnquiries) {
	both, s := stores(t, o), submission(1)
	s.Burn, s.Limits = "burn", enquiry.Limits{Sender: 1, Client: 1, All: 1}
	var all sync.WaitGroup
	var mu sync.Mutex
	fresh := 0
	for i := range atOnce {
		all.Go(func() {
			mine := s
			if i%4 == 3 { // recognised only by what it burns
				mine.Enquiry.ID, mine.Mails = id("enq_", i+10), nil
			}
			kept, err := submitBusy(t, both[i%2], mine)
			if err != nil || kept.Full != "" {
				t.Errorf("KeepEnquiry = %+v, %v", kept, err)
			}
			mu.Lock()
			defer mu.Unlock()
			if !kept.Repeated {
				fresh++
			}
		})
	}
	all.Wait()
	list, err := o.Enquiries.Enquiries(t.Context(), enquiry.ListQuery{Limit: 100})
	check(t, "Enquiries", err)
	if fresh > 1 || len(list) != 1 {
		t.Fatalf("%d of %d were new, and there are %d enquiries, want 1", fresh, atOnce, len(list))
	}
	entries, err := o.Enquiries.Entries(t.Context(), list[0].ID, 1000)
	check(t, "Entries", err)
	times := 0
	for _, e := range entries {
		times += e.Times
	}
	if len(entries) != 2 || times < atOnce { // more when one had to try again
		t.Errorf("%d entries of %d times, want 2 of %d", len(entries), times, atOnce)
	}
	mails, err := o.Enquiries.Mails(t.Context(), list[0].ID)
	check(t, "Mails", err)
	wantJobs(t, o, idsOf(mails)...)
}
