package accounttest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"vaak/account"
	"vaak/account/ledger"
)

var _ account.Store = (*Store)(nil)

// Post implements [account.LedgerStore]. Postings run one after another.
func (s *Store) Post(ctx context.Context, o account.Opening, turn func(time.Time, map[string]*ledger.Book) (account.Posting, error)) error {
	if err := s.faults.meet(ctx, Opens); err != nil {
		return err
	}
	p, err := s.post(ctx, o, turn)
	if err != nil {
		return err
	}
	if err := s.faults.meet(ctx, Answers); err != nil {
		return err
	}
	for _, c := range p.Changed {
		s.Announce(c)
	}
	return nil
}

func (s *Store) post(ctx context.Context, o account.Opening, turn func(time.Time, map[string]*ledger.Book) (account.Posting, error)) (account.Posting, error) {
	done, err := s.alone(ctx)
	if err != nil {
		return account.Posting{}, err
	}
	defer done()
	now := s.instant()
	books, err := s.open(o, now)
	if err != nil {
		return account.Posting{}, err
	}
	p, err := turn(now, books)
	if err != nil {
		return account.Posting{}, err
	}
	for _, u := range p.Uses {
		if books[u.OrgID] == nil {
			return account.Posting{}, fmt.Errorf("use of %s, whose book is not open", u.OrgID)
		}
	}
	if err := s.faults.meet(ctx, Commits); err != nil {
		return account.Posting{}, err
	}
	// Everything is checked before the first change, so a refused posting writes nothing.
	s.mu.Lock()
	defer s.mu.Unlock()
	changes := make(map[string]ledger.Changes, len(books))
	for id, b := range books {
		changes[id] = b.Changes()
		if err := s.check(id, changes[id]); err != nil {
			return account.Posting{}, err
		}
	}
	if err := s.addUses(p.Uses); err != nil {
		return account.Posting{}, err
	}
	for id, c := range changes {
		s.orgs[id].apply(c)
	}
	s.jobs = append(s.jobs, p.Jobs...)
	return p, nil
}

// alone waits until no other call changes a book. Done lets the next call do so.
func (s *Store) alone(ctx context.Context) (done func(), err error) {
	select {
	case s.books <- struct{}{}:
		return func() { <-s.books }, nil
	case <-ctx.Done():
		return nil, Away(ctx.Err())
	}
}

func (s *Store) open(o account.Opening, now time.Time) (map[string]*ledger.Book, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	books := map[string]*ledger.Book{}
	for _, id := range o.Orgs {
		if books[id] != nil {
			return nil, fmt.Errorf("organisation %s is opened twice", id)
		}
		if org := s.orgs[id]; org != nil {
			books[id] = ledger.Open(s.record(org, now, o.Holds, o.Keys, false), now)
		}
	}
	return books, nil
}

// record returns the record of a book as a posting reads it: with the named holds and keys,
// and with spent lots if spent is true. The caller holds the lock.
func (s *Store) record(o *organisation, now time.Time, holds, keys []string, spent bool) ledger.Record {
	r := ledger.Record{OrgID: o.ID, Terms: o.Terms, Plans: s.plansOf(o.Terms), Month: o.month}
	for _, l := range o.lots {
		if spent || l.Remaining > 0 || l.Held > 0 {
			r.Lots = append(r.Lots, l)
		}
	}
	for _, h := range o.holds {
		if slices.Contains(holds, h.ID) || (h.State == ledger.Held && !now.Before(h.Lease)) {
			r.Holds = append(r.Holds, h)
		}
	}
	for _, id := range keys {
		if k := s.keys[id]; k != nil && k.OrgID == o.ID && k.MonthlyCap != ledger.Unlimited {
			r.Keys = append(r.Keys, s.keyMonth(o, k, ledger.PeriodOf(now)))
		}
	}
	return r
}

// keyMonth returns what a key has spent in a month and holds now. The caller holds the lock.
func (s *Store) keyMonth(o *organisation, k *account.Key, p ledger.Period) ledger.KeyMonth {
	m := ledger.KeyMonth{KeyID: k.ID, Cap: k.MonthlyCap}
	for u, sum := range s.uses {
		if u.key == k.ID && (account.Use{Day: u.day}).Period() == p {
			m.Spent += sum.characters
		}
	}
	for _, h := range o.holds {
		if h.KeyID == k.ID && h.State == ledger.Held {
			m.Held += h.Amount
		}
	}
	return m
}

// check returns an error for changes that the constraints of a database would refuse. The
// caller holds the lock.
func (s *Store) check(orgID string, c ledger.Changes) error {
	made := map[string]bool{}
	for _, e := range c.Entries {
		if e.Amount <= 0 {
			return fmt.Errorf("an entry of %d characters", e.Amount)
		}
		if e.Kind != ledger.Granted {
			continue
		}
		if _, ok := s.orgs[orgID].lots[e.LotID]; ok || made[e.LotID] {
			return conflict()
		}
		made[e.LotID] = true
	}
	for _, l := range c.Lots {
		if !l.Sound() {
			return fmt.Errorf("lot %s does not add up: %+v", l.ID, l)
		}
	}
	for _, h := range c.Holds {
		if s.keys[h.KeyID] == nil {
			return notFound()
		}
		if h.Charged > h.Amount || h.Charged < 0 {
			return fmt.Errorf("hold %s has charged %d of %d", h.ID, h.Charged, h.Amount)
		}
	}
	return nil
}

func (o *organisation) apply(c ledger.Changes) {
	if c.Terms != nil {
		o.Terms = *c.Terms
	}
	if c.Month != nil {
		o.month = *c.Month
	}
	for _, l := range c.Lots {
		o.lots[l.ID] = l
	}
	for _, h := range c.Holds {
		o.holds[h.ID] = h
	}
	o.entries = append(o.entries, c.Entries...)
}

// Book implements [account.LedgerStore].
func (s *Store) Book(ctx context.Context, orgID string) (*ledger.Book, time.Time, error) {
	now := s.instant()
	if err := s.faults.meet(ctx, Reads); err != nil {
		return nil, now, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.orgs[orgID]
	if o == nil {
		return nil, now, notFound()
	}
	return ledger.Open(s.record(o, now, nil, nil, true), now), now, nil
}

// Books implements [account.LedgerStore].
func (s *Store) Books(ctx context.Context, orgIDs []string) (map[string]*ledger.Book, time.Time, error) {
	now := s.instant()
	if err := s.faults.meet(ctx, Reads); err != nil {
		return nil, now, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	books := map[string]*ledger.Book{}
	for _, id := range orgIDs {
		if o := s.orgs[id]; o != nil {
			books[id] = ledger.Open(s.record(o, now, nil, nil, true), now)
		}
	}
	return books, now, nil
}

// RenewHolds implements [account.LedgerStore].
func (s *Store) RenewHolds(ctx context.Context, ids []string, lease time.Duration) error {
	if err := s.faults.meet(ctx, Leases); err != nil {
		return err
	}
	done, err := s.alone(ctx)
	if err != nil {
		return err
	}
	defer done()
	s.mu.Lock()
	defer s.mu.Unlock()
	until := s.instant().Add(lease)
	for _, o := range s.orgs {
		for _, id := range ids {
			if h, ok := o.holds[id]; ok && h.State == ledger.Held {
				h.Lease = until
				o.holds[id] = h
			}
		}
	}
	return nil
}

// Overdue implements [account.LedgerStore].
func (s *Store) Overdue(ctx context.Context, limit int) (ids []string, err error) {
	if err := s.faults.meet(ctx, Reads); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.instant()
	for _, id := range s.order {
		if len(ids) < limit && s.orgs[id].overdue(now) {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

func (o *organisation) overdue(now time.Time) bool {
	if sub := o.Terms.Subscription; sub != nil && !now.Before(sub.Expires) {
		return true
	}
	for _, l := range o.lots {
		if l.Remaining > 0 && !l.Expires.IsZero() && !now.Before(l.Expires) {
			return true
		}
	}
	for _, h := range o.holds {
		if h.State == ledger.Held && !now.Before(h.Lease) {
			return true
		}
	}
	return false
}

// PruneHolds implements [account.LedgerStore].
func (s *Store) PruneHolds(ctx context.Context, before time.Time) (n int, err error) {
	if err := s.faults.meet(ctx, Opens); err != nil {
		return 0, err
	}
	done, err := s.alone(ctx)
	if err != nil {
		return 0, err
	}
	defer done()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, o := range s.orgs {
		for id, h := range o.holds {
			if h.State != ledger.Held && h.Created.Before(before) {
				delete(o.holds, id)
				n++
			}
		}
	}
	return n, nil
}

// Audit implements [account.LedgerStore].
func (s *Store) Audit(ctx context.Context) (ledger.Audit, error) {
	if err := s.faults.meet(ctx, Reads); err != nil {
		return ledger.Audit{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var a ledger.Audit
	for _, id := range s.order {
		s.orgs[id].audit(&a)
	}
	return a, nil
}

// audit adds up one book. It does not use the sums of the lots, but derives them from the
// entries and from the draws of holds, and compares.
func (o *organisation) audit(a *ledger.Audit) {
	booked := map[ledger.EntryKind]map[string]int64{}
	for _, e := range o.entries {
		if booked[e.Kind] == nil {
			booked[e.Kind] = map[string]int64{}
		}
		booked[e.Kind][e.LotID] += e.Amount
		if e.Kind == ledger.WrittenOff {
			a.WrittenOff += e.Amount
		}
	}
	drawn := map[string]int64{}
	for _, h := range o.holds {
		if h.State == ledger.Lapsed {
			a.Lapsed++
		}
		if h.State != ledger.Held {
			continue
		}
		a.OpenHolds++
		a.HeldChars += h.Amount
		for _, d := range h.Draws {
			drawn[d.Lot] += d.Amount
		}
	}
	for _, l := range o.lots {
		a.Lots++
		a.Charged += l.Charged
		want := l
		want.Granted, want.Held = booked[ledger.Granted][l.ID], drawn[l.ID]
		want.Charged, want.Expired = booked[ledger.Charged][l.ID], booked[ledger.Expired][l.ID]
		if l != want || !l.Sound() {
			a.Faults = append(a.Faults, fmt.Sprintf("lot %s is %+v, and entries and holds make it %+v", l.ID, l, want))
		}
	}
}

// Jobs returns the jobs that were queued, in their order.
func (s *Store) Jobs() []account.Job {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.jobs)
}

// Entries returns the journal of an organisation.
func (s *Store) Entries(orgID string) []ledger.Entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.orgs[orgID].entries)
}

// Holds returns the holds of an organisation, ordered by time of creation and then by id.
func (s *Store) Holds(orgID string) []ledger.Hold {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []ledger.Hold
	for _, h := range s.orgs[orgID].holds {
		all = append(all, h)
	}
	slices.SortFunc(all, func(a, b ledger.Hold) int {
		if c := a.Created.Compare(b.Created); c != 0 {
			return c
		}
		if a.ID < b.ID {
			return -1
		}
		return 1
	})
	return all
}

// errUnknownKey stands for the error of a database when a foreign key is violated.
var errUnknownKey = errors.New("use of a key that is not there")
