package store

import (
	"context"
	"database/sql"
	"errors"

	"vaak/enquiry"
	"vaak/internal/fault"
)

// PutRelease implements [enquiry.Records]. A release without a time gets the store's;
// At and Enquiry of the entry are the store's to set. The error of an enquiry that is
// not there, or was purged meanwhile, is of kind NotFound.
func (e *Enquiries) PutRelease(ctx context.Context, r enquiry.Release, m enquiry.Mail, entry enquiry.Entry) error {
	return e.store.transact(ctx, func(ctx context.Context, tx *transaction) error {
		ok, err := tx.hold(ctx, r.Enquiry)
		if err != nil {
			return err
		}
		if !ok {
			return fault.New(fault.NotFound, fault.CodeNotFound, "", "there is no such enquiry, or what the person typed was deleted")
		}
		if err := tx.putRelease(ctx, r); err != nil {
			return err
		}
		if err := tx.queueMails(ctx, r.Enquiry, m); err != nil {
			return err
		}
		entry.Enquiry = r.Enquiry
		return tx.note(ctx, entry)
	})
}

func (tx *transaction) putRelease(ctx context.Context, r enquiry.Release) error {
	var released any = tx.store.clock()
	if !r.Released.IsZero() {
		released = micros(r.Released)
	}
	err := tx.exec(ctx, `INSERT INTO sample_releases (id, enquiry_id, dataset_id, licence, released_at, expires_at, downloads, most)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?)`, r.ID, r.Enquiry, r.Dataset, r.Licence, released, micros(r.Expires), r.Downloads, r.Most)
	return tx.store.fail(ctx, err, "write a release")
}

const releaseQuery = "SELECT id, enquiry_id, dataset_id, licence, released_at, expires_at, downloads, most FROM sample_releases WHERE "

func scanRelease(row row) (r enquiry.Release, err error) {
	var released, expires int64
	err = row.Scan(&r.ID, &r.Enquiry, &r.Dataset, &r.Licence, &released, &expires, &r.Downloads, &r.Most)
	r.Released, r.Expires = instant(released), instant(expires)
	return r, err
}

// Releases implements [enquiry.Records].
func (e *Enquiries) Releases(ctx context.Context, id string) ([]enquiry.Release, error) {
	if !names(id) {
		return nil, nil
	}
	all, err := collect(ctx, e.store.read, scanRelease, releaseQuery+"enquiry_id = ? ORDER BY n", id)
	return all, e.store.fail(ctx, err, "read the releases of an enquiry")
}

// Release implements [enquiry.Records].
func (e *Enquiries) Release(ctx context.Context, id string) (enquiry.Release, bool, error) {
	if !names(id) {
		return enquiry.Release{}, false, nil
	}
	r, ok, err := first(ctx, e.store.read, scanRelease, releaseQuery+"id = ?", id)
	return r, ok, e.store.fail(ctx, err, "read a release")
}

// TakeDownload implements [enquiry.Records]. At and Enquiry of the entry are the
// store's to set. None is left of a release that is not there or has expired.
func (e *Enquiries) TakeDownload(ctx context.Context, id string, entry enquiry.Entry) (taken bool, err error) {
	if !names(id) {
		return false, nil
	}
	err = e.store.transact(ctx, func(ctx context.Context, tx *transaction) error {
		taken = false
		err := tx.QueryRowContext(ctx, `UPDATE sample_releases SET downloads = downloads + 1
			WHERE id = ? AND downloads < most AND expires_at > ? RETURNING enquiry_id`, id, tx.store.clock()).Scan(&entry.Enquiry)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return tx.store.fail(ctx, err, "count a download")
		}
		taken = true
		return tx.note(ctx, entry)
	})
	return taken && err == nil, err
}
