package account

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"vaak/account/backlog"
	"vaak/internal/pause"
)

// How often leases are renewed: three times before one runs out.
const (
	holdBeat  = Lease / 3
	slotLease = 6 * time.Second // how long the slots of a server that was killed stay taken
	slotBeat  = slotLease / 3
)

// leases are the ids whose leases this process renews.
type leases struct {
	mu  sync.Mutex
	ids map[string]struct{}
}

func (l *leases) add(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ids == nil {
		l.ids = make(map[string]struct{})
	}
	l.ids[id] = struct{}{}
}

func (l *leases) remove(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.ids, id)
}

func (l *leases) list() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	ids := make([]string, 0, len(l.ids))
	for id := range l.ids {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// beat renews the leases of slots, ends sessions of keys that are no longer valid, and
// sweeps, until ctx ends.
func (s *Service) beat(ctx context.Context) {
	slots := time.NewTicker(slotBeat)
	defer slots.Stop()
	s.admission.limits.renew(ctx) // at once, to learn how many processes share the limits
	sweeping := trouble{log: s.log, what: "what has lapsed is not freed"}
	for {
		select {
		case <-ctx.Done():
			return
		case <-slots.C:
			// The leases come first, because what follows may take longer than one lasts.
			s.admission.limits.renew(ctx)
			s.endSessions(ctx, "")
			sweeping.note(ctx, s.sweepNow(ctx))
		}
	}
}

// beatHolds renews advances, returns those that nobody uses, and notes which keys were
// used, until ctx ends. It does nothing that may take longer: an advance whose lease runs
// out is lost.
func (s *Service) beatHolds(ctx context.Context) {
	holds := time.NewTicker(holdBeat)
	defer holds.Stop()
	flushing := trouble{log: s.log, what: "the last use of keys is not written"}
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.recalled:
			s.tendAll(ctx)
		case <-holds.C:
			s.tendAll(ctx)
			flushing.note(ctx, s.flushUsed(ctx))
		}
	}
}

// trouble logs the first failure of a row, and the success that ends the row.
type trouble struct {
	log    *slog.Logger
	what   string
	logged bool // the current row of failures has its line
}

func (t *trouble) note(ctx context.Context, err error) {
	switch {
	case err != nil && ctx.Err() == nil && !t.logged: // not at shutdown, when calls are cut off
		t.logged = true
		t.log.Warn(t.what, "error", err)
	case err == nil && t.logged:
		t.logged = false
		t.log.Info("it works again", "what", t.what)
	}
}

// sweepNow sweeps, so that readers of the store see lapsed holds as released. Every process
// does it; when nothing is overdue, it costs one query.
func (s *Service) sweepNow(ctx context.Context) error {
	ctx, cancel := pause.Within(ctx, WriteTimeout)
	defer cancel()
	_, err := s.Sweep(ctx)
	return err
}

// usedKeys records which keys were used since the last flush.
type usedKeys struct {
	mu sync.Mutex
	at map[string]time.Time
}

func (u *usedKeys) note(keyID string, t time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.at == nil {
		u.at = make(map[string]time.Time)
	}
	u.at[keyID] = t
}

func (u *usedKeys) drain() map[string]time.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	at := u.at
	u.at = nil
	return at
}

// restore puts back what could not be written.
func (u *usedKeys) restore(used map[string]time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for id, later := range u.at { // noted since drain
		used[id] = later
	}
	u.at = used
}

func (a *admission) flushUsed(ctx context.Context) error {
	used := a.used.drain()
	if len(used) == 0 {
		return nil
	}
	// Close writes the last uses even when its context has ended.
	ctx, cancel := pause.Within(context.WithoutCancel(ctx), WriteTimeout)
	defer cancel()
	err := a.store.TouchKeys(ctx, used)
	if err != nil {
		a.used.restore(used)
	}
	return err
}

// totals count events since the process began.
type totals struct {
	charged, quotaRefused, rateRefused, streamsRefused atomic.Int64
	late, lost                                         atomic.Int64 // charges
	slots                                              atomic.Int64 // in use now
}

// Stats are figures of this process, for its metrics.
type Stats struct {
	OpenHolds      int   // of requests that run here
	Slots          int   // likewise
	Charged        int64 // characters, since the process began, likewise below
	QuotaRefused   int64
	RateRefused    int64
	StreamsRefused int64
	LateCharges    int64         // that were posted after their answer, since the store was slow or away
	LostCharges    int64         // that were never posted
	LostRequests   int64         // request records that were dropped
	Waiting        backlog.Stats // charges on disk, of this process and of those whose part it has claimed
	StoreUp        bool
	LocalLimits    bool // this process counts limits alone, because the shared ones are away
}

// Stats returns them.
func (s *Service) Stats() Stats {
	var waiting backlog.Stats
	if s.backlog != nil {
		waiting = s.backlog.Stats()
	}
	return Stats{
		Waiting:        waiting,
		OpenHolds:      int(s.open.Load()),
		Slots:          int(s.admission.totals.slots.Load()),
		Charged:        s.admission.totals.charged.Load(),
		QuotaRefused:   s.admission.totals.quotaRefused.Load(),
		RateRefused:    s.admission.totals.rateRefused.Load(),
		StreamsRefused: s.admission.totals.streamsRefused.Load(),
		LateCharges:    s.admission.totals.late.Load(),
		LostCharges:    s.admission.totals.lost.Load(),
		LostRequests:   s.recorder.lost.Load(),
		StoreUp:        s.outage.failed.Load() == nil,
		LocalLimits:    s.admission.limits.local.Load(),
	}
}
