// Package dictionaries keeps the pronunciation dictionaries of organisations and their
// versions.
package dictionaries

// The queries by id are hand-written, since a request that uses a dictionary for the first
// time waits for them and database.DB.Each keeps them compiled.

import (
	"context"
	"database/sql"

	"github.com/uptrace/bun"

	"vaak/dictionary"
	"vaak/store/database"
	"vaak/text/respell"
)

// topic is the topic of pronunciation dictionaries.
const topic database.Topic = "dictionary"

// Dictionaries keeps dictionaries in a database.
type Dictionaries struct {
	db *database.DB
}

var _ dictionary.Store = (*Dictionaries)(nil)

const (
	byIDQuery = `SELECT id, org_id, name, description, created_by, created_at,
		latest_id, latest_number, latest_rules, latest_at FROM dictionaries WHERE id = ?`
	rulesQuery = "SELECT id, number, rule_count, created_at, rules FROM dictionary_versions WHERE id = ? AND dictionary_id = ?"
)

// New returns the dictionaries of a database.
func New(db *database.DB) *Dictionaries {
	return &Dictionaries{db: db}
}

// row is a row of dictionaries.
type row struct {
	bun.BaseModel `bun:"table:dictionaries,alias:d"`

	ID           string `bun:",pk"`
	OrgID        string
	Name         string
	Description  string
	CreatedBy    string
	CreatedAt    int64
	LatestID     string
	LatestNumber int
	LatestRules  int
	LatestAt     int64
}

func rowOf(d dictionary.Dictionary) row {
	return row{
		ID: d.ID, OrgID: d.Org, Name: d.Name, Description: d.Description, CreatedBy: d.CreatedBy, CreatedAt: database.Micros(d.CreatedAt),
		LatestID: d.Latest.ID, LatestNumber: d.Latest.Number, LatestRules: d.Latest.Rules, LatestAt: database.Micros(d.Latest.CreatedAt),
	}
}

func (r row) dictionary() dictionary.Dictionary {
	return dictionary.Dictionary{
		ID: r.ID, Org: r.OrgID, Name: r.Name, Description: r.Description, CreatedBy: r.CreatedBy, CreatedAt: database.Instant(r.CreatedAt),
		Latest: dictionary.Version{ID: r.LatestID, Number: r.LatestNumber, Rules: r.LatestRules, CreatedAt: database.Instant(r.LatestAt)},
	}
}

// versionRow is a row of dictionary_versions. Rules is JSON, of so many bytes.
type versionRow struct {
	bun.BaseModel `bun:"table:dictionary_versions,alias:v"`

	ID           string `bun:",pk"`
	DictionaryID string
	Number       int
	CreatedAt    int64
	RuleCount    int
	Bytes        int
	Rules        string
}

func (r versionRow) version() dictionary.Version {
	return dictionary.Version{ID: r.ID, Number: r.Number, Rules: r.RuleCount, CreatedAt: database.Instant(r.CreatedAt)}
}

// List implements [dictionary.Store]. Of those of one instant, the lower id is first.
func (d *Dictionaries) List(ctx context.Context, org string) ([]dictionary.Dictionary, error) {
	var rows []row
	q := d.db.Read.NewSelect().Model(&rows).Order("d.created_at", "d.id")
	if org != dictionary.Everyone {
		if !database.IsID(org) {
			return nil, nil
		}
		q = q.Where("d.org_id = ?", org)
	}
	err := q.Scan(ctx)
	var all []dictionary.Dictionary
	for _, r := range rows {
		all = append(all, r.dictionary())
	}
	return all, d.db.Fail(ctx, err, "list dictionaries")
}

// Get implements [dictionary.Store].
func (d *Dictionaries) Get(ctx context.Context, id string) (found dictionary.Dictionary, ok bool, err error) {
	if !database.IsID(id) {
		return found, false, nil
	}
	err = d.db.Each(ctx, byIDQuery, func(rows *sql.Rows) error {
		var r row
		err := rows.Scan(&r.ID, &r.OrgID, &r.Name, &r.Description, &r.CreatedBy, &r.CreatedAt,
			&r.LatestID, &r.LatestNumber, &r.LatestRules, &r.LatestAt)
		found, ok = r.dictionary(), err == nil
		return err
	}, id)
	if err != nil {
		return dictionary.Dictionary{}, false, d.db.Fail(ctx, err, "read dictionary %s", id)
	}
	return found, ok, nil
}

// Rules implements [dictionary.Store].
func (d *Dictionaries) Rules(ctx context.Context, id, version string) (v dictionary.Version, rules []respell.Rule, ok bool, err error) {
	if !database.IsID(id) || !database.IsID(version) {
		return v, nil, false, nil
	}
	err = d.db.Each(ctx, rulesQuery, func(rows *sql.Rows) error {
		var r versionRow
		var text sql.RawBytes // decoded before the next row, so it need not be copied
		err := rows.Scan(&r.ID, &r.Number, &r.RuleCount, &r.CreatedAt, &text)
		if err == nil {
			rules, err = decodeRules(text)
		}
		v, ok = r.version(), err == nil
		return err
	}, version, id)
	if err != nil {
		return dictionary.Version{}, nil, false, d.db.Fail(ctx, err, "read version %s of dictionary %s", version, id)
	}
	return v, rules, ok, nil
}

// Versions implements [dictionary.Store].
func (d *Dictionaries) Versions(ctx context.Context, id string) ([]dictionary.Version, error) {
	if !database.IsID(id) {
		return nil, nil
	}
	var rows []versionRow
	err := d.db.Read.NewSelect().Model(&rows).Column("id", "number", "rule_count", "created_at").
		Where("v.dictionary_id = ?", id).Order("v.number DESC").Scan(ctx)
	var all []dictionary.Version
	for _, r := range rows {
		all = append(all, r.version())
	}
	return all, d.db.Fail(ctx, err, "list versions of dictionary %s", id)
}

// Watch implements [dictionary.Store]. It calls changed with "" as it begins, since what
// was read before that may have changed without a call.
func (d *Dictionaries) Watch(ctx context.Context, changed func(id string)) error {
	return d.db.Watch(ctx, func() { changed("") }, func(t database.Topic, id string) {
		if t == topic {
			changed(id)
		}
	})
}
