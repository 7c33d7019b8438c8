package enquiry_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vaak/enquiry"
	"vaak/internal/fault"
)

// TestSubmit: what was sent is kept with its mails, its consent and its entry, and a
// second time it is the same.
func TestSubmit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first, err := w.service.Submit(t.Context(), from("192.0.2.1"), ravi(), enquiry.ByREST)
	if err != nil {
		t.Fatal(err)
	}
	want := enquiry.Receipt{
		ID: first.ID, Intent: "quote", Method: enquiry.ByREST, Contact: "desk@data.example", Next: first.Next,
		Dataset: &enquiry.Dataset{ID: w.dataset.ID, Slug: "hi-cc", Title: w.dataset.Title, URL: w.dataset.URL},
	}
	if diff := cmp.Diff(want, first); diff != "" || !strings.HasPrefix(first.ID, "enq_") || len(first.ID) != 30 || first.Next == "" {
		t.Errorf("Submit (-want +got):\n%s", diff)
	}
	again := ravi()
	again.Email, again.Name, again.Message = "RAVI@example.org", "R. Kumar", again.Message+"\r\n"
	second, err := w.service.Submit(t.Context(), from("192.0.2.2"), again, enquiry.ByPage)
	want.Repeated = true
	if diff := cmp.Diff(want, second); diff != "" || err != nil {
		t.Errorf("the second Submit (-want +got), %v:\n%s", err, diff)
	}
	if len(w.Sent) != 1 || len(w.Letters) != 2 || w.Sent[0].Enquiry.Method != enquiry.ByREST || w.Sent[0].Enquiry.Name != "Ravi Kumar" {
		t.Errorf("%d enquiries and %d mails are kept, want 1 and 2: %+v", len(w.Sent), len(w.Letters), w.Sent)
	}
	if diff := cmp.Diff([]enquiry.Outcome{enquiry.OutcomeSent, enquiry.OutcomeRepeated}, w.outcomes()); diff != "" {
		t.Errorf("journal (-want +got):\n%s", diff)
	}
	if e := w.Journal[0]; e.Enquiry != first.ID || e.Content == "" || e.Client == "" || strings.Contains(e.Client, "192") || e.Source.RequestID != "req_1" || e.Answered != start {
		t.Errorf("the entry is %+v", e)
	}
	w.clock = w.clock.Add(2 * time.Hour) // the next day
	if third, err := w.service.Submit(t.Context(), from("192.0.2.1"), ravi(), enquiry.ByREST); err != nil || third.ID == first.ID || third.Repeated {
		t.Errorf("the next day: %+v, %v; want another enquiry", third, err)
	}
}

// TestSubmitLimits: the sixth of an address within the hour is refused, whatever its
// case and tag; the same one again is not counted, nor is what was refused.
func TestSubmitLimits(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	send := func(email, client, text string) error {
		f := ravi()
		f.Email, f.Message = email, text
		_, err := w.service.Submit(t.Context(), from(client), f, enquiry.ByREST)
		return err
	}
	for i, email := range []string{"ravi@example.org", "Ravi@Example.org", "ravi+a@example.org", "RAVI+b+c@EXAMPLE.ORG", "ravi+@example.org"} {
		if err := send(email, fmt.Sprint("client", i), fmt.Sprint(i)); err != nil {
			t.Fatalf("enquiry %d: %v", i+1, err)
		}
		if err := send(email, "other", fmt.Sprint(i)); err != nil {
			t.Errorf("enquiry %d again: %v", i+1, err)
		}
		if err := send("nobody", "other", "x"); fault.KindOf(err) != fault.Invalid {
			t.Errorf("to nobody: %v", err)
		}
		w.clock = w.clock.Add(time.Minute)
	}
	for _, email := range []string{"ravi@example.org", "ravi+z@example.org", "rAvI@example.org"} {
		err := send(email, "another", "sixth")
		if f, ok := errors.AsType[*fault.Error](err); !ok || f.Kind != fault.RateLimited || f.Code != enquiry.CodeTooMany || f.RetryAfter != time.Hour || strings.Contains(f.Msg, "ravi") {
			t.Errorf("the sixth, of %s: %v", email, err)
		}
	}
	if err := send("other@example.org", "another", "sixth"); err != nil {
		t.Errorf("another address: %v", err)
	}
	w.clock = start.Add(time.Hour - time.Second)
	if err := send("ravi@example.org", "another", "sixth"); fault.KindOf(err) != fault.RateLimited {
		t.Errorf("a second early: %v", err)
	}
	w.clock = start.Add(time.Hour)
	if err := send("ravi@example.org", "another", "sixth"); err != nil {
		t.Errorf("after an hour: %v", err)
	}
	if err := send("ravi@example.org", "another", "seventh"); fault.KindOf(err) != fault.RateLimited {
		t.Errorf("one more: %v", err)
	}
}

func TestSubmitLimitsOfClientsAndAll(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *enquiry.Config) { c.Limits = enquiry.Limits{Sender: 1, Client: 3, All: 5} })
	var got []enquiry.Scope
	for i, client := range []string{"a", "a", "a", "a", "b", "", ""} {
		f := ravi()
		f.Email = fmt.Sprintf("ravi%d@example.org", i)
		if _, err := w.service.Submit(t.Context(), from(client), f, enquiry.ByREST); fault.KindOf(err) == fault.RateLimited {
			got = append(got, enquiry.Scope(w.Journal[len(w.Journal)-1].Code))
		} else if err != nil {
			t.Fatal(err)
		} else {
			got = append(got, "")
		}
	}
	if diff := cmp.Diff([]enquiry.Scope{"", "", "", "client", "", "", "all"}, got); diff != "" {
		t.Errorf("limits (-want +got):\n%s", diff)
	}
}

// TestJournalOfRefusals: every refusal is told, in one entry for a client and an hour.
func TestJournalOfRefusals(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i := range 50 {
		f := ravi()
		f.Email = "nobody"
		if _, err := w.service.Submit(gone(t), from([]string{"a", "b"}[i%2]), f, enquiry.ByREST); fault.KindOf(err) != fault.Invalid {
			t.Fatal(err)
		}
	}
	if len(w.Journal) != 2 || w.Journal[0].Times != 25 || w.Journal[0].Outcome != enquiry.OutcomeRefused || w.Journal[0].Code != "email" {
		t.Errorf("journal is %+v", w.Journal)
	}
}

// TestSubmitAttests: a consent by question cannot be attested by sending.
func TestSubmitAttests(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, by := range []enquiry.Method{"", enquiry.ByHost, enquiry.ByMail, enquiry.ByAgent, enquiry.ByElicitation, enquiry.ByLink} {
		if _, err := w.service.Submit(t.Context(), from("a"), ravi(), by); err == nil || len(w.Sent) != 0 {
			t.Errorf("Submit by %q = %v", by, err)
		}
	}
}

// failing is a store that is down.
type failing struct{ enquiry.Store }

var errDown = fault.Down(fault.CodeStoreUnavailable, time.Second, nil, "the store is not available now")

func (failing) KeepEnquiry(context.Context, enquiry.Submission) (enquiry.Kept, error) {
	return enquiry.Kept{}, errDown
}
func (failing) Note(context.Context, enquiry.Entry) error { return errDown }

// TestSubmitStoreDown: nothing is promised without the store, a refusal stands, and no
// address is logged.
func TestSubmitStoreDown(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *enquiry.Config) { c.Store = failing{c.Store} })
	if _, err := w.service.Submit(t.Context(), from("a"), ravi(), enquiry.ByREST); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("Submit = %v, want Unavailable", err)
	}
	if _, err := w.service.Submit(t.Context(), from("a"), enquiry.Form{Name: "Ravi"}, enquiry.ByREST); fault.KindOf(err) != fault.Invalid {
		t.Errorf("Submit = %v, want Invalid", err)
	}
	if s := w.log.String(); !strings.Contains(s, "journal") || strings.Contains(s, "avi") {
		t.Errorf("the log is %q", s)
	}
}

// TestSubmitOverMidnight: who got no answer and tries again sends it once, though the
// day has changed.
func TestSubmitOverMidnight(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.clock = time.Date(2026, 3, 4, 23, 59, 58, 0, time.UTC)
	first, err := w.service.Submit(t.Context(), from("a"), ravi(), enquiry.ByREST)
	if err != nil {
		t.Fatal(err)
	}
	w.clock = w.clock.Add(4 * time.Second)
	if second, err := w.service.Submit(t.Context(), from("a"), ravi(), enquiry.ByREST); err != nil || second.ID != first.ID || !second.Repeated || len(w.Sent) != 1 {
		t.Errorf("after midnight: %+v, %v; want the first", second, err)
	}
	w.clock = w.clock.Add(20 * time.Minute)
	if third, err := w.service.Submit(t.Context(), from("a"), ravi(), enquiry.ByREST); err != nil || third.ID == first.ID || third.Repeated {
		t.Errorf("later: %+v, %v; want another", third, err)
	}
}

// TestSubmitAfterPurge: what was deleted can be sent anew, on the same day, and is
// delivered.
func TestSubmitAfterPurge(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ids := map[string]bool{}
	for range 3 {
		r, err := w.service.Submit(t.Context(), from("a"), ravi(), enquiry.ByREST)
		if err != nil || r.Repeated || ids[r.ID] {
			t.Fatalf("Submit = %+v, %v, after %v", r, err, ids)
		}
		ids[r.ID] = true
		if again, err := w.service.Submit(t.Context(), from("a"), ravi(), enquiry.ByREST); err != nil || again.ID != r.ID || !again.Repeated {
			t.Errorf("again: %+v, %v", again, err)
		}
		if err := w.desk.PurgeOne(t.Context(), r.ID); err != nil {
			t.Fatal(err)
		}
	}
	if len(w.Sent) != 3 || len(w.Letters) != 6 {
		t.Errorf("%d enquiries and %d mails, want 3 and 6", len(w.Sent), len(w.Letters))
	}
}

// TestRepeatsAreOneEntry: nobody fills the journal with what was sent before.
func TestRepeatsAreOneEntry(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for range 50 {
		if _, err := w.service.Submit(t.Context(), from("a"), ravi(), enquiry.ByREST); err != nil {
			t.Fatal(err)
		}
	}
	if len(w.Journal) != 2 || w.Journal[1].Times != 49 {
		t.Errorf("journal is %+v, want two entries", w.Journal)
	}
}
