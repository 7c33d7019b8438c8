package ledger

import (
	"fmt"
	"time"

	"vaak/internal/fault"
)

// reserve moves n characters from lots to a hold: all of them or none. n comes from a caller and may
// have any value. Spare is how many more the caller needs and has already; only the sentence of a
// refusal counts them.
func (b *Book) reserve(h *Hold, n, spare int64) error {
	// Before any sum, so that none of those below can overflow.
	if n < 0 || n > MaxAmount {
		return fmt.Errorf("keep %d characters, which are not 0 to %d", n, int64(MaxAmount))
	}
	// Both checks come before the first change, so after an error the book is as it was.
	key := b.keys[h.KeyID]
	if key != nil && key.Spent+key.Held+n > key.Cap {
		return fault.New(fault.QuotaExceeded, fault.CodeInsufficientQuota, "",
			"this key may spend %d characters a month; %d are spent or held for requests that run, and this needs %d",
			key.Cap, key.Spent+key.Held-spare, n+spare)
	}
	if !b.Plan().unmetered() {
		if have := b.remaining(); have < n {
			return fault.New(fault.QuotaExceeded, fault.CodeInsufficientQuota, "",
				"this needs %d characters and %d remain; GET /v1/usage tells when more come", n+spare, have+spare)
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
	for _, l := range b.lots { // those that expire soonest come first
		if n == 0 {
			break
		}
		if !l.spendable(b.now) || l.Remaining == 0 {
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

// State returns the state of a hold that the book was opened with; "" when it does not
// exist.
func (b *Book) State(id string) State {
	if h := b.holds[id]; h != nil {
		return h.State
	}
	return ""
}

// Release returns the characters of a hold to their lots. It does nothing for a hold that has
// ended or does not exist.
func (b *Book) Release(id string) {
	if h := b.holds[id]; h != nil && h.State == Held {
		b.release(h, Released)
	}
}

// release ends a hold without a charge.
func (b *Book) release(h *Hold, as State) {
	b.charge(h, 0) // returns every draw
	h.State = as
	h.Draws = nil
}

// Settlement says how much of what was spoken the lots paid for.
type Settlement struct {
	Charged    int64 // from lots
	Unmetered  int64 // nobody: the plan has no bound
	WrittenOff int64 // nobody: the hold had lapsed and the balance is spent
	Again      bool  // it was settled before; nothing was done now
}

// Charge charges n characters that were spoken, in whatever state their hold is. As far as
// the balance suffices, it draws those of a lapsed hold again, extends a hold that is too
// small, and creates one that does not exist. It writes off what cannot be drawn. The
// charge counts on the day of at. A second call changes nothing.
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
	// A hold that is held draws only what it lacks. A lapsed one, like the new one above, has
	// no draws, and settle draws all of n.
	if h.State == Held && more > 0 {
		if !b.Plan().unmetered() {
			short = more - min(more, b.remaining())
			h.Draws = b.draw(h.Draws, more-short)
		}
		if key := b.keys[h.KeyID]; key != nil {
			key.Held += more // charge subtracts the whole Amount
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
	// What no lot paid for was either short of balance, which is the operator's loss, or
	// reserved while the plan had no bound. n = Charged + WrittenOff + Unmetered.
	unpaid := n - s.Charged
	if again {
		short = unpaid
	}
	s.WrittenOff = min(short, unpaid)
	s.Unmetered = unpaid - s.WrittenOff
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

// charge spends up to n characters of a hold, from the lots that expire soonest, and returns
// the others. Characters that return to an expired lot expire with it.
func (b *Book) charge(h *Hold, n int64) (charged int64) {
	// In the order of the lots: the draws are in the order in which they were made, and an
	// extension may have drawn from a lot that expires sooner.
	for _, l := range b.lots {
		for _, d := range h.Draws {
			if d.Lot != l.ID {
				continue
			}
			// The whole draw leaves held: part of it is charged, and the remainder returns
			// or expires. So the four places of the lot keep their sum.
			part := min(n-charged, d.Amount)
			charged += part
			l.Held -= d.Amount
			l.Charged += part
			b.book(Entry{Kind: Charged, LotID: l.ID, HoldID: h.ID, Amount: part})
			if remainder := d.Amount - part; l.spendable(b.now) {
				l.Remaining += remainder
			} else if remainder > 0 {
				b.expire(l, remainder)
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

// Count books n characters that were spoken without a hold, on a plan without a bound. A
// second call with the same id changes nothing. They count on the day of at.
func (b *Book) Count(id, keyID string, n int64, at time.Time) (Settlement, error) {
	switch h := b.holds[id]; {
	case h != nil && h.State == Settled:
		return Settlement{Again: true}, nil
	case h != nil:
		return Settlement{}, fmt.Errorf("count characters of hold %s, which is %s", id, h.State)
	case n < 0 || n > MaxAmount:
		return Settlement{}, fmt.Errorf("count %d characters, which are not 0 to %d", n, int64(MaxAmount))
	}
	// The settled hold is what a second call with this id finds.
	h := &Hold{ID: id, KeyID: keyID, State: Settled, Amount: n, Charged: n, Lease: b.now, Created: b.now, Day: dayOf(at)}
	b.holds[id] = h
	b.touchedHolds[h] = true
	b.counted += n
	return Settlement{Unmetered: n}, nil
}

func dayOf(t time.Time) string { return t.UTC().Format(time.DateOnly) }
