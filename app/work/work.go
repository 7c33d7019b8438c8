// Package work lists the jobs that a deployment does beside requests: it audits the books,
// sweeps files, measures recordings, delivers mails and deletes what is old. A job is a
// row of the database, so one of the processes works it, whichever comes first.
package work

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"
	"time"

	"vaak/account"
	"vaak/account/ledger"
	"vaak/catalogue"
	"vaak/enquiry"
	"vaak/identity"
	"vaak/internal/telemetry"
	"vaak/store"
	"vaak/store/files"
	"vaak/store/jobs"
	"vaak/token"
)

// Intervals of the periodic jobs.
const (
	sweepEvery    = time.Minute // leases of holds are 30 s
	auditEvery    = 5 * time.Minute
	pruneEvery    = time.Hour
	identityEvery = time.Hour
	filesEvery    = time.Hour
	purgeEvery    = 24 * time.Hour
)

// Audits keeps the result of the last audit of this process. The zero value has none.
type Audits struct{ last atomic.Pointer[Audit] }

// Audit is the result of an audit and its time.
type Audit struct {
	At    time.Time
	Found ledger.Audit
}

// Last returns the last audit; nil before the first.
func (a *Audits) Last() *Audit { return a.last.Load() }

func (a *Audits) note(found ledger.Audit) { a.last.Store(&Audit{time.Now(), found}) }

// Figures returns the last audit in the form of telemetry; the zero value before the first.
func (a *Audits) Figures(context.Context) (telemetry.Ledger, error) {
	last := a.Last()
	if last == nil {
		return telemetry.Ledger{}, nil
	}
	return telemetry.Ledger{Checked: last.At, OK: last.Found.Sound(), Lapsed: last.Found.Lapsed, WrittenOff: last.Found.WrittenOff}, nil
}

// Accounts returns the jobs of the accounts. Records of requests are kept for keep.
func Accounts(accounts *account.Service, keep time.Duration, audits *Audits) []jobs.Handler {
	return []jobs.Handler{
		{Kind: account.JobSweep, Work: func(ctx context.Context, text []byte) error {
			var args account.SweepArgs
			if err := json.Unmarshal(text, &args); err != nil {
				return fmt.Errorf("read the arguments: %w", err)
			}
			return accounts.Roll(ctx, args.Org)
		}},
		{Kind: "ledger.sweep", Every: sweepEvery, Work: func(ctx context.Context, _ []byte) error {
			_, err := accounts.Sweep(ctx)
			return err
		}},
		{Kind: "ledger.audit", Every: auditEvery, Work: func(ctx context.Context, _ []byte) error {
			found, err := accounts.Audit(ctx)
			if err == nil {
				audits.note(found)
			}
			return err
		}},
		{Kind: "accounts.prune", Every: pruneEvery, Work: func(ctx context.Context, _ []byte) error {
			return accounts.Prune(ctx, keep)
		}},
	}
}

// Identity returns the job that deletes expired sessions and invitations, and events after
// a year.
func Identity(db *store.Store) []jobs.Handler {
	return []jobs.Handler{{Kind: "identity.prune", Every: identityEvery, Work: func(ctx context.Context, _ []byte) error {
		_, err := identity.Prune(ctx, db.Identity(), time.Now())
		return err
	}}}
}

// Tokens returns the job that deletes single-use tokens that have expired.
func Tokens(db *store.Store) []jobs.Handler {
	return []jobs.Handler{{Kind: "tokens.prune", Every: pruneEvery, Work: func(ctx context.Context, _ []byte) error {
		_, err := token.Prune(ctx, db.Tokens(), time.Now())
		return err
	}}}
}

const (
	// filesAge is how old a file of datasets is before it is removed because no record
	// names it. Bringing in a dataset keeps its files before its record names them, and
	// may take hours.
	filesAge     = 24 * time.Hour
	filesTimeout = 30 * time.Minute
)

// Catalogue returns the job that removes files which no record names any more.
func Catalogue(db *store.Store, dir files.Store) []jobs.Handler {
	return []jobs.Handler{{Kind: "catalogue.sweep", Every: filesEvery, Timeout: filesTimeout, Work: func(ctx context.Context, _ []byte) error {
		named := map[string]bool{}
		if err := db.Catalogue().EachFile(ctx, func(_ string, f catalogue.File) error {
			named[f.Key] = true
			return nil
		}); err != nil {
			return err
		}
		// A fresh database may stand beside the files of another one, as after a mistyped
		// --database. Sweeping would delete all of them.
		if len(named) == 0 {
			return nil
		}
		_, err := dir.Sweep(ctx, func(key string) bool { return named[key] }, filesAge)
		return err
	}}}
}

const (
	// mailTimeout is for one attempt, of which the mail server takes a minute at most. It
	// is also how long a job is left to a process that was killed.
	mailTimeout = 90 * time.Second
	// mailJobs is how often the job of a mail is worked. Only [enquiry.Attempts] of these
	// may fail; the others are for attempts that ended with their process.
	mailJobs = 100
	// MailsAtOnce is how many connections a server has to its mail server.
	MailsAtOnce = 4

	purgeTimeout = 10 * time.Minute
)

// Mails returns the jobs that deliver the mails of enquiries, and those that deliver the
// mails with a link.
func Mails(post, links *enquiry.Post) []jobs.Handler {
	handler := func(kind string, post *enquiry.Post) jobs.Handler {
		return jobs.Handler{
			Kind: kind, Lane: enquiry.MailLane, AtOnce: MailsAtOnce, Work: post.Deliver,
			Timeout: mailTimeout, Attempts: mailJobs, Backoff: enquiry.Backoff,
		}
	}
	return []jobs.Handler{handler(enquiry.JobMail, post), handler(enquiry.JobLink, links)}
}

// Purge returns the job that deletes what persons typed in enquiries older than keep. Every
// server needs the job, whatever services it runs: any server may be the one that queues
// the periodic jobs.
func Purge(db *store.Store, keep time.Duration) []jobs.Handler {
	return []jobs.Handler{{Kind: "enquiry.purge", Every: purgeEvery, Timeout: purgeTimeout, Work: func(ctx context.Context, _ []byte) error {
		_, err := db.Enquiries().Purge(ctx, time.Now().Add(-keep))
		return err
	}}}
}
