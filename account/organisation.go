package account

import (
	"context"
	"fmt"
	"time"

	"vaak/internal/fault"
)

// CodeOrganisationExists is the code of the Conflict error of
// [Service.CreateOrganisation].
const CodeOrganisationExists = "organisation_exists"

// CreateOrganisation adds an organisation on a plan; "" is [DefaultPlan]. The
// name has 1 to [MaxName] code points without control characters and must not
// be taken.
func (s *Service) CreateOrganisation(ctx context.Context, name, plan string) (Organisation, error) {
	if err := checkName("name", name); err != nil {
		return Organisation{}, err
	}
	plan, err := checkPlan(plan)
	if err != nil {
		return Organisation{}, err
	}
	o := Organisation{ID: newID(orgPrefix), Name: name, Plan: plan, Created: s.instant()}
	err = s.store.CreateOrganisation(ctx, o)
	if fault.KindOf(err) == fault.Conflict {
		return Organisation{}, fault.New(fault.Conflict, CodeOrganisationExists, "name",
			"an organisation named %s exists already", quote(name))
	}
	if err != nil {
		return Organisation{}, fmt.Errorf("create organisation: %w", err)
	}
	s.log.InfoContext(ctx, "organisation created", "organisation", o.ID, "plan", o.Plan)
	return o, nil
}

// Organisation returns the organisation with an id.
func (s *Service) Organisation(ctx context.Context, id string) (Organisation, error) {
	if !isID(orgPrefix, id) {
		return Organisation{}, noOrganisation(id)
	}
	o, err := s.store.Organisation(ctx, id)
	if fault.KindOf(err) == fault.NotFound {
		return Organisation{}, noOrganisation(id)
	}
	if err != nil {
		return Organisation{}, fmt.Errorf("read organisation %s: %w", id, err)
	}
	return o, nil
}

// Organisations returns all organisations, oldest first.
func (s *Service) Organisations(ctx context.Context) ([]Organisation, error) {
	all, err := s.store.Organisations(ctx)
	if err != nil {
		return nil, fmt.Errorf("read organisations: %w", err)
	}
	return all, nil
}

// Usage returns what each key of an organisation used in a UTC month, by key
// id; keys without use in that month are left out.
func (s *Service) Usage(ctx context.Context, orgID string, p Period) ([]KeyUsage, error) {
	if _, err := time.Parse(periodLayout, string(p)); err != nil {
		return nil, fault.BadParameter("period", "period %s is not a month of the form YYYY-MM", quote(string(p)))
	}
	if _, err := s.Organisation(ctx, orgID); err != nil {
		return nil, err
	}
	used, err := s.store.Usage(ctx, orgID, p)
	if err != nil {
		return nil, fmt.Errorf("read usage of %s: %w", orgID, err)
	}
	return used, nil
}

func noOrganisation(sent string) error {
	return fault.New(fault.NotFound, fault.CodeNotFound, "organisation", "there is no organisation %s", quote(sent))
}
