package accounttest

import (
	"context"
	"fmt"
	"slices"
	"time"

	"vaak/account"
	"vaak/account/ledger"
)

// books is the part of a [Store] that keeps books, and the jobs that postings queue.
type books struct {
	db       *database
	changing chan struct{} // has a token while books are changed; acquired before db.mu
}

var _ account.LedgerStore = (*books)(nil)

// Post implements [account.LedgerStore]. Postings run one after another.
func (s *books) Post(ctx context.Context, o account.Opening, turn func(time.Time, map[string]*ledger.Book) (account.Posting, error)) error {
	if err := s.db.faults.meet(ctx, Opens); err != nil {
		return err
	}
	p, err := s.post(ctx, o, turn)
	if err != nil {
		return err
	}
	if err := s.db.faults.meet(ctx, Answers); err != nil {
		return err
	}
	for _, c := range p.Changed {
		s.db.changes.Announce(c)
	}
	return nil
}

func (s *books) post(ctx context.Context, o account.Opening, turn func(time.Time, map[string]*ledger.Book) (account.Posting, error)) (account.Posting, error) {
	done, err := s.alone(ctx)
	if err != nil {
		return account.Posting{}, err
	}
	defer done()
	now := s.db.instant()
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
	if err := s.db.faults.meet(ctx, Commits); err != nil {
		return account.Posting{}, err
	}
	// Everything is checked before the first change, so a refused posting writes nothing.
	s.db.mu.Lock()
	defer s.db.mu.Unlock()
	changes := make(map[string]ledger.Changes, len(books))
	for id, b := range books {
		changes[id] = b.Changes()
		if err := s.check(id, changes[id]); err != nil {
			return account.Posting{}, err
		}
	}
	if err := s.db.addUses(p.Uses); err != nil {
		return account.Posting{}, err
	}
	for id, c := range changes {
		s.db.orgs[id].apply(c)
	}
	s.db.jobs = append(s.db.jobs, p.Jobs...)
	return p, nil
}

// alone waits until no other call changes a book. Done lets the next call do so.
func (s *books) alone(ctx context.Context) (done func(), err error) {
	select {
	case s.changing <- struct{}{}:
		return func() { <-s.changing }, nil
	case <-ctx.Done():
		return nil, Away(ctx.Err())
	}
}

func (s *books) open(o account.Opening, now time.Time) (map[string]*ledger.Book, error) {
	s.db.mu.Lock()
	defer s.db.mu.Unlock()
	books := map[string]*ledger.Book{}
	for _, id := range o.Orgs {
		if books[id] != nil {
			return nil, fmt.Errorf("organisation %s is opened twice", id)
		}
		if org := s.db.orgs[id]; org != nil {
			books[id] = ledger.Open(s.record(org, now, o.Holds, o.Keys, false), now)
		}
	}
	return books, nil
}

// record returns the record of a book as a posting reads it: with the named holds and keys,
// and with spent lots if spent is true. The caller holds the lock.
func (s *books) record(o *organisation, now time.Time, holds, keys []string, spent bool) ledger.Record {
	r := ledger.Record{OrgID: o.ID, Terms: o.Terms, Plans: s.db.plansOf(o.Terms), Month: o.month}
	for _, l := range o.lots {
		if spent || l.Remaining > 0 || l.Held > 0 {
			r.Lots = append(r.Lots, l)
		}
	}
	for _, h := range o.holds {
		if slices.Contains(holds, h.ID) || h.State == ledger.Held && (h.Advance || !now.Before(h.Lease)) {
			r.Holds = append(r.Holds, h)
		}
	}
	for _, id := range keys {
		if k := s.db.keys[id]; k != nil && k.OrgID == o.ID && k.MonthlyCap != ledger.Unlimited {
			r.Keys = append(r.Keys, s.keyMonth(o, k, ledger.PeriodOf(now)))
		}
	}
	return r
}

// keyMonth returns what a key has spent in a month and holds now. The caller holds the lock.
func (s *books) keyMonth(o *organisation, k *account.Key, p ledger.Period) ledger.KeyMonth {
	m := ledger.KeyMonth{KeyID: k.ID, Cap: k.MonthlyCap}
	for u, sum := range s.db.uses {
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
func (s *books) check(orgID string, c ledger.Changes) error {
	made := map[string]bool{}
	for _, e := range c.Entries {
		if e.Amount <= 0 {
			return fmt.Errorf("an entry of %d characters", e.Amount)
		}
		if e.Kind != ledger.Granted {
			continue
		}
		if _, ok := s.db.orgs[orgID].lots[e.LotID]; ok || made[e.LotID] {
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
		if s.db.keys[h.KeyID] == nil {
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
func (s *books) Book(ctx context.Context, orgID string) (*ledger.Book, time.Time, error) {
	now := s.db.instant()
	if err := s.db.faults.meet(ctx, Reads); err != nil {
		return nil, now, err
	}
	s.db.mu.Lock()
	defer s.db.mu.Unlock()
	o := s.db.orgs[orgID]
	if o == nil {
		return nil, now, notFound()
	}
	return ledger.Open(s.record(o, now, nil, nil, true), now), now, nil
}

// Books implements [account.LedgerStore].
func (s *books) Books(ctx context.Context, orgIDs []string) (map[string]*ledger.Book, time.Time, error) {
	now := s.db.instant()
	if err := s.db.faults.meet(ctx, Reads); err != nil {
		return nil, now, err
	}
	s.db.mu.Lock()
	defer s.db.mu.Unlock()
	books := map[string]*ledger.Book{}
	for _, id := range orgIDs {
		if o := s.db.orgs[id]; o != nil {
			books[id] = ledger.Open(s.record(o, now, nil, nil, true), now)
		}
	}
	return books, now, nil
}

// Overdue implements [account.LedgerStore].
func (s *books) Overdue(ctx context.Context, limit int) (ids []string, err error) {
	if err := s.db.faults.meet(ctx, Reads); err != nil {
		return nil, err
	}
	s.db.mu.Lock()
	defer s.db.mu.Unlock()
	now := s.db.instant()
	for _, id := range s.db.order {
		if len(ids) < limit && s.db.orgs[id].overdue(now) {
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
func (s *books) PruneHolds(ctx context.Context, before time.Time) (n int, err error) {
	if err := s.db.faults.meet(ctx, Opens); err != nil {
		return 0, err
	}
	done, err := s.alone(ctx)
	if err != nil {
		return 0, err
	}
	defer done()
	s.db.mu.Lock()
	defer s.db.mu.Unlock()
	for _, o := range s.db.orgs {
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
func (s *books) Audit(ctx context.Context) (ledger.Audit, error) {
	if err := s.db.faults.meet(ctx, Reads); err != nil {
		return ledger.Audit{}, err
	}
	s.db.mu.Lock()
	defer s.db.mu.Unlock()
	var a ledger.Audit
	for _, id := range s.db.order {
		s.db.orgs[id].audit(&a)
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
		if h.Advance {
			a.Advances++
		}
		if !h.Advance || h.Ahead < h.Amount {
			a.OpenHolds++
		}
		a.HeldChars += h.Amount - h.Ahead
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
func (s *books) Jobs() []account.Job {
	s.db.mu.Lock()
	defer s.db.mu.Unlock()
	return slices.Clone(s.db.jobs)
}

// Entries returns the journal of an organisation.
func (s *books) Entries(orgID string) []ledger.Entry {
	s.db.mu.Lock()
	defer s.db.mu.Unlock()
	return slices.Clone(s.db.orgs[orgID].entries)
}

// Holds returns the holds of an organisation, ordered by time of creation and then by id.
func (s *books) Holds(orgID string) []ledger.Hold {
	s.db.mu.Lock()
	defer s.db.mu.Unlock()
	var all []ledger.Hold
	for _, h := range s.db.orgs[orgID].holds {
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
