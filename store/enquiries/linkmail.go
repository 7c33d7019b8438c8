package enquiries

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"vaak/enquiry"
	"vaak/store/database"
	"vaak/store/jobs"
)

// LinkMails keeps the mails that carry links to people. Each is deleted with its link.
type LinkMails struct{ db *database.DB }

var _ enquiry.Outbox = (*LinkMails)(nil)

// LinkMails returns the mails that carry links to people.
func (s *Enquiries) LinkMails() enquiry.Outbox { return &LinkMails{s.db} }

// linkMailRow is a row of enquiry_link_mails. Digest is that of its link.
type linkMailRow struct {
	bun.BaseModel `bun:"table:enquiry_link_mails,alias:m"`

	ID     string `bun:",pk"`
	Digest string
	letter
}

func (r linkMailRow) mail() (enquiry.Mail, error) {
	return r.letter.mail(r.ID, "", enquiry.WithLink), nil
}

// queueLinkMail writes the mail of a link, with its job.
func queueLinkMail(ctx context.Context, tx *database.Tx, digest string, m enquiry.Mail) error {
	if err := checkMail(m); err != nil {
		return err
	}
	r := linkMailRow{ID: m.ID, Digest: digest, letter: letterOf(m)}
	_, err := tx.NewInsert().Model(&r).Value("changed_at", "?", tx.DB().Clock()).Returning("NULL").Exec(ctx)
	if err != nil {
		return tx.Fail(ctx, err, "write a mail with a link")
	}
	return tx.Enqueue(ctx, jobs.Job{Kind: enquiry.JobLink, Args: enquiry.MailArgs{Mail: m.ID}, Unique: m.ID, Lane: enquiry.MailLane})
}

// Mail implements [enquiry.Outbox]. It finds nothing once the link has expired or was
// used.
func (l *LinkMails) Mail(ctx context.Context, id string) (enquiry.Mail, bool, error) {
	if !database.IsID(id) {
		return enquiry.Mail{}, false, nil
	}
	q := l.db.Read.NewSelect().Join("JOIN enquiry_links AS l ON l.digest = m.digest").
		Where("m.id = ?", id).Where("l.sent IS NULL").Where("l.expires_at > ?", l.db.Clock())
	m, ok, err := database.First(ctx, q, linkMailRow.mail)
	return m, ok, l.db.Fail(ctx, err, "read a mail with a link")
}

// MailSent implements [enquiry.Outbox]. It deletes the text, which holds the link.
func (l *LinkMails) MailSent(ctx context.Context, id string, at time.Time) error {
	_, err := l.db.Execute(ctx, "note that a mail with a link was sent", func(tx *database.Tx) database.Statement {
		return sent(tx.NewUpdate().Model((*linkMailRow)(nil)).Set("text = ''"), id, at)
	})
	return err
}

// MailFailed implements [enquiry.Outbox]. A mail that does not wait stays as it is.
func (l *LinkMails) MailFailed(ctx context.Context, id string, at time.Time, why string, final bool) error {
	_, err := l.db.Execute(ctx, "note that a mail with a link failed", func(tx *database.Tx) database.Statement {
		return failed(tx.NewUpdate().Model((*linkMailRow)(nil)), id, at, why, final)
	})
	return err
}
