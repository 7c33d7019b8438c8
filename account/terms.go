package account

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"vaak/account/ledger"
	"vaak/internal/fault"
)

// MaxGrant is the most characters that one lot, or one month of a plan, has.
const MaxGrant = 1_000_000_000_000

// JobSweep is the kind of job that rolls a book forward when something in it
// has run out: see [Service.Roll]. Its argument is a [SweepArgs].
const JobSweep = "ledger.roll"

// SweepArgs says whose book is to be rolled forward.
type SweepArgs struct {
	Org string `json:"org"`
}

// bookkeeping changes books outside of requests: it grants characters, sets terms, rolls
// books forward and audits them.
type bookkeeping struct {
	*base
	directory *directory
}

// GrantRequest asks for a lot.
type GrantRequest struct {
	Characters int64
	Kind       ledger.LotKind // "" is a purchase
	Expires    time.Time      // zero: never
	// Source names what the grant is for, such as the number of an invoice: a
	// second grant of the same source is refused. "" is a new one.
	Source string
}

// Grant gives an organisation characters.
func (k *bookkeeping) Grant(ctx context.Context, orgID string, r GrantRequest) (lot ledger.Lot, err error) {
	if r.Kind == "" {
		r.Kind = ledger.Purchase
	}
	r.Expires = r.Expires.UTC().Truncate(time.Microsecond)
	if r.Source == "" {
		r.Source = newID("grant_")
	}
	if r.Kind == ledger.PlanGrant && r.Expires.IsZero() {
		r.Expires = ledger.NextMonth(k.now()) // as what the plan itself grants
	}
	if err := k.checkGrant(r); err != nil {
		return ledger.Lot{}, err
	}
	err = k.change(ctx, orgID, func(now time.Time, b *ledger.Book) (Posting, error) {
		switch {
		case b.Terms().Mode == ledger.Allowance:
			return Posting{}, fault.New(fault.Unprocessable, fault.CodeInvalidParameter, "org",
				"the organisation is on allowance accounting, whose characters come with its plan: set its mode to lots first")
		case b.Terms().Mode == ledger.Wallet && !r.Expires.IsZero():
			return Posting{}, fault.BadParameter("expires", "expires %s is not possible: the organisation is in mode wallet, whose characters do not expire", r.Expires.Format(time.RFC3339))
		}
		lot = b.Grant(ledger.Lot{Kind: r.Kind, Source: "grant:" + r.Source, Granted: r.Characters, Expires: r.Expires})
		p := Posting{}
		// An expiry comes without a request that would open the book, so a job rolls it.
		if !r.Expires.IsZero() {
			p.Jobs = append(p.Jobs, Job{Kind: JobSweep, Args: SweepArgs{orgID}, At: r.Expires})
		}
		return p, nil
	})
	if fault.KindOf(err) == fault.Conflict {
		err = fault.New(fault.Conflict, "already_granted", "source", "source %s was granted before", quote(r.Source))
	}
	if err != nil {
		return ledger.Lot{}, err
	}
	k.log.InfoContext(ctx, "characters granted", "organisation", orgID, "lot", lot.ID, "characters", lot.Granted)
	return lot, nil
}

func (k *bookkeeping) checkGrant(r GrantRequest) error {
	switch {
	case r.Characters < 1 || r.Characters > MaxGrant:
		return fault.BadParameter("characters", "characters %d is outside 1 to %d", r.Characters, int64(MaxGrant))
	case r.Kind != ledger.Purchase && r.Kind != ledger.Promo && r.Kind != ledger.PlanGrant:
		return fault.BadParameter("kind", "kind %s is not one of purchase, promo, plan_grant", quote(string(r.Kind)))
	case !r.Expires.IsZero() && !r.Expires.After(k.now()):
		return fault.BadParameter("expires", "expires %s is not in the future", r.Expires.Format(time.RFC3339))
	}
	return checkName("source", r.Source)
}

// SubscriptionRequest asks for other terms. The zero value of a field keeps
// what is, except where it says otherwise.
type SubscriptionRequest struct {
	Plan        string      // needed
	Mode        ledger.Mode // "" keeps the mode
	Expires     time.Time   // end of the window; zero: the plan holds until it is changed
	AutoRenew   bool        // needs Expires
	RenewalPlan string      // "" is Plan; needs AutoRenew
	FallsBackTo string      // "" is free; needs Expires
}

// fallback is the plan after a lapse when none is named.
const fallback = PlanFree

// Subscribe sets an organisation's terms.
func (k *bookkeeping) Subscribe(ctx context.Context, orgID string, r SubscriptionRequest) error {
	if r.FallsBackTo == "" && !r.Expires.IsZero() {
		r.FallsBackTo = fallback
	}
	if err := k.checkSubscription(r); err != nil {
		return err
	}
	plans, err := k.directory.plans(ctx, named{"plan", r.Plan}, named{"renewal_plan", r.RenewalPlan}, named{"falls_back_to", r.FallsBackTo})
	if err != nil {
		return err
	}
	err = k.change(ctx, orgID, func(_ time.Time, b *ledger.Book) (Posting, error) {
		terms, p := ledger.Terms{Mode: r.Mode, Plan: r.Plan}, Posting{Changed: []Change{{TopicOrganisation, orgID}}}
		if r.Mode == "" {
			terms.Mode = b.Terms().Mode
		}
		if !r.Expires.IsZero() {
			sub := ledger.Subscribe(r.Plan, r.Expires.Truncate(time.Microsecond))
			sub.AutoRenew, sub.RenewalPlan, sub.FallsBackTo = r.AutoRenew, r.RenewalPlan, r.FallsBackTo
			terms.Plan, terms.Subscription = r.FallsBackTo, &sub // Plan is the one without a subscription
			p.Jobs = append(p.Jobs, Job{Kind: JobSweep, Args: SweepArgs{orgID}, At: r.Expires})
		}
		b.SetTerms(terms, plans)
		return p, nil
	})
	if err == nil {
		k.log.InfoContext(ctx, "subscription set", "organisation", orgID, "plan", r.Plan)
	}
	return err
}

func (k *bookkeeping) checkSubscription(r SubscriptionRequest) error {
	switch {
	case r.Plan == "":
		return fault.BadParameter("plan", "plan is missing")
	case r.Mode != "" && r.Mode != ledger.Lots && r.Mode != ledger.Wallet && r.Mode != ledger.Allowance:
		return fault.BadParameter("mode", "mode %s is not one of lots, wallet, allowance", quote(string(r.Mode)))
	case r.Expires.IsZero() && (r.AutoRenew || r.RenewalPlan != "" || r.FallsBackTo != ""):
		return fault.BadParameter("expires", "expires is missing: only a window that ends can be renewed or fall back")
	case !r.Expires.IsZero() && !r.Expires.After(k.now()):
		return fault.BadParameter("expires", "expires %s is not in the future", r.Expires.Format(time.RFC3339))
	case r.RenewalPlan != "" && !r.AutoRenew:
		return fault.BadParameter("renewal_plan", "renewal_plan %s needs auto_renew", quote(r.RenewalPlan))
	}
	return nil
}

// change opens one book and posts what turn does to it.
func (k *bookkeeping) change(ctx context.Context, orgID string, turn func(time.Time, *ledger.Book) (Posting, error)) error {
	if !isID(orgPrefix, orgID) {
		return noOrganisation(orgID)
	}
	err := k.store.Post(ctx, Opening{Orgs: []string{orgID}}, func(now time.Time, books map[string]*ledger.Book) (Posting, error) {
		b := books[orgID]
		if b == nil {
			return Posting{}, noOrganisation(orgID)
		}
		return turn(now, b)
	})
	if _, ok := errors.AsType[*fault.Error](err); ok || err == nil {
		return err // its message is for a person
	}
	return fmt.Errorf("change the book of %s: %w", orgID, err)
}

// Roll rolls the book of an organisation forward to the present and stores the result.
// Every posting does that to the books that it opens; Roll is for books that no posting
// opens. It is no error when the organisation does not exist.
func (k *bookkeeping) Roll(ctx context.Context, orgID string) error {
	err := k.change(ctx, orgID, func(time.Time, *ledger.Book) (Posting, error) { return Posting{}, nil })
	if fault.KindOf(err) == fault.NotFound {
		return nil
	}
	return err
}

// sweepBatch is how many books one look at what is overdue brings.
const sweepBatch = 100

// Sweep rolls forward every book in which something has run out: a hold that was not
// renewed, a lot, a subscription. It returns how many it rolled. When a book cannot be
// rolled, Sweep goes on with the others and returns the error at the end. It tries no book
// twice.
func (k *bookkeeping) Sweep(ctx context.Context) (n int, err error) {
	var errs []error
	tried := map[string]bool{}
	for limit := sweepBatch; ; {
		orgs, err := k.store.Overdue(ctx, limit)
		if err != nil {
			return n, errors.Join(append(errs, fmt.Errorf("look for overdue books: %w", err))...)
		}
		last := len(orgs) < limit
		fresh := slices.DeleteFunc(slices.Clone(orgs), func(id string) bool { return tried[id] })
		// Books that failed stay overdue and come again, so the next look asks for as many
		// more.
		limit = sweepBatch + len(orgs) - len(fresh)
		for _, id := range fresh {
			tried[id] = true
			err := k.Roll(ctx, id)
			switch {
			case err == nil:
				n++
			case fault.KindOf(err) == fault.Unavailable || ctx.Err() != nil:
				return n, errors.Join(append(errs, err)...)
			default:
				errs = append(errs, err)
			}
		}
		if last {
			return n, errors.Join(errs...)
		}
	}
}

// HeldFor is how long holds that have ended are kept. A charge that comes again finds its
// hold settled for that long, and charges nothing; see keptFor.
const HeldFor = 8 * 24 * time.Hour

// LapsedFor is how long an audit counts a hold that has lapsed.
const LapsedFor = 24 * time.Hour

// Prune deletes holds that ended more than [HeldFor] ago, and request records that are
// older than keep.
func (k *bookkeeping) Prune(ctx context.Context, keep time.Duration) error {
	now := k.now()
	if _, err := k.store.PruneHolds(ctx, now.Add(-HeldFor)); err != nil {
		return fmt.Errorf("forget old holds: %w", err)
	}
	if _, err := k.store.PruneRequests(ctx, now.Add(-keep)); err != nil {
		return fmt.Errorf("forget old request records: %w", err)
	}
	return nil
}

// Audit adds up all books, and logs each fault that it finds.
func (k *bookkeeping) Audit(ctx context.Context) (ledger.Audit, error) {
	a, err := k.store.Audit(ctx)
	if err != nil {
		return a, fmt.Errorf("audit the ledger: %w", err)
	}
	for _, f := range a.Faults {
		k.log.Error("the ledger does not add up", "fault", f)
	}
	return a, nil
}
