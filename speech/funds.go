package speech

import (
	"context"

	"vaak/account"
)

// funds are the characters that are held for what is spoken. They are asked for
// while the first audio of it is made: both take about as long, and nothing is
// sent before they are there. Those of a session grow as it speaks.
type funds struct {
	ledger Ledger
	caller account.Caller

	done     chan struct{} // closed when the rest is there; nil before anything was asked
	hold     *account.Hold // nil while there is none
	reserved int
	err      error
}

// ask asks for more characters, beside.
func (f *funds) ask(ctx context.Context, characters int) {
	if f.wait() != nil {
		return
	}
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

// wait returns when what was asked for is there, or why it is refused, which may show
// later than at first. What was there before stays.
func (f *funds) wait() error {
	if f.done == nil {
		return nil
	}
	<-f.done
	if f.err != nil || f.hold == nil {
		return f.err
	}
	return f.hold.Refused()
}

// cancel gives back what was not committed. It waits for the hold.
func (f *funds) cancel() {
	_ = f.wait() // its caller knows
	if f.hold != nil {
		f.hold.Cancel()
	}
}
