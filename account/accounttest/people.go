package accounttest

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"time"

	"vaak/account"
	"vaak/account/ledger"
	"vaak/internal/fault"
)

func notFound() error {
	return fault.New(fault.NotFound, fault.CodeNotFound, "", "there is no such thing")
}

func conflict() error { return fault.New(fault.Conflict, "conflict", "", "it exists already") }

// SetPlan implements [account.PlanStore].
func (s *Store) SetPlan(ctx context.Context, p ledger.Plan) error {
	if err := s.faults.meet(ctx, Opens); err != nil {
		return err
	}
	s.mu.Lock()
	s.plans[p.ID] = p
	s.mu.Unlock()
	s.Announce(account.Change{Topic: account.TopicPlan, ID: p.ID})
	return nil
}

// Plans implements [account.PlanStore].
func (s *Store) Plans(ctx context.Context) ([]ledger.Plan, error) {
	if err := s.faults.meet(ctx, Reads); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []ledger.Plan
	for _, p := range s.plans {
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b ledger.Plan) int {
		// As unsigned numbers, -1 comes last.
		return cmp.Or(cmp.Compare(uint64(a.MonthlyCharacters), uint64(b.MonthlyCharacters)), cmp.Compare(a.ID, b.ID))
	})
	return all, nil
}

// CreateOrganisation implements [account.OrganisationStore].
func (s *Store) CreateOrganisation(ctx context.Context, o account.Organisation) error {
	if err := s.faults.meet(ctx, Opens); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.orgs[o.ID] != nil || s.names[o.Name] {
		return conflict()
	}
	s.orgs[o.ID] = &organisation{Organisation: o, lots: map[string]ledger.Lot{}, holds: map[string]ledger.Hold{}}
	s.names[o.Name] = true
	s.order = append(s.order, o.ID)
	return nil
}

// Organisation implements [account.OrganisationStore].
func (s *Store) Organisation(ctx context.Context, id string) (account.Organisation, error) {
	if err := s.faults.meet(ctx, Reads); err != nil {
		return account.Organisation{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.orgs[id]
	if o == nil {
		return account.Organisation{}, notFound()
	}
	return o.Organisation, nil
}

// Organisations implements [account.OrganisationStore].
func (s *Store) Organisations(ctx context.Context) ([]account.Organisation, error) {
	if err := s.faults.meet(ctx, Reads); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []account.Organisation
	for _, id := range s.order {
		all = append(all, s.orgs[id].Organisation)
	}
	return all, nil
}

// RenameOrganisation implements [account.OrganisationStore].
func (s *Store) RenameOrganisation(ctx context.Context, id, name string) error {
	if err := s.faults.meet(ctx, Opens); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.orgs[id]
	switch {
	case o == nil:
		return notFound()
	case o.Name == name:
		return nil
	case s.names[name]:
		return conflict()
	}
	delete(s.names, o.Name)
	o.Name, s.names[name] = name, true
	return nil
}

// SetCeilings implements [account.OrganisationStore].
func (s *Store) SetCeilings(ctx context.Context, id string, c account.Ceilings) error {
	if err := s.faults.meet(ctx, Opens); err != nil {
		return err
	}
	s.mu.Lock()
	o := s.orgs[id]
	if o != nil {
		o.Ceilings = c
	}
	s.mu.Unlock()
	if o == nil {
		return notFound()
	}
	s.Announce(account.Change{Topic: account.TopicOrganisation, ID: id})
	return nil
}

// CreateKey implements [account.KeyStore].
func (s *Store) CreateKey(ctx context.Context, k account.Key) error {
	if err := s.faults.meet(ctx, Opens); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.orgs[k.OrgID] == nil {
		return notFound()
	}
	if s.keys[k.ID] != nil || s.byHash(k.Hash) != nil {
		return conflict()
	}
	k.Display = ""
	s.keys[k.ID] = &k
	s.keyOrder = append(s.keyOrder, k.ID)
	return nil
}

// byHash returns the key with a hash, or nil. The caller holds the lock.
func (s *Store) byHash(hash []byte) *account.Key {
	for _, k := range s.keys {
		if bytes.Equal(k.Hash, hash) {
			return k
		}
	}
	return nil
}

// Key implements [account.KeyStore].
func (s *Store) Key(ctx context.Context, id string) (account.Key, error) {
	if err := s.faults.meet(ctx, Reads); err != nil {
		return account.Key{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if k := s.keys[id]; k != nil {
		return *k, nil
	}
	return account.Key{}, notFound()
}

// Keys implements [account.KeyStore].
func (s *Store) Keys(ctx context.Context, orgID string) ([]account.Key, error) {
	if err := s.faults.meet(ctx, Reads); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var keys []account.Key
	for _, id := range s.keyOrder {
		if k := s.keys[id]; k.OrgID == orgID {
			keys = append(keys, *k)
		}
	}
	return keys, nil
}

// ValidKeys implements [account.KeyStore].
func (s *Store) ValidKeys(ctx context.Context, orgIDs []string, at time.Time, except []string) (map[string]int, error) {
	if err := s.faults.meet(ctx, Reads); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	n := map[string]int{}
	for _, k := range s.keys {
		if k.Valid(at) && slices.Contains(orgIDs, k.OrgID) && !slices.Contains(except, k.ID) {
			n[k.OrgID]++
		}
	}
	return n, nil
}

// RevokeKey implements [account.KeyStore].
func (s *Store) RevokeKey(ctx context.Context, id string, at time.Time) error {
	if err := s.RevokeQuietly(ctx, id, at); err != nil {
		return err
	}
	s.Announce(account.Change{Topic: account.TopicKey, ID: id})
	return nil
}

// RevokeQuietly is RevokeKey by another process whose report of the change is lost.
func (s *Store) RevokeQuietly(ctx context.Context, id string, at time.Time) error {
	if err := s.faults.meet(ctx, Opens); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.keys[id]
	if k == nil {
		return notFound()
	}
	if k.Revoked.IsZero() {
		k.Revoked = at
	}
	return nil
}

// Credential implements [account.KeyStore].
func (s *Store) Credential(ctx context.Context, hash []byte) (account.Credential, error) {
	if err := s.faults.meet(ctx, Reads); err != nil {
		return account.Credential{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.byHash(hash)
	if k == nil {
		return account.Credential{}, notFound()
	}
	o := s.orgs[k.OrgID]
	return account.Credential{
		KeyID: k.ID, OrgID: k.OrgID, Hash: slices.Clone(k.Hash), Revoked: !k.Revoked.IsZero(), Expires: k.Expires,
		Capped: k.MonthlyCap != ledger.Unlimited, Terms: o.Terms, Plans: s.plansOf(o.Terms), Ceilings: o.Ceilings,
	}, nil
}

// plansOf returns the plans that terms may come to. The caller holds the lock.
func (s *Store) plansOf(t ledger.Terms) map[string]ledger.Plan {
	plans := map[string]ledger.Plan{}
	for _, id := range t.PlanIDs() {
		if p, ok := s.plans[id]; ok {
			plans[id] = p
		}
	}
	return plans
}

// TouchKeys implements [account.KeyStore].
func (s *Store) TouchKeys(ctx context.Context, used map[string]time.Time) error {
	if err := s.faults.meet(ctx, Leases); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, at := range used {
		if k := s.keys[id]; k != nil {
			k.LastUsed = at.UTC().Truncate(time.Microsecond)
		}
	}
	return nil
}
