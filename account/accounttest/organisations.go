package accounttest

import (
	"cmp"
	"context"
	"slices"

	"vaak/account"
	"vaak/account/ledger"
)

// organisations is the part of a [Store] that keeps organisations and plans.
type organisations struct{ db *database }

var (
	_ account.OrganisationStore = (*organisations)(nil)
	_ account.PlanStore         = (*organisations)(nil)
)

// SetPlan implements [account.PlanStore].
func (s *organisations) SetPlan(ctx context.Context, p ledger.Plan) error {
	if err := s.db.faults.meet(ctx, Opens); err != nil {
		return err
	}
	s.db.mu.Lock()
	s.db.plans[p.ID] = p
	s.db.mu.Unlock()
	s.db.changes.Announce(account.Change{Topic: account.TopicPlan, ID: p.ID})
	return nil
}

// Plans implements [account.PlanStore].
func (s *organisations) Plans(ctx context.Context) ([]ledger.Plan, error) {
	if err := s.db.faults.meet(ctx, Reads); err != nil {
		return nil, err
	}
	s.db.mu.Lock()
	defer s.db.mu.Unlock()
	var all []ledger.Plan
	for _, p := range s.db.plans {
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b ledger.Plan) int {
		// As unsigned numbers, -1 comes last.
		return cmp.Or(cmp.Compare(uint64(a.MonthlyCharacters), uint64(b.MonthlyCharacters)), cmp.Compare(a.ID, b.ID))
	})
	return all, nil
}

// CreateOrganisation implements [account.OrganisationStore].
func (s *organisations) CreateOrganisation(ctx context.Context, o account.Organisation) error {
	if err := s.db.faults.meet(ctx, Opens); err != nil {
		return err
	}
	s.db.mu.Lock()
	defer s.db.mu.Unlock()
	if s.db.orgs[o.ID] != nil || s.db.names[o.Name] {
		return conflict()
	}
	s.db.orgs[o.ID] = &organisation{Organisation: o, lots: map[string]ledger.Lot{}, holds: map[string]ledger.Hold{}}
	s.db.names[o.Name] = true
	s.db.order = append(s.db.order, o.ID)
	return nil
}

// Organisation implements [account.OrganisationStore].
func (s *organisations) Organisation(ctx context.Context, id string) (account.Organisation, error) {
	if err := s.db.faults.meet(ctx, Reads); err != nil {
		return account.Organisation{}, err
	}
	s.db.mu.Lock()
	defer s.db.mu.Unlock()
	o := s.db.orgs[id]
	if o == nil {
		return account.Organisation{}, notFound()
	}
	return o.Organisation, nil
}

// Organisations implements [account.OrganisationStore].
func (s *organisations) Organisations(ctx context.Context) ([]account.Organisation, error) {
	if err := s.db.faults.meet(ctx, Reads); err != nil {
		return nil, err
	}
	s.db.mu.Lock()
	defer s.db.mu.Unlock()
	var all []account.Organisation
	for _, id := range s.db.order {
		all = append(all, s.db.orgs[id].Organisation)
	}
	return all, nil
}

// RenameOrganisation implements [account.OrganisationStore].
func (s *organisations) RenameOrganisation(ctx context.Context, id, name string) error {
	if err := s.db.faults.meet(ctx, Opens); err != nil {
		return err
	}
	s.db.mu.Lock()
	defer s.db.mu.Unlock()
	o := s.db.orgs[id]
	switch {
	case o == nil:
		return notFound()
	case o.Name == name:
		return nil
	case s.db.names[name]:
		return conflict()
	}
	delete(s.db.names, o.Name)
	o.Name, s.db.names[name] = name, true
	return nil
}

// SetCeilings implements [account.OrganisationStore].
func (s *organisations) SetCeilings(ctx context.Context, id string, c account.Ceilings) error {
	if err := s.db.faults.meet(ctx, Opens); err != nil {
		return err
	}
	s.db.mu.Lock()
	o := s.db.orgs[id]
	if o != nil {
		o.Ceilings = c
	}
	s.db.mu.Unlock()
	if o == nil {
		return notFound()
	}
	s.db.changes.Announce(account.Change{Topic: account.TopicOrganisation, ID: id})
	return nil
}
