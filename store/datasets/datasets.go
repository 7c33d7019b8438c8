// Package datasets keeps the records of datasets, the entries of their list, and what
// their files measure.
package datasets

// The queries of this file are hand-written, since a request for a dataset waits for them
// and database.DB.Each keeps them compiled.

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"vaak/catalogue"
	"vaak/internal/document"
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
	db *database.DB
}

var _ catalogue.Store = (*Datasets)(nil)

// Queries of records and of entries.
const (
	datasetQuery = "SELECT revision, status, record, files FROM datasets WHERE "
	// The record only where a program that knew less has written the entry; see entryForm.
	entriesQuery = "SELECT id, revision, status, entry, CASE WHEN entry LIKE '" + entryBegins + "%' THEN '' ELSE record END " +
		"FROM datasets WHERE revision > ? ORDER BY revision LIMIT ?"
)

// entryForm is the version of the entries in the column of that name, and entryBegins is how those of
// this version begin. Older programs write entries without a version, while this one is rolled
// out and after a roll back; what they lack is then taken from the record, and the entry is written anew, so that
// this happens once. Raise both when an entry has more than before.
const (
	entryForm   = 2
	entryBegins = `{"form":2,`
)

// New returns the datasets of a database.
func New(db *database.DB) *Datasets {
	return &Datasets{db: db}
}

// idPrefix begins every id and no slug.
const idPrefix = "ds_"

// Dataset implements [catalogue.Store].
func (d *Datasets) Dataset(ctx context.Context, slugOrID string) (catalogue.Stored, bool, error) {
	text, ok, err := d.Text(ctx, slugOrID)
	if err != nil || !ok {
		return catalogue.Stored{}, false, err
	}
	s, err := text.Stored()
	if err != nil {
		return catalogue.Stored{}, false, d.db.Fail(ctx, err, "read dataset %q", slugOrID)
	}
	return s, true, nil
}

// Text implements [catalogue.Store]. What begins with "ds_" is an id.
func (d *Datasets) Text(ctx context.Context, slugOrID string) (t catalogue.Text, found bool, err error) {
	if strings.ContainsRune(slugOrID, 0) || !utf8.ValidString(slugOrID) {
		return t, false, nil // no record can have such a name
	}
	query := datasetQuery + "slug = ?"
	if strings.HasPrefix(slugOrID, idPrefix) {
		query = datasetQuery + "id = ?"
	}
	if err := ctx.Err(); err != nil {
		return t, false, d.db.Fail(ctx, err, "read dataset %q", slugOrID)
	}
	err = d.db.Each(d.db.Uncancelled(ctx), query, func(rows *sql.Rows) error {
		found = true
		return rows.Scan(&t.Revision, &t.Status, &t.Record, &t.Files)
	}, slugOrID)
	if err := d.db.Fail(ctx, err, "read dataset %q", slugOrID); err != nil {
		return catalogue.Text{}, false, err
	}
	return t, found, nil
}

// entryJSON is an entry in the column of that name.
type entryJSON struct {
	Form        int              `json:"form"` // the first; see entryBegins
	Brief       catalogue.Brief  `json:"brief"`
	Domains     []string         `json:"domains,omitempty"`
	Names       []string         `json:"names,omitempty"`
	Others      []string         `json:"others,omitempty"`
	Script      string           `json:"script,omitempty"`
	Description string           `json:"description,omitempty"`
	Licence     *catalogue.Terms `json:"licence,omitempty"`
	Speakers    *int             `json:"speakers,omitempty"`
	SampleRates []int            `json:"sampleRates,omitempty"`
	Modified    time.Time        `json:"modified,omitzero"`
	Traits      []byte           `json:"traits,omitempty"`
}

func encodeEntry(e catalogue.Entry) entryJSON {
	out := entryJSON{
		entryForm, e.Brief, e.Domains, e.Names, e.Others, e.Script, e.Description, e.Licence, e.Speakers, e.SampleRates, e.Modified, nil,
	}
	if e.Traits != (catalogue.Traits{}) {
		out.Traits = e.Traits[:]
	}
	return out
}

func (k entryJSON) entry() catalogue.Entry {
	e := catalogue.Entry{
		Brief: k.Brief, Domains: k.Domains, Names: k.Names, Others: k.Others, Script: k.Script, Description: k.Description,
		Licence: k.Licence, Speakers: k.Speakers, SampleRates: k.SampleRates, Modified: k.Modified,
	}
	copy(e.Traits[:], k.Traits)
	return e
}

// scanEntry reads a row of entriesQuery. The row is what is to be written in place of an entry of an
// older program, nil of one of this program. What is in kept before is lost.
func scanEntry(rows *sql.Rows, kept *entryJSON) (e catalogue.Entry, old *row, err error) {
	var id string
	var revision int64
	var status catalogue.Status
	var text, record sql.RawBytes
	if err := rows.Scan(&id, &revision, &status, &text, &record); err != nil {
		return e, nil, err
	}
	if len(record) > 0 {
		var d catalogue.Dataset
		if err := json.Unmarshal(record, &d); err != nil {
			return e, nil, fmt.Errorf("decode record of revision %d: %w", revision, err)
		}
		e = catalogue.EntryOf(&d)
		fresh, err := json.Marshal(encodeEntry(e))
		if err != nil {
			return e, nil, fmt.Errorf("encode entry of revision %d: %w", revision, err)
		}
		old = &row{ID: id, Revision: revision, Entry: string(fresh)}
	} else {
		*kept = entryJSON{}
		if err := document.Decode(text, kept); err != nil {
			return e, nil, fmt.Errorf("decode entry of revision %d: %w", revision, err)
		}
		e = kept.entry()
	}
	e.Revision, e.Status = revision, status
	return e, old, nil
}

// fewEntries is how many entries are read before there is room for all that may come.
const fewEntries = 100

// Entries implements [catalogue.Store]. Entries of older programs are written anew as they are read.
func (d *Datasets) Entries(ctx context.Context, after int64, limit int) ([]catalogue.Entry, error) {
	if limit < 1 {
		return nil, nil
	}
	var all []catalogue.Entry
	var old []*row
	var kept entryJSON
	err := d.db.Each(ctx, entriesQuery, func(rows *sql.Rows) error {
		e, o, err := scanEntry(rows, &kept)
		if len(all) == fewEntries {
			all = slices.Grow(all, limit-fewEntries) // there are mostly few changes, or very many
		}
		if err == nil {
			all = append(all, e)
		}
		if o != nil {
			old = append(old, o)
		}
		return err
	}, after, limit)
	if err != nil {
		return nil, d.db.Fail(ctx, err, "read entries after revision %d", after)
	}
	for batch := range slices.Chunk(old, renewedAtOnce) {
		if d.renew(ctx, batch) != nil {
			break // what was read is right; a later start tries again
		}
	}
	return all, nil
}

// renewedAtOnce is how many entries are written anew in one transaction, so that other writers do
// not wait long.
const renewedAtOnce = 200

// renew writes entries in place of those of older programs. The revisions stay, because nothing
// changes that anybody reads. A record that was replaced meanwhile has a new entry already.
func (d *Datasets) renew(ctx context.Context, old []*row) error {
	return d.db.Transact(ctx, func(ctx context.Context, tx *database.Tx) error {
		for _, o := range old {
			_, err := tx.NewUpdate().Model((*row)(nil)).Set("entry = ?", o.Entry).Where("id = ?", o.ID).Where("revision = ?", o.Revision).Exec(ctx)
			if err != nil {
				return tx.Fail(ctx, err, "write the entry of dataset %s anew", o.ID)
			}
		}
		return nil
	})
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
