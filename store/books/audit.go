package books

// The sums of this file are hand-written: they join subqueries and unions, for which the
// builder would only concatenate the same fragments.

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"vaak/account"
	"vaak/account/ledger"
	"vaak/store/database"
)

// maxFaults is how many faults of one sort an audit names.
const maxFaults = 20

// Audit implements [account.LedgerStore]. It reads one state of the database.
func (b *Books) Audit(ctx context.Context) (ledger.Audit, error) {
	// Every step runs in one snapshot: postings that commit meanwhile would look like faults.
	var a auditor
	now, err := b.db.Present(ctx, b.db.Read)
	if err != nil {
		return a.found, err
	}
	a.now = now
	err = b.db.Snapshot(ctx, func(tx bun.Tx) error {
		a.tx = tx
		for _, step := range []struct {
			what string
			look func(context.Context) error
		}{
			{"totals", a.totals}, {"lots", a.lots}, {"holds", a.holds}, {"the journal", a.journal},
			{"usage", a.usage}, {"days", a.days}, {"charges", a.charges},
		} {
			if err := step.look(ctx); err != nil {
				return b.db.Fail(ctx, err, "audit %s", step.what)
			}
		}
		return nil
	})
	return a.found, err
}

type auditor struct {
	tx    bun.Tx
	now   time.Time
	found ledger.Audit
}

func (a *auditor) fault(format string, args ...any) {
	a.found.Faults = append(a.found.Faults, fmt.Sprintf(format, args...))
}

func (a *auditor) totals(ctx context.Context) error {
	f := &a.found
	err := a.tx.QueryRowContext(ctx, `SELECT count(*), CAST(coalesce(sum(charged), 0) AS BIGINT) FROM lots`).Scan(&f.Lots, &f.Charged)
	if err != nil {
		return err
	}
	err = a.tx.QueryRowContext(ctx, `SELECT count(CASE WHEN ahead < 0 OR ahead < amount THEN 1 END), count(CASE WHEN ahead >= 0 THEN 1 END),
		CAST(coalesce(sum(amount - CASE WHEN ahead > 0 THEN ahead ELSE 0 END), 0) AS BIGINT)
		FROM holds WHERE state = 'held'`).Scan(&f.OpenHolds, &f.Advances, &f.HeldChars)
	if err != nil {
		return err
	}
	return a.tx.QueryRowContext(ctx, `SELECT
		(SELECT count(*) FROM holds WHERE state = 'lapsed' AND ended_at >= ?),
		CAST((SELECT coalesce(sum(amount), 0) FROM ledger_entries WHERE kind = 'written_off') AS BIGINT)`,
		database.Micros(a.now.Add(-account.LapsedFor))).
		Scan(&f.Lapsed, &f.WrittenOff)
}

// lots finds lots that break the invariant of a lot: each granted character remains, is
// held, was charged or has expired.
func (a *auditor) lots(ctx context.Context) error {
	var rows []lotRow
	err := a.tx.NewSelect().Model(&rows).
		Where("granted <> remaining + held + charged + expired OR remaining < 0 OR held < 0 OR charged < 0 OR expired < 0").
		Order("id").Limit(maxFaults).Scan(ctx)
	for _, r := range rows {
		a.fault("lot %s: %d granted, but %d remaining + %d held + %d charged + %d expired",
			r.ID, r.Granted, r.Remaining, r.Held, r.Charged, r.Expired)
	}
	return err
}

// holds compares what lots say is held with what open holds say they keep.
func (a *auditor) holds(ctx context.Context) error {
	drawn, err := a.drawn(ctx)
	if err != nil {
		return err
	}
	var lots []struct {
		ID   string
		Held int64
	}
	if err := a.tx.NewSelect().Model((*lotRow)(nil)).Column("id", "held").Where("held > 0").Scan(ctx, &lots); err != nil {
		return err
	}
	held := make(map[string]int64, len(lots))
	for _, l := range lots {
		held[l.ID] = l.Held
		drawn[l.ID] += 0 // adds the key, so that the loop below compares this lot, too
	}
	faults := 0
	for _, id := range database.Sorted(drawn) {
		if drawn[id] != held[id] && faults < maxFaults {
			a.fault("lot %s: %d held, but open holds keep %d of it", id, held[id], drawn[id])
			faults++
		}
	}
	return nil
}

// drawn sums what open holds keep, by lot.
func (a *auditor) drawn(ctx context.Context) (map[string]int64, error) {
	var rows []holdRow
	err := a.tx.NewSelect().Model(&rows).Column("id", "amount", "draws").Where("state = 'held'").Order("id").Scan(ctx)
	drawn, faults := map[string]int64{}, 0
	for _, r := range rows {
		h, err := r.hold()
		if err != nil {
			a.fault("hold %s: its draws cannot be read", r.ID)
			continue
		}
		var sum int64
		for _, d := range h.Draws {
			drawn[d.Lot] += d.Amount
			sum += d.Amount
		}
		// Sum may be less than the amount: on a plan without a bound, a hold of a key with a
		// cap draws from no lot.
		if sum > h.Amount && faults < maxFaults {
			a.fault("hold %s: keeps %d, but draws %d", h.ID, h.Amount, sum)
			faults++
		}
	}
	return drawn, err
}

// journal compares lots with their entries.
func (a *auditor) journal(ctx context.Context) error {
	var rows []struct {
		ID                         string
		Granted, Charged, Expired  int64
		EGranted, ECharged, EExpir int64
	}
	err := a.tx.NewRaw(`SELECT * FROM (
			SELECT l.id, l.granted, l.charged, l.expired,
				CAST(coalesce(sum(CASE WHEN e.kind = 'grant' THEN e.amount END), 0) AS BIGINT) AS e_granted,
				CAST(coalesce(sum(CASE WHEN e.kind = 'charge' THEN e.amount END), 0) AS BIGINT) AS e_charged,
				CAST(coalesce(sum(CASE WHEN e.kind = 'expire' THEN e.amount END), 0) AS BIGINT) AS e_expir
			FROM lots AS l LEFT JOIN ledger_entries AS e ON e.lot_id = l.id
			GROUP BY l.id, l.granted, l.charged, l.expired
		) AS sums
		WHERE granted <> e_granted OR charged <> e_charged OR expired <> e_expir
		ORDER BY id LIMIT ?`, maxFaults).Scan(ctx, &rows)
	for _, r := range rows {
		a.fault("lot %s: %d granted, %d charged, %d expired, but the journal has %d, %d, %d",
			r.ID, r.Granted, r.Charged, r.Expired, r.EGranted, r.ECharged, r.EExpir)
	}
	return err
}

// usage compares what keys have used with what the journal says was spoken.
func (a *auditor) usage(ctx context.Context) error {
	var rows []struct {
		ID           string
		Used, Booked int64
	}
	err := a.tx.NewRaw(`SELECT * FROM (
			SELECT o.id,
				CAST((SELECT coalesce(sum(m.characters), 0) FROM key_months AS m JOIN api_keys AS k ON k.id = m.key_id
					WHERE k.org_id = o.id) AS BIGINT) AS used,
				CAST(coalesce(j.booked, 0) AS BIGINT) AS booked
			FROM organisations AS o LEFT JOIN (SELECT org_id, sum(amount) AS booked FROM ledger_entries
				WHERE kind IN ('charge', 'unmetered', 'written_off') GROUP BY org_id) AS j ON j.org_id = o.id
		) AS sums
		WHERE used <> booked ORDER BY id LIMIT ?`, maxFaults).Scan(ctx, &rows)
	for _, r := range rows {
		a.fault("organisation %s: keys used %d characters, but the journal says %d", r.ID, r.Used, r.Booked)
	}
	return err
}

// days compares the sums of each organisation by key, by voice and by language: each use
// is in all three. It leaves out usage_days, which has many more rows.
func (a *auditor) days(ctx context.Context) error {
	var rows []struct{ OrgID string }
	err := a.tx.NewRaw(`SELECT org_id FROM (
			SELECT org_id, sum(requests) AS requests, sum(characters) AS characters, sum(audio_ms) AS audio_ms
			FROM organisation_days GROUP BY org_id, kind
		) AS sums
		GROUP BY org_id HAVING count(*) <> ? OR min(requests) <> max(requests)
			OR min(characters) <> max(characters) OR min(audio_ms) <> max(audio_ms)
		ORDER BY org_id LIMIT ?`, len(account.Groupings()), maxFaults).Scan(ctx, &rows)
	for _, r := range rows {
		a.fault("organisation %s: its days by key, by voice and by language do not come to the same", r.OrgID)
	}
	return err
}

// charges compares what organisations used on each day with the holds that were settled
// that day. A use without a hold makes a difference, and so does one that was counted
// twice. It looks only at days of which no hold has been pruned, two days after the
// first to be safe.
func (a *auditor) charges(ctx context.Context) error {
	var known string
	if err := a.tx.QueryRowContext(ctx, "SELECT since FROM charges_known WHERE id = 1").Scan(&known); err != nil {
		return err
	}
	since := max(known, a.now.Add(-account.HeldFor).AddDate(0, 0, 2).UTC().Format(time.DateOnly))
	var rows []struct {
		OrgID, Day                             string
		Requests, Characters, Charges, Charged int64
	}
	err := a.tx.NewRaw(`SELECT org_id, day, CAST(sum(requests) AS BIGINT) AS requests, CAST(sum(characters) AS BIGINT) AS characters,
			CAST(sum(charges) AS BIGINT) AS charges, CAST(sum(charged) AS BIGINT) AS charged
		FROM (
			SELECT org_id, day, requests, characters, 0 AS charges, 0 AS charged FROM organisation_days WHERE kind = ? AND day >= ?
			UNION ALL
			SELECT org_id, day, 0, 0, 1, charged FROM holds WHERE state = 'settled' AND day >= ?
		) AS uses
		GROUP BY org_id, day HAVING sum(requests) <> sum(charges) OR sum(characters) <> sum(charged)
		ORDER BY org_id, day LIMIT ?`, string(account.ByKey), since, since, maxFaults).Scan(ctx, &rows)
	for _, r := range rows {
		a.fault("organisation %s: on %s it used %d characters in %d requests, but was charged %d in %d",
			r.OrgID, r.Day, r.Characters, r.Requests, r.Charged, r.Charges)
	}
	return err
}
