package account

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"vaak/internal/fault"
)

// WriteTimeout bounds one write of usage. A receipt waits for at most two: the
// one that runs when it comes, and its own.
const WriteTimeout = 10 * time.Second

// probeTimeout bounds the question whether a store that failed works again.
const probeTimeout = time.Second

// ledger writes receipts, many in one transaction: while one write runs, the
// receipts that come are gathered, and the next write takes all of them. Alone,
// a receipt is written at once.
type ledger struct {
	store UsageStore
	log   *slog.Logger
	wake  chan struct{} // holds a token from when next is made until the writer comes for it
	stop  chan struct{} // closed by close
	done  chan struct{} // closed when the writer has returned

	failed  atomic.Pointer[fault.Error] // why the last write failed; nil when it did not
	probing sync.Mutex
	probes  atomic.Uint64 // probes that have ended

	mu     sync.Mutex
	next   *batch // nil when nothing waits
	closed bool
}

// batch is what one write takes. Only the writer touches it after it has left
// ledger.next, and only its waiters after done is closed.
type batch struct {
	sums map[usageKey]KeyUsage
	errs map[usageKey]error // nil when all were written
	done chan struct{}
}

type usageKey struct {
	keyID  string
	period Period
}

func startLedger(store UsageStore, log *slog.Logger) *ledger {
	l := &ledger{
		store: store,
		log:   log,
		wake:  make(chan struct{}, 1),
		stop:  make(chan struct{}),
		done:  make(chan struct{}),
	}
	go l.run()
	return l
}

// add counts u and returns when it is kept, or known not to be.
func (l *ledger) add(u KeyUsage) error {
	k := usageKey{u.KeyID, u.Period}
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return errClosing()
	}
	b := l.next
	if b == nil {
		b = &batch{sums: make(map[usageKey]KeyUsage), done: make(chan struct{})}
		l.next = b
		l.wake <- struct{}{} // has room: the writer empties wake before it takes next
	}
	if sum, ok := b.sums[k]; ok {
		u = sum.plus(u)
	}
	b.sums[k] = u
	l.mu.Unlock()
	<-b.done
	return b.errs[k]
}

// run writes batches until the ledger is closed and nothing waits.
func (l *ledger) run() {
	defer close(l.done)
	for {
		select {
		case <-l.wake:
			l.write(l.take())
		case <-l.stop:
			select {
			case <-l.wake:
				l.write(l.take())
			default:
			}
			return
		}
	}
}

func (l *ledger) take() *batch {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.next
	l.next = nil
	return b
}

// write writes b and tells its waiters. When a write fails although the store
// works, a record of b is at fault; then each is written alone, so that it
// takes no other with it.
func (l *ledger) write(b *batch) {
	defer close(b.done)
	records := make([]KeyUsage, 0, len(b.sums))
	for _, u := range b.sums {
		records = append(records, u)
	}
	err := l.addUsage(records)
	if err == nil {
		return
	}
	b.errs = make(map[usageKey]error, len(b.sums))
	for k, u := range b.sums {
		if len(b.sums) > 1 && fault.KindOf(err) != fault.Unavailable {
			b.errs[k] = l.addUsage([]KeyUsage{u})
		} else {
			b.errs[k] = err
		}
	}
}

// addUsage writes records in one transaction and keeps in mind whether the
// store could.
func (l *ledger) addUsage(records []KeyUsage) error {
	ctx, cancel := context.WithTimeout(context.Background(), WriteTimeout)
	defer cancel()
	err := l.store.AddUsage(ctx, records)
	l.note(err)
	if err != nil {
		return fmt.Errorf("count usage: %w", err)
	}
	return nil
}

// note remembers an outage and its end, and logs the change.
func (l *ledger) note(err error) {
	var outage *fault.Error
	if fault.KindOf(err) == fault.Unavailable {
		outage = fault.Down(fault.CodeStoreUnavailable, time.Second, err, "usage cannot be recorded now; try again")
	}
	switch was := l.failed.Swap(outage); {
	case was == nil && outage != nil:
		l.log.Error("usage cannot be written", "error", err)
	case was != nil && outage == nil:
		l.log.Info("usage can be written again")
	}
}

// ready returns nil when the last write worked. After one that failed it asks
// the store whether it can write again; those who ask meanwhile share the answer.
func (l *ledger) ready(ctx context.Context) error {
	select {
	case <-l.stop:
		return errClosing()
	default:
	}
	if l.failed.Load() == nil {
		return nil
	}
	seen := l.probes.Load()
	l.probing.Lock()
	defer l.probing.Unlock()
	if l.probes.Load() == seen {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), probeTimeout)
		defer cancel()
		l.note(l.store.Ping(ctx))
		l.probes.Add(1)
	}
	if outage := l.failed.Load(); outage != nil {
		return outage
	}
	return nil
}

func (l *ledger) close(ctx context.Context) error {
	l.mu.Lock()
	if !l.closed {
		l.closed = true
		close(l.stop)
	}
	l.mu.Unlock()
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
