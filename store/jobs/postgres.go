package jobs

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
)

// postgresDriver is River's driver for PostgreSQL on two pools. What should be answered soon
// has connections that give up a silent server: with the others alone, each connection to
// such a server keeps its place in the pool for 15 seconds after it has failed, and then
// no job is fetched although another server has taken over.
type postgresDriver struct {
	*riverpgxv5.Driver // on quick

	quick *pgxpool.Pool
	slow  *pgxpool.Pool // its connections wait for as long as the caller does
}

// newPostgresDriver connects to the database, until close.
func newPostgresDriver(ctx context.Context, db Database) (*postgresDriver, error) {
	quick, err := postgresPool(ctx, db, postgresConns, db.Impatient)
	if err != nil {
		return nil, err
	}
	// One place listens. The other is for indexes that are built anew, and for the next
	// listener while the first one's connection closes.
	slow, err := postgresPool(ctx, db, 2, nil)
	if err != nil {
		quick.Close()
		return nil, err
	}
	d := &postgresDriver{riverpgxv5.New(quick), quick, slow}
	if err := quick.Ping(ctx); err != nil {
		d.close()
		return nil, err
	}
	return d, nil
}

func (d *postgresDriver) close() {
	d.quick.Close()
	d.slow.Close()
}

// GetListener implements riverdriver.Driver.
func (d *postgresDriver) GetListener(p *riverdriver.GetListenenerParams) riverdriver.Listener {
	return riverpgxv5.New(d.slow).GetListener(p)
}

// GetExecutor implements riverdriver.Driver.
func (d *postgresDriver) GetExecutor() riverdriver.Executor {
	return indexer{d.Driver.GetExecutor(), riverpgxv5.New(d.slow).GetExecutor()}
}

// indexer builds indexes anew with connections that wait.
type indexer struct {
	riverdriver.Executor
	slow riverdriver.Executor
}

// IndexReindex implements riverdriver.Executor.
func (x indexer) IndexReindex(ctx context.Context, p *riverdriver.IndexReindexParams) error {
	return x.slow.IndexReindex(ctx, p)
}

// IndexDropIfExists implements riverdriver.Executor.
func (x indexer) IndexDropIfExists(ctx context.Context, p *riverdriver.IndexDropIfExistsParams) error {
	return x.slow.IndexDropIfExists(ctx, p)
}

// postgresPool returns a pool of at most size connections, each of which configure changes
// before it is made; it does not connect.
func postgresPool(ctx context.Context, db Database, size int32, configure func(*pgx.ConnConfig)) (*pgxpool.Pool, error) {
	cfg, err := pgxpool.ParseConfig(db.Postgres)
	if err != nil {
		return nil, err
	}
	cfg.MaxConns, cfg.MinConns = size, 0
	cfg.PingTimeout = pingTimeout
	// River's statements are few and the same each time, so they are prepared,
	// whatever suits the pool of the data.
	cfg.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeCacheStatement
	for _, f := range []func(*pgx.ConnConfig){db.Configure, configure} {
		if f != nil {
			f(cfg.ConnConfig)
		}
	}
	return pgxpool.NewWithConfig(ctx, cfg)
}
