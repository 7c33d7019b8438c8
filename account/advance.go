package account

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"vaak/account/ledger"
	"vaak/internal/fault"
)

// Bounds of what a process takes ahead.
const (
	// maxAhead is the most characters of an organisation that one process has ahead.
	maxAhead = 200_000
	// aheadShare is the part of a balance that all processes together take ahead: one
	// character in aheadShare. So the last characters of a balance are not split up.
	aheadShare = 8
	// aheadFor is how long after a posting requests may get characters of an advance. It is
	// far below Lease, after which other processes may spend them.
	aheadFor = Lease / 2
	// idleAfter is how long an advance is kept that nobody uses.
	idleAfter = 10 * time.Second
	// recallWait is how long a request waits for characters that other processes have ahead.
	recallWait = 2 * time.Second
	// recallBeat is how often it looks for them meanwhile.
	recallBeat = 25 * time.Millisecond
	// recallEvery is how often, at most, a process asks the others for them.
	recallEvery = 250 * time.Millisecond
	// recallLasts is how long a process that was asked takes nothing ahead.
	recallLasts = time.Second
)

// advances are the characters that this process has taken ahead, by which a hold needs no
// posting before the first byte. In the books each advance is a hold with a lease.
//
// The books always have at least the characters that requests use: a request gets some only
// from those that the last posting has left, or from a posting of its own. What a posting
// may return is taken away here before it, and what it adds is given out only after it. So
// it does not matter whether a posting whose outcome is unknown was written.
type advances struct {
	mu      sync.Mutex
	pools   map[string]*pool // by organisation; an empty one is removed
	closing bool             // nothing is given out any more
	naive   bool             // for a test: takes the whole balance ahead, without telling the books
}

// pool is what this process has of one organisation.
type pool struct {
	// current are the advances from which requests get characters. All keys without a cap
	// share the one of "", and each key with a cap has its own, under its id.
	current map[string]*advance
	all     []*advance // those too from which only requests that run have some
	filling bool       // a posting is to come that fills it

	announced time.Time // when the others were last asked for what they have ahead
	recalled  time.Time // when another asked
	forgotten time.Time // when plans or terms were last changed
}

// advance is one of a pool. The lock of [advances] guards its fields.
type advance struct {
	id  string // of its hold
	key string // under which it is in the books

	capped bool // of that key alone, which has a cap

	amount  int64     // that the books have at least, with what was charged and is not posted
	inUse   int64     // of them, by holds and by charges that are not posted
	ahead   int64     // how many it had ahead after the last posting
	until   time.Time // requests get nothing of it later
	used    time.Time // when a request last got something
	retired bool      // requests get nothing of it any more; those that have some keep it
}

// purse is under what the advance is in pool.current.
func (a *advance) purse() string {
	if a.capped {
		return a.key
	}
	return ""
}

// of returns the advance for a caller, and its pool. The caller has locked s.
func (s *advances) of(c Caller) (*pool, *advance) {
	p := s.pools[c.OrgID]
	if p == nil {
		if s.pools == nil {
			s.pools = map[string]*pool{}
		}
		p = &pool{current: map[string]*advance{}}
		s.pools[c.OrgID] = p
	}
	want := &advance{key: c.keptKey(), capped: c.Capped}
	a := p.current[want.purse()]
	if a == nil || a.retired {
		a = want
		a.id = newID(holdPrefix)
		p.current[a.purse()] = a
		p.all = append(p.all, a)
	}
	return p, a
}

// take gives a hold n more characters, if its advance has them ahead. Fill says that little
// is left ahead, and that the caller has to have the pool filled.
func (s *advances) take(h *Hold, n int64, now time.Time) (ok, fill bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing {
		return false, false
	}
	p, a := s.of(h.caller)
	if h.advance != nil {
		a = h.advance
	}
	if a.retired || !now.Before(a.until) || a.amount-a.inUse < n {
		return false, false
	}
	a.inUse += n
	a.used = now
	h.advance = a
	if fill = !p.filling && a.amount-a.inUse < a.ahead/2; fill {
		p.filling = true
	}
	return true, fill
}

// retire has requests get nothing of an advance any more.
func (s *advances) retire(a *advance) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a.retired = true
}

// giveBack ends the use of n characters.
func (s *advances) giveBack(a *advance, n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a.inUse -= n
}

// own returns the advances of an organisation.
func (s *advances) own(orgID string) []*advance {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.pools[orgID]; p != nil {
		return append([]*advance(nil), p.all...)
	}
	return nil
}

// inUse returns what requests use of the advances of an organisation, by the ids of these.
func (s *advances) inUse(orgID string) map[string]int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.pools[orgID]
	if p == nil {
		return nil
	}
	used := make(map[string]int64, len(p.all))
	for _, a := range p.all {
		used[a.id] = a.inUse
	}
	return used
}

// orgs returns the organisations of which something was taken ahead.
func (s *advances) orgs() (ids []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id := range s.pools {
		ids = append(ids, id)
	}
	return ids
}

// forget has the next request of an organisation, or of all with "", look at the books: its
// plan or terms have changed.
func (s *advances) forget(orgID string) {
	s.each(orgID, func(p *pool) {
		p.forgotten = time.Now()
		for _, a := range p.all {
			a.until = time.Time{}
		}
	})
}

// recall has an organisation, or all with "", take nothing ahead for a while. Known is false
// when nothing was taken ahead.
func (s *advances) recall(orgID string) (known bool) {
	s.each(orgID, func(p *pool) { p.recalled, known = time.Now(), true })
	return known
}

func (s *advances) each(orgID string, do func(*pool)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if orgID != "" {
		if p := s.pools[orgID]; p != nil {
			do(p)
		}
		return
	}
	for _, p := range s.pools {
		do(p)
	}
}

// close has nothing given out any more.
func (s *advances) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closing = true
}

// tend has the advances of an organisation filled, renewed or returned. While the store is
// away it is tried until a time; zero tries once.
func (v *reservations) tend(orgID string, until time.Time) *operation {
	op := &operation{org: orgID, until: until, do: func(*turn, *ledger.Book) (*Use, error) { return nil, nil }}
	v.lane(orgID).submit(op)
	return op
}

// tendAll tends all advances, some at a time: requests wait for few of them, and while the
// store hangs they do not pile up in the lanes. It returns at the end of ctx.
func (v *reservations) tendAll(ctx context.Context) {
	for some := range slices.Chunk(v.advances.orgs(), maxBatch/2*len(v.lanes)) {
		var tending []*operation
		for _, id := range some {
			tending = append(tending, v.tend(id, time.Time{}))
		}
		for _, op := range tending {
			select {
			case <-op.done:
			case <-ctx.Done():
				return
			}
		}
	}
}

// recallAdvances returns what this process has ahead of an organisation, or of all with "",
// because another process needs it. It does not block: all are returned by beatHolds, some at
// a time.
func (v *reservations) recallAdvances(orgID string) {
	known := v.advances.recall(orgID)
	switch {
	case orgID == "":
		select {
		case v.recalled <- struct{}{}:
		default: // it will look at all anyway
		}
	case known:
		v.tend(orgID, time.Time{})
	}
}

// shut has the lanes refuse new operations, after they have returned all advances.
func (v *reservations) shut() {
	v.advances.close()
	last := map[*lane][]*operation{}
	for _, id := range v.advances.orgs() {
		l := v.lane(id)
		last[l] = append(last[l], &operation{org: id, do: func(t *turn, _ *ledger.Book) (*Use, error) {
			t.closed[id] = true
			return nil, nil
		}})
	}
	for _, l := range v.lanes {
		l.shut(last[l])
	}
}

// demand is a request for characters that an advance does not have ahead.
type demand struct {
	advances *advances
	advance  *advance
	n        int64
	first    bool // the hold has no characters yet

	claimed bool // they are in use; guarded by the lock of advances
	counted bool // nothing is kept for them; valid after the posting
}

// demand returns a demand of a hold for n more characters.
func (s *advances) demand(h *Hold, n int64) *demand {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := &demand{advances: s, advance: h.advance, n: n, first: h.advance == nil}
	if d.first {
		_, d.advance = s.of(h.caller)
	}
	return d
}

// do raises the advance, in a posting.
func (d *demand) do(t *turn, b *ledger.Book) (*Use, error) {
	s, a := d.advances, d.advance
	s.mu.Lock()
	defer s.mu.Unlock()
	// First, because the book may not have the cap of a key whose advance was returned since,
	// and would take the key for one without.
	if d.first && a.retired {
		return nil, errRetired
	}
	d.counted = d.first && b.Uncounted(a.key)
	switch {
	case d.counted:
		return nil, nil
	case d.first && b.Stale(a.id):
		a.retired = true
		return nil, errRetired
	}
	a.inUse += d.n
	d.claimed = true
	if err := t.cover(a, b, d.n); err != nil {
		d.disclaim()
		return nil, err
	}
	a.used = time.Now()
	return nil, nil
}

// undo takes back what do has done, when the posting failed or runs again.
func (d *demand) undo() {
	d.advances.mu.Lock()
	defer d.advances.mu.Unlock()
	d.disclaim()
}

func (d *demand) disclaim() {
	if d.claimed {
		d.claimed = false
		d.advance.inUse -= d.n
	}
}

var (
	// errRetired says that another advance has taken the place of one.
	errRetired = errors.New("the advance is retired")
	// errElsewhere says that the balance suffices with what other processes have ahead.
	errElsewhere = errors.New("other processes have the characters ahead")
)

func errNotReturned() error {
	return fault.Down(fault.CodeStoreUnavailable, time.Second, nil,
		"the characters that remain are reserved by another server, which has not returned them in %v; try again", recallWait)
}

// turn is one run of a posting.
type turn struct {
	service *reservations
	share   int64
	own     map[string][]*advance // by organisation

	now    time.Time // of the store's clock
	spent  map[*advance]int64
	wanted map[string]bool       // organisations whose characters others have ahead
	closed map[string]bool       // whose advances are to be returned
	left   map[*advance]standing // what it comes to
}

// standing is what a posting makes of an advance.
type standing struct {
	amount, ahead int64
	lasts         time.Duration // until when requests get something of it, from the posting on
	ended         bool
}

// begin starts a run. Advances that have lapsed, because the store was away or its clock
// jumped, get again what requests use of them. Where the balance no longer suffices they
// stay as they are, and their charges draw what is there.
func (t *turn) begin(now time.Time, books map[string]*ledger.Book) {
	t.now = now
	t.spent, t.wanted, t.closed, t.left = map[*advance]int64{}, map[string]bool{}, map[string]bool{}, map[*advance]standing{}
	s := t.service.advances
	s.mu.Lock()
	defer s.mu.Unlock()
	for org, all := range t.own {
		for _, a := range all {
			if b := books[org]; b != nil && b.State(a.id) == ledger.Lapsed {
				a.amount = 0
				if a.inUse > 0 {
					_, _ = b.Advance(a.id, a.key, a.inUse, a.inUse, t.lease()) // see above
				}
			}
		}
	}
}

func (t *turn) lease() time.Time { return t.now.Add(Lease) }

// cover raises an advance to what is in use. It first returns what the process has ahead
// elsewhere, if the balance does not suffice. The caller has locked the advances.
func (t *turn) cover(a *advance, b *ledger.Book, asked int64) error {
	n := a.inUse - t.spent[a]
	_, err := b.Advance(a.id, a.key, n, asked, t.lease())
	if fault.KindOf(err) != fault.QuotaExceeded {
		return err
	}
	own := map[string]int64{}
	for _, o := range t.own[b.OrgID()] {
		own[o.id] = 0
		if o != a {
			t.lead(o, b, 0, 1)
		}
	}
	if _, err = b.Advance(a.id, a.key, n, asked, t.lease()); fault.KindOf(err) == fault.QuotaExceeded && b.Recallable(a.id, a.key, n, own) {
		t.wanted[b.OrgID()] = true
		return errElsewhere
	}
	return err
}

// lead sets what an advance has ahead, which is one of some parts of what the process may
// have ahead. The caller has locked the advances.
func (t *turn) lead(a *advance, b *ledger.Book, most, parts int64) {
	n := a.inUse - t.spent[a]
	b.Lead(a.id, n, most/parts, t.share*parts, t.lease())
	amount, _ := b.Amount(a.id)
	a.amount = min(a.amount, amount+t.spent[a]) // before the posting may return it
}

// end ends a run: advances are filled or returned.
func (t *turn) end(books map[string]*ledger.Book) {
	s := t.service.advances
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	for org, all := range t.own {
		b, p := books[org], s.pools[org]
		if b == nil || p == nil {
			continue
		}
		parts := int64(0)
		for _, a := range all {
			a.retired = a.retired || b.Stale(a.id) || b.State(a.id) == ledger.Lapsed || t.closed[org]
			if !a.retired {
				parts++
			}
		}
		for _, a := range all {
			idle := a.inUse == t.spent[a] && (a.retired || now.Sub(a.used) >= idleAfter)
			most := int64(maxAhead)
			if a.retired || now.Sub(p.recalled) < recallLasts {
				most = 0
			}
			if idle || t.closed[org] {
				a.retired, a.amount = true, 0
				b.Release(a.id)
			} else {
				t.lead(a, b, most, max(parts, 1))
			}
			t.left[a] = t.standing(a, b, idle)
		}
	}
}

func (t *turn) standing(a *advance, b *ledger.Book, idle bool) standing {
	amount, until := b.Amount(a.id)
	st := standing{amount: amount, ahead: amount - (a.inUse - t.spent[a]), lasts: aheadFor, ended: idle}
	if t.service.advances.naive {
		st.amount += b.Balance().Remaining
	}
	switch {
	case b.Plan().MonthlyCharacters < 0:
		st.lasts = 0 // the books decide for each request whether its characters are kept
	case !until.IsZero():
		// A duration, because now is of the store's clock, and this machine's may differ.
		st.lasts = min(st.lasts, until.Sub(t.now))
	}
	return st
}

// posted records that a run is written; begun is when its posting began.
func (t *turn) posted(begun time.Time) {
	s := t.service.advances
	s.mu.Lock()
	defer s.mu.Unlock()
	for a, n := range t.spent {
		a.inUse -= n
	}
	for org := range t.own {
		p := s.pools[org]
		if p == nil {
			continue
		}
		p.filling = false
		kept := p.all[:0]
		for _, a := range p.all {
			st, ok := t.left[a]
			if ok {
				a.amount, a.ahead = st.amount, st.ahead
				if a.until = begun.Add(st.lasts); p.forgotten.After(begun) {
					a.until = time.Time{}
				}
			}
			switch purse := a.purse(); {
			case !ok || !st.ended:
				kept = append(kept, a)
			case p.current[purse] == a:
				delete(p.current, purse)
			}
		}
		clear(p.all[len(kept):])
		p.all = kept
		if len(p.all) == 0 {
			delete(s.pools, org)
		}
	}
}

// failed records that a run is not written, as far as is known.
func (t *turn) failed() {
	s := t.service.advances
	s.mu.Lock()
	defer s.mu.Unlock()
	for org := range t.own {
		if p := s.pools[org]; p != nil {
			p.filling = false
		}
	}
}

// changes returns the organisations of which other processes are asked to return what they
// have ahead.
func (t *turn) changes() (all []Change) {
	s := t.service.advances
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	for org := range t.wanted {
		if p := s.pools[org]; p != nil && now.Sub(p.announced) >= recallEvery {
			p.announced = now
			all = append(all, Change{TopicAdvance, org})
		}
	}
	return all
}
