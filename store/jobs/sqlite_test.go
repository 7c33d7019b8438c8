package jobs

import (
	"context"
	"database/sql"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riversqlite"
)

func TestMalformedRowStopsNoOther(t *testing.T) {
	t.Parallel()
	const row = `INSERT INTO river_job (kind, max_attempts, state, scheduled_at, `
	for name, insert := range map[string]string{
		"args":          row + `args) VALUES ('kk', 1, 'available', datetime('now', '-1 hour'), '{"args":')`,
		"args a number": row + `args) VALUES ('kk', 1, 'available', datetime('now', '-1 hour'), jsonb('1'))`,
		"metadata":      row + `metadata) VALUES ('kk', 1, 'available', datetime('now', '-1 hour'), x'ff')`,
		"tags":          row + `tags) VALUES ('kk', 1, 'available', datetime('now', '-1 hour'), jsonb('{}'))`,
		"errors":        row + `errors) VALUES ('kk', 1, 'available', datetime('now', '-1 hour'), '[1')`,
		"attempted_by":  row + `attempted_by) VALUES ('kk', 1, 'available', datetime('now', '-1 hour'), x'00ff')`,
		"later":         row + `args) VALUES ('kk', 1, 'retryable', datetime('now', '-1 hour'), 'x')`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := openSQLite(t, filepath.Join(t.TempDir(), "jobs.db")).migrated(t)
			f.exec(t, insert)
			var seen tally
			f.insert(t, Job{Kind: "kk", Args: number{1}})
			if _, err := f.guarded().JobGetAvailable(t.Context(), &riverdriver.JobGetAvailableParams{Queue: "none"}); err != nil {
				t.Fatal(err)
			}
			f.start(t, Config{Handlers: []Handler{seen.handler("kk")}})
			await(t, "the sound job", func() bool { _, n := seen.sums(); return n > 0 })
			await(t, "the other to be put aside", func() bool {
				return f.count(t, "SELECT count(*) FROM river_job WHERE state = 'discarded'") == 1
			})
		})
	}
}

func TestMalformedRowIsMetByAFetch(t *testing.T) {
	t.Parallel()
	f := openSQLite(t, filepath.Join(t.TempDir(), "jobs.db")).migrated(t)
	f.insert(t, Job{Kind: "kk", Args: number{1}}, Job{Kind: "kk", Args: number{2}})
	f.exec(t, `UPDATE river_job SET args = '{"key' WHERE id = 1`)
	p := &riverdriver.JobGetAvailableParams{ClientID: "c", MaxAttemptedBy: 100, MaxToLock: 10, Queue: "default"}
	if _, err := riversqlite.New(f.db).GetExecutor().JobGetAvailable(t.Context(), p); err == nil {
		t.Error("River fetches beside a malformed row by now: the guard may go")
	}
	rows, err := f.guarded().JobGetAvailable(t.Context(), p)
	if err != nil || len(rows) != 1 || rows[0].ID != 2 {
		t.Errorf("fetched %v, %v, want job 2", rows, err)
	}
	var args string
	if err := f.db.QueryRow(`SELECT json(args) FROM river_job WHERE id = 1`).Scan(&args); err != nil {
		t.Fatal(err)
	}
	if want := `{"malformed":"7B226B6579"}`; args != want {
		t.Errorf("args put aside = %s, want %s", args, want)
	}
}

// TestFetchTakesAllOrNone has a row that SQLite fetches and River cannot read.
func TestFetchTakesAllOrNone(t *testing.T) {
	t.Parallel()
	f := openSQLite(t, filepath.Join(t.TempDir(), "jobs.db")).migrated(t)
	f.insert(t, Job{Kind: "kk", Args: number{1}}, Job{Kind: "kk", Args: number{2}})
	f.exec(t, `UPDATE river_job SET tags = jsonb('{}') WHERE id = 2`)
	p := &riverdriver.JobGetAvailableParams{ClientID: "c", MaxAttemptedBy: 100, MaxToLock: 10, Queue: "default"}
	rows, err := f.guarded().JobGetAvailable(t.Context(), p)
	if err != nil || len(rows) != 1 || rows[0].ID != 1 {
		t.Errorf("fetched %v, %v, want job 1", rows, err)
	}
}

func TestSoundRowsAreNotPutAside(t *testing.T) {
	t.Parallel()
	f := openSQLite(t, filepath.Join(t.TempDir(), "jobs.db")).migrated(t)
	f.insert(t, Job{Kind: "kk"}, Job{Kind: "kk", Args: number{1}, Unique: "u"}, Job{Kind: "kk", Args: []string{"x"}})
	f.exec(t, `UPDATE river_job SET errors = jsonb('[{"attempt":1}]'), attempted_by = jsonb('["me"]')`)
	if n, err := quarantine(t.Context(), f.db, waiting{}); n != 0 || err != nil {
		t.Errorf("quarantine() = %d, %v, want 0", n, err)
	}
}

// TestRescueLeavesFinishedJobs has a job finish between its being found stuck
// and its rescue.
func TestRescueLeavesFinishedJobs(t *testing.T) {
	t.Parallel()
	now := time.Now()
	rescue := func(exec riverdriver.Executor, horizon time.Time) error {
		_, err := exec.JobRescueMany(t.Context(), &riverdriver.JobRescueManyParams{
			ID: []int64{1, 2}, Error: [][]byte{[]byte("{}"), []byte("{}")}, FinalizedAt: []*time.Time{nil, nil},
			ScheduledAt: []time.Time{now, now}, State: []string{"retryable", "retryable"}, StuckHorizon: horizon,
		})
		return err
	}
	for _, tt := range []struct {
		name    string
		guarded bool
		horizon time.Time
		want    []string
	}{
		{"guarded", true, now.Add(time.Minute), []string{"completed", "retryable"}},
		{"fetched again meanwhile", true, now.Add(-time.Minute), []string{"completed", "running"}},
		{"River alone", false, now.Add(time.Minute), []string{"retryable", "retryable"}}, // the fault
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := openSQLite(t, filepath.Join(t.TempDir(), "jobs.db")).migrated(t)
			f.insert(t, Job{Kind: "kk"}, Job{Kind: "kk"})
			f.exec(t, `UPDATE river_job SET state = 'running', attempted_at = datetime('now', 'subsec')`)
			f.exec(t, `UPDATE river_job SET state = 'completed', finalized_at = datetime('now') WHERE id = 1`)
			exec := riverdriver.Executor(f.guarded())
			if !tt.guarded {
				exec = riversqlite.New(f.db).GetExecutor()
			}
			if err := rescue(exec, tt.horizon); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, f.states(t)); diff != "" {
				t.Errorf("states (-want +got):\n%s", diff)
			}
		})
	}
}

// TestRetention sees that what is finished is kept for its time and no longer.
func TestRetention(t *testing.T) {
	t.Parallel()
	f := openSQLite(t, filepath.Join(t.TempDir(), "jobs.db")).migrated(t)
	f.exec(t, `INSERT INTO river_job (kind, max_attempts, state, finalized_at) VALUES
		('kk', 1, 'completed', datetime('now', '-23 hours')), ('kk', 1, 'completed', datetime('now', '-25 hours')),
		('kk', 1, 'discarded', datetime('now', '-6 days')), ('kk', 1, 'discarded', datetime('now', '-8 days')),
		('kk', 1, 'cancelled', datetime('now', '-6 days')), ('kk', 1, 'cancelled', datetime('now', '-8 days'))`)
	var seen tally
	f.start(t, Config{Handlers: []Handler{seen.handler("kk")}})
	await(t, "the old to go", func() bool { return f.count(t, "SELECT count(*) FROM river_job") == 3 })
	if diff := cmp.Diff([]string{"completed", "discarded", "cancelled"}, f.states(t)); diff != "" {
		t.Errorf("states (-want +got):\n%s", diff)
	}
}

// TestIDsAreUsedAgainOnlyAfterRetention shows why a handler's time is limited:
// SQLite gives the id of the last row again when that was deleted, so a job
// must be over long before its row is.
func TestIDsAreUsedAgainOnlyAfterRetention(t *testing.T) {
	t.Parallel()
	if timeoutMax+grace >= keepDone {
		t.Errorf("a job may take %s and its row goes after %s", timeoutMax+grace, keepDone)
	}
	f := openSQLite(t, filepath.Join(t.TempDir(), "jobs.db")).migrated(t)
	f.insert(t, Job{Kind: "kk"})
	f.exec(t, "DELETE FROM river_job")
	f.insert(t, Job{Kind: "kk"})
	if id := f.count(t, "SELECT id FROM river_job"); id != 1 {
		t.Errorf("id after a deletion = %d, want 1: the limit on timeouts may go", id)
	}
}

// TestEngineWaitsForTheOneConnection holds the connection that writes for long.
func TestEngineWaitsForTheOneConnection(t *testing.T) {
	t.Parallel()
	f := openSQLite(t, filepath.Join(t.TempDir(), "jobs.db")).migrated(t)
	var seen tally
	f.start(t, Config{Handlers: []Handler{seen.handler("kk")}})
	err := f.tx(t, true, func(c *sql.Conn, tx *sql.Tx) error {
		if err := f.q.InsertTx(t.Context(), c, tx, Job{Kind: "kk"}); err != nil {
			return err
		}
		<-time.After(1500 * time.Millisecond) // longer than a poll
		return f.q.InsertTx(t.Context(), c, tx, Job{Kind: "kk"})
	})
	if err != nil {
		t.Fatal(err)
	}
	await(t, "both jobs", func() bool { _, n := seen.sums(); return n == 2 })
}

// TestNoNotificationRows sees that inserts leave no rows to be polled for.
func TestNoNotificationRows(t *testing.T) {
	t.Parallel()
	f := openSQLite(t, filepath.Join(t.TempDir(), "jobs.db")).migrated(t)
	f.insert(t, Job{Kind: "kk"})
	if n := f.count(t, "SELECT count(*) FROM river_notification"); n != 0 {
		t.Errorf("%d notifications, want 0", n)
	}
}

// TestHandlerMayInsert has a handler write in the connection that the engine
// uses too.
func TestHandlerMayInsert(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, open func(*testing.T) *fixture) {
		f := open(t).migrated(t)
		var seen tally
		f.start(t, Config{Handlers: []Handler{seen.handler("second"), {Kind: "first", Work: func(ctx context.Context, _ []byte) error {
			return f.tx(t, true, func(c *sql.Conn, tx *sql.Tx) error {
				return f.q.InsertTx(ctx, c, tx, Job{Kind: "second"})
			})
		}}}})
		f.insert(t, Job{Kind: "first"})
		await(t, "the second job", func() bool { _, n := seen.sums(); return n == 1 })
	})
}

// guarded is the executor that an engine has.
func (f *fixture) guarded() riverdriver.Executor {
	return newSQLiteDriver(Database{SQLite: f.db}, newBell()).GetExecutor()
}

// states returns the states of all jobs by id.
func (f *fixture) states(t *testing.T) (out []string) {
	t.Helper()
	rows, err := f.db.QueryContext(t.Context(), "SELECT state FROM river_job ORDER BY id")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			t.Fatal(err)
		}
		out = append(out, s)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}
