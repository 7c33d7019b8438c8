package enquiries

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"vaak/enquiry"
	"vaak/store/database"
	"vaak/store/jobs"
	"vaak/store/webhooks"
	"vaak/webhook"
)

// letter is the part of a mail that is the same for mails of enquiries and for those that
// carry a link.
type letter struct {
	MessageID   string
	DateAt      int64
	FromAddress string
	ToAddress   string
	ReplyTo     string
	Subject     string
	Text        string
	State       string
	Attempts    int
	Problem     string
	ChangedAt   int64
}

func letterOf(m enquiry.Mail) letter {
	return letter{
		MessageID: m.MessageID, DateAt: database.Micros(m.Date), FromAddress: m.From, ToAddress: m.To, ReplyTo: m.ReplyTo,
		Subject: m.Subject, Text: m.Text, State: string(enquiry.Queued),
	}
}

func (l letter) mail(id, of string, kind enquiry.MailKind) enquiry.Mail {
	return enquiry.Mail{
		ID: id, Enquiry: of, Kind: kind, MessageID: l.MessageID, Date: database.Instant(l.DateAt),
		From: l.FromAddress, To: l.ToAddress, ReplyTo: l.ReplyTo, Subject: l.Subject, Text: l.Text,
		State: enquiry.MailState(l.State), Attempts: l.Attempts, Problem: l.Problem, Changed: database.Instant(l.ChangedAt),
	}
}

// checkMail refuses a mail with a text that cannot be stored.
func checkMail(m enquiry.Mail) error {
	return database.CheckTexts(m.From, m.To, m.ReplyTo, m.Subject, m.Text)
}

// mailRow is a row of enquiry_mails.
type mailRow struct {
	bun.BaseModel `bun:"table:enquiry_mails,alias:m"`

	ID        string `bun:",pk"`
	EnquiryID string
	Kind      string
	letter
}

func (r mailRow) mail() (enquiry.Mail, error) {
	return r.letter.mail(r.ID, r.EnquiryID, enquiry.MailKind(r.Kind)), nil
}

// queueMails writes mails of an enquiry, each with its job.
func queueMails(ctx context.Context, tx *database.Tx, of string, mails ...enquiry.Mail) error {
	work := make([]jobs.Job, len(mails))
	for i, m := range mails {
		if err := checkMail(m); err != nil {
			return err
		}
		r := mailRow{ID: m.ID, EnquiryID: of, Kind: string(m.Kind), letter: letterOf(m)}
		_, err := tx.NewInsert().Model(&r).Value("changed_at", "?", tx.DB().Clock()).Returning("NULL").Exec(ctx)
		if err != nil {
			return tx.Fail(ctx, err, "write a mail")
		}
		work[i] = mailJob(m.ID, m.ID)
	}
	return tx.Enqueue(ctx, work...)
}

func mailJob(id, unique string) jobs.Job {
	return jobs.Job{Kind: enquiry.JobMail, Args: enquiry.MailArgs{Mail: id}, Unique: unique, Lane: enquiry.MailLane}
}

// Mail implements [enquiry.Outbox]. The mail of a purged enquiry is not found.
func (s *Enquiries) Mail(ctx context.Context, id string) (enquiry.Mail, bool, error) {
	if !database.IsID(id) {
		return enquiry.Mail{}, false, nil
	}
	q := s.db.Read.NewSelect().Join("JOIN enquiries AS e ON e.id = m.enquiry_id").Where("m.id = ?", id).Where("e.purged = 0")
	m, ok, err := database.First(ctx, q, mailRow.mail)
	return m, ok, s.db.Fail(ctx, err, "read a mail")
}

// Mails implements [enquiry.Records]. Those of a purged enquiry are listed, without
// addresses and text.
func (s *Enquiries) Mails(ctx context.Context, id string) ([]enquiry.Mail, error) {
	if !database.IsID(id) {
		return nil, nil
	}
	all, err := database.All(ctx, s.db.Read.NewSelect().Where("m.enquiry_id = ?", id).Order("m.n"), mailRow.mail)
	return all, s.db.Fail(ctx, err, "read the mails of an enquiry")
}

// MailSent implements [enquiry.Outbox]. A mail that failed meanwhile, or was purged, is
// delivered all the same. A mail that does not exist is no error.
func (s *Enquiries) MailSent(ctx context.Context, id string, at time.Time) error {
	return s.settleMail(ctx, id, at, webhook.EnquiryDelivered, "note that a mail was sent", func(tx *database.Tx) *bun.UpdateQuery {
		return sent(tx.NewUpdate().Model((*mailRow)(nil)), id, at)
	})
}

// MailFailed implements [enquiry.Outbox]. A mail that does not wait, since it was
// delivered or has failed for good, stays as it is. So does one that does not exist.
func (s *Enquiries) MailFailed(ctx context.Context, id string, at time.Time, why string, final bool) error {
	var told webhook.Type // a failure after which the mail is tried again is no event
	if final {
		told = webhook.EnquiryDeliveryFailed
	}
	return s.settleMail(ctx, id, at, told, "note that a mail failed", func(tx *database.Tx) *bun.UpdateQuery {
		return failed(tx.NewUpdate().Model((*mailRow)(nil)), id, at, why, final)
	})
}

// settleMail updates a mail and, if it was there, writes the event of a type; "" is no event.
func (s *Enquiries) settleMail(ctx context.Context, id string, at time.Time, told webhook.Type, what string, update func(*database.Tx) *bun.UpdateQuery) error {
	return s.db.Transact(ctx, func(ctx context.Context, tx *database.Tx) error {
		var rows []struct{ EnquiryID, Kind string }
		_, err := update(tx).Returning("enquiry_id, kind").Exec(ctx, &rows)
		if err != nil || len(rows) == 0 || told == "" {
			return tx.Fail(ctx, err, "%s", what)
		}
		data := webhook.EnquiryMail{Enquiry: rows[0].EnquiryID, Mail: id, Kind: rows[0].Kind}
		return webhooks.Emit(ctx, tx, happened(told, data.Enquiry, at, data))
	})
}

func sent(q *bun.UpdateQuery, id string, at time.Time) *bun.UpdateQuery {
	return q.Set("state = ?", string(enquiry.Delivered)).Set("attempts = attempts + 1").
		Set("changed_at = ?", database.Micros(at)).Where("id = ?", id)
}

func failed(q *bun.UpdateQuery, id string, at time.Time, why string, final bool) *bun.UpdateQuery {
	state := enquiry.Queued
	if final {
		state = enquiry.Failed
	}
	return q.Set("state = ?", string(state)).Set("attempts = attempts + 1").Set("problem = ?", problem(why)).
		Set("changed_at = ?", database.Micros(at)).Where("id = ?", id).Where("state = ?", string(enquiry.Queued))
}

// problemMost is how many bytes of a problem are kept.
const problemMost = 500

// problem returns a text that both databases can store, cut after a whole code point.
func problem(why string) string {
	why = strings.ReplaceAll(why[:min(len(why), problemMost)], "\x00", "")
	return strings.ToValidUTF8(why, "")
}

// RetryMail implements [enquiry.Records]. Its attempts begin at 0 again. The store sets At
// and Enquiry of the entry. The mail of a purged enquiry cannot be retried.
func (s *Enquiries) RetryMail(ctx context.Context, id string, entry enquiry.Entry) (done bool, err error) {
	if !database.IsID(id) {
		return false, nil
	}
	err = s.db.Transact(ctx, func(ctx context.Context, tx *database.Tx) error {
		done = false
		m, ok, err := database.First(ctx, tx.NewSelect().Where("m.id = ?", id), mailRow.mail)
		if err != nil || !ok {
			return tx.Fail(ctx, err, "read a mail")
		}
		if ok, err := hold(ctx, tx, m.Enquiry); err != nil || !ok {
			return err
		}
		n, err := tx.Execute(ctx, tx.NewUpdate().Model((*mailRow)(nil)).
			Set("state = ?", string(enquiry.Queued)).Set("attempts = 0").Set("changed_at = ?", s.db.Clock()).
			Where("id = ?", id).Where("state = ?", string(enquiry.Failed)))
		if err != nil || n == 0 {
			return tx.Fail(ctx, err, "queue a mail")
		}
		done = true
		// The last job of the mail may not have been removed yet, and a job with the same
		// key would then not be queued. So this one has another key.
		if err := tx.Enqueue(ctx, mailJob(id, fmt.Sprintf("%s/%d", id, database.Micros(m.Changed)))); err != nil {
			return err
		}
		entry.Enquiry = m.Enquiry
		return note(ctx, tx, entry)
	})
	return done && err == nil, err
}

// hold locks an enquiry against a purge until the end of the transaction, by an update
// that changes nothing; false when the enquiry does not exist or is purged.
func hold(ctx context.Context, tx *database.Tx, id string) (bool, error) {
	n, err := tx.Execute(ctx, tx.NewUpdate().Model((*row)(nil)).Set("purged = purged").Where("id = ?", id).Where("purged = 0"))
	return n > 0, tx.Fail(ctx, err, "hold an enquiry")
}
