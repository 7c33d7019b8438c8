package jobs

import (
	"cmp"
	"context"
	"time"

	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivertype"

	"vaak/internal/pause"
)

// Waits for the lock of another process that writes to the same database of SQLite.
const (
	lockWait  = 5 * time.Second       // in all, as long as the data waits
	lockPause = 10 * time.Millisecond // between two tries, each of which waits for the connection's busy_timeout
)

// waiting says when to try again.
type waiting struct {
	busy  func(error) bool // reports whether an error says that another process holds the lock; nil never does
	again func()           // called before each try but the first; nil calls nothing
}

// patiently calls do again while another process holds the lock, for at most lockWait. A
// command that writes beside the server must not count as a failure of the jobs. Between
// two tries other goroutines of this process can use the connection. When do fails because
// of the lock it must have changed nothing, as a statement, or a transaction that could not
// begin.
func patiently[T any](ctx context.Context, p waiting, do func() (T, error)) (T, error) {
	wait, cancel := pause.Within(ctx, lockWait)
	defer cancel()
	for {
		v, err := do()
		if err == nil || p.busy == nil || !p.busy(err) {
			return v, err
		}
		if p.again != nil {
			p.again()
		}
		select {
		case <-wait.Done():
			return v, cmp.Or(ctx.Err(), err) // a server that stops is not one that was kept waiting
		case <-time.After(lockPause):
		}
	}
}

// A running engine writes with the methods below. Its transactions wait in Begin, so the
// statements inside need no wait.

// Begin implements riverdriver.Executor.
func (g guarded) Begin(ctx context.Context) (riverdriver.ExecutorTx, error) {
	return patiently(ctx, g.patience, func() (riverdriver.ExecutorTx, error) { return g.Executor.Begin(ctx) })
}

// JobDeleteBefore implements riverdriver.Executor.
func (g guarded) JobDeleteBefore(ctx context.Context, p *riverdriver.JobDeleteBeforeParams) (int, error) {
	return patiently(ctx, g.patience, func() (int, error) { return g.Executor.JobDeleteBefore(ctx, p) })
}

// JobSetStateIfRunningMany implements riverdriver.Executor.
func (g guarded) JobSetStateIfRunningMany(ctx context.Context, p *riverdriver.JobSetStateIfRunningManyParams) ([]*rivertype.JobRow, error) {
	return patiently(ctx, g.patience, func() ([]*rivertype.JobRow, error) { return g.Executor.JobSetStateIfRunningMany(ctx, p) })
}

// LeaderAttemptReelect implements riverdriver.Executor.
func (g guarded) LeaderAttemptReelect(ctx context.Context, p *riverdriver.LeaderReelectParams) (*riverdriver.Leader, error) {
	return patiently(ctx, g.patience, func() (*riverdriver.Leader, error) { return g.Executor.LeaderAttemptReelect(ctx, p) })
}

// LeaderResign implements riverdriver.Executor.
func (g guarded) LeaderResign(ctx context.Context, p *riverdriver.LeaderResignParams) (bool, error) {
	return patiently(ctx, g.patience, func() (bool, error) { return g.Executor.LeaderResign(ctx, p) })
}

// NotificationDeleteBefore implements riverdriver.Executor.
func (g guarded) NotificationDeleteBefore(ctx context.Context, p *riverdriver.NotificationDeleteBeforeParams) (int, error) {
	return patiently(ctx, g.patience, func() (int, error) { return g.Executor.NotificationDeleteBefore(ctx, p) })
}

// QueueCreateOrSetUpdatedAt implements riverdriver.Executor.
func (g guarded) QueueCreateOrSetUpdatedAt(ctx context.Context, p *riverdriver.QueueCreateOrSetUpdatedAtParams) (*rivertype.Queue, error) {
	return patiently(ctx, g.patience, func() (*rivertype.Queue, error) { return g.Executor.QueueCreateOrSetUpdatedAt(ctx, p) })
}

// QueueDeleteExpired implements riverdriver.Executor.
func (g guarded) QueueDeleteExpired(ctx context.Context, p *riverdriver.QueueDeleteExpiredParams) ([]string, error) {
	return patiently(ctx, g.patience, func() ([]string, error) { return g.Executor.QueueDeleteExpired(ctx, p) })
}
