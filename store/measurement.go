package store

import (
	"context"
	"database/sql"
	"errors"
)

// Measured returns what a file with a SHA-256, in hex, measures by a method;
// false when that is not known.
func (c *Catalogue) Measured(ctx context.Context, sha256, method string) (report []byte, ok bool, err error) {
	s := c.store
	err = s.read.QueryRowContext(ctx, "SELECT report FROM measurements WHERE sha256 = ? AND method = ?", sha256, method).Scan(&report)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, false, nil
	}
	return report, err == nil, s.fail(ctx, err, "read the measurement of %s", sha256)
}

// KeepMeasured keeps what a file measures, in place of what was kept of it by the
// same method.
func (c *Catalogue) KeepMeasured(ctx context.Context, sha256, method string, report []byte) error {
	_, err := c.store.exec(ctx, "keep a measurement", `INSERT INTO measurements (sha256, method, measured_at, report) VALUES (?, ?, ?, ?)
		ON CONFLICT (sha256, method) DO UPDATE SET measured_at = excluded.measured_at, report = excluded.report`,
		sha256, method, c.store.clock(), report)
	return err
}
