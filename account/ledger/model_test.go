package ledger_test

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"time"

	"vaak/account/ledger"
	"vaak/internal/fault"
)

// model is an independent, slow implementation of the rules of a book, with which the package is
// compared. It shares only types with the package.
type model struct {
	mode    ledger.Mode
	plan    string
	monthly map[string]int64 // by plan; -1 is unlimited
	sub     *ledger.Subscription
	now     time.Time

	lots  []*pile
	holds map[string]*modelHold
	caps  map[string]int64 // by key
	spent map[string]map[string]int64
	given map[string]int64 // by month

	charged, unmetered, writtenOff int64
}

// pile is a lot.
type pile struct {
	source                                     string
	expires                                    time.Time
	made                                       int
	granted, remaining, held, charged, expired int64
}

type modelHold struct {
	key    string
	state  ledger.State
	amount int64
	from   map[*pile]int64
	lease  time.Time

	advance bool
	ahead   int64
}

func (m *model) live(p *pile) bool { return p.expires.IsZero() || m.now.Before(p.expires) }

// inOrder returns the piles, soonest expiry first, those that stay for ever last.
func (m *model) inOrder() []*pile {
	out := slices.Clone(m.lots)
	far := time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)
	key := func(p *pile) time.Time {
		if p.expires.IsZero() {
			return far
		}
		return p.expires
	}
	sort.SliceStable(out, func(i, j int) bool { return key(out[i]).Before(key(out[j])) })
	return out
}

func (m *model) balance() (n int64) {
	for _, p := range m.lots {
		if m.live(p) {
			n += p.remaining
		}
	}
	return n
}

func (m *model) planID() string {
	if m.sub != nil {
		return m.sub.Plan
	}
	return m.plan
}

func (m *model) free() bool { return m.monthly[m.planID()] < 0 }

// advance moves the time on and does what falls due: windows, leases, expiries,
// the month's grant.
func (m *model) advance(to time.Time) {
	m.now = to
	for m.sub != nil && !to.Before(m.sub.Expires) {
		if !m.sub.AutoRenew {
			m.plan, m.sub = m.sub.FallsBackTo, nil
			break
		}
		next := *m.sub
		if next.RenewalPlan != "" {
			next.Plan = next.RenewalPlan
		}
		next.Expires = stepMonth(next.Expires, next.AnchorDay)
		m.sub = &next
	}
	for _, id := range m.ids() {
		if h := m.holds[id]; h.state == ledger.Held && !to.Before(h.lease) {
			m.giveBack(h, h.amountDrawn())
			h.state = ledger.Lapsed
		}
	}
	m.expire()
	m.grantMonth()
}

// stepMonth is the anchor day of the next month, or that month's last.
func stepMonth(t time.Time, anchor int) time.Time {
	y, mo := t.Year(), t.Month()+1
	for day := anchor; ; day-- {
		next := time.Date(y, mo, day, t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
		if (int(mo)-1)%12+1 == int(next.Month()) {
			return next
		}
	}
}

func (m *model) expire() {
	for _, p := range m.lots {
		if !m.live(p) {
			p.expired += p.remaining
			p.remaining = 0
		}
	}
}

func (m *model) grantMonth() {
	month := m.now.Format("2006-01")
	if more := m.monthly[m.planID()] - m.given[month]; m.mode != ledger.Wallet && more > 0 {
		m.given[month] += more
		m.grant(fmt.Sprintf("month %s %d", month, m.given[month]), more, time.Date(m.now.Year(), m.now.Month()+1, 1, 0, 0, 0, 0, time.UTC))
	}
}

func (m *model) grant(source string, n int64, expires time.Time) {
	m.lots = append(m.lots, &pile{source: source, expires: expires, made: len(m.lots), granted: n, remaining: n})
}

func (h *modelHold) amountDrawn() (n int64) {
	for _, d := range h.from {
		n += d
	}
	return n
}

// take moves n characters from the piles that expire soonest to a hold, one
// character's pile after the other.
func (m *model) take(h *modelHold, n int64) {
	for _, p := range m.inOrder() {
		if m.live(p) {
			part := min(n, p.remaining)
			p.remaining, p.held, n = p.remaining-part, p.held+part, n-part
			if part > 0 {
				h.from[p] += part
			}
		}
	}
}

// giveBack returns n of the characters of a hold, the latest to expire first.
func (m *model) giveBack(h *modelHold, n int64) {
	order := m.inOrder()
	slices.Reverse(order)
	for _, p := range order {
		part := min(n, h.from[p])
		n -= part
		h.from[p] -= part
		p.held -= part
		if m.live(p) {
			p.remaining += part
		} else {
			p.expired += part
		}
	}
}

func (m *model) heldOf(key string) (n int64) {
	for _, h := range m.holds {
		if h.key == key && h.state == ledger.Held {
			n += h.amount
		}
	}
	return n
}

func (m *model) spentOf(key string) int64 { return m.spent[key][m.now.Format("2006-01")] }

// keep is the admission of n characters for a hold.
func (m *model) keep(h *modelHold, n int64) bool {
	if limit, capped := m.caps[h.key]; capped && m.spentOf(h.key)+m.heldOf(h.key)+n > limit {
		return false
	}
	if !m.free() {
		if m.balance() < n {
			return false
		}
		m.take(h, n)
	}
	h.amount += n
	return true
}

// raise gives an advance at least n characters.
func (m *model) raise(id, key string, n int64, lease time.Time) (kept, ok bool) {
	h := m.holds[id]
	if _, capped := m.caps[key]; h == nil && m.free() && !capped {
		return false, true
	}
	next := &modelHold{key: key, state: ledger.Held, from: map[*pile]int64{}, lease: lease, advance: true}
	fresh := h == nil || h.state != ledger.Held
	if !fresh {
		next.amount, next.from, next.ahead = h.amount, h.from, h.ahead
	}
	if more := max(0, n-next.amount); (more > 0 || fresh) && !m.keep(next, more) {
		return true, false
	}
	m.holds[id] = next
	return true, true
}

// lead sets what an advance has ahead of n.
func (m *model) lead(id string, n, most, share int64, lease time.Time) {
	h := m.holds[id]
	if h == nil || h.state != ledger.Held {
		return
	}
	m.giveBack(h, max(0, h.amountDrawn()-n))
	h.amount = min(h.amount, n)
	want := m.balance() / share
	if limit, capped := m.caps[h.key]; capped {
		want = min(want, (limit-m.spentOf(h.key)-m.heldOf(h.key))/share)
	}
	if want = max(0, min(want, most)); m.free() {
		want = 0
	}
	m.take(h, want)
	h.amount += want
	h.ahead, h.lease = want, lease
}

// spend charges n characters of an advance under an id of their own. What the advance lacks
// comes from the piles, and what these lack is written off.
func (m *model) spend(from, id, key string, n int64) {
	h := &modelHold{key: key, state: ledger.Settled, from: map[*pile]int64{}, amount: n}
	more := n
	if a := m.holds[from]; a != nil && a.state == ledger.Held {
		more -= min(n, a.amount)
		left := n - more
		for _, p := range m.inOrder() {
			d := min(left, a.from[p])
			a.from[p] -= d
			h.from[p] += d
			left -= d
		}
		a.amount -= n - more
		a.ahead = min(a.ahead, a.amount)
	}
	if more > 0 && !m.free() {
		have := min(more, m.balance())
		m.take(h, have)
		m.writtenOff += more - have
		m.unmetered -= more - have // what nobody paid is one or the other
	}
	for p, part := range h.from {
		p.held -= part
		p.charged += part
	}
	paid := h.amountDrawn()
	m.charged += paid
	m.unmetered += n - paid
	if m.spent[key] == nil {
		m.spent[key] = map[string]int64{}
	}
	m.spent[key][m.now.Format("2006-01")] += n
	m.holds[id] = h
}

func (m *model) release(id string) {
	if h := m.holds[id]; h != nil && h.state == ledger.Held {
		m.giveBack(h, h.amountDrawn())
		h.state = ledger.Released
	}
}

func (m *model) ids() []string {
	var ids []string
	for id := range m.holds {
		ids = append(ids, id)
	}
	sort.Strings(ids)
	return ids
}

// kept stores a book as a store does: it applies the changes of each posting.
type kept struct {
	terms   ledger.Terms
	plans   map[string]ledger.Plan
	month   ledger.Month
	lots    map[string]ledger.Lot
	holds   map[string]ledger.Hold
	entries []ledger.Entry
}

// open opens the book as a store does: with the spent lots or without them.
func (k *kept) open(m *model, spent bool, asked ...string) *ledger.Book {
	r := ledger.Record{OrgID: "org", Terms: k.terms, Plans: k.plans, Month: k.month}
	for _, l := range k.lots {
		if spent || l.Remaining > 0 || l.Held > 0 {
			r.Lots = append(r.Lots, l)
		}
	}
	for _, h := range k.holds {
		if slices.Contains(asked, h.ID) || h.State == ledger.Held && (h.Advance || !m.now.Before(h.Lease)) {
			r.Holds = append(r.Holds, h)
		}
	}
	for key, limit := range m.caps {
		month := ledger.KeyMonth{KeyID: key, Cap: limit, Spent: m.spentOf(key)}
		for _, h := range k.holds {
			if h.KeyID == key && h.State == ledger.Held {
				month.Held += h.Amount
			}
		}
		r.Keys = append(r.Keys, month)
	}
	return ledger.Open(r, m.now)
}

func (k *kept) keep(c ledger.Changes) {
	if c.Terms != nil {
		k.terms = *c.Terms
	}
	if c.Month != nil {
		k.month = *c.Month
	}
	for _, l := range c.Lots {
		k.lots[l.ID] = l
	}
	for _, h := range c.Holds {
		k.holds[h.ID] = h
	}
	k.entries = append(k.entries, c.Entries...)
}

// fatal is what the laws need of a test.
type fatal interface {
	Fatalf(format string, args ...any)
	Helper()
}

// compare checks what is kept against the model, and against itself.
func (k *kept) compare(t fatal, m *model) {
	t.Helper()
	held, sums := map[string]int64{}, map[ledger.EntryKind]int64{}
	for id, h := range k.holds {
		if want := m.holds[id]; h.State != want.state || h.Amount != want.amount {
			t.Fatalf("hold %s is %s with %d, want %s with %d", id, h.State, h.Amount, want.state, want.amount)
		}
		if h.Advance && h.State == ledger.Held && h.Ahead != m.holds[id].ahead {
			t.Fatalf("advance %s has %d ahead, want %d", id, h.Ahead, m.holds[id].ahead)
		}
		if h.State != ledger.Held && len(h.Draws) > 0 {
			t.Fatalf("hold %s is %s and draws %v", id, h.State, h.Draws)
		}
		for _, d := range h.Draws {
			held[d.Lot] += d.Amount
		}
	}
	perLot := map[string]int64{}
	for _, e := range k.entries {
		sums[e.Kind] += e.Amount
		if e.Amount <= 0 || (e.LotID == "") != (e.Kind == ledger.WrittenOff || e.Kind == ledger.Unmetered) {
			t.Fatalf("odd entry %+v", e)
		}
		perLot[string(e.Kind)+e.LotID] += e.Amount
	}
	if sums[ledger.Charged] != m.charged || sums[ledger.Unmetered] != m.unmetered || sums[ledger.WrittenOff] != m.writtenOff {
		t.Fatalf("entries sum to %v, want charged %d, unmetered %d, written off %d", sums, m.charged, m.unmetered, m.writtenOff)
	}
	// Lots that expire together are told apart by nothing that matters.
	got, want := map[int64][5]int64{}, map[int64][5]int64{}
	for _, l := range k.lots {
		if !l.Sound() || l.Held != held[l.ID] || l.Charged != perLot["charge"+l.ID] || l.Expired != perLot["expire"+l.ID] || l.Granted != perLot["grant"+l.ID] {
			t.Fatalf("lot %+v does not add up with draws of %d and entries", l, held[l.ID])
		}
		add(got, l.Expires, l.Granted, l.Remaining, l.Held, l.Charged, l.Expired)
	}
	for _, p := range m.lots {
		add(want, p.expires, p.granted, p.remaining, p.held, p.charged, p.expired)
	}
	if !maps.Equal(got, want) {
		t.Fatalf("lots by expiry are\n%+v, want\n%+v", got, want)
	}
}

func add(to map[int64][5]int64, expires time.Time, places ...int64) {
	sum := to[expires.UnixMicro()]
	for i, n := range places {
		sum[i] += n
	}
	to[expires.UnixMicro()] = sum
}

// admission checks, on copies, that exactly the reported balance can be reserved.
func (k *kept) admission(t fatal, m *model) {
	t.Helper()
	bal := k.open(m, true).Balance()
	lean := k.open(m, false).Balance()
	if bal.Remaining != lean.Remaining {
		t.Fatalf("balance with spent lots is %d, without %d", bal.Remaining, lean.Remaining)
	}
	if m.free() {
		if bal.Remaining != ledger.Unlimited || bal.Granted != ledger.Unlimited || bal.Lots != nil || bal.Next != nil {
			t.Fatalf("Balance on a plan without a bound = %+v", bal)
		}
		return
	}
	if bal.Remaining != m.balance() {
		t.Fatalf("Balance.Remaining = %d, want %d", bal.Remaining, m.balance())
	}
	lease := m.now.Add(time.Minute)
	if _, err := k.open(m, false).Advance("probe", "other", bal.Remaining, bal.Remaining, lease); err != nil {
		t.Fatalf("Advance(balance of %d): %v", bal.Remaining, err)
	}
	if _, err := k.open(m, false).Advance("probe", "other", bal.Remaining+1, 1, lease); fault.KindOf(err) != fault.QuotaExceeded {
		t.Fatalf("Advance(balance of %d + 1) = %v, want a refusal", bal.Remaining, err)
	}
	k.wholeBalance(t, m, bal)
	k.recalled(t, m, bal.Remaining)
}

// recalled checks that what is ahead counts to the balance when it is recalled, except what
// has expired.
func (k *kept) recalled(t fatal, m *model, without int64) {
	t.Helper()
	b := k.open(m, false)
	b.Recall(nil)
	ahead, live := int64(0), int64(0)
	for _, h := range m.holds {
		if !h.advance || h.state != ledger.Held {
			continue
		}
		ahead += h.ahead
		back := max(0, h.amountDrawn()-(h.amount-h.ahead))
		order := m.inOrder()
		slices.Reverse(order)
		for _, p := range order {
			part := min(back, h.from[p])
			back -= part
			if m.live(p) {
				live += part
			}
		}
	}
	if got := b.Balance().Remaining; got != without+live {
		t.Fatalf("the balance is %d, and %d when %d that are ahead are recalled, want %d", without, got, ahead, without+live)
	}
}

func (k *kept) wholeBalance(t fatal, m *model, bal ledger.Balance) {
	t.Helper()
	var granted, next int64
	var at time.Time
	for _, p := range m.inOrder() {
		if !m.live(p) {
			continue
		}
		granted += p.granted
		if p.remaining > 0 && !p.expires.IsZero() && (at.IsZero() || at.Equal(p.expires)) {
			at = p.expires
			next += p.remaining
		}
	}
	if bal.Granted != granted {
		t.Fatalf("Balance.Granted = %d, want %d", bal.Granted, granted)
	}
	switch {
	case bal.Next == nil && next != 0, bal.Next != nil && (bal.Next.Amount != next || !bal.Next.At.Equal(at)):
		t.Fatalf("Balance.Next = %+v, want %d at %v", bal.Next, next, at)
	}
}
