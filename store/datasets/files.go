package datasets

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"

	"vaak/catalogue"
	"vaak/store/database"
)

// filesQuery is hand-written, so that its rows can be read one by one: the builder reads
// all of them into memory.
const filesQuery = "SELECT slug, files FROM datasets ORDER BY slug"

// EachFile calls each for every file that a record names, of datasets of every status, as
// they are at one moment. It ends with the first error of each. Each must not use the
// store: a database in memory has one connection, which the rows occupy.
func (d *Datasets) EachFile(ctx context.Context, each func(slug string, f catalogue.File) error) error {
	rows, err := d.db.Read.DB.QueryContext(ctx, filesQuery)
	if err == nil {
		err = scanFiles(rows, each)
	}
	return d.db.Fail(ctx, err, "read the files of datasets")
}

// EachFileOf is [Datasets.EachFile] for a file of SQLite that no process writes, such as a
// copy. A file from before the catalogue existed names none.
func EachFileOf(ctx context.Context, path string, each func(slug string, f catalogue.File) error) (err error) {
	db, err := database.OpenFile(path, url.Values{"mode": {"ro"}, "immutable": {"1"}})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	var tables int
	err = db.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'datasets'").Scan(&tables)
	if err != nil || tables == 0 {
		return err
	}
	rows, err := db.QueryContext(ctx, filesQuery)
	if err != nil {
		return err
	}
	return scanFiles(rows, each)
}

func scanFiles(rows *sql.Rows, each func(slug string, f catalogue.File) error) error {
	return database.ScanAll(rows, func(rows *sql.Rows) error {
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
