package account

import (
	"sync"
	"time"

	"vaak/account/ledger"
)

// operation is one change of a book. Do runs in a posting, maybe more than once. Its error
// concerns only this operation, not others of the same posting.
type operation struct {
	org   string
	holds []string // that it needs to see, beside the advances of this process
	do    func(t *turn, b *ledger.Book) (use *Use, err error)
	undo  func() // before do runs again, and when the posting failed; nil when there is nothing to undo
	// until is when to stop retrying while the store is away; zero does not retry.
	until time.Time
	// charge says that the operation charges for what was spoken. Once a posting has
	// taken it, it may be written although the posting failed. It is then retried until
	// its outcome is known, which its id makes safe.
	charge bool

	done chan struct{} // closed when err is final
	err  error

	mu    sync.Mutex
	stage stage
	begun bool        // a posting has taken it at least once
	late  func(error) // gets the outcome when the caller has left
}

// stage is the state of an operation.
type stage int

const (
	queued  stage = iota // no posting has taken it
	taken                // a posting may have written it
	dropped              // it will not be done
	ended                // its outcome is final
)

// begin marks the operation as taken by a posting; false when it was dropped.
func (op *operation) begin() bool {
	op.mu.Lock()
	defer op.mu.Unlock()
	if op.stage == dropped {
		return false
	}
	op.stage, op.begun = taken, true
	return true
}

// lasts reports whether to retry the operation after an outage.
func (op *operation) lasts(now time.Time) bool {
	op.mu.Lock()
	defer op.mu.Unlock()
	// Begun stays true after requeue: the outcome of a charge that a posting had once is
	// unknown until a posting succeeds.
	return now.Before(op.until) || op.charge && op.begun
}

// requeue returns the operation to the queue. A charge stays taken, since it may be written.
func (op *operation) requeue() {
	op.mu.Lock()
	defer op.mu.Unlock()
	if op.stage == taken && !op.charge {
		op.stage = queued
	}
}

// unknown reports whether the operation may be written although its posting failed.
func (op *operation) unknown() bool {
	op.mu.Lock()
	defer op.mu.Unlock()
	return op.begun
}

// drop cancels the operation; false when a posting has taken it.
func (op *operation) drop() bool {
	op.mu.Lock()
	defer op.mu.Unlock()
	if op.stage == queued {
		op.stage = dropped
	}
	return op.stage == dropped
}

// detach says that the caller no longer waits: the goroutine that posts calls late with the
// outcome. It returns false when the outcome is final already.
func (op *operation) detach(late func(error)) bool {
	op.mu.Lock()
	defer op.mu.Unlock()
	// Under the same lock as finish: either finish calls late, or detach returns false. The
	// outcome cannot be lost between the two.
	if op.stage == ended {
		return false
	}
	op.late = late
	return true
}

func (op *operation) finish(err error) {
	op.mu.Lock()
	op.err, op.stage = err, ended
	late := op.late
	op.mu.Unlock()
	close(op.done)
	// Without the lock, because late may ask for the state of the operation.
	if late != nil {
		late(err)
	}
}

// within waits for the outcome for at most d, and reports whether it came.
func (op *operation) within(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-op.done:
		return true
	case <-timer.C:
		return false
	}
}
