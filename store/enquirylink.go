package store

import (
	"context"
	"time"

	"vaak/enquiry"
)

// formJSON is how the form of a link is kept.
type formJSON struct {
	Name    string         `json:"name"`
	Email   string         `json:"email"`
	Company string         `json:"company,omitempty"`
	Intent  enquiry.Intent `json:"intent"`
	Dataset string         `json:"dataset,omitempty"`
	Message string         `json:"message,omitempty"`
	Agent   string         `json:"agent,omitempty"`
}

// PutQuestion implements [enquiry.Store]. It deletes some of what has expired, so that
// forms nobody sent are not kept until a purge.
func (e *Enquiries) PutQuestion(ctx context.Context, q enquiry.Ask) (asked enquiry.Asked, err error) {
	if err := checkForm(q.Pending.Form); err != nil {
		return asked, err
	}
	err = e.store.transact(ctx, func(ctx context.Context, tx *transaction) error {
		asked = enquiry.Asked{}
		if err := tx.alone(ctx); err != nil {
			return err
		}
		now, err := tx.store.present(ctx, tx)
		if err != nil {
			return err
		}
		if asked, err = tx.roomForQuestion(ctx, now, q); err != nil || asked != (enquiry.Asked{}) {
			return err
		}
		return tx.putQuestion(ctx, now, q)
	})
	if err != nil {
		return enquiry.Asked{}, err
	}
	return asked, nil
}

// roomForQuestion says what keeps a question from being put; the zero value is nothing.
func (tx *transaction) roomForQuestion(ctx context.Context, now time.Time, q enquiry.Ask) (asked enquiry.Asked, err error) {
	p, after := q.Pending, micros(now.Add(-hour))
	if p.Recipient != "" {
		if asked, err = tx.mailedBefore(ctx, micros(now), p); err != nil || asked.There != nil {
			return asked, err
		}
	}
	if asked.Full, err = tx.fullOfLinks(ctx, after, p.Client, q.Limits); err != nil || asked.Full != "" || p.Recipient == "" {
		return asked, err
	}
	asked.Full, err = tx.fullOfMails(ctx, micros(now.Add(-day)), after, p, q.Links)
	asked.OfMail = asked.Full != ""
	return asked, err
}

func (tx *transaction) putQuestion(ctx context.Context, now time.Time, q enquiry.Ask) error {
	if err := tx.dropLinks(ctx, micros(now), micros(now.Add(-hour))); err != nil {
		return err
	}
	if err := tx.putLink(ctx, micros(now), q.Pending); err != nil {
		return err
	}
	if q.Pending.Recipient != "" {
		if err := tx.queueLinkMail(ctx, q.Pending.Digest, q.Mail); err != nil {
			return err
		}
	}
	return tx.note(ctx, q.Entry)
}

// mailedBefore returns what the same person was mailed with the same words, and waits.
func (tx *transaction) mailedBefore(ctx context.Context, now int64, p enquiry.Pending) (asked enquiry.Asked, err error) {
	scan := func(r row) (there enquiry.Pending, err error) { return scanLinkAnd(r, &asked.State) }
	there, ok, err := first(ctx, tx.IDB, scan, "SELECT "+linkColumns+`, m.state FROM enquiry_links AS l JOIN enquiry_link_mails AS m ON m.digest = l.digest
		WHERE l.recipient = ? AND l.whole = ? AND l.sent IS NULL AND l.expires_at > ? ORDER BY l.put_at DESC LIMIT 1`, p.Recipient, p.Whole, now)
	if ok {
		asked.There = &there
	}
	return asked, tx.store.fail(ctx, err, "look for a link that was mailed")
}

// fullOfMails returns the limit of mails with a link that has no room: of one address
// after an instant, of a client and of all after another.
func (tx *transaction) fullOfMails(ctx context.Context, addressAfter, after int64, p enquiry.Pending, l enquiry.LinkLimits) (enquiry.Scope, error) {
	var byAddress, byClient, all int
	err := tx.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM enquiry_links WHERE recipient = ? AND recipient <> '' AND put_at > ?),
		(SELECT count(*) FROM enquiry_links WHERE client = ? AND client <> '' AND recipient <> '' AND put_at > ?),
		(SELECT count(*) FROM enquiry_links WHERE recipient <> '' AND put_at > ?)`,
		p.Recipient, addressAfter, p.Client, after, after).Scan(&byAddress, &byClient, &all)
	switch {
	case err != nil:
		return "", tx.store.fail(ctx, err, "count the mails with a link")
	case byAddress >= l.Address:
		return enquiry.SenderScope, nil
	}
	return fullOf(p.Client, byClient, all, enquiry.Limits{Client: l.Client, All: l.All}), nil
}

// fullOfLinks returns the limit that has no room, of links that were put after an
// instant.
func (tx *transaction) fullOfLinks(ctx context.Context, after int64, client string, l enquiry.Limits) (enquiry.Scope, error) {
	var byClient, all int
	err := tx.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM enquiry_links WHERE client = ? AND client <> '' AND put_at > ?),
		(SELECT count(*) FROM enquiry_links WHERE put_at > ?)`, client, after, after).Scan(&byClient, &all)
	if err != nil {
		return "", tx.store.fail(ctx, err, "count the links of an hour")
	}
	return fullOf(client, byClient, all, l), nil
}

// dropAtOnce is how many expired links go with each that is put.
const dropAtOnce = 20

// dropLinks deletes links that have expired and are not counted any more. A link is good
// for as long as its address counts, or longer.
func (tx *transaction) dropLinks(ctx context.Context, now, counted int64) error {
	err := tx.exec(ctx, `DELETE FROM enquiry_links WHERE digest IN (SELECT digest FROM enquiry_links
		WHERE expires_at <= ? AND put_at <= ? ORDER BY expires_at LIMIT ?)`, now, counted, dropAtOnce)
	return tx.store.fail(ctx, err, "delete links that have expired")
}

func (tx *transaction) putLink(ctx context.Context, now int64, p enquiry.Pending) error {
	f := p.Form
	err := tx.exec(ctx, `INSERT INTO enquiry_links (digest, put_at, expires_at, asked_at, client, content, source, sent, form, recipient, whole)
		VALUES (?, ?, ?, ?, ?, ?, ?, nullif(?, ''), ?, ?, ?)`,
		p.Digest, now, micros(p.Expires), micros(p.Asked), p.Client, p.Content, encodeSource(p.Source), p.Sent,
		encoded(formJSON{f.Name, f.Email, f.Company, f.Intent, f.Dataset, f.Message, f.Agent}), p.Recipient, p.Whole)
	return tx.store.fail(ctx, err, "write a link")
}

// Pending implements [enquiry.Store].
func (e *Enquiries) Pending(ctx context.Context, digest string) (enquiry.Pending, bool, error) {
	if !names(digest) {
		return enquiry.Pending{}, false, nil
	}
	p, ok, err := first(ctx, e.store.read, scanLink, "SELECT "+linkColumns+" FROM enquiry_links AS l WHERE l.digest = ? AND l.expires_at > ?", digest, e.store.clock())
	return p, ok, e.store.fail(ctx, err, "read a link")
}

// linkColumns are what scanLink reads, of a table called l.
const linkColumns = "l.digest, l.form, l.content, l.client, l.source, l.asked_at, l.expires_at, coalesce(l.sent, ''), l.recipient, l.whole"

func scanLink(r row) (enquiry.Pending, error) { return scanLinkAnd(r) }

// scanLinkAnd scans linkColumns and more that come after them.
func scanLinkAnd(r row, more ...any) (p enquiry.Pending, err error) {
	var form, source string
	var asked, expires int64
	if err := r.Scan(append([]any{&p.Digest, &form, &p.Content, &p.Client, &source, &asked, &expires, &p.Sent, &p.Recipient, &p.Whole}, more...)...); err != nil {
		return p, err
	}
	var f formJSON
	if err := decode(form, &f, "the form of a link"); err != nil {
		return p, err
	}
	p.Form = enquiry.Form{Name: f.Name, Email: f.Email, Company: f.Company, Intent: f.Intent, Dataset: f.Dataset, Message: f.Message, Agent: f.Agent}
	p.Asked, p.Expires = instant(asked), instant(expires)
	p.Source, err = decodeSource(source)
	return p, err
}
