package store

import (
	"context"

	"vaak/enquiry"
)

// sourceJSON is how a source is kept, whose client is elsewhere.
type sourceJSON struct {
	RequestID    string `json:"request_id,omitempty"`
	KeyID        string `json:"key_id,omitempty"`
	Agent        string `json:"agent,omitempty"`
	AgentVersion string `json:"agent_version,omitempty"`
	Protocol     string `json:"protocol,omitempty"`
}

func encodeSource(s enquiry.Source) string {
	return encoded(sourceJSON{s.RequestID, s.KeyID, s.Agent, s.AgentVersion, s.Protocol})
}

func decodeSource(text string) (enquiry.Source, error) {
	var s sourceJSON
	err := decode(text, &s, "a source")
	return enquiry.Source{RequestID: s.RequestID, KeyID: s.KeyID, Agent: s.Agent, AgentVersion: s.AgentVersion, Protocol: s.Protocol}, err
}

// Note implements [enquiry.Store]. At is the store's to set. An enquiry that is not
// there is left out of the entry.
func (e *Enquiries) Note(ctx context.Context, entry enquiry.Entry) error {
	return e.store.transact(ctx, func(ctx context.Context, tx *transaction) error {
		if entry.Enquiry != "" && entry.Shown != "" { // a purge would pass the words over that come meanwhile
			if err := tx.alone(ctx); err != nil {
				return err
			}
		}
		return tx.note(ctx, entry)
	})
}

// note adds an entry to the journal, or to the entry of its fold; one of a purged
// enquiry without what was shown.
func (tx *transaction) note(ctx context.Context, e enquiry.Entry) error {
	clock := tx.store.clock()
	err := tx.exec(ctx, `INSERT INTO enquiry_journal (at, outcome, code, method, enquiry_id, content, shown, state, client, source, asked_at, answered_at, fold, times)
		VALUES (?, ?, ?, ?, (SELECT id FROM enquiries WHERE id = ?), ?,
			CASE WHEN EXISTS (SELECT 1 FROM enquiries WHERE id = ? AND purged = 1) THEN '' ELSE ? END, ?, ?, ?, ?, ?, nullif(?, ''), ?)
		ON CONFLICT (fold) DO UPDATE SET at = excluded.at, times = enquiry_journal.times + excluded.times`,
		clock, string(e.Outcome), e.Code, string(e.Method), e.Enquiry, e.Content, e.Enquiry, e.Shown, e.State, e.Client, encodeSource(e.Source),
		micros(e.Asked), micros(e.Answered), e.Fold, max(e.Times, 1))
	return tx.store.fail(ctx, err, "write an entry of the journal of enquiries")
}

// WasDeclined implements [enquiry.Store].
func (e *Enquiries) WasDeclined(ctx context.Context, content string) (bool, error) {
	return e.told(ctx, "content = ? AND outcome = 'declined'", content)
}

// WasCancelled implements [enquiry.Store].
func (e *Enquiries) WasCancelled(ctx context.Context, question string) (bool, error) {
	return e.told(ctx, "state = ? AND outcome = 'cancelled'", question)
}

// told reports whether the journal has an entry where a digest stands in the condition.
func (e *Enquiries) told(ctx context.Context, where, digest string) (bool, error) {
	if !names(digest) {
		return false, nil
	}
	var n int
	err := e.store.read.QueryRowContext(ctx, "SELECT count(*) FROM (SELECT 1 FROM enquiry_journal WHERE "+where+" LIMIT 1) AS one", digest).Scan(&n)
	return n > 0, e.store.fail(ctx, err, "look for an answer in the journal of enquiries")
}

// Entries implements [enquiry.Records].
func (e *Enquiries) Entries(ctx context.Context, id string, limit int) ([]enquiry.Entry, error) {
	if limit < 1 || id != "" && !names(id) {
		return nil, nil
	}
	query := `SELECT at, outcome, code, method, coalesce(enquiry_id, ''), content, shown, state, client, source, asked_at, answered_at, coalesce(fold, ''), times
		FROM enquiry_journal WHERE `
	args := []any{limit}
	if id == "" {
		query += "enquiry_id IS NULL ORDER BY at DESC, n DESC LIMIT ?"
	} else {
		query += "enquiry_id = ? ORDER BY at DESC, n DESC LIMIT ?"
		args = []any{id, limit}
	}
	all, err := collect(ctx, e.store.read, scanEntry, query, args...)
	return all, e.store.fail(ctx, err, "read the journal of enquiries")
}

func scanEntry(r row) (e enquiry.Entry, err error) {
	var at, asked, answered int64
	var source string
	err = r.Scan(&at, &e.Outcome, &e.Code, &e.Method, &e.Enquiry, &e.Content, &e.Shown, &e.State, &e.Client, &source, &asked, &answered, &e.Fold, &e.Times)
	if err != nil {
		return e, err
	}
	e.At, e.Asked, e.Answered = instant(at), instant(asked), instant(answered)
	e.Source, err = decodeSource(source)
	return e, err
}
