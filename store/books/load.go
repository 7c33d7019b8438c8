package books

// The queries of this file are hand-written, since a posting runs them: PostgreSQL gets
// all of them in one round trip, prepared, which bun's builder cannot do, and SQLite
// runs the same text.

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"vaak/account"
	"vaak/account/ledger"
	"vaak/store/database"
	"vaak/store/organisations"
	"vaak/store/webhooks"
)

// loader reads the books that a posting opens, with one query for each sort of row,
// however many rows there are.
type loader struct {
	db   *database.DB
	open account.Opening
	// spent also loads lots that are spent and have not expired.
	spent bool
	// lock keeps other transactions from changing the books.
	lock bool
	// watch gets the webhook endpoints that want events of the books; nil is not asked for.
	watch *webhooks.Watch

	now     time.Time
	records map[string]*ledger.Record
	plans   map[string]ledger.Plan
	capped  map[string]*cappedKey
}

// load reads everything: in one batch, or one by one when batch is nil.
func (l *loader) load(ctx context.Context, tx bun.IDB, batch *database.Batch) error {
	l.records = make(map[string]*ledger.Record, len(l.open.Orgs))
	l.plans, l.capped = map[string]ledger.Plan{}, map[string]*cappedKey{}
	if l.watch != nil {
		*l.watch = webhooks.Watch{}
	}
	for _, q := range l.queries() {
		if batch != nil {
			batch.Queue(q)
		} else if err := q.Run(ctx, tx); err != nil {
			return l.db.Fail(ctx, err, "load %s", q.What)
		}
	}
	if batch != nil {
		if err := batch.Send(ctx); err != nil {
			return l.db.Fail(ctx, err, "load books")
		}
	}
	// After the lock was acquired, as the query for the clock is on PostgreSQL.
	if !l.db.ServerClock() {
		l.now = database.Instant(l.db.Local().UnixMicro())
	}
	return nil
}

// queries returns what to read. The query that locks comes first and is a statement of
// its own. So those after it see what the last holder of the lock wrote, and the clock,
// which comes last, never goes back between two postings on one book.
func (l *loader) queries() (all []database.Query) {
	if len(l.open.Orgs) > 0 {
		all = append(all, l.organisations(), l.plansOf(), l.lots(), l.holds())
		if len(l.open.Keys) > 0 {
			all = append(all, l.keys())
		}
		if l.watch != nil {
			all = append(all, l.watch.Query(l.db, l.open.Orgs))
		}
	}
	if l.db.ServerClock() {
		now, bound := l.db.ClockText()
		all = append(all, database.Query{What: "clock", SQL: "SELECT " + now, Args: []any{bound}, Read: func(scan func(...any) error) error {
			var at int64
			err := scan(&at)
			l.now = database.Instant(at)
			return err
		}})
	}
	return all
}

// books opens what was loaded.
func (l *loader) books() map[string]*ledger.Book {
	for _, k := range l.capped {
		// Only now is the month known: the clock was read after the query for the keys.
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

// clock is an expression for the present and the value for its ?. The clock of the server
// is a subquery: PostgreSQL then reads it once for all rows, and can seek it in an index.
func (l *loader) clock() (expr string, value int64) {
	expr, value = l.db.ClockText()
	if l.db.ServerClock() {
		expr = "(SELECT " + expr + ")"
	}
	return expr, value
}

// organisations locks the organisations in the order of their ids, so that two postings
// cannot wait for each other.
func (l *loader) organisations() database.Query {
	// PostgreSQL sorts before it locks, so ORDER BY is the order of the locks.
	query := `SELECT id, granted_period, granted_characters, mode, plan, coalesce(sub_plan, ''), coalesce(sub_expires_at, 0),
			coalesce(sub_anchor_day, 0), sub_auto_renew, coalesce(sub_renewal_plan, ''), coalesce(sub_falls_back_to, '')
		FROM organisations WHERE id ? ORDER BY id`
	if l.lock && l.db.Postgres() {
		query += " FOR UPDATE"
	}
	return database.Query{What: "organisations", SQL: query, Args: []any{database.List(l.open.Orgs)}, Read: func(scan func(...any) error) error {
		r := &ledger.Record{Plans: map[string]ledger.Plan{}}
		var t organisations.TermsRow
		err := scan(&r.OrgID, &r.Month.Period, &r.Month.Granted, &t.Mode, &t.Plan, &t.SubPlan, &t.SubExpiresAt,
			&t.SubAnchorDay, &t.SubAutoRenew, &t.SubRenewalPlan, &t.SubFallsBackTo)
		r.Terms = t.Terms()
		l.records[r.OrgID] = r
		return err
	}}
}

// plansOf reads the plans that terms may come to.
func (l *loader) plansOf() database.Query {
	return database.Query{What: "plans", SQL: `SELECT id, name, monthly_characters, requests_per_minute, max_streams FROM plans
		WHERE EXISTS (SELECT 1 FROM organisations AS o WHERE o.id ?
			AND plans.id IN (o.plan, o.sub_plan, o.sub_renewal_plan, o.sub_falls_back_to))`, Args: []any{database.List(l.open.Orgs)},
		Read: func(scan func(...any) error) error {
			var p ledger.Plan
			err := scan(&p.ID, &p.Name, &p.MonthlyCharacters, &p.RequestsPerMinute, &p.MaxStreams)
			l.plans[p.ID] = p
			return err
		}}
}

// lots reads the lots from which something can be drawn or is held.
func (l *loader) lots() database.Query {
	// The generated column is_open has an index of its own. Spent lots, whose number grows
	// without end, are not read for a posting.
	which, args := "is_open", []any{database.List(l.open.Orgs)}
	if l.spent {
		now, at := l.clock()
		which += " OR expires_at IS NULL OR expires_at > " + now
		args = append(args, at)
	}
	return database.Query{What: "lots", SQL: `SELECT id, org_id, kind, source, coalesce(expires_at, 0), created_at,
			granted, remaining, held, charged, expired
		FROM lots WHERE org_id ? AND (` + which + ")", Args: args, Read: func(scan func(...any) error) error {
		var r lotRow
		err := scan(&r.ID, &r.OrgID, &r.Kind, &r.Source, &r.ExpiresAt, &r.CreatedAt,
			&r.Granted, &r.Remaining, &r.Held, &r.Charged, &r.Expired)
		if rec := l.records[r.OrgID]; rec != nil {
			rec.Lots = append(rec.Lots, r.lot())
		}
		return err
	}}
}

const holdColumns = "SELECT id, org_id, key_id, state, amount, charged, draws, lease_at, created_at, coalesce(day, ''), ahead FROM holds "

// holds reads the holds whose lease has run out, the advances of all processes, and the holds
// that the posting names. A hold that is two of these is read twice; the book takes it once.
func (l *loader) holds() database.Query {
	now, at := l.clock()
	q := database.Query{What: "holds", SQL: holdColumns + "WHERE org_id ? AND state = 'held' AND (ahead >= 0 OR lease_at <= " + now + ")",
		Args: []any{database.List(l.open.Orgs), at}, Read: l.hold}
	if len(l.open.Holds) > 0 {
		q.SQL += " UNION ALL " + holdColumns + "WHERE id ?"
		q.Args = append(q.Args, database.List(l.open.Holds))
	}
	return q
}

func (l *loader) hold(scan func(...any) error) error {
	var r holdRow
	err := scan(&r.ID, &r.OrgID, &r.KeyID, &r.State, &r.Amount, &r.Charged, &r.Draws, &r.LeaseAt, &r.CreatedAt, &r.Day, &r.Ahead)
	if err != nil {
		return err
	}
	h, err := r.hold()
	if rec := l.records[r.OrgID]; rec != nil {
		rec.Holds = append(rec.Holds, h)
	}
	return err
}

// skew is how far the clock of this machine may be from that of the database. The months
// since then are read, because the month of the posting is only known with its clock.
const skew = 31 * 24 * time.Hour

// keys reads what the named keys with a cap have spent and hold.
func (l *loader) keys() database.Query {
	return database.Query{What: "capped keys", SQL: `SELECT k.id, k.org_id, k.monthly_cap, coalesce(m.period, ''), coalesce(m.characters, 0),
			CAST((SELECT coalesce(sum(h.amount), 0) FROM holds AS h WHERE h.key_id = k.id AND h.state = 'held') AS BIGINT)
		FROM api_keys AS k LEFT JOIN key_months AS m ON m.key_id = k.id AND m.period >= ?
		WHERE k.id ? AND k.monthly_cap >= 0`,
		Args: []any{string(ledger.PeriodOf(l.db.Local().Add(-skew))), database.List(l.open.Keys)}, Read: l.key}
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
	first := l.capped[k.KeyID] // there is a row for each month of the key
	if first == nil {
		first = &k
		first.spent = map[ledger.Period]int64{}
		l.capped[k.KeyID] = first
	}
	first.spent[period] = spent
	return nil
}
