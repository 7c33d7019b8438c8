package account

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"vaak/account/backlog"
	"vaak/account/ledger"
	"vaak/internal/fault"
)

// reservations puts characters aside and charges for those that were spoken.
type reservations struct {
	*base
	backlog  *backlog.Backlog // nil: charges wait in memory
	known    known
	promised atomic.Int64 // holds that may still have to be written to the backlog
	lanes    []*lane
	outage   *outage
	holds    leases // that are in the store and have to be renewed
	limits   *limits
	totals   *totals
}

// Hold keeps the characters of one request aside until Commit or Cancel, one of which must
// be called. Only one goroutine at a time may call its methods.
type Hold struct {
	service  *reservations // nil of [Unmetered]
	caller   Caller
	id       string // of the hold and its charge; a charge with the same id is booked once
	reserved int
	early    bool // some of it was started on a known balance, before it was reserved

	stored  atomic.Bool // the hold is in the store; false when it is only counted, or not written yet
	settled atomic.Bool
	refusal atomic.Pointer[error] // of the reservation, when the hold was given early
}

// Reserve puts characters (code points, 0 or more) aside for one request of a caller. The
// error is of kind QuotaExceeded when the balance does not suffice.
//
// When the store is slow, Reserve returns a hold before it is written, if the balance is
// known and the characters are within a share of it; see [Hold.Refused]. While the store is
// away, the error is Unavailable in under a second, so that nothing is spoken that could
// not be charged. Holds of [Local] are neither stored nor counted; those of a plan without
// a bound are only counted.
func (v *reservations) Reserve(ctx context.Context, c Caller, characters int) (*Hold, error) {
	if !c.known() {
		return nil, errUnknownCaller
	}
	if characters < 0 {
		return nil, fmt.Errorf("reserve %d characters", characters)
	}
	h := &Hold{service: v, caller: c, id: newID(holdPrefix)}
	if c.local() {
		h.reserved = characters
		return h, nil
	}
	if err := h.reserve(ctx, characters); err != nil {
		return nil, err
	}
	h.reserved = characters
	v.promised.Add(1)
	return h, nil
}

// reserve raises the hold by more characters.
func (h *Hold) reserve(ctx context.Context, more int) error {
	s, begun := h.service, time.Now()
	// First, and for unmetered callers as well: what they speak is written to the store, too.
	if err := s.chargeable(ctx); err != nil {
		return err
	}
	if !h.caller.Metered {
		return nil
	}
	inBook := false // the hold is in the book; set in a posting, which may run again
	first := !h.stored.Load() && !h.early
	key := h.caller.keptKey()
	// Raise gets the new total and not the difference. A posting that is repeated after an
	// unknown outcome then adds nothing.
	total := int64(h.reserved + more)
	op := &operation{org: h.caller.OrgID, hold: h.id, key: key, do: func(now time.Time, b *ledger.Book) (_ *Use, err error) {
		if state := b.State(h.id); state == ledger.Settled || state == ledger.Released {
			return nil, nil // an earlier posting whose outcome was lost did all of it
		}
		inBook, err = b.Raise(h.id, key, total, now.Add(Lease))
		return nil, err
	}}
	s.lane(h.caller.OrgID).submit(op)
	// From here on: a short wait for a store that works, then a start on a known balance,
	// then a wait for a store that is only slow.
	if op.within(grace) {
		return h.granted(op, inBook)
	}
	if s.known.start(h.caller.OrgID, key, int64(more), s.limits.sharers(), time.Now()) {
		// The caller may speak these characters at once, so the reservation is written
		// however long the store is away.
		op.persist()
		if op.detach(func(err error) { h.followed(err, inBook, int64(more)) }) {
			h.early = true
			return nil
		}
		// The outcome came in between, so nobody calls followed.
		s.known.finish(h.caller.OrgID, int64(more))
		return h.granted(op, inBook)
	}
	if err := s.await(ctx, op, begun, func(err error) {
		if first && (err == nil || op.unknown()) {
			s.release(h) // nobody has it; what is extended is still to be charged for
		}
	}); err != nil {
		return err
	}
	return h.granted(op, inBook)
}

// granted records the outcome of a reservation that the caller waited for.
func (h *Hold) granted(op *operation, inBook bool) error {
	// When detach has returned false, finish has set the outcome but may not have closed
	// done yet.
	<-op.done
	if op.err == nil {
		h.noteStored(inBook)
		return nil
	}
	if op.unknown() && !h.stored.Load() && !h.early {
		// The failed posting may be committed. The caller gets no hold, so nobody else
		// would release it before its lease runs out.
		h.service.release(h)
	}
	return h.service.refused(op.err)
}

// followed records the outcome of a reservation that the caller did not wait for. The
// goroutine that posts calls it.
func (h *Hold) followed(err error, inBook bool, more int64) {
	s := h.service
	s.known.finish(h.caller.OrgID, more)
	switch fault.KindOf(err) {
	case "":
		h.noteStored(inBook)
	case fault.Unavailable: // the service is closing
	default:
		err = s.refused(err)
		h.refusal.Store(&err)
		s.log.Warn("what was started on a known balance cannot be reserved", "organisation", h.caller.OrgID, "characters", more, "error", err)
	}
}

// noteStored records whether the hold is in the store, where its lease has to be renewed.
func (h *Hold) noteStored(inBook bool) {
	if !inBook {
		return
	}
	h.stored.Store(true)
	h.service.holds.add(h.id)
	// Cancel may have run before the hold was added, and then removed nothing.
	if h.settled.Load() {
		h.service.holds.remove(h.id)
	}
}

// Refused returns an error of kind QuotaExceeded when the hold was given on a known balance
// that other requests have spent meanwhile. Audio that was handed over can still be
// committed.
func (h *Hold) Refused() error {
	if err := h.refusal.Load(); err != nil {
		return *err
	}
	return nil
}

// slowest is how long a posting may take. After that the store counts as away, although it
// answers reads.
const slowest = 2 * WriteTimeout

// await waits for a reservation as long as the store can be read and so is only slow. When
// the store is away the error is Unavailable, in under a second, and late gets the outcome.
func (v *reservations) await(ctx context.Context, op *operation, begun time.Time, late func(error)) error {
	// Answers may take probeTimeout more, so that the caller has an answer within patience.
	wait := patience - probeTimeout - time.Since(begun)
	for !op.within(wait) {
		wait = patience - probeTimeout
		slow := time.Since(begun) < slowest && !v.lane(op.org).stuck() && v.outage.failed.Load() == nil && v.outage.answers(ctx) == nil
		// drop fails when a posting has taken the operation; late then undoes what it may
		// have written. When detach fails too, the outcome is there and the loop ends.
		if !slow && (op.drop() || op.detach(late)) {
			return errStoreDown(errPatience)
		}
	}
	return nil
}

// chargeable returns an error when what is spoken now could not be charged: the store is
// away, or the backlog has no room for a charge that the store cannot take.
func (v *reservations) chargeable(ctx context.Context) error {
	if v.backlog != nil {
		// Each hold that runs may need a record of its own, and so may this one.
		if err := v.backlog.Ready(int(v.promised.Load()) + 1); err != nil {
			return errStoreDown(err)
		}
	}
	return v.outage.over(ctx)
}

// refused counts an error that is a refusal, and returns it.
func (v *reservations) refused(err error) error {
	if fault.KindOf(err) == fault.QuotaExceeded {
		v.totals.quotaRefused.Add(1)
	}
	return err
}

// Extend puts more characters aside. When the balance does not suffice, the hold stays as
// it was, and the characters that it has can still be committed.
func (h *Hold) Extend(ctx context.Context, characters int) error {
	if characters < 0 {
		return fmt.Errorf("extend a hold by %d characters", characters)
	}
	if h.settled.Load() {
		return errSettled
	}
	if err := h.Refused(); err != nil {
		return err
	}
	// A hold that is only counted has nothing in the store that could be raised.
	if h.stored.Load() || h.early {
		if err := h.reserve(ctx, characters); err != nil {
			return err
		}
	}
	h.reserved += characters
	return nil
}

// Reserved returns how many characters the hold keeps.
func (h *Hold) Reserved() int { return h.reserved }

// Commit charges one request for what was handed over, in the UTC month of the call, and
// returns when the charge is safe from a crash; see [Receipt] for a store that is away. The
// end of ctx does not stop it, so it also charges a caller who has gone away. Only the
// first call counts. A receipt of more characters than were reserved, or of negative
// amounts, is a defect of the program: it charges nothing and leaves the hold open.
func (h *Hold) Commit(_ context.Context, r Receipt) error {
	if r.Characters < 0 || r.Characters > h.reserved || r.Audio < 0 {
		return fmt.Errorf("receipt of %d characters and %v on a hold of %d", r.Characters, r.Audio, h.reserved)
	}
	if !h.end() {
		return errSettled
	}
	if h.caller.local() {
		return nil
	}
	defer h.service.promised.Add(-1) // only after settle, which may need the room in the backlog
	return h.service.settle(h, r)
}

// end marks the hold as settled; false when it was settled before.
func (h *Hold) end() bool { return !h.settled.Swap(true) }

var errSettled = errors.New("hold is settled already")

// Cancel releases the characters and charges nothing. It does nothing after Commit, after
// Cancel and on a nil hold.
func (h *Hold) Cancel() {
	if h == nil || !h.end() || h.caller.local() {
		return
	}
	h.service.promised.Add(-1)
	if !h.stored.Load() && !h.early {
		return
	}
	// The renewal stops first: if the release fails, the lease has to run out.
	h.service.holds.remove(h.id)
	h.service.release(h)
}

// release releases a hold in the store, without waiting. If that fails, its lease runs out.
func (v *reservations) release(h *Hold) {
	// After a lease without renewal the store releases the hold by itself, so the operation
	// is not retried for longer.
	v.lane(h.caller.OrgID).submit(&operation{
		org: h.caller.OrgID, hold: h.id, key: h.caller.keptKey(), until: time.Now().Add(Lease),
		do: func(_ time.Time, b *ledger.Book) (*Use, error) {
			b.Release(h.id)
			return nil, nil
		},
	})
}
