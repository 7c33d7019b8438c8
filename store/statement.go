package store

import (
	"context"
	"database/sql"
	"sync"
	"sync/atomic"
)

// statement is prepared at its first use, when the tables are there, and kept.
type statement struct {
	db    *sql.DB
	query string
	ready atomic.Pointer[sql.Stmt]

	mu sync.Mutex // held while preparing and closing
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
	st, err := p.db.PrepareContext(ctx, p.query)
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
