package enquiries

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"vaak/enquiry"
	"vaak/internal/fault"
	"vaak/store/database"
	"vaak/store/database/databasetest"
)

// TestEnquiryReplicas has two processes on PostgreSQL, by the clock of the database,
// take from one sender at once.
func TestEnquiryReplicas(t *testing.T) {
	t.Parallel()
	const limit, tries = 5, 32
	dsn := databasetest.Postgres(t)
	both := []*Enquiries{open(t, dsn), open(t, dsn)}
	l := roomy
	l.Sender = limit
	var all sync.WaitGroup
	var full atomic.Int64
	for i := range tries {
		all.Go(func() {
			s := testSubmission(i)
			s.Sender, s.Limits = "one", l
			for {
				kept, err := both[i%2].KeepEnquiry(t.Context(), s)
				if fault.KindOf(err) == fault.Unavailable {
					continue
				}
				if err != nil {
					t.Error(err)
				}
				if kept.Full != "" {
					full.Add(1)
				}
				return
			}
		})
	}
	all.Wait()
	rows := countRows(t, both[0])
	if n := full.Load(); n != tries-limit || rows["enquiries"] != limit || rows["river_job"] != limit || rows["enquiry_journal"] < limit {
		t.Errorf("%d were refused and there are %v, want %d passed of %d", n, rows, limit, tries)
	}
	for _, s := range both {
		if got, err := s.FullFor(t.Context(), "one", "", l); got != enquiry.SenderScope || err != nil {
			t.Errorf("FullFor = %q, %v, want %q", got, err, enquiry.SenderScope)
		}
	}
}

// fillHour writes n enquiries that were received before an instant, a microsecond apart, in
// one transaction, each with a mail, an entry that shows words, and an entry of none.
func fillHour(t testing.TB, s *Enquiries, n int, before time.Time) {
	t.Helper()
	err := s.db.Transact(t.Context(), func(ctx context.Context, tx *database.Tx) error {
		for i := range n {
			sub := testSubmission(i + 1_000_000)
			sub.Enquiry.Received = before.Add(-time.Duration(i+1) * time.Microsecond)
			r := rowOf(&sub)
			if _, err := tx.NewInsert().Model(&r).Returning("NULL").Exec(ctx); err != nil {
				return err
			}
			sub.Entry.Enquiry = sub.Enquiry.ID
			if err := note(ctx, tx, sub.Entry); err != nil {
				return err
			}
			if err := note(ctx, tx, enquiry.Entry{Outcome: enquiry.OutcomeRefused}); err != nil {
				return err
			}
			link := testQuestion(i + 1_000_000).Pending
			link.Expires = before.Add(-time.Hour)
			l := rowOfLink(1, link)
			if _, err := tx.NewInsert().Model(&l).Returning("NULL").Exec(ctx); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestPurgeMany purges more than goes in one transaction, of each sort.
func TestPurgeMany(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s *Enquiries) {
		const many = purgeAtOnce + 20
		fillHour(t, s, many, time.Now().Add(-2*hour))
		var statements atomic.Int64
		s.db.Write = s.db.Write.WithQueryHook(hook{func(q string) {
			if strings.Contains(q, "SET purged = 1,") {
				statements.Add(1)
			}
		}})
		for _, want := range []int{many, 0} {
			got, err := s.Purge(t.Context(), time.Now().Add(time.Hour))
			if got != want || err != nil {
				t.Errorf("Purge = %d, %v, want %d", got, err, want)
			}
		}
		if n := statements.Load(); n != 3 {
			t.Errorf("%d statements purged enquiries, want 2 and 1", n)
		}
		rows := countRows(t, s)
		if rows["enquiries"] != many || rows["enquiry_journal"] != many || rows["enquiry_links"] != 0 {
			t.Errorf("rows = %v, want %d enquiries with an entry each, and nothing else", rows, many)
		}
		var whole int
		err := s.db.Read.QueryRowContext(t.Context(), `SELECT (SELECT count(*) FROM enquiries WHERE purged = 0 OR name <> '' OR email <> '' OR message <> '' OR sender <> '')
			+ (SELECT count(*) FROM enquiry_journal WHERE shown <> '')`).Scan(&whole)
		if err != nil || whole != 0 {
			t.Errorf("%d rows hold words still, %v", whole, err)
		}
	})
}

// scans is a step of a plan of SQLite that reads a whole table of ours.
var scans = regexp.MustCompile(`^SCAN (enquir|sample_|[ebjlmr]\b)`)

// TestEnquiryPlans looks at each statement that the store makes: none reads a whole
// table.
func TestEnquiryPlans(t *testing.T) {
	t.Parallel()
	ctx, s := t.Context(), open(t, "sqlite:"+filepath.Join(t.TempDir(), "vaak.db"))
	fillHour(t, s, 50, time.Now().Add(-2*hour))
	var mu sync.Mutex
	var seen []string
	h := hook{func(q string) {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, q)
	}}
	write, read := s.db.Write, s.db.Read
	s.db.Write, s.db.Read = s.db.Write.WithQueryHook(h), s.db.Read.WithQueryHook(h)
	e := s
	for i := range 2 {
		for _, call := range everyCall(e, i) {
			if err := call(ctx); err != nil {
				t.Fatal(err)
			}
		}
	}
	s.db.Write, s.db.Read = write, read
	slices.Sort(seen)
	seen = slices.Compact(seen)
	looked := 0
	for _, q := range seen {
		if !strings.Contains(q, "enquir") && !strings.Contains(q, "sample_") {
			continue
		}
		var steps []struct {
			ID, Parent, NotUsed int
			Detail              string
		}
		if err := s.db.Read.NewRaw("EXPLAIN QUERY PLAN ?", bun.SafeQuery(q)).Scan(ctx, &steps); err != nil {
			t.Fatalf("%v: %s", err, q)
		}
		looked++
		for _, step := range steps {
			if scans.MatchString(step.Detail) && !strings.Contains(step.Detail, "INDEX") {
				t.Errorf("%s, in\n%s", step.Detail, q)
			}
		}
	}
	if looked < 30 {
		t.Errorf("%d statements were seen, want more", looked)
	}
}

// everyCall returns calls of all that the store can do with submission n.
func everyCall(e *Enquiries, n int) []func(context.Context) error {
	s, linked := testSubmission(n), enquiry.Entry{Outcome: enquiry.OutcomeLinked, Fold: "fold"}
	r := enquiry.Release{ID: fmt.Sprint("rel_", n), Enquiry: s.Enquiry.ID, Dataset: "ds_1", Expires: time.Now().Add(time.Hour), Most: 1}
	m := enquiry.Mail{ID: fmt.Sprint("mail_r", n), Kind: enquiry.WithSample, MessageID: "m"}
	keep := func(ctx context.Context) error { _, err := e.KeepEnquiry(ctx, s); return err }
	return []func(context.Context) error{
		func(ctx context.Context) error { _, err := e.PutQuestion(ctx, testQuestion(n)); return err },
		keep, keep,
		func(ctx context.Context) error { _, err := e.FullFor(ctx, "a", "x", roomy); return err },
		func(ctx context.Context) error { _, err := e.WasDeclined(ctx, "content"); return err },
		func(ctx context.Context) error { _, err := e.WasCancelled(ctx, "question"); return err },
		func(ctx context.Context) error { _, _, err := e.Pending(ctx, "burn"); return err },
		func(ctx context.Context) error { _, _, err := e.Enquiry(ctx, s.Enquiry.ID); return err },
		func(ctx context.Context) error { _, _, err := e.Mail(ctx, s.Mails[0].ID); return err },
		func(ctx context.Context) error { return e.MailFailed(ctx, s.Mails[0].ID, time.Now(), "no", true) },
		func(ctx context.Context) error { _, err := e.RetryMail(ctx, s.Mails[0].ID, linked); return err },
		func(ctx context.Context) error { return e.MailSent(ctx, s.Mails[0].ID, time.Now()) },
		func(ctx context.Context) error { return e.PutRelease(ctx, r, m, linked) },
		func(ctx context.Context) error { _, err := e.Enquiries(ctx, enquiry.ListQuery{Limit: 9}); return err },
		func(ctx context.Context) error { _, err := e.Mails(ctx, s.Enquiry.ID); return err },
		func(ctx context.Context) error { _, err := e.Entries(ctx, s.Enquiry.ID, 9); return err },
		func(ctx context.Context) error { _, err := e.Entries(ctx, "", 9); return err },
		func(ctx context.Context) error { _, err := e.Releases(ctx, s.Enquiry.ID); return err },
		func(ctx context.Context) error { _, _, err := e.Release(ctx, r.ID); return err },
		func(ctx context.Context) error { _, err := e.TakeDownload(ctx, r.ID, linked); return err },
		func(ctx context.Context) error { _, err := e.Purgeable(ctx, time.Now()); return err },
		func(ctx context.Context) error { _, err := e.Purge(ctx, time.Now()); return err },
		func(ctx context.Context) error { _, err := e.PurgeOne(ctx, s.Enquiry.ID); return err },
	}
}

// BenchmarkKeepEnquiry keeps enquiries in an hour in which 1000 were received.
func BenchmarkKeepEnquiry(b *testing.B) {
	s := open(b, "sqlite:"+filepath.Join(b.TempDir(), "vaak.db"))
	fillHour(b, s, 1000, time.Now())
	e, n := s, 0
	for b.Loop() {
		n++
		if kept, err := e.KeepEnquiry(b.Context(), testSubmission(n)); err != nil || kept.Full != "" {
			b.Fatal(kept.Full, err)
		}
	}
}
