package account

import (
	"context"

	"vaak/account/ledger"
)

// Unmetered serves [Local] callers without a store: commands that speak on the
// machine's own account use it in place of a [Service].
type Unmetered struct{}

// Admit returns a slot that bounds nothing. Callers other than [Local] are a
// defect.
func (Unmetered) Admit(_ context.Context, c Caller) (*Slot, error) {
	if !c.local() {
		return nil, errUnknownCaller
	}
	return &Slot{Allowance: Allowance{Streams: ledger.Unlimited}}, nil
}

// Session returns ctx: there is no key that could be revoked.
func (Unmetered) Session(ctx context.Context, _ Caller) (_ context.Context, stop func()) {
	return ctx, func() {}
}

// Record keeps nothing.
func (Unmetered) Record(RequestRecord) {}

// Reserve returns a hold that counts nothing. Callers other than [Local] are a
// defect.
func (Unmetered) Reserve(_ context.Context, c Caller, characters int) (*Hold, error) {
	if !c.local() {
		return nil, errUnknownCaller
	}
	return &Hold{caller: c, reserved: characters, free: true}, nil
}

// Ahead leaves it to Reserve, which does not wait either.
func (Unmetered) Ahead(context.Context, Caller, int) (h *Hold, ok bool) { return nil, false }
