package store

import (
	"context"
	"database/sql"
	"errors"

	"vaak/dictionary"
	"vaak/text/respell"
)

// dictionaryTopic is the topic of pronunciation dictionaries.
const dictionaryTopic topic = "dictionary"

// Dictionaries is the part of a store that holds pronunciation dictionaries. It is
// good for as long as the store is open.
type Dictionaries struct {
	store       *Store
	byID, rules statement // what a request needs that finds nothing in memory
}

var _ dictionary.Store = (*Dictionaries)(nil)

// Dictionaries returns the part that holds pronunciation dictionaries.
func (s *Store) Dictionaries() *Dictionaries { return s.dictionaries }

// Queries of dictionaries, as scanDictionary reads them, and of versions, as
// scanVersion does.
const (
	dictionariesQuery = `SELECT id, org_id, name, description, created_by, created_at,
		latest_id, latest_number, latest_rules, latest_at FROM dictionaries`
	versionColumns = "id, number, rule_count, created_at"
	rulesQuery     = "SELECT " + versionColumns + ", rules FROM dictionary_versions WHERE id = ? AND dictionary_id = ?"
)

func newDictionaries(s *Store) *Dictionaries {
	ask := func(query string) statement {
		return statement{db: s.read, query: query, prepares: s.dialect.prepares}
	}
	return &Dictionaries{store: s, byID: ask(dictionariesQuery + " WHERE id = ?"), rules: ask(rulesQuery)}
}

// close closes what is prepared.
func (d *Dictionaries) close() error { return errors.Join(d.byID.close(), d.rules.close()) }

func scanDictionary(r row) (d dictionary.Dictionary, err error) {
	var created, latest int64
	err = r.Scan(&d.ID, &d.Org, &d.Name, &d.Description, &d.CreatedBy, &created,
		&d.Latest.ID, &d.Latest.Number, &d.Latest.Rules, &latest)
	d.CreatedAt, d.Latest.CreatedAt = instant(created), instant(latest)
	return d, err
}

func scanVersion(r row) (dictionary.Version, error) { return scanVersionAnd(r) }

// scanVersionAnd scans versionColumns and more that come after them.
func scanVersionAnd(r row, more ...any) (v dictionary.Version, err error) {
	var created int64
	err = r.Scan(append([]any{&v.ID, &v.Number, &v.Rules, &created}, more...)...)
	v.CreatedAt = instant(created)
	return v, err
}

// List implements [dictionary.Store]. Of those of one instant, the lower id is first.
func (d *Dictionaries) List(ctx context.Context, org string) ([]dictionary.Dictionary, error) {
	const order = " ORDER BY created_at, id"
	var all []dictionary.Dictionary
	var err error
	switch {
	case org == dictionary.Everyone:
		all, err = collect(ctx, d.store.read, scanDictionary, dictionariesQuery+order)
	case names(org):
		all, err = collect(ctx, d.store.read, scanDictionary, dictionariesQuery+" WHERE org_id = ?"+order, org)
	}
	return all, d.store.fail(ctx, err, "list dictionaries")
}

// Get implements [dictionary.Store].
func (d *Dictionaries) Get(ctx context.Context, id string) (found dictionary.Dictionary, ok bool, err error) {
	if !names(id) {
		return found, false, nil
	}
	err = d.byID.each(ctx, func(rows *sql.Rows) (err error) {
		found, err = scanDictionary(rows)
		ok = err == nil
		return err
	}, id)
	if err != nil {
		return dictionary.Dictionary{}, false, d.store.fail(ctx, err, "read dictionary %s", id)
	}
	return found, ok, nil
}

// Rules implements [dictionary.Store].
func (d *Dictionaries) Rules(ctx context.Context, id, version string) (v dictionary.Version, rules []respell.Rule, ok bool, err error) {
	if !names(id) || !names(version) {
		return v, nil, false, nil
	}
	err = d.rules.each(ctx, func(rows *sql.Rows) error {
		var text sql.RawBytes
		var err error
		if v, err = scanVersionAnd(rows, &text); err == nil {
			rules, err = decodeRules(text)
		}
		ok = err == nil
		return err
	}, version, id)
	if err != nil {
		return dictionary.Version{}, nil, false, d.store.fail(ctx, err, "read version %s of dictionary %s", version, id)
	}
	return v, rules, ok, nil
}

// Versions implements [dictionary.Store].
func (d *Dictionaries) Versions(ctx context.Context, id string) ([]dictionary.Version, error) {
	if !names(id) {
		return nil, nil
	}
	all, err := collect(ctx, d.store.read, scanVersion,
		"SELECT "+versionColumns+" FROM dictionary_versions WHERE dictionary_id = ? ORDER BY number DESC", id)
	return all, d.store.fail(ctx, err, "list versions of dictionary %s", id)
}

// Watch implements [dictionary.Store]. It calls changed with "" as it begins, so that
// what was read before is read again: nothing is missed that changed since.
func (d *Dictionaries) Watch(ctx context.Context, changed func(id string)) error {
	return d.store.watch(ctx, func() { changed("") }, func(t topic, id string) {
		if t == dictionaryTopic {
			changed(id)
		}
	})
}
