package storetest

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"vaak/enquiry"
	"vaak/internal/fault"
)

func testEnquiryJournal(t *testing.T, o OpenedEnquiries) {
	ctx, e := t.Context(), o.Enquiries
	s := submit(t, e, submission(1))
	submit(t, e, submission(2))
	want := []enquiry.Entry{s.Entry}
	var none []enquiry.Entry
	for i, outcome := range []enquiry.Outcome{enquiry.OutcomeAsked, enquiry.OutcomeAsked, enquiry.OutcomeCancelled, enquiry.OutcomeStale} {
		if i != 1 { // two of one instant
			o.Clock.Advance(time.Second)
		}
		entry := s.Entry
		entry.Outcome, entry.Code, entry.At = outcome, fmt.Sprint(i), created // the clock is the store's
		check(t, "Note", e.Note(ctx, entry))
		entry.At = o.Clock.Now()
		want = append([]enquiry.Entry{entry}, want...)
		entry.Enquiry, entry.Times = "enq_unknown", 0 // as of one that did not pass
		check(t, "Note", e.Note(ctx, entry))
		entry.Enquiry, entry.Times = "", 1
		none = append([]enquiry.Entry{entry}, none...)
	}
	got, err := e.Entries(ctx, s.Enquiry.ID, 100)
	check(t, "Entries", err)
	same(t, "Entries", got, want)
	got, err = e.Entries(ctx, "", 100)
	check(t, "Entries of none", err)
	same(t, "Entries of none", got, none)
	got, err = e.Entries(ctx, s.Enquiry.ID, 2)
	check(t, "Entries", err)
	same(t, "2 entries", got, want[:2])
	got, err = e.Entries(ctx, "", 3)
	check(t, "Entries of none", err)
	same(t, "3 entries of none", got, none[:3])
	for _, limit := range []int{0, -1} {
		if got, err := e.Entries(ctx, "", limit); len(got) > 0 || err != nil {
			t.Errorf("Entries, at most %d = %v, %v, want none", limit, got, err)
		}
	}
}

// testFolds checks that entries with the same fold key become one, also concurrent ones.
func testFolds(t *testing.T, o OpenedEnquiries) {
	ctx, e, both := t.Context(), o.Enquiries, stores(t, o)
	first := enquiry.Entry{Outcome: enquiry.OutcomeRefused, Code: "email", Client: "x", Fold: "refused x 1", Source: enquiry.Source{RequestID: "req_1"}}
	other := first
	other.Fold = "refused x 2"
	check(t, "Note", e.Note(ctx, first))
	check(t, "Note", e.Note(ctx, other))
	o.Clock.Advance(time.Minute)
	var all sync.WaitGroup
	for i := range atOnce {
		all.Go(func() {
			again := first
			again.Code, again.Shown, again.Times, again.Source = "name", "text", 2, enquiry.Source{}
			err := both[i%2].Note(ctx, again)
			for try := 1; fault.KindOf(err) == fault.Unavailable && try < busyTries; try++ {
				err = both[i%2].Note(ctx, again)
			}
			if err != nil {
				t.Errorf("Note: %v", err)
			}
		})
	}
	all.Wait()
	got, err := e.Entries(ctx, "", 10)
	check(t, "Entries", err)
	if len(got) == 2 && got[0].Times > 1+2*atOnce {
		t.Logf("%d times, more than there were: a commit was not heard of", got[0].Times)
		got[0].Times = 1 + 2*atOnce
	}
	first.Times, first.At, other.Times, other.At = 1+2*atOnce, o.Clock.Now(), 1, created
	same(t, "Entries", got, []enquiry.Entry{first, other})
}

func testDeclines(t *testing.T, o OpenedEnquiries) {
	ctx, e := t.Context(), o.Enquiries
	declined := func(content string, want bool) {
		t.Helper()
		if got, err := e.WasDeclined(ctx, content); got != want || err != nil {
			t.Errorf("WasDeclined(%q) = %v, %v, want %v", content, got, err, want)
		}
	}
	for _, entry := range []enquiry.Entry{
		{Outcome: enquiry.OutcomeAsked, Content: "asked"}, {Outcome: enquiry.OutcomeCancelled, Content: "cancelled"},
		{Outcome: enquiry.OutcomeAsked, Content: "declined"}, {Outcome: enquiry.OutcomeDeclined},
	} {
		check(t, "Note", e.Note(ctx, entry))
		declined(entry.Content, false)
	}
	for range 2 {
		check(t, "Note", e.Note(ctx, enquiry.Entry{Outcome: enquiry.OutcomeDeclined, Content: "declined"}))
		declined("declined", true)
	}
	check(t, "Note", e.Note(ctx, enquiry.Entry{Outcome: enquiry.OutcomeCancelled, Content: "declined"}))
	declined("declined", true)
	for _, other := range []string{"", "asked", "cancelled", "Declined", "decline", "declined ", "\x00", "\xff"} {
		declined(other, false)
	}
}

// testCancels checks that the entry of a cancellation counts, even when the enquiry was sent
// later by the link of the same question.
func testCancels(t *testing.T, o OpenedEnquiries) {
	ctx, e := t.Context(), o.Enquiries
	cancelled := func(question string, want bool) {
		t.Helper()
		if got, err := e.WasCancelled(ctx, question); got != want || err != nil {
			t.Errorf("WasCancelled(%q) = %v, %v, want %v", question, got, err, want)
		}
	}
	s := submission(1)
	s.Burn = "q1"
	for _, entry := range []enquiry.Entry{
		{Outcome: enquiry.OutcomeAsked, State: "q1"}, {Outcome: enquiry.OutcomeDeclined, State: "q2"}, {Outcome: enquiry.OutcomeCancelled, Content: "q3"},
	} {
		check(t, "Note", e.Note(ctx, entry))
	}
	for _, question := range []string{"", "q1", "q2", "q3"} {
		cancelled(question, false)
	}
	check(t, "Note", e.Note(ctx, enquiry.Entry{Outcome: enquiry.OutcomeCancelled, State: "q1"}))
	cancelled("q1", true)
	_, err := e.KeepEnquiry(ctx, s)
	check(t, "KeepEnquiry", err)
	cancelled("q1", true)
	cancelled("q2", false)
}
