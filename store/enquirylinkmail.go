package store

import (
	"context"
	"time"

	"vaak/enquiry"
	"vaak/store/jobs"
)

// LinkMails are the mails that take links to people. One is gone with its link.
type LinkMails struct{ store *Store }

var _ enquiry.Outbox = (*LinkMails)(nil)

// LinkMails returns the mails that take links to people.
func (e *Enquiries) LinkMails() enquiry.Outbox { return &LinkMails{e.store} }

// queueLinkMail writes the mail of a link, with its job.
func (tx *transaction) queueLinkMail(ctx context.Context, digest string, m enquiry.Mail) error {
	if err := checkTexts(m.From, m.To, m.ReplyTo, m.Subject, m.Text); err != nil {
		return err
	}
	err := tx.exec(ctx, `INSERT INTO enquiry_link_mails (id, digest, message_id, date_at, from_address, to_address, reply_to, subject, text, state, changed_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'queued', ?)`,
		m.ID, digest, m.MessageID, micros(m.Date), m.From, m.To, m.ReplyTo, m.Subject, m.Text, tx.store.clock())
	if err != nil {
		return tx.store.fail(ctx, err, "write a mail with a link")
	}
	return tx.queueJobs(ctx, jobs.Job{Kind: enquiry.JobLink, Args: enquiry.MailArgs{Mail: m.ID}, Unique: m.ID, Lane: enquiry.MailLane})
}

// Mail implements [enquiry.Outbox]. There is none any more once its link has expired or
// was used.
func (l *LinkMails) Mail(ctx context.Context, id string) (enquiry.Mail, bool, error) {
	if !names(id) {
		return enquiry.Mail{}, false, nil
	}
	m, ok, err := first(ctx, l.store.read, scanMail, `SELECT m.id, '', ?, m.message_id, m.date_at, m.from_address, m.to_address, m.reply_to, m.subject, m.text,
		m.state, m.attempts, m.problem, m.changed_at
		FROM enquiry_link_mails AS m JOIN enquiry_links AS l ON l.digest = m.digest
		WHERE m.id = ? AND l.sent IS NULL AND l.expires_at > ?`, string(enquiry.WithLink), id, l.store.clock())
	return m, ok, l.store.fail(ctx, err, "read a mail with a link")
}

// MailSent implements [enquiry.Outbox]. The text is not needed any more.
func (l *LinkMails) MailSent(ctx context.Context, id string, at time.Time) error {
	_, err := l.store.exec(ctx, "note that a mail with a link was sent",
		"UPDATE enquiry_link_mails SET state = 'delivered', text = '', attempts = attempts + 1, changed_at = ? WHERE id = ?", micros(at), id)
	return err
}

// MailFailed implements [enquiry.Outbox]. A mail that does not wait stays as it is.
func (l *LinkMails) MailFailed(ctx context.Context, id string, at time.Time, why string, final bool) error {
	state := enquiry.Queued
	if final {
		state = enquiry.Failed
	}
	_, err := l.store.exec(ctx, "note that a mail with a link failed",
		"UPDATE enquiry_link_mails SET state = ?, attempts = attempts + 1, problem = ?, changed_at = ? WHERE id = ? AND state = 'queued'",
		string(state), problem(why), micros(at), id)
	return err
}
