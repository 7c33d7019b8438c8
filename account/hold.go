package account

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"vaak/account/ledger"
	"vaak/internal/fault"
)

// Hold keeps the characters of one request aside until Commit or Cancel; one
// of them must be called. Its methods may be called by one goroutine at a time.
type Hold struct {
	service  *Service // nil of [Unmetered]
	caller   Caller
	id       string // under which it is charged, once
	kept     bool   // in the store; else it is only counted
	reserved int

	mu      sync.Mutex
	settled bool
}

// Reserve puts characters (code points, 0 or more) aside for one request of a
// caller. The error is of kind QuotaExceeded when the balance does not suffice.
// While the store is away it answers Unavailable in under a second, so that
// nothing is spoken that could not be charged. Holds of [Local] are neither
// stored nor counted; those of a plan without a bound are only counted.
func (s *Service) Reserve(ctx context.Context, c Caller, characters int) (*Hold, error) {
	if !c.known() {
		return nil, errUnknownCaller
	}
	if characters < 0 {
		return nil, fmt.Errorf("reserve %d characters", characters)
	}
	h := &Hold{service: s, caller: c, id: newID(holdPrefix), reserved: characters}
	if c.local() {
		return h, nil
	}
	begun := time.Now()
	if err := s.chargeable(ctx); err != nil {
		return nil, err
	}
	if !c.Metered {
		s.promised.Add(1)
		return h, nil
	}
	kept := false // set in a posting that may run again
	op := h.raise(characters, &kept)
	s.lane(c.OrgID).submit(op)
	if !op.within(patience - time.Since(begun)) {
		undo := func(err error) {
			if err == nil {
				s.release(h)
			}
		}
		if op.drop() || op.leave(undo) {
			return nil, errStoreDown(errPatience)
		}
		<-op.done
	}
	if op.err != nil {
		if op.unknown() {
			s.release(h)
		}
		return nil, s.refused(op.err)
	}
	if h.kept = kept; kept {
		s.holds.add(h.id)
	}
	s.promised.Add(1)
	return h, nil
}

// chargeable returns why what is spoken now could not be charged: the store is away, or
// there is no room on disk for a charge that it could not take.
func (s *Service) chargeable(ctx context.Context) error {
	if s.backlog != nil {
		if err := s.backlog.Ready(int(s.promised.Load()) + 1); err != nil {
			return errStoreDown(err)
		}
	}
	return s.outage.over(ctx)
}

// raise returns an operation that brings what is kept aside to so many characters.
func (h *Hold) raise(characters int, kept *bool) *operation {
	key := h.caller.keptKey()
	return &operation{org: h.caller.OrgID, hold: h.id, key: key, do: func(now time.Time, b *ledger.Book) (_ *Use, err error) {
		*kept, err = b.Raise(h.id, key, int64(characters), now.Add(Lease))
		return nil, err
	}}
}

// refused counts refusals.
func (s *Service) refused(err error) error {
	if fault.KindOf(err) == fault.QuotaExceeded {
		s.totals.quotaRefused.Add(1)
	}
	return err
}

// Extend puts more characters aside. When the balance does not suffice the hold
// stays as it was, and what was spoken can still be committed.
func (h *Hold) Extend(ctx context.Context, characters int) error {
	if characters < 0 {
		return fmt.Errorf("extend a hold by %d characters", characters)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.settled {
		return errSettled
	}
	if h.kept {
		s := h.service
		if err := s.chargeable(ctx); err != nil {
			return err
		}
		op := h.raise(h.reserved+characters, new(bool))
		s.lane(h.caller.OrgID).submit(op)
		if err := op.outcome(); err != nil {
			return s.refused(err)
		}
	}
	h.reserved += characters
	return nil
}

// Reserved returns how many characters the hold keeps.
func (h *Hold) Reserved() int { return h.reserved }

// Commit charges for one request what was handed over, in the UTC month of the
// call, and returns when that is safe from a crash; see [Receipt] for when the
// store is away. It works for a caller who has gone away too: the end of ctx
// does not stop it. It can succeed or fail once; a receipt of more characters
// than were reserved, or of less than nothing, is a defect, charges nothing and
// leaves the hold open.
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
	defer h.service.promised.Add(-1)
	return h.service.settle(h, r)
}

// end marks the hold as settled; false when it was already.
func (h *Hold) end() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	ended := h.settled
	h.settled = true
	return !ended
}

var errSettled = errors.New("hold is settled already")

// Cancel gives the characters back and charges nothing. After Commit, after
// Cancel and on a nil hold it does nothing.
func (h *Hold) Cancel() {
	if h == nil || !h.end() || h.caller.local() {
		return
	}
	h.service.promised.Add(-1)
	if !h.kept {
		return
	}
	h.service.holds.remove(h.id)
	h.service.release(h)
}

// release gives a hold back without waiting. If that fails, its lease runs out.
func (s *Service) release(h *Hold) {
	s.lane(h.caller.OrgID).submit(&operation{
		org: h.caller.OrgID, hold: h.id, key: h.caller.keptKey(), until: time.Now().Add(Lease),
		do: func(_ time.Time, b *ledger.Book) (*Use, error) {
			b.Release(h.id)
			return nil, nil
		},
	})
}
