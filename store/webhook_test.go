package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"vaak/account"
	"vaak/account/ledger"
	"vaak/catalogue"
	"vaak/enquiry"
	"vaak/internal/fault"
	"vaak/store/database/databasetest"
	"vaak/store/storetest"
	"vaak/webhook"
)

// webhooksOnBoth runs a test on both databases, with a clock that it moves.
func webhooksOnBoth(t *testing.T, f func(t *testing.T, s *Store, clock *storetest.Clock)) {
	t.Parallel()
	for name, dsn := range map[string]func(*testing.T) string{
		"SQLite":     sqliteDSN,
		"PostgreSQL": func(t *testing.T) string { return databasetest.Postgres(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clock := storetest.NewClock()
			f(t, openBy(t, dsn(t), clock.Now), clock)
		})
	}
}

// addEndpoint adds an endpoint of an owner.
func addEndpoint(t *testing.T, s *Store, owner string, change func(*webhook.Endpoint)) webhook.Endpoint {
	t.Helper()
	e := webhook.Endpoint{
		ID: strings.Replace(webhook.NewDeliveryID(), "whd_", "whe_", 1), Owner: owner, URL: "https://example.org/", Thresholds: webhook.DefaultThresholds(),
		NoticeDays: webhook.DefaultNoticeDays, State: webhook.Enabled, Secrets: []webhook.Sealed{{Text: "sealed"}},
	}
	if change != nil {
		change(&e)
	}
	if ok, err := s.Webhooks().CreateEndpoint(t.Context(), e, webhook.MaxEndpoints); !ok || err != nil {
		t.Fatalf("CreateEndpoint = %v, %v", ok, err)
	}
	return e
}

// sentTo returns what an endpoint got or is to get, in order: type, and some of the data.
func sentTo(t *testing.T, s *Store, e webhook.Endpoint) (all []string) {
	t.Helper()
	list, err := s.Webhooks().Deliveries(t.Context(), e.ID, webhook.Query{Limit: webhook.MaxPage})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range slices.Backward(list) {
		var body struct {
			Type      webhook.Type
			Timestamp time.Time
			Data      map[string]any
		}
		if err := json.Unmarshal([]byte(d.Event.Body), &body); err != nil || body.Type != d.Event.Type || !body.Timestamp.Equal(d.Event.At) {
			t.Errorf("body %s of a %s at %s: %v", d.Event.Body, d.Event.Type, d.Event.At, err)
		}
		line := string(body.Type)
		for _, name := range []string{"threshold_percent", "used_characters", "remaining_characters", "expired_characters", "notice_days", "status", "kind"} {
			if v, ok := body.Data[name]; ok {
				line += fmt.Sprint(" ", v)
			}
		}
		all = append(all, line)
	}
	return all
}

func wantSent(t *testing.T, s *Store, e webhook.Endpoint, want ...string) {
	t.Helper()
	if got := sentTo(t, s, e); !slices.Equal(got, want) {
		t.Errorf("%s gets\n%s\nwant\n%s", e.Owner, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// books posts for one organisation.
type booksOf struct {
	t   *testing.T
	s   *Store
	org string
	key string
	n   int
}

func newBooks(t *testing.T, s *Store, n int) *booksOf {
	t.Helper()
	o := testOrganisation(n)
	o.Terms = ledger.Terms{Mode: ledger.Wallet, Plan: "starter"}
	k := account.Key{ID: fmt.Sprint("key_", n), OrgID: o.ID, Label: "l", LastFour: "wxyz", Hash: fmt.Appendf(nil, "%032d", n), MonthlyCap: ledger.Unlimited}
	if err := s.CreateOrganisation(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if err := s.CreateKey(t.Context(), k); err != nil {
		t.Fatal(err)
	}
	return &booksOf{t: t, s: s, org: o.ID, key: k.ID}
}

func (b *booksOf) post(do func(now time.Time, book *ledger.Book) error) {
	b.t.Helper()
	b.n++
	err := b.s.Post(b.t.Context(), account.Opening{Orgs: []string{b.org}}, func(now time.Time, books map[string]*ledger.Book) (account.Posting, error) {
		return account.Posting{}, do(now, books[b.org])
	})
	if err != nil {
		b.t.Fatal(err)
	}
}

func (b *booksOf) grant(characters int64, expires time.Time) {
	b.t.Helper()
	b.post(func(_ time.Time, book *ledger.Book) error {
		book.Grant(ledger.Lot{Kind: ledger.Purchase, Source: fmt.Sprint("invoice ", b.n), Granted: characters, Expires: expires})
		return nil
	})
}

func (b *booksOf) charge(characters int64) {
	b.t.Helper()
	b.post(func(now time.Time, book *ledger.Book) error {
		_, err := book.Charge(fmt.Sprintf("hold_%s_%d", b.org, b.n), b.key, characters, now)
		return err
	})
}

// TestWebhookUsage: each threshold is told once, to those who want it, and again after a grant.
func TestWebhookUsage(t *testing.T) {
	webhooksOnBoth(t, func(t *testing.T, s *Store, clock *storetest.Clock) {
		b, other := newBooks(t, s, 1), newBooks(t, s, 2)
		for _, of := range []*booksOf{b, other} {
			of.grant(1000, time.Time{})
			of.charge(100)
		}
		own := addEndpoint(t, s, b.org, nil)
		quarter := addEndpoint(t, s, b.org, func(e *webhook.Endpoint) {
			e.Thresholds, e.Types = []int{25}, []webhook.Type{webhook.ThresholdReached}
		})
		addEndpoint(t, s, b.org, func(e *webhook.Endpoint) { e.Types = []webhook.Type{webhook.LotExpiring} })
		operator := addEndpoint(t, s, webhook.Operator, func(e *webhook.Endpoint) { e.Thresholds = []int{80} })
		b.charge(300) // 40 %: what was charged before there was an endpoint counts
		b.charge(99)
		wantSent(t, s, own)
		b.charge(1)
		b.charge(10)
		b.charge(490) // 100 %
		other.charge(700)
		wantSent(t, s, own, "usage.threshold_reached 50 500 500", "usage.threshold_reached 80 1000 0", "usage.threshold_reached 100 1000 0")
		wantSent(t, s, quarter, "usage.threshold_reached 25 400 600")
		wantSent(t, s, operator, "usage.threshold_reached 80 1000 0", "usage.threshold_reached 80 800 200")
		b.grant(100, clock.Now().Add(time.Hour))
		b.charge(49)
		b.charge(1)
		wantSent(t, s, quarter, "usage.threshold_reached 25 400 600", "usage.threshold_reached 25 49 51")
		// An expiry is no use, and is told by itself.
		clock.Advance(2 * time.Hour)
		b.post(func(time.Time, *ledger.Book) error { return nil })
		wantSent(t, s, own, "usage.threshold_reached 50 500 500", "usage.threshold_reached 80 1000 0", "usage.threshold_reached 100 1000 0",
			"usage.threshold_reached 50 50 50", "lot.expired 50")
	})
}

// TestWebhookExpiring: a lot is told once to each endpoint, from its day on.
func TestWebhookExpiring(t *testing.T) {
	webhooksOnBoth(t, func(t *testing.T, s *Store, clock *storetest.Clock) {
		b := newBooks(t, s, 1)
		b.grant(1000, clock.Now().AddDate(0, 0, 10))
		b.grant(50, time.Time{})
		own := addEndpoint(t, s, b.org, func(e *webhook.Endpoint) { e.NoticeDays = 2 })
		operator := addEndpoint(t, s, webhook.Operator, nil)
		tell := func() {
			t.Helper()
			for range 2 {
				if err := s.Webhooks().TellExpiring(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
		}
		tell()
		wantSent(t, s, operator)
		clock.Advance(4 * 24 * time.Hour)
		tell()
		wantSent(t, s, own)
		wantSent(t, s, operator, "lot.expiring 1000 7 purchase")
		clock.Advance(5 * 24 * time.Hour)
		tell()
		wantSent(t, s, own, "lot.expiring 1000 2 purchase")
		wantSent(t, s, operator, "lot.expiring 1000 7 purchase")
	})
}

// TestWebhookDomain: what happens to datasets and enquiries is told to the operator, with nothing that a
// person typed.
func TestWebhookDomain(t *testing.T) {
	webhooksOnBoth(t, func(t *testing.T, s *Store, clock *storetest.Clock) {
		ctx := t.Context()
		b := newBooks(t, s, 1)
		own, operator := addEndpoint(t, s, b.org, nil), addEndpoint(t, s, webhook.Operator, nil)
		d := testDataset(1)
		for _, status := range []catalogue.Status{catalogue.Drafted, catalogue.Published, catalogue.Published, catalogue.Suspended, catalogue.Published, catalogue.Retired} {
			d.Dataset.Status = status
			var err error
			if d.Revision, err = s.Catalogue().PutDataset(ctx, d); err != nil {
				t.Fatal(err)
			}
		}
		e := enquiry.Enquiry{ID: "enq_1", Method: enquiry.ByREST, Draft: enquiry.Draft{
			About: &enquiry.Dataset{ID: d.Dataset.ID, Slug: "slug"},
			Form:  enquiry.Form{Name: "Ana Private", Email: "ana@example.org", Intent: enquiry.Sample, Message: "private words", Company: "Private"},
		}}
		mails := []enquiry.Mail{{ID: "mail_1", MessageID: "1@x", Kind: enquiry.ToOperator, To: "desk@example.org"}, {ID: "mail_2", MessageID: "2@x", Kind: enquiry.ToPerson, To: e.Email}}
		wide := enquiry.Limits{Sender: 9, Client: 9, All: 9}
		for range 2 { // the second is a repetition, and no event
			if _, err := s.Enquiries().KeepEnquiry(ctx, enquiry.Submission{Enquiry: e, Sender: "s", Client: "c", Limits: wide, Mails: mails, Entry: enquiry.Entry{Outcome: enquiry.OutcomeSent}}); err != nil {
				t.Fatal(err)
			}
		}
		release := enquiry.Release{ID: "rel_1", Enquiry: e.ID, Dataset: d.Dataset.ID, Expires: clock.Now().Add(time.Hour), Most: 1}
		for _, err := range []error{
			s.Enquiries().MailFailed(ctx, "mail_2", clock.Now(), "no", false),
			s.Enquiries().MailFailed(ctx, "mail_2", clock.Now(), "no", true),
			s.Enquiries().MailSent(ctx, "mail_1", clock.Now()),
			s.Enquiries().PutRelease(ctx, release, enquiry.Mail{ID: "mail_3", MessageID: "3@x", Kind: enquiry.WithSample}, enquiry.Entry{Outcome: enquiry.OutcomeSent}),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
		for range 2 {
			if _, err := s.Enquiries().TakeDownload(ctx, "rel_1", enquiry.Entry{Outcome: enquiry.OutcomeSent}); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := s.Enquiries().PurgeOne(ctx, e.ID); err != nil {
			t.Fatal(err)
		}
		wantSent(t, s, own)
		wantSent(t, s, operator, "dataset.published published", "dataset.changed published", "dataset.suspended suspended", "dataset.published published",
			"dataset.retired retired", "enquiry.received", "enquiry.delivery_failed receipt", "enquiry.delivered operator",
			"enquiry.sample_released", "enquiry.sample_taken", "enquiry.purged")
		all, err := s.Webhooks().Deliveries(ctx, operator.ID, webhook.Query{Limit: 100})
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range all {
			for _, private := range []string{"rivate", "@", "Ana"} {
				if strings.Contains(d.Event.Body, private) {
					t.Errorf("%s holds %q", d.Event.Body, private)
				}
			}
		}
	})
}

// TestWebhookOrder: of a subject one delivery is out at a time, the next follows when it ends, whoever
// asks when; another subject does not wait.
func TestWebhookOrder(t *testing.T) {
	webhooksOnBoth(t, func(t *testing.T, s *Store, clock *storetest.Clock) {
		ctx := t.Context()
		hooks := s.Webhooks()
		e := addEndpoint(t, s, webhook.Operator, nil)
		send := func(subject string) int64 {
			t.Helper()
			d, err := hooks.SendTo(ctx, e.ID, webhook.NewEvent(webhook.Test, webhook.Operator, subject, clock.Now(), nil))
			if err != nil {
				t.Fatal(err)
			}
			return d.N
		}
		claim := func(n int64) *webhook.Claimed {
			t.Helper()
			c, err := hooks.Claim(ctx, n, 20*time.Second)
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
		settle := func(c *webhook.Claimed, o webhook.Outcome, next time.Time) {
			t.Helper()
			if _, err := hooks.Settle(ctx, webhook.Settlement{Claimed: *c, At: clock.Now(), Outcome: o, Next: next, Attempt: webhook.Attempt{Status: 500}}); err != nil {
				t.Fatal(err)
			}
		}
		first, second, third, other := send("a"), send("a"), send("a"), send("b")
		c := claim(first)
		if c == nil || claim(first) != nil || claim(second) != nil || claim(third) != nil || claim(other) == nil {
			t.Fatal("claims: want the first of each subject, once")
		}
		settle(c, webhook.Waiting, clock.Now().Add(time.Minute))
		if claim(first) != nil || claim(second) != nil {
			t.Error("a delivery that is not due, or waits behind one, was claimed")
		}
		clock.Advance(time.Minute)
		c = claim(first)
		if c == nil || c.Delivery.Attempts != 1 {
			t.Fatalf("the second attempt: %+v", c)
		}
		// The claim of a server that was killed ends, and its outcome counts no more.
		clock.Advance(21 * time.Second)
		again := claim(first)
		settle(c, webhook.Failed, time.Time{})
		if again == nil || claim(second) != nil {
			t.Fatal("a claim that was lost still counts")
		}
		settle(again, webhook.Delivered, time.Time{})
		if claim(third) != nil || claim(second) == nil {
			t.Error("after the first, want the second")
		}
		// A second lost claim is found by the sweep: a job for the head of each subject.
		clock.Advance(time.Minute)
		if err := hooks.Requeue(ctx); err != nil {
			t.Fatal(err)
		}
		var jobs int
		if err := s.db.Read.NewRaw("SELECT count(*) FROM river_job WHERE kind = ?", webhook.JobDeliver).Scan(ctx, &jobs); err != nil {
			t.Fatal(err)
		}
		// 4 of the events, 1 of the next attempt, 1 of what follows the first, 2 overdue.
		if jobs != 8 {
			t.Errorf("%d jobs, want 8", jobs)
		}
		if st, err := hooks.Standing(ctx); err != nil || st.Waiting != 3 || st.Oldest <= time.Minute || st.Disabled != 0 {
			t.Errorf("Standing = %+v, %v", st, err)
		}
	})
}

// TestWebhookEnd: an endpoint that is gone, or fails for days, gets nothing until it is enabled again, and
// what it missed is sent then.
func TestWebhookEnd(t *testing.T) {
	webhooksOnBoth(t, func(t *testing.T, s *Store, clock *storetest.Clock) {
		ctx, hooks := t.Context(), s.Webhooks()
		attempt := func(e webhook.Endpoint, n int64, gone bool) webhook.State {
			t.Helper()
			c, err := hooks.Claim(ctx, n, 20*time.Second)
			if err != nil || c == nil {
				t.Fatalf("Claim = %v, %v", c, err)
			}
			o := webhook.Waiting
			if gone {
				o = webhook.Failed
			}
			state, err := hooks.Settle(ctx, webhook.Settlement{Claimed: *c, At: clock.Now(), Outcome: o, Next: clock.Now(), Gone: gone, Attempt: webhook.Attempt{Problem: "no"}})
			if err != nil {
				t.Fatal(err)
			}
			return state
		}
		for _, gone := range []bool{true, false} {
			e := addEndpoint(t, s, webhook.Operator, nil)
			var ns []int64
			for i := range 3 {
				d, err := hooks.SendTo(ctx, e.ID, webhook.NewEvent(webhook.Test, webhook.Operator, "s", clock.Now(), i))
				if err != nil {
					t.Fatal(err)
				}
				ns = append(ns, d.N)
			}
			state := attempt(e, ns[0], gone)
			want := webhook.Gone
			if !gone {
				want = webhook.Failing
				if state != webhook.Enabled {
					t.Errorf("after one failure the state is %s", state)
				}
				clock.Advance(webhook.FailingFor)
				state = attempt(e, ns[0], false)
			}
			if state != want {
				t.Errorf("the state is %s, want %s", state, want)
			}
			failed, err := hooks.Deliveries(ctx, e.ID, webhook.Query{Outcome: webhook.Failed, Limit: 10})
			if err != nil || len(failed) != 3 {
				t.Errorf("%d deliveries failed, %v, want all 3", len(failed), err)
			}
			if _, err := hooks.SendTo(ctx, e.ID, webhook.NewEvent(webhook.Test, webhook.Operator, "s", clock.Now(), 1)); fault.KindOf(err) != fault.Conflict {
				t.Errorf("SendTo a disabled endpoint: %v, want a conflict", err)
			}
			if _, err := hooks.ReplayFailed(ctx, e.ID, time.Time{}, 10); fault.KindOf(err) != fault.Conflict {
				t.Errorf("ReplayFailed to a disabled endpoint: %v, want a conflict", err)
			}
			if _, _, err := hooks.ChangeEndpoint(ctx, e.ID, func(e *webhook.Endpoint) error { e.State = webhook.Enabled; return nil }); err != nil {
				t.Fatal(err)
			}
			for _, want := range []int{3, 0} { // the second call finds them queued
				if n, err := hooks.ReplayFailed(ctx, e.ID, time.Time{}, 10); n != want || err != nil {
					t.Errorf("ReplayFailed = %d, %v, want %d", n, err, want)
				}
			}
			waiting, err := hooks.Deliveries(ctx, e.ID, webhook.Query{Outcome: webhook.Waiting, Limit: 10})
			if err != nil || len(waiting) != 3 || !waiting[0].Replayed || waiting[2].Event.ID != failed[2].Event.ID {
				t.Errorf("replayed %+v, %v", waiting, err)
			}
		}
		clock.Advance(webhook.Keep + time.Hour)
		if n, err := hooks.Prune(ctx, clock.Now().Add(-webhook.Keep)); n != 6 || err != nil {
			t.Errorf("Prune = %d, %v, want the 6 that failed; those that wait stay", n, err)
		}
	})
}

// TestWebhookEndpoints: what is written is read, an owner has only so many, a delete takes all with it.
func TestWebhookEndpoints(t *testing.T) {
	webhooksOnBoth(t, func(t *testing.T, s *Store, clock *storetest.Clock) {
		ctx, hooks := t.Context(), s.Webhooks()
		b := newBooks(t, s, 1)
		var made sync.WaitGroup
		var mu sync.Mutex
		kept := 0
		for i := range 8 {
			made.Go(func() {
				e := webhook.Endpoint{ID: fmt.Sprint("whe_", i), Owner: b.org, URL: "https://example.org/", State: webhook.Enabled, NoticeDays: 1, Created: clock.Now()}
				ok, err := hooks.CreateEndpoint(ctx, e, 3)
				if err != nil {
					t.Error(err)
				}
				if ok {
					mu.Lock()
					kept++
					mu.Unlock()
				}
			})
		}
		made.Wait()
		all, err := hooks.Endpoints(ctx, b.org)
		if err != nil || kept != 3 || len(all) != 3 {
			t.Errorf("%d of at most 3 were made, %d are there, %v", kept, len(all), err)
		}
		if _, err := hooks.CreateEndpoint(ctx, webhook.Endpoint{ID: "whe_x", Owner: "org_nobody", State: webhook.Enabled, NoticeDays: 1}, 3); fault.KindOf(err) != fault.NotFound {
			t.Errorf("an endpoint of nobody: %v, want NotFound", err)
		}
		if _, err := hooks.SendTo(ctx, all[0].ID, webhook.NewEvent(webhook.Test, b.org, "s", clock.Now(), 1)); err != nil {
			t.Fatal(err)
		}
		for _, want := range []bool{true, false} {
			if ok, err := hooks.DeleteEndpoint(ctx, all[0].ID); ok != want || err != nil {
				t.Errorf("DeleteEndpoint = %v, %v, want %v", ok, err, want)
			}
		}
		if st, err := hooks.Standing(ctx); err != nil || st.Waiting != 0 {
			t.Errorf("after the delete: %+v, %v", st, err)
		}
	})
}

// TestWebhookRace has many write, claim, settle and change at once: nothing deadlocks for good, and
// every delivery of a subject ends in order.
func TestLengthyWebhookRace(t *testing.T) {
	if testing.Short() {
		t.Skip("two stores and many transactions")
	}
	t.Parallel()
	dsn := databasetest.Postgres(t)
	stores := []*Store{openDSN(t, dsn), openDSN(t, dsn)}
	e := addEndpoint(t, stores[0], webhook.Operator, nil)
	const events, subjects = 300, 5
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	var writing, working sync.WaitGroup
	var mu sync.Mutex
	last, ended := map[string]int64{}, 0
	var waiting []int64 // in no order, as the writers wrote them
	work := func(s *Store) {
		for ctx.Err() == nil {
			mu.Lock()
			done := ended == events
			mu.Unlock()
			if done {
				return
			}
			// Of the oldest ones at least one can be claimed.
			mu.Lock()
			oldest := slices.Sorted(slices.Values(waiting))
			mu.Unlock()
			for _, n := range oldest[:min(len(oldest), 20)] {
				c, err := s.Webhooks().Claim(ctx, n, time.Minute)
				if err != nil || c == nil {
					continue // a deadlock is tried again, as the jobs do
				}
				mu.Lock()
				subject := c.Delivery.Event.Subject
				if last[subject] > n {
					t.Errorf("%d comes after %d", n, last[subject])
				}
				last[subject] = n
				waiting = slices.DeleteFunc(waiting, func(other int64) bool { return other == n })
				ended++
				mu.Unlock()
				settlement := webhook.Settlement{Claimed: *c, At: time.Now(), Outcome: webhook.Delivered, Attempt: webhook.Attempt{Status: 200}}
				for {
					if _, err = s.Webhooks().Settle(ctx, settlement); err == nil || ctx.Err() != nil {
						break
					}
				}
			}
		}
	}
	for _, s := range stores {
		for i := range 3 {
			writing.Go(func() {
				for n := range events / 6 {
					d, err := s.Webhooks().SendTo(ctx, e.ID, webhook.NewEvent(webhook.Test, webhook.Operator, fmt.Sprint((n+i)%subjects), time.Now(), n))
					if err != nil {
						t.Error(err)
					}
					mu.Lock()
					waiting = append(waiting, d.N)
					mu.Unlock()
				}
			})
			working.Go(func() { work(s) })
		}
	}
	writing.Wait()
	working.Wait()
	if ended != events {
		t.Errorf("%d of %d ended", ended, events)
	}
}
