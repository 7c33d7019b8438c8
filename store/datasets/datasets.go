// Package datasets keeps the records of datasets, the entries of their list, and what
// their files measure.
package datasets

// The queries of this file are hand-written, since a request for a dataset waits for them
// and database.Prepared compiles them once.

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"vaak/catalogue"
	"vaak/store/database"
)

// topic is the topic of datasets. Its version is the last revision.
const topic database.Topic = "catalogue"

// Datasets keeps datasets in a database.
//
// A revision is the next version of a topic, whose row a writer has for itself until it
// has committed. So revisions are committed in their order, and a reader of all entries
// up to a revision has missed none.
type Datasets struct {
	db                  *database.DB
	bySlug, byID, after *database.Prepared
}

var _ catalogue.Store = (*Datasets)(nil)

// Queries of records and of entries.
const (
	datasetQuery = "SELECT revision, status, record, files FROM datasets WHERE "
	entriesQuery = "SELECT revision, status, entry FROM datasets WHERE revision > ? ORDER BY revision LIMIT ?"
)

// New returns the datasets of a database.
func New(db *database.DB) *Datasets {
	return &Datasets{
		db: db, bySlug: db.Prepare(datasetQuery + "slug = ?"), byID: db.Prepare(datasetQuery + "id = ?"), after: db.Prepare(entriesQuery),
	}
}

// idPrefix begins every id and no slug.
const idPrefix = "ds_"

// Dataset implements [catalogue.Store]. What begins with "ds_" is an id.
func (d *Datasets) Dataset(ctx context.Context, slugOrID string) (catalogue.Stored, bool, error) {
	if strings.ContainsRune(slugOrID, 0) || !utf8.ValidString(slugOrID) {
		return catalogue.Stored{}, false, nil // no record can have such a name
	}
	query := d.bySlug
	if strings.HasPrefix(slugOrID, idPrefix) {
		query = d.byID
	}
	if err := ctx.Err(); err != nil {
		return catalogue.Stored{}, false, d.db.Fail(ctx, err, "read dataset %q", slugOrID)
	}
	var found *catalogue.Stored
	err := query.Each(d.db.Uncancelled(ctx), func(rows *sql.Rows) (err error) {
		found, err = scanDataset(rows)
		return err
	}, slugOrID)
	if err := d.db.Fail(ctx, err, "read dataset %q", slugOrID); err != nil || found == nil {
		return catalogue.Stored{}, false, err
	}
	return *found, true, nil
}

func scanDataset(rows *sql.Rows) (*catalogue.Stored, error) {
	s := &catalogue.Stored{}
	var status catalogue.Status
	var record, files sql.RawBytes
	if err := rows.Scan(&s.Revision, &status, &record, &files); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(record, &s.Dataset); err != nil {
		return nil, fmt.Errorf("decode record: %w", err)
	}
	if err := json.Unmarshal(files, &s.Files); err != nil {
		return nil, fmt.Errorf("decode files: %w", err)
	}
	s.Dataset.Status = status
	return s, nil
}

// entryJSON is an entry in the column of that name.
type entryJSON struct {
	Brief   catalogue.Brief `json:"brief"`
	Domains []string        `json:"domains,omitempty"`
	Names   []string        `json:"names,omitempty"`
	Others  []string        `json:"others,omitempty"`
}

// Entries implements [catalogue.Store].
func (d *Datasets) Entries(ctx context.Context, after int64, limit int) ([]catalogue.Entry, error) {
	if limit < 1 {
		return nil, nil
	}
	var all []catalogue.Entry
	err := d.after.Each(ctx, func(rows *sql.Rows) error {
		var e catalogue.Entry
		var text sql.RawBytes
		if err := rows.Scan(&e.Revision, &e.Status, &text); err != nil {
			return err
		}
		var kept entryJSON
		if err := json.Unmarshal(text, &kept); err != nil {
			return fmt.Errorf("decode entry of revision %d: %w", e.Revision, err)
		}
		e.Brief, e.Domains, e.Names, e.Others = kept.Brief, kept.Domains, kept.Names, kept.Others
		all = append(all, e)
		return nil
	}, after, limit)
	if err != nil {
		return nil, d.db.Fail(ctx, err, "read entries after revision %d", after)
	}
	return all, nil
}

// Watch implements [catalogue.Store]. Its first call of changed is when it has begun, so
// one that reads the entries in there misses none. One call may stand for many changes.
func (d *Datasets) Watch(ctx context.Context, changed func()) error {
	news, done := make(chan struct{}, 1), make(chan error, 1)
	tell := func() {
		select {
		case news <- struct{}{}:
		default: // one is waiting already
		}
	}
	// changed may take long, and writers wait for whoever is told. So it runs in this
	// goroutine, and the other is told.
	go func() {
		done <- d.db.Watch(ctx, tell, func(t database.Topic, _ string) {
			if t == topic {
				tell()
			}
		})
	}()
	for {
		select {
		case <-news:
			changed()
		case err := <-done:
			return err
		}
	}
}
