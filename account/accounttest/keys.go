package accounttest

import (
	"bytes"
	"context"
	"slices"
	"time"

	"vaak/account"
	"vaak/account/ledger"
)

// keys is the part of a [Store] that keeps keys.
type keys struct{ db *database }

var _ account.KeyStore = (*keys)(nil)

// CreateKey implements [account.KeyStore].
func (s *keys) CreateKey(ctx context.Context, k account.Key) error {
	if err := s.db.faults.meet(ctx, Opens); err != nil {
		return err
	}
	s.db.mu.Lock()
	defer s.db.mu.Unlock()
	if s.db.orgs[k.OrgID] == nil {
		return notFound()
	}
	if s.db.keys[k.ID] != nil || s.byHash(k.Hash) != nil {
		return conflict()
	}
	k.Display = ""
	s.db.keys[k.ID] = &k
	s.db.keyOrder = append(s.db.keyOrder, k.ID)
	return nil
}

// byHash returns the key with a hash, or nil. The caller holds the lock.
func (s *keys) byHash(hash []byte) *account.Key {
	for _, k := range s.db.keys {
		if bytes.Equal(k.Hash, hash) {
			return k
		}
	}
	return nil
}

// Key implements [account.KeyStore].
func (s *keys) Key(ctx context.Context, id string) (account.Key, error) {
	if err := s.db.faults.meet(ctx, Reads); err != nil {
		return account.Key{}, err
	}
	s.db.mu.Lock()
	defer s.db.mu.Unlock()
	if k := s.db.keys[id]; k != nil {
		return *k, nil
	}
	return account.Key{}, notFound()
}

// Keys implements [account.KeyStore].
func (s *keys) Keys(ctx context.Context, orgID string) ([]account.Key, error) {
	if err := s.db.faults.meet(ctx, Reads); err != nil {
		return nil, err
	}
	s.db.mu.Lock()
	defer s.db.mu.Unlock()
	var keys []account.Key
	for _, id := range s.db.keyOrder {
		if k := s.db.keys[id]; k.OrgID == orgID {
			keys = append(keys, *k)
		}
	}
	return keys, nil
}

// ValidKeys implements [account.KeyStore].
func (s *keys) ValidKeys(ctx context.Context, orgIDs []string, at time.Time, except []string) (map[string]int, error) {
	if err := s.db.faults.meet(ctx, Reads); err != nil {
		return nil, err
	}
	s.db.mu.Lock()
	defer s.db.mu.Unlock()
	n := map[string]int{}
	for _, k := range s.db.keys {
		if k.Valid(at) && slices.Contains(orgIDs, k.OrgID) && !slices.Contains(except, k.ID) {
			n[k.OrgID]++
		}
	}
	return n, nil
}

// RevokeKey implements [account.KeyStore].
func (s *keys) RevokeKey(ctx context.Context, id string, at time.Time) error {
	if err := s.RevokeQuietly(ctx, id, at); err != nil {
		return err
	}
	s.db.changes.Announce(account.Change{Topic: account.TopicKey, ID: id})
	return nil
}

// RevokeQuietly is RevokeKey by another process whose report of the change is lost.
func (s *keys) RevokeQuietly(ctx context.Context, id string, at time.Time) error {
	if err := s.db.faults.meet(ctx, Opens); err != nil {
		return err
	}
	s.db.mu.Lock()
	defer s.db.mu.Unlock()
	k := s.db.keys[id]
	if k == nil {
		return notFound()
	}
	if k.Revoked.IsZero() {
		k.Revoked = at
	}
	return nil
}

// Credential implements [account.KeyStore].
func (s *keys) Credential(ctx context.Context, hash []byte) (account.Credential, error) {
	if err := s.db.faults.meet(ctx, Reads); err != nil {
		return account.Credential{}, err
	}
	s.db.mu.Lock()
	defer s.db.mu.Unlock()
	k := s.byHash(hash)
	if k == nil {
		return account.Credential{}, notFound()
	}
	o := s.db.orgs[k.OrgID]
	return account.Credential{
		KeyID: k.ID, OrgID: k.OrgID, Hash: slices.Clone(k.Hash), Revoked: !k.Revoked.IsZero(), Expires: k.Expires,
		Capped: k.MonthlyCap != ledger.Unlimited, Terms: o.Terms, Plans: s.db.plansOf(o.Terms), Ceilings: o.Ceilings,
	}, nil
}

// TouchKeys implements [account.KeyStore].
func (s *keys) TouchKeys(ctx context.Context, used map[string]time.Time) error {
	if err := s.db.faults.meet(ctx, Leases); err != nil {
		return err
	}
	s.db.mu.Lock()
	defer s.db.mu.Unlock()
	for id, at := range used {
		if k := s.db.keys[id]; k != nil {
			k.LastUsed = at.UTC().Truncate(time.Microsecond)
		}
	}
	return nil
}
