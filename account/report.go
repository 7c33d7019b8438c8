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
	r := report(o, b, now)
	used, err := s.store.Usage(ctx, orgID, r.Period)
	if err != nil {
		return Report{}, fmt.Errorf("read usage of %s: %w", orgID, err)
	}
	for _, u := range used {
		r.Characters += u.Characters
	}
	return r, nil
}

// report returns what an organisation and its book tell.
func report(o Organisation, b *ledger.Book, now time.Time) Report {
	o.Terms = b.Terms()
	return Report{Organisation: o, Plan: b.Plan(), Period: ledger.PeriodOf(now), Resets: ledger.NextMonth(now), Balance: b.Balance()}
}

// Summary is how an organisation stands, as a line of a list.
type Summary struct {
	Report
	Keys int // that are good
}

// Summaries returns how organisations of [Service.Organisations] stand, in their order.
// It asks for all at once. One that is not there any more is left out.
func (s *Service) Summaries(ctx context.Context, orgs []Organisation) ([]Summary, error) {
	if len(orgs) == 0 {
		return nil, nil
	}
	ids := make([]string, len(orgs))
	for i, o := range orgs {
		ids[i] = o.ID
	}
	books, now, err := s.store.Books(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("read %d books: %w", len(ids), err)
	}
	characters, err := s.store.Characters(ctx, ids, ledger.PeriodOf(now))
	if err != nil {
		return nil, fmt.Errorf("read usage of %d organisations: %w", len(ids), err)
	}
	keys, err := s.validKeys(ctx, ids)
	if err != nil {
		return nil, err
	}
	var out []Summary
	for _, o := range orgs {
		if b := books[o.ID]; b != nil {
			line := Summary{report(o, b, now), keys[o.ID]}
			line.Characters = characters[o.ID]
			out = append(out, line)
		}
	}
	return out, nil
}
