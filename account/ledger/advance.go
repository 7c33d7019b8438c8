package ledger

import (
	"fmt"
	"slices"
	"time"
)

// An advance is a hold that a process keeps for many requests: it takes characters of an
// organisation ahead, and gives them to requests from memory. In the books it is a hold
// like any other. Its amount is what requests of the process use, which must not be taken
// away, and what it has ahead, which may be returned at any time. A charge moves its
// characters out of the advance; see [Book.Spend].

// Advance raises an advance to n characters, and creates it when it does not exist. One
// that has lapsed gets n again. It never makes an advance smaller. Asked is the size of the
// request for which it is raised, for the sentence of a refusal. Kept is false on a plan
// without a bound for a key without a cap, for which no advance is made. The error is of
// kind QuotaExceeded when the balance or the cap of the key does not suffice; then the
// advance stays as it was. A second call with the same n only extends the lease.
func (b *Book) Advance(id, keyID string, n, asked int64, lease time.Time) (kept bool, err error) {
	h := b.holds[id]
	switch {
	case h == nil && b.Uncounted(keyID):
		return false, nil
	case h == nil:
		h = &Hold{ID: id, KeyID: keyID, State: Lapsed, Advance: true, Created: b.now}
	case !h.Advance || h.State != Held && h.State != Lapsed:
		return false, fmt.Errorf("advance %s is %s", id, h.State)
	}
	had := h.Amount
	if h.State == Lapsed {
		h.Amount, h.Ahead = 0, 0 // its draws went back to the lots
	}
	if more := max(0, n-h.Amount); more > 0 || h.State == Lapsed {
		if err := b.reserve(h, more, max(0, asked-more)); err != nil {
			h.Amount = had
			return true, err
		}
	}
	h.State, h.Lease = Held, lease
	b.holds[id] = h
	b.touchedHolds[h] = true
	return true, nil
}

// Uncounted reports whether nothing has to be kept aside for a key that the book was opened
// with: the plan has no bound, and the key no cap.
func (b *Book) Uncounted(keyID string) bool { return b.Plan().unmetered() && b.keys[keyID] == nil }

// Lead sets how many characters an advance has ahead of the n that requests use: one in
// share of what could be spent (1 or more), and no more than most. They are drawn anew, so that they are
// those that expire soonest. Without a bound of the plan there is nothing to take ahead. It
// does nothing for an advance that is not held.
func (b *Book) Lead(id string, n, most, share int64, lease time.Time) {
	h := b.holds[id]
	if h == nil || h.State != Held {
		return
	}
	b.shrink(h, n)
	room := b.remaining()
	key := b.keys[h.KeyID]
	if key != nil {
		room = min(room, key.Cap-key.Spent-key.Held)
	}
	ahead := int64(0)
	if !b.Plan().unmetered() {
		ahead = max(0, min(most, room/share))
	}
	h.Draws = b.draw(h.Draws, ahead)
	h.Amount += ahead
	if key != nil {
		key.Held += ahead
	}
	h.Ahead, h.Lease = ahead, lease
	b.touchedHolds[h] = true
}

// shrink returns characters of a hold to their lots until it has n. Those that expire last
// are returned first, and before them those that no lot has given.
func (b *Book) shrink(h *Hold, n int64) {
	back := h.Amount - n
	if back <= 0 {
		return
	}
	h.Amount = n
	if key := b.keys[h.KeyID]; key != nil {
		key.Held -= back
	}
	b.touchedHolds[h] = true
	back = max(0, h.drawn()-n)
	for _, l := range slices.Backward(b.lots) {
		part := h.undraw(l, back)
		if part == 0 {
			continue
		}
		back -= part
		l.Held -= part
		if l.spendable(b.now) {
			l.Remaining += part
		} else {
			b.expire(l, part)
		}
		b.touchedLots[l] = true
	}
}

// drawn sums the draws of a hold.
func (h *Hold) drawn() (n int64) {
	for _, d := range h.Draws {
		n += d.Amount
	}
	return n
}

// undraw takes up to n characters of a lot out of the draws of a hold, and returns how many.
func (h *Hold) undraw(l *Lot, n int64) int64 {
	for i, d := range h.Draws {
		if d.Lot != l.ID {
			continue
		}
		part := min(n, d.Amount)
		if h.Draws[i].Amount -= part; h.Draws[i].Amount == 0 {
			h.Draws = slices.Delete(h.Draws, i, i+1)
		}
		return part
	}
	return 0
}

// Spend is [Book.Charge] for characters that an advance keeps: they move from the advance to
// a hold with the id of the charge, those that expire soonest first. As far as the advance
// does not have them, because it has lapsed, Charge draws them again.
func (b *Book) Spend(advance, id, keyID string, n int64, at time.Time) (Settlement, error) {
	from := b.holds[advance]
	if b.holds[id] == nil && n >= 0 && n <= MaxAmount && from != nil && from.State == Held {
		h := &Hold{ID: id, KeyID: keyID, State: Held, Lease: b.now, Created: b.now}
		b.holds[id] = h
		b.move(from, h, min(n, from.Amount))
	}
	return b.Charge(id, keyID, n, at)
}

// move moves n characters from one hold to another.
func (b *Book) move(from, to *Hold, n int64) {
	for _, l := range b.lots { // those that expire soonest come first
		if part := from.undraw(l, n-to.drawn()); part > 0 {
			to.Draws = addDraw(to.Draws, l.ID, part)
		}
	}
	from.Amount -= n
	from.Ahead = min(from.Ahead, from.Amount)
	to.Amount += n
	if key := b.keys[from.KeyID]; key != nil {
		key.Held -= n
	}
	if key := b.keys[to.KeyID]; key != nil {
		key.Held += n
	}
	b.touchedHolds[from], b.touchedHolds[to] = true, true
}

// Amount returns the characters of a hold that the book was opened with, and until when all
// of them can be given to requests: when the first of them expires, or zero for ever. It is
// 0 for a hold that is not held.
func (b *Book) Amount(id string) (n int64, until time.Time) {
	h := b.holds[id]
	if h == nil || h.State != Held {
		return 0, time.Time{}
	}
	for _, l := range b.lots { // those that expire soonest come first
		if slices.ContainsFunc(h.Draws, func(d Draw) bool { return d.Lot == l.ID }) {
			until = l.Expires
			break
		}
	}
	return h.Amount, until
}

// Stale reports whether no request may get characters of an advance any more, because some
// have expired, or because the plan had a bound when they were taken and has none now, or
// the other way round. Requests that have got some keep them.
func (b *Book) Stale(id string) bool {
	n, until := b.Amount(id)
	if !until.IsZero() && !b.now.Before(until) {
		return true
	}
	if n == 0 {
		return false
	}
	if drawn := b.holds[id].drawn(); !b.Plan().unmetered() {
		return drawn < n
	} else {
		return drawn > 0
	}
}

// Elsewhere returns how many characters advances have ahead that are not among own, the ids
// of a process: of one key, or of all with "".
func (b *Book) Elsewhere(own map[string]int64, keyID string) (n int64) {
	for id, h := range b.holds {
		if _, mine := own[id]; !mine && h.Advance && h.State == Held && (keyID == "" || keyID == h.KeyID) {
			n += h.Ahead
		}
	}
	return n
}

// Recallable reports whether an advance could be raised to n if other processes returned what
// they have ahead; own has the ids of this one.
func (b *Book) Recallable(id, keyID string, n int64, own map[string]int64) bool {
	has, _ := b.Amount(id)
	key := b.keys[keyID]
	return b.Elsewhere(own, "") > 0 &&
		(b.Plan().unmetered() || b.remaining()+b.Elsewhere(own, "") >= n-has) &&
		(key == nil || key.Cap-key.Spent-key.Held+b.Elsewhere(own, keyID) >= n-has)
}

// Recall returns to the lots what all advances have ahead, so that the balance of the book
// counts it. InUse has what requests use of the advances of this process, by id; of others
// the book knows it from their last posting.
func (b *Book) Recall(inUse map[string]int64) {
	for _, id := range sortedKeys(b.holds) {
		h := b.holds[id]
		if !h.Advance || h.State != Held {
			continue
		}
		n, mine := inUse[id]
		if !mine {
			n = h.Amount - h.Ahead
		}
		b.shrink(h, n)
		h.Ahead = 0
	}
}
