package store

import (
	"context"

	"vaak/dictionary"
	"vaak/text/respell"
)

// dictionaryLock is the first key of advisory locks of PostgreSQL, the letters "dict";
// the second is of an organisation.
const dictionaryLock = 0x64696374

// Create implements [dictionary.Store].
func (d *Dictionaries) Create(ctx context.Context, c dictionary.Dictionary, rules []respell.Rule, most int) (ok bool, err error) {
	text, err := encodeRules(rules)
	if err != nil {
		return false, err
	}
	err = d.store.transact(ctx, func(ctx context.Context, tx *transaction) error {
		ok = false
		// First of all, so that what is counted next is what the last one wrote.
		if err := tx.aloneInDictionaries(ctx, c.Org); err != nil {
			return err
		}
		var n int
		err := tx.QueryRowContext(ctx, "SELECT count(*) FROM dictionaries WHERE org_id = ?", c.Org).Scan(&n)
		if err != nil || n >= most {
			return d.store.fail(ctx, err, "count dictionaries of %s", c.Org)
		}
		v := c.Latest
		err = tx.exec(ctx, `INSERT INTO dictionaries (id, org_id, name, description, created_by, created_at,
			latest_id, latest_number, latest_rules, latest_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			c.ID, c.Org, c.Name, c.Description, c.CreatedBy, micros(c.CreatedAt), v.ID, v.Number, v.Rules, micros(v.CreatedAt))
		if err != nil {
			return d.store.fail(ctx, err, "write dictionary %s", c.ID)
		}
		ok = true
		return tx.addVersion(ctx, c.ID, v, text)
	})
	return ok && err == nil, err
}

// aloneInDictionaries makes transactions queue that make dictionaries of an
// organisation, each to its end. SQLite has one writer anyway.
func (tx *transaction) aloneInDictionaries(ctx context.Context, org string) error {
	if !tx.store.postgres() {
		return nil
	}
	err := tx.exec(ctx, "SELECT pg_advisory_xact_lock(?, hashtext(?))", dictionaryLock, org)
	return tx.store.fail(ctx, err, "wait for others who make dictionaries of %s", org)
}

// addVersion writes a version of a dictionary.
func (tx *transaction) addVersion(ctx context.Context, id string, v dictionary.Version, text string) error {
	err := tx.exec(ctx, `INSERT INTO dictionary_versions (id, dictionary_id, number, created_at, rule_count, bytes, rules)
		VALUES (?, ?, ?, ?, ?, ?, ?)`, v.ID, id, v.Number, micros(v.CreatedAt), v.Rules, len(text), text)
	return tx.store.fail(ctx, err, "write version %d of dictionary %s", v.Number, id)
}

// Put implements [dictionary.Store].
func (d *Dictionaries) Put(ctx context.Context, id, after string, v dictionary.Version, rules []respell.Rule) (bool, error) {
	if !names(id) || !names(after) {
		return false, nil
	}
	text, err := encodeRules(rules)
	if err != nil {
		return false, err
	}
	// Who comes second waits for the row, and then finds another version in it.
	return d.change(ctx, id, func(ctx context.Context, tx *transaction) error {
		if err := tx.addVersion(ctx, id, v, text); err != nil {
			return err
		}
		return tx.pruneVersions(ctx, id, v.Number)
	}, `UPDATE dictionaries SET latest_id = ?, latest_number = ?, latest_rules = ?, latest_at = ?
		WHERE id = ? AND latest_id = ?`, v.ID, v.Number, v.Rules, micros(v.CreatedAt), id, after)
}

// pruneVersions deletes the versions of a dictionary before the latest that are more
// than are kept, and all that are older.
func (tx *transaction) pruneVersions(ctx context.Context, id string, latest int) error {
	err := tx.exec(ctx, `DELETE FROM dictionary_versions WHERE dictionary_id = ? AND number <= (
		SELECT max(number) FROM (
			SELECT number, row_number() OVER (ORDER BY number DESC) AS place, sum(bytes) OVER (ORDER BY number DESC) AS held
			FROM dictionary_versions WHERE dictionary_id = ? AND number < ?) AS earlier
		WHERE place > ? OR held > ?)`, id, id, latest, dictionary.KeptVersions-1, dictionary.KeptBytes)
	return tx.store.fail(ctx, err, "delete old versions of dictionary %s", id)
}

// Delete implements [dictionary.Store]. The versions go with the row of the dictionary.
func (d *Dictionaries) Delete(ctx context.Context, id string) (bool, error) {
	if !names(id) {
		return false, nil
	}
	return d.change(ctx, id, nil, "DELETE FROM dictionaries WHERE id = ?", id)
}

// change runs a statement that changes the row of a dictionary, and then what belongs
// to it, and tells every process; ok is false when the statement found no such row.
// Telling is last, since who tells keeps all others that do from ending.
func (d *Dictionaries) change(ctx context.Context, id string, then func(context.Context, *transaction) error, query string, args ...any) (ok bool, err error) {
	err = d.store.transact(ctx, func(ctx context.Context, tx *transaction) error {
		ok = false
		res, err := tx.ExecContext(ctx, query, args...)
		var n int64
		if err == nil {
			n, err = res.RowsAffected()
		}
		if err != nil || n == 0 {
			return d.store.fail(ctx, err, "change dictionary %s", id)
		}
		if then != nil {
			if err := then(ctx, tx); err != nil {
				return err
			}
		}
		ok = true
		_, err = tx.raise(ctx, dictionaryTopic, id)
		return err
	})
	return ok && err == nil, err
}
