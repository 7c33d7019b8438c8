package storetest

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vaak/enquiry"
	"vaak/internal/fault"
)

// release returns release n of an enquiry, with its mail and entry.
func release(n int, of string) (enquiry.Release, enquiry.Mail, enquiry.Entry) {
	r := enquiry.Release{
		ID: id("rel_", n), Enquiry: of, Dataset: id("ds_", 1), Licence: "Evaluation only.\nज़रूर\n",
		Released: created, Expires: created.Add(7 * 24 * time.Hour), Most: 5,
	}
	m := mail(100+n, of, enquiry.WithSample)
	return r, m, enquiry.Entry{Outcome: enquiry.OutcomeReleased, Code: r.ID, Times: 1}
}

func wantReleases(t *testing.T, e Enquiries, of string, want ...enquiry.Release) {
	t.Helper()
	got, err := e.Releases(t.Context(), of)
	check(t, "Releases", err)
	same(t, "Releases", got, want)
	for _, r := range want {
		got, ok, err := e.Release(t.Context(), r.ID)
		check(t, "Release", err)
		if !ok {
			t.Fatalf("Release(%q) = none, want one", r.ID)
		}
		same(t, "Release", got, r)
	}
}

func testReleases(t *testing.T, o OpenedEnquiries) {
	ctx, e := t.Context(), o.Enquiries
	s := submit(t, e, submission(1))
	wantReleases(t, e, s.Enquiry.ID)
	mails, entries := s.Mails, []enquiry.Entry{s.Entry}
	var all []enquiry.Release
	for n := range 2 {
		r, m, entry := release(n, s.Enquiry.ID)
		at := o.Clock.Advance(time.Minute)
		if n == 1 {
			r.Released = time.Time{} // set by the store
		}
		check(t, "PutRelease", e.PutRelease(ctx, r, m, entry))
		if n == 1 {
			r.Released = at
		}
		m.Changed, entry.At, entry.Enquiry = at, at, s.Enquiry.ID
		all, mails, entries = append(all, r), append(mails, m), append(entries, entry)
		wantEnquiry(t, e, s.Enquiry, mails, entries)
		wantReleases(t, e, s.Enquiry.ID, all...)
		wantJobs(t, o, idsOf(mails)...)
	}
	r, m, entry := release(1, s.Enquiry.ID) // the same id
	m.ID = "mail_other"
	wantKind(t, "PutRelease twice", e.PutRelease(ctx, r, m, entry), fault.Conflict)
	r, _, entry = release(2, s.Enquiry.ID)
	m.ID = s.Mails[0].ID
	wantKind(t, "PutRelease with a mail that is there", e.PutRelease(ctx, r, m, entry), fault.Conflict)
	r, m, entry = release(2, "enq_none")
	wantKind(t, "PutRelease of no enquiry", e.PutRelease(ctx, r, m, entry), fault.NotFound)
	wantReleases(t, e, s.Enquiry.ID, all...)
	wantReleases(t, e, "enq_none")
	wantEnquiry(t, e, s.Enquiry, mails, entries)
	wantJobs(t, o, idsOf(mails)...)
}

func testDownloads(t *testing.T, o OpenedEnquiries) {
	e := o.Enquiries
	s := submit(t, e, submission(1))
	entries := []enquiry.Entry{s.Entry}
	put := func(n, most int) enquiry.Release {
		t.Helper()
		r, m, entry := release(n, s.Enquiry.ID)
		r.Most = most
		check(t, "PutRelease", e.PutRelease(t.Context(), r, m, entry))
		entry.At, entry.Enquiry = o.Clock.Now(), s.Enquiry.ID
		entries = append(entries, entry)
		return r
	}
	two, many, none := put(1, 2), put(2, 100), put(3, 0)
	accepted := enquiry.Entry{Outcome: enquiry.OutcomeAccepted, Client: "x", Times: 1}
	take := func(r *enquiry.Release, want bool) {
		t.Helper()
		got, err := e.TakeDownload(t.Context(), r.ID, accepted)
		if got != want || err != nil {
			t.Errorf("TakeDownload of %+v = %v, %v, want %v", r, got, err, want)
		}
		if want {
			r.Downloads++
			entry := accepted
			entry.At, entry.Enquiry = o.Clock.Now(), s.Enquiry.ID
			entries = append(entries, entry)
		}
	}
	take(&two, true)
	take(&two, true)
	take(&two, false)
	take(&none, false)
	take(&many, true)
	take(&enquiry.Release{ID: "rel_none"}, false)
	take(&enquiry.Release{ID: "\x00"}, false)
	o.Clock.Advance(7*24*time.Hour - time.Microsecond)
	take(&many, true)
	o.Clock.Advance(time.Microsecond)
	take(&many, false)
	wantReleases(t, e, s.Enquiry.ID, two, many, none)
	got, err := e.Entries(t.Context(), s.Enquiry.ID, 100)
	check(t, "Entries", err)
	slices.Reverse(entries)
	same(t, "Entries", got, entries)
}

// testDownloadsAtOnce checks that of many concurrent downloads only the allowed number
// succeeds.
func testDownloadsAtOnce(t *testing.T, o OpenedEnquiries) {
	both, s := stores(t, o), submit(t, o.Enquiries, submission(1))
	r, m, entry := release(1, s.Enquiry.ID)
	check(t, "PutRelease", o.Enquiries.PutRelease(t.Context(), r, m, entry))
	var all sync.WaitGroup
	var taken, unheard atomic.Int64
	for i := range atOnce {
		all.Go(func() {
			for try := 1; ; try++ {
				ok, err := both[i%2].TakeDownload(t.Context(), r.ID, enquiry.Entry{Outcome: enquiry.OutcomeAccepted, Code: fmt.Sprint(i)})
				if fault.KindOf(err) == fault.Unavailable && try < busyTries {
					unheard.Add(1)
					continue
				}
				if err != nil {
					t.Errorf("TakeDownload: %v", err)
				}
				if ok {
					taken.Add(1)
				}
				return
			}
		})
	}
	all.Wait()
	if n := taken.Load(); n > int64(r.Most) || n+unheard.Load() < int64(r.Most) {
		t.Errorf("%d of %d have taken one, want %d", n, atOnce, r.Most)
	}
	r.Downloads = r.Most
	wantReleases(t, o.Enquiries, s.Enquiry.ID, r)
	got, err := o.Enquiries.Entries(t.Context(), s.Enquiry.ID, 100)
	check(t, "Entries", err)
	if len(got) != 2+r.Most {
		t.Errorf("%d entries, want %d", len(got), 2+r.Most)
	}
}
