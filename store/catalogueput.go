package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"vaak/catalogue"
	"vaak/internal/fault"
)

// PutDataset implements [catalogue.Store].
func (c *Catalogue) PutDataset(ctx context.Context, s catalogue.Stored) (revision int64, err error) {
	if err := checkNames(s.Dataset); err != nil {
		return 0, err
	}
	texts, err := encode(s)
	if err != nil {
		return 0, err
	}
	err = c.store.transact(ctx, func(ctx context.Context, tx *transaction) error {
		// First of all, so that writers queue here and see what the last one wrote.
		if revision, err = tx.raise(ctx, catalogueTopic, ""); err != nil {
			return err
		}
		there, err := tx.datasets(ctx, s.Dataset)
		if err != nil {
			return err
		}
		if err := mayReplace(there, s); err != nil {
			return err
		}
		return tx.putDataset(ctx, revision, s.Dataset, texts)
	})
	if err != nil {
		return 0, err
	}
	return revision, nil
}

// checkNames refuses names that could not be told from one another.
func checkNames(d catalogue.Dataset) error {
	switch {
	case !strings.HasPrefix(d.ID, idPrefix):
		return fault.BadParameter("id", "id %q does not begin with %s", d.ID, idPrefix)
	case d.Slug == "" || strings.HasPrefix(d.Slug, idPrefix):
		return fault.BadParameter("slug", "slug %q is empty or begins with %s, as ids do", d.Slug, idPrefix)
	case d.Status == "":
		return fault.BadParameter("status", "the status is empty")
	case !utf8.ValidString(d.ID) || !utf8.ValidString(d.Slug):
		return fault.BadParameter("slug", "slug %q or id %q is not UTF-8", d.Slug, d.ID)
	}
	return nil
}

// datasetTexts are the columns of a dataset that hold JSON.
type datasetTexts struct{ entry, files, record string }

func encode(s catalogue.Stored) (t datasetTexts, err error) {
	e := catalogue.EntryOf(&s.Dataset)
	for _, part := range []struct {
		text *string
		of   any
	}{
		{&t.entry, entryJSON{e.Brief, e.Domains, e.Names, e.Others}},
		{&t.files, s.Files},
		{&t.record, s.Dataset},
	} {
		b, err := json.Marshal(part.of)
		if err != nil {
			return t, fmt.Errorf("encode dataset %s: %w", s.Dataset.Slug, err)
		}
		*part.text = string(b)
	}
	return t, nil
}

// datasetKey is by what a dataset is known.
type datasetKey struct {
	ID, Slug string
	Revision int64
}

// datasets returns what has the id or the slug of d: none, one, or two that are
// not the same.
func (tx *transaction) datasets(ctx context.Context, d catalogue.Dataset) (there []datasetKey, err error) {
	rows, err := tx.QueryContext(ctx, "SELECT id, slug, revision FROM datasets WHERE id = ? OR slug = ?", d.ID, d.Slug)
	if err == nil {
		err = scanAll(rows, func(rows *sql.Rows) error {
			var k datasetKey
			err := rows.Scan(&k.ID, &k.Slug, &k.Revision)
			there = append(there, k)
			return err
		})
	}
	return there, tx.store.fail(ctx, err, "look for dataset %s", d.Slug)
}

// mayReplace refuses a record that is not the next of what is there.
func mayReplace(there []datasetKey, s catalogue.Stored) error {
	for _, k := range there {
		switch {
		case k.ID != s.Dataset.ID:
			return fault.New(fault.Conflict, codeConflict, "id",
				"the dataset %q has the id %s, which never changes; sent was %s", k.Slug, k.ID, s.Dataset.ID)
		case k.Slug != s.Dataset.Slug:
			return fault.New(fault.Conflict, codeConflict, "slug",
				"the dataset %s has the slug %q, which never changes; sent was %q", k.ID, k.Slug, s.Dataset.Slug)
		}
	}
	var revision int64 // 0: there is none
	if len(there) > 0 {
		revision = there[0].Revision
	}
	if revision == s.Revision {
		return nil
	}
	return fault.New(fault.Conflict, codeConflict, "revision",
		"the dataset %q changed meanwhile: it is at revision %d (0 is not there), and %d was to be replaced", s.Dataset.Slug, revision, s.Revision)
}

func (tx *transaction) putDataset(ctx context.Context, revision int64, d catalogue.Dataset, t datasetTexts) error {
	clock := tx.store.clock()
	err := tx.exec(ctx, `INSERT INTO datasets (id, slug, revision, status, created_at, modified_at, entry, files, record)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET revision = excluded.revision, status = excluded.status, modified_at = excluded.modified_at,
			entry = excluded.entry, files = excluded.files, record = excluded.record`,
		d.ID, d.Slug, revision, d.Status, clock, clock, t.entry, t.files, t.record)
	return tx.store.fail(ctx, err, "write dataset %s", d.Slug)
}
