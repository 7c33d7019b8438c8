package account

import (
	"context"
	"fmt"
	"time"

	"vaak/account/ledger"
)

// reports reads how organisations stand, for the console, the API and operators.
type reports struct {
	*base
	directory *directory
	limits    *limits
	ahead     *advances
}

// Report is how an organisation stands now.
type Report struct {
	Organisation Organisation // its terms rolled forward
	Plan         ledger.Plan  // in force
	Period       ledger.Period
	Characters   int64     // metered this month, over all keys
	Resets       time.Time // the first instant of the next month
	Balance      ledger.Balance
}

// Report returns how an organisation stands. Its balance is the one that [Service.Reserve]
// checks.
func (r *reports) Report(ctx context.Context, orgID string) (Report, error) {
	o, err := r.directory.Organisation(ctx, orgID)
	if err != nil {
		return Report{}, err
	}
	b, now, err := r.store.Book(ctx, orgID)
	if err != nil {
		return Report{}, fmt.Errorf("read the book of %s: %w", orgID, err)
	}
	rep := r.report(o, b, now)
	used, err := r.store.Usage(ctx, orgID, rep.Period)
	if err != nil {
		return Report{}, fmt.Errorf("read usage of %s: %w", orgID, err)
	}
	for _, u := range used {
		rep.Characters += u.Characters
	}
	return rep, nil
}

// report returns the Report of an organisation from its book, without the characters that
// were used.
func (r *reports) report(o Organisation, b *ledger.Book, now time.Time) Report {
	o.Terms = b.Terms()
	b.Recall(r.ahead.inUse(o.ID)) // what is ahead can be spent
	return Report{Organisation: o, Plan: b.Plan(), Period: ledger.PeriodOf(now), Resets: ledger.NextMonth(now), Balance: b.Balance()}
}

// Summary is how an organisation stands, as a line of a list.
type Summary struct {
	Report
	Keys int // that are valid
}

// Summaries returns how organisations of [Service.Organisations] stand, in their order.
// It reads all of them in a few queries. An organisation that no longer exists is left
// out.
func (r *reports) Summaries(ctx context.Context, orgs []Organisation) ([]Summary, error) {
	if len(orgs) == 0 {
		return nil, nil
	}
	ids := make([]string, len(orgs))
	for i, o := range orgs {
		ids[i] = o.ID
	}
	books, now, err := r.store.Books(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("read %d books: %w", len(ids), err)
	}
	characters, err := r.store.Characters(ctx, ids, ledger.PeriodOf(now))
	if err != nil {
		return nil, fmt.Errorf("read usage of %d organisations: %w", len(ids), err)
	}
	keys, err := r.directory.validKeys(ctx, ids)
	if err != nil {
		return nil, err
	}
	var out []Summary
	for _, o := range orgs {
		if b := books[o.ID]; b != nil {
			line := Summary{r.report(o, b, now), keys[o.ID]}
			line.Characters = characters[o.ID]
			out = append(out, line)
		}
	}
	return out, nil
}
