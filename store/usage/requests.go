package usage

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"vaak/account"
	"vaak/store/database"
)

// requestRow is a row of requests. The database numbers them in the order in which they
// are added.
type requestRow struct {
	bun.BaseModel `bun:"table:requests,alias:r"`

	ID           string
	At           int64
	OrgID        string
	KeyID        string
	Route        string
	Voice        string
	Language     string
	Engine       string
	Characters   int64
	FirstAudioUs int64
	AudioMs      int64
	Status       int
	Code         string
}

// numberedRow is a row of requests with its number.
type numberedRow struct {
	Seq int64
	requestRow
}

func (r numberedRow) record() account.RequestRecord {
	return account.RequestRecord{
		Seq: r.Seq, ID: r.ID, At: database.Instant(r.At), OrgID: r.OrgID, KeyID: r.KeyID, Route: r.Route,
		Voice: r.Voice, Language: r.Language, Engine: r.Engine, Characters: r.Characters, FirstAudio: microseconds(r.FirstAudioUs),
		Audio: milliseconds(r.AudioMs), Status: r.Status, Code: r.Code,
	}
}

// microseconds is the time that a column of whole microseconds holds.
func microseconds(n int64) time.Duration { return time.Duration(n) * time.Microsecond }

// AddRequests implements [account.UsageStore].
func (s *Usage) AddRequests(ctx context.Context, records []account.RequestRecord) error {
	rows := make([]requestRow, len(records))
	for i, r := range records {
		rows[i] = requestRow{
			ID: r.ID, At: database.Micros(r.At), OrgID: r.OrgID, KeyID: r.KeyID, Route: r.Route, Voice: r.Voice, Language: r.Language,
			Engine: r.Engine, Characters: r.Characters, FirstAudioUs: r.FirstAudio.Microseconds(), AudioMs: r.Audio.Milliseconds(),
			Status: r.Status, Code: r.Code,
		}
	}
	if len(rows) == 0 {
		return nil
	}
	return s.db.Transact(ctx, func(ctx context.Context, tx *database.Tx) error {
		return database.Insert(ctx, tx, "request records", rows, "")
	})
}

// Requests implements [account.UsageStore]. An index holds together all records of an
// organisation, those with an id, those of a key, and those that failed. Any other
// combination is looked for among the latest [account.RequestScan] that failed, so that
// a rare code does not read the whole table.
func (s *Usage) Requests(ctx context.Context, orgID string, q account.RequestQuery) ([]account.RequestRecord, error) {
	if !database.IsID(orgID) || database.CheckTexts(q.ID, q.Key, q.Code) != nil {
		return nil, nil
	}
	page := s.db.Read.NewSelect().Model((*requestRow)(nil)).Where("r.org_id = ?", orgID)
	if q.Before != (account.RequestMark{}) {
		// The first condition is the range that the index seeks; the second leaves out the
		// records of the same instant that were returned before.
		at := database.Micros(q.Before.At)
		page = page.Where("r.at <= ?", at).Where("r.at < ? OR r.seq < ?", at, q.Before.Seq)
	}
	failed := q.Failed || q.Code != ""
	if failed {
		page = page.Where("r.code <> ''")
	}
	if q.ID == "" && failed && (q.Key != "" || q.Code != "") {
		// The limit is on the rows that are read, and the filters below apply to those.
		scanned := page.ColumnExpr("*").OrderExpr("r.at DESC, r.seq DESC").Limit(account.RequestScan)
		page = s.db.Read.NewSelect().TableExpr("(?) AS r", scanned)
	}
	if q.ID != "" {
		page = page.Where("r.id = ?", q.ID)
	}
	if q.Key != "" {
		page = page.Where("r.key_id = ?", q.Key)
	}
	if q.Code != "" {
		page = page.Where("r.code = ?", q.Code)
	}
	var rows []numberedRow
	err := page.ColumnExpr("r.*").OrderExpr("r.at DESC, r.seq DESC").
		Limit(int64(min(max(q.Limit, 1), account.MaxRequests))).Scan(ctx, &rows)
	var records []account.RequestRecord
	for _, r := range rows {
		records = append(records, r.record())
	}
	return records, s.db.Fail(ctx, err, "select request records of %s", orgID)
}

// Outcomes implements [account.UsageStore].
func (s *Usage) Outcomes(ctx context.Context, orgID string, since time.Time, limit int) ([]account.Outcome, error) {
	if !database.IsID(orgID) || limit < 1 {
		return nil, nil
	}
	var rows []requestRow
	err := s.db.Read.NewSelect().Model(&rows).Column("at", "first_audio_us", "code").
		Where("r.org_id = ?", orgID).Where("r.at >= ?", database.Micros(since)).
		OrderExpr("r.at DESC, r.seq DESC").Limit(int64(limit)).Scan(ctx)
	var outcomes []account.Outcome
	for _, r := range rows {
		outcomes = append(outcomes, account.Outcome{At: database.Instant(r.At), FirstAudio: microseconds(r.FirstAudioUs), Code: r.Code})
	}
	return outcomes, s.db.Fail(ctx, err, "select how requests of %s went", orgID)
}

// PruneRequests implements [account.UsageStore].
func (s *Usage) PruneRequests(ctx context.Context, before time.Time) (int, error) {
	return s.db.Prune(ctx, "delete request records", func(tx *database.Tx, limit int) database.Statement {
		old := tx.NewSelect().Model((*requestRow)(nil)).Column("seq").Where("at < ?", database.Micros(before)).Limit(int64(limit))
		return tx.NewDelete().Model((*requestRow)(nil)).Where("seq IN (?)", old)
	})
}
