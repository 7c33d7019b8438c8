package dictionaries

import (
	"context"

	"vaak/dictionary"
	"vaak/store/database"
	"vaak/text/respell"
)

// lock is the first key of advisory locks of PostgreSQL: the letters "dict". The second
// is the hash of an organisation.
const lock = 0x64696374

// Create implements [dictionary.Store].
func (d *Dictionaries) Create(ctx context.Context, c dictionary.Dictionary, rules []respell.Rule, most int) (ok bool, err error) {
	text, err := encodeRules(rules)
	if err != nil {
		return false, err
	}
	err = d.db.Transact(ctx, func(ctx context.Context, tx *database.Tx) error {
		ok = false
		// The lock comes first: the count then includes what the last holder wrote. SQLite
		// has one writer. The lock is a function of PostgreSQL, not a table for the builder.
		if d.db.Postgres() {
			if _, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock(?, hashtext(?))", lock, c.Org); err != nil {
				return tx.Fail(ctx, err, "wait for others who make dictionaries of %s", c.Org)
			}
		}
		n, err := tx.NewSelect().Model((*row)(nil)).Where("d.org_id = ?", c.Org).Count(ctx)
		if err != nil || n >= int64(most) {
			return tx.Fail(ctx, err, "count dictionaries of %s", c.Org)
		}
		r := rowOf(c)
		if _, err := tx.NewInsert().Model(&r).Returning("NULL").Exec(ctx); err != nil {
			return tx.Fail(ctx, err, "write dictionary %s", c.ID)
		}
		ok = true
		return addVersion(ctx, tx, c.ID, c.Latest, text)
	})
	return ok && err == nil, err
}

// addVersion writes a version of a dictionary.
func addVersion(ctx context.Context, tx *database.Tx, id string, v dictionary.Version, text string) error {
	r := versionRow{
		ID: v.ID, DictionaryID: id, Number: v.Number, CreatedAt: database.Micros(v.CreatedAt),
		RuleCount: v.Rules, Bytes: len(text), Rules: text,
	}
	_, err := tx.NewInsert().Model(&r).Returning("NULL").Exec(ctx)
	return tx.Fail(ctx, err, "write version %d of dictionary %s", v.Number, id)
}

// Put implements [dictionary.Store].
func (d *Dictionaries) Put(ctx context.Context, id, after string, v dictionary.Version, rules []respell.Rule) (bool, error) {
	if !database.IsID(id) || !database.IsID(after) {
		return false, nil
	}
	text, err := encodeRules(rules)
	if err != nil {
		return false, err
	}
	// Of two that put after the same version, the second waits for the row and then finds
	// another version in it.
	update := func(tx *database.Tx) database.Statement {
		return tx.NewUpdate().Model((*row)(nil)).Set("latest_id = ?", v.ID).Set("latest_number = ?", v.Number).
			Set("latest_rules = ?", v.Rules).Set("latest_at = ?", database.Micros(v.CreatedAt)).
			Where("id = ?", id).Where("latest_id = ?", after)
	}
	return d.change(ctx, id, update, func(ctx context.Context, tx *database.Tx) error {
		if err := addVersion(ctx, tx, id, v, text); err != nil {
			return err
		}
		return pruneVersions(ctx, tx, id, v.Number)
	})
}

// pruneVersions deletes versions of a dictionary before the latest: those beyond the
// number or the bytes that are kept, counted back from the latest, and all that are
// older. The statement is hand-written, since the builder has no window functions.
func pruneVersions(ctx context.Context, tx *database.Tx, id string, latest int) error {
	_, err := tx.ExecContext(ctx, `DELETE FROM dictionary_versions WHERE dictionary_id = ? AND number <= (
		SELECT max(number) FROM (
			SELECT number, row_number() OVER (ORDER BY number DESC) AS place, sum(bytes) OVER (ORDER BY number DESC) AS held
			FROM dictionary_versions WHERE dictionary_id = ? AND number < ?) AS earlier
		WHERE place > ? OR held > ?)`, id, id, latest, dictionary.KeptVersions-1, dictionary.KeptBytes)
	return tx.Fail(ctx, err, "delete old versions of dictionary %s", id)
}

// Delete implements [dictionary.Store]. The versions are deleted with the row of the
// dictionary.
func (d *Dictionaries) Delete(ctx context.Context, id string) (bool, error) {
	if !database.IsID(id) {
		return false, nil
	}
	return d.change(ctx, id, func(tx *database.Tx) database.Statement {
		return tx.NewDelete().Model((*row)(nil)).Where("id = ?", id)
	}, nil)
}

// change runs a statement that changes the row of a dictionary, then changes what belongs
// to it, and tells every process; ok is false when no row fits the statement. Raising
// the topic is last: it keeps all others that raise it waiting until the end.
func (d *Dictionaries) change(ctx context.Context, id string, st func(*database.Tx) database.Statement,
	then func(context.Context, *database.Tx) error) (ok bool, err error) {
	err = d.db.Transact(ctx, func(ctx context.Context, tx *database.Tx) error {
		ok = false
		n, err := tx.Execute(ctx, st(tx))
		if err != nil || n == 0 {
			return tx.Fail(ctx, err, "change dictionary %s", id)
		}
		if then != nil {
			if err := then(ctx, tx); err != nil {
				return err
			}
		}
		ok = true
		_, err = tx.Raise(ctx, topic, id)
		return err
	})
	return ok && err == nil, err
}
