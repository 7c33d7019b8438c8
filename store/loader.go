package store

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"vaak/account"
	"vaak/account/ledger"
)

// rows is what a query returned, of whatever driver.
type rows interface {
	Next() bool
	Scan(to ...any) error
	Err() error
}

// question is a statement with ? for its values, where a list of them is
// IN (?) and a []string, and what to do with each row that it returns.
type question struct {
	what  string // it is about
	query string
	args  []any
	read  reader // nil when nothing is returned
}

// reader takes one row.
type reader func(scan func(to ...any) error) error

// all takes each row.
func (r reader) all(rows rows) error {
	for rows.Next() {
		if err := r(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

// ask runs a question alone.
func (q question) ask(ctx context.Context, db bun.IDB) error {
	args := make([]any, len(q.args))
	for i, arg := range q.args {
		if list, ok := arg.([]string); ok {
			arg = bun.List(list)
		}
		args[i] = arg
	}
	rows, err := db.QueryContext(ctx, q.query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	return q.read.all(rows)
}

// loader reads the books that a posting opens, a question for each sort of
// row, however many there are.
type loader struct {
	store *Store
	db    bun.IDB
	pipe  *pipe // takes all questions at once; nil asks db one by one
	open  account.Opening
	// spent loads lots that are spent but have not expired, too.
	spent bool
	// lock keeps others from changing the books.
	lock bool

	now     time.Time
	records map[string]*ledger.Record
	plans   map[string]ledger.Plan
	capped  map[string]*cappedKey
}

// load reads everything.
func (l *loader) load(ctx context.Context) error {
	l.records = make(map[string]*ledger.Record, len(l.open.Orgs))
	l.plans, l.capped = map[string]ledger.Plan{}, map[string]*cappedKey{}
	for _, q := range l.questions() {
		if l.pipe != nil {
			l.pipe.add(q)
		} else if err := q.ask(ctx, l.db); err != nil {
			return l.store.fail(ctx, err, "load %s", q.what)
		}
	}
	if l.pipe != nil {
		if err := l.pipe.send(ctx); err != nil {
			return l.store.fail(ctx, err, "load books")
		}
	}
	if !l.store.remote() {
		l.now = instant(l.store.local().UnixMicro())
	}
	return nil
}

// questions lists what is to be asked. What locks comes first, and is a
// statement of its own: those after it see what the last holder of the lock
// wrote, and the time of postings on one book never goes back.
func (l *loader) questions() (all []question) {
	if len(l.open.Orgs) > 0 {
		all = append(all, l.organisations(), l.plansOf(), l.lots(), l.holds())
		if len(l.open.Keys) > 0 {
			all = append(all, l.keys())
		}
	}
	if l.store.remote() {
		now, bound := l.store.clockText()
		all = append(all, question{what: "clock", query: "SELECT " + now, args: []any{bound}, read: func(scan func(...any) error) error {
			var at int64
			err := scan(&at)
			l.now = instant(at)
			return err
		}})
	}
	return all
}

// books opens what was loaded.
func (l *loader) books() map[string]*ledger.Book {
	for _, k := range l.capped {
		k.Spent = k.spent[ledger.PeriodOf(l.now)]
		if r := l.records[k.orgID]; r != nil {
			r.Keys = append(r.Keys, k.KeyMonth)
		}
	}
	books := make(map[string]*ledger.Book, len(l.records))
	for id, r := range l.records {
		for _, plan := range r.Terms.PlanIDs() {
			if p, ok := l.plans[plan]; ok {
				r.Plans[plan] = p
			}
		}
		books[id] = ledger.Open(*r, l.now)
	}
	return books
}

// clock is an expression for the present and its value. As a query of its own
// the server's clock is read once for all rows, and can be sought in an index.
func (l *loader) clock() (expr string, value int64) {
	expr, value = l.store.clockText()
	if l.store.remote() {
		expr = "(SELECT " + expr + ")"
	}
	return expr, value
}

// organisations asks for the organisations, in the order of their ids so that
// two postings cannot wait for each other.
func (l *loader) organisations() question {
	query := `SELECT id, granted_period, granted_characters, mode, plan, coalesce(sub_plan, ''), coalesce(sub_expires_at, 0),
			coalesce(sub_anchor_day, 0), sub_auto_renew, coalesce(sub_renewal_plan, ''), coalesce(sub_falls_back_to, '')
		FROM organisations WHERE id IN (?) ORDER BY id`
	if l.lock && l.store.postgres() {
		query += " FOR UPDATE"
	}
	return question{"organisations", query, []any{l.open.Orgs}, func(scan func(...any) error) error {
		r := &ledger.Record{Plans: map[string]ledger.Plan{}}
		var t termsRow
		err := scan(&r.OrgID, &r.Month.Period, &r.Month.Granted, &t.Mode, &t.Plan, &t.SubPlan, &t.SubExpiresAt,
			&t.SubAnchorDay, &t.SubAutoRenew, &t.SubRenewalPlan, &t.SubFallsBackTo)
		r.Terms = t.terms()
		l.records[r.OrgID] = r
		return err
	}}
}

// plansOf asks for the plans that terms may come to.
func (l *loader) plansOf() question {
	return question{"plans", `SELECT id, name, monthly_characters, requests_per_minute, max_streams FROM plans
		WHERE EXISTS (SELECT 1 FROM organisations AS o WHERE o.id IN (?)
			AND plans.id IN (o.plan, o.sub_plan, o.sub_renewal_plan, o.sub_falls_back_to))`, []any{l.open.Orgs},
		func(scan func(...any) error) error {
			var p ledger.Plan
			err := scan(&p.ID, &p.Name, &p.MonthlyCharacters, &p.RequestsPerMinute, &p.MaxStreams)
			l.plans[p.ID] = p
			return err
		}}
}

// lots asks for the lots from which something can be drawn or is held.
func (l *loader) lots() question {
	which, args := "is_open", []any{l.open.Orgs}
	if l.spent {
		now, at := l.clock()
		which += " OR expires_at IS NULL OR expires_at > " + now
		args = append(args, at)
	}
	return question{"lots", `SELECT id, org_id, kind, source, coalesce(expires_at, 0), created_at,
			granted, remaining, held, charged, expired
		FROM lots WHERE org_id IN (?) AND (` + which + ")", args, func(scan func(...any) error) error {
		var r lotRow
		err := scan(&r.ID, &r.OrgID, &r.Kind, &r.Source, &r.ExpiresAt, &r.CreatedAt,
			&r.Granted, &r.Remaining, &r.Held, &r.Charged, &r.Expired)
		if rec := l.records[r.OrgID]; rec != nil {
			rec.Lots = append(rec.Lots, r.lot())
		}
		return err
	}}
}

const holdColumns = "SELECT id, org_id, key_id, state, amount, charged, draws, lease_at, created_at, coalesce(day, '') FROM holds "

// holds asks for the holds whose lease has run out, and for those that are
// named. One that is both is read twice, which the book does not mind.
func (l *loader) holds() question {
	now, at := l.clock()
	q := question{"holds", holdColumns + "WHERE org_id IN (?) AND state = 'held' AND lease_at <= " + now,
		[]any{l.open.Orgs, at}, l.hold}
	if len(l.open.Holds) > 0 {
		q.query += " UNION ALL " + holdColumns + "WHERE id IN (?)"
		q.args = append(q.args, l.open.Holds)
	}
	return q
}

func (l *loader) hold(scan func(...any) error) error {
	var r holdRow
	err := scan(&r.ID, &r.OrgID, &r.KeyID, &r.State, &r.Amount, &r.Charged, &r.Draws, &r.LeaseAt, &r.CreatedAt, &r.Day)
	if err != nil {
		return err
	}
	h, err := r.hold()
	if rec := l.records[r.OrgID]; rec != nil {
		rec.Holds = append(rec.Holds, h)
	}
	return err
}

// skew is how wrong the clock of this machine may be, compared with that of
// the database, before a cap misses what was spent.
const skew = 31 * 24 * time.Hour

// keys asks what the named keys have spent and hold, of those with a cap.
func (l *loader) keys() question {
	return question{"capped keys", `SELECT k.id, k.org_id, k.monthly_cap, coalesce(m.period, ''), coalesce(m.characters, 0),
			CAST((SELECT coalesce(sum(h.amount), 0) FROM holds AS h WHERE h.key_id = k.id AND h.state = 'held') AS BIGINT)
		FROM api_keys AS k LEFT JOIN key_months AS m ON m.key_id = k.id AND m.period >= ?
		WHERE k.id IN (?) AND k.monthly_cap >= 0`,
		[]any{string(ledger.PeriodOf(l.store.local().Add(-skew))), l.open.Keys}, l.key}
}

// cappedKey is a key with a cap, and what it spent in the last months.
type cappedKey struct {
	ledger.KeyMonth
	orgID string
	spent map[ledger.Period]int64
}

func (l *loader) key(scan func(...any) error) error {
	var k cappedKey
	var period ledger.Period
	var spent int64
	if err := scan(&k.KeyID, &k.orgID, &k.Cap, &period, &spent, &k.Held); err != nil {
		return err
	}
	kept := l.capped[k.KeyID]
	if kept == nil {
		kept = &k
		kept.spent = map[ledger.Period]int64{}
		l.capped[k.KeyID] = kept
	}
	kept.spent[period] = spent
	return nil
}
