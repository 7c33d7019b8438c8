package account

import "context"

// Unmetered reserves for [Local] callers without a store: commands that speak
// on the machine's own account use it in place of a [Service].
type Unmetered struct{}

// Reserve returns a hold that counts nothing. Callers other than [Local] are a
// defect.
func (Unmetered) Reserve(_ context.Context, c Caller, characters int) (*Hold, error) {
	if !c.local() {
		return nil, errUnknownCaller
	}
	return &Hold{caller: c, reserved: characters}, nil
}
