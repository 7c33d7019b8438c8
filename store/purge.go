package store

import (
	"context"
	"time"

	"github.com/uptrace/bun"
)

// purgeAtOnce is how many rows a purge changes in one transaction, so that who sends
// an enquiry meanwhile does not wait for long.
const purgeAtOnce = 500

// unsentKept is how long what a person was shown is kept when nothing came of it.
const unsentKept = 48 * time.Hour

// Purge implements [enquiry.Records]. Of an enquiry there are left its id, intent,
// dataset, method and times; of its mails their kinds and states, and those that
// wait fail; its journal without what was shown; its releases without their licence,
// which may name the person, so that their links end. The link it came of goes with
// it. A text whose decline is deleted may be asked about again. Purge may be called
// again, after an error too.
func (e *Enquiries) Purge(ctx context.Context, before time.Time) (purged int, err error) {
	now, err := e.store.present(ctx, e.store.read)
	if err != nil {
		return 0, err
	}
	p := purge{now: micros(now), before: micros(before)}
	if purged, err = e.repeat(ctx, p.enquiries); err != nil {
		return purged, err
	}
	for _, step := range []purgeStep{p.digests, p.unsent, p.links, p.entries} {
		if _, err := e.repeat(ctx, step); err != nil {
			return purged, err
		}
	}
	e.store.foldLog(ctx)
	return purged, nil
}

// Purgeable implements [enquiry.Records].
func (e *Enquiries) Purgeable(ctx context.Context, before time.Time) (n int, err error) {
	err = e.store.read.QueryRowContext(ctx, "SELECT count(*) FROM enquiries WHERE purged = 0 AND received_at < ?", micros(before)).Scan(&n)
	return n, e.store.fail(ctx, err, "count old enquiries")
}

// PurgeOne implements [enquiry.Records].
func (e *Enquiries) PurgeOne(ctx context.Context, id string) (bool, error) {
	if !names(id) {
		return false, nil
	}
	now, err := e.store.present(ctx, e.store.read)
	if err != nil {
		return false, err
	}
	p := purge{now: micros(now), id: id}
	purged, err := e.repeat(ctx, p.enquiries)
	if err == nil {
		_, err = e.repeat(ctx, p.digests)
	}
	e.store.foldLog(ctx)
	return purged > 0, err
}

// purge is one call of Purge, or of PurgeOne. Instants are Unix microseconds.
type purge struct {
	now, before int64
	id          string // of the one; "" for those from before
}

// purgeStep changes up to purgeAtOnce rows and returns how many.
type purgeStep func(context.Context, *transaction) (int, error)

// repeat makes transactions of a step until there is less to do than one may, and
// returns how many rows all have changed.
func (e *Enquiries) repeat(ctx context.Context, step purgeStep) (rows int, err error) {
	for n := purgeAtOnce; n == purgeAtOnce; rows += n {
		err := e.store.transact(ctx, func(ctx context.Context, tx *transaction) (err error) {
			// Two that change the same rows in another order would wait for each other.
			if err = tx.alone(ctx); err != nil {
				return err
			}
			n, err = step(ctx, tx)
			return e.store.fail(ctx, err, "purge enquiries")
		})
		if err != nil {
			return rows, err
		}
	}
	return rows, nil
}

// enquiries empties enquiries, their mails and releases and what was shown, and
// deletes the links they came of. Releases come before entries: a download that is
// counted at the same moment has then written its own.
func (p *purge) enquiries(ctx context.Context, tx *transaction) (int, error) {
	which, of := "id = ?", []any{p.id}
	if p.id == "" {
		which, of = "id IN (SELECT id FROM enquiries WHERE purged = 0 AND received_at < ? ORDER BY received_at LIMIT ?)", []any{p.before, purgeAtOnce}
	}
	ids, err := collect(ctx, tx.IDB, scanOne[string], `UPDATE enquiries
		SET purged = 1, name = '', email = '', company = '', agent = '', message = ''
		WHERE purged = 0 AND `+which+" RETURNING id", of...)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	err = tx.exec(ctx, `UPDATE enquiry_mails SET to_address = '', reply_to = '', text = '',
			problem = CASE state WHEN 'queued' THEN 'purged' ELSE '' END,
			changed_at = CASE state WHEN 'queued' THEN ? ELSE changed_at END,
			state = CASE state WHEN 'queued' THEN 'failed' ELSE state END
		WHERE enquiry_id IN (?)`, p.now, bun.List(ids))
	if err != nil {
		return 0, err
	}
	err = tx.exec(ctx, `UPDATE sample_releases SET licence = '', expires_at = CASE WHEN expires_at > ? THEN ? ELSE expires_at END
		WHERE enquiry_id IN (?)`, p.now, p.now, bun.List(ids))
	if err != nil {
		return 0, err
	}
	err = tx.exec(ctx, "UPDATE enquiry_journal SET shown = '' WHERE shown <> '' AND enquiry_id IN (?)", bun.List(ids))
	if err != nil {
		return 0, err
	}
	return len(ids), tx.exec(ctx, "DELETE FROM enquiry_links WHERE sent IN (?)", bun.List(ids))
}

func scanOne[T any](r row) (v T, err error) {
	err = r.Scan(&v)
	return v, err
}

// digests empties what limits have counted, once they do no more.
func (p *purge) digests(ctx context.Context, tx *transaction) (int, error) {
	return tx.update(ctx, `UPDATE enquiries SET sender = '', client = '' WHERE id IN (
		SELECT id FROM enquiries WHERE sender <> '' AND purged = 1 AND received_at < ? ORDER BY received_at LIMIT ?)`,
		p.now-hour.Microseconds(), purgeAtOnce)
}

// unsent empties what persons were shown when nothing came of it.
func (p *purge) unsent(ctx context.Context, tx *transaction) (int, error) {
	return tx.update(ctx, `UPDATE enquiry_journal SET shown = '' WHERE n IN (
		SELECT n FROM enquiry_journal WHERE shown <> '' AND enquiry_id IS NULL AND at <= ? ORDER BY at LIMIT ?)`,
		p.now-unsentKept.Microseconds(), purgeAtOnce)
}

// links deletes links that have expired.
func (p *purge) links(ctx context.Context, tx *transaction) (int, error) {
	return tx.update(ctx, `DELETE FROM enquiry_links WHERE digest IN (
		SELECT digest FROM enquiry_links WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)`, p.now, purgeAtOnce)
}

// entries deletes entries of no enquiry.
func (p *purge) entries(ctx context.Context, tx *transaction) (int, error) {
	return tx.update(ctx, `DELETE FROM enquiry_journal WHERE n IN (
		SELECT n FROM enquiry_journal WHERE enquiry_id IS NULL AND at < ? ORDER BY at, n LIMIT ?)`, p.before, purgeAtOnce)
}
