package enquiries

import (
	"context"

	"github.com/uptrace/bun"

	"vaak/enquiry"
	"vaak/store/database"
)

// sourceJSON is the source of an entry or a link, without its client, which has a column
// of its own.
type sourceJSON struct {
	RequestID    string `json:"request_id,omitempty"`
	KeyID        string `json:"key_id,omitempty"`
	Agent        string `json:"agent,omitempty"`
	AgentVersion string `json:"agent_version,omitempty"`
	Protocol     string `json:"protocol,omitempty"`
}

func encodeSource(s enquiry.Source) string {
	return database.EncodeJSON(sourceJSON{s.RequestID, s.KeyID, s.Agent, s.AgentVersion, s.Protocol})
}

func decodeSource(text string) (enquiry.Source, error) {
	var s sourceJSON
	err := database.DecodeJSON(text, &s, "a source")
	return enquiry.Source{RequestID: s.RequestID, KeyID: s.KeyID, Agent: s.Agent, AgentVersion: s.AgentVersion, Protocol: s.Protocol}, err
}

// entryRow is a row of enquiry_journal.
type entryRow struct {
	bun.BaseModel `bun:"table:enquiry_journal,alias:j"`

	At         int64
	Outcome    string
	Code       string
	Method     string
	EnquiryID  string `bun:",nullzero"`
	Content    string
	Shown      string
	State      string
	Client     string
	Source     string // JSON
	AskedAt    int64
	AnsweredAt int64
	Fold       string `bun:",nullzero"`
	Times      int
}

func (r entryRow) entry() (e enquiry.Entry, err error) {
	e = enquiry.Entry{
		At: database.Instant(r.At), Outcome: enquiry.Outcome(r.Outcome), Code: r.Code, Method: enquiry.Method(r.Method),
		Enquiry: r.EnquiryID, Content: r.Content, Shown: r.Shown, State: r.State, Client: r.Client,
		Asked: database.Instant(r.AskedAt), Answered: database.Instant(r.AnsweredAt), Fold: r.Fold, Times: r.Times,
	}
	e.Source, err = decodeSource(r.Source)
	return e, err
}

// Note implements [enquiry.Store]. The store sets At. An enquiry that does not exist is
// left out of the entry.
func (s *Enquiries) Note(ctx context.Context, entry enquiry.Entry) error {
	return s.db.Transact(ctx, func(ctx context.Context, tx *database.Tx) error {
		// A purge that runs at the same time would not see the words of this entry.
		if entry.Enquiry != "" && entry.Shown != "" {
			if err := alone(ctx, tx); err != nil {
				return err
			}
		}
		return note(ctx, tx, entry)
	})
}

// note adds an entry to the journal, or adds it to the one with the same fold. The entry
// of a purged enquiry has nothing of what was shown.
func note(ctx context.Context, tx *database.Tx, e enquiry.Entry) error {
	r := entryRow{
		Outcome: string(e.Outcome), Code: e.Code, Method: string(e.Method), Content: e.Content, State: e.State,
		Client: e.Client, Source: encodeSource(e.Source), AskedAt: database.Micros(e.Asked), AnsweredAt: database.Micros(e.Answered),
		Fold: e.Fold, Times: max(e.Times, 1),
	}
	// Both are subqueries of the insert, so the enquiry is looked up in the same statement
	// that writes the entry. An id that is not found becomes NULL.
	of := tx.NewSelect().Model((*row)(nil)).Where("e.id = ?", e.Enquiry)
	purged := tx.NewSelect().Model((*row)(nil)).ColumnExpr("1").Where("e.id = ?", e.Enquiry).Where("e.purged = 1")
	_, err := tx.NewInsert().Model(&r).
		Value("at", "?", tx.DB().Clock()).
		Value("enquiry_id", "(?)", of.Column("id")).
		Value("shown", "CASE WHEN EXISTS (?) THEN '' ELSE ? END", purged, e.Shown).
		On("CONFLICT (fold) DO UPDATE").Set("at = excluded.at").Set("times = j.times + excluded.times").
		Returning("NULL").Exec(ctx)
	return tx.Fail(ctx, err, "write an entry of the journal of enquiries")
}

// WasDeclined implements [enquiry.Store].
func (s *Enquiries) WasDeclined(ctx context.Context, content string) (bool, error) {
	return s.hasEntry(ctx, "j.content = ? AND j.outcome = 'declined'", content)
}

// WasCancelled implements [enquiry.Store].
func (s *Enquiries) WasCancelled(ctx context.Context, question string) (bool, error) {
	return s.hasEntry(ctx, "j.state = ? AND j.outcome = 'cancelled'", question)
}

// hasEntry reports whether the journal has an entry that a condition on a digest fits.
func (s *Enquiries) hasEntry(ctx context.Context, where, digest string) (bool, error) {
	if !database.IsID(digest) {
		return false, nil
	}
	found, err := s.db.Read.NewSelect().Model((*entryRow)(nil)).Where(where, digest).Exists(ctx)
	return found, s.db.Fail(ctx, err, "look for an answer in the journal of enquiries")
}

// Entries implements [enquiry.Records].
func (s *Enquiries) Entries(ctx context.Context, id string, limit int) ([]enquiry.Entry, error) {
	if limit < 1 || id != "" && !database.IsID(id) {
		return nil, nil
	}
	q := s.db.Read.NewSelect().Order("j.at DESC", "j.n DESC").Limit(int64(limit))
	if id == "" {
		q = q.Where("j.enquiry_id IS NULL")
	} else {
		q = q.Where("j.enquiry_id = ?", id)
	}
	all, err := database.All(ctx, q, entryRow.entry)
	return all, s.db.Fail(ctx, err, "read the journal of enquiries")
}
