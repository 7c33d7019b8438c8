package account

import (
	"context"
	"crypto/subtle"
	"fmt"

	"vaak/internal/fault"
)

// CreateKey adds a key to an organisation and returns its secret, which can
// never be read again. The label has 1 to [MaxName] code points without
// control characters and need not be unique.
func (s *Service) CreateKey(ctx context.Context, orgID, label string) (secret string, k Key, err error) {
	if err := checkName("label", label); err != nil {
		return "", Key{}, err
	}
	if _, err := s.Organisation(ctx, orgID); err != nil {
		return "", Key{}, err
	}
	secret = newSecret()
	hash := hashSecret(secret)
	k = Key{
		ID:       newID(keyPrefix),
		OrgID:    orgID,
		Label:    label,
		Hash:     hash[:],
		LastFour: secret[secretLength-shownLength:],
		Created:  s.instant(),
	}
	if err := s.store.CreateKey(ctx, k); err != nil {
		return "", Key{}, fmt.Errorf("create key of %s: %w", orgID, err)
	}
	k.Display = display(k.LastFour)
	s.log.InfoContext(ctx, "key created", "organisation", orgID, "key", k.ID)
	return secret, k, nil
}

// Keys returns the keys of an organisation, revoked ones too, oldest first.
func (s *Service) Keys(ctx context.Context, orgID string) ([]Key, error) {
	if _, err := s.Organisation(ctx, orgID); err != nil {
		return nil, err
	}
	keys, err := s.store.Keys(ctx, orgID)
	if err != nil {
		return nil, fmt.Errorf("read keys of %s: %w", orgID, err)
	}
	for i := range keys {
		keys[i].Display = display(keys[i].LastFour)
	}
	return keys, nil
}

// RevokeKey makes a key invalid for every later request, in every process on
// the same store. Revoking it again changes nothing and is no error.
func (s *Service) RevokeKey(ctx context.Context, keyID string) error {
	if !isID(keyPrefix, keyID) {
		return noKey(keyID)
	}
	err := s.store.RevokeKey(ctx, keyID, s.instant())
	if fault.KindOf(err) == fault.NotFound {
		return noKey(keyID)
	}
	if err != nil {
		return fmt.Errorf("revoke key %s: %w", keyID, err)
	}
	s.log.InfoContext(ctx, "key revoked", "key", keyID)
	return nil
}

// Authenticate returns whom a secret stands for. The key is read from the
// store each time (some 10 µs on SQLite), so a revocation counts at once.
// Without a secret, or with one that is malformed, unknown or revoked, the
// error is Unauthenticated; while the store is down it is Unavailable, never a
// claim about the key.
func (s *Service) Authenticate(ctx context.Context, secret string) (Caller, error) {
	if secret == "" {
		return Caller{}, fault.New(fault.Unauthenticated, fault.CodeMissingKey, "",
			"an API key is needed and none was sent")
	}
	if !wellFormed(secret) {
		return Caller{}, invalidKey()
	}
	hash := hashSecret(secret)
	c, err := s.store.Credential(ctx, hash[:])
	if fault.KindOf(err) == fault.NotFound {
		return Caller{}, invalidKey()
	}
	if err != nil {
		return Caller{}, fmt.Errorf("look up key: %w", err)
	}
	if subtle.ConstantTimeCompare(c.Hash, hash[:]) != 1 || c.Revoked {
		return Caller{}, invalidKey()
	}
	return c.Caller, nil
}

// invalidKey does not tell a caller which of the reasons it is.
func invalidKey() error {
	return fault.New(fault.Unauthenticated, fault.CodeInvalidKey, "",
		"the API key is not valid: it does not exist or was revoked")
}

func noKey(sent string) error {
	return fault.New(fault.NotFound, fault.CodeNotFound, "key", "there is no key %s", quote(sent))
}
