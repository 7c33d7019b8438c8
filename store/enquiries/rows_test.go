package enquiries

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/uptrace/bun"
	"go.uber.org/goleak"

	"vaak/enquiry"
	"vaak/store/database/databasetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// open opens a migrated database, which goes with the test.
func open(t testing.TB, dsn string) *Enquiries {
	t.Helper()
	return New(databasetest.Open(t, dsn, nil))
}

// onBoth runs f on an empty database of each kind.
func onBoth(t *testing.T, f func(t *testing.T, s *Enquiries)) {
	for name, dsn := range map[string]func(*testing.T) string{
		"SQLite":     func(t *testing.T) string { return "sqlite:" + filepath.Join(t.TempDir(), "vaak.db") },
		"PostgreSQL": func(t *testing.T) string { return databasetest.Postgres(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f(t, open(t, dsn(t)))
		})
	}
}

// words are what no error may hold.
var words = []string{"Ana Aardvark", "ana@aardvark.example", "Aardvark Ltd", "a message of aardvarks", "aardvark-agent"}

var roomy = enquiry.Limits{Sender: 1 << 20, Client: 1 << 20, All: 1 << 20}

// testSubmission returns one whose texts are words.
func testSubmission(n int) enquiry.Submission {
	e := enquiry.Enquiry{ID: fmt.Sprint("enq_", n), Method: enquiry.ByREST, Draft: enquiry.Draft{Form: enquiry.Form{
		Name: words[0], Email: words[1], Company: words[2], Intent: enquiry.Question, Message: words[3], Agent: words[4],
	}}}
	m := enquiry.Mail{ID: fmt.Sprint("mail_", n), Kind: enquiry.ToOperator, MessageID: "m", To: "x@y", ReplyTo: words[1], Text: words[3]}
	return enquiry.Submission{
		Enquiry: e, Sender: fmt.Sprint("sender ", n), Client: "client", Limits: roomy, Mails: []enquiry.Mail{m}, Burn: fmt.Sprint("burn ", n),
		Entry: enquiry.Entry{Outcome: enquiry.OutcomeSent, Content: "content", Shown: strings.Join(words, "\n")},
	}
}

// testQuestion is a question that is mailed.
func testQuestion(n int) enquiry.Ask {
	return enquiry.Ask{
		Pending: enquiry.Pending{
			Digest: fmt.Sprint("burn ", n), Form: testSubmission(n).Enquiry.Form, Client: "client", Expires: time.Now().Add(time.Hour),
			Recipient: fmt.Sprint("recipient ", n), Whole: "whole",
		},
		Entry: enquiry.Entry{Outcome: enquiry.OutcomeMailed, Fold: "fold"}, Limits: roomy, Links: enquiry.LinkLimits{Address: 1 << 20, Client: 1 << 20, All: 1 << 20},
		Mail: enquiry.Mail{ID: fmt.Sprint("mail_l", n), Kind: enquiry.WithLink, MessageID: "m", To: words[1], Text: "sealed"},
	}
}

// enquiryTables are all that enquiries write to.
var enquiryTables = []string{"enquiries", "enquiry_burns", "enquiry_mails", "enquiry_journal", "enquiry_links", "enquiry_link_mails", "sample_releases", "river_job"}

func countRows(t *testing.T, s *Enquiries) map[string]int {
	t.Helper()
	counts := map[string]int{}
	for _, table := range enquiryTables {
		var n int
		if err := s.db.Read.QueryRowContext(t.Context(), "SELECT count(*) FROM "+table).Scan(&n); err != nil {
			t.Fatal(err)
		}
		counts[table] = n
	}
	return counts
}

// hook calls before with each statement that bun sends.
type hook struct {
	before func(query string)
}

func (h hook) BeforeQuery(ctx context.Context, e *bun.QueryEvent) context.Context {
	h.before(e.Query)
	return ctx
}

func (hook) AfterQuery(context.Context, *bun.QueryEvent) {}

// TestEnquiryCutOff ends the context of writers at each of their statements: they keep
// all of it, or nothing.
func TestEnquiryCutOff(t *testing.T) {
	t.Parallel()
	release := enquiry.Release{ID: "rel_1", Enquiry: "enq_0", Dataset: "ds_1", Expires: time.Now().Add(time.Hour), Most: 1}
	mail := enquiry.Mail{ID: "mail_r", Kind: enquiry.WithSample, MessageID: "m"}
	onBoth(t, func(t *testing.T, s *Enquiries) {
		var statements, stop atomic.Int64
		var cancel atomic.Pointer[context.CancelFunc]
		s.db.Write = s.db.Write.WithQueryHook(hook{func(string) {
			if statements.Add(1) == stop.Load() {
				(*cancel.Load())()
			}
		}})
		e := s
		if _, err := e.KeepEnquiry(t.Context(), testSubmission(0)); err != nil {
			t.Fatal(err)
		}
		for _, tt := range []struct {
			name string
			call func(ctx context.Context) error
		}{
			{"PutQuestion", func(ctx context.Context) error {
				_, err := e.PutQuestion(ctx, testQuestion(1))
				return err
			}},
			{"KeepEnquiry", func(ctx context.Context) error { _, err := e.KeepEnquiry(ctx, testSubmission(1)); return err }},
			{"PutRelease", func(ctx context.Context) error {
				return e.PutRelease(ctx, release, mail, enquiry.Entry{Outcome: enquiry.OutcomeReleased})
			}},
			{"TakeDownload", func(ctx context.Context) error {
				_, err := e.TakeDownload(ctx, release.ID, enquiry.Entry{Outcome: enquiry.OutcomeAccepted})
				return err
			}},
			{"Purge", func(ctx context.Context) error { _, err := e.Purge(ctx, time.Unix(1, 0)); return err }},
		} {
			want, cuts := countRows(t, s), 0
			for at := int64(1); ; at++ {
				ctx, end := context.WithCancel(t.Context())
				cancel.Store(&end)
				statements.Store(0)
				stop.Store(at)
				err := tt.call(ctx)
				stop.Store(-1)
				end()
				if err == nil {
					break
				}
				cuts++
				if d := cmp.Diff(want, countRows(t, s)); d != "" {
					t.Errorf("%s, cut off at statement %d: %v; rows -before +after\n%s", tt.name, at, err, d)
				}
			}
			if cuts < 2 {
				t.Errorf("%s was cut off at %d statements, want more", tt.name, cuts)
			}
		}
	})
}

// TestEnquiryWithoutJob has the job of a mail fail: there is nothing then.
func TestEnquiryWithoutJob(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s *Enquiries) {
		e, ctx := s, t.Context()
		if _, err := e.PutQuestion(ctx, testQuestion(1)); err != nil {
			t.Fatal(err)
		}
		want := countRows(t, s)
		rename := func(from, to string) {
			t.Helper()
			if _, err := s.db.Write.ExecContext(ctx, "ALTER TABLE "+from+" RENAME TO "+to); err != nil {
				t.Fatal(err)
			}
		}
		rename("river_job", "gone")
		if kept, err := e.KeepEnquiry(ctx, testSubmission(1)); err == nil {
			t.Errorf("KeepEnquiry without a table of jobs = %+v, want an error", kept)
		}
		rename("gone", "river_job")
		if d := cmp.Diff(want, countRows(t, s)); d != "" {
			t.Errorf("rows -before +after\n%s", d)
		}
		if p, ok, err := e.Pending(ctx, "burn 1"); !ok || err != nil || p.Sent != "" {
			t.Errorf("Pending = %+v, %v, %v, want one that was not sent", p, ok, err)
		}
		if kept, err := e.KeepEnquiry(ctx, testSubmission(1)); err != nil || kept.Repeated || kept.Full != "" {
			t.Errorf("KeepEnquiry = %+v, %v, want it new", kept, err)
		}
	})
}

// TestEnquiryQuiet makes the database refuse: errors and logs hold none of the words.
func TestEnquiryQuiet(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s *Enquiries) {
		var logged strings.Builder
		s.db.Log = slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug}))
		e := s
		if _, err := e.KeepEnquiry(t.Context(), testSubmission(0)); err != nil {
			t.Fatal(err)
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		for name, change := range map[string]func(s *enquiry.Submission, ctx *context.Context){
			"a check":     func(s *enquiry.Submission, _ *context.Context) { s.Enquiry.Method = "" },
			"a mail":      func(s *enquiry.Submission, _ *context.Context) { s.Mails[0].ID = "mail_0" },
			"its check":   func(s *enquiry.Submission, _ *context.Context) { s.Mails[0].MessageID = "" },
			"the journal": func(s *enquiry.Submission, _ *context.Context) { s.Entry.Outcome = "" },
			"U+0000":      func(s *enquiry.Submission, _ *context.Context) { s.Enquiry.Message += "\x00" },
			"shown":       func(s *enquiry.Submission, _ *context.Context) { s.Entry.Shown += "\x00" },
			"not UTF-8":   func(s *enquiry.Submission, _ *context.Context) { s.Mails[0].Text += "\xff" },
			"cancelled":   func(_ *enquiry.Submission, ctx *context.Context) { *ctx = gone },
		} {
			sub, ctx := testSubmission(1), t.Context()
			change(&sub, &ctx)
			_, err := e.KeepEnquiry(ctx, sub)
			if err == nil {
				t.Errorf("%s: no error", name)
			}
			wantQuiet(t, name, fmt.Sprintf("%v %+v", err, err))
		}
		if err := s.db.Close(); err != nil {
			t.Fatal(err)
		}
		_, err := e.KeepEnquiry(t.Context(), testSubmission(1))
		wantQuiet(t, "closed", fmt.Sprint(err))
		wantQuiet(t, "the log", logged.String())
	})
}

func wantQuiet(t *testing.T, name, text string) {
	t.Helper()
	for _, w := range words {
		if strings.Contains(text, w) {
			t.Errorf("%s: %q is shown in %q", name, w, text)
		}
	}
}
