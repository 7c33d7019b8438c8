package account

import (
	"context"
	"fmt"

	"vaak/account/ledger"
	"vaak/internal/fault"
)

// directory creates, changes and finds organisations, plans and keys.
type directory struct {
	*base
	sessions *sessions // that end with their key
}

// CodeOrganisationExists is the code of the Conflict error of
// [Service.CreateOrganisation] and [Service.Rename].
const CodeOrganisationExists = "organisation_exists"

// CreateOrganisation adds an organisation on a plan; "" is [DefaultPlan]. The
// name has 1 to [MaxName] code points without control characters and must not
// be taken.
func (d *directory) CreateOrganisation(ctx context.Context, name, plan string) (Organisation, error) {
	if err := checkName("name", name); err != nil {
		return Organisation{}, err
	}
	if plan == "" {
		plan = DefaultPlan
	}
	if _, err := d.plans(ctx, named{"plan", plan}); err != nil {
		return Organisation{}, err
	}
	o := Organisation{
		ID: newID(orgPrefix), Name: name, Terms: ledger.Terms{Mode: ledger.Lots, Plan: plan},
		Ceilings: NoCeilings, Created: d.instant(),
	}
	err := d.store.CreateOrganisation(ctx, o)
	if fault.KindOf(err) == fault.Conflict {
		return Organisation{}, nameTaken(name)
	}
	if err != nil {
		return Organisation{}, fmt.Errorf("create organisation: %w", err)
	}
	d.log.InfoContext(ctx, "organisation created", "organisation", o.ID, "plan", plan)
	return o, nil
}

func nameTaken(name string) error {
	return fault.New(fault.Conflict, CodeOrganisationExists, "name", "an organisation named %s exists already", quote(name))
}

// Rename gives an organisation another name, by the rules of
// [Service.CreateOrganisation].
func (d *directory) Rename(ctx context.Context, orgID, name string) error {
	if err := checkName("name", name); err != nil {
		return err
	}
	if !isID(orgPrefix, orgID) {
		return noOrganisation(orgID)
	}
	err := d.store.RenameOrganisation(ctx, orgID, name)
	switch fault.KindOf(err) {
	case "":
		d.log.InfoContext(ctx, "organisation renamed", "organisation", orgID)
		return nil
	case fault.NotFound:
		return noOrganisation(orgID)
	case fault.Conflict:
		return nameTaken(name)
	}
	return fmt.Errorf("rename organisation %s: %w", orgID, err)
}

// Organisation returns the organisation with an id, with its terms as they are stored.
// [ledger.Terms.At] returns what they have become since.
func (d *directory) Organisation(ctx context.Context, id string) (Organisation, error) {
	if !isID(orgPrefix, id) {
		return Organisation{}, noOrganisation(id)
	}
	o, err := d.store.Organisation(ctx, id)
	if fault.KindOf(err) == fault.NotFound {
		return Organisation{}, noOrganisation(id)
	}
	if err != nil {
		return Organisation{}, fmt.Errorf("read organisation %s: %w", id, err)
	}
	return o, nil
}

// Organisations returns all organisations, oldest first.
func (d *directory) Organisations(ctx context.Context) ([]Organisation, error) {
	all, err := d.store.Organisations(ctx)
	if err != nil {
		return nil, fmt.Errorf("read organisations: %w", err)
	}
	return all, nil
}

// SetCeilings sets the limits of an organisation over all its keys.
func (d *directory) SetCeilings(ctx context.Context, orgID string, c Ceilings) error {
	for name, n := range map[string]int{"rpm": c.RequestsPerMinute, "streams": c.MaxStreams} {
		if n != ledger.Unlimited && (n < 1 || n > maxRate) {
			return fault.BadParameter(name, "%s %d is outside 1 to %d, and not -1 for none", name, n, maxRate)
		}
	}
	if _, err := d.Organisation(ctx, orgID); err != nil {
		return err
	}
	if err := d.store.SetCeilings(ctx, orgID, c); err != nil {
		return fmt.Errorf("set ceilings of %s: %w", orgID, err)
	}
	return nil
}

func noOrganisation(sent string) error {
	return fault.New(fault.NotFound, fault.CodeNotFound, "organisation", "there is no organisation %s", quote(sent))
}
