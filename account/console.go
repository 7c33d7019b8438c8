package account

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"

	"vaak/account/ledger"
	"vaak/internal/fault"
)

// ConsoleKey is the key id of everything that is spoken in the console for an
// organisation: in [Service.Console], in usage and in request records. No real key has
// this id.
const ConsoleKey = "console"

// consolePrefix begins the id of a row among the keys of an organisation that stands for
// its console, so that limits, holds and usage treat the console as one of its keys. The
// rest of the id is that of the organisation. Nobody can use the row as a key: it has no
// secret, no list shows it, and [isID] refuses its id, which never leaves this package.
const consolePrefix = keyPrefix + "console_"

func consoleKeyID(orgID string) string { return consolePrefix + strings.TrimPrefix(orgID, orgPrefix) }

// shownKey returns the key id that callers see for a stored one.
func shownKey(id string) string {
	if strings.HasPrefix(id, consolePrefix) {
		return ConsoleKey
	}
	return id
}

// keptKey returns the key id under which the store counts what c does.
func (c Caller) keptKey() string {
	if c.KeyID == ConsoleKey {
		return consoleKeyID(c.OrgID)
	}
	return c.KeyID
}

// consoleTries is how often [Service.Console] looks for its row. Two calls at the same
// time share one look-up, which may say NotFound after one of them has added the row. The
// next look-up finds it.
const consoleTries = 3

// Console returns the caller for speech in the console of an organisation: within the
// plan of the organisation, with a key of its own. It asks the store each time, so a
// change of the plan takes effect at once. It is NotFound when the organisation does not
// exist.
func (a *admission) Console(ctx context.Context, orgID string) (Caller, error) {
	if !isID(orgPrefix, orgID) {
		return Caller{}, noOrganisation(orgID)
	}
	hash := consoleHash(orgID)
	var c Credential
	var err error
	for range consoleTries {
		c, err = a.store.Credential(ctx, hash)
		if fault.KindOf(err) != fault.NotFound {
			break
		}
		if err := a.addConsole(ctx, orgID, hash); err != nil {
			return Caller{}, err
		}
	}
	if err != nil {
		return Caller{}, fmt.Errorf("look up the console of %s: %w", orgID, err)
	}
	caller := c.caller(a.now())
	caller.KeyID = ConsoleKey
	return caller, nil
}

// consoleHash is the hash of the row in place of that of a secret. No secret has it, since
// every secret begins with [SecretPrefix].
func consoleHash(orgID string) []byte {
	hash := sha256.Sum256([]byte("console:" + orgID))
	return hash[:]
}

// addConsole adds the row. It is no error when another call has added it.
func (a *admission) addConsole(ctx context.Context, orgID string, hash []byte) error {
	err := a.store.CreateKey(ctx, Key{
		ID: consoleKeyID(orgID), OrgID: orgID, Label: ConsoleKey, Hash: hash, LastFour: noSecret,
		MonthlyCap: ledger.Unlimited, Created: a.instant(),
	})
	switch fault.KindOf(err) {
	case "", fault.Conflict:
		return nil
	case fault.NotFound:
		return noOrganisation(orgID)
	}
	return fmt.Errorf("add the console to the keys of %s: %w", orgID, err)
}
