package account

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"vaak/account/backlog"
	"vaak/internal/fault"
	"vaak/internal/pause"
)

// reservations puts characters aside and charges for those that were spoken.
type reservations struct {
	*base
	backlog  *backlog.Backlog // nil: charges wait in memory
	advances *advances
	recalled chan struct{} // holds a token when all advances are to be returned
	promised atomic.Int64  // holds that may still have to be written to the backlog
	open     atomic.Int64  // holds with characters of an advance
	lanes    []*lane
	outage   *outage
	limits   *limits
	totals   *totals
}

// Hold keeps the characters of one request aside until Commit or Cancel, one of which must
// be called. Only one goroutine at a time may call its methods.
type Hold struct {
	service  *reservations // nil of [Unmetered]
	caller   Caller
	id       string // of the charge, which is booked once
	reserved int
	advance  *advance // that has the characters; nil when they are only counted
	open     bool     // it is among the open ones
	free     bool     // nothing is kept or charged: of Local, or paid before; see ChargedOnce

	settled atomic.Bool
}

// Reserve puts characters (code points, 0 or more) aside for one request of a caller. The
// error is of kind QuotaExceeded when the balance does not suffice, and Unavailable while
// other processes do not return what they have taken ahead of it.
//
// As a rule the process has the characters ahead, and Reserve returns at once. Else it
// writes to the store, and waits for one that is slow. While the store is away, the error
// is Unavailable in under a second, so that nothing is spoken that could not be charged.
// Holds of [Local] are neither kept nor counted; those of a plan without a bound are only
// counted.
func (v *reservations) Reserve(ctx context.Context, c Caller, characters int) (*Hold, error) {
	if !c.known() {
		return nil, errUnknownCaller
	}
	if characters < 0 {
		return nil, fmt.Errorf("reserve %d characters", characters)
	}
	h := newHold(ctx, v, c)
	if h.free {
		h.reserved = characters
		return h, nil
	}
	if err := h.reserve(ctx, characters); err != nil {
		return nil, err
	}
	h.begin(characters)
	return h, nil
}

// begin counts a hold that has its first characters.
func (h *Hold) begin(characters int) {
	h.reserved = characters
	h.service.promised.Add(1)
	if h.open = h.advance != nil; h.open {
		h.service.open.Add(1)
	}
}

// Ahead is Reserve for those who cannot wait. Ok is false where Reserve would write to the
// store, or look whether it is there; then only Reserve can tell.
func (v *reservations) Ahead(ctx context.Context, c Caller, characters int) (h *Hold, ok bool) {
	// A charge that is booked once is numbered by the holds that are made, see newHold.
	if !c.known() || characters < 0 || c.local() || ctx.Value(chargeKey{}) != nil {
		return nil, false
	}
	h = newHold(ctx, v, c)
	if !h.ahead(characters) {
		return nil, false
	}
	h.begin(characters)
	return h, true
}

// ahead raises the hold by more characters if that needs no waiting.
func (h *Hold) ahead(more int) bool {
	s := h.service
	if s.outage.doubtful() || s.chargeable(context.Background()) != nil {
		return false
	}
	return !h.caller.Metered || s.take(h, more)
}

// take gives a hold more characters, if they are there ahead.
func (v *reservations) take(h *Hold, more int) bool {
	ok, fill := v.advances.take(h, int64(more), time.Now())
	if fill {
		v.tend(h.caller.OrgID, time.Time{})
	}
	return ok
}

// reserve raises the hold by more characters.
func (h *Hold) reserve(ctx context.Context, more int) (err error) {
	s, begun := h.service, time.Now()
	// First, and for unmetered callers as well: what they speak is written to the store, too.
	if err := s.chargeable(ctx); err != nil {
		return err
	}
	if !h.caller.Metered {
		return nil
	}
	if had := h.advance; had != nil && h.reserved == 0 {
		h.advance = nil // an advance of which nothing is in use may be returned
		defer func() {
			if err != nil {
				h.advance = had // without one, Extend would take the hold for one that is only counted
			}
		}()
	}
	for {
		if s.take(h, more) {
			return nil
		}
		switch err := s.demand(ctx, h, int64(more)); {
		case errors.Is(err, errRetired): // another has taken its place
		case !errors.Is(err, errElsewhere):
			return s.refused(err)
		case time.Since(begun) >= recallWait:
			return errNotReturned()
		default:
			if pause.For(ctx, recallBeat) != nil {
				return errGone(ctx.Err())
			}
		}
	}
}

// demand has an advance raised for a hold, and waits for the posting.
func (v *reservations) demand(ctx context.Context, h *Hold, more int64) error {
	d := v.advances.demand(h, more)
	op := &operation{org: h.caller.OrgID, do: d.do, undo: d.undo}
	v.lane(op.org).submit(op)
	// The advance may be raised although nobody has the characters. What is too many is
	// returned by the next posting.
	late := func(err error) {
		if err == nil {
			d.undo()
		}
		if err == nil || op.unknown() {
			v.tend(op.org, time.Now().Add(Lease))
		}
	}
	if err := v.await(ctx, op, time.Now(), late); err != nil {
		return err
	}
	// When detach has returned false, finish has set the outcome but may not have closed
	// done yet.
	<-op.done
	if op.err != nil {
		switch kind := fault.KindOf(op.err); {
		case kind == fault.Unavailable:
			late(op.err)
		case kind == fault.QuotaExceeded, errors.Is(op.err, errRetired), errors.Is(op.err, errElsewhere):
		case d.first:
			// The store may have refused the key under which the advance is. That must not
			// spoil the requests of other keys, so they get another advance.
			v.advances.retire(d.advance)
			if d.advance.key != h.caller.keptKey() {
				return errRetired
			}
		}
		return op.err
	}
	if !d.counted {
		h.advance = d.advance
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
	// A hold that is only counted has nothing that could be raised.
	if h.advance != nil {
		if err := h.reserve(ctx, characters); err != nil {
			return err
		}
	}
	h.reserved += characters
	return nil
}

// ExtendAhead is Extend for those who cannot wait; ok is false as of [Service.Ahead].
func (h *Hold) ExtendAhead(characters int) (ok bool) {
	if characters < 0 || h.settled.Load() {
		return false
	}
	// An advance of which nothing is in use may be returned, which Extend sees to.
	if h.advance != nil && (h.reserved == 0 || !h.ahead(characters)) {
		return false
	}
	h.reserved += characters
	return true
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
	if h.free {
		return nil
	}
	defer h.service.promised.Add(-1) // only after settle, which may need the room in the backlog
	return h.service.settle(h, r)
}

// end marks the hold as settled; false when it was settled before.
func (h *Hold) end() bool {
	if h.settled.Swap(true) {
		return false
	}
	if h.open {
		h.service.open.Add(-1)
	}
	return true
}

var errSettled = errors.New("hold is settled already")

// Cancel releases the characters and charges nothing. It does nothing after Commit, after
// Cancel and on a nil hold.
func (h *Hold) Cancel() {
	if h == nil || !h.end() || h.free {
		return
	}
	h.service.promised.Add(-1)
	if h.advance != nil && h.reserved > 0 {
		h.service.advances.giveBack(h.advance, int64(h.reserved))
		h.service.tend(h.caller.OrgID, time.Now().Add(Lease)) // so that other processes can have them
	}
}
