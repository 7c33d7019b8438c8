package speech

import (
	"context"

	"vaak/account"
)

// funds are the characters held on the caller's balance for what is spoken. A hold for which
// the store is asked is requested in the background while the first audio is made, because
// both take about as long; nothing is sent before the hold is there. A session extends its
// hold as it speaks.
//
// ask and wait are called by one goroutine. The goroutine that ask starts owns the fields
// below done until it closes done.
type funds struct {
	ledger Ledger
	caller account.Caller

	done     chan struct{} // closed when the latest request is answered; nil before the first
	hold     *account.Hold // nil until the first request was granted
	reserved int
	err      error
}

// ask requests a hold for more characters, in the background where that may take time. It
// waits for the request before it, and does nothing if that was refused.
func (f *funds) ask(ctx context.Context, characters int) {
	if f.wait() != nil {
		return
	}
	// To start a goroutine takes longer.
	if f.ahead(ctx, characters) {
		f.reserved += characters
		return
	}
	// wait has returned, so the goroutine before this one no longer touches the fields.
	done := make(chan struct{})
	f.done = done
	go func() {
		defer close(done)
		if f.hold == nil {
			f.hold, f.err = f.ledger.Reserve(ctx, f.caller, characters)
		} else {
			f.err = f.hold.Extend(ctx, characters)
		}
		if f.err == nil {
			f.reserved += characters
		}
	}()
}

// ahead raises the hold if that takes no time.
func (f *funds) ahead(ctx context.Context, characters int) (ok bool) {
	if f.hold != nil {
		return f.hold.ExtendAhead(characters)
	}
	f.hold, ok = f.ledger.Ahead(ctx, f.caller, characters)
	return ok
}

// wait returns nil once the hold covers everything requested so far, or the error with
// which it is refused. A hold granted earlier remains.
func (f *funds) wait() error {
	if f.done == nil {
		return nil
	}
	<-f.done
	return f.err
}

// cancel waits for an outstanding request and returns the characters that were not
// committed.
func (f *funds) cancel() {
	_ = f.wait() // whoever sent audio has seen this error
	if f.hold != nil {
		f.hold.Cancel()
	}
}
