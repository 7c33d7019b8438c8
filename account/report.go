package account

import (
	"context"
	"fmt"
	"time"

	"vaak/account/ledger"
)

// Report is how an organisation stands now.
type Report struct {
	Organisation Organisation // its terms rolled forward
	Plan         ledger.Plan  // in force
	Period       ledger.Period
	Characters   int64     // metered this month, over all keys
	Resets       time.Time // the first instant of the next month
	Balance      ledger.Balance
}

// Report returns how an organisation stands: the balance is the number that
// [Service.Reserve] checks.
func (s *Service) Report(ctx context.Context, orgID string) (Report, error) {
	o, err := s.Organisation(ctx, orgID)
	if err != nil {
		return Report{}, err
	}
	b, now, err := s.store.Book(ctx, orgID)
	if err != nil {
		return Report{}, fmt.Errorf("read the book of %s: %w", orgID, err)
	}
	r := Report{
		Organisation: o, Plan: b.Plan(), Period: ledger.PeriodOf(now), Resets: ledger.NextMonth(now), Balance: b.Balance(),
	}
	r.Organisation.Terms = b.Terms()
	used, err := s.store.Usage(ctx, orgID, r.Period)
	if err != nil {
		return Report{}, fmt.Errorf("read usage of %s: %w", orgID, err)
	}
	for _, u := range used {
		r.Characters += u.Characters
	}
	return r, nil
}
