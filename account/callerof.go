package account

import (
	"context"
	"fmt"

	"vaak/internal/fault"
)

// CallerOf returns the caller of a key of an organisation, for what was made with the key
// and is used later without it. The key is read each time, so CallerOf refuses what a
// revoked or expired key has made: the error is Unauthenticated, and Unavailable while the
// store is down.
func (a *admission) CallerOf(ctx context.Context, orgID, keyID string) (Caller, error) {
	if keyID == ConsoleKey {
		return a.Console(ctx, orgID)
	}
	if !isID(keyPrefix, keyID) {
		return Caller{}, invalidKey()
	}
	// From the row, and not from the credential, which a process may keep for some seconds.
	k, err := a.store.Key(ctx, keyID)
	if fault.KindOf(err) == fault.NotFound || err == nil && (k.OrgID != orgID || !k.Valid(a.now())) {
		return Caller{}, invalidKey()
	}
	if err != nil {
		return Caller{}, fmt.Errorf("read key %s: %w", keyID, err)
	}
	c, err := a.store.Credential(ctx, k.Hash)
	if fault.KindOf(err) == fault.NotFound {
		return Caller{}, invalidKey()
	}
	if err != nil {
		return Caller{}, fmt.Errorf("look up key %s: %w", keyID, err)
	}
	return c.caller(a.now()), nil
}
