package store

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"vaak/account"
)

// requestRow is a row of requests.
type requestRow struct {
	bun.BaseModel `bun:"table:requests"`

	ID           string
	At           int64
	OrgID        string
	KeyID        string
	Route        string
	Voice        string
	Language     string
	Characters   int64
	FirstAudioUs int64
	AudioMs      int64
	Status       int
	Code         string
}

// AddRequests implements [account.UsageStore].
func (s *Store) AddRequests(ctx context.Context, records []account.RequestRecord) error {
	rows := make([]requestRow, len(records))
	for i, r := range records {
		rows[i] = requestRow{
			ID: r.ID, At: micros(r.At), OrgID: r.OrgID, KeyID: r.KeyID, Route: r.Route, Voice: r.Voice, Language: r.Language,
			Characters: r.Characters, FirstAudioUs: r.FirstAudio.Microseconds(), AudioMs: r.Audio.Milliseconds(),
			Status: r.Status, Code: r.Code,
		}
	}
	if len(rows) == 0 {
		return nil
	}
	return s.transact(ctx, func(ctx context.Context, tx *transaction) error {
		return insert(ctx, tx, "request records", rows, "")
	})
}

// PruneRequests implements [account.UsageStore].
func (s *Store) PruneRequests(ctx context.Context, before time.Time) (int, error) {
	return s.prune(ctx, "delete request records",
		"DELETE FROM requests WHERE seq IN (SELECT seq FROM requests WHERE at < ? LIMIT ?)", before)
}
