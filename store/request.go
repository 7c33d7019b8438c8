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

const requestColumns = "seq, id, at, org_id, key_id, route, voice, language, characters, first_audio_us, audio_ms, status, code"

func scanRequest(r row) (rec account.RequestRecord, err error) {
	var at, first, audio int64
	err = r.Scan(&rec.Seq, &rec.ID, &at, &rec.OrgID, &rec.KeyID, &rec.Route, &rec.Voice, &rec.Language,
		&rec.Characters, &first, &audio, &rec.Status, &rec.Code)
	rec.At, rec.FirstAudio, rec.Audio = instant(at), time.Duration(first)*time.Microsecond, milliseconds(audio)
	return rec, err
}

// Requests implements [account.UsageStore]. All of an organisation, those of an id, those
// of a key, and those that failed, each stand together in an index. What else is asked for is looked
// for among [account.RequestScan] of those that failed.
func (s *Store) Requests(ctx context.Context, orgID string, q account.RequestQuery) ([]account.RequestRecord, error) {
	if !names(orgID) || checkTexts(q.ID, q.Key, q.Code) != nil {
		return nil, nil
	}
	query, args := "org_id = ?", []any{orgID}
	if q.Before != (account.RequestMark{}) {
		at := micros(q.Before.At)
		query += " AND at <= ? AND (at < ? OR seq < ?)"
		args = append(args, at, at, q.Before.Seq)
	}
	from := "requests"
	switch failed := q.Failed || q.Code != ""; {
	case q.ID != "":
		query += " AND id = ? AND (? = '' OR key_id = ?) AND (? = '' OR code = ?)"
		args = append(args, q.ID, q.Key, q.Key, q.Code, q.Code)
		if failed {
			query += " AND code <> ''"
		}
	case !failed && q.Key != "":
		query += " AND key_id = ?"
		args = append(args, q.Key)
	case failed && q.Key == "" && q.Code == "":
		query += " AND code <> ''"
	case failed:
		from = "(SELECT * FROM requests WHERE " + query + " AND code <> '' ORDER BY at DESC, seq DESC LIMIT ?) AS failed"
		args = append(args, account.RequestScan)
		query = "(? = '' OR key_id = ?) AND (? = '' OR code = ?)"
		args = append(args, q.Key, q.Key, q.Code, q.Code)
	}
	args = append(args, min(max(q.Limit, 1), account.MaxRequests))
	records, err := collect(ctx, s.read, scanRequest, "SELECT "+requestColumns+" FROM "+from+
		" WHERE "+query+" ORDER BY at DESC, seq DESC LIMIT ?", args...)
	return records, s.fail(ctx, err, "select request records of %s", orgID)
}

// Outcomes implements [account.UsageStore].
func (s *Store) Outcomes(ctx context.Context, orgID string, since time.Time, limit int) ([]account.Outcome, error) {
	if !names(orgID) {
		return nil, nil
	}
	outcomes, err := collect(ctx, s.read, scanOutcome, `SELECT at, first_audio_us, code FROM requests
		WHERE org_id = ? AND at >= ? ORDER BY at DESC, seq DESC LIMIT ?`, orgID, micros(since), limit)
	return outcomes, s.fail(ctx, err, "select how requests of %s went", orgID)
}

func scanOutcome(r row) (o account.Outcome, err error) {
	var at, first int64
	err = r.Scan(&at, &first, &o.Code)
	o.At, o.FirstAudio = instant(at), time.Duration(first)*time.Microsecond
	return o, err
}

// PruneRequests implements [account.UsageStore].
func (s *Store) PruneRequests(ctx context.Context, before time.Time) (int, error) {
	return s.prune(ctx, "delete request records",
		"DELETE FROM requests WHERE seq IN (SELECT seq FROM requests WHERE at < ? LIMIT ?)", before)
}
