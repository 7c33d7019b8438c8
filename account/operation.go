package account

import (
	"sync"
	"time"

	"vaak/account/ledger"
)

// operation is one thing to do to a book. Do runs inside a posting, maybe more
// than once; its error concerns only this operation.
type operation struct {
	org, hold, key string
	do             func(now time.Time, b *ledger.Book) (use *Use, err error)
	// until is when to give up trying while the store is away; zero is at once.
	until time.Time
	// charge says that the operation charges for what was spoken. Once a posting has
	// taken it, it may be written, whatever became of the posting: then it is tried
	// until it is known to be, which its id makes safe.
	charge bool

	done chan struct{} // closed when err is final
	err  error

	mu    sync.Mutex
	stage stage
	begun bool        // a posting has taken it at least once
	late  func(error) // what is told the outcome after its caller has left
}

// stage is how far an operation has come.
type stage int

const (
	queued  stage = iota // nothing was done to a book
	taken                // a posting may have done it, be it that its outcome is not known
	dropped              // it will not be done
	ended                // its outcome is final
)

// begin says that a posting is about to do the operation; false when that must
// not be done any more.
func (op *operation) begin() bool {
	op.mu.Lock()
	defer op.mu.Unlock()
	if op.stage == dropped {
		return false
	}
	op.stage, op.begun = taken, true
	return true
}

// persist has the operation tried however long the store is away.
func (op *operation) persist() {
	op.mu.Lock()
	defer op.mu.Unlock()
	op.until = always
}

// lasts reports whether the operation is to be tried again when the store was away.
func (op *operation) lasts(now time.Time) bool {
	op.mu.Lock()
	defer op.mu.Unlock()
	return now.Before(op.until) || op.charge && op.begun
}

// requeue says that the operation waits for another posting.
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

// drop takes the operation back; false when it is too late for that.
func (op *operation) drop() bool {
	op.mu.Lock()
	defer op.mu.Unlock()
	if op.stage == queued {
		op.stage = dropped
	}
	return op.stage == dropped
}

// leave has late told the outcome instead of the caller, by the goroutine that
// posts; false when the outcome is there already.
func (op *operation) leave(late func(error)) bool {
	op.mu.Lock()
	defer op.mu.Unlock()
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
	if late != nil {
		late(err)
	}
}

// within reports whether the outcome came in a time.
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
