package ledger

import (
	"fmt"
	"time"

	"vaak/internal/fault"
)

// Reserve keeps n characters aside for a request of a key, under an id that was
// never used. Kept is false when there is nothing to keep: on a plan without a
// bound, of a key without a cap. The error is of kind QuotaExceeded when the
// balance or the key's cap does not suffice.
func (b *Book) Reserve(id, keyID string, n int64, lease time.Time) (kept bool, err error) {
	if b.holds[id] != nil {
		return false, fmt.Errorf("hold %s exists already", id)
	}
	if b.Plan().unmetered() && b.keys[keyID] == nil {
		return false, nil
	}
	h := &Hold{ID: id, KeyID: keyID, State: Held, Lease: lease, Created: b.now}
	if err := b.keep(h, n, 0); err != nil {
		return false, err
	}
	b.holds[id] = h
	return true, nil
}

// Extend keeps n more characters aside in a hold. When the balance does not
// suffice the hold stays as it was. A hold that has lapsed meanwhile is taken
// up again with all it had, if that is still to be had.
func (b *Book) Extend(id string, n int64, lease time.Time) error {
	h := b.holds[id]
	switch {
	case h == nil:
		return unknownHold(id)
	case h.State == Lapsed:
		had := h.Amount
		h.Amount = 0
		if err := b.keep(h, n, had); err != nil {
			h.Amount = had
			return err
		}
		h.State, h.Lease = Held, lease
		return nil
	case h.State != Held:
		return fmt.Errorf("hold %s is %s", id, h.State)
	}
	if err := b.keep(h, n, 0); err != nil {
		return err
	}
	h.Lease = lease
	return nil
}

// keep moves n characters, and had that the hold lost when it lapsed, from lots
// to a hold: all of them or none. Had is of this package's own making; n may be
// anything.
func (b *Book) keep(h *Hold, n, had int64) error {
	if n < 0 || n > MaxAmount {
		return fmt.Errorf("keep %d characters, which are not 0 to %d", n, int64(MaxAmount))
	}
	n += had
	key := b.keys[h.KeyID]
	if key != nil && key.Spent+key.Held+n > key.Cap {
		return fault.New(fault.QuotaExceeded, fault.CodeInsufficientQuota, "",
			"this key may spend %d characters a month; %d are spent or held for requests that run, and this needs %d",
			key.Cap, key.Spent+key.Held, n)
	}
	if !b.Plan().unmetered() {
		if have := b.remaining(); have < n {
			return fault.New(fault.QuotaExceeded, fault.CodeInsufficientQuota, "",
				"this needs %d characters and %d remain; GET /v1/usage tells when more come", n, have)
		}
		h.Draws = b.draw(h.Draws, n)
	}
	if key != nil {
		key.Held += n
	}
	h.Amount += n
	b.touchedHolds[h] = true
	return nil
}

// draw moves up to n characters from remaining to held and adds them to draws.
func (b *Book) draw(draws []Draw, n int64) []Draw {
	for _, l := range b.lots {
		if n == 0 {
			break
		}
		if !l.live(b.now) || l.Remaining == 0 {
			continue
		}
		part := min(n, l.Remaining)
		l.Remaining -= part
		l.Held += part
		n -= part
		b.touchedLots[l] = true
		draws = addDraw(draws, l.ID, part)
	}
	return draws
}

func addDraw(draws []Draw, lot string, n int64) []Draw {
	for i := range draws {
		if draws[i].Lot == lot {
			draws[i].Amount += n
			return draws
		}
	}
	return append(draws, Draw{lot, n})
}

// Release gives back what a hold keeps; one that is not held any more, or was
// never made, has nothing to give.
func (b *Book) Release(id string) {
	if h := b.holds[id]; h != nil && h.State == Held {
		b.give(h, Released)
	}
}

// give ends a hold of which nothing was spoken.
func (b *Book) give(h *Hold, as State) {
	b.charge(h, 0)
	h.State = as
	h.Draws = nil
}

// Settlement says who paid for what was spoken.
type Settlement struct {
	Charged    int64 // from lots
	Unmetered  int64 // nobody: the plan has no bound
	WrittenOff int64 // nobody: the hold had lapsed and the balance is spent
	Again      bool  // it was settled before; nothing was done now
}

// Settle charges n of the characters of a hold and gives the rest back. After a
// lapse the characters are drawn again, and what cannot be drawn is written
// off. Settling again is no error, so that a settlement whose outcome is not
// known can be repeated.
func (b *Book) Settle(id string, n int64) (Settlement, error) {
	h := b.holds[id]
	switch {
	case h == nil:
		return Settlement{}, unknownHold(id)
	case h.State == Settled:
		return Settlement{Again: true}, nil
	case h.State == Released:
		return Settlement{}, fmt.Errorf("hold %s is released", id)
	case n < 0 || n > h.Amount:
		return Settlement{}, fmt.Errorf("settle %d characters of a hold of %d", n, h.Amount)
	}
	lapsed := h.State == Lapsed
	if lapsed && !b.Plan().unmetered() {
		h.Draws = b.draw(nil, min(n, b.remaining()))
	}
	s := Settlement{Charged: b.charge(h, n)}
	if rest := n - s.Charged; lapsed && !b.Plan().unmetered() {
		s.WrittenOff = rest
	} else {
		s.Unmetered = rest
	}
	b.book(Entry{Kind: Unmetered, HoldID: id, Amount: s.Unmetered})
	b.book(Entry{Kind: WrittenOff, HoldID: id, Amount: s.WrittenOff})
	if key := b.keys[h.KeyID]; key != nil {
		key.Spent += n
		if lapsed {
			key.Held += h.Amount // charge took it away a second time
		}
	}
	h.State, h.Charged, h.Draws = Settled, n, nil
	return s, nil
}

// charge spends up to n of what a hold keeps, from the lots that expire soonest,
// and gives the rest back. What goes back to a lot that has expired is lost with
// it.
func (b *Book) charge(h *Hold, n int64) (charged int64) {
	for _, l := range b.lots {
		for _, d := range h.Draws {
			if d.Lot != l.ID {
				continue
			}
			part := min(n-charged, d.Amount)
			charged += part
			l.Held -= d.Amount
			l.Charged += part
			b.book(Entry{Kind: Charged, LotID: l.ID, HoldID: h.ID, Amount: part})
			if rest := d.Amount - part; l.live(b.now) {
				l.Remaining += rest
			} else if rest > 0 {
				b.expire(l, rest)
			}
			b.touchedLots[l] = true
		}
	}
	if key := b.keys[h.KeyID]; key != nil {
		key.Held -= h.Amount
	}
	b.touchedHolds[h] = true
	return charged
}

// Count books n characters that were spoken without a hold, on a plan without a
// bound.
func (b *Book) Count(n int64) { b.counted += n }

func unknownHold(id string) error { return fmt.Errorf("there is no hold %s", id) }
