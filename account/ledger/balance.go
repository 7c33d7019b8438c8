package ledger

import "time"

// Balance is what an organisation can spend.
type Balance struct {
	Remaining int64 // characters; Unlimited
	Granted   int64 // by the lots that have not expired, spent or not; Unlimited
	Next      *Expiry
	Lots      []Lot // with something remaining, as they are spent
}

// Expiry is the loss of characters at a time.
type Expiry struct {
	At     time.Time
	Amount int64
}

// remaining counts what can be drawn: the number that admission checks and that
// [Book.Balance] tells.
func (b *Book) remaining() (n int64) {
	for _, l := range b.lots {
		if l.spendable(b.now) {
			n += l.Remaining
		}
	}
	return n
}

// Balance returns what can be spent. Granted needs a book with its spent lots.
func (b *Book) Balance() Balance {
	if b.Plan().unmetered() {
		return Balance{Remaining: Unlimited, Granted: Unlimited}
	}
	bal := Balance{Remaining: b.remaining()}
	for _, l := range b.lots {
		if !l.spendable(b.now) {
			continue
		}
		bal.Granted += l.Granted
		if l.Remaining == 0 {
			continue
		}
		bal.Lots = append(bal.Lots, *l)
		// The lots come in the order of their expiry, so the first that expires is next. Lots
		// that expire at the same instant are lost together.
		switch {
		case l.Expires.IsZero():
		case bal.Next == nil:
			bal.Next = &Expiry{l.Expires, l.Remaining}
		case l.Expires.Equal(bal.Next.At):
			bal.Next.Amount += l.Remaining
		}
	}
	return bal
}

// Standing returns what was ever charged to the lots of the book, and what remains or is held in
// them. Spent lots count only in the posting that has spent them, unless the book was loaded with them.
func (b *Book) Standing() (charged, left int64) {
	for _, l := range b.lots {
		charged += l.Charged
		left += l.Remaining + l.Held
	}
	return charged, left
}
