package jobs

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivertype"
	"modernc.org/sqlite"
)

// isBusy reports whether another connection held the lock.
func isBusy(err error) bool {
	e, ok := errors.AsType[*sqlite.Error](err)
	return ok && e.Code()&0xff == 5
}

// TestWritesWaitForOthers does all that a running engine writes while another process,
// such as a command, holds the lock for longer than the connection waits. The lock is
// given back when the first try has failed.
func TestWritesWaitForOthers(t *testing.T) {
	t.Parallel()
	now := time.Now()
	for name, do := range map[string]func(context.Context, riverdriver.Executor) error{
		"fetch": func(ctx context.Context, x riverdriver.Executor) error {
			_, err := x.JobGetAvailable(ctx, &riverdriver.JobGetAvailableParams{ClientID: "c", MaxAttemptedBy: 100, MaxToLock: 10, Queue: "default"})
			return err
		},
		"begin": func(ctx context.Context, x riverdriver.Executor) error {
			tx, err := x.Begin(ctx)
			if err == nil {
				err = tx.Rollback(ctx)
			}
			return err
		},
		"clean jobs": func(ctx context.Context, x riverdriver.Executor) error {
			_, err := x.JobDeleteBefore(ctx, &riverdriver.JobDeleteBeforeParams{
				CancelledDoDelete: true, CompletedDoDelete: true, DiscardedDoDelete: true, CancelledFinalizedAtHorizon: now, CompletedFinalizedAtHorizon: now, DiscardedFinalizedAtHorizon: now, Max: 10,
			})
			return err
		},
		"complete": func(ctx context.Context, x riverdriver.Executor) error {
			_, err := x.JobSetStateIfRunningMany(ctx, &riverdriver.JobSetStateIfRunningManyParams{
				ID: []int64{1}, Attempt: []*int{nil}, ErrData: [][]byte{nil}, FinalizedAt: []*time.Time{&now}, MetadataDoMerge: []bool{false},
				MetadataUpdates: [][]byte{nil}, ScheduledAt: []*time.Time{nil}, State: []rivertype.JobState{rivertype.JobStateCompleted},
			})
			return err
		},
		"lead": func(ctx context.Context, x riverdriver.Executor) error {
			_, err := x.LeaderAttemptReelect(ctx, &riverdriver.LeaderReelectParams{LeaderID: "c", TTL: time.Second, ElectedAt: now, Now: &now})
			if isBusy(err) {
				return err
			}
			return nil // it leads no more
		},
		"resign": func(ctx context.Context, x riverdriver.Executor) error {
			_, err := x.LeaderResign(ctx, &riverdriver.LeaderResignParams{LeaderID: "c", ElectedAt: now})
			return err
		},
		"clean notifications": func(ctx context.Context, x riverdriver.Executor) error {
			_, err := x.NotificationDeleteBefore(ctx, &riverdriver.NotificationDeleteBeforeParams{CreatedAtHorizon: now})
			return err
		},
		"know a queue": func(ctx context.Context, x riverdriver.Executor) error {
			_, err := x.QueueCreateOrSetUpdatedAt(ctx, &riverdriver.QueueCreateOrSetUpdatedAtParams{Name: "default", Metadata: []byte("{}")})
			return err
		},
		"clean queues": func(ctx context.Context, x riverdriver.Executor) error {
			_, err := x.QueueDeleteExpired(ctx, &riverdriver.QueueDeleteExpiredParams{Max: 10, UpdatedAtHorizon: now})
			return err
		},
		"put rows aside": func(ctx context.Context, x riverdriver.Executor) error {
			g := x.(guarded)
			_, err := quarantine(ctx, g.db, g.patience)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "jobs.db")
			f := openSQLite(t, path).migrated(t)
			if _, err := f.db.Exec("PRAGMA busy_timeout = 1"); err != nil {
				t.Fatal(err)
			}
			other, err := sql.Open("sqlite", "file:"+path+"?_txlock=immediate")
			if err != nil {
				t.Fatal(err)
			}
			defer other.Close()
			lock, err := other.Begin()
			if err != nil {
				t.Fatal(err)
			}
			tries := 1
			driver := newSQLiteDriver(Database{SQLite: f.db, Busy: isBusy}, newBell())
			driver.patience.again = func() {
				if tries++; tries == 2 {
					_ = lock.Rollback() // a write that fails for the lock again says so
				}
			}
			if err := do(t.Context(), driver.GetExecutor()); err != nil || tries < 2 {
				t.Errorf("%v after %d tries", err, tries)
			}
			if tries == 1 {
				_ = lock.Rollback()
			}
		})
	}
}

// TestPatienceEnds: who waits for the lock when the server stops was not kept waiting too long.
func TestPatienceEnds(t *testing.T) {
	t.Parallel()
	busy := errors.New("busy")
	ctx, stop := context.WithCancel(t.Context())
	p := waiting{busy: func(err error) bool { return err == busy }, again: stop}
	if _, err := patiently(ctx, p, func() (int, error) { return 0, busy }); !errors.Is(err, context.Canceled) {
		t.Errorf("patiently = %v, want that its context was cancelled", err)
	}
}
