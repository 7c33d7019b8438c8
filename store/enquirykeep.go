package store

import (
	"context"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"vaak/enquiry"
)

// admissionLock is the key of an advisory lock of PostgreSQL: the letters "enqu".
const admissionLock = 0x656e7175

// alone makes transactions queue, each to its end: those that add what a limit
// counts, and those that change many rows. SQLite has one writer anyway.
func (tx *transaction) alone(ctx context.Context) error {
	if !tx.store.postgres() {
		return nil
	}
	return tx.store.fail(ctx, tx.exec(ctx, "SELECT pg_advisory_xact_lock(?)", admissionLock), "wait for others who write enquiries")
}

// KeepEnquiry implements [enquiry.Store]. What is burnt is so when the enquiry was
// there already, too: the consent that it stands for is used. An enquiry that was
// purged is there as any other, and counts as any other for its hour.
func (e *Enquiries) KeepEnquiry(ctx context.Context, s enquiry.Submission) (kept enquiry.Kept, err error) {
	if err := checkForm(s.Enquiry.Form); err != nil {
		return kept, err
	}
	err = e.store.transact(ctx, func(ctx context.Context, tx *transaction) error {
		// First of all, so that what is read next is what the last one wrote.
		if err := tx.alone(ctx); err != nil {
			return err
		}
		kept.Enquiry, kept.Repeated, err = tx.submitted(ctx, s)
		if err != nil {
			return err
		}
		if kept.Repeated {
			return tx.repeated(ctx, s, kept.Enquiry)
		}
		kept.Full, err = tx.keepNew(ctx, &s)
		if kept.Full == "" {
			kept.Enquiry = s.Enquiry
		}
		return err
	})
	if err != nil {
		return enquiry.Kept{}, err
	}
	return kept, nil
}

// submitted returns what came of a submission before: by what it burns, else by its id.
func (tx *transaction) submitted(ctx context.Context, s enquiry.Submission) (enquiry.Enquiry, bool, error) {
	found, ok, err := first(ctx, tx.IDB, scanEnquiry, "SELECT "+enquiryColumns+` FROM enquiries AS e
		WHERE e.id = coalesce((SELECT b.enquiry_id FROM enquiry_burns AS b WHERE b.burn = ?), ?)`, s.Burn, s.Enquiry.ID)
	return found, ok, tx.store.fail(ctx, err, "look for an enquiry")
}

// repeated keeps the entry of a submission that was there. Anybody can cause those as
// often as they like, so a client has one an hour for each enquiry.
func (tx *transaction) repeated(ctx context.Context, s enquiry.Submission, of enquiry.Enquiry) error {
	if err := tx.burn(ctx, s.Burn, of); err != nil {
		return err
	}
	now, err := tx.store.present(ctx, tx)
	if err != nil {
		return err
	}
	s.Entry.Outcome, s.Entry.Enquiry = enquiry.OutcomeRepeated, of.ID
	s.Entry.Fold = "repeated " + of.ID + " " + s.Client + " " + now.Format("2006-01-02T15")
	return tx.note(ctx, s.Entry)
}

// keepNew writes a submission with all that belongs to it, and sets when it was
// received, unless a limit has no room.
func (tx *transaction) keepNew(ctx context.Context, s *enquiry.Submission) (enquiry.Scope, error) {
	now, err := tx.store.present(ctx, tx)
	if err != nil {
		return "", err
	}
	full, err := tx.store.full(ctx, tx, bun.SafeQuery("?", micros(now.Add(-hour))), s.Sender, s.Client, s.Limits)
	if err != nil || full != "" {
		return full, err
	}
	s.Enquiry.Received, s.Enquiry.Purged = now, false
	s.Entry.Enquiry = s.Enquiry.ID
	for _, step := range []func() error{
		func() error { return tx.putEnquiry(ctx, s) },
		func() error { return tx.burn(ctx, s.Burn, s.Enquiry) },
		func() error { return tx.queueMails(ctx, s.Enquiry.ID, s.Mails...) },
		func() error { return tx.note(ctx, s.Entry) },
	} {
		if err := step(); err != nil {
			return "", err
		}
	}
	return "", nil
}

func (tx *transaction) putEnquiry(ctx context.Context, s *enquiry.Submission) error {
	e, about := &s.Enquiry, ""
	if e.About != nil {
		about = encoded(e.About)
	}
	err := tx.exec(ctx, `INSERT INTO enquiries (id, received_at, intent, method, sender, client, dataset, about, name, email, company, agent, message)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		e.ID, micros(e.Received), string(e.Intent), string(e.Method), s.Sender, s.Client, e.Dataset, about,
		e.Name, e.Email, e.Company, e.Agent, e.Message)
	return tx.store.fail(ctx, err, "write an enquiry")
}

// burn notes what came of a question, whose link and entries become those of the
// enquiry. One that is purged gets no words again.
func (tx *transaction) burn(ctx context.Context, burn string, of enquiry.Enquiry) error {
	if burn == "" {
		return nil
	}
	shown := "shown"
	if of.Purged {
		shown = "''"
	}
	for _, query := range []string{
		"INSERT INTO enquiry_burns (enquiry_id, burn) VALUES (?, ?) ON CONFLICT (burn) DO NOTHING",
		"UPDATE enquiry_links SET sent = ? WHERE digest = ? AND sent IS NULL",
		"UPDATE enquiry_journal SET enquiry_id = ?, shown = " + shown + " WHERE state = ? AND state <> '' AND enquiry_id IS NULL",
	} {
		if err := tx.exec(ctx, query, of.ID, burn); err != nil {
			return tx.store.fail(ctx, err, "burn a consent")
		}
	}
	return nil
}

// FullFor implements [enquiry.Store].
func (e *Enquiries) FullFor(ctx context.Context, sender, client string, l enquiry.Limits) (enquiry.Scope, error) {
	return e.store.full(ctx, e.store.read, bun.SafeQuery("? - ?", e.store.clock(), hour.Microseconds()), sender, client, l)
}

// full returns the limit that has no room, of what was received after an instant.
func (s *Store) full(ctx context.Context, db bun.IDB, after schema.QueryAppender, sender, client string, l enquiry.Limits) (enquiry.Scope, error) {
	var bySender, byClient, all int
	err := db.QueryRowContext(ctx, `SELECT
		(SELECT count(*) FROM enquiries WHERE sender = ? AND sender <> '' AND received_at > ?),
		(SELECT count(*) FROM enquiries WHERE client = ? AND client <> '' AND received_at > ?),
		(SELECT count(*) FROM enquiries WHERE received_at > ?)`, sender, after, client, after, after).Scan(&bySender, &byClient, &all)
	switch {
	case err != nil:
		return "", s.fail(ctx, err, "count the enquiries of an hour")
	case bySender >= l.Sender:
		return enquiry.SenderScope, nil
	}
	return fullOf(client, byClient, all, l), nil
}

// fullOf returns which of the limits of a client and of all has no room.
func fullOf(client string, byClient, all int, l enquiry.Limits) enquiry.Scope {
	switch {
	case client != "" && byClient >= l.Client:
		return enquiry.ClientScope
	case all >= l.All:
		return enquiry.AllScope
	}
	return ""
}
