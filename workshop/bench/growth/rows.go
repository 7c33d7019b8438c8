package growth

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"vaak/workshop/bench/catalogue"
)

// owner is whose rows are made: the organisation that is measured, and its key.
type owner struct{ org, key, plan string }

// databaseFile is the name of the database in a data directory.
const databaseFile = "vaak.db"

// fill adds rows to the database of a data directory, all in one transaction. The server does not
// run. The driver of SQLite comes with vaak/store.
func fill(ctx context.Context, state string, n int, rows func(o owner, n int) []statement) (o owner, err error) {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(state, databaseFile)+"?_pragma=foreign_keys(1)&_pragma=synchronous(0)")
	if err != nil {
		return o, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	err = db.QueryRowContext(ctx, "SELECT o.id, k.id, o.plan FROM organisations o JOIN api_keys k ON k.org_id = o.id").Scan(&o.org, &o.key, &o.plan)
	if err != nil {
		return o, fmt.Errorf("find the organisation: %w", err)
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return o, err
	}
	for _, s := range rows(o, n) {
		if _, err := tx.ExecContext(ctx, s.text, s.values...); err != nil {
			return o, errors.Join(fmt.Errorf("%.60s: %w", s.text, err), tx.Rollback())
		}
	}
	return o, tx.Commit()
}

// statement is one of SQL with its values.
type statement struct {
	text   string
	values []any
}

// each inserts once for every i of 1 to n. In the text, {i} is i as ids are written.
func each(n int, text string, values ...any) statement {
	const (
		numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) "
		inID    = "replace(replace(replace(replace(printf('%016d', i), '0', 'a'), '1', 'b'), '8', 'c'), '9', 'd')"
	)
	return statement{numbers + strings.ReplaceAll(text, "{i}", inID), append([]any{n}, values...)}
}

// organisations are others, each with a key, a lot, what it has used today, and a dictionary.
func organisations(o owner, n int) []statement {
	return []statement{
		each(n, "INSERT INTO organisations (id, name, plan, created_at) SELECT 'org_' || {i}, 'Organisation ' || i, ?, 1 FROM n", o.plan),
		each(n, "INSERT INTO api_keys (id, org_id, label, hash, last_four, created_at) SELECT 'key_' || {i}, 'org_' || {i}, 'key', randomblob(32), 'abcd', 1 FROM n"),
		each(n, "INSERT INTO lots (id, org_id, kind, source, created_at, granted, remaining, held, charged, expired) SELECT 'lot_' || {i}, 'org_' || {i}, 'promo', 'gift', 1, 1000, 900, 0, 100, 0 FROM n"),
		each(n, "INSERT INTO key_months (key_id, period, requests, characters, audio_ms) SELECT 'key_' || {i}, strftime('%Y-%m', 'now'), 10, 100, 1000 FROM n"),
		each(n, "INSERT INTO usage_days (key_id, day, voice, language, requests, characters, audio_ms) SELECT 'key_' || {i}, date('now'), 'voice', 'en', 10, 100, 1000 FROM n"),
		each(n, "INSERT INTO organisation_days (org_id, kind, day, part, requests, characters, audio_ms) SELECT 'org_' || {i}, 'key', date('now'), 'key_' || {i}, 10, 100, 1000 FROM n"),
		each(n, "INSERT INTO dictionaries (id, org_id, name, description, created_by, created_at, latest_id, latest_number, latest_rules, latest_at) SELECT {i}, 'org_' || {i}, 'names', '', 'key_' || {i}, 1, {i}, 1, 1, 1 FROM n"),
		each(n, `INSERT INTO dictionary_versions (id, dictionary_id, number, created_at, rule_count, bytes, rules) SELECT {i}, {i}, 1, 1, 1, 24, '[{"t":"term","r":"word"}]' FROM n`),
	}
}

// keys are of the organisation itself.
func keys(o owner, n int) []statement {
	return []statement{
		each(n, "INSERT INTO api_keys (id, org_id, label, hash, last_four, created_at) SELECT 'key_' || {i}, ?, 'key ' || i, randomblob(32), 'abcd', i FROM n", o.org),
		each(n, "INSERT INTO key_months (key_id, period, requests, characters, audio_ms) SELECT 'key_' || {i}, strftime('%Y-%m', 'now'), 10, 100, 1000 FROM n"),
		each(n, "INSERT INTO organisation_days (org_id, kind, day, part, requests, characters, audio_ms) SELECT ?, 'key', date('now'), 'key_' || {i}, 10, 100, 1000 FROM n", o.org),
	}
}

// usage is so many records of requests of the last 29 days, and as many sums of a day, in as many
// voices as that takes in a year.
func usage(o owner, n int) []statement {
	const part = "'voice_' || (i / 365)"
	return []statement{
		each(n, "INSERT INTO requests (id, at, org_id, key_id, route, voice, language, characters, first_audio_us, audio_ms, status, code) "+
			"SELECT 'req_' || {i}, unixepoch('now') * 1000000 - i * 29 * 86400000000 / ?, ?, ?, '/v1/audio/speech', 'voice', 'en', 100, 2000, 6000, 200, '' FROM n", n, o.org, o.key),
		each(n, "INSERT INTO usage_days (key_id, day, voice, language, requests, characters, audio_ms) SELECT ?, date('now', '-' || (i % 365) || ' days'), "+part+", 'en', 10, 100, 1000 FROM n", o.key),
		each(n, "INSERT INTO organisation_days (org_id, kind, day, part, requests, characters, audio_ms) SELECT ?, 'voice', date('now', '-' || (i % 365) || ' days'), "+part+", 10, 100, 1000 FROM n", o.org),
	}
}

// theDictionary is the id of the one that a request names.
const theDictionary = "2f0c51a6-6f0e-4d5e-9b1c-7a3f2f9d8e10"

// rules are of one dictionary, whose terms no text has.
func rules(o owner, n int) []statement {
	const version = "7b1d3c52-0f5e-4a8e-8a53-0d6a1c1f2b77"
	return []statement{
		{"INSERT INTO dictionaries (id, org_id, name, description, created_by, created_at, latest_id, latest_number, latest_rules, latest_at) VALUES (?, ?, 'names', '', ?, 1, ?, 1, ?, 1)", []any{theDictionary, o.org, o.key, version, n}},
		each(n, "INSERT INTO dictionary_versions (id, dictionary_id, number, created_at, rule_count, bytes, rules) "+
			"SELECT ?, ?, 1, 1, ?, 60 * ?, json_group_array(json_object('t', {i}, 'r', 'word ' || i)) FROM n", version, theDictionary, n, n),
	}
}

// wholeRecords is how many records are made one by one; the others are their likes, with the same
// words and other names.
const wholeRecords = 1000

// datasets writes the first records of a catalogue.
func datasets(ctx context.Context, state string, n int) error {
	return catalogue.Write(ctx, state, min(n, wholeRecords))
}

// likes are the records beyond the first.
func likes(_ owner, n int) []statement {
	more := n - min(n, wholeRecords)
	if more == 0 {
		return nil
	}
	return []statement{
		each(more, "INSERT INTO datasets (id, slug, revision, status, created_at, modified_at, entry, files, record) "+
			"SELECT 'ds_' || {i}, d.slug || '-' || i, ? + i, d.status, d.created_at, d.modified_at, replace(replace(d.entry, d.id, 'ds_' || {i}), d.slug, d.slug || '-' || i), d.files, "+
			"replace(replace(d.record, d.id, 'ds_' || {i}), d.slug, d.slug || '-' || i) FROM n JOIN datasets d ON d.revision = 1 + i % ?", wholeRecords, wholeRecords),
		{"UPDATE versions SET version = ? WHERE topic = 'catalogue'", []any{n}},
	}
}

// some returns slugs of datasets, of all parts of the catalogue.
func some(ctx context.Context, state string, n, records int) (slugs []string, err error) {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(state, databaseFile))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	rows, err := db.QueryContext(ctx, "SELECT slug FROM datasets WHERE revision % ? = 0 LIMIT ?", max(1, records/n), n)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var slug string
		if err := rows.Scan(&slug); err != nil {
			return nil, err
		}
		slugs = append(slugs, slug)
	}
	return slugs, rows.Err()
}
