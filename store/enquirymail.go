package store

import (
	"context"
	"fmt"
	"strings"
	"time"

	"vaak/enquiry"
	"vaak/store/jobs"
)

// queueMails writes mails of an enquiry, each with its job.
func (tx *transaction) queueMails(ctx context.Context, of string, mails ...enquiry.Mail) error {
	work := make([]jobs.Job, len(mails))
	for i, m := range mails {
		if err := checkTexts(m.From, m.To, m.ReplyTo, m.Subject, m.Text); err != nil {
			return err
		}
		err := tx.exec(ctx, `INSERT INTO enquiry_mails (id, enquiry_id, kind, message_id, date_at, from_address, to_address, reply_to, subject, text, state, changed_at)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'queued', ?)`,
			m.ID, of, string(m.Kind), m.MessageID, micros(m.Date), m.From, m.To, m.ReplyTo, m.Subject, m.Text, tx.store.clock())
		if err != nil {
			return tx.store.fail(ctx, err, "write a mail")
		}
		work[i] = mailJob(m.ID, m.ID)
	}
	return tx.queueJobs(ctx, work...)
}

func mailJob(id, unique string) jobs.Job {
	return jobs.Job{Kind: enquiry.JobMail, Args: enquiry.MailArgs{Mail: id}, Unique: unique, Lane: enquiry.MailLane}
}

func (tx *transaction) queueJobs(ctx context.Context, all ...jobs.Job) error {
	return tx.store.fail(ctx, tx.store.queue.InsertTx(ctx, tx.conn, tx.tx, all...), "queue the jobs of mails")
}

// mailColumns are what scanMail reads, of a table called m.
const mailColumns = `m.id, m.enquiry_id, m.kind, m.message_id, m.date_at, m.from_address, m.to_address, m.reply_to, m.subject, m.text,
	m.state, m.attempts, m.problem, m.changed_at`

func scanMail(r row) (m enquiry.Mail, err error) {
	var date, changed int64
	err = r.Scan(&m.ID, &m.Enquiry, &m.Kind, &m.MessageID, &date, &m.From, &m.To, &m.ReplyTo, &m.Subject, &m.Text,
		&m.State, &m.Attempts, &m.Problem, &changed)
	m.Date, m.Changed = instant(date), instant(changed)
	return m, err
}

// Mail implements [enquiry.Outbox]. There is none any more once its enquiry is purged.
func (e *Enquiries) Mail(ctx context.Context, id string) (enquiry.Mail, bool, error) {
	if !names(id) {
		return enquiry.Mail{}, false, nil
	}
	m, ok, err := first(ctx, e.store.read, scanMail, "SELECT "+mailColumns+` FROM enquiry_mails AS m JOIN enquiries AS e ON e.id = m.enquiry_id
		WHERE m.id = ? AND e.purged = 0`, id)
	return m, ok, e.store.fail(ctx, err, "read a mail")
}

// Mails implements [enquiry.Records]. Those of a purged enquiry are there, without
// addresses and text.
func (e *Enquiries) Mails(ctx context.Context, id string) ([]enquiry.Mail, error) {
	if !names(id) {
		return nil, nil
	}
	all, err := collect(ctx, e.store.read, scanMail, "SELECT "+mailColumns+" FROM enquiry_mails AS m WHERE m.enquiry_id = ? ORDER BY m.n", id)
	return all, e.store.fail(ctx, err, "read the mails of an enquiry")
}

// MailSent implements [enquiry.Outbox]. A mail that failed meanwhile, or was purged,
// is delivered all the same; one that is gone is no error.
func (e *Enquiries) MailSent(ctx context.Context, id string, at time.Time) error {
	_, err := e.store.exec(ctx, "note that a mail was sent",
		"UPDATE enquiry_mails SET state = 'delivered', attempts = attempts + 1, changed_at = ? WHERE id = ?", micros(at), id)
	return err
}

// MailFailed implements [enquiry.Outbox]. A mail that does not wait, for it was
// delivered or has failed for good, and one that is gone, stay as they are.
func (e *Enquiries) MailFailed(ctx context.Context, id string, at time.Time, why string, final bool) error {
	state := enquiry.Queued
	if final {
		state = enquiry.Failed
	}
	_, err := e.store.exec(ctx, "note that a mail failed",
		"UPDATE enquiry_mails SET state = ?, attempts = attempts + 1, problem = ?, changed_at = ? WHERE id = ? AND state = 'queued'",
		string(state), problem(why), micros(at), id)
	return err
}

// problemMost is how many bytes of a problem are kept.
const problemMost = 500

// problem returns a text that both databases keep, cut after a whole code point.
func problem(why string) string {
	why = strings.ReplaceAll(why[:min(len(why), problemMost)], "\x00", "")
	return strings.ToValidUTF8(why, "")
}

// RetryMail implements [enquiry.Records]. Its attempts are counted anew. At and Enquiry
// of the entry are the store's to set. A mail of a purged enquiry is none to retry.
func (e *Enquiries) RetryMail(ctx context.Context, id string, entry enquiry.Entry) (done bool, err error) {
	if !names(id) {
		return false, nil
	}
	err = e.store.transact(ctx, func(ctx context.Context, tx *transaction) error {
		done = false
		m, ok, err := first(ctx, tx.IDB, scanMail, "SELECT "+mailColumns+" FROM enquiry_mails AS m WHERE m.id = ?", id)
		if err != nil || !ok {
			return tx.store.fail(ctx, err, "read a mail")
		}
		if ok, err := tx.hold(ctx, m.Enquiry); err != nil || !ok {
			return err
		}
		n, err := tx.update(ctx, "UPDATE enquiry_mails SET state = 'queued', attempts = 0, changed_at = ? WHERE id = ? AND state = 'failed'", tx.store.clock(), id)
		if err != nil || n == 0 {
			return tx.store.fail(ctx, err, "queue a mail")
		}
		done = true
		// Another key than that of the last job, which may still be on its way out.
		if err := tx.queueJobs(ctx, mailJob(id, fmt.Sprintf("%s/%d", id, micros(m.Changed)))); err != nil {
			return err
		}
		entry.Enquiry = m.Enquiry
		return tx.note(ctx, entry)
	})
	return done && err == nil, err
}

// update executes a statement and returns how many rows it changed.
func (tx *transaction) update(ctx context.Context, query string, args ...any) (int, error) {
	res, err := tx.ExecContext(ctx, query, args...)
	if err != nil {
		return 0, err
	}
	n, err := res.RowsAffected()
	return int(n), err
}

// hold keeps a purge off an enquiry to the end of the transaction; false when there is
// no such one, or it is purged.
func (tx *transaction) hold(ctx context.Context, id string) (bool, error) {
	n, err := tx.update(ctx, "UPDATE enquiries SET purged = purged WHERE id = ? AND purged = 0", id)
	return n > 0, tx.store.fail(ctx, err, "hold an enquiry")
}
