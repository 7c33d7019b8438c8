// Package idempotency keeps requests that came with an idempotency key, and their answers.
package idempotency

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/uptrace/bun"

	"vaak/idempotency"
	"vaak/store/database"
)

// Requests keeps requests in a database.
type Requests struct{ db *database.DB }

var _ idempotency.Store = (*Requests)(nil)

// New returns the requests of a database.
func New(db *database.DB) *Requests { return &Requests{db} }

// row is a row of idempotent_requests.
type row struct {
	bun.BaseModel `bun:"table:idempotent_requests,alias:r"`

	ID         []byte `bun:",pk"`
	OrgID      string
	Request    []byte
	Operation  string
	Holder     string
	LeaseUntil int64
	Status     int
	Header     string
	Bodied     int
	Bytes      int64
	Body       []byte
	ExpiresAt  int64
}

func (r row) entry() (idempotency.Entry, error) {
	e := idempotency.Entry{
		ID: r.ID, Org: r.OrgID, Digest: r.Request, Operation: r.Operation, Holder: r.Holder,
		Answer: idempotency.Answer{Status: r.Status, Body: r.Body, Bodied: r.Bodied != 0},
	}
	if r.Header == "" {
		return e, nil
	}
	return e, database.DecodeJSON(r.Header, &e.Answer.Header, "the headers of an answer")
}

// free reports whether the row may be taken over at a time.
func (r row) free(at int64) bool { return r.ExpiresAt <= at || r.Status == 0 && r.LeaseUntil <= at }

// find reads a row; false when there is none.
func (s *Requests) find(ctx context.Context, q bun.IDB, id []byte) (r row, ok bool, err error) {
	err = q.NewSelect().Model(&r).Where("r.id = ?", id).Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return r, false, nil
	}
	return r, err == nil, s.db.Fail(ctx, err, "read a request")
}

// Get implements [idempotency.Store].
func (s *Requests) Get(ctx context.Context, id []byte) (e idempotency.Entry, free bool, err error) {
	r, ok, err := s.find(ctx, s.db.Read, id)
	if err != nil || !ok {
		return e, err == nil, err
	}
	now, err := s.db.Present(ctx, s.db.Read)
	if err != nil {
		return e, false, err
	}
	e, err = r.entry()
	return e, r.free(database.Micros(now)), err
}

// Begin implements [idempotency.Store]. Of two that begin at the same time, the second waits
// for the row of the first and then finds it held.
func (s *Requests) Begin(ctx context.Context, e idempotency.Entry, lease, keep time.Duration) (_ idempotency.Entry, won bool, err error) {
	if err := database.CheckTexts(e.Org, e.Operation, e.Holder); err != nil {
		return e, false, err
	}
	err = s.db.Transact(ctx, func(ctx context.Context, tx *database.Tx) error {
		present, err := s.db.Present(ctx, tx)
		if err != nil {
			return err
		}
		now := database.Micros(present)
		fresh := row{
			ID: e.ID, OrgID: e.Org, Request: e.Digest, Operation: e.Operation, Holder: e.Holder,
			LeaseUntil: now + lease.Microseconds(), ExpiresAt: now + keep.Microseconds(),
		}
		n, err := tx.Execute(ctx, tx.NewInsert().Model(&fresh).On("CONFLICT (id) DO NOTHING").Returning("NULL"))
		if won = n == 1; err != nil || won {
			return tx.Fail(ctx, err, "write a request")
		}
		r, ok, err := s.find(ctx, tx, e.ID)
		if err != nil || !ok { // without a row it was deleted just now, and the caller looks again
			return err
		}
		update := tx.NewUpdate().Model(&fresh).WherePK().Where("r.holder = ?", r.Holder).Where("r.lease_until = ?", r.LeaseUntil)
		switch {
		case r.ExpiresAt <= now: // all of the old request is replaced
		case r.free(now) && bytes.Equal(r.Request, e.Digest):
			fresh.Operation, fresh.ExpiresAt = r.Operation, r.ExpiresAt
		default:
			e, err = r.entry()
			return err
		}
		n, err = tx.Execute(ctx, update)
		won = err == nil && n == 1
		e.Operation = fresh.Operation
		return tx.Fail(ctx, err, "take a request over")
	})
	return e, won && err == nil, err
}

// change updates the row of a holder; false when another has it, or it has its answer.
func (s *Requests) change(ctx context.Context, what string, id []byte, holder string, set func(*bun.UpdateQuery) *bun.UpdateQuery) (bool, error) {
	n, err := s.db.Execute(ctx, what, func(tx *database.Tx) database.Statement {
		return set(tx.NewUpdate().Model((*row)(nil))).Where("id = ?", id).Where("holder = ?", holder).Where("status = 0")
	})
	return n == 1, err
}

// Renew implements [idempotency.Store].
func (s *Requests) Renew(ctx context.Context, id []byte, holder string, lease time.Duration) (bool, error) {
	return s.change(ctx, "renew the lease of a request", id, holder, func(q *bun.UpdateQuery) *bun.UpdateQuery {
		return q.Set("lease_until = ? + ?", s.db.Clock(), lease.Microseconds())
	})
}

// Finish implements [idempotency.Store].
func (s *Requests) Finish(ctx context.Context, id []byte, holder string, a idempotency.Answer) (bool, error) {
	bodied := 0
	if a.Bodied {
		bodied = 1
	}
	return s.change(ctx, "write an answer", id, holder, func(q *bun.UpdateQuery) *bun.UpdateQuery {
		return q.Set("status = ?", a.Status).Set("header = ?", database.EncodeJSON(a.Header)).
			Set("bodied = ?", bodied).Set("bytes = ?", len(a.Body)).Set("body = ?", a.Body)
	})
}

// Drop implements [idempotency.Store].
func (s *Requests) Drop(ctx context.Context, id []byte, holder string, forget bool) error {
	if !forget {
		_, err := s.change(ctx, "end the lease of a request", id, holder, func(q *bun.UpdateQuery) *bun.UpdateQuery {
			return q.Set("lease_until = 0")
		})
		return err
	}
	_, err := s.db.Execute(ctx, "forget a request", func(tx *database.Tx) database.Statement {
		return tx.NewDelete().Model((*row)(nil)).Where("id = ?", id).Where("holder = ?", holder).Where("status = 0")
	})
	return err
}

// Room implements [idempotency.Store]. Entries that have expired and are not deleted yet count.
func (s *Requests) Room(ctx context.Context, org string) (room idempotency.Room, err error) {
	if err := database.CheckTexts(org); err != nil {
		return room, err
	}
	err = s.db.Read.NewSelect().Model((*row)(nil)).ColumnExpr("count(*), coalesce(sum(r.bytes), 0)").
		Where("r.org_id = ?", org).Scan(ctx, &room.Keys, &room.Bodies)
	if err == nil {
		err = s.db.Read.NewSelect().Model((*row)(nil)).ColumnExpr("coalesce(sum(r.bytes), 0)").Scan(ctx, &room.Everyone)
	}
	return room, s.db.Fail(ctx, err, "count the kept answers")
}

// Prune implements [idempotency.Store].
func (s *Requests) Prune(ctx context.Context) (int, error) {
	return s.db.Prune(ctx, "delete kept answers", func(tx *database.Tx, limit int) database.Statement {
		old := tx.NewSelect().Model((*row)(nil)).Column("id").Where("r.expires_at <= ?", s.db.Clock()).
			Order("r.expires_at").Limit(int64(limit))
		return tx.NewDelete().Model((*row)(nil)).Where("id IN (?)", old)
	})
}
