package ledger

import (
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Record is the stored form of a book, as far as the present can depend on it.
type Record struct {
	OrgID string
	Terms Terms
	Plans map[string]Plan // every plan that the terms may come to
	Month Month
	Lots  []Lot      // those with something remaining or held; for a whole [Balance] the spent ones, too
	Holds []Hold     // those that are asked about, and those whose lease has run out
	Keys  []KeyMonth // of keys with a cap
}

// Month is what the plan has granted in the month of its last grant.
type Month struct {
	Period  Period
	Granted int64
}

// KeyMonth is what a key with a cap has spent this month.
type KeyMonth struct {
	KeyID string
	Cap   int64 // characters a month
	Spent int64
	Held  int64
}

// Changes are what the store has to write after a book was used. Lots and holds are complete
// rows, new and changed ones.
type Changes struct {
	Terms   *Terms // nil when they are as they were
	Month   *Month // likewise
	Lots    []Lot
	Holds   []Hold
	Entries []Entry
}

// Book is the open account of one organisation. Only one goroutine may use it.
type Book struct {
	orgID string
	now   time.Time
	terms Terms
	plans map[string]Plan
	month Month
	lots  []*Lot // as they are spent
	holds map[string]*Hold
	keys  map[string]*KeyMonth

	newTerms, newMonth bool
	touchedLots        map[*Lot]bool
	touchedHolds       map[*Hold]bool
	entries            []Entry
	counted            int64 // characters of Count
}

// Open opens a book at a time and rolls it forward. It renews or ends a subscription, books
// what has expired, releases holds whose lease ran out, and grants the characters of the
// month.
func Open(r Record, now time.Time) *Book {
	b := &Book{
		orgID: r.OrgID, now: now.UTC(), terms: r.Terms, plans: r.Plans, month: r.Month,
		holds: make(map[string]*Hold, len(r.Holds)), keys: make(map[string]*KeyMonth, len(r.Keys)),
		touchedLots: map[*Lot]bool{}, touchedHolds: map[*Hold]bool{},
	}
	for _, l := range r.Lots {
		b.lots = append(b.lots, &l)
	}
	slices.SortFunc(b.lots, spendFirst) // Grant inserts in the same order, so it always holds
	for _, h := range r.Holds {
		h.Draws = slices.Clone(h.Draws) // the record stays as it was, so that it can be opened again
		b.holds[h.ID] = &h
	}
	for _, k := range r.Keys {
		b.keys[k.KeyID] = &k
	}
	b.roll()
	return b
}

func (b *Book) roll() {
	// The terms first: the plan in force decides below what the month grants.
	if now := b.terms.At(b.now); now != b.terms {
		b.terms, b.newTerms = now, true
	}
	// In the order of ids, so that the same record always gives the same entries. Characters
	// of a lapsed hold whose lot has expired do not return to it; charge books them as
	// expired.
	for _, id := range sortedKeys(b.holds) {
		if h := b.holds[id]; h.State == Held && !b.now.Before(h.Lease) {
			b.release(h, Lapsed)
		}
	}
	for _, l := range b.lots {
		if !l.spendable(b.now) && l.Remaining > 0 {
			b.expire(l, l.Remaining)
			l.Remaining = 0
		}
	}
	b.grantMonth()
}

// grantMonth grants what the plan gives this month and has not given yet. A change to a
// larger plan within a month grants the difference, and a change to a smaller plan takes
// nothing back. When the clock was set back into an earlier month, nothing is granted: that
// month had its grant, and without this rule the next month would get its own twice.
func (b *Book) grantMonth() {
	plan := b.Plan()
	period := PeriodOf(b.now)
	var given int64 // of this month
	if b.month.Period == period {
		given = b.month.Granted
	}
	if b.terms.Mode == Wallet || plan.MonthlyCharacters <= given || period < b.month.Period {
		return
	}
	b.month, b.newMonth = Month{period, plan.MonthlyCharacters}, true
	b.Grant(Lot{
		Kind: PlanGrant,
		// The source names the total of the month and not the difference. Two processes
		// that raise the month to the same total derive the same lot id, and the store
		// refuses the second.
		Source:  fmt.Sprintf("plan:%s:%d", period, plan.MonthlyCharacters),
		Granted: plan.MonthlyCharacters - given,
		Expires: NextMonth(b.now),
	})
}

// Grant adds a lot of l.Granted characters. Its id is derived from its source, so that the
// store refuses a second grant of the same source as a duplicate.
func (b *Book) Grant(l Lot) Lot {
	l.ID = LotID(b.orgID, l.Source)
	// A new lot begins with granted = remaining, whatever the caller has set.
	l.Created, l.Remaining, l.Held, l.Charged, l.Expired = b.now, l.Granted, 0, 0, 0
	kept := &l
	at, _ := slices.BinarySearchFunc(b.lots, kept, spendFirst)
	b.lots = slices.Insert(b.lots, at, kept)
	b.touchedLots[kept] = true
	b.book(Entry{Kind: Granted, LotID: l.ID, Amount: l.Granted})
	return *kept
}

// LotID returns the id of the lot that a source granted to an organisation:
// "lot_" and 16 base32 characters.
func LotID(orgID, source string) string {
	// The zero byte keeps pairs apart whose concatenation is the same. Neither part has one.
	sum := sha256.Sum256([]byte(orgID + "\x00" + source))
	return "lot_" + strings.ToLower(base32.StdEncoding.EncodeToString(sum[:10]))
}

// expire books that n characters of a lot cannot be spent any more.
func (b *Book) expire(l *Lot, n int64) {
	l.Expired += n
	b.touchedLots[l] = true
	b.book(Entry{Kind: Expired, LotID: l.ID, Amount: n})
}

func (b *Book) book(e Entry) {
	if e.Amount == 0 {
		return
	}
	e.At = b.now
	b.entries = append(b.entries, e)
}

// OrgID returns whose book it is.
func (b *Book) OrgID() string { return b.orgID }

// Terms returns the terms in force.
func (b *Book) Terms() Terms { return b.terms }

// SetTerms changes the terms; plans holds the plans that they may come to. What
// the new plan grants this month is granted at once.
func (b *Book) SetTerms(t Terms, plans map[string]Plan) {
	b.terms, b.plans, b.newTerms = t, plans, true
	b.roll()
}

// Plan returns the plan in force. One that is not known grants nothing.
func (b *Book) Plan() Plan {
	id := b.terms.PlanID()
	if p, ok := b.plans[id]; ok {
		return p
	}
	return Plan{ID: id, Name: id}
}

// Changes returns what has to be written, in a fixed order.
func (b *Book) Changes() Changes {
	// Count only adds up, so that a posting of many requests books one entry.
	b.book(Entry{Kind: Unmetered, Amount: b.counted})
	b.counted = 0
	c := Changes{Entries: b.entries}
	if b.newTerms {
		c.Terms = &b.terms
	}
	if b.newMonth {
		c.Month = &b.month
	}
	for _, l := range b.lots {
		if b.touchedLots[l] {
			c.Lots = append(c.Lots, *l)
		}
	}
	for _, id := range sortedKeys(b.holds) {
		if h := b.holds[id]; b.touchedHolds[h] {
			kept := *h
			kept.Draws = slices.Clone(h.Draws)
			c.Holds = append(c.Holds, kept)
		}
	}
	return c
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
