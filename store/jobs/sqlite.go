package jobs

import (
	"context"
	"database/sql"
	"slices"

	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivertype"
)

// sqliteDriver is River's driver for SQLite with four changes:
//
//   - Notifications come from the bell of the process, not from rows that are polled
//     twenty times a second.
//   - A rescue does not touch jobs that have finished meanwhile.
//   - A malformed row is discarded; in River's driver it fails every fetch.
//   - Writes wait for other processes that write.
//
// Three other faults of the driver do no harm here. It may use an id again, but no job
// runs longer than finished jobs are kept; see timeoutMax. A retention of -1, which deletes
// at once, is never set. It does not deliver the cancellation of a running job through the
// database, and nothing here cancels in that way.
type sqliteDriver struct {
	*riversqlite.Driver
	db       *sql.DB
	bell     *bell
	patience waiting
	lanes    []string // that are notified; none for a driver that only inserts
}

func newSQLiteDriver(db Database, b *bell, lanes ...string) *sqliteDriver {
	return &sqliteDriver{riversqlite.New(db.SQLite), db.SQLite, b, waiting{busy: db.Busy}, lanes}
}

// GetExecutor implements riverdriver.Driver.
func (d *sqliteDriver) GetExecutor() riverdriver.Executor {
	return guarded{d.Driver.GetExecutor(), d.db, d.patience}
}

// GetListener implements riverdriver.Driver.
func (d *sqliteDriver) GetListener(*riverdriver.GetListenenerParams) riverdriver.Listener {
	return &listener{bell: d.bell, lanes: d.lanes, notified: len(d.lanes)}
}

// SupportsListenNotify implements riverdriver.Driver. With false River writes no rows of
// notifications.
func (d *sqliteDriver) SupportsListenNotify() bool { return false }

// guarded is River's executor for SQLite with the corrections that [sqliteDriver] lists.
type guarded struct {
	riverdriver.Executor
	db       *sql.DB
	patience waiting
}

// JobRescueMany implements riverdriver.Executor. The jobs were found running in
// an earlier statement and may have finished since; River would overwrite that.
func (g guarded) JobRescueMany(ctx context.Context, p *riverdriver.JobRescueManyParams) (*struct{}, error) {
	tx, err := g.Begin(ctx)
	if err != nil {
		return nil, err
	}
	defer tx.Rollback(context.WithoutCancel(ctx)) // an error after Commit says no more than that
	rows, err := tx.JobGetByIDMany(ctx, &riverdriver.JobGetByIDManyParams{ID: p.ID, Schema: p.Schema})
	if err != nil {
		return nil, err
	}
	// The fields are parallel slices, from which the jobs that still run are copied.
	stuck := *p
	stuck.ID, stuck.Error, stuck.FinalizedAt, stuck.ScheduledAt, stuck.State = nil, nil, nil, nil, nil
	for i, id := range p.ID {
		if !slices.ContainsFunc(rows, func(r *rivertype.JobRow) bool {
			return r.ID == id && r.State == rivertype.JobStateRunning &&
				r.AttemptedAt != nil && r.AttemptedAt.Before(p.StuckHorizon)
		}) {
			continue
		}
		stuck.ID = append(stuck.ID, id)
		stuck.Error = append(stuck.Error, p.Error[i])
		stuck.FinalizedAt = append(stuck.FinalizedAt, p.FinalizedAt[i])
		stuck.ScheduledAt = append(stuck.ScheduledAt, p.ScheduledAt[i])
		stuck.State = append(stuck.State, p.State[i])
	}
	if _, err := tx.JobRescueMany(ctx, &stuck); err != nil {
		return nil, err
	}
	return &struct{}{}, tx.Commit(ctx)
}

// JobGetAvailable implements riverdriver.Executor. One malformed row fails the whole fetch.
// So after a failure it discards malformed rows, and fetches again if there were any.
func (g guarded) JobGetAvailable(ctx context.Context, p *riverdriver.JobGetAvailableParams) ([]*rivertype.JobRow, error) {
	rows, err := g.fetch(ctx, p)
	if err == nil || ctx.Err() != nil {
		return rows, err
	}
	if n, qerr := quarantine(ctx, g.db, g.patience); qerr != nil || n == 0 {
		return rows, err // no row was at fault, so a second fetch would fail as well
	}
	return g.fetch(ctx, p)
}

// fetch fetches jobs in a transaction. Without one, a row that SQLite can read and River
// cannot would leave the other jobs marked as running, although no engine runs them.
func (g guarded) fetch(ctx context.Context, p *riverdriver.JobGetAvailableParams) ([]*rivertype.JobRow, error) {
	tx, err := g.Begin(ctx)
	if err != nil {
		return nil, err
	}
	defer tx.Rollback(context.WithoutCancel(ctx)) // an error after Commit says no more than that
	rows, err := tx.JobGetAvailable(ctx, p)
	if err != nil {
		return nil, err
	}
	return rows, tx.Commit(ctx)
}

// malformed is a condition that is true for rows that River cannot read. JSON is stored as
// text, or as JSONB in a blob; 9 makes json_valid accept both
// (https://sqlite.org/json1.html).
const malformed = `
	CASE WHEN NOT json_valid(args, 9) THEN 1 ELSE json_type(args) <> 'object' END
	OR CASE WHEN NOT json_valid(metadata, 9) THEN 1 ELSE json_type(metadata) <> 'object' END
	OR CASE WHEN NOT json_valid(tags, 9) THEN 1 ELSE json_type(tags) <> 'array' END
	OR CASE WHEN errors IS NULL THEN 0 WHEN NOT json_valid(errors, 9) THEN 1
		ELSE json_type(errors) <> 'array' OR EXISTS (SELECT 1 FROM json_each(errors) WHERE type <> 'object') END
	OR CASE WHEN attempted_by IS NULL THEN 0 WHEN NOT json_valid(attempted_by, 9) THEN 1
		ELSE json_type(attempted_by) <> 'array' OR EXISTS (SELECT 1 FROM json_each(attempted_by) WHERE type <> 'text') END`

// quarantine discards the unfinished rows that River cannot read and returns how
// many. Their args stay, in hexadecimal.
func quarantine(ctx context.Context, db *sql.DB, p waiting) (int64, error) {
	res, err := patiently(ctx, p, func() (sql.Result, error) { return db.ExecContext(ctx, putAside) })
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

const putAside = `UPDATE river_job SET
		state = 'discarded', finalized_at = datetime('now', 'subsec'),
		args = jsonb_object('malformed', hex(args)), metadata = jsonb('{}'), tags = jsonb('[]'),
		errors = NULL, attempted_by = NULL
		WHERE state IN ('available', 'pending', 'retryable', 'running', 'scheduled') AND (` + malformed + `)`
