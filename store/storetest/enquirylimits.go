package storetest

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"vaak/enquiry"
)

// from returns a submission of a sender and a client.
func from(n int, sender, client string, l enquiry.Limits) enquiry.Submission {
	s := submission(n)
	s.Sender, s.Client, s.Limits = sender, client, l
	return s
}

// wantFull submits an enquiry that a limit refuses, and checks that nothing is stored.
func wantFull(t *testing.T, o OpenedEnquiries, s enquiry.Submission, want enquiry.Scope) {
	t.Helper()
	jobs := o.Jobs(t)
	kept, err := o.Enquiries.KeepEnquiry(t.Context(), s)
	check(t, "KeepEnquiry", err)
	same(t, "KeepEnquiry", kept, enquiry.Kept{Full: want})
	full, err := o.Enquiries.FullFor(t.Context(), s.Sender, s.Client, s.Limits)
	check(t, "FullFor", err)
	same(t, "FullFor", full, want)
	wantNoEnquiry(t, o.Enquiries, s)
	wantJobs(t, o, jobs...)
}

func testEnquiryLimits(t *testing.T, o OpenedEnquiries) {
	e, n := o.Enquiries, 0
	next := func() int { n++; return n }
	l := enquiry.Limits{Sender: 2, Client: 3, All: 6}
	submit(t, e, from(next(), "a", "x", l))
	submit(t, e, from(next(), "a", "y", l))
	wantFull(t, o, from(next(), "a", "z", l), enquiry.SenderScope)
	wantFull(t, o, from(next(), "a", "", l), enquiry.SenderScope)
	submit(t, e, from(next(), "b", "x", l))
	submit(t, e, from(next(), "c", "x", l))
	wantFull(t, o, from(next(), "d", "x", l), enquiry.ClientScope)
	submit(t, e, from(next(), "d", "", l))
	submit(t, e, from(next(), "d", "", l))
	wantFull(t, o, from(next(), "e", "", l), enquiry.AllScope)
	wantFull(t, o, from(next(), "e", "z", l), enquiry.AllScope)
	wantFull(t, o, from(next(), "a", "x", l), enquiry.SenderScope) // several limits are reached; the first in order is reported
	wantFull(t, o, from(next(), "e", "x", l), enquiry.ClientScope)
	l.All = 8
	submit(t, e, from(next(), "e", "", l)) // refused enquiries do not count
	check(t, "Note", e.Note(t.Context(), enquiry.Entry{Outcome: enquiry.OutcomeLimited, Client: "z"}))
	submit(t, e, from(next(), "f", "z", l))
	wantRoomless(t, e, l)
}

// wantRoomless checks that a limit of 0 refuses everything.
func wantRoomless(t *testing.T, e Enquiries, l enquiry.Limits) {
	t.Helper()
	for want, l := range map[enquiry.Scope]enquiry.Limits{
		enquiry.SenderScope: {Sender: 0, Client: 9, All: 9},
		enquiry.ClientScope: {Sender: 9, Client: 0, All: 99},
		enquiry.AllScope:    {Sender: 9, Client: 9, All: 0},
	} {
		if got, err := e.FullFor(t.Context(), "new", "new", l); got != want || err != nil {
			t.Errorf("FullFor(%+v) = %q, %v, want %q", l, got, err, want)
		}
	}
}

// testLimitsHour checks the window of an hour to the microsecond.
func testLimitsHour(t *testing.T, o OpenedEnquiries) {
	e, l := o.Enquiries, enquiry.Limits{Sender: 2, Client: 9, All: 9}
	submit(t, e, from(1, "a", "", l))
	o.Clock.Advance(30 * time.Minute)
	submit(t, e, from(2, "a", "", l))
	o.Clock.Advance(30*time.Minute - time.Microsecond)
	wantFull(t, o, from(3, "a", "", l), enquiry.SenderScope)
	o.Clock.Advance(time.Microsecond)
	submit(t, e, from(3, "a", "", l))
	wantFull(t, o, from(4, "a", "", l), enquiry.SenderScope)
	o.Clock.Advance(30*time.Minute - time.Microsecond)
	wantFull(t, o, from(4, "a", "", l), enquiry.SenderScope)
	o.Clock.Advance(time.Microsecond)
	submit(t, e, from(4, "a", "", l))
}

// testLimitsWindow compares the limits, in a random sequence, with a list of the enquiries that
// passed in the hour before.
func testLimitsWindow(t *testing.T, o OpenedEnquiries) {
	const steps = 120
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 1))
	l := enquiry.Limits{Sender: 3, Client: 5, All: 9}
	type passed struct {
		sender, client string
		at             time.Time
	}
	var all []passed
	for n := range steps {
		now := o.Clock.Advance(time.Duration(r.IntN(12)) * time.Minute)
		sender, client := fmt.Sprint("s", r.IntN(4)), fmt.Sprint("c", r.IntN(3))
		var count [3]int
		for _, p := range all {
			if now.Sub(p.at) < time.Hour {
				for i, same := range []bool{p.sender == sender, p.client == client, true} {
					if same {
						count[i]++
					}
				}
			}
		}
		var want enquiry.Scope
		switch {
		case count[0] >= l.Sender:
			want = enquiry.SenderScope
		case count[1] >= l.Client:
			want = enquiry.ClientScope
		case count[2] >= l.All:
			want = enquiry.AllScope
		default:
			all = append(all, passed{sender, client, now})
		}
		s := from(n+1, sender, client, l)
		s.Mails = nil
		kept, err := o.Enquiries.KeepEnquiry(t.Context(), s)
		if err != nil || kept.Full != want {
			t.Fatalf("step %d of seed %d, after %v in the hour: Full = %q, %v, want %q", n, seed, count, kept.Full, err, want)
		}
	}
}

// testLimitsAtOnce checks that of many concurrent submissions, in two processes, exactly as
// many pass as the limit allows.
func testLimitsAtOnce(t *testing.T, o OpenedEnquiries) {
	both, n := stores(t, o), 0
	for _, tt := range []struct {
		scope enquiry.Scope
		l     enquiry.Limits
		from  func(i int) (sender, client string)
	}{
		{enquiry.SenderScope, enquiry.Limits{Sender: 5, Client: 99, All: 99}, func(i int) (string, string) { return "a", fmt.Sprint(i) }},
		{enquiry.ClientScope, enquiry.Limits{Sender: 99, Client: 7, All: 99}, func(i int) (string, string) { return fmt.Sprint(i), "x" }},
		{enquiry.AllScope, enquiry.Limits{Sender: 99, Client: 99, All: 9}, func(i int) (string, string) { return fmt.Sprint(i), "" }},
	} {
		o.Clock.Advance(time.Hour)
		var all sync.WaitGroup
		for i := range atOnce {
			n++
			sender, client := tt.from(i)
			s := from(n, sender, client, tt.l)
			s.Mails = nil
			all.Go(func() {
				kept, err := submitBusy(t, both[i%2], s)
				if err != nil || kept.Full != "" && kept.Full != tt.scope {
					t.Errorf("%s: KeepEnquiry = %q, %v", tt.scope, kept.Full, err)
				}
			})
		}
		all.Wait()
		list, err := o.Enquiries.Enquiries(t.Context(), enquiry.ListQuery{Limit: 1000})
		check(t, "Enquiries", err)
		passed := 0
		for _, s := range list {
			if s.Received.Equal(o.Clock.Now()) {
				passed++
			}
		}
		if want := tt.l.Sender%99 + tt.l.Client%99 + tt.l.All%99; passed != want {
			t.Errorf("%s: %d of %d passed, want %d", tt.scope, passed, atOnce, want)
		}
	}
}
