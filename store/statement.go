package store

import (
	"context"
	"database/sql"
	"sync"
	"sync/atomic"

	"github.com/uptrace/bun"
)

// statement is a query with ? for its values. Where that is cheaper it is
// prepared at its first use, when the tables are there, and kept; else its
// values are written into its text.
type statement struct {
	db       *bun.DB
	query    string
	prepares bool
	ready    atomic.Pointer[sql.Stmt]

	mu sync.Mutex // held while preparing and closing
}

// rows returns the rows of the query.
func (p *statement) rows(ctx context.Context, args ...any) (*sql.Rows, error) {
	if !p.prepares {
		text := p.db.QueryGen().FormatQuery(p.query, args...)
		if holdsNUL(text) {
			return nil, errNUL
		}
		return p.db.DB.QueryContext(ctx, text)
	}
	st, err := p.get(ctx)
	if err != nil {
		return nil, err
	}
	return st.QueryContext(ctx, args...)
}

func (p *statement) get(ctx context.Context) (*sql.Stmt, error) {
	if st := p.ready.Load(); st != nil {
		return st, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if st := p.ready.Load(); st != nil {
		return st, nil
	}
	st, err := p.db.DB.PrepareContext(ctx, p.query)
	if err != nil {
		return nil, err
	}
	p.ready.Store(st)
	return st, nil
}

func (p *statement) close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if st := p.ready.Load(); st != nil {
		return st.Close()
	}
	return nil
}

// each calls scan for every row of the query.
func (p *statement) each(ctx context.Context, scan func(*sql.Rows) error, args ...any) error {
	rows, err := p.rows(ctx, args...)
	if err != nil {
		return err
	}
	return scanAll(rows, scan)
}

// scanAll calls scan for every row and closes rows.
func scanAll(rows *sql.Rows, scan func(*sql.Rows) error) error {
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}
