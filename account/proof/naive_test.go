package proof

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver pgx

	"vaak/account"
	"vaak/internal/fault"
)

// naivePurse is the ledger that many begin with: it looks whether the balance
// suffices, and takes the characters away when they are spoken.
type naivePurse struct {
	db       *sql.DB
	postgres bool
}

const naiveTable = `CREATE TABLE IF NOT EXISTS naive_lots (org_id TEXT PRIMARY KEY, remaining BIGINT NOT NULL)`

// openNaive opens a purse. Its 48 writers wait for the one lock of SQLite as long as it takes: on a
// busy disk seconds, and none is to fail.
func openNaive(_ context.Context, dsn string) (*naivePurse, error) {
	if path, ok := strings.CutPrefix(dsn, "sqlite:"); ok {
		db, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(60000)&_pragma=journal_mode(wal)")
		return &naivePurse{db: db}, err
	}
	db, err := sql.Open("pgx", dsn)
	return &naivePurse{db: db, postgres: true}, err
}

func (p *naivePurse) query(q string) string {
	if p.postgres {
		q = strings.Replace(strings.Replace(q, "?", "$1", 1), "?", "$2", 1)
	}
	return q
}

func (p *naivePurse) remaining(ctx context.Context, orgID string) (n int, err error) {
	err = p.db.QueryRowContext(ctx, p.query("SELECT remaining FROM naive_lots WHERE org_id = ?"), orgID).Scan(&n)
	return n, err
}

func (p *naivePurse) reserve(ctx context.Context, c account.Caller, n int) (hold, error) {
	have, err := p.remaining(ctx, c.OrgID)
	if err != nil {
		return nil, err
	}
	if have < n {
		return nil, fault.New(fault.QuotaExceeded, fault.CodeInsufficientQuota, "", "%d remain", have)
	}
	return &naiveHold{p, c.OrgID}, nil
}

func (p *naivePurse) close(context.Context) error { return p.db.Close() }

type naiveHold struct {
	purse *naivePurse
	orgID string
}

func (h *naiveHold) extend(context.Context, int) error { return nil }
func (h *naiveHold) cancel()                           {}

func (h *naiveHold) commit(ctx context.Context, n int, _ bool) error {
	have, err := h.purse.remaining(ctx, h.orgID)
	if err != nil {
		return err
	}
	_, err = h.purse.db.ExecContext(ctx, h.purse.query("UPDATE naive_lots SET remaining = ? WHERE org_id = ?"), have-n, h.orgID)
	if err != nil {
		return fmt.Errorf("charge: %w", err)
	}
	return nil
}
