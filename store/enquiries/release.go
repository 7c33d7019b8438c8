package enquiries

import (
	"context"

	"github.com/uptrace/bun"

	"vaak/enquiry"
	"vaak/internal/fault"
	"vaak/store/database"
	"vaak/store/webhooks"
	"vaak/webhook"
)

// releaseRow is a row of sample_releases.
type releaseRow struct {
	bun.BaseModel `bun:"table:sample_releases,alias:r"`

	ID         string `bun:",pk"`
	EnquiryID  string
	DatasetID  string
	Licence    string
	ReleasedAt int64
	ExpiresAt  int64
	Downloads  int
	Most       int
}

func (r releaseRow) release() (enquiry.Release, error) {
	return enquiry.Release{
		ID: r.ID, Enquiry: r.EnquiryID, Dataset: r.DatasetID, Licence: r.Licence, Released: database.Instant(r.ReleasedAt),
		Expires: database.Instant(r.ExpiresAt), Downloads: r.Downloads, Most: r.Most,
	}, nil
}

// PutRelease implements [enquiry.Records]. The store sets the time of a release without
// one, and At and Enquiry of the entry. The error is of kind NotFound for an enquiry that
// does not exist or was purged meanwhile.
func (s *Enquiries) PutRelease(ctx context.Context, r enquiry.Release, m enquiry.Mail, entry enquiry.Entry) error {
	return s.db.Transact(ctx, func(ctx context.Context, tx *database.Tx) error {
		ok, err := hold(ctx, tx, r.Enquiry)
		if err != nil {
			return err
		}
		if !ok {
			return fault.New(fault.NotFound, fault.CodeNotFound, "", "there is no such enquiry, or what the person typed was deleted")
		}
		row := releaseRow{
			ID: r.ID, EnquiryID: r.Enquiry, DatasetID: r.Dataset, Licence: r.Licence, ReleasedAt: database.Micros(r.Released),
			ExpiresAt: database.Micros(r.Expires), Downloads: r.Downloads, Most: r.Most,
		}
		insert := tx.NewInsert().Model(&row).Returning("NULL")
		if r.Released.IsZero() {
			insert = insert.Value("released_at", "?", s.db.Clock())
		}
		if _, err := insert.Exec(ctx); err != nil {
			return tx.Fail(ctx, err, "write a release")
		}
		if err := queueMails(ctx, tx, r.Enquiry, m); err != nil {
			return err
		}
		if err := emitSample(ctx, tx, webhook.EnquirySampleReleased, webhook.Sample{Enquiry: r.Enquiry, Release: r.ID, Dataset: r.Dataset}); err != nil {
			return err
		}
		entry.Enquiry = r.Enquiry
		return note(ctx, tx, entry)
	})
}

// emitSample writes an event of a sample, at the present.
func emitSample(ctx context.Context, tx *database.Tx, t webhook.Type, data webhook.Sample) error {
	now, err := tx.DB().Present(ctx, tx)
	if err != nil {
		return err
	}
	return webhooks.Emit(ctx, tx, happened(t, data.Enquiry, now, data))
}

// Releases implements [enquiry.Records].
func (s *Enquiries) Releases(ctx context.Context, id string) ([]enquiry.Release, error) {
	if !database.IsID(id) {
		return nil, nil
	}
	all, err := database.All(ctx, s.db.Read.NewSelect().Where("r.enquiry_id = ?", id).Order("r.n"), releaseRow.release)
	return all, s.db.Fail(ctx, err, "read the releases of an enquiry")
}

// Release implements [enquiry.Records].
func (s *Enquiries) Release(ctx context.Context, id string) (enquiry.Release, bool, error) {
	if !database.IsID(id) {
		return enquiry.Release{}, false, nil
	}
	r, ok, err := database.First(ctx, s.db.Read.NewSelect().Where("r.id = ?", id), releaseRow.release)
	return r, ok, s.db.Fail(ctx, err, "read a release")
}

// TakeDownload implements [enquiry.Records]. The store sets At and Enquiry of the entry. A
// release that does not exist or has expired has no download left.
func (s *Enquiries) TakeDownload(ctx context.Context, id string, entry enquiry.Entry) (taken bool, err error) {
	if !database.IsID(id) {
		return false, nil
	}
	err = s.db.Transact(ctx, func(ctx context.Context, tx *database.Tx) error {
		var of []struct{ EnquiryID, DatasetID string }
		_, err := tx.NewUpdate().Model((*releaseRow)(nil)).Set("downloads = downloads + 1").
			Where("id = ?", id).Where("downloads < most").Where("expires_at > ?", s.db.Clock()).
			Returning("enquiry_id, dataset_id").Exec(ctx, &of)
		taken = err == nil && len(of) > 0
		if !taken {
			return tx.Fail(ctx, err, "count a download")
		}
		if err := emitSample(ctx, tx, webhook.EnquirySampleTaken, webhook.Sample{Enquiry: of[0].EnquiryID, Release: id, Dataset: of[0].DatasetID}); err != nil {
			return err
		}
		entry.Enquiry = of[0].EnquiryID
		return note(ctx, tx, entry)
	})
	return taken && err == nil, err
}
