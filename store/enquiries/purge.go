package enquiries

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"vaak/store/database"
	"vaak/store/webhooks"
	"vaak/webhook"
)

// purgeAtOnce is how many rows a purge changes in one transaction. A person who sends an
// enquiry waits for that transaction.
const purgeAtOnce = 500

// unsentKept is how long the words that a person was shown are kept when no enquiry came
// of them.
const unsentKept = 48 * time.Hour

// Purge implements [enquiry.Records]. These remain: of an enquiry its id, intent, dataset,
// method and times; of its mails their kinds and states, with those that wait marked as
// failed; of its journal all but what was shown; of its releases all but the licence,
// which may name the person, and their links end. The link that the enquiry came of is
// deleted. A text whose decline is deleted may be asked about again. Purge may be called
// again, also after an error.
func (s *Enquiries) Purge(ctx context.Context, before time.Time) (purged int, err error) {
	now, err := s.db.Present(ctx, s.db.Read)
	if err != nil {
		return 0, err
	}
	p := purge{now: database.Micros(now), before: database.Micros(before)}
	if purged, err = s.repeat(ctx, p.enquiries); err != nil {
		return purged, err
	}
	// After the enquiries, since digests only empties those that are purged.
	for _, step := range []purgeStep{p.digests, p.unsent, p.links, p.entries} {
		if _, err := s.repeat(ctx, step); err != nil {
			return purged, err
		}
	}
	s.db.FoldLog(ctx) // the WAL still has the pages with the text
	return purged, nil
}

// Purgeable implements [enquiry.Records].
func (s *Enquiries) Purgeable(ctx context.Context, before time.Time) (int, error) {
	n, err := s.db.Read.NewSelect().Model((*row)(nil)).Where("e.purged = 0").Where("e.received_at < ?", database.Micros(before)).Count(ctx)
	return int(n), s.db.Fail(ctx, err, "count old enquiries")
}

// PurgeOne implements [enquiry.Records].
func (s *Enquiries) PurgeOne(ctx context.Context, id string) (bool, error) {
	if !database.IsID(id) {
		return false, nil
	}
	now, err := s.db.Present(ctx, s.db.Read)
	if err != nil {
		return false, err
	}
	p := purge{now: database.Micros(now), id: id}
	purged, err := s.repeat(ctx, p.enquiries)
	if err == nil {
		_, err = s.repeat(ctx, p.digests)
	}
	s.db.FoldLog(ctx)
	return purged > 0, err
}

// purge is one call of Purge or PurgeOne. Instants are Unix microseconds.
type purge struct {
	now, before int64
	id          string // of the only enquiry to purge; "" purges those from before
}

// purgeStep changes up to purgeAtOnce rows and returns how many.
type purgeStep func(context.Context, *database.Tx) (int, error)

// repeat runs transactions of a step until one finds fewer rows than it may change, and
// returns how many rows all of them have changed.
func (s *Enquiries) repeat(ctx context.Context, step purgeStep) (rows int, err error) {
	for n := purgeAtOnce; n == purgeAtOnce; rows += n {
		err := s.db.Transact(ctx, func(ctx context.Context, tx *database.Tx) (err error) {
			// Two purges could change the same rows in another order, and deadlock.
			if err = alone(ctx, tx); err != nil {
				return err
			}
			n, err = step(ctx, tx)
			return tx.Fail(ctx, err, "purge enquiries")
		})
		if err != nil {
			return rows, err
		}
	}
	return rows, nil
}

// enquiries empties enquiries, their mails, their releases and what was shown, and deletes
// the links that they came of. Releases come before entries: a download that is counted at
// the same moment holds the row of its release, and has written its entry when the purge
// gets that row.
func (p *purge) enquiries(ctx context.Context, tx *database.Tx) (int, error) {
	var purged []struct{ ID, Intent, About string }
	q := tx.NewUpdate().Model((*row)(nil)).
		Set("purged = 1").Set("name = ''").Set("email = ''").Set("company = ''").Set("agent = ''").Set("message = ''").
		Where("purged = 0").Returning("id, intent, about")
	if p.id != "" {
		q = q.Where("id = ?", p.id)
	} else {
		old := tx.NewSelect().Model((*row)(nil)).Column("id").Where("purged = 0").Where("received_at < ?", p.before).
			Order("received_at").Limit(purgeAtOnce)
		q = q.Where("id IN (?)", old)
	}
	if _, err := q.Exec(ctx, &purged); err != nil || len(purged) == 0 {
		return 0, err
	}
	ids := make([]string, len(purged))
	for i, e := range purged {
		ids[i] = e.ID
		of, err := row{ID: e.ID, Intent: e.Intent, About: e.About}.enquiry()
		if err != nil {
			return 0, err
		}
		if err := webhooks.Emit(ctx, tx, happened(webhook.EnquiryPurged, e.ID, database.Instant(p.now), thin(of))); err != nil {
			return 0, err
		}
	}
	of := bun.List(ids)
	for _, st := range []database.Statement{
		tx.NewUpdate().Model((*mailRow)(nil)).Set("to_address = ''").Set("reply_to = ''").Set("text = ''").
			Set("problem = CASE state WHEN 'queued' THEN 'purged' ELSE '' END").
			Set("changed_at = CASE state WHEN 'queued' THEN ? ELSE changed_at END", p.now).
			Set("state = CASE state WHEN 'queued' THEN 'failed' ELSE state END").
			Where("enquiry_id IN (?)", of),
		tx.NewUpdate().Model((*releaseRow)(nil)).Set("licence = ''").
			Set("expires_at = CASE WHEN expires_at > ? THEN ? ELSE expires_at END", p.now, p.now).
			Where("enquiry_id IN (?)", of),
		tx.NewUpdate().Model((*entryRow)(nil)).Set("shown = ''").Where("shown <> ''").Where("enquiry_id IN (?)", of),
		tx.NewDelete().Model((*linkRow)(nil)).Where("sent IN (?)", of),
	} {
		if _, err := st.Exec(ctx); err != nil {
			return 0, err
		}
	}
	return len(ids), nil
}

// digests empties the digests of purged enquiries that limits count no longer.
func (p *purge) digests(ctx context.Context, tx *database.Tx) (int, error) {
	old := tx.NewSelect().Model((*row)(nil)).Column("id").Where("sender <> ''").Where("purged = 1").
		Where("received_at < ?", p.now-hour.Microseconds()).Order("received_at").Limit(purgeAtOnce)
	return tx.Execute(ctx, tx.NewUpdate().Model((*row)(nil)).Set("sender = ''").Set("client = ''").Where("id IN (?)", old))
}

// unsent empties what persons were shown when no enquiry came of it.
func (p *purge) unsent(ctx context.Context, tx *database.Tx) (int, error) {
	old := tx.NewSelect().Model((*entryRow)(nil)).Column("n").Where("shown <> ''").Where("enquiry_id IS NULL").
		Where("at <= ?", p.now-unsentKept.Microseconds()).Order("at").Limit(purgeAtOnce)
	return tx.Execute(ctx, tx.NewUpdate().Model((*entryRow)(nil)).Set("shown = ''").Where("n IN (?)", old))
}

// links deletes links that have expired.
func (p *purge) links(ctx context.Context, tx *database.Tx) (int, error) {
	old := tx.NewSelect().Model((*linkRow)(nil)).Column("digest").Where("expires_at <= ?", p.now).
		Order("expires_at").Limit(purgeAtOnce)
	return tx.Execute(ctx, tx.NewDelete().Model((*linkRow)(nil)).Where("digest IN (?)", old))
}

// entries deletes entries of no enquiry.
func (p *purge) entries(ctx context.Context, tx *database.Tx) (int, error) {
	old := tx.NewSelect().Model((*entryRow)(nil)).Column("n").Where("enquiry_id IS NULL").Where("at < ?", p.before).
		Order("at", "n").Limit(purgeAtOnce)
	return tx.Execute(ctx, tx.NewDelete().Model((*entryRow)(nil)).Where("n IN (?)", old))
}
