package store

import (
	"context"

	"vaak/store/jobs"
)

// enqueueAtOnce is how many jobs are written in one transaction.
const enqueueAtOnce = 1000

// Enqueue writes jobs that belong to no other change, in transactions of a thousand.
// A job is there or not; after an error it can be tried again, with what Unique of
// the jobs says about those that are.
func (s *Store) Enqueue(ctx context.Context, all ...jobs.Job) error {
	for len(all) > 0 {
		some := all[:min(len(all), enqueueAtOnce)]
		all = all[len(some):]
		err := s.transact(ctx, func(ctx context.Context, tx *transaction) error {
			return s.fail(ctx, s.queue.InsertTx(ctx, tx.conn, tx.tx, some...), "queue jobs")
		})
		if err != nil {
			return err
		}
	}
	return nil
}
