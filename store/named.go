package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"

	"vaak/catalogue"
)

const namedQuery = "SELECT slug, files FROM datasets ORDER BY slug"

// EachFile calls each for every file that a record names, of datasets of every
// status, as they are at one moment. It ends with the first error of each, which
// must not use the store: there may be one connection.
func (c *Catalogue) EachFile(ctx context.Context, each func(slug string, f catalogue.File) error) error {
	rows, err := c.store.read.DB.QueryContext(ctx, namedQuery)
	if err == nil {
		err = scanFiles(rows, each)
	}
	return c.store.fail(ctx, err, "read the files of datasets")
}

// EachFileOf is [Catalogue.EachFile] for a database file that nobody writes, such
// as the copy of one. A file that is older than the catalogue names none.
func EachFileOf(ctx context.Context, path string, each func(slug string, f catalogue.File) error) (err error) {
	db, err := sql.Open("sqlite", location(path).uri(url.Values{"mode": {"ro"}, "immutable": {"1"}}))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	var tables int
	err = db.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'datasets'").Scan(&tables)
	if err != nil || tables == 0 {
		return err
	}
	rows, err := db.QueryContext(ctx, namedQuery)
	if err != nil {
		return err
	}
	return scanFiles(rows, each)
}

func scanFiles(rows *sql.Rows, each func(slug string, f catalogue.File) error) error {
	return scanAll(rows, func(rows *sql.Rows) error {
		var slug string
		var text sql.RawBytes
		if err := rows.Scan(&slug, &text); err != nil {
			return err
		}
		var files []catalogue.File
		if err := json.Unmarshal(text, &files); err != nil {
			return fmt.Errorf("decode the files of %s: %w", slug, err)
		}
		for _, f := range files {
			if err := each(slug, f); err != nil {
				return err
			}
		}
		return nil
	})
}
