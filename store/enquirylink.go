package store

import (
	"context"

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

// PutPending implements [enquiry.Store]. It deletes some of what has expired, so that
// forms nobody sent are not kept until a purge.
func (e *Enquiries) PutPending(ctx context.Context, p enquiry.Pending, l enquiry.Limits, entry enquiry.Entry) (full enquiry.Scope, err error) {
	if err := checkForm(p.Form); err != nil {
		return "", err
	}
	err = e.store.transact(ctx, func(ctx context.Context, tx *transaction) error {
		if err := tx.alone(ctx); err != nil {
			return err
		}
		now, err := tx.store.present(ctx, tx)
		if err != nil {
			return err
		}
		after := micros(now.Add(-hour))
		if full, err = tx.fullOfLinks(ctx, after, p.Client, l); err != nil || full != "" {
			return err
		}
		if err := tx.dropLinks(ctx, micros(now), after); err != nil {
			return err
		}
		if err := tx.putLink(ctx, micros(now), p); err != nil {
			return err
		}
		return tx.note(ctx, entry)
	})
	if err != nil {
		return "", err
	}
	return full, nil
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

// dropLinks deletes links that have expired and are not counted any more.
func (tx *transaction) dropLinks(ctx context.Context, now, counted int64) error {
	err := tx.exec(ctx, `DELETE FROM enquiry_links WHERE digest IN (SELECT digest FROM enquiry_links
		WHERE expires_at <= ? AND put_at <= ? ORDER BY expires_at LIMIT ?)`, now, counted, dropAtOnce)
	return tx.store.fail(ctx, err, "delete links that have expired")
}

func (tx *transaction) putLink(ctx context.Context, now int64, p enquiry.Pending) error {
	f := p.Form
	err := tx.exec(ctx, `INSERT INTO enquiry_links (digest, put_at, expires_at, asked_at, client, content, source, sent, form)
		VALUES (?, ?, ?, ?, ?, ?, ?, nullif(?, ''), ?)`,
		p.Digest, now, micros(p.Expires), micros(p.Asked), p.Client, p.Content, encodeSource(p.Source), p.Sent,
		encoded(formJSON{f.Name, f.Email, f.Company, f.Intent, f.Dataset, f.Message, f.Agent}))
	return tx.store.fail(ctx, err, "write a link")
}

// Pending implements [enquiry.Store].
func (e *Enquiries) Pending(ctx context.Context, digest string) (enquiry.Pending, bool, error) {
	if !names(digest) {
		return enquiry.Pending{}, false, nil
	}
	p, ok, err := first(ctx, e.store.read, scanLink, `SELECT digest, form, content, client, source, asked_at, expires_at, coalesce(sent, '')
		FROM enquiry_links WHERE digest = ? AND expires_at > ?`, digest, e.store.clock())
	return p, ok, e.store.fail(ctx, err, "read a link")
}

func scanLink(r row) (p enquiry.Pending, err error) {
	var form, source string
	var asked, expires int64
	if err := r.Scan(&p.Digest, &form, &p.Content, &p.Client, &source, &asked, &expires, &p.Sent); err != nil {
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
