package account

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"

	"vaak/account/ledger"
	"vaak/internal/fault"
)

// ConsoleKey is the key id of all that is spoken in the console for an organisation:
// of [Service.Console], in usage, and in request records. No key that somebody may
// have is called so.
const ConsoleKey = "console"

// consolePrefix opens the id of the row that stands for the console among the keys of
// an organisation, so that what holds of a key holds of the console. The rest of the
// id is that of the organisation. The row is no key: it has no secret, is in no list,
// and [isID] refuses its id, which never leaves this package.
const consolePrefix = keyPrefix + "console_"

func consoleKeyID(orgID string) string { return consolePrefix + strings.TrimPrefix(orgID, orgPrefix) }

// shownKey is what callers are told of the id of a key that is kept.
func shownKey(id string) string {
	if strings.HasPrefix(id, consolePrefix) {
		return ConsoleKey
	}
	return id
}

// keptKey is the id under which what c does is kept and counted.
func (c Caller) keptKey() string {
	if c.KeyID == ConsoleKey {
		return consoleKeyID(c.OrgID)
	}
	return c.KeyID
}

// consoleTries is how often [Service.Console] looks for its row. Two that look at the
// same time may share an answer which one of them has made untrue; not twice.
const consoleTries = 3

// Console returns the caller that the console speaks for in the name of an
// organisation: within its plan, as a key of its own. The store is asked each time,
// so that a change of the plan counts at once. It is NotFound when there is no such
// organisation.
func (s *Service) Console(ctx context.Context, orgID string) (Caller, error) {
	if !isID(orgPrefix, orgID) {
		return Caller{}, noOrganisation(orgID)
	}
	hash := consoleHash(orgID)
	var c Credential
	var err error
	for range consoleTries {
		c, err = s.store.Credential(ctx, hash)
		if fault.KindOf(err) != fault.NotFound {
			break
		}
		if err := s.addConsole(ctx, orgID, hash); err != nil {
			return Caller{}, err
		}
	}
	if err != nil {
		return Caller{}, fmt.Errorf("look up the console of %s: %w", orgID, err)
	}
	caller := c.caller(s.now())
	caller.KeyID = ConsoleKey
	return caller, nil
}

// consoleHash stands for the hash of a secret. No secret has it, since they all begin
// otherwise.
func consoleHash(orgID string) []byte {
	hash := sha256.Sum256([]byte("console:" + orgID))
	return hash[:]
}

// addConsole adds the row, if nobody else does so at the same time.
func (s *Service) addConsole(ctx context.Context, orgID string, hash []byte) error {
	err := s.store.CreateKey(ctx, Key{
		ID: consoleKeyID(orgID), OrgID: orgID, Label: ConsoleKey, Hash: hash, LastFour: "----",
		MonthlyCap: ledger.Unlimited, Created: s.instant(),
	})
	switch fault.KindOf(err) {
	case "", fault.Conflict:
		return nil
	case fault.NotFound:
		return noOrganisation(orgID)
	}
	return fmt.Errorf("add the console to the keys of %s: %w", orgID, err)
}
