package account

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"
)

// Hold keeps the characters of one request aside until Commit or Cancel; one
// of them must be called.
type Hold struct {
	service  *Service
	caller   Caller
	reserved int
	settled  atomic.Bool
}

// Reserve puts characters (code points, 0 or more) aside for one request of a
// caller. While usage cannot be written it answers Unavailable, so that
// nothing is spoken that could not be counted. Holds of [Local] are neither
// stored nor counted.
func (s *Service) Reserve(ctx context.Context, c Caller, characters int) (*Hold, error) {
	if !c.known() {
		return nil, errUnknownCaller
	}
	if characters < 0 {
		return nil, fmt.Errorf("reserve %d characters", characters)
	}
	if !c.local() {
		if err := s.ledger.ready(ctx); err != nil {
			return nil, err
		}
	}
	return &Hold{service: s, caller: c, reserved: characters}, nil
}

// Commit counts one request with what was handed over, in the UTC month of the
// call, and returns when that is safe from a crash. It works for a caller who
// has gone away too: the end of ctx does not stop it. It can succeed or fail
// once; a receipt of more characters than were reserved, or of less than
// nothing, is a defect, counts nothing and leaves the hold open.
func (h *Hold) Commit(_ context.Context, r Receipt) error {
	if r.Characters < 0 || r.Characters > h.reserved || r.Audio < 0 {
		return fmt.Errorf("receipt of %d characters and %v on a hold of %d", r.Characters, r.Audio, h.reserved)
	}
	if h.settled.Swap(true) {
		return errors.New("hold is settled already")
	}
	if h.caller.local() {
		return nil
	}
	return h.service.ledger.add(KeyUsage{
		KeyID:      h.caller.KeyID,
		Period:     PeriodOf(h.service.now()),
		Requests:   1,
		Characters: int64(r.Characters),
		Audio:      r.Audio.Round(time.Millisecond),
	})
}

// Cancel gives the characters back and counts nothing. After Commit, after
// Cancel and on a nil hold it does nothing.
func (h *Hold) Cancel() {
	if h != nil {
		h.settled.Store(true)
	}
}
