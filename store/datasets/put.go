package datasets

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/uptrace/bun"

	"vaak/catalogue"
	"vaak/internal/fault"
	"vaak/store/database"
	"vaak/store/webhooks"
	"vaak/webhook"
)

// row is a row of datasets. Entry, files and record are JSON.
type row struct {
	bun.BaseModel `bun:"table:datasets,alias:d"`

	ID         string `bun:",pk"`
	Slug       string
	Revision   int64
	Status     string
	CreatedAt  int64
	ModifiedAt int64
	Entry      string
	Files      string
	Record     string
}

// PutDataset implements [catalogue.Store].
func (d *Datasets) PutDataset(ctx context.Context, s catalogue.Stored) (revision int64, err error) {
	if err := checkNames(s.Dataset); err != nil {
		return 0, err
	}
	r, err := encode(s)
	if err != nil {
		return 0, err
	}
	err = d.db.Transact(ctx, func(ctx context.Context, tx *database.Tx) error {
		// The topic comes first: writers queue for it, and each then reads what the one
		// before it has written.
		if revision, err = tx.Raise(ctx, topic, ""); err != nil {
			return err
		}
		var same []row
		err := tx.NewSelect().Model(&same).Column("id", "slug", "revision", "status").
			Where("d.id = ? OR d.slug = ?", s.Dataset.ID, s.Dataset.Slug).Scan(ctx)
		if err != nil {
			return tx.Fail(ctx, err, "look for dataset %s", s.Dataset.Slug)
		}
		if err := mayReplace(same, s); err != nil {
			return err
		}
		r.Revision = revision
		if err := put(ctx, tx, r); err != nil {
			return err
		}
		before := catalogue.Drafted
		if len(same) > 0 {
			before = catalogue.Status(same[0].Status)
		}
		return tell(ctx, tx, r, before)
	})
	if err != nil {
		return 0, err
	}
	return revision, nil
}

// put writes a row in place of the one with its id, which keeps the time of its creation.
func put(ctx context.Context, tx *database.Tx, r row) error {
	now := tx.DB().Clock()
	_, err := tx.NewInsert().Model(&r).Value("created_at", "?", now).Value("modified_at", "?", now).
		On("CONFLICT (id) DO UPDATE").Set("revision = excluded.revision").Set("status = excluded.status").
		Set("modified_at = excluded.modified_at").Set("entry = excluded.entry").Set("files = excluded.files").
		Set("record = excluded.record").Returning("NULL").Exec(ctx)
	return tx.Fail(ctx, err, "write dataset %s", r.Slug)
}

// tell writes the event of a dataset that was written. One that nobody can see makes none.
func tell(ctx context.Context, tx *database.Tx, r row, before catalogue.Status) error {
	var t webhook.Type
	switch now := catalogue.Status(r.Status); {
	case now == catalogue.Published && before == catalogue.Published:
		t = webhook.DatasetChanged
	case now == catalogue.Published:
		t = webhook.DatasetPublished
	case now == catalogue.Suspended && before != now:
		t = webhook.DatasetSuspended
	case now == catalogue.Retired && before != now:
		t = webhook.DatasetRetired
	default:
		return nil
	}
	at, err := tx.DB().Present(ctx, tx)
	if err != nil {
		return err
	}
	return webhooks.Emit(ctx, tx, webhook.NewEvent(t, webhook.Operator, "dataset/"+r.ID, at, webhook.Dataset{
		Dataset: r.ID, Slug: r.Slug, Status: r.Status, Revision: r.Revision,
	}))
}

// checkNames refuses an id that could be a slug, and a slug that could be an id.
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

func encode(s catalogue.Stored) (r row, err error) {
	e := catalogue.EntryOf(&s.Dataset)
	r = row{ID: s.Dataset.ID, Slug: s.Dataset.Slug, Status: string(s.Dataset.Status)}
	for _, part := range []struct {
		text *string
		of   any
	}{
		{&r.Entry, encodeEntry(e)},
		{&r.Files, s.Files},
		{&r.Record, s.Dataset},
	} {
		b, err := json.Marshal(part.of)
		if err != nil {
			return r, fmt.Errorf("encode dataset %s: %w", s.Dataset.Slug, err)
		}
		*part.text = string(b)
	}
	return r, nil
}

// mayReplace refuses a record that is not the next of the one in the database. Same are
// the rows with its id or its slug: none, one, or two that are different datasets.
func mayReplace(same []row, s catalogue.Stored) error {
	for _, k := range same {
		switch {
		case k.ID != s.Dataset.ID:
			return fault.New(fault.Conflict, database.CodeConflict, "id",
				"the dataset %q has the id %s, which never changes; sent was %s", k.Slug, k.ID, s.Dataset.ID)
		case k.Slug != s.Dataset.Slug:
			return fault.New(fault.Conflict, database.CodeConflict, "slug",
				"the dataset %s has the slug %q, which never changes; sent was %q", k.ID, k.Slug, s.Dataset.Slug)
		}
	}
	var revision int64 // 0: there is none
	if len(same) > 0 {
		revision = same[0].Revision
	}
	if revision == s.Revision {
		return nil
	}
	return fault.New(fault.Conflict, database.CodeConflict, "revision",
		"the dataset %q changed meanwhile: it is at revision %d (0 is not there), and %d was to be replaced", s.Dataset.Slug, revision, s.Revision)
}
