package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"vaak/catalogue"
)

// catalogueTopic is the topic of datasets; its version is the last revision.
const catalogueTopic topic = "catalogue"

// Catalogue is the part of a store that holds datasets and what their files
// measure. It is good for as long as the store is open.
//
// Revisions are versions of one row, which a writer has for itself until it has
// committed. So they are committed in their order: who has read all entries up
// to a revision never misses one.
type Catalogue struct {
	store               *Store
	bySlug, byID, after statement
}

var _ catalogue.Store = (*Catalogue)(nil)

// Queries of records and of entries.
const (
	datasetQuery = "SELECT revision, status, record, files FROM datasets WHERE "
	entriesQuery = "SELECT revision, status, entry FROM datasets WHERE revision > ? ORDER BY revision LIMIT ?"
)

// Catalogue returns the part that holds datasets.
func (s *Store) Catalogue() *Catalogue { return s.catalogue }

func newCatalogue(s *Store) *Catalogue {
	ask := func(query string) statement {
		return statement{db: s.read, query: query, prepares: s.dialect.prepares}
	}
	return &Catalogue{store: s, bySlug: ask(datasetQuery + "slug = ?"), byID: ask(datasetQuery + "id = ?"), after: ask(entriesQuery)}
}

// close closes what is prepared.
func (c *Catalogue) close() error {
	return errors.Join(c.bySlug.close(), c.byID.close(), c.after.close())
}

// idPrefix begins every id and no slug.
const idPrefix = "ds_"

// Dataset implements [catalogue.Store]. What begins with "ds_" is an id.
func (c *Catalogue) Dataset(ctx context.Context, slugOrID string) (catalogue.Stored, bool, error) {
	if strings.ContainsRune(slugOrID, 0) || !utf8.ValidString(slugOrID) {
		return catalogue.Stored{}, false, nil // no record can have such a name
	}
	ask := &c.bySlug
	if strings.HasPrefix(slugOrID, idPrefix) {
		ask = &c.byID
	}
	if err := ctx.Err(); err != nil {
		return catalogue.Stored{}, false, c.store.fail(ctx, err, "read dataset %q", slugOrID)
	}
	bare := ctx
	if c.store.dialect.prepares {
		// A context that can end costs the driver a goroutine, more than the look-up.
		bare = context.WithoutCancel(ctx)
	}
	var found *catalogue.Stored
	err := ask.each(bare, func(rows *sql.Rows) (err error) {
		found, err = scanDataset(rows)
		return err
	}, slugOrID)
	if err := c.store.fail(ctx, err, "read dataset %q", slugOrID); err != nil || found == nil {
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

// entryJSON is how an entry is kept.
type entryJSON struct {
	Brief   catalogue.Brief `json:"brief"`
	Domains []string        `json:"domains,omitempty"`
	Names   []string        `json:"names,omitempty"`
	Others  []string        `json:"others,omitempty"`
}

// Entries implements [catalogue.Store].
func (c *Catalogue) Entries(ctx context.Context, after int64, limit int) ([]catalogue.Entry, error) {
	if limit < 1 {
		return nil, nil
	}
	var all []catalogue.Entry
	err := c.after.each(ctx, func(rows *sql.Rows) error {
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
		return nil, c.store.fail(ctx, err, "read entries after revision %d", after)
	}
	return all, nil
}

// Watch implements [catalogue.Store]. It calls changed first when it has begun,
// so whoever reads the entries in there misses nothing; one call may stand for
// many changes.
func (c *Catalogue) Watch(ctx context.Context, changed func()) error {
	news, done := make(chan struct{}, 1), make(chan error, 1)
	tell := func() {
		select {
		case news <- struct{}{}:
		default: // there is one waiting
		}
	}
	// Changed has a goroutine of its own, this one: writers wait for who is told.
	go func() {
		done <- c.store.watch(ctx, tell, func(t topic, _ string) {
			if t == catalogueTopic {
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
