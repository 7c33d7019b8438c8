package enquiries

import (
	"context"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"vaak/enquiry"
	"vaak/store/database"
	"vaak/store/webhooks"
	"vaak/webhook"
)

// admissionLock is the key of an advisory lock of PostgreSQL: the letters "enqu".
const admissionLock = 0x656e7175

// alone makes transactions queue, each to its end. Those need it that add what a limit
// counts, since the count must include what the one before has written, and those that
// change many rows, in different orders. SQLite has one writer. The lock is a function of
// PostgreSQL, not a table for the builder.
func alone(ctx context.Context, tx *database.Tx) error {
	if !tx.DB().Postgres() {
		return nil
	}
	_, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock(?)", admissionLock)
	return tx.Fail(ctx, err, "wait for others who write enquiries")
}

// KeepEnquiry implements [enquiry.Store]. The burn of a repeated submission is written,
// too: its consent is used. A purged enquiry is repeated like any other, and counts like
// any other for its hour.
func (s *Enquiries) KeepEnquiry(ctx context.Context, sub enquiry.Submission) (kept enquiry.Kept, err error) {
	if err := checkForm(sub.Enquiry.Form); err != nil {
		return kept, err
	}
	err = s.db.Transact(ctx, func(ctx context.Context, tx *database.Tx) error {
		// The lock comes first, so that what is read next includes what its last holder
		// wrote.
		if err := alone(ctx, tx); err != nil {
			return err
		}
		kept.Enquiry, kept.Repeated, err = submitted(ctx, tx, sub)
		if err != nil {
			return err
		}
		if kept.Repeated {
			return repeated(ctx, tx, sub, kept.Enquiry)
		}
		kept.Full, err = keepNew(ctx, tx, &sub)
		if kept.Full == "" {
			kept.Enquiry = sub.Enquiry
		}
		return err
	})
	if err != nil {
		return enquiry.Kept{}, err
	}
	return kept, nil
}

// burnRow is a row of enquiry_burns: which enquiry came of a question.
type burnRow struct {
	bun.BaseModel `bun:"table:enquiry_burns,alias:b"`

	Burn      string `bun:",pk"`
	EnquiryID string
}

// submitted returns the enquiry that an earlier submission became: one with the same burn,
// else one with the same id.
func submitted(ctx context.Context, tx *database.Tx, s enquiry.Submission) (enquiry.Enquiry, bool, error) {
	// The burn comes first: the consent to a question is used up by the first enquiry, even
	// when another is sent with the same burn and its own id.
	burnt := tx.NewSelect().Model((*burnRow)(nil)).Column("enquiry_id").Where("b.burn = ?", s.Burn)
	found, ok, err := database.First(ctx, tx.NewSelect().Where("e.id = coalesce((?), ?)", burnt, s.Enquiry.ID), row.enquiry)
	return found, ok, tx.Fail(ctx, err, "look for an enquiry")
}

// repeated writes the journal entry of a repeated submission. A client can repeat one as
// often as it likes, so its entries of an hour for one enquiry are folded into one.
func repeated(ctx context.Context, tx *database.Tx, s enquiry.Submission, of enquiry.Enquiry) error {
	if err := burn(ctx, tx, s.Burn, of); err != nil {
		return err
	}
	now, err := tx.DB().Present(ctx, tx)
	if err != nil {
		return err
	}
	s.Entry.Outcome, s.Entry.Enquiry = enquiry.OutcomeRepeated, of.ID
	s.Entry.Fold = "repeated " + of.ID + " " + s.Client + " " + now.Format("2006-01-02T15")
	return note(ctx, tx, s.Entry)
}

// keepNew writes a submission with all that belongs to it, and sets when it was received,
// unless a limit has no room.
func keepNew(ctx context.Context, tx *database.Tx, s *enquiry.Submission) (enquiry.Scope, error) {
	now, err := tx.DB().Present(ctx, tx)
	if err != nil {
		return "", err
	}
	full, err := fullFor(ctx, tx, bun.SafeQuery("?", database.Micros(now.Add(-hour))), s.Sender, s.Client, s.Limits)
	if err != nil || full != "" {
		return full, tx.Fail(ctx, err, "count the enquiries of an hour")
	}
	// What the store decides is set here, whatever the caller has sent.
	s.Enquiry.Received, s.Enquiry.Purged = now, false
	s.Entry.Enquiry = s.Enquiry.ID
	r := rowOf(s)
	if _, err := tx.NewInsert().Model(&r).Returning("NULL").Exec(ctx); err != nil {
		return "", tx.Fail(ctx, err, "write an enquiry")
	}
	// In the same transaction: an enquiry never exists without its mails, nor a question
	// that led to it without its burn.
	if err := burn(ctx, tx, s.Burn, s.Enquiry); err != nil {
		return "", err
	}
	if err := queueMails(ctx, tx, s.Enquiry.ID, s.Mails...); err != nil {
		return "", err
	}
	if err := webhooks.Emit(ctx, tx, happened(webhook.EnquiryReceived, s.Enquiry.ID, now, thin(s.Enquiry))); err != nil {
		return "", err
	}
	return "", note(ctx, tx, s.Entry)
}

// happened returns the event of something that happened to an enquiry.
func happened(t webhook.Type, id string, at time.Time, data any) webhook.Event {
	return webhook.NewEvent(t, webhook.Operator, "enquiry/"+id, at, data)
}

// thin returns what events say of an enquiry: nothing that the person typed.
func thin(e enquiry.Enquiry) webhook.Enquiry {
	out := webhook.Enquiry{Enquiry: e.ID, Intent: string(e.Intent)}
	if e.About != nil {
		out.Dataset = e.About.ID
	}
	return out
}

// burn notes which enquiry came of a question, so that no other can, and gives it the link
// and the journal entries of that question. A purged enquiry gets no words again.
func burn(ctx context.Context, tx *database.Tx, burn string, of enquiry.Enquiry) error {
	if burn == "" {
		return nil
	}
	entries := tx.NewUpdate().Model((*entryRow)(nil)).Set("enquiry_id = ?", of.ID).
		Where("state = ?", burn).Where("state <> ''").Where("enquiry_id IS NULL")
	if of.Purged {
		entries = entries.Set("shown = ''")
	}
	for _, st := range []database.Statement{
		tx.NewInsert().Model(&burnRow{Burn: burn, EnquiryID: of.ID}).On("CONFLICT (burn) DO NOTHING").Returning("NULL"),
		tx.NewUpdate().Model((*linkRow)(nil)).Set("sent = ?", of.ID).Where("digest = ?", burn).Where("sent IS NULL"),
		entries,
	} {
		if _, err := st.Exec(ctx); err != nil {
			return tx.Fail(ctx, err, "burn a consent")
		}
	}
	return nil
}

// FullFor implements [enquiry.Store].
func (s *Enquiries) FullFor(ctx context.Context, sender, client string, l enquiry.Limits) (enquiry.Scope, error) {
	full, err := fullFor(ctx, s.db.Read, bun.SafeQuery("? - ?", s.db.Clock(), hour.Microseconds()), sender, client, l)
	return full, s.db.Fail(ctx, err, "count the enquiries of an hour")
}

// fullFor returns the limit that has no room, of what was received after an instant.
func fullFor(ctx context.Context, db bun.IDB, after schema.QueryAppender, sender, client string, l enquiry.Limits) (enquiry.Scope, error) {
	// The condition on '' lets an index serve that has no rows of ''.
	count := func() *bun.SelectQuery {
		return db.NewSelect().Model((*row)(nil)).ColumnExpr("count(*)").Where("e.received_at > ?", after)
	}
	var bySender, byClient, all int
	err := db.NewSelect().
		ColumnExpr("(?)", count().Where("e.sender = ?", sender).Where("e.sender <> ''")).
		ColumnExpr("(?)", count().Where("e.client = ?", client).Where("e.client <> ''")).
		ColumnExpr("(?)", count()).Scan(ctx, &bySender, &byClient, &all)
	switch {
	case err != nil:
		return "", err
	case bySender >= l.Sender:
		return enquiry.SenderScope, nil
	}
	return full(client, byClient, all, l), nil
}

// full returns which of the limits of a client and of all has no room.
func full(client string, byClient, all int, l enquiry.Limits) enquiry.Scope {
	switch {
	case client != "" && byClient >= l.Client:
		return enquiry.ClientScope
	case all >= l.All:
		return enquiry.AllScope
	}
	return ""
}
