package page

import (
	"context"

	"vaak/account"
)

// manyOrganisations are more than a select can hold and still be used.
const manyOrganisations = 500

// Organisations returns the organisations that the template organisations offers to
// choose from, and the names of all by id. There is no choice (nil) where they are too
// many; the template then asks for an id.
func Organisations(ctx context.Context, accounts *account.Service) (choice []account.Organisation, names map[string]string, err error) {
	all, err := accounts.Organisations(ctx)
	if err != nil {
		return nil, nil, err
	}
	names = make(map[string]string, len(all))
	for _, o := range all {
		names[o.ID] = o.Name
	}
	if len(all) > manyOrganisations {
		return nil, names, nil
	}
	return all, names, nil
}
