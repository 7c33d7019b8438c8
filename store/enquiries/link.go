package enquiries

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"vaak/enquiry"
	"vaak/store/database"
)

// formJSON is the form of a link in the column of that name.
type formJSON struct {
	Name    string         `json:"name"`
	Email   string         `json:"email"`
	Company string         `json:"company,omitempty"`
	Intent  enquiry.Intent `json:"intent"`
	Dataset string         `json:"dataset,omitempty"`
	Message string         `json:"message,omitempty"`
	Agent   string         `json:"agent,omitempty"`
}

// linkRow is a row of enquiry_links. Form and source are JSON, and sent is the id of the
// enquiry that came of the link.
type linkRow struct {
	bun.BaseModel `bun:"table:enquiry_links,alias:l"`

	Digest    string `bun:",pk"`
	PutAt     int64
	ExpiresAt int64
	AskedAt   int64
	Client    string
	Content   string
	Source    string
	Sent      string `bun:",nullzero"`
	Form      string
	Recipient string
	Whole     string
}

func rowOfLink(now int64, p enquiry.Pending) linkRow {
	f := p.Form
	return linkRow{
		Digest: p.Digest, PutAt: now, ExpiresAt: database.Micros(p.Expires), AskedAt: database.Micros(p.Asked),
		Client: p.Client, Content: p.Content, Source: encodeSource(p.Source), Sent: p.Sent,
		Form:      database.EncodeJSON(formJSON{f.Name, f.Email, f.Company, f.Intent, f.Dataset, f.Message, f.Agent}),
		Recipient: p.Recipient, Whole: p.Whole,
	}
}

func (r linkRow) pending() (p enquiry.Pending, err error) {
	var f formJSON
	if err := database.DecodeJSON(r.Form, &f, "the form of a link"); err != nil {
		return p, err
	}
	p = enquiry.Pending{
		Digest:  r.Digest,
		Form:    enquiry.Form{Name: f.Name, Email: f.Email, Company: f.Company, Intent: f.Intent, Dataset: f.Dataset, Message: f.Message, Agent: f.Agent},
		Content: r.Content, Client: r.Client, Asked: database.Instant(r.AskedAt), Expires: database.Instant(r.ExpiresAt),
		Sent: r.Sent, Recipient: r.Recipient, Whole: r.Whole,
	}
	p.Source, err = decodeSource(r.Source)
	return p, err
}

// PutQuestion implements [enquiry.Store]. It also deletes some links that have expired, so
// that forms nobody sent do not wait for a purge.
func (s *Enquiries) PutQuestion(ctx context.Context, q enquiry.Ask) (asked enquiry.Asked, err error) {
	if err := checkForm(q.Pending.Form); err != nil {
		return asked, err
	}
	err = s.db.Transact(ctx, func(ctx context.Context, tx *database.Tx) error {
		asked = enquiry.Asked{}
		// Before anything is counted, so that two questions cannot take the last place.
		if err := alone(ctx, tx); err != nil {
			return err
		}
		now, err := s.db.Present(ctx, tx)
		if err != nil {
			return err
		}
		if asked, err = roomForQuestion(ctx, tx, now, q); err != nil || asked != (enquiry.Asked{}) {
			return err
		}
		return putQuestion(ctx, tx, now, q)
	})
	if err != nil {
		return enquiry.Asked{}, err
	}
	return asked, nil
}

// roomForQuestion returns what prevents a question: an earlier mail with the same words
// that still waits, or a limit that has no room. The zero value is nothing.
func roomForQuestion(ctx context.Context, tx *database.Tx, now time.Time, q enquiry.Ask) (asked enquiry.Asked, err error) {
	p, after := q.Pending, database.Micros(now.Add(-hour))
	// A repetition before the limits: it sends no mail, and is answered when they are reached.
	if p.Recipient != "" {
		if asked, err = mailedBefore(ctx, tx, database.Micros(now), p); err != nil || asked.There != nil {
			return asked, err
		}
	}
	if asked.Full, err = fullOfLinks(ctx, tx, after, p.Client, q.Limits); err != nil || asked.Full != "" || p.Recipient == "" {
		return asked, err
	}
	asked.Full, err = fullOfMails(ctx, tx, database.Micros(now.Add(-day)), after, p, q.Links)
	asked.OfMail = asked.Full != ""
	return asked, err
}

func putQuestion(ctx context.Context, tx *database.Tx, now time.Time, q enquiry.Ask) error {
	if err := dropLinks(ctx, tx, database.Micros(now), database.Micros(now.Add(-hour))); err != nil {
		return err
	}
	r := rowOfLink(database.Micros(now), q.Pending)
	if _, err := tx.NewInsert().Model(&r).Returning("NULL").Exec(ctx); err != nil {
		return tx.Fail(ctx, err, "write a link")
	}
	if q.Pending.Recipient != "" {
		if err := queueLinkMail(ctx, tx, q.Pending.Digest, q.Mail); err != nil {
			return err
		}
	}
	return note(ctx, tx, q.Entry)
}

// mailedLinkRow is a row of enquiry_links with the state of its mail.
type mailedLinkRow struct {
	linkRow
	State string
}

// mailedBefore returns the link that the same person was mailed with the same words, if it
// can still be used.
func mailedBefore(ctx context.Context, tx *database.Tx, now int64, p enquiry.Pending) (asked enquiry.Asked, err error) {
	var rows []mailedLinkRow
	err = tx.NewSelect().Model((*linkRow)(nil)).ColumnExpr("l.*, m.state").
		Join("JOIN enquiry_link_mails AS m ON m.digest = l.digest").
		Where("l.recipient = ?", p.Recipient).Where("l.whole = ?", p.Whole).Where("l.sent IS NULL").Where("l.expires_at > ?", now).
		Order("l.put_at DESC").Limit(1).Scan(ctx, &rows)
	if err == nil && len(rows) > 0 {
		var there enquiry.Pending
		there, err = rows[0].pending()
		asked.There, asked.State = &there, enquiry.MailState(rows[0].State)
	}
	return asked, tx.Fail(ctx, err, "look for a link that was mailed")
}

// fullOfMails returns the limit of mails with a link that has no room: of one address
// after an instant, of a client and of all after another.
func fullOfMails(ctx context.Context, tx *database.Tx, addressAfter, after int64, p enquiry.Pending, l enquiry.LinkLimits) (enquiry.Scope, error) {
	count := func(after int64) *bun.SelectQuery {
		return tx.NewSelect().Model((*linkRow)(nil)).ColumnExpr("count(*)").Where("l.recipient <> ''").Where("l.put_at > ?", after)
	}
	var byAddress, byClient, all int
	err := tx.NewSelect().
		ColumnExpr("(?)", count(addressAfter).Where("l.recipient = ?", p.Recipient)).
		ColumnExpr("(?)", count(after).Where("l.client = ?", p.Client).Where("l.client <> ''")).
		ColumnExpr("(?)", count(after)).Scan(ctx, &byAddress, &byClient, &all)
	switch {
	case err != nil:
		return "", tx.Fail(ctx, err, "count the mails with a link")
	case byAddress >= l.Address:
		return enquiry.SenderScope, nil
	}
	return full(p.Client, byClient, all, enquiry.Limits{Client: l.Client, All: l.All}), nil
}

// fullOfLinks returns the limit that has no room, of links that were put after an instant.
func fullOfLinks(ctx context.Context, tx *database.Tx, after int64, client string, l enquiry.Limits) (enquiry.Scope, error) {
	count := func() *bun.SelectQuery {
		return tx.NewSelect().Model((*linkRow)(nil)).ColumnExpr("count(*)").Where("l.put_at > ?", after)
	}
	var byClient, all int
	err := tx.NewSelect().
		ColumnExpr("(?)", count().Where("l.client = ?", client).Where("l.client <> ''")).
		ColumnExpr("(?)", count()).Scan(ctx, &byClient, &all)
	if err != nil {
		return "", tx.Fail(ctx, err, "count the links of an hour")
	}
	return full(client, byClient, all, l), nil
}

// dropAtOnce is how many expired links are deleted with each that is put.
const dropAtOnce = 20

// dropLinks deletes links that have expired and that no limit counts any more. The limit
// of one address counts for a day, and a link is valid for at least as long.
func dropLinks(ctx context.Context, tx *database.Tx, now, counted int64) error {
	old := tx.NewSelect().Model((*linkRow)(nil)).Column("digest").
		Where("expires_at <= ?", now).Where("put_at <= ?", counted).Order("expires_at").Limit(dropAtOnce)
	_, err := tx.NewDelete().Model((*linkRow)(nil)).Where("digest IN (?)", old).Exec(ctx)
	return tx.Fail(ctx, err, "delete links that have expired")
}

// Pending implements [enquiry.Store].
func (s *Enquiries) Pending(ctx context.Context, digest string) (enquiry.Pending, bool, error) {
	if !database.IsID(digest) {
		return enquiry.Pending{}, false, nil
	}
	q := s.db.Read.NewSelect().Where("l.digest = ?", digest).Where("l.expires_at > ?", s.db.Clock())
	p, ok, err := database.First(ctx, q, linkRow.pending)
	return p, ok, s.db.Fail(ctx, err, "read a link")
}
