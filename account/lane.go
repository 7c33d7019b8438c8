package account

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"vaak/account/ledger"
	"vaak/internal/fault"
	"vaak/internal/pause"
)

// WriteTimeout bounds one posting.
const WriteTimeout = 3 * time.Second

// patience is how long a caller waits for a posting to begin, before it gets the error that
// the store is not available.
const patience = 900 * time.Millisecond

// errPatience is the cause of an outage of which there is no other error yet.
var errPatience = fmt.Errorf("nothing was written in %v", patience)

// Lease is how long an advance lives after its process last renewed it.
const Lease = 30 * time.Second

// always is a time that never comes: the operation is retried without end.
var always = time.Unix(1<<40, 0)

// maxBatch is how many operations one posting takes.
const maxBatch = 256

// lane posts the operations of some organisations. While one posting runs, operations that
// come are gathered, and the next posting takes all of them. An operation that comes alone
// is posted at once. An organisation always has the same lane, so that two postings of one
// process never wait for each other's lock on a book.
type lane struct {
	service *reservations
	wake    chan struct{} // holds a token when there is something to look at
	stop    chan struct{}
	done    chan struct{}

	began atomic.Int64 // Unix nanoseconds when the posting that runs began; 0 while none does

	mu      sync.Mutex
	waiting []*operation
	closed  bool
}

func startLane(v *reservations) *lane {
	l := &lane{service: v, wake: make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{})}
	go l.run()
	return l
}

// lane returns the one that posts for an organisation.
func (v *reservations) lane(orgID string) *lane {
	var sum uint32 = 2166136261 // FNV-1a of 32 bits: this offset basis, and the prime below
	for i := range len(orgID) {
		sum = (sum ^ uint32(orgID[i])) * 16777619
	}
	return v.lanes[sum%uint32(len(v.lanes))]
}

// submit adds an operation; its done is closed when it is posted or has failed.
func (l *lane) submit(op *operation) {
	op.done = make(chan struct{})
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		op.finish(errClosing())
		return
	}
	l.waiting = append(l.waiting, op)
	l.mu.Unlock()
	l.signal()
}

func (l *lane) signal() {
	select {
	case l.wake <- struct{}{}:
	default: // it will look anyway
	}
}

// run posts until the lane is shut and nothing waits.
func (l *lane) run() {
	defer close(l.done)
	pause := time.Duration(0) // before the next try, after a failure
	for {
		if pause == 0 {
			// Once stop is closed this never blocks, so the loop drains the queue and ends.
			select {
			case <-l.wake:
			case <-l.stop:
			}
		} else {
			l.backOff(pause)
		}
		l.gather()
		batch, last := l.nextBatch()
		if len(batch) == 0 {
			if last {
				return
			}
			pause = 0
			continue
		}
		if again := l.post(batch); len(again) > 0 {
			l.requeue(again)
			pause = min(max(2*pause, 50*time.Millisecond), time.Second) // doubles from 50 ms to a second
		} else {
			pause = 0
			l.signal() // there may be more than one batch
		}
	}
}

// backOff waits before another try, or until another operation comes: its caller has probed
// the store before, so it may be back.
func (l *lane) backOff(pause time.Duration) {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-l.wake:
	}
}

// gather lets others run as long as that brings operations: those whom the last
// posting has answered ask again at once, and go into one posting. It waits for
// nobody who is not about to run.
func (l *lane) gather() {
	for n := -1; ; runtime.Gosched() { // -1 is no length, so the others run at least once
		l.mu.Lock()
		have := len(l.waiting)
		l.mu.Unlock()
		if have == n || have >= maxBatch {
			return
		}
		n = have
	}
}

// nextBatch removes up to maxBatch operations from the queue. Last reports that the lane is
// shut, so no more will come.
func (l *lane) nextBatch() (batch []*operation, last bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := min(len(l.waiting), maxBatch)
	batch = l.waiting[:n:n]
	l.waiting = l.waiting[n:]
	if len(l.waiting) == 0 {
		l.waiting = nil // frees the array, which still refers to the operations of the batch
	}
	return batch, l.closed
}

// requeue puts operations back at the front of the queue, so that they keep their order.
func (l *lane) requeue(ops []*operation) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, op := range ops {
		op.requeue()
	}
	l.waiting = append(ops, l.waiting...)
}

// post posts a batch and returns the operations that are to be tried again.
// When a posting fails although the store works, an operation of it is at
// fault; then each half is posted alone, down to the one that is, so that it
// takes no other with it and costs them few postings more.
func (l *lane) post(batch []*operation) (again []*operation) {
	l.began.Store(time.Now().UnixNano())
	outcomes, err := l.service.post(batch)
	l.began.Store(0)
	switch {
	case err == nil:
		for i, op := range batch {
			op.finish(outcomes[i])
		}
	case fault.KindOf(err) == fault.Unavailable:
		// No operation is at fault, so all of them may be tried again. The ledger keeps an
		// operation that was written after all from taking effect twice.
		now := time.Now()
		for _, op := range batch {
			if op.lasts(now) && !l.shutting() {
				again = append(again, op)
			} else {
				op.finish(errStoreDown(err))
			}
		}
	case len(batch) == 1:
		batch[0].finish(fmt.Errorf("post to the ledger: %w", err))
	default:
		half := len(batch) / 2
		again = append(l.post(batch[:half]), l.post(batch[half:])...)
	}
	return again
}

// stuck reports whether a posting runs for longer than one may.
func (l *lane) stuck() bool {
	began := l.began.Load()
	return began > 0 && time.Since(time.Unix(0, began)) > slowest
}

// post runs a batch in one transaction and returns the outcome of each.
func (v *reservations) post(batch []*operation) ([]error, error) {
	// A posting serves many callers, so the end of one caller's context must not end it.
	ctx, cancel := pause.Within(context.Background(), WriteTimeout)
	defer cancel()
	outcomes := make([]error, len(batch))
	undo := func() {
		for _, op := range batch {
			if op.undo != nil {
				op.undo()
			}
		}
	}
	t := &turn{service: v, share: aheadShare * int64(v.limits.sharers()), own: map[string][]*advance{}}
	for _, op := range batch {
		if t.own[op.org] == nil {
			t.own[op.org] = v.advances.own(op.org)
		}
	}
	begun := time.Now()
	err := v.store.Post(ctx, t.opening(batch), func(now time.Time, books map[string]*ledger.Book) (Posting, error) {
		// The store may run this function again, so each run sets every outcome anew. An
		// operation that fails must not fail the posting, which would undo all the others.
		undo()
		t.begin(now, books)
		sums := uses{}
		for i, op := range batch {
			b := books[op.org]
			if b == nil {
				outcomes[i] = noOrganisation(op.org)
				continue
			}
			if !op.begin() { // its caller has left with an error, and nothing may be written
				outcomes[i] = errStoreDown(errPatience)
				continue
			}
			var use *Use
			if use, outcomes[i] = op.do(t, b); use != nil {
				sums.add(*use)
			}
		}
		t.end(books)
		return Posting{Uses: sums.list(), Changed: t.changes()}, nil
	})
	if err == nil {
		t.posted(begun)
	} else {
		undo()
		t.failed()
	}
	if err != nil && ctx.Err() != nil {
		err = errStoreDown(err) // whatever error the store returned, the timeout is the cause
	}
	v.outage.note(err)
	return outcomes, err
}

// opening lists what a batch needs to see, each id once.
func (t *turn) opening(batch []*operation) Opening {
	var o Opening
	seen := make(map[string]bool, 2*len(batch))
	add := func(list *[]string, id string) {
		if id != "" && !seen[id] {
			seen[id] = true
			*list = append(*list, id)
		}
	}
	for _, op := range batch {
		add(&o.Orgs, op.org)
		for _, id := range op.holds {
			add(&o.Holds, id)
		}
		for _, a := range t.own[op.org] {
			add(&o.Holds, a.id)
			if a.capped {
				add(&o.Keys, a.key)
			}
		}
	}
	return o
}

func (l *lane) shutting() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.closed
}

// shut refuses new operations, after some last ones.
func (l *lane) shut(last []*operation) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.closed {
		for _, op := range last {
			op.done = make(chan struct{})
		}
		l.waiting = append(l.waiting, last...)
		l.closed = true
		close(l.stop)
		l.signal()
	}
}

// wait returns when all operations are posted that were submitted before shut.
func (l *lane) wait(ctx context.Context) error {
	select {
	case <-l.done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("write the usage that waits: %w", ctx.Err())
	}
}

func errClosing() error {
	return fault.Down(fault.CodeStoreUnavailable, time.Second, nil, "the server is shutting down; try again")
}

func errStoreDown(err error) error {
	return fault.Down(fault.CodeStoreUnavailable, time.Second, err, "usage cannot be recorded now; try again")
}
