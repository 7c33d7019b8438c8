package account

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"vaak/internal/fault"
	"vaak/internal/flight"
	"vaak/internal/pause"
)

// probeTimeout bounds the question whether a store that failed works again.
const probeTimeout = 400 * time.Millisecond

// outage records whether the store is away, so that no request starts that could not be
// counted.
type outage struct {
	store ProbeStore
	log   *slog.Logger

	failed    atomic.Pointer[error] // why the last posting failed; nil when it did not
	suspected atomic.Bool           // the shared limits, in the same database, did not answer

	reading flight.Group[struct{}, struct{}]

	mu    sync.Mutex
	probe chan struct{} // closed when the probe that runs has ended; nil while none runs
}

// note records the outcome of a posting, and logs the beginning and the end of an outage.
func (o *outage) note(err error) {
	var failed *error
	if fault.KindOf(err) == fault.Unavailable { // other errors come from a store that works
		failed = &err
	}
	switch was := o.failed.Swap(failed); {
	case was == nil && failed != nil:
		o.log.Error("usage cannot be written", "error", err)
	case was != nil && failed == nil:
		o.log.Info("usage can be written again")
	}
}

// doubtful reports whether the store has to be asked whether it is there.
func (o *outage) doubtful() bool { return o.failed.Load() != nil || o.suspected.Load() }

// over returns nil when the last posting worked. After one that failed it probes the store
// first. Calls at the same time share one probe.
func (o *outage) over(ctx context.Context) error {
	if !o.doubtful() {
		return nil
	}
	o.mu.Lock()
	probe, first := o.probe, o.probe == nil
	if first {
		probe = make(chan struct{})
		o.probe = probe
	}
	o.mu.Unlock()
	if first {
		o.ask(ctx)
		// Nil before close: a caller who comes now starts a probe of its own and does not
		// use an old outcome.
		o.mu.Lock()
		o.probe = nil
		o.mu.Unlock()
		close(probe)
	}
	<-probe
	if failed := o.failed.Load(); failed != nil {
		return errStoreDown(*failed)
	}
	return nil
}

// answers returns nil when the store can be read, however slowly it writes. Calls at the same
// time share one question.
func (o *outage) answers(ctx context.Context) error {
	_, err := o.reading.Do(struct{}{}, func() (struct{}, error) {
		ctx, cancel := pause.Within(context.WithoutCancel(ctx), probeTimeout)
		defer cancel()
		return struct{}{}, o.store.Answers(ctx)
	})
	return err
}

// suspect marks the store as possibly down. The next caller probes it before use, which is
// faster than a posting that fails.
func (o *outage) suspect() { o.suspected.Store(true) }

// ask probes the store once, also when the caller goes away meanwhile.
func (o *outage) ask(ctx context.Context) {
	ctx, cancel := pause.Within(context.WithoutCancel(ctx), probeTimeout)
	defer cancel()
	err := o.store.Ping(ctx)
	if err != nil && fault.KindOf(err) != fault.Unavailable {
		err = errStoreDown(err) // whatever its kind, the store does not work
	}
	o.note(err)
	o.suspected.Store(false)
}
