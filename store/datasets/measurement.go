package datasets

import (
	"context"
	"database/sql"
	"errors"

	"github.com/uptrace/bun"

	"vaak/store/database"
)

// measurementRow is a row of measurements.
type measurementRow struct {
	bun.BaseModel `bun:"table:measurements,alias:m"`

	SHA256     string `bun:"sha256,pk"`
	Method     string `bun:",pk"`
	MeasuredAt int64
	Report     []byte
}

// Measured returns what a file with a SHA-256, in hex, measures by a method; false when
// no measurement is stored.
func (d *Datasets) Measured(ctx context.Context, sha256, method string) (report []byte, ok bool, err error) {
	var r measurementRow
	err = d.db.Read.NewSelect().Model(&r).Column("report").Where("m.sha256 = ?", sha256).Where("m.method = ?", method).Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, false, nil
	}
	return r.Report, err == nil, d.db.Fail(ctx, err, "read the measurement of %s", sha256)
}

// KeepMeasured stores what a file measures, in place of an earlier report by the same
// method.
func (d *Datasets) KeepMeasured(ctx context.Context, sha256, method string, report []byte) error {
	r := measurementRow{SHA256: sha256, Method: method, Report: report}
	_, err := d.db.Execute(ctx, "keep a measurement", func(tx *database.Tx) database.Statement {
		return tx.NewInsert().Model(&r).Value("measured_at", "?", d.db.Clock()).
			On("CONFLICT (sha256, method) DO UPDATE").Returning("NULL")
	})
	return err
}
