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

// Raise brings what a hold keeps aside to n characters, and makes the hold when it
// is not there; kept and err are as of [Book.Reserve]. Repeating it moves only the
// lease, so a posting whose outcome is not known can be repeated.
func (b *Book) Raise(id, keyID string, n int64, lease time.Time) (kept bool, err error) {
	h := b.holds[id]
	switch {
	case h == nil:
		return b.Reserve(id, keyID, n, lease)
	case h.State == Held && n <= h.Amount:
		h.Lease = lease
		b.touchedHolds[h] = true
		return true, nil
	}
	return true, b.Extend(id, max(0, n-h.Amount), lease)
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

// State returns what has become of a hold that the book was opened with; "" of one that
// is not there.
func (b *Book) State(id string) State {
	if h := b.holds[id]; h != nil {
		return h.State
	}
	return ""
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
	return b.settle(h, n, 0, b.now), nil
}

// Charge charges n characters that were spoken, whatever has become of their hold: one
// that lapsed is drawn again, one that keeps too little is extended, and one that was
// never kept is made, as far as the balance goes. What cannot be drawn is written off.
// They count on the day of at. Charging again is no error, as settling again is none.
func (b *Book) Charge(id, keyID string, n int64, at time.Time) (Settlement, error) {
	h := b.holds[id]
	switch {
	case h != nil && h.State == Settled:
		return Settlement{Again: true}, nil
	case h != nil && h.State == Released:
		return Settlement{}, fmt.Errorf("hold %s is released", id)
	case n < 0 || n > MaxAmount:
		return Settlement{}, fmt.Errorf("charge %d characters, which are not 0 to %d", n, int64(MaxAmount))
	case h == nil:
		h = &Hold{ID: id, KeyID: keyID, State: Lapsed, Lease: b.now, Created: b.now}
		b.holds[id] = h
	}
	more, short := max(0, n-h.Amount), int64(0)
	if h.State == Held && more > 0 {
		if !b.Plan().unmetered() {
			short = more - min(more, b.remaining())
			h.Draws = b.draw(h.Draws, more-short)
		}
		if key := b.keys[h.KeyID]; key != nil {
			key.Held += more
		}
	}
	h.Amount += more
	return b.settle(h, n, short, at), nil
}

// settle settles a hold that is held or has lapsed. Short is how many characters of n
// it should have drawn and could not.
func (b *Book) settle(h *Hold, n, short int64, at time.Time) Settlement {
	again := h.State == Lapsed && !b.Plan().unmetered()
	if again {
		h.Draws = b.draw(nil, min(n, b.remaining()))
	}
	s := Settlement{Charged: b.charge(h, n)}
	rest := n - s.Charged
	if again {
		short = rest
	}
	s.WrittenOff = min(short, rest)
	s.Unmetered = rest - s.WrittenOff
	b.book(Entry{Kind: Unmetered, HoldID: h.ID, Amount: s.Unmetered})
	b.book(Entry{Kind: WrittenOff, HoldID: h.ID, Amount: s.WrittenOff})
	if key := b.keys[h.KeyID]; key != nil {
		key.Spent += n
		if h.State == Lapsed {
			key.Held += h.Amount // charge took it away a second time
		}
	}
	h.State, h.Charged, h.Draws, h.Day = Settled, n, nil, dayOf(at)
	return s
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
// bound, under an id that tells whether it was done before. They count on the day of
// at.
func (b *Book) Count(id, keyID string, n int64, at time.Time) (Settlement, error) {
	switch h := b.holds[id]; {
	case h != nil && h.State == Settled:
		return Settlement{Again: true}, nil
	case h != nil:
		return Settlement{}, fmt.Errorf("count characters of hold %s, which is %s", id, h.State)
	case n < 0 || n > MaxAmount:
		return Settlement{}, fmt.Errorf("count %d characters, which are not 0 to %d", n, int64(MaxAmount))
	}
	h := &Hold{ID: id, KeyID: keyID, State: Settled, Amount: n, Charged: n, Lease: b.now, Created: b.now, Day: dayOf(at)}
	b.holds[id] = h
	b.touchedHolds[h] = true
	b.counted += n
	return Settlement{Unmetered: n}, nil
}

func dayOf(t time.Time) string { return t.UTC().Format(time.DateOnly) }

func unknownHold(id string) error { return fmt.Errorf("there is no hold %s", id) }
